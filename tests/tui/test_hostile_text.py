"""Texts of an inbox never become control sequences in a terminal."""

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.text import clean, one_line
from tests.tui.hostile import (
    HOSTILE,
    ME,
    SEQUENCES,
    gallery_entry,
    greeting,
    make_hostile_inbox,
)
from tests.tui.recorded_terminal import FIRST_ROW, LAST_ROW, THREAD, Recorded, viewer_at_gallery

# All that the terminal's driver writes: colours, the cursor's place, modes, the pointer's shape.
DRIVER = re.compile(
    rb"\x1b\[[\d;]*m"
    rb"|\x1b\[\d+;\d+H"
    rb"|\x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1049|2004|2026|2048)[hl]"
    rb"|\x1b\[\?\d+\$p"
    rb"|\x1b\[[<>=]\d*u"
    rb"|\x1b\]22;[a-z-]+\x07"
)
CONTROL = re.compile(rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\r(?!\n)|(?<!\r)\n")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Recorded]:
    """The viewer on a hostile inbox, when it has shown the first thread."""
    path = tmp_path / "inbox.db"
    make_hostile_inbox(path, now=time.time_ns() // 1_000_000)
    with viewer_at_gallery(path, ME, tmp_path) as terminal:
        yield terminal


def leave(terminal: Recorded) -> None:
    """Quit, and see that nothing but text was written all the time."""
    terminal.send("qqqq")
    assert terminal.ended() == 0
    only_text(bytes(terminal.received))


def only_text(received: bytes) -> None:
    for sequence in SEQUENCES:
        assert sequence.encode() not in received
    assert set(CONTROL.findall(DRIVER.sub(b"", received))) == set()


def keeps_its_columns(terminal: Recorded) -> None:
    """The line between queue and thread is straight, whatever text is beside it."""
    edge = {terminal.row(y, THREAD - 1, THREAD) for y in range(FIRST_ROW, LAST_ROW)}
    assert edge <= {"│", "┃"}, terminal.text


def shown_name(text: str) -> str:
    """The beginning of a name that has only characters that are drawn as they are."""
    words = one_line(clean(text))
    return words[: next((n for n, c in enumerate(words) if ord(c) > 0x2FF and c != "�"), 12)][:12]


def test_every_conversation_can_be_read(terminal: Recorded) -> None:
    keeps_its_columns(terminal)
    terminal.send("j")
    terminal.until("half � character �", within="thread")
    for number, text in enumerate(HOSTILE):
        terminal.send("j")
        terminal.until(greeting(number), shown_name(text), within="thread")
        keeps_its_columns(terminal)
    leave(terminal)


def test_every_kind_of_entry_can_be_read(terminal: Recorded) -> None:
    terminal.send("\r")
    terminal.until("esc back")
    while gallery_entry(0) not in terminal.thread:
        terminal.send("g")
        terminal.changes()
    shown = terminal.thread
    while "end of the gallery" not in terminal.entries:
        terminal.send(" ")
        terminal.changes("entries")
        shown += terminal.thread
        keeps_its_columns(terminal)
    for number in range(len(HOSTILE)):
        assert gallery_entry(number) in shown
    for literal in ("[@click=app.quit]press[/]", "[/nope]", "[red]r[/red]", "<RLO>exe.gnp<PDF>"):
        assert literal in shown
    leave(terminal)


def test_the_contact_can_be_read(terminal: Recorded) -> None:
    terminal.send("i4")
    terminal.until("Custom fields", "�]0;PWNED�")
    terminal.send("G")
    terminal.until("-rf --help", gone="Custom fields")
    terminal.send("g")
    terminal.until("Custom fields")
    leave(terminal)


@pytest.mark.parametrize(
    ("letter", "title", "typed", "chosen"),
    [
        ("l", "Filter by label", "26 [@click=app.quit]press[/]", '#"26 [@click=app.quit]press[/]'),
        ("a", "Filter by assignee", "[red]r[/red]", '@"[red]r[/red]'),
        ("c", "Filter by channel", "0 �]52;c;U1RPTEVO�", 'in:"0 �]52;c;U1RPTEVO�'),
    ],
)
def test_every_choice_of_a_filter_can_be_read(
    terminal: Recorded, letter: str, title: str, typed: str, chosen: str
) -> None:
    terminal.send("f")
    terminal.until("Filter by", "clear all but the status")
    terminal.send(letter)
    terminal.until(title)
    terminal.send(typed)
    terminal.until(f" {typed} ")
    terminal.send("\r")
    terminal.until(chosen, within="header", gone=title)
    leave(terminal)


def test_help_and_the_channels_can_be_read(terminal: Recorded) -> None:
    terminal.send("?")
    terminal.until("Keys that work here")
    terminal.send("\x1b")
    terminal.until("live", gone="Keys that work here")
    leave(terminal)


def test_markup_is_not_pressed_by_the_mouse(terminal: Recorded) -> None:
    action = "[@click=app.quit]press[/]"
    row = "[@click=app.quit…"
    terminal.send("G")
    terminal.until(row)
    press(terminal, *terminal.find(row))
    terminal.until(greeting(HOSTILE.index(action)), action, within="thread")
    press(terminal, *terminal.find(action, THREAD))
    press(terminal, *terminal.find("Me [@click=app.quit]"))
    terminal.send("i")
    terminal.until("4 Contact")
    leave(terminal)


def press(terminal: Recorded, x: int, y: int) -> None:
    """Press and release the mouse some cells to the right, and once more."""
    terminal.send(f"\x1b[<0;{x + 5};{y}M\x1b[<0;{x + 5};{y}m" * 2)
