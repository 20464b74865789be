"""The cache file against other processes, other owners, full disks and damage."""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.cache.pages import (
    NOW,
    OPEN,
    Value,
    conversation,
    fetched,
    fill,
    ids,
    newest_first,
)
from tests.patience import HANG_SECONDS

from frontdesk.cache import CONTACT, Cache, files
from frontdesk.cache.connection import CacheFile
from frontdesk.system import private_files


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


@pytest.mark.parametrize(
    ("module", "step"),
    [
        (files, "has_wal"),
        (private_files, "close_to_others"),
        (files, "address_of"),
        (files, "reader"),
    ],
)
async def test_a_file_may_be_removed_at_any_step_of_opening_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str
) -> None:
    """Another process clears the cache."""
    Cache(path, "one").close()
    take, taken = getattr(module, step), []

    def removing(where: Path | str) -> Any:
        if path.name in str(where) and not taken:
            taken.append(step)
            files.remove(path)
        return take(where)

    monkeypatch.setattr(module, step, removing)
    cache = Cache(path, "one")
    assert taken == [step]
    assert cache.warning is None
    await assert_usable(cache)
    cache.close()


@pytest.mark.parametrize("look", [1, 2])
async def test_two_that_start_at_once_after_an_upgrade_have_one_cache(
    path: Path, monkeypatch: pytest.MonkeyPatch, look: int
) -> None:
    """The other one makes the file anew, once this one has found it to be older."""
    Cache(path, "one").close()
    with closing(sqlite3.connect(path)) as older:
        older.execute(f"PRAGMA user_version={files.LAYOUT - 1}")
    state, others, looks = files.state, list[Cache](), list[Path]()

    def found(looked: Path, *arguments: int) -> files.FileState:
        verdict = state(looked, *arguments)
        if looked == path:
            looks.append(looked)
        if len(looks) == look and not others:
            assert verdict is files.FileState.OLDER
            monkeypatch.setattr(files, "state", state)
            others.append(Cache(path, "one"))
        return verdict

    monkeypatch.setattr(files, "state", found)
    cache = Cache(path, "one")
    (other,) = others
    await other.save_head(OPEN, fetched([conversation(1, 1)], end=True), NOW)
    assert ids(other.listing(OPEN)) == ids(cache.listing(OPEN)) == ["1"]
    assert (other.warning, cache.warning) == (None, None)
    other.close()
    cache.close()


async def test_a_file_that_is_removed_before_the_first_write_is_made_anew(path: Path) -> None:
    cache = Cache(path, "one")
    files.remove(path)
    await assert_usable(cache)
    assert (cache.warning, cache.persistent) == (None, True)
    cache.close()
    again = Cache(path, "one")
    assert ids(again.listing(OPEN)) == ["1"]
    again.close()


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
    assert {other.name for other in path.parent.iterdir()} == {path.name, "state.db"}


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


