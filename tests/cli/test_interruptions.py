"""Long commands in a terminal: progress, and what was written when interrupted."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.ingest.webhook_bodies import text_body
from tests.terminals import Terminal

from frontdesk.cli.commands.check import check_command
from frontdesk.cli.main import frontdesk
from frontdesk.store import raw_events
from frontdesk.store.raw_events import ReceivedBody
from frontdesk.store.sqlite import SQLiteDatabase

BODIES = 400
CTRL_C = b"\x03"
# One body in a transaction, and after a tenth of them nothing goes on until it is interrupted.
PROGRAM = """
import signal
import sys
from contextlib import contextmanager
from frontdesk.cli.base import run
from frontdesk.cli.commands import erase as erase_command, webhooks
from frontdesk.cli.main import frontdesk
from frontdesk.cli.progress import progress
from frontdesk.ingest import erase
from frontdesk.ingest.webhooks import processor

@contextmanager
def held(label, length):
    done = 0
    def hold(steps):
        nonlocal done
        advance(steps)
        done += steps
        if done == length // 10:
            signal.pause()
    with progress(label, length) as advance:
        yield hold

erase_command.progress = webhooks.progress = held
processor.BODIES_AT_ONCE = erase.BODIES_AT_ONCE = 1
sys.argv = {arguments!r}
run(frontdesk)
"""
Start = Callable[..., Terminal]


def body(number: int) -> bytes:
    return json.dumps(text_body(f"w{number}", "16505551234", 1_773_480_000, "hello")).encode()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that has received much and applied none of it."""
    path = tmp_path / "received.db"
    database = SQLiteDatabase(path, create=True)
    arrivals = [
        ReceivedBody(1, body(number), time.time_ns() // 1_000_000) for number in range(BODIES)
    ]
    database.write(lambda connection: [raw_events.keep(connection, one) for one in arrivals])
    database.close()
    return path


@pytest.fixture
def start(path: Path, tmp_path: Path) -> Iterator[Start]:
    started: list[Terminal] = []

    def begin(*arguments: str) -> Terminal:
        command = ["frontdesk", *arguments, "--database", str(path)]
        started.append(Terminal(PROGRAM.format(arguments=command), tmp_path))
        return started[-1]

    yield begin
    for terminal in started:
        terminal.close()


def output_of(path: Path, *arguments: str) -> str:
    return CliRunner().invoke(frontdesk, [*arguments, "--database", str(path)]).output


def adds_up(path: Path) -> bool:
    return CliRunner().invoke(check_command, ["--database", str(path)]).exit_code == 0


def applied(path: Path) -> int:
    database = SQLiteDatabase(path)
    rows = database.read(lambda connection: raw_events.tallies(connection, 1))
    database.close()
    return sum(row["n"] for row in rows if row["state"] == "applied")


def test_a_replay_shows_how_far_it_is_and_goes_on_where_it_was_interrupted(
    start: Start, path: Path
):
    terminal = start("ingest", "replay")
    terminal.wait_for(rb"Replaying .*[1-9]%")
    terminal.press(CTRL_C)
    code, words = terminal.ending()
    assert code == 130
    done = applied(path)
    assert 0 < done < BODIES
    assert f"replayed: {done:,} applied, 0 ignored, 0 failed" in words
    assert "frontdesk: interrupted; the rest waits" in words
    assert adds_up(path)
    assert output_of(path, "ingest", "replay").startswith(f"replayed: {BODIES - done:,} applied")


def test_an_erasure_that_is_interrupted_is_finished_by_the_same_again(start: Start, path: Path):
    output_of(path, "ingest", "replay")
    terminal = start("erase", "+16505551234", "--yes")
    terminal.wait_for(rb"Erasing .*[1-9]%")
    terminal.press(CTRL_C)
    code, words = terminal.ending()
    assert code == 130
    assert "at most webhooks are gone; run it again to finish" in words
    assert adds_up(path)
    assert 0 < applied(path) < BODIES
    assert f"erased: 1 contact, 1 conversation, {BODIES} messages" in output_of(
        path, "erase", "+16505551234", "--yes"
    )
    assert applied(path) == 0


def test_of_a_stream_the_lines_so_far_are_shown(start: Start, path: Path):
    terminal = start("import", "events", "-")
    terminal.press(body(1) + b"\n" + body(2) + b"\n\x04")
    code, words = terminal.ending()
    assert code == 0
    assert "\rImporting: 2 lines\r\n2 lines of 1 file read" in words
