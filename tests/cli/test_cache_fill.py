"""`frontdesk cache fill` on a service: what it says, interrupted, twice at once, on a full disk."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from servers import serving_once, wait_until
from tests.built_once import built_once
from tests.commands import Ended, run_command
from tests.conftest import NOW_MILLISECONDS

from frontdesk.cache import Cache
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.cli.exit_codes import DONE, INTERRUPTED, USAGE
from frontdesk.cli.target import origin_of
from frontdesk.sample.demo import add_demo
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.system.environment import cache_file

# Open conversations of the first part of the sample.
OPEN = 20
# Too little for all of their threads, enough for an empty cache.
SMALL_DISK_BYTES = 300_000


def make_newest(path: Path) -> None:
    path.unlink(missing_ok=True)
    database = SQLiteDatabase(path, create=True, durable=False)
    next(add_demo(database, now=NOW_MILLISECONDS))
    database.close()


@pytest.fixture(scope="module")
def newest_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest conversations of the sample alone."""
    built = built_once(tmp_path_factory, "newest.db", make_newest)
    return Path(shutil.copy(built, tmp_path_factory.mktemp("newest") / "inbox.db"))


@pytest.fixture(scope="module")
def newest_key(newest_file: Path) -> str:
    return str(make_key(newest_file, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])


class Filling:
    """The program on a service, and what the cache has of it."""

    def __init__(self, url: str, key: str, home: Path) -> None:
        self.url, self.key = url, key
        self._environment = {**os.environ, "HOME": str(home), "FRONTDESK_API_KEY": key}

    def start(
        self, *options: str, before: Callable[[], None] | None = None
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "frontdesk", "cache", "fill", "--url", self.url, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            preexec_fn=before,
        )

    def run(self, *options: str) -> Ended:
        """The command in this process."""
        command = ("cache", "fill", "--url", self.url, *options)
        return run_command(*command, FRONTDESK_API_KEY=self.key)

    def complete(self) -> int:
        """Number of conversations that are whole in the cache."""
        if not cache_file().exists():
            return 0
        cache = Cache(cache_file(), origin_of(self.url, self.key))
        coverage = cache.coverage()
        cache.close()
        return coverage.complete if coverage else 0


@pytest.fixture(scope="module")
def service(newest_file: Path) -> Iterator[Callable[..., str]]:
    """Gives the address of a service with these options over the newest conversations."""
    with serving_once(newest_file) as address:
        yield address


@pytest.fixture
def filling(service: Callable[..., str], newest_key: str, tmp_path: Path) -> Filling:
    return Filling(service("--rate-limit", "0"), newest_key, tmp_path)


def test_it_says_what_this_computer_has_then(filling: Filling) -> None:
    filled = filling.run()
    assert filled.exit_code == DONE
    assert filled.output == f"This computer has all {OPEN} open conversations\n"
    summary = json.loads(filling.run("--json", "keep,complete,known,whole,full,requests").stdout)
    # The counts, and the page of the list.
    assert summary.pop("requests") == 2
    numbers = {"complete": OPEN, "known": OPEN}
    assert summary == {"keep": "open", "whole": True, "full": False, **numbers}
    output = run_command("cache", "info").stdout
    assert f": all {OPEN} open conversations are cached whole\n" in output


@pytest.mark.slow
def test_interrupted_it_says_how_to_go_on_and_loads_only_what_is_missing(
    service: Callable[..., str], newest_key: str, tmp_path: Path
) -> None:
    # Beyond the first requests there are five in a second: it is in the middle when it is stopped.
    filling = Filling(service("--rate-limit", "300", "--burst", "12"), newest_key, tmp_path)
    with filling.start() as process:
        wait_until(lambda: filling.complete() >= 5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == INTERRUPTED
    assert err == "frontdesk: interrupted; what was loaded stays; run it again to go on\n"
    before = filling.complete()
    assert before < OPEN
    summary = json.loads(filling.run("--json").stdout)
    assert (summary["complete"], summary["whole"]) == (OPEN, True)
    # Counts and list; messages and notes of each that is missing, and of one that was begun.
    assert summary["requests"] <= 2 + 2 * (OPEN - before) + 2


@pytest.mark.slow
def test_two_at_once_load_everything_once(filling: Filling) -> None:
    processes = [filling.start("--json") for _ in range(2)]
    summaries = [json.loads(process.communicate()[0]) for process in processes]
    assert [summary["whole"] for summary in summaries] == [True, True]
    # The other one found everything there: it asked for the counts and the list.
    assert min(summary["requests"] for summary in summaries) <= 4


@pytest.mark.slow
def test_on_a_full_disk_it_says_so_and_goes_on_when_there_is_room(filling: Filling) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK_BYTES, SMALL_DISK_BYTES))

    with filling.start(before=limit) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (USAGE, "")
    assert err.startswith("frontdesk: Nothing can be saved in ")
    assert filling.run().exit_code == DONE
    assert filling.complete() == OPEN


@pytest.mark.parametrize("keep", ["most", "off", "0d"])
def test_an_invalid_keep_value_is_refused_with_the_valid_ones(keep: str) -> None:
    result = run_command("cache", "fill", "--keep", keep)
    assert result.exit_code == USAGE
    assert "use open, all or a number of days, like 30d" in result.stderr