async def test_a_truncated_cache_is_deleted_and_begun_again(path: Path) -> None:
    await filled(path)
    os.truncate(path, path.stat().st_size // 2)
    cache = Cache(path, "one")
    assert "deleted" in (cache.warning or "")
    assert len(cache.listing(OPEN)) == 0
    await assert_usable(cache)
    cache.close()
    assert not files.set_aside(path)


async def filled(path: Path) -> None:
    cache = Cache(path, "one")
    await fill(cache, newest_first([conversation(number, number) for number in range(2_000)]))
    cache.close()


def scribble(path: Path) -> None:
    """Damage everything but the first page."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(random.Random(7).randbytes(path.stat().st_size - 4096))


async def test_a_cache_that_breaks_while_it_is_read_is_deleted_and_begun_again(path: Path) -> None:
    await filled(path)
    scribble(path)
    cache = Cache(path, "one", check_after_seconds=1_000)
    cache.listing(OPEN)
    assert "deleted" in (cache.warning or "")
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
    assert "deleted" in (cache.warning or "")
    cache.close()


async def test_a_full_disk_costs_a_warning_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Cache(path, "one")
    await first.save_head(OPEN, fetched([conversation(501, 501)], cursor="c"), NOW)
    first.set_setting("filter", "open")
    first.close()
    writer = files.writer

    def full(address: str) -> sqlite3.Connection:
        connection = writer(address)
        if not files.is_memory(address):
            connection.execute("PRAGMA max_page_count=1").fetchall()
        return connection

    monkeypatch.setattr(files, "writer", full)
    cache = Cache(path, "one")
    page: list[Value] = [conversation(number, number) for number in range(501, 0, -1)]
    await cache.save_head(OPEN, fetched(page, end=True), NOW)
    assert len(cache.listing(OPEN)) == 501
    assert "Nothing can be saved" in (cache.warning or "")
    # What was held before goes on in memory, and can be searched there.
    assert cache.get_setting("filter") == "open"
    assert len(cache.search("sheena", limit=1000)) == 501
    cache.close()
    later = Cache(path, "one")
    assert ids(later.listing(OPEN)) == ["501"]
    later.close()


READ_ONLY = """
import asyncio, os, sys
from pathlib import Path
sys.path.insert(0, {root!r})
from frontdesk.cache import Cache
import frontdesk.cache.rows, frontdesk.cache.search
from tests.cache.pages import NOW, OPEN, conversation, fetched, ids

# Modules that are first imported when a value is read may be out of reach of nobody.
newer = fetched([conversation(9_000, 9_000)], cursor="c")
type(conversation(1, 1)).model_validate_json(*newer.bodies.values())
if os.geteuid() == 0:
    os.setuid(65534)

async def main():
    cache = Cache(Path({path!r}), "one")
    assert "Nothing can be saved" in cache.warning, cache.warning
    assert len(cache.listing(OPEN)) == 2_000
    assert cache.search("sheena", limit=1)
    await cache.save_head(OPEN, newer, NOW)
    assert ids(cache.listing(OPEN)) == ["9000"]
    cache.close()

asyncio.run(main())
"""


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that everybody may look into, as those of tests are not."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


def test_a_cache_on_a_disk_that_cannot_be_written_is_read(open_directory: Path) -> None:
    path = open_directory / "pages.db"
    asyncio.run(filled(path))
    before = path.read_bytes()
    path.chmod(0o444)
    open_directory.chmod(0o555)
    program = READ_ONLY.format(root=str(Path(__file__).parents[2]), path=str(path))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == before


async def test_wal_and_shm_files_are_private_to_their_owner(cache: Cache, path: Path) -> None:
    await cache.save(CONTACT, "1", b"{}")
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]
    assert [stat.S_IMODE(one.stat().st_mode) for one in beside] == [0o600, 0o600]


async def test_a_cache_of_an_older_layout_is_deleted_and_begun_again(path: Path) -> None:
    await filled(path)
    older = sqlite3.connect(path)
    older.execute("PRAGMA user_version=1")
    older.close()
    cache = Cache(path, "one")
    assert cache.warning is None
    assert len(cache.listing(OPEN)) == 0
    await assert_usable(cache)
    cache.close()
    assert not files.set_aside(path)


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
sys.path.insert(0, {root!r})
from frontdesk.cache import Cache
from tests.cache.pages import NOW, OPEN, conversation, fetched

async def main():
    cache = Cache(Path({path!r}), {origin!r})
    for number in range({rounds}):
        page = [conversation(other, other) for other in range(number + 40, number, -1)]
        await cache.save_head(OPEN, fetched(page, cursor="c"), NOW)
        print(number, flush=True)
    assert cache.warning is None, cache.warning
    cache.close()

asyncio.run(main())
"""


def writer(path: Path, origin: str, rounds: int) -> "subprocess.Popen[str]":
    program = WRITER.format(
        root=str(Path(__file__).parents[2]), path=str(path), origin=origin, rounds=rounds
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
    # The words that are found are those of what is held.
    connection.execute("INSERT INTO found(found, rank) VALUES ('integrity-check', 1)")
    unsaid = "SELECT count(*) FROM object LEFT JOIN said USING (number) WHERE said.text IS NULL"
    assert connection.execute(unsaid).fetchone()[0] == 0
    apart = "SELECT count(*) FROM entry LEFT JOIN object ON number = object WHERE number IS NULL"
    assert connection.execute(apart).fetchone()[0] == 0
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
    assert files.state(path) is files.FileState.FREE
    Cache(path, "one").close()
    assert files.state(path) is files.FileState.OURS


@pytest.mark.parametrize("bug", [KeyError, TypeError, ValueError, ZeroDivisionError])
async def test_a_bug_is_no_damage(path: Path, bug: type[Exception]) -> None:
    await filled(path)
    cache = CacheFile(path, lambda connection, *, in_memory: False, check_after_seconds=1_000)

    def faulty(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM entry")
        raise bug("a bug")

    with pytest.raises(bug, match="a bug"):
        cache.submit(faulty).result()
    with pytest.raises(bug, match="a bug"):
        cache.recover(bug("a bug"), cache.generation)
    assert cache.warning is None
    assert cache.rows("SELECT count(*) FROM entry") == [(2_000,)]
    cache.close()


async def test_what_housekeeping_meets_in_a_damaged_file_is_no_bug(path: Path) -> None:
    def faulty(connection: sqlite3.Connection, *, in_memory: bool) -> bool:
        connection.execute("SELECT 1 FROM entry")
        raise TypeError("a bug")

    await filled(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE object SET body = 'no JSON' WHERE id = '7'")
    cache = CacheFile(path, faulty)
    while cache.warning is None:
        cache.submit(lambda connection: None).result()
    assert "damaged" in cache.warning
    assert cache.rows("SELECT count(*) FROM object WHERE body = 'no JSON'") == [(0,)]
    cache.close()


async def test_a_bug_of_housekeeping_is_told_to_the_next_job(path: Path) -> None:
    def faulty(connection: sqlite3.Connection, *, in_memory: bool) -> bool:
        tidied.set()
        raise KeyError("a bug")

    tidied = threading.Event()
    cache = CacheFile(path, faulty)
    cache.submit(lambda connection: None).result()
    assert tidied.wait(HANG_SECONDS)

    def work_on() -> None:
        while True:
            cache.submit(lambda connection: None).result()

    with pytest.raises(KeyError, match="a bug"):
        work_on()
    assert cache.warning is None
    cache.close()
