"""A whole thread is loaded page by page, and says how far back it is."""

import re
from datetime import UTC
from itertools import pairwise

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.thread_view import whole_thread
from tests.conftest import NOW


async def long_thread(client: InboxClient) -> str:
    """The id of a conversation whose messages do not fit into a page."""
    async for conversation in client.conversations():
        if (await client.message_page(conversation.id, limit=100)).next_cursor:
            return conversation.id
    raise AssertionError("the sample has a long thread")


async def test_each_page_of_a_long_thread_says_how_far_back_it_goes(
    client: InboxClient, cache: Cache
) -> None:
    mailbox, clock = Mailbox(lambda: client, cache, clock=lambda: NOW), Clock(UTC, lambda: NOW)
    await mailbox.connect()
    id, said = await long_thread(client), []
    entries = await whole_thread(mailbox, clock, id, said.append)
    found = [re.fullmatch(r"(\d+) messages, back to (\d{4}-\d\d-\d\d)", words) for words in said]
    assert found
    assert all(found)
    places = [(int(match[1]), match[2]) for match in found if match]
    assert all(few < more and late >= early for (few, late), (more, early) in pairwise(places))
    assert places[-1][0] < len(entries)
    times = [entry.created_at for entry in entries]
    assert times == sorted(times)
    assert entries[0].created_at[:10] <= places[-1][1]
    assert await whole_thread(mailbox, clock, id, said.append, renew=False) == entries
    assert len(said) == len(found)
