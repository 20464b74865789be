"""The cache against a plain list, against other processes, and against broken files."""

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.cache import (
    CONVERSATION,
    Cache,
    Fetched,
    Listing,
    ListName,
    Saved,
    notes_name,
    place,
    row_of,
    thread_name,
)
from frontdesk.cache.rows import sort_text
from frontdesk.timeline import HIGHEST, Key, stretch
from frontdesk.wire import Conversation, Message, Note, PhoneRef, timestamp

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)
START = 1_773_480_413_000
OPEN = ListName("conversations?status=open", CONVERSATION)
Value = Conversation | Message | Note


def conversation(id: int, second: int, status: str = "open") -> Conversation:
    number = PhoneRef(id="1", name="Sheena Nelson", phone="+16505551234")
    moment = timestamp(START + second * 1000)
    return Conversation(
        id=str(id), status=status, channel=number, contact=number, last_activity_at=moment
    )


def message(id: int, second: int) -> Message:
    moment = timestamp(START + second * 1000)
    return Message(id=str(id), direction="inbound", author="contact", text="Hi", created_at=moment)


def note(id: int, second: int) -> Note:
    return Note(id=str(id), text="Ring back", created_at=timestamp(START + second * 1000))


def newest_first(values: list[Conversation]) -> list[Conversation]:
    return sorted(values, key=lambda value: row_of(value).key, reverse=True)


def fetched(
    values: list[Value], *, upper: Key = HIGHEST, end: bool = False, cursor: str | None = None
) -> Fetched:
    rows = [row_of(value) for value in values]
    return Fetched.of(rows, stretch([[row.key for row in rows]], upper=upper, end=end), cursor)


async def fill(cache: Cache, values: list[Conversation], page: int = 50) -> None:
    """Read a whole list as a viewer does that scrolls to its end."""
    cursor, upper = "", HIGHEST
    for start in range(0, len(values), page):
        rows: list[Value] = list(values[start : start + page])
        following = f"after {start + page}"
        part = fetched(rows, upper=upper, end=start + page >= len(values), cursor=following)
        if start == 0:
            await cache.save_head(OPEN, part, NOW)
        else:
            await cache.save_older(OPEN, part, cursor)
        cursor, upper = following, row_of(rows[-1]).key


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "pages-1.db"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    cache = Cache(path, "https://inbox.example 1")
    yield cache
    cache.close()


def ids(listing: Listing[Value]) -> list[str]:
    return [value.id for value in listing]


async def test_what_was_saved_is_there_after_a_restart(path: Path) -> None:
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
    one.remember("filter", "open")
    assert len(two.listing(OPEN)) == 0
    assert two.recall("filter") is None
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

    def rows(sql: str, parameters: tuple[object, ...]) -> list[object]:
        reads.append(sql)
        return cache._file.rows(sql, parameters)

    listing = Listing[Conversation](rows, cache._origin, OPEN, newest_first=True)
    assert listing[14_000]
    assert len(reads) == 4
    assert not any("count(*)" in sql or "OFFSET" in sql for sql in reads)
    assert len(listing._runs.nodes) < 10


