"""`frontdesk cache fill` on a service of its own: killed, interrupted, on a full disk, refused."""

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
from click.testing import CliRunner
from servers import Serve, serving
from tests.conftest import NOW_MILLISECONDS

from frontdesk.cache import Cache
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.cli.main import frontdesk
from frontdesk.cli.target import origin_of
from frontdesk.environment import cache_file
from frontdesk.sample.demo import add_demo
from frontdesk.service.api_keys import SCOPES, key_id
from frontdesk.store import accounts
from frontdesk.store.sqlite import SQLiteDatabase

# Open conversations of the first part of the sample.
OPEN = 20
# Too little for all of their threads, enough for an empty cache.
SMALL_DISK_BYTES = 300_000


@pytest.fixture(scope="session")
def newest_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest conversations of the sample alone; not to be written to."""
    path = tmp_path_factory.mktemp("newest") / "inbox.db"
    database = SQLiteDatabase(path, create=True, durable=False)
    next(add_demo(database, now=NOW_MILLISECONDS))
    database.close()
    return path


@pytest.fixture
def inbox(newest_file: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(newest_file, tmp_path / "sample.db"))


class Filling:
    """The program on a service over the sample, and what the cache has of it."""

    def __init__(self, inbox: Path, home: Path, serve: Serve) -> None:
        self.inbox, self.home = inbox, home
        self.key = str(make_key(inbox, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])
        self.url = serve("--database", str(inbox), "--rate-limit", "0")[1]
        self._environment = {**os.environ, "HOME": str(home), "FRONTDESK_API_KEY": self.key}

    def start(
        self, *options: str, before: Callable[[], None] | None = None, **variables: str
    ) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "frontdesk", "cache", "fill", "--url", self.url, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**self._environment, **variables},
            preexec_fn=before,
        )

    def run(self, *options: str, **variables: str) -> tuple[int, str]:
        """Exit code and output of the command, run in this process."""
        environment = {**self._environment, **variables}
        command = ["cache", "fill", "--url", self.url, *options]
        result = CliRunner(env=environment).invoke(frontdesk, command)
        return result.exit_code, result.stdout

    def complete(self) -> int:
        """Number of conversations that are whole in the cache."""
        if not cache_file().exists():
            return 0
        cache = Cache(cache_file(), origin_of(self.url, self.key))
        coverage = cache.coverage()
        cache.close()
        return coverage.complete if coverage else 0

    def until(self, condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
        while not condition():
            assert process.poll() is None, process.communicate()


@pytest.fixture
def filling(inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Filling]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving() as serve:
        yield Filling(inbox, tmp_path, serve)


def test_it_says_what_this_computer_has_then(filling: Filling) -> None:
    code, out = filling.run()
    assert (code, out) == (0, f"This computer has all {OPEN} open conversations\n")
    code, out = filling.run("--json", "keep,complete,known,whole,full,requests")
    summary = json.loads(out)
    # The counts, and the page of the list.
    assert summary.pop("requests") == 2
    numbers = {"complete": OPEN, "known": OPEN}
    assert summary == {"keep": "open", "whole": True, "full": False, **numbers}
    output = CliRunner().invoke(frontdesk, ["cache", "info"]).stdout
    assert f": all {OPEN} open conversations are cached whole\n" in output


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_conversations_loaded_before_an_interruption_are_not_loaded_again(
    filling: Filling, ending: signal.Signals, code: int
) -> None:
    with filling.start() as process:
        filling.until(lambda: filling.complete() >= 5, process)
        process.send_signal(ending)
        _, err = process.communicate()
        assert process.returncode == code
    assert err == (
        "frontdesk: interrupted; what was loaded stays; run it again to go on\n"
        if ending == signal.SIGINT
        else ""
    )
    before = filling.complete()
    code, out = filling.run("--json")
    summary = json.loads(out)
    assert (code, summary["complete"], summary["whole"]) == (0, OPEN, True)
    _, other = filling.run("--json", XDG_CACHE_HOME=str(filling.home / "other"))
    # What was complete is saved; the list, and a thread that was begun, are asked for again.
    assert summary["requests"] <= json.loads(other)["requests"] - 2 * before + 5


def test_two_at_once_load_everything_once(filling: Filling) -> None:
    processes = [filling.start("--json") for _ in range(2)]
    summaries = [json.loads(process.communicate()[0]) for process in processes]
    assert [summary["whole"] for summary in summaries] == [True, True]
    # The other one found everything there: it asked for the counts and the list.
    assert min(summary["requests"] for summary in summaries) <= 4


def test_on_a_full_disk_it_says_so_and_goes_on_when_there_is_room(filling: Filling) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (SMALL_DISK_BYTES, SMALL_DISK_BYTES))

    with filling.start(before=limit) as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert err.startswith("frontdesk: Nothing can be saved in ")
    assert filling.run()[0] == 0
    assert filling.complete() == OPEN


def test_with_a_revoked_key_it_ends_and_says_so(filling: Filling) -> None:
    with filling.start() as process:
        filling.until(lambda: filling.complete() >= 5, process)
        database = SQLiteDatabase(filling.inbox)
        database.write(lambda connection: accounts.revoke_key(connection, key_id(filling.key), 1))
        database.close()
        out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    assert "revoked" in err
    assert filling.complete() >= 5


@pytest.mark.parametrize("keep", ["most", "off", "0d"])
def test_an_invalid_keep_value_is_refused_with_the_valid_ones(keep: str) -> None:
    result = CliRunner().invoke(frontdesk, ["cache", "fill", "--keep", keep])
    assert result.exit_code == 2
    assert "use open, all or a number of days, like 30d" in result.output
