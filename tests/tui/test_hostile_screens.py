"""Every screen over an inbox of hostile texts, in a terminal."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fake_service import Query, Reply, fake_service
from tests.tui import test_hostile_text
from tests.tui.hostile import ME, SEQUENCES, TRAPS, make_hostile_inbox
from tests.tui.recorded_terminal import Recorded, viewer_at, viewer_at_gallery

_PATIENCE = 20.0


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "inbox.db"
    make_hostile_inbox(path, now=time.time_ns() // 1_000_000)
    return path


@pytest.fixture
def terminal(hostile_file: Path, tmp_path: Path) -> Iterator[Recorded]:
    """The viewer on a hostile inbox, when it has shown the first thread."""
    with viewer_at_gallery(hostile_file, ME, tmp_path) as terminal:
        yield terminal


def see(terminal: Recorded, *keys: str) -> None:
    """Press keys, each when what the one before it shows is drawn."""
    for key in keys:
        terminal.send(key)
        terminal.rest(_PATIENCE)


def leave(terminal: Recorded) -> None:
    """Back to the inbox, and out."""
    see(terminal, *["\x1b"] * 4)
    test_hostile_text.leave(terminal)


def test_the_directory_can_be_read(terminal: Recorded) -> None:
    terminal.send("vd")
    terminal.until("DIRECTORY")
    for section in "12345":
        see(terminal, section, *"jjjjG", "g")
    see(terminal, "/", "[/nope]\r", "n")
    leave(terminal)


@pytest.mark.parametrize("letter", ["t", "q"])
def test_the_library_can_be_read(terminal: Recorded, letter: str) -> None:
    terminal.send(f"v{letter}")
    terminal.until("LIBRARY", "live")
    for _ in (*SEQUENCES, *TRAPS):
        see(terminal, "j")
    see(terminal, "\t", "G", "g", "l")
    leave(terminal)


def test_reports_can_be_read(terminal: Recorded) -> None:
    terminal.send("vr")
    terminal.until("REPORTS", "[/nope]")
    for section in "123450":
        see(terminal, section, "G", "g")
    see(terminal, "c", "[/no", "\x1b", "\x1b", "w")
    leave(terminal)


def test_the_server_and_the_words_for_keys_can_be_read(terminal: Recorded) -> None:
    terminal.send("vs")
    terminal.until("SERVER")
    see(terminal, "G", "?", "\x1b", ":", "\x1b", "\x1b", "q")
    leave(terminal)


def test_search_and_switcher_results_can_be_read(terminal: Recorded) -> None:
    for sought in ("PWNED", "[@click", "W" * 80):
        see(terminal, "\x0b", sought, "\x1b[B", "\x1b", "\x1b")
        see(terminal, "s", sought, "\x1b[B", "\x1b", "\x1b")
    see(terminal, "s", "PWNED", "\r")
    leave(terminal)


def test_a_row_as_received_and_what_is_taken_along_can_be_read(terminal: Recorded) -> None:
    for key in ("w", "Y", "E", "S", "v", "t"):
        see(terminal, key, "\x1b", "\x1b")
    for _ in TRAPS:
        see(terminal, "j", "w", "\x1b")
    see(terminal, "\r", "w", "G", "\x1b", "Y", "\x1b")
    leave(terminal)


def test_a_view_that_is_kept_can_be_read(terminal: Recorded) -> None:
    see(terminal, "fl", "26", "\r", "fk", "9", "8", "9", "?", "\x1b")
    assert "[@click=app.quit]press[/]" in terminal.header
    leave(terminal)


def test_errors_can_be_read(tmp_path: Path) -> None:
    """A server whose every word about what is wrong is hostile, and different each time."""
    problems = iter((*SEQUENCES, *TRAPS) * 100)
    statuses = iter([400, 403, 404, 409, 422, 500, 503, 401][n % 7] for n in range(10_000))

    def refuse(path: str, query: Query) -> Reply:
        text = next(problems)
        body = {
            "type": text,
            "title": text,
            "detail": text,
            "code": text[:30],
            "required_scope": text,
            "errors": [{"field": text, "message": text}],
        }
        headers = {"Content-Type": "application/problem+json", "X-Request-Id": "a\x1b[2Jb"}
        return Reply(next(statuses), json.dumps(body).encode(), headers)

    with fake_service(refuse) as server:
        terminal = viewer_at(server.url, tmp_path)
        try:
            terminal.until("? help")
            for view in "drtqs":
                see(terminal, "v" + view, "\x12", "\x12", "\x1b", "\x1b", "\x12")
            assert len(server.asked) > 10
            leave(terminal)
        finally:
            terminal.close()


def test_pasted_escape_sequences_are_not_sent_to_the_terminal(terminal: Recorded) -> None:
    pasted = "".join(SEQUENCES).replace("\x1b[201~", "")
    for field in ("/", "s", "\x0b", "t", "E", ":"):
        see(terminal, field, f"\x1b[200~{pasted}\x1b[201~", "\x1b", "\x1b", "\x1b")
    leave(terminal)
