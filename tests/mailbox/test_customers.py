"""Contacts: read by phone, searched, joined with cached conversations."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import NOW
from tests.mailbox.inbox import ALL, Inbox, ids
from tests.mailbox.inbox import NOW as VISIT

from frontdesk.cache import Cache
from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.wire import (
    Contact,
    ConversationFilter,
    MessagePreview,
    PhoneRef,
    timestamp,
)


async def test_a_contact_is_read_by_its_phone(inbox: Inbox, mailbox: Mailbox) -> None:
    conversation = inbox.conversations["7"]
    assert mailbox.contact(conversation) is None
    inbox.contacts["+16505550007"] = Contact(id="7", name="Sheena Nelson")
    assert await mailbox.refresh_contact(conversation)
    assert mailbox.contact(conversation) == inbox.contacts["+16505550007"]
    assert not await mailbox.refresh_contact(conversation)


async def test_a_contact_without_a_phone_is_not_asked_for(inbox: Inbox, mailbox: Mailbox) -> None:
    hidden = inbox.conversations["7"].model_copy(update={"contact": PhoneRef(id="7")})
    assert not await mailbox.refresh_contact(hidden)
    assert inbox.requests == []


async def test_a_contact_that_is_gone_is_kept_no_longer(inbox: Inbox, mailbox: Mailbox) -> None:
    conversation = inbox.conversations["7"]
    inbox.contacts["+16505550007"] = Contact(id="7", name="Sheena Nelson")
    await mailbox.refresh_contact(conversation)
    inbox.contacts.clear()
    assert await mailbox.refresh_contact(conversation)
    assert mailbox.contact(conversation) is None


async def test_a_search_for_contacts_goes_to_the_server_and_what_it_finds_is_kept(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.contacts = {
        "+16505550007": Contact(id="7", name="Sheena Nelson", phone="+16505550007"),
        "+16505550008": Contact(id="8", name="Ana Ruiz"),
    }
    page = await mailbox.search_contacts("sheena")
    assert [contact.id for contact in page.data] == ["7"]
    assert inbox.requests == ["contacts sheena"]
    assert mailbox.contact(inbox.conversations["7"]) == inbox.contacts["+16505550007"]
    assert [hit.id for hit in mailbox.search("nelson", kinds=("contact",))] == ["7"]


async def test_a_cancelled_search_leaves_the_mailbox_usable(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.contacts = {"+16505550007": Contact(id="7", name="Sheena Nelson")}
    held = asyncio.Event()
    inbox.held = held
    older = asyncio.create_task(mailbox.search_contacts("she"))
    await asyncio.sleep(0)
    older.cancel()
    held.set()
    with pytest.raises(asyncio.CancelledError):
        await older
    assert (await mailbox.search_contacts("sheena")).data == tuple(inbox.contacts.values())


async def test_a_contact_is_found_by_number_and_kept(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.contacts["+16505550007"] = Contact(id="7", name="Sheena Nelson")
    assert await mailbox.contact_by_phone("+16505550007") == inbox.contacts["+16505550007"]
    assert mailbox.contact(inbox.conversations["7"]) is not None
    with pytest.raises(NotFound):
        await mailbox.contact_by_phone("+1")


async def test_the_conversations_of_a_contact_are_those_seen_on_any_channel(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.bump("901", contact=PhoneRef(id="7"))
    inbox.bump("7")
    await mailbox.refresh_conversations(ALL)
    assert ids(mailbox.conversations_of("7")) == ["7", "901"]
    assert mailbox.conversations_of("300") == []


async def test_read_and_unread_marks_are_remembered_locally_and_not_sent(
    inbox: Inbox, mailbox: Mailbox, cache: Cache
) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 2}) for id in ("7", "8")]
    rows.append(inbox.conversations["9"].model_copy(update={"unread_count": 0}))
    assert mailbox.unread_among(rows) == {"7": 2, "8": 2}
    mailbox.mark_read("7")
    assert mailbox.unread_among(rows) == {"8": 2}
    assert Mailbox(lambda: inbox, cache).unread_among(rows) == {"8": 2}
    mailbox.mark_unread("7")
    mailbox.mark_unread("9")
    assert mailbox.unread_among(rows) == {"7": 2, "8": 2, "9": 0}
    mailbox.mark_read("9")
    assert mailbox.unread_among(rows) == {"7": 2, "8": 2}
    assert inbox.requests == []


def test_read_marks_are_restored_as_they_were(inbox: Inbox, mailbox: Mailbox) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 2}) for id in "789"]
    mailbox.mark_read("7")
    mailbox.mark_unread("8")
    before = mailbox.unread_among(rows)
    marks = mailbox.read_marks("789")
    for id in marks:
        mailbox.mark_read(id)
    assert mailbox.unread_among(rows) == {}
    mailbox.restore_read_marks(marks)
    assert mailbox.unread_among(rows) == before == {"8": 2, "9": 2}
    assert mailbox.is_marked_unread("8")


async def test_what_was_marked_unread_here_is_listed_as_far_as_it_is_known(
    mailbox: Mailbox,
) -> None:
    await mailbox.refresh_conversations(ConversationFilter())
    known = [row.id for row in mailbox.conversations(ConversationFilter())][:3]
    assert mailbox.marked_unread() == []
    for id in (*known, "unknown"):
        mailbox.mark_unread(id)
    mailbox.mark_read(known[0])
    assert sorted(ids(mailbox.marked_unread())) == sorted(known[1:])
    assert [mailbox.is_marked_unread(id) for id in known] == [False, True, True]


def test_hidden_conversations_come_back_unread_and_hiding_is_taken_back(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 0}) for id in "789"]
    follow_ups = mailbox.follow_ups
    later, latest = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    follow_ups.hide(rows[:2], later)
    before = follow_ups.hide(rows[1:], latest)
    assert follow_ups.hidden() == {"7": later, "8": latest, "9": latest}
    follow_ups.restore(before)
    assert follow_ups.hidden() == {"7": later, "8": later}
    assert follow_ups.due(NOW) == []
    assert follow_ups.due(later) == ["7", "8"]
    follow_ups.bring_back(["7"])
    assert mailbox.unread_among(rows) == {"7": 0}
    assert follow_ups.among(rows) == {"7": None, "8": later}
    mailbox.mark_read("7")
    assert mailbox.unread_among(rows) == {}
    assert follow_ups.among(rows) == {"8": later}
    assert inbox.requests == []


async def test_a_customer_who_writes_makes_a_hidden_conversation_due(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.bump("7", last_inbound_at="2026-03-14T09:00:00.000Z")
    await mailbox.refresh_conversations(ALL)
    row = mailbox.conversation("7")
    assert row is not None
    mailbox.follow_ups.hide([row], NOW + timedelta(days=1))
    inbox.bump("7", last_inbound_at="2026-03-14T09:00:00.000Z", labels=("billing",))
    await mailbox.refresh_conversations(ALL)
    assert mailbox.follow_ups.due(NOW) == []
    inbox.bump("7", last_inbound_at="2026-03-14T09:30:00.000Z")
    await mailbox.refresh_conversations(ALL)
    assert mailbox.follow_ups.due(NOW) == ["7"]


def test_a_time_that_cannot_be_read_has_passed(mailbox: Mailbox) -> None:
    mailbox.set_setting("hidden until/7", "soon")
    assert mailbox.follow_ups.due(NOW) == ["7"]


@pytest.mark.parametrize(
    ("inbound", "last", "unread"),
    [
        ("2026-03-14T08:00:00.000Z", "inbound", True),
        ("2026-03-14T08:00:00.000Z", "outbound", True),
        (None, "inbound", True),
        (None, None, True),
        (None, "outbound", False),
    ],
)
async def test_without_a_read_marker_what_was_never_opened_here_is_unread(
    inbox: Inbox, mailbox: Mailbox, inbound: str | None, last: str | None, unread: bool
) -> None:
    message = last and MessagePreview(id="1", direction=last, created_at=inbound or "")
    row = inbox.conversations["7"].model_copy(
        update={"unread_count": None, "last_inbound_at": inbound, "last_message": message}
    )
    assert mailbox.unread_among([row]) == ({"7": 0} if unread else {})
    mailbox.mark_read("7")
    assert mailbox.unread_among([row]) == {}
    later = row.model_copy(update={"last_activity_at": "2099-03-15T08:00:00.000Z"})
    answered = later.model_copy(update={"last_inbound_at": "2026-03-14T08:00:00.000Z"})
    assert mailbox.unread_among([answered]) == {}
    asked = later.model_copy(update={"last_inbound_at": later.last_activity_at})
    assert mailbox.unread_among([asked]) == {"7": 0}


async def test_how_much_was_seen_is_counted(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 3)
    await mailbox.refresh_conversations(ALL)
    await mailbox.refresh_thread("7")
    assert await mailbox.indexed_counts() == (50, 3)
    assert [hit.conversation_id for hit in mailbox.search("hi")] == ["7", "7", "7"]


def moment(minutes: int) -> str:
    """A timestamp so many minutes after the visit."""
    return timestamp(round(VISIT.timestamp() * 1000) + 60_000 * minutes)


@pytest.mark.parametrize(
    ("members", "unread"),
    [
        ({"unread_count": 5, "last_activity_at": moment(-1)}, None),
        ({"unread_count": 5, "last_activity_at": moment(0)}, None),
        ({"unread_count": 5, "last_activity_at": moment(1)}, 5),
        ({"unread_count": 0, "last_activity_at": moment(1)}, None),
        # Nobody has answered since: the server counts what was read here too.
        ({"unread_count": 5, "last_activity_at": moment(1), "waiting_since": moment(-9)}, 3),
        ({"unread_count": 5, "last_activity_at": moment(1), "waiting_since": moment(0)}, 3),
        ({"unread_count": 5, "last_activity_at": moment(1), "waiting_since": moment(1)}, 5),
        ({"unread_count": 3, "last_activity_at": moment(1), "waiting_since": moment(-9)}, 1),
        ({"unread_count": 2, "last_activity_at": moment(1), "waiting_since": moment(-9)}, 2),
        ({"unread_count": 1, "last_activity_at": moment(1), "waiting_since": moment(-9)}, 1),
        # A server without counts: what the customer wrote since is new.
        (
            {
                "unread_count": None,
                "last_activity_at": moment(1),
                "last_inbound_at": moment(-1),
            },
            None,
        ),
        ({"unread_count": None, "last_activity_at": moment(1), "last_inbound_at": moment(1)}, 0),
        ({"unread_count": None, "last_activity_at": moment(1)}, 0),
        ({"unread_count": None, "last_activity_at": moment(-1)}, None),
    ],
)
async def test_what_is_new_since_a_visit_is_unread(
    inbox: Inbox, mailbox: Mailbox, members: dict[str, Any], unread: int | None
) -> None:
    inbox.conversations["7"] = inbox.conversations["7"].model_copy(update={"unread_count": 2})
    inbox.bump("8")
    await mailbox.refresh_conversation(inbox.conversations["7"])
    mailbox.mark_read("7")
    row = inbox.conversations["7"].model_copy(update=members)
    assert mailbox.unread_among([row]) == ({} if unread is None else {"7": unread})


async def test_what_is_new_begins_after_the_message_that_was_read_last(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    newest = MessagePreview(id="7.4", text="Hello", created_at=moment(-1))
    inbox.bump("7", unread_count=2, last_message=newest)
    await mailbox.refresh_conversations(ALL)
    row = inbox.conversations["7"]
    assert mailbox.new_messages(row) == (2, newest, "")
    mailbox.mark_read("7")
    assert mailbox.new_messages(row) == (None, newest, "7.4")
    later = row.model_copy(update={"unread_count": 3, "last_activity_at": moment(1)})
    assert mailbox.new_messages(later).read == "7.4"
    mailbox.mark_unread("7")
    assert mailbox.new_messages(later).read == ""


def test_a_visit_whose_time_cannot_be_read_was_none(inbox: Inbox, mailbox: Mailbox) -> None:
    row = inbox.conversations["7"].model_copy(update={"unread_count": 2})
    mailbox.restore_read_marks({"7": "damaged 1"})
    assert mailbox.unread_among([row]) == {"7": 2}


async def test_who_writes_while_hidden_is_due_and_who_wrote_before_is_not(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    await mailbox.refresh_conversations(ALL)
    for id in ("398", "399"):
        row = inbox.conversations[id].model_copy(update={"last_inbound_at": moment(-1)})
        inbox.conversations[id] = row
        mailbox.follow_ups.hide([row], NOW + timedelta(hours=1))
    inbox.bump("399", last_inbound_at=moment(-1))
    inbox.bump("398", last_inbound_at=moment(1))
    await mailbox.refresh_conversations(ALL)
    assert mailbox.follow_ups.due(NOW) == ["398"]
    assert sorted(ids(mailbox.follow_ups.all())) == ["398", "399"]
    mailbox.follow_ups.bring_back(["398"])
    assert mailbox.follow_ups.due(NOW) == []
    assert sorted(ids(mailbox.follow_ups.all())) == ["398", "399"]
    mailbox.mark_read("398")
    assert ids(mailbox.follow_ups.all()) == ["399"]
