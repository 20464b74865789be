"""Contacts: read by phone, searched, joined with cached conversations."""

import asyncio

import pytest
from tests.mailbox.inbox import ALL, Inbox, ids

from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.wire import (
    Contact,
    PhoneRef,
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


async def test_how_much_was_seen_is_counted(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.write("7", 3)
    await mailbox.refresh_conversations(ALL)
    await mailbox.refresh_thread("7")
    assert await mailbox.indexed_counts() == (50, 3)
    assert [hit.conversation_id for hit in mailbox.search("hi")] == ["7", "7", "7"]
