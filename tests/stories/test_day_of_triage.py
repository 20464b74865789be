"""A day of triage in a real terminal, by keys alone."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from frontdesk.sample.demo import ME, create_demo
from frontdesk.text.times import long_date
from tests.tui.recorded_terminal import Recorded, viewer_on


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Recorded]:
    """The viewer on the sample, when it has shown the first thread."""
    path = tmp_path / "inbox.db"
    create_demo(path, now=time.time_ns() // 1_000_000)
    terminal = viewer_on(path, ME, tmp_path)
    try:
        terminal.until("All open 60", "live")
        yield terminal
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_day_of_triage(terminal: Recorded, tmp_path: Path) -> None:
    see_who_needs_somebody(terminal)
    read_and_go_on(terminal)
    find_an_older_case(terminal)
    keep_a_view_and_save_it(terminal, tmp_path / "queue.csv")
    look_at_the_report(terminal)
    terminal.send("qq")
    assert terminal.ended() == 0


def see_who_needs_somebody(terminal: Recorded) -> None:
    terminal.send("6")
    terminal.until("is:open   @unassigned    F edit", within="header")
    terminal.send("fh")
    terminal.until("needs:human", within="header")
    terminal.send("Sw")
    terminal.until("sort:waiting", within="header")
    terminal.until("longest waiting", "live")
    terminal.send("\x7f\x7f\x7f")
    terminal.until("is:open    F edit", within="header")


def read_and_go_on(terminal: Recorded) -> None:
    terminal.send("u\r")
    terminal.until("esc back", "J next conversation")
    terminal.send("J")
    terminal.changes("title")
    terminal.send("fn")
    terminal.until("showing: notes")
    terminal.send("fa")
    terminal.until("esc back", gone="showing: notes")
    terminal.send("i")
    terminal.until("Custom fields")
    terminal.send("i\x1b")
    terminal.until("next unread", gone="Custom fields")


def find_an_older_case(terminal: Recorded) -> None:
    day = long_date(datetime.now(UTC) - timedelta(days=60)).split(" ", 1)[1]
    terminal.send("\x0b")
    terminal.until("Go to")
    terminal.send("oonagh")
    terminal.until("+353 20 911 0142")
    terminal.send("\r")
    terminal.until('from:"Oonagh Feeney', within="header", gone="Go to")
    terminal.send("\rt60d\r")
    terminal.until(day, within="thread")
    terminal.send("5")
    terminal.until("is:open   @me    F edit", within="header")


def keep_a_view_and_save_it(terminal: Recorded, path: Path) -> None:
    terminal.send("2flcomplaint\r")
    terminal.until("#complaint", within="header")
    terminal.send("fkMy complaints\r")
    terminal.until("Save “My complaints” as")
    terminal.send("9")
    terminal.until("Saved as view 9, replacing All open", "9 My complaints (1)")
    terminal.send("8")
    terminal.until("is:open   waiting over 1 h", within="header")
    terminal.send("9")
    terminal.until("is:open   @me   #complaint", within="header")
    terminal.send("E")
    terminal.until("save as")
    terminal.send(str(path) + "\r")
    terminal.until("1 loaded conversation saved as")
    assert path.read_text(encoding="utf-8-sig").startswith("id,status,contact")


def look_at_the_report(terminal: Recorded) -> None:
    terminal.send("vr")
    terminal.until("REPORTS", "First response")
    terminal.send("\x1b")
    terminal.until("INBOX", gone="REPORTS")
