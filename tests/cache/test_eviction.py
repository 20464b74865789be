"""Size limit of the cache: the least recently read is evicted, what is shown stays."""

import asyncio
import random
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

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
    shrunk,
    written,
)

from frontdesk.cache import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Cache,
    Listing,
    ListName,
    notes_name,
    thread_name,
)
from frontdesk.cache.eviction import CacheSizeLimit
from frontdesk.wire import Contact, Conversation, Message, Note, body_of


class Clock:
    """Moves a minute each time it is read."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        self.now += timedelta(minutes=1)
        return self.now


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    cache = Cache(path, "one", clock=Clock())
    yield cache
    cache.close()


async def room_made(cache: Cache) -> None:
    """Wait until a contact has gone, which goes last; room is made while nothing is written."""
    while cache.body(CONTACT, "1"):  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def hold_thread(cache: Cache, conversation_id: str, size: int = 3) -> None:
    base = int(conversation_id) * 1000
    page: list[Value] = [message(base + number, number) for number in range(size, 0, -1)]
    await cache.save_head(thread_name(conversation_id), fetched(page, end=True), NOW)
    own: list[Value] = [note(base, 2)]
    await cache.save_head(notes_name(conversation_id), fetched(own, end=True), NOW)


def thread(cache: Cache, conversation_id: str) -> Listing[Message | Note]:
    return cache.listing(thread_name(conversation_id), newest_first=False)


async def test_the_thread_that_was_not_read_for_longest_goes_first_and_whole(
    cache: Cache, path: Path
) -> None:
    for id in "123":
        await hold_thread(cache, id)
    assert len(thread(cache, "1")) == len(thread(cache, "3")) == 4
    assert await shrunk(cache, path)
    assert [len(thread(cache, id)) for id in "123"] == [4, 0, 4]
    assert cache.count(MESSAGE) == 6
    assert {hit.conversation_id for hit in cache.search("hi", limit=50)} == {"1", "3"}
    assert len(cache.listing(notes_name("2"))) == 0


async def test_eviction_respects_read_times_from_before_a_restart(path: Path) -> None:
    clock = Clock()
    first = Cache(path, "one", clock=clock)
    for id in "12":
        await hold_thread(first, id)
    thread(first, "1")
    first.close()
    second = Cache(path, "one", clock=clock)
    await shrunk(second, path)
    assert [len(thread(second, id)) for id in "12"] == [4, 0]
    second.close()


async def test_rows_on_screen_are_never_evicted(path: Path) -> None:
    cache = Cache(path, "one", limit_bytes=1, clock=Clock())
    shown, queue = thread(cache, "1"), cache.listing(OPEN)
    await fill(cache, newest_first([conversation(number, number) for number in range(200)]))
    for id in "123":
        await hold_thread(cache, id)
    other = ListName("conversations?", CONVERSATION)
    await cache.save_head(other, fetched([conversation(900, 900)], cursor="c"), NOW)
    await cache.save(CONTACT, "1", body_of(Contact(id="1", name="Sheena")))
    await room_made(cache)
    shown.reload()
    queue.reload()
    assert (len(shown), len(queue)) == (4, 200)
    assert cache.count(MESSAGE) == 3
    assert cache.body(CONVERSATION, "900") is None
    cache.close()
    cache = Cache(path, "one", limit_bytes=1, clock=Clock())
    shown = thread(cache, "1")
    await cache.save(CONTACT, "1", body_of(Contact(id="1", name="Sheena")))
    await room_made(cache)
    shown.reload()
    assert len(shown) == 4
    # The conversation of the thread that is shown.
    assert cache.count(CONVERSATION) == 1
    cache.close()


async def test_a_list_without_its_tail_is_shorter_and_goes_on_with_its_cursor(
    cache: Cache, path: Path
) -> None:
    values = newest_first([conversation(number, number) for number in range(500)])
    await fill(cache, values)
    assert cache.listing(OPEN).complete
    await shrunk(cache, path)
    listing: Listing[Conversation] = cache.listing(OPEN)
    assert list(listing) == values[:50]
    assert (listing.cursor, listing.complete) == ("after 50", False)
    rest: list[Value] = list(values[50:])
    floor = cache.oldest_key(OPEN)
    assert floor is not None
    await cache.save_older(OPEN, fetched(rest, upper=floor, end=True), "after 50")
    listing.reload()
    assert list(listing) == values


async def test_a_long_tail_goes_in_small_steps(cache: Cache, path: Path) -> None:
    await fill(cache, newest_first([conversation(number, number) for number in range(3_000)]))
    lengths = []
    for _ in range(2):
        await shrunk(cache, path)
        lengths.append(len(cache.listing(OPEN)))
    # The conversations that no list shows any more go before the next part of the tail.
    assert lengths == [950, 950]
    assert cache.count(CONVERSATION) == 2_500
    await shrunk(cache, path, 4)
    assert cache.count(CONVERSATION) == 950


async def test_objects_outside_lists_are_evicted_last(cache: Cache, path: Path) -> None:
    await cache.save(CONTACT, "1", body_of(Contact(id="1", name="Sheena")))
    await hold_thread(cache, "1")
    assert await shrunk(cache, path)
    assert cache.body(CONTACT, "1")
    assert await shrunk(cache, path)
    assert cache.body(CONTACT, "1") is None
    assert not await shrunk(cache, path)


async def test_a_cache_below_its_limit_is_left_alone(cache: Cache, path: Path) -> None:
    await hold_thread(cache, "1")
    bound = CacheSizeLimit(10**9, set)
    assert not written(path, bound.step)
    assert len(thread(cache, "1")) == 4


async def test_a_cache_that_is_written_for_long_stays_near_its_limit(path: Path) -> None:
    limit = 300_000
    cache = Cache(path, "one", limit_bytes=limit, clock=Clock())
    for number in range(450):
        await hold_thread(cache, str(number), size=20)
    held = cache.count(MESSAGE)
    cache.close()
    connection = sqlite3.connect(path)
    pages, free, size = (
        connection.execute(f"PRAGMA {what}").fetchone()[0]
        for what in ("page_count", "freelist_count", "page_size")
    )
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.execute("INSERT INTO found(found, rank) VALUES ('integrity-check', 1)")
    connection.close()
    # It is looked at after every two hundred writes, which add some 900,000 bytes.
    assert (pages - free) * size < limit + 1_000_000
    assert 0 < held < 450 * 20 / 2


async def test_room_that_is_not_needed_is_given_back(path: Path) -> None:
    cache = Cache(path, "one", clock=Clock())
    await fill(cache, newest_first([conversation(number, number) for number in range(12_000)]))
    cache.close()
    before = path.stat().st_size
    cache = Cache(path, "one", limit_bytes=100_000, clock=Clock())
    bound = CacheSizeLimit(100_000, set)
    while written(path, bound.step):
        continue
    cache.close()
    assert path.stat().st_size < before / 2


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
async def test_whatever_is_dropped_when_every_list_is_whole_down_to_its_cursor(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    chance = random.Random(seed)
    path = tmp_path_factory.mktemp("cache") / "pages.db"
    cache = Cache(path, "one", clock=Clock())
    server = {number: conversation(number, number) for number in range(300)}
    await fill(cache, newest_first(list(server.values())))
    clock = 1_000
    for _ in range(4):
        for number in chance.sample(sorted(server), 5):
            clock += 1
            server[number] = conversation(number, clock)
        listed = newest_first(list(server.values()))
        head: list[Value] = list(listed[:30])
        await cache.save_head(OPEN, fetched(head, cursor="after 30"), NOW)
        if chance.random() < 0.6:
            await shrunk(cache, path)
        listing: Listing[Conversation] = cache.listing(OPEN)
        held = len(listing)
        del listing
        assert ids(cache.listing(OPEN)) == [value.id for value in listed[:held]]
    cache.close()
