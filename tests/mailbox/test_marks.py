"""Marks on this computer: what was read, what is unread, and what is hidden until a time."""

from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import NOW
from tests.mailbox.inbox import ALL, Inbox, ids
from tests.mailbox.inbox import NOW as VISIT

from frontdesk.cache import Cache
from frontdesk.inbox.marks import ReadMarks
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter, MessagePreview, timestamp


@pytest.fixture
def marks(mailbox: Mailbox) -> ReadMarks:
    return ReadMarks(mailbox, lambda: VISIT)


async def test_read_and_unread_marks_are_remembered_locally_and_not_sent(
    inbox: Inbox, marks: ReadMarks, cache: Cache
) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 2}) for id in ("7", "8")]
    rows.append(inbox.conversations["9"].model_copy(update={"unread_count": 0}))
    assert marks.unread_among(rows) == {"7": 2, "8": 2}
    marks.mark_read("7")
    assert marks.unread_among(rows) == {"8": 2}
    assert ReadMarks(Mailbox(lambda: inbox, cache), lambda: NOW).unread_among(rows) == {"8": 2}
    marks.mark_unread("7")
    marks.mark_unread("9")
    assert marks.unread_among(rows) == {"7": 2, "8": 2, "9": 0}
    marks.mark_read("9")
    assert marks.unread_among(rows) == {"7": 2, "8": 2}
    assert inbox.requests == []


def test_read_marks_are_restored_as_they_were(inbox: Inbox, marks: ReadMarks) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 2}) for id in "789"]
    marks.mark_read("7")
    marks.mark_unread("8")
    before = marks.unread_among(rows)
    stored = marks.stored("789")
    for id in stored:
        marks.mark_read(id)
    assert marks.unread_among(rows) == {}
    marks.restore(stored)
    assert marks.unread_among(rows) == before == {"8": 2, "9": 2}
    assert marks.is_marked_unread("8")


async def test_what_was_marked_unread_here_is_listed_as_far_as_it_is_known(
    mailbox: Mailbox,
    marks: ReadMarks,
) -> None:
    await mailbox.refresh_conversations(ConversationFilter())
    known = [row.id for row in mailbox.conversations(ConversationFilter())][:3]
    assert marks.marked_unread() == []
    for id in (*known, "unknown"):
        marks.mark_unread(id)
    marks.mark_read(known[0])
    assert sorted(ids(marks.marked_unread())) == sorted(known[1:])
    assert [marks.is_marked_unread(id) for id in known] == [False, True, True]


def test_hidden_conversations_come_back_unread_and_hiding_is_taken_back(
    inbox: Inbox, marks: ReadMarks
) -> None:
    rows = [inbox.conversations[id].model_copy(update={"unread_count": 0}) for id in "789"]
    follow_ups = marks.follow_ups
    later, latest = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
    follow_ups.hide(rows[:2], later)
    before = follow_ups.hide(rows[1:], latest)
    assert follow_ups.hidden() == {"7": later, "8": latest, "9": latest}
    follow_ups.restore(before)
    assert follow_ups.hidden() == {"7": later, "8": later}
    assert follow_ups.due(NOW) == []
    assert follow_ups.due(later) == ["7", "8"]
    follow_ups.bring_back(["7"])
    assert marks.unread_among(rows) == {"7": 0}
    assert follow_ups.among(rows) == {"7": None, "8": later}
    marks.mark_read("7")
    assert marks.unread_among(rows) == {}
    assert follow_ups.among(rows) == {"8": later}
    assert inbox.requests == []


async def test_a_customer_who_writes_makes_a_hidden_conversation_due(
    inbox: Inbox, mailbox: Mailbox, marks: ReadMarks
) -> None:
    inbox.bump("7", last_inbound_at="2026-03-14T09:00:00.000Z")
    await mailbox.refresh_conversations(ALL)
    row = mailbox.conversation("7")
    assert row is not None
    marks.follow_ups.hide([row], NOW + timedelta(days=1))
    inbox.bump("7", last_inbound_at="2026-03-14T09:00:00.000Z", labels=("billing",))
    await mailbox.refresh_conversations(ALL)
    assert marks.follow_ups.due(NOW) == []
    inbox.bump("7", last_inbound_at="2026-03-14T09:30:00.000Z")
    await mailbox.refresh_conversations(ALL)
    assert marks.follow_ups.due(NOW) == ["7"]


