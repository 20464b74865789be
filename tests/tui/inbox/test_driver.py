"""The mailbox as what the inbox reads and asks, without a viewer."""

from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.errors import NotOffered
from frontdesk.mailbox import Mailbox
from frontdesk.tui.inbox.driver import MailboxReads
from frontdesk.wire import ConversationFilter, Message, Page
from tests.conftest import NOW
from tests.tui.memory_inbox import BasicMemoryInbox, MemoryInbox, name

OPEN = ConversationFilter(status="open")


async def connected(source: MemoryInbox, cache: Cache) -> Mailbox:
    """A mailbox of a source, with the first open conversations."""
    mailbox = Mailbox(lambda: source, cache, clock=lambda: NOW)  # type: ignore[arg-type, return-value]
    await mailbox.connect()
    await mailbox.refresh_conversations(OPEN)
    return mailbox


async def test_conversations_of_this_computer_are_found_by_number(cache: Cache) -> None:
    reads = MailboxReads(await connected(MemoryInbox(15), cache))
    (found,) = reads.conversations_found("+447700900007")
    assert found.contact.name == name(7)
    assert not reads.conversations_found("+447700900299")


async def test_a_message_after_the_last_activity_of_its_row_is_newer(cache: Cache) -> None:
    source = MemoryInbox(15)
    mailbox = await connected(source, cache)
    reads = MailboxReads(mailbox)
    row = reads.conversation("1")
    assert row is not None
    await mailbox.refresh_open_thread(row)
    assert reads.newer_entry(row) is None
    before = source.message_page

    async def message_page(conversation_id: str, **options: Any) -> Page[Message]:
        page = await before(conversation_id, **options)
        newest = page.data[0].model_copy(update={"id": "new", "created_at": "2026-03-14T10:30:00Z"})
        return page.model_copy(update={"data": (newest, *page.data)})

    source.message_page = message_page  # type: ignore[method-assign]
    await mailbox.refresh_open_thread(row)
    assert reads.newer_entry(row) is not None
    source.change("1", status="resolved")
    assert await mailbox.refresh_conversation(row)
    changed = reads.conversation("1")
    assert changed is not None
    assert changed.status == "resolved"


async def test_filters_that_a_server_lacks_are_known_after_a_start(cache: Cache) -> None:
    mailbox = await connected(BasicMemoryInbox(15), cache)
    reads = MailboxReads(mailbox)
    assert "sort" in reads.offered
    with pytest.raises(NotOffered):
        await mailbox.refresh_conversations(OPEN.model_copy(update={"sort": "waiting"}))
    assert "sort" not in reads.offered
    reads.store_lacks()
    again = MailboxReads(Mailbox(lambda: BasicMemoryInbox(15), cache))  # type: ignore[arg-type, return-value]
    assert "sort" not in again.offered


async def test_names_and_who_is_me_come_from_the_server(cache: Cache) -> None:
    mailbox = await connected(MemoryInbox(15), cache)
    reads = MailboxReads(mailbox)
    assert reads.me == ""
    await mailbox.refresh_catalogues()
    await mailbox.find_me()
    assert reads.me == "1"
    names = reads.names(())
    assert (names.me, names.users["1"]) == ("1", "Grace Okafor")
    assert set(names.channels) == {"London", "Madrid"}
    assert set(names.labels) == {"billing", "refund"}
