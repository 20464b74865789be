"""What the inbox reads of a mailbox: names, customers by number, filters of the server."""

from typing import Any

import pytest
from tests.conftest import NOW
from tests.tui.memory_inbox import BasicMemoryInbox, MemoryInbox, name

from frontdesk.cache import Cache
from frontdesk.errors import NotOffered
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter, Message, Page

OPEN = ConversationFilter(status="open")


async def connected(source: MemoryInbox, cache: Cache) -> Mailbox:
    """A mailbox of a source, with the first open conversations."""
    mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)  # type: ignore[arg-type, return-value]
    await mailbox.connect()
    await mailbox.refresh_conversations(OPEN)
    return mailbox


async def test_conversations_of_this_computer_are_found_by_number(cache: Cache) -> None:
    mailbox = await connected(MemoryInbox(15), cache)
    (found,) = mailbox.conversations_found("+447700900007")
    assert found.contact.name == name(7)
    assert not mailbox.conversations_found("+447700900299")


async def test_a_message_after_the_last_activity_of_its_row_is_newer(cache: Cache) -> None:
    source = MemoryInbox(15)
    mailbox = await connected(source, cache)
    row = mailbox.conversation("1")
    assert row is not None
    await mailbox.refresh_open_thread(row)
    assert mailbox.newer_entry(row) is None
    before = source.message_page

    async def message_page(conversation_id: str, **options: Any) -> Page[Message]:
        page = await before(conversation_id, **options)
        newest = page.data[0].model_copy(update={"id": "new", "created_at": "2026-03-14T10:30:00Z"})
        return page.model_copy(update={"data": (newest, *page.data)})

    source.message_page = message_page  # type: ignore[method-assign]
    await mailbox.refresh_open_thread(row)
    assert mailbox.newer_entry(row) is not None
    source.change("1", status="resolved")
    assert await mailbox.refresh_conversation(row)
    changed = mailbox.conversation("1")
    assert changed is not None
    assert changed.status == "resolved"


async def test_filters_that_a_server_lacks_are_known_after_a_start(cache: Cache) -> None:
    mailbox = await connected(BasicMemoryInbox(15), cache)
    assert "sort" in mailbox.capabilities.offered
    with pytest.raises(NotOffered):
        await mailbox.refresh_conversations(OPEN.model_copy(update={"sort": "waiting"}))
    assert "sort" not in mailbox.capabilities.offered
    mailbox.capabilities.store_lacks()
    again = Mailbox(lambda: BasicMemoryInbox(15), cache)  # type: ignore[arg-type, return-value]
    assert "sort" not in again.capabilities.offered


async def test_names_and_who_is_me_come_from_the_server(cache: Cache) -> None:
    mailbox = await connected(MemoryInbox(15), cache)
    assert mailbox.me == ""
    await mailbox.refresh_catalogues()
    await mailbox.find_me()
    assert mailbox.me == "1"
    names = mailbox.names(())
    assert (names.me, names.users["1"]) == ("1", "Grace Okafor")
    assert set(names.channels) == {"London", "Madrid"}
    assert set(names.labels) == {"billing", "refund"}
