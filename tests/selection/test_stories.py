"""All conversations of a customer read as one, by language models too."""

from collections import Counter

import pytest

from frontdesk.client import InboxClient
from frontdesk.selection.threads import EntryFilter, read_story
from frontdesk.text.entries import in_order
from frontdesk.wire import Message, PhoneRef
from tests.mcp.sessions import answer, session_with


async def with_several(client: InboxClient) -> PhoneRef:
    """A customer with more than one conversation, whom a number names."""
    rows = [row async for row in client.conversations() if row.contact.phone]
    by_contact = Counter(row.contact.id for row in rows)
    return next(row.contact for row in rows if by_contact[row.contact.id] > 1)


async def test_a_story_has_all_entries_by_time(client: InboxClient) -> None:
    contact = await with_several(client)
    rows = [row async for row in client.conversations(contact=contact.id)]
    entries = [message for row in rows async for message in client.messages(row.id)]
    notes = [note for row in rows async for note in client.notes(row.id)]
    story = await read_story(client, contact.id)
    assert [one.id for one in story.entries] == [one.id for one in in_order([*entries, *notes])]
    assert {one.conversation_id for one in story.entries} == {row.id for row in rows}
    assert [row.id for row in story.conversations] == [row.id for row in rows]
    assert not story.has_older


@pytest.mark.parametrize("last", [1, 2, 3, 5])
async def test_a_cut_story_has_no_hole(client: InboxClient, last: int) -> None:
    contact = await with_several(client)
    whole = (await read_story(client, contact.id)).entries
    story = await read_story(client, contact.id, last=last)
    assert [one.id for one in story.entries] == [one.id for one in whole[-len(story.entries) :]]
    messages = [one for one in story.entries if isinstance(one, Message)]
    assert len(messages) >= min(last, len(whole))
    assert story.has_older == (len(story.entries) < len(whole))


async def test_nothing_of_a_period_is_an_empty_story(client: InboxClient) -> None:
    contact = await with_several(client)
    story = await read_story(client, contact.id, EntryFilter(keep=lambda entry: False))
    assert (story.entries, len(story.conversations) > 1) == ((), True)


async def test_a_model_reads_a_customer_as_one_thread(client: InboxClient) -> None:
    contact = await with_several(client)
    rows = [row async for row in client.conversations(contact=contact.id)]
    assert contact.phone is not None
    async with session_with(client) as session:
        text = await answer(session, "read_threads", conversations=[contact.phone])
        short = await answer(session, "read_threads", conversations=[contact.phone], last=1)
    assert f"{len(rows)} conversations as one" in text
    for row in rows:
        assert f"\n-- #{row.id} " in text
    assert "older ones: before=" in short