def test_a_time_that_cannot_be_read_has_passed(mailbox: Mailbox, marks: ReadMarks) -> None:
    mailbox.set_setting("hidden until/7", "soon")
    assert marks.follow_ups.due(NOW) == ["7"]


@pytest.mark.parametrize(
    ("inbound", "last", "unread"),
    [
        ("2026-03-14T08:00:00.000Z", "inbound", True),
        ("2026-03-14T08:00:00.000Z", "outbound", True),
        (None, "inbound", True),
        (None, None, False),
        (None, "outbound", False),
    ],
)
async def test_without_a_read_marker_what_was_never_opened_here_is_unread(
    inbox: Inbox, marks: ReadMarks, inbound: str | None, last: str | None, unread: bool
) -> None:
    message = last and MessagePreview(id="1", direction=last, created_at=inbound or "")
    row = inbox.conversations["7"].model_copy(
        update={"unread_count": None, "last_inbound_at": inbound, "last_message": message}
    )
    assert marks.unread_among([row]) == ({"7": 0} if unread else {})
    marks.mark_read("7")
    assert marks.unread_among([row]) == {}
    later = row.model_copy(update={"last_activity_at": "2099-03-15T08:00:00.000Z"})
    answered = later.model_copy(update={"last_inbound_at": "2026-03-14T08:00:00.000Z"})
    assert marks.unread_among([answered]) == {}
    asked = later.model_copy(update={"last_inbound_at": later.last_activity_at})
    assert marks.unread_among([asked]) == {"7": 0}


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
    inbox: Inbox, mailbox: Mailbox, marks: ReadMarks, members: dict[str, Any], unread: int | None
) -> None:
    inbox.conversations["7"] = inbox.conversations["7"].model_copy(update={"unread_count": 2})
    inbox.bump("8")
    await mailbox.refresh_conversation(inbox.conversations["7"])
    marks.mark_read("7")
    row = inbox.conversations["7"].model_copy(update=members)
    assert marks.unread_among([row]) == ({} if unread is None else {"7": unread})


async def test_what_is_new_begins_after_the_message_that_was_read_last(
    inbox: Inbox, mailbox: Mailbox, marks: ReadMarks
) -> None:
    newest = MessagePreview(id="7.4", text="Hello", created_at=moment(-1))
    inbox.bump("7", unread_count=2, last_message=newest)
    await mailbox.refresh_conversations(ALL)
    row = inbox.conversations["7"]
    assert marks.new_messages(row) == (2, newest, "")
    marks.mark_read("7")
    assert marks.new_messages(row) == (None, newest, "7.4")
    later = row.model_copy(update={"unread_count": 3, "last_activity_at": moment(1)})
    assert marks.new_messages(later).read == "7.4"
    marks.mark_unread("7")
    assert marks.new_messages(later).read == ""


def test_a_visit_whose_time_cannot_be_read_was_none(inbox: Inbox, marks: ReadMarks) -> None:
    row = inbox.conversations["7"].model_copy(update={"unread_count": 2})
    marks.restore({"7": "damaged 1"})
    assert marks.unread_among([row]) == {"7": 2}


async def test_who_writes_while_hidden_is_due_and_who_wrote_before_is_not(
    inbox: Inbox, mailbox: Mailbox, marks: ReadMarks
) -> None:
    await mailbox.refresh_conversations(ALL)
    for id in ("398", "399"):
        row = inbox.conversations[id].model_copy(update={"last_inbound_at": moment(-1)})
        inbox.conversations[id] = row
        marks.follow_ups.hide([row], NOW + timedelta(hours=1))
    inbox.bump("399", last_inbound_at=moment(-1))
    inbox.bump("398", last_inbound_at=moment(1))
    await mailbox.refresh_conversations(ALL)
    assert marks.follow_ups.due(NOW) == ["398"]
    assert sorted(ids(marks.follow_ups.all())) == ["398", "399"]
    marks.follow_ups.bring_back(["398"])
    assert marks.follow_ups.due(NOW) == []
    assert sorted(ids(marks.follow_ups.all())) == ["398", "399"]
    marks.mark_read("398")
    assert ids(marks.follow_ups.all()) == ["399"]
