"""A cache file with any byte damaged: the viewer continues, with saved or fresh data."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cache.pages import NOW, OPEN, conversation, fetched, fill, message, newest_first, note
from tests.mailbox.inbox import Inbox

from frontdesk.cache import CONTACT, Cache, files, notes_name, thread_name
from frontdesk.cache.eviction import shrink
from frontdesk.inbox.marks import ReadMarks
from frontdesk.mailbox import Mailbox
from frontdesk.wire import Contact, ConversationFilter, Counts, body_of

THREADS = ("1", "2", "3")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with something of everything."""
    path = tmp_path_factory.mktemp("whole") / "pages.db"

    async def make() -> None:
        cache = Cache(path, "one")
        await fill(cache, newest_first([conversation(number, number) for number in range(130)]))
        for id in THREADS:
            base = int(id) * 100
            said = [message(base + number, number) for number in range(60, 0, -1)]
            await cache.save_head(thread_name(id), fetched([*said], cursor="c"), NOW)
            await cache.save_head(notes_name(id), fetched([note(base, 30)], end=True), NOW)
        await cache.save(CONTACT, "1", body_of(Contact(id="1", name="Sheena")))
        await cache.save("counts", "", body_of(Counts(all=3)))
        cache.set_setting("looked at/1", NOW.isoformat())
        cache.close()

    asyncio.run(make())
    return path


async def use(path: Path) -> int:
    """Look at everything and save some, as a session does; how many rows are held at its end."""
    cache = Cache(path, "one", check_after_seconds=1_000)
    mailbox = Mailbox(Inbox, cache)
    try:
        queue = mailbox.conversations(ConversationFilter(status="open"))
        rows = list(queue)
        assert all(queue.position(row.id) is None or row for row in rows[::7])
        for id in THREADS:
            thread = mailbox.thread(id)
            assert len(list(thread)) == len(thread)
            mailbox.notes(id)
        mailbox.contact(conversation(1, 1))
        mailbox.conversations_of("1")
        mailbox.counts(ConversationFilter())
        ReadMarks(mailbox, lambda: NOW).unread_among([conversation(1, 1)])
        for typed in ("hi", "ring ba", "nelson", "a"):
            mailbox.search(typed)
        newer = [conversation(number, number + 5) for number in range(160, 100, -1)]
        await cache.save_head(OPEN, fetched([*newer], cursor="c"), NOW)
        cursor, floor = cache.next_cursor(OPEN)[0], cache.oldest_key(OPEN)
        if cursor is not None and floor is not None:
            older = fetched([conversation(3, 3)], upper=floor, end=True)
            await cache.save_older(OPEN, older, cursor)
        said = [message(100 + number, number) for number in range(90, 40, -1)]
        await cache.save_head(thread_name("1"), fetched([*said], cursor="q"), NOW)
        queue.reload()
        return len(list(queue))
    finally:
        cache.close()


damages = st.tuples(
    st.floats(0, 1, exclude_max=True),
    st.one_of(
        st.binary(min_size=1, max_size=1),
        st.binary(min_size=64, max_size=64),
        st.just(bytes(4096)),
        st.none(),
    ),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(damage=damages)
async def test_no_damage_ends_a_session(
    tmp_path_factory: pytest.TempPathFactory,
    whole: Path,
    damage: tuple[float, bytes | None],
) -> None:
    path = tmp_path_factory.mktemp("cache") / "pages.db"
    place, instead = damage
    before = whole.read_bytes()
    at = int(place * len(before))
    rest = b"" if instead is None else instead + before[at + len(instead) :]
    path.write_bytes(before[:at] + rest)
    assert await use(path) >= 0
    # Whatever was found, or was not, is settled: the next start goes on.
    assert await use(path) >= 0


async def test_a_value_that_cannot_be_read_has_the_file_begun_again(
    path: Path, whole: Path
) -> None:
    path.parent.mkdir()
    name = b'"name":"Sheena Nelson"'
    path.write_bytes(whole.read_bytes().replace(name, b'"name";"Sheena Nelson"'))
    cache = Cache(path, "one", check_after_seconds=1_000)
    assert [row.id for row in cache.listing(OPEN)][:2] == ["", ""]
    cache.close()
    assert "deleted" in (cache.warning or "")


async def test_a_search_index_that_is_none_ends_no_session(path: Path, whole: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE found_config SET v = 0 WHERE k = 'version'")
    assert await use(path) >= 0


@pytest.mark.parametrize("count", [2.5, 3.0, 1e300, -1, 10**12, "many", b"7"])
async def test_a_count_that_is_none_ends_no_session(path: Path, whole: Path, count: object) -> None:
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE node SET count = ? WHERE level = 2", (count,))
    assert await use(path) >= 0
    assert await use(path) >= 0


async def test_no_sound_cache_is_found_damaged(path: Path, whole: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    assert not files.damaged(files.address_of(path))
    await use(path)
    assert not files.damaged(files.address_of(path))
    with closing(files.writer(files.address_of(path))) as connection:
        while shrink(connection, ()):
            assert not files.damaged(files.address_of(path))


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE node SET count = 'many'",
        "UPDATE node SET count = count + 1 WHERE level = 1",
        "UPDATE entry SET kind = 'message' || kind",
        "UPDATE entry SET size = 'x'",
        "UPDATE list SET fetched_at = 1e30",
        "UPDATE object SET body = x'ff' || body",
        "UPDATE said SET sort = x'00'",
        "DELETE FROM node",
        "DELETE FROM list",
    ],
)
def test_rows_that_no_cache_has_are_damage(path: Path, whole: Path, harm: str) -> None:
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(harm)
    assert files.damaged(files.address_of(path))


def test_a_page_of_a_file_that_nothing_uses_is_damage(path: Path, whole: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(whole.read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DELETE FROM sqlite_master WHERE name = 'said_by_time'")
    assert files.damaged(files.address_of(path))
