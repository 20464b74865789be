"""What a person did here outlives the cache: views, marks and settings in a file of their own."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.cache.pages import NOW, OPEN, conversation, fetched

from frontdesk.cache import Cache

VIEWS = "inbox.views"


@pytest.fixture
def state(path: Path) -> Path:
    return path.with_name("state.db")


def setting(path: Path, name: str = VIEWS) -> str | None:
    cache = Cache(path, "one")
    value = cache.get_setting(name)
    cache.close()
    return value


def with_views(path: Path) -> None:
    cache = Cache(path, "one")
    cache.set_setting(VIEWS, "[mine]")
    cache.close()


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:2048])


def age(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version=1")


@pytest.mark.parametrize("change", [Path.unlink, damage, age])
def test_settings_outlive_the_cache(path: Path, change: object) -> None:
    with_views(path)
    assert callable(change)
    change(path)
    assert setting(path) == "[mine]"


async def test_settings_outlive_a_job_that_has_the_cache_rebuilt(path: Path) -> None:
    cache = Cache(path, "one")
    cache.set_setting(VIEWS, "[mine]")
    await cache.save_head(OPEN, fetched([conversation(1, 1)], end=True), NOW)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE node SET count = 'many'")
    await cache.save_head(OPEN, fetched([conversation(2, 2)], end=True), NOW)
    assert cache.get_setting(VIEWS) == "[mine]"
    cache.close()
    assert setting(path) == "[mine]"


def test_a_setting_is_seen_by_another_process_at_once(path: Path) -> None:
    one, other = Cache(path, "one"), Cache(path, "one")
    assert other.get_setting(VIEWS) is None
    one.set_setting(VIEWS, "[mine]")
    assert other.get_setting(VIEWS) == "[mine]"
    one.set_setting(VIEWS, "[all]")
    assert other.settings_with("[all]") == [VIEWS]
    assert other.get_setting(VIEWS) == "[all]"
    one.close()
    other.close()


def test_settings_of_an_earlier_version_move_over_once(path: Path, state: Path) -> None:
    Cache(path, "one").close()
    with_views(path)
    with closing(sqlite3.connect(state)) as connection:
        (origin,) = connection.execute("SELECT DISTINCT origin FROM setting").fetchone()
    state.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = [(origin, VIEWS, "[old]"), (origin, "filled/7", "x"), (origin, "looked at/7", "y")]
        connection.executemany("INSERT INTO memory VALUES (?, ?, ?)", rows)
    age(path)
    assert setting(path) == "[old]"
    assert setting(path, "looked at/7") == "y"
    assert setting(path, "filled/7") is None
    with_views(path)
    assert setting(path) == "[mine]"


def test_of_a_damaged_file_what_can_be_read_is_kept(path: Path, state: Path) -> None:
    cache = Cache(path, "one")
    for number in range(2_000):
        cache.set_setting(f"looked at/{number:04}", "2026-03-14T09:26:53.000Z 1")
    cache.close()
    content = state.read_bytes()
    state.write_bytes(content[:-4096] + bytes(4096))
    for place in range(len(content) // 2, len(content) // 2 + 4096):
        content = content[:place] + b"\xff" + content[place + 1 :]
    state.write_bytes(content)
    cache = Cache(path, "one")
    first = cache.get_setting("looked at/0000")
    cache.settings_with("nothing")
    cache.set_setting(VIEWS, "[mine]")
    cache.close()
    assert first is not None
    assert setting(path) == "[mine]"


def test_a_file_that_is_cut_off_is_set_aside_and_begun_again(path: Path, state: Path) -> None:
    with_views(path)
    damage(state)
    cache = Cache(path, "one")
    assert "set aside as state.db.corrupt-1" in (cache.warning or "")
    cache.set_setting(VIEWS, "[all]")
    cache.close()
    assert setting(path) == "[all]"


@pytest.mark.parametrize("content", [b"Dear diary" * 100, None])
def test_a_file_that_is_not_ours_is_left_alone(
    path: Path, state: Path, content: bytes | None
) -> None:
    with_views(path)
    if content is None:
        with closing(sqlite3.connect(state)) as connection:
            connection.execute("PRAGMA user_version=99")
    else:
        state.write_bytes(content)
    before = state.read_bytes()
    cache = Cache(path, "one")
    assert "last for this session only" in (cache.warning or "")
    cache.set_setting(VIEWS, "[other]")
    assert cache.get_setting(VIEWS) == "[other]"
    cache.close()
    assert state.read_bytes() == before


def without_utf8(connection: sqlite3.Connection) -> None:
    """The name of a table in the schema is text of the file that SQLite quotes in its messages."""
    connection.execute("UPDATE sqlite_schema SET sql = CAST(x'ff' || sql AS TEXT)")


def without_pages(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE sqlite_schema SET rootpage = 1 WHERE type = 'index'")


@pytest.mark.parametrize("harm", [without_utf8, without_pages])
@pytest.mark.parametrize("first", ["get", "set"])
def test_damage_while_it_is_used_costs_a_warning_and_no_setting_that_was_read(
    path: Path, state: Path, harm: Callable[[sqlite3.Connection], None], first: str
) -> None:
    with_views(path)
    cache = Cache(path, "one")
    assert cache.get_setting(VIEWS) == "[mine]"
    with closing(sqlite3.connect(state)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        harm(connection)
        connection.execute("PRAGMA schema_version = 999")
    if first == "get":
        cache.settings_with("[mine]")
        assert cache.get_setting(VIEWS) == "[mine]"
    cache.set_setting("inbox.theme", "light")
    assert cache.get_setting("inbox.theme") == "light"
    assert cache.get_setting(VIEWS) == "[mine]"
    assert "set aside" in (cache.warning or "")
    cache.close()
    assert setting(path) == "[mine]"


def test_a_header_that_breaks_while_it_is_used_is_no_failure(path: Path, state: Path) -> None:
    with_views(path)
    cache = Cache(path, "one")
    assert cache.get_setting(VIEWS) == "[mine]"
    content = state.read_bytes()
    state.write_bytes(b"\xff" * 100 + content[100:])
    assert cache.get_setting(VIEWS) == "[mine]"
    cache.set_setting(VIEWS, "[all]")
    assert cache.get_setting(VIEWS) == "[all]"
    cache.close()


def test_the_file_is_for_its_owner_only(path: Path, state: Path) -> None:
    with_views(path)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600


def test_settings_are_found_by_the_beginning_of_their_names(path: Path) -> None:
    cache, other = Cache(path, "one"), Cache(path, "two")
    for name, value in (("a/2", "x"), ("a/10", "y"), ("a/3", ""), ("b/1", "z"), ("a", "w")):
        cache.set_setting(name, value)
    other.set_setting("a/4", "v")
    assert cache.settings_beginning_with("a/") == {"10": "y", "2": "x"}
    cache.close()
    other.close()


def moved(path: Path, state: Path, name: str = VIEWS) -> str | None:
    cache = Cache(path, "one", state_path=state)
    value = cache.get_setting(name)
    cache.close()
    return value


def test_a_file_beside_the_cache_moves_to_its_own_directory(path: Path, state: Path) -> None:
    with_views(path)
    elsewhere = path.parent / "state" / "state.db"
    assert moved(path, elsewhere) == "[mine]"
    assert not state.exists()
    assert moved(path, elsewhere) == "[mine]"
    path.unlink()
    assert moved(path, elsewhere) == "[mine]"


def test_what_is_known_in_the_new_place_is_newer(path: Path, state: Path) -> None:
    elsewhere = path.parent / "state" / "state.db"
    cache = Cache(path, "one", state_path=elsewhere)
    cache.set_setting(VIEWS, "[newer]")
    cache.close()
    before = Cache(path, "one")
    before.set_setting(VIEWS, "[older]")
    before.set_setting("theme", "dark")
    before.close()
    assert moved(path, elsewhere) == "[newer]"
    assert moved(path, elsewhere, "theme") == "dark"
    assert not state.exists()


def test_a_file_that_cannot_be_moved_stays(path: Path, state: Path) -> None:
    with_views(path)
    elsewhere = path.parent / "state"
    elsewhere.write_text("no directory")
    assert moved(path, elsewhere / "state.db") is None
    assert setting(path) == "[mine]"
    assert state.exists()


def test_a_file_of_another_program_beside_the_cache_is_left_alone(path: Path, state: Path) -> None:
    state.parent.mkdir(parents=True, exist_ok=True)
    state.write_bytes(b"SQLite format 3\0 but another's")
    elsewhere = path.parent / "state" / "state.db"
    assert moved(path, elsewhere) is None
    assert state.read_bytes().endswith(b"another's")