moves = st.lists(
    st.tuples(st.sampled_from(["bump", "vanish", "new", "change"]), st.integers(0, 400)),
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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
    assert saved == Saved(True, ("4",), False)


async def test_a_page_that_does_not_meet_what_is_held_starts_the_list_again(cache: Cache) -> None:
    await cache.save_head(OPEN, fetched([conversation(2, 2)], cursor="c2"), NOW)
    saved = await cache.save_head(OPEN, fetched([conversation(9, 9)], cursor="c9"), NOW)
    listing = cache.listing(OPEN)
    assert (ids(listing), listing.cursor, saved.restarted) == (["9"], "c9", True)


async def test_the_same_page_again_changes_nothing(cache: Cache) -> None:
    page: list[Value] = [conversation(2, 2), conversation(1, 1)]
    await cache.save_head(OPEN, fetched(page, cursor="c"), NOW)
    assert await cache.save_head(OPEN, fetched(page, cursor="c"), NOW) == Saved(False)


async def test_an_older_page_for_a_cursor_that_is_no_longer_the_lists_is_ignored(
    cache: Cache,
) -> None:
    await cache.save_head(OPEN, fetched([conversation(9, 9)], cursor="c9"), NOW)
    upper = row_of(conversation(5, 5)).key
    await cache.save_older(OPEN, fetched([conversation(4, 4)], upper=upper, cursor="c4"), "c5")
    listing = cache.listing(OPEN)
    assert (ids(listing), listing.cursor) == (["9"], "c9")


async def test_a_listing_gives_a_row_for_every_position_until_it_is_told_to_reload(
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
    await cache.forget(CONVERSATION, "2")
    assert ids(cache.listing(OPEN)) == ids(cache.listing(other)) == ["1"]


def test_a_remembered_word_can_be_recalled_at_once_and_after_a_restart(path: Path) -> None:
    first = Cache(path, "one")
    first.remember("filter", "open")
    assert first.recall("filter") == "open"
    first.close()
    second = Cache(path, "one")
    assert second.recall("filter") == "open"
    assert second.recall("other") is None
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


def test_the_file_is_for_its_owner_only(cache: Cache, path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_open_to_others_is_closed_to_them(path: Path) -> None:
    Cache(path, "one").close()
    path.chmod(0o644)
    Cache(path, "one").close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def assert_usable(cache: Cache) -> None:
    await cache.save_head(OPEN, fetched([conversation(1, 1)], end=True), NOW)
    assert ids(cache.listing(OPEN)) == ["1"]


def foreign_text(path: Path) -> None:
    path.write_text("Dear diary" * 100)


def foreign_database(path: Path) -> None:
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE diary(line)")
    other.commit()
    other.close()


def newer_cache(path: Path) -> None:
    Cache(path, "one").close()
    newer = sqlite3.connect(path)
    newer.execute("PRAGMA user_version=99")
    newer.close()


@pytest.mark.parametrize("make", [foreign_text, foreign_database, newer_cache])
async def test_a_file_that_is_not_ours_is_left_alone(
    path: Path, make: Callable[[Path], None]
) -> None:
    path.parent.mkdir()
    make(path)
    before = path.read_bytes()
    cache = Cache(path, "one")
    assert cache.warning
    await assert_usable(cache)
    cache.close()
    assert path.read_bytes() == before
    assert [other.name for other in path.parent.iterdir()] == [path.name]


async def test_a_directory_in_its_place_is_left_alone(path: Path) -> None:
    path.mkdir(parents=True)
    cache = Cache(path, "one")
    assert cache.warning
    await assert_usable(cache)
    cache.close()
    assert path.is_dir()


async def test_an_empty_file_is_used(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    cache = Cache(path, "one")
    assert cache.warning is None
    await assert_usable(cache)
    cache.close()


async def test_a_truncated_cache_is_set_aside_and_built_anew(path: Path) -> None:
    await filled(path)
    os.truncate(path, path.stat().st_size // 2)
    cache = Cache(path, "one")
    assert "set aside" in (cache.warning or "")
    assert len(cache.listing(OPEN)) == 0
    await assert_usable(cache)
    cache.close()
    assert path.with_name("pages-1.db.corrupt-1").exists()


async def filled(path: Path) -> None:
    cache = Cache(path, "one")
    await fill(cache, newest_first([conversation(number, number) for number in range(2_000)]))
    cache.close()


def scribble(path: Path) -> None:
    """Damage everything but the first page."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(random.Random(7).randbytes(path.stat().st_size - 4096))


async def test_a_cache_that_breaks_while_it_is_read_is_set_aside(path: Path) -> None:
    await filled(path)
    scribble(path)
    cache = Cache(path, "one", check_after_seconds=1_000)
    cache.listing(OPEN)
    assert "set aside" in (cache.warning or "")
    await assert_usable(cache)
    cache.close()


async def test_damage_that_no_read_meets_is_found_by_the_check(path: Path) -> None:
    await filled(path)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size - 4096 * 20)
        file.write(random.Random(7).randbytes(4096 * 20))
    cache = Cache(path, "one", check_after_seconds=0)
    for thread in threading.enumerate():
        if thread.name == "cache-check":
            thread.join()
    await assert_usable(cache)
    assert "set aside" in (cache.warning or "")
    cache.close()


async def test_a_second_damaged_file_gets_another_name(path: Path) -> None:
    for _ in range(2):
        await filled(path)
        os.truncate(path, path.stat().st_size // 2)
    Cache(path, "one").close()
    await filled(path)
    os.truncate(path, path.stat().st_size // 2)
    Cache(path, "one").close()
    names = {other.name for other in path.parent.iterdir()}
    assert {"pages-1.db.corrupt-1", "pages-1.db.corrupt-2"} <= names


async def test_a_full_disk_costs_a_warning_and_nothing_else(path: Path) -> None:
    cache = Cache(path, "one")
    cache._file.submit(
        lambda connection: connection.execute("PRAGMA max_page_count=1").fetchall()
    ).result()
    page: list[Value] = [conversation(number, number) for number in range(500, 0, -1)]
    await cache.save_head(OPEN, fetched(page, end=True), NOW)
    assert len(cache.listing(OPEN)) == 500
    assert "Nothing can be saved" in (cache.warning or "")
    await assert_usable(cache)
    cache.close()


async def test_a_directory_that_cannot_be_made_costs_a_warning_and_nothing_else(
    tmp_path: Path,
) -> None:
    (tmp_path / "cache").write_text("in the way")
    cache = Cache(tmp_path / "cache" / "pages-1.db", "one")
    assert cache.warning
    await assert_usable(cache)
    cache.close()


WRITER = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from frontdesk.cache import Cache
from test_cache import NOW, OPEN, conversation, fetched

async def main():
    cache = Cache(Path({path!r}), {origin!r})
    for number in range({rounds}):
        page = [conversation(other, other) for other in range(number + 40, number, -1)]
        await cache.save_head(OPEN, fetched(page, cursor="c"), NOW)
        print(number, flush=True)
    assert cache.warning is None
    cache.close()

asyncio.run(main())
"""


def writer(path: Path, origin: str, rounds: int) -> "subprocess.Popen[str]":
    program = WRITER.format(
        tests=str(Path(__file__).parent), path=str(path), origin=origin, rounds=rounds
    )
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def processes() -> Iterator[list["subprocess.Popen[str]"]]:
    running: list[subprocess.Popen[str]] = []
    yield running
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def test_two_processes_write_into_one_cache_without_errors(
    path: Path, processes: list["subprocess.Popen[str]"]
) -> None:
    processes += [writer(path, "one", 60), writer(path, "one", 60)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    cache = Cache(path, "one")
    held = ids(cache.listing(OPEN))
    cache.close()
    # How far down they hold depends on who was ahead; what they hold is whole, from the newest on.
    assert held == [str(number) for number in range(99, 99 - len(held), -1)]
    by_hand, by_blocks, by_runs = recounted(path)
    assert by_hand == by_blocks == by_runs == len(held) >= 40


def recounted(path: Path) -> tuple[int, int, int]:
    """Entries as they are counted by hand and by both levels of the directory."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    counted = [
        connection.execute(sql).fetchone()[0]
        for sql in (
            "SELECT count(*) FROM entry",
            "SELECT coalesce(sum(count), 0) FROM node WHERE level = 1",
            "SELECT coalesce(sum(count), 0) FROM node WHERE level = 2",
        )
    ]
    connection.close()
    return counted[0], counted[1], counted[2]


def test_a_killed_process_leaves_a_whole_cache_with_all_that_it_had_saved(
    path: Path, processes: list["subprocess.Popen[str]"]
) -> None:
    for _ in range(3):
        process = writer(path, "one", 100_000)
        processes.append(process)
        assert process.stdout is not None
        saved = 0
        while saved < 20:
            saved = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        process.wait()
        cache = Cache(path, "one")
        assert cache.warning is None
        assert int(cache.listing(OPEN)[0].id) >= saved + 40
        cache.close()
        by_hand, by_blocks, by_runs = recounted(path)
        assert by_hand == by_blocks == by_runs > 0


def test_a_place_with_nothing_is_free_and_a_cache_is_ours(path: Path) -> None:
    assert place.state(path) is place.State.FREE
    Cache(path, "one").close()
    assert place.state(path) is place.State.OURS
