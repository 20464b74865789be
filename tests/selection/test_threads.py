"""Threads: periods, whose entries, older ones by a place, and conversations by number."""

from datetime import datetime

import pytest

from frontdesk.client import InboxClient
from frontdesk.selection.threads import (
    WHO,
    EntryFilter,
    ThreadPlace,
    conversation_ids,
    read_notes,
    read_thread,
)
from frontdesk.text.entries import in_order
from frontdesk.text.messages import Entry
from frontdesk.wire import Note
from tests.client.full_read import CONVERSATION, PHONE, client_of
from tests.client.other_server import OtherServer, Variant, problem


async def whole_thread(client: InboxClient, id: str) -> list[Entry]:
    messages = [row async for row in client.messages(id)]
    return in_order([*messages, *[row async for row in client.notes(id)]])


async def noted(client: InboxClient) -> str:
    """A conversation with notes among its messages, of which there are some."""
    async for row in client.conversations():
        entries = await whole_thread(client, row.id)
        has_note = any(isinstance(entry, Note) for entry in entries[1:-1])
        if has_note and 6 <= len(entries) <= 20:
            return row.id
    raise AssertionError("The sample has no notes among messages")


async def test_a_thread_without_limits_is_all_messages_and_notes(client: InboxClient) -> None:
    id = await noted(client)
    assert list((await read_thread(client, id)).entries) == await whole_thread(client, id)


@pytest.mark.parametrize("last", [1, 2, 3, 50])
async def test_older_parts_follow_each_other_without_a_gap_or_a_repeat(
    client: InboxClient, last: int
) -> None:
    id = await noted(client)
    parts: list[Entry] = []
    place: ThreadPlace | None = ThreadPlace()
    while place is not None:
        part = await read_thread(client, id, last=last, place=place)
        assert sum(not isinstance(entry, Note) for entry in part.entries) <= last
        parts, place = [*part.entries, *parts], part.older
    assert parts == await whole_thread(client, id)


@pytest.mark.parametrize(
    ("filter", "last", "limit"),
    [
        (EntryFilter(), 2, "2"),
        (EntryFilter(), 500, "100"),
        (EntryFilter(), None, "100"),
        # Of those that come, some may not be what is looked for.
        (EntryFilter(keep=WHO["customer"]), 2, "100"),
    ],
)
async def test_no_more_messages_are_asked_for_than_are_read(
    filter: EntryFilter, last: int | None, limit: str
) -> None:
    server = OtherServer()
    async with client_of(server) as client:
        await read_thread(client, CONVERSATION, filter, last=last)
    asked = [question for question in server.asked if question.name == "messages"]
    assert asked[0].query["limit"] == limit


async def test_a_period_begins_with_its_first_moment_and_ends_before_its_last(
    client: InboxClient,
) -> None:
    id = await noted(client)
    every = await whole_thread(client, id)
    after, before = every[1].created_time, every[-1].created_time
    found = await read_thread(client, id, EntryFilter(after, before))
    assert list(found.entries) == [entry for entry in every if is_in(entry, after, before)]
    assert found.older is None


def is_in(entry: Entry, after: datetime | None, before: datetime | None) -> bool:
    assert entry.created_time is not None
    assert after is not None
    assert before is not None
    return after <= entry.created_time < before


async def test_entries_of_the_customer_and_of_the_team_make_up_the_thread(
    client: InboxClient,
) -> None:
    id = await noted(client)
    by = {who: (await read_thread(client, id, EntryFilter(keep=WHO[who]))).entries for who in WHO}
    assert {entry.author for entry in by["customer"]} == {"contact"}
    assert in_order([*by["customer"], *by["team"]]) == list(by["all"])
    notes = (await read_notes(client, id)).entries
    assert notes == tuple(entry for entry in by["all"] if isinstance(entry, Note))


async def test_reading_ends_after_so_many_messages_and_can_go_on(client: InboxClient) -> None:
    id = await noted(client)
    part = await read_thread(client, id, most=2)
    assert part.capped
    assert sum(not isinstance(entry, Note) for entry in part.entries) == 2
    assert part.older is not None
    rest = await read_thread(client, id, place=part.older)
    assert [*rest.entries, *part.entries] == await whole_thread(client, id)


async def test_without_notes_a_thread_says_why() -> None:
    def refuse(server: OtherServer, question: object) -> object:
        name = question.name  # type: ignore[attr-defined]
        return (
            problem(403, "insufficient_scope", required_scope="notes:read")
            if (name == "notes")
            else None
        )

    async with client_of(OtherServer((Variant(before=refuse),))) as client:  # type: ignore[arg-type]
        thread = await read_thread(client, CONVERSATION)
    assert thread.entries
    assert thread.lack


async def test_ids_are_found_in_every_spelling_each_once(client: InboxClient) -> None:
    named = await conversation_ids(client, ["#12, 14", "12", "15 16"])
    assert named.ids == ("12", "14", "15", "16")
    assert not named.failures


async def test_a_number_means_all_conversations_with_the_customer(client: InboxClient) -> None:
    rows = [row async for row in client.conversations()]
    phone = next(row.contact.phone for row in rows if row.contact.phone)
    ids = {row.id for row in rows if row.contact.phone == phone}
    spaced = f"{phone[:3]} {phone[3:]}"
    for written in (phone, spaced):
        assert {*(await conversation_ids(client, [written])).ids} == ids


async def test_a_number_of_nobody_does_not_hide_the_others() -> None:
    async with client_of(OtherServer()) as client:
        named = await conversation_ids(client, ["1003", "+16505559999", "+12", PHONE])
    assert named.ids == ("1003", "1001")
    assert [*named.failures] == ["+16505559999", "+12"]
    assert "from:+12" in str(named.failures["+12"])
