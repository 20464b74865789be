"""Saved lists against plain lists: places, merges, gaps and notes among messages."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cache.pages import (
    NOW,
    OPEN,
    Value,
    conversation,
    fetched,
    fill,
    ids,
    message,
    newest_first,
    note,
)

from frontdesk.cache import (
    CONVERSATION,
    Cache,
    Listing,
    ListName,
    SaveResult,
    files,
    notes_name,
    row_of,
    thread_name,
)
from frontdesk.cache.lists import RUNS
from frontdesk.cache.rows import sort_text
from frontdesk.wire import Conversation, Message, Note


async def test_a_saved_list_survives_a_restart(path: Path) -> None:
    first = Cache(path, "one")
    await first.save_head(OPEN, fetched([conversation(1, 5)], cursor="c1"), NOW)
    first.close()
    second = Cache(path, "one")
    listing = second.listing(OPEN)
    assert list(listing) == [conversation(1, 5)]
    assert (listing.cursor, listing.complete, listing.fetched_at) == ("c1", False, NOW)
    second.close()


async def test_a_list_never_seen_is_empty_and_not_complete(cache: Cache) -> None:
    listing = cache.listing(OPEN)
    assert len(listing) == 0
    assert (listing.cursor, listing.complete, listing.fetched_at) == (None, False, None)
    assert listing.position("1") is None


async def test_two_origins_in_one_file_do_not_mix(path: Path) -> None:
    one, two = Cache(path, "one"), Cache(path, "two")
    await one.save_head(OPEN, fetched([conversation(1, 5)]), NOW)
    one.set_setting("filter", "open")
    assert len(two.listing(OPEN)) == 0
    assert two.get_setting("filter") is None
    one.close()
    two.close()


async def test_any_position_of_a_long_list_is_the_row_of_a_plain_list(cache: Cache) -> None:
    values = newest_first([conversation(number, number % 977) for number in range(15_000)])
    await fill(cache, values)
    listing: Listing[Conversation] = cache.listing(OPEN)
    assert ids(listing) == [value.id for value in values]
    chance = random.Random(7)
    for _ in range(200):
        position = chance.randrange(len(values))
        assert listing[position] == values[position]
        assert listing.position(values[position].id) == position
    assert listing[-1] == values[-1]
    with pytest.raises(IndexError):
        listing[len(values)]


async def test_the_directory_needs_few_nodes_and_no_counting_to_open_a_long_list(
    cache: Cache, path: Path
) -> None:
    await fill(cache, newest_first([conversation(number, number) for number in range(15_000)]))
    reads: list[str] = []
    connection = files.reader(files.address_of(path))

    def rows(sql: str, parameters: tuple[object, ...] = ()) -> list[Any]:
        reads.append(sql)
        return connection.execute(sql, parameters).fetchall()

    [(origin,)] = rows("SELECT number FROM origin")
    reads.clear()
    listing = Listing[Conversation](rows, origin, OPEN, newest_first=True)
    assert listing[14_000]
    assert len(reads) == 4
    assert not any("count(*)" in sql or "OFFSET" in sql for sql in reads)
    sql = reads[-1]
    # Runs are full but the one at the end: 15,000 rows are 300 blocks of 50.
    assert rows("SELECT count(*) FROM node WHERE level = ?", (RUNS,)) == [(3,)]
    # Rows are found by their numbers: an index of names would be read all over the file.
    plan = rows(f"EXPLAIN QUERY PLAN {sql}", ("",) * sql.count("?"))
    connection.close()
    steps = [step for *_, step in plan]
    assert "SEARCH object USING INTEGER PRIMARY KEY (rowid=?)" in steps, steps


moves = st.lists(
    st.tuples(st.sampled_from(["bump", "vanish", "new", "change"]), st.integers(0, 400)),
    max_size=12,
)


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rounds=st.lists(st.tuples(moves, st.integers(1, 260)), max_size=4), size=st.integers(1, 330))
async def test_random_changes_keep_the_list_equal_to_a_plain_list(
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[tuple[list[tuple[str, int]], int]],
    size: int,
) -> None:
    cache = Cache(tmp_path_factory.mktemp("cache") / "pages-1.db", "one")
    server = {number: conversation(number, number) for number in range(size)}
    held = newest_first(list(server.values()))
    await fill(cache, held)
    clock = 1_000
    for changes, depth in rounds:
        for what, number in changes:
            clock += 1
            if what == "vanish":
                server.pop(number, None)
            elif what == "change":
                if number in server:
                    server[number] = server[number].model_copy(update={"status": "snoozed"})
            else:
                server[number] = conversation(number, clock)
        listed = newest_first(list(server.values()))
        page: list[Value] = list(listed[:depth])
        part = fetched(page, end=depth >= len(listed), cursor="below")
        saved = await cache.save_head(OPEN, part, NOW)
        lowest, read = part.stretch.lowest, {value.id for value in page}
        below = [
            value
            for value in held
            if row_of(value).key < lowest and value.id not in read and not saved.restarted
        ]
        held = [value for value in page if isinstance(value, Conversation)] + below
        listing: Listing[Conversation] = cache.listing(OPEN)
        assert list(listing) == held
        assert [listing.position(value.id) for value in held] == list(range(len(held)))
    cache.close()


async def test_a_page_that_meets_what_is_held_keeps_older_rows_and_their_cursor(
    cache: Cache,
) -> None:
    await cache.save_head(OPEN, fetched([conversation(3, 3), conversation(2, 2)], cursor="c"), NOW)
    newer: list[Value] = [conversation(4, 4), conversation(3, 3)]
    saved = await cache.save_head(OPEN, fetched(newer, cursor="other"), NOW)
    listing = cache.listing(OPEN)
    assert ids(listing) == ["4", "3", "2"]
    assert listing.cursor == "c"
    assert saved == SaveResult(True, ("4",), False)


async def test_a_page_that_does_not_meet_what_is_held_starts_the_list_again(cache: Cache) -> None:
    await cache.save_head(OPEN, fetched([conversation(2, 2)], cursor="c2"), NOW)
    saved = await cache.save_head(OPEN, fetched([conversation(9, 9)], cursor="c9"), NOW)
    listing = cache.listing(OPEN)
    assert (ids(listing), listing.cursor, saved.restarted) == (["9"], "c9", True)


async def test_the_same_page_again_changes_nothing(cache: Cache) -> None:
    page: list[Value] = [conversation(2, 2), conversation(1, 1)]
    await cache.save_head(OPEN, fetched(page, cursor="c"), NOW)
    assert await cache.save_head(OPEN, fetched(page, cursor="c"), NOW) == SaveResult(False)


async def test_an_older_page_for_a_cursor_that_is_no_longer_the_lists_is_ignored(
    cache: Cache,
) -> None:
    await cache.save_head(OPEN, fetched([conversation(9, 9)], cursor="c9"), NOW)
    upper = row_of(conversation(5, 5)).key
    await cache.save_older(OPEN, fetched([conversation(4, 4)], upper=upper, cursor="c4"), "c5")
    listing = cache.listing(OPEN)
    assert (ids(listing), listing.cursor) == (["9"], "c9")


async def test_a_listing_gives_a_row_for_every_position_until_reload(
    cache: Cache,
) -> None:
    await fill(cache, newest_first([conversation(number, number) for number in range(300)]))
    listing: Listing[Conversation] = cache.listing(OPEN)
    assert listing[0].id == "299"
    await cache.save_head(OPEN, fetched([conversation(5, 900)], end=True), NOW)
    assert len(listing) == 300
    assert all(isinstance(listing[position], Conversation) for position in range(300))
    listing.reload()
    assert ids(listing) == ["5"]


async def test_a_row_is_found_where_the_listing_shows_it_while_an_older_page_is_saved(
    cache: Cache,
) -> None:
    values = newest_first([conversation(number, number) for number in range(60)])
    first: list[Value] = list(values[:50])
    older: list[Value] = list(values[50:])
    await cache.save_head(OPEN, fetched(first, cursor="c"), NOW)
    listing: Listing[Conversation] = cache.listing(OPEN)
    part = fetched(older, upper=row_of(first[-1]).key, end=True)
    await cache.save_older(OPEN, part, "c")
    keys = [f"conversation {value.id}" for value in first]
    assert [listing.find(key) for key in keys] == list(range(50))
    assert [listing.key(position) for position in range(50)] == keys


@pytest.mark.parametrize("depth", [1, 30, 120])
@pytest.mark.parametrize("newest_first", [True, False])
async def test_find_agrees_with_the_shown_rows_after_later_saves(
    cache: Cache, depth: int, newest_first: bool
) -> None:
    values = [conversation(number, number) for number in range(240, 0, -1)]
    await fill(cache, values)
    listing: Listing[Conversation] = cache.listing(OPEN, newest_first=newest_first)
    assert listing[120]
    bumped: list[Value] = [
        conversation(int(value.id), 900 - at) for at, value in enumerate(values[200:])
    ]
    await cache.save_head(OPEN, fetched([*bumped, *values[:depth]], cursor="c"), NOW)
    for value in values:
        position = listing.find(f"conversation {value.id}")
        assert position is None or listing.key(position) == f"conversation {value.id}"
        assert position is None or listing[position].id == value.id


async def test_of_one_second_what_came_in_is_read_before_what_went_out(cache: Cache) -> None:
    thread = thread_name("7")
    answer = message(1, 30).model_copy(update={"direction": "outbound", "author": "api"})
    page: list[Value] = [answer, message(12, 30), message(9, 30), message(4, 20)]
    await cache.save_head(thread, fetched(page, end=True), NOW)
    listing: Listing[Message | Note] = cache.listing(thread, newest_first=False)
    assert [entry.id for entry in listing] == ["4", "9", "12", "1"]
    assert listing.ranks([answer.model_copy(update={"id": "2"}), message(10, 30)]) == [4, 2]


async def test_a_thread_is_read_from_its_oldest_message(cache: Cache) -> None:
    thread = thread_name("7")
    page: list[Value] = [message(3, 3), message(2, 2)]
    await cache.save_head(thread, fetched(page, cursor="c"), NOW)
    listing: Listing[Message | Note] = cache.listing(thread, newest_first=False)
    assert ids(listing) == ["2", "3"]
    assert listing.position("3") == 1


async def test_notes_stand_among_the_messages_and_wait_where_messages_are_missing(
    cache: Cache,
) -> None:
    thread, notes = thread_name("7"), notes_name("7")
    own: list[Value] = [note(1, 25), note(3, 5), note(2, 1)]
    await cache.save_head(notes, fetched(own, end=True), NOW)
    await cache.save_head(thread, fetched([message(3, 30), message(2, 20)], cursor="c"), NOW)
    listing: Listing[Message | Note] = cache.listing(thread, newest_first=False)
    assert list(listing) == [message(2, 20), note(1, 25), message(3, 30)]
    assert listing.position("3") == 2
    assert listing.position("1", "note") == 1

    upper = row_of(message(2, 20)).key
    await cache.save_older(thread, fetched([message(1, 4)], upper=upper, cursor="d"), "c")
    listing.reload()
    assert list(listing)[:2] == [message(1, 4), note(3, 5)]

    upper = row_of(message(1, 4)).key
    await cache.save_older(thread, fetched([], upper=upper, end=True), "d")
    listing.reload()
    assert listing[0] == note(2, 1)

    await cache.save_head(notes, fetched(own[1:], end=True), NOW)
    listing.reload()
    assert note(1, 25) not in list(listing)


async def test_a_forgotten_row_leaves_every_list(cache: Cache) -> None:
    other = ListName("conversations?", CONVERSATION)
    page: list[Value] = [conversation(2, 2), conversation(1, 1)]
    for which in (OPEN, other):
        await cache.save_head(which, fetched(page, cursor="c"), NOW)
    await cache.forget("2")
    assert ids(cache.listing(OPEN)) == ids(cache.listing(other)) == ["1"]


def test_a_remembered_word_can_be_recalled_at_once_and_after_a_restart(path: Path) -> None:
    first = Cache(path, "one")
    first.set_setting("filter", "open")
    assert first.get_setting("filter") == "open"
    first.close()
    second = Cache(path, "one")
    assert second.get_setting("filter") == "open"
    assert second.get_setting("other") is None
    second.close()


@pytest.mark.parametrize(
    ("moment", "sorts_as"),
    [
        ("2026-03-14T09:26:53.000Z", "2026-03-14T09:26:53.000"),
        ("2026-03-14T10:26:53+01:00", "2026-03-14T09:26:53.000"),
        ("2026-03-14 09:26:53.000Z", "2026-03-14T09:26:53.000"),
        ("2026-03-14T09:26:53.000001Z", "2026-03-14T09:26:53.000001"),
        ("0001-01-01T00:00:00+14:00", ""),
        ("yesterday", ""),
    ],
)
def test_moments_sort_as_text_however_they_are_written(moment: str, sorts_as: str) -> None:
    assert sort_text(moment) == sorts_as


async def test_rows_are_looked_for_together_by_as_many_statements_as_one(path: Path) -> None:
    held = [conversation(number, 10 * number) for number in range(2_000)]
    cache = Cache(path, "one")
    await fill(cache, newest_first(held))
    with closing(files.reader(files.address_of(path))) as connection:
        [(origin,)] = connection.execute("SELECT origin FROM list").fetchall()
        asked: list[str] = []

        def rows(sql: str, parameters: tuple[object, ...]) -> list[Any]:
            asked.append(sql)
            return connection.execute(sql, parameters).fetchall()

        listing: Listing[Conversation] = Listing(rows, origin, OPEN, newest_first=True)
        others = [conversation(9_000 + at, 60 * at + 5) for at in range(300)]
        asked.clear()
        assert listing.absent([*(row.id for row in held), "x"]) == {"x"}
        assert listing.ranks(others) == [
            sum(row.last_activity_at > other.last_activity_at for row in held) for other in others
        ]
        assert len(asked) <= 5
        # After a save each row is looked for in this state of the list.
        await cache.save_head(OPEN, fetched([conversation(9_999, 99_999), held[-1]]), NOW)
        assert listing.absent(["1999", "5", "x"]) == {"x"}
    cache.close()
