"""`frontdesk cache`: statistics by server, and clearing."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cache.pages import NOW, OPEN, conversation, fetched, message

from frontdesk.cache import CONVERSATION, MESSAGE, Cache, thread_name
from frontdesk.cache.kept_files import KeptFiles, usage
from frontdesk.cli.config import cache_limit_bytes
from frontdesk.cli.main import frontdesk
from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.settings import DEFAULTS_OF_VIEWER
from frontdesk.system import environment

SHOP, DESK = "https://shop.example/v1", "https://desk.example/v1"
SECRET = "5ec12e7c0ffee000"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return environment.cache_file()


def hold(path: Path, origin: str, *ids: int, read_at: datetime = NOW) -> None:
    """Have seen these conversations, each with a message, at a moment."""

    async def see() -> None:
        cache = Cache(path, origin, clock=lambda: read_at)
        page = fetched([conversation(id, id) for id in sorted(ids, reverse=True)], end=True)
        await cache.save_head(OPEN, page, read_at)
        for id in ids:
            await cache.save_head(
                thread_name(str(id)), fetched([message(id, id)], end=True), read_at
            )
        cache.set_setting("filter", "open")
        cache.close()

    asyncio.run(see())


def held(path: Path, origin: str) -> tuple[int, int]:
    cache = Cache(path, origin)
    counts = cache.count(CONVERSATION), cache.count(MESSAGE)
    cache.close()
    return counts


def run(*words: str) -> Result:
    return CliRunner().invoke(frontdesk, ["cache", *words])


def done(*words: str) -> str:
    result = run(*words)
    assert result.exception is None, result.output
    return result.output


def test_info_lists_what_is_cached_by_server_and_shows_no_key(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 1, 2)
    hold(path, f"{DESK} {SECRET}", 3)
    output = done("info")
    assert f"{path}: " in output
    assert "of at most 512.0 MB" in output
    shop = next(line for line in output.splitlines() if line.startswith(SHOP))
    assert shop.split()[3:] == [
        *("2", "2", "0", "0", "2026-03-14", "09:26Z", "2026-03-14", "09:26Z"),
        *("2026-03-14", "09:30Z"),
    ]
    assert DESK in output
    assert SECRET not in output
    assert SECRET.encode() not in path.read_bytes()


def test_info_says_the_configured_limit(path: Path, configuration_home: Path) -> None:
    configuration_home.mkdir(parents=True)
    (configuration_home / "config.toml").write_text("[viewer]\ncache_mb = 7\n")
    assert "of at most 7.0 MB" in done("info")


def test_info_of_no_cache_says_where_it_would_be(path: Path) -> None:
    assert str(path) in done("info")
    assert not path.exists()


def test_clear_removes_the_file_and_what_was_set_aside(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 1)
    path.with_name("pages.db.corrupt-1").write_bytes(b"damaged")
    assert "corrupt-1" in done("info")
    done("clear", "--yes")
    assert [other.name for other in path.parent.iterdir()] == ["state.db"]


def test_a_cache_in_use_is_emptied_in_its_place(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 1)
    open_now = Cache(path, f"{SHOP} {SECRET}")
    assert len(open_now.listing(OPEN)) == 1
    done("clear", "--yes")
    assert len(open_now.listing(OPEN)) == 0
    # What no server knows is not part of the cache.
    assert open_now.get_setting("filter") == "open"
    asyncio.run(open_now.save_head(OPEN, fetched([conversation(5, 5)], end=True), NOW))
    assert open_now.warning is None
    open_now.close()
    assert held(path, f"{SHOP} {SECRET}") == (1, 0)


def test_clear_can_be_for_one_server_and_leaves_no_trace(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 77001)
    hold(path, f"{DESK} {SECRET}", 77002)
    done("clear", "--server", SHOP, "--yes")
    assert held(path, f"{SHOP} {SECRET}") == (0, 0)
    assert held(path, f"{DESK} {SECRET}") == (1, 1)
    assert b"77001" not in path.read_bytes()
    assert SHOP not in done("info")


def test_clear_can_be_for_what_was_not_read_for_long(path: Path) -> None:
    now = datetime.now(UTC)
    hold(path, f"{SHOP} {SECRET}", 1, 2, read_at=now - timedelta(days=40))
    hold(path, f"{DESK} {SECRET}", 3, read_at=now - timedelta(days=3))
    done("clear", "--older-than", "30d", "--yes")
    assert held(path, f"{SHOP} {SECRET}") == (0, 0)
    assert held(path, f"{DESK} {SECRET}") == (1, 1)


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ((), set()),
        (("--server", SHOP), {DESK}),
        (("--server", SHOP, "--older-than", "30d"), {SHOP, DESK}),
        (("--older-than", "30d"), {SHOP, DESK}),
    ],
)
def test_clear_removes_files_of_messages_unless_it_is_for_what_was_not_read(
    path: Path, options: tuple[str, ...], left: set[str]
) -> None:
    directories = {name: environment.media_directory(path, name) for name in (SHOP, DESK)}
    for name, directory in directories.items():
        hold(path, f"{name} {SECRET}", 1, read_at=datetime.now(UTC) - timedelta(days=40))
        with KeptFiles(directory, most_bytes=1_000).writing("photo", preview=False) as file:
            file.write(b"a photo")
    done("clear", "--yes", *options)
    assert {name for name in directories if usage(directories[name]) == (1, 7)} == left
    assert usage(environment.media_directory(path)) == (len(left), 7 * len(left))


def test_clear_asks_or_wants_to_be_sure(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 1)
    result = run("clear")
    assert result.exit_code == 2
    assert "--yes" in result.output
    assert held(path, f"{SHOP} {SECRET}") == (1, 1)


def test_a_server_that_is_not_there_is_reported_with_those_that_are(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", 1)
    result = run("clear", "--server", "nobody", "--yes")
    assert isinstance(result.exception, BadSettings)
    assert SHOP in str(result.exception)


def test_where_nothing_is_kept_nothing_old_is_removed(path: Path) -> None:
    assert done("clear", "--older-than", "30d", "--yes") == "0 B freed\n"
    assert not path.exists()


@pytest.mark.parametrize("time", ["", "30", "d", "-1d", "1.5d", "30m", "999999w"])
def test_a_time_that_is_none_is_refused_with_what_is_one(path: Path, time: str) -> None:
    result = run("clear", "--older-than", time, "--yes")
    assert isinstance(result.exception, BadSettings)


def test_a_file_that_is_not_a_cache_is_refused_and_left_unchanged(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("Dear diary")
    for words in (("info",), ("clear", "--yes")):
        assert isinstance(run(*words).exception, UnusableFile)
    assert path.read_text() == "Dear diary"


def test_a_damaged_cache_can_be_cleared(path: Path) -> None:
    hold(path, f"{SHOP} {SECRET}", *range(1, 60))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    assert isinstance(run("info").exception, UnusableFile)
    done("clear", "--yes")
    assert not path.exists()


@pytest.mark.parametrize(("said", "limit"), [("", 512_000_000), ("7", 7_000_000)])
def test_the_environment_says_how_big_the_cache_may_grow(
    said: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_CACHE_MB", said)
    assert cache_limit_bytes(DEFAULTS_OF_VIEWER) == limit


@pytest.mark.parametrize("said", ["0", "-5", "many", "1e3", "99999999999999999999"])
def test_a_limit_that_is_no_number_of_megabytes_is_refused(
    said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FRONTDESK_CACHE_MB", said)
    with pytest.raises(BadSettings, match="FRONTDESK_CACHE_MB"):
        cache_limit_bytes(DEFAULTS_OF_VIEWER)
