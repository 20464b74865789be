"""Texts of an inbox, of a server or of the clipboard never become control sequences.

Where texts enter, they are cleaned: tests of `text.clean` and of the client. Here is what widgets
make of them, and what a terminal gets.
"""

import json
import re
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App

from frontdesk.client import InboxClient
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.accounts import user_named
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.text.clean import clean, one_line
from tests.conftest import NOW_MILLISECONDS
from tests.fake_service import Query, Reply, fake_service
from tests.patience import HANG_SECONDS
from tests.tui.conftest import Viewer, settle
from tests.tui.hostile import (
    HOSTILE,
    ME,
    SEQUENCES,
    gallery_entry,
    greeting,
    make_hostile_inbox,
)
from tests.tui.recorded_terminal import (
    FIRST_ROW,
    LAST_ROW,
    THREAD,
    Recorded,
    viewer_at,
    viewer_at_gallery,
)
from tests.tui.screen_text import strips
from tests.tui.views import press as press_keys

# All that the terminal's driver writes: colours, the cursor's place, modes, the pointer's shape.
DRIVER = re.compile(
    rb"\x1b\[[\d;]*m"
    rb"|\x1b\[\d+;\d+H"
    rb"|\x1b\[\?(?:7|25|1000|1003|1004|1006|1015|1049|2004|2026|2048)[hl]"
    rb"|\x1b\[\?\d+\$p"
    rb"|\x1b\[[<>=]\d*u"
    rb"|\x1b\]22;[a-z-]+\x07"
    rb"|\x1b\]11;\?\x1b\\|\x1b\[c"
)
CONTROL = re.compile(rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\r(?!\n)|(?<!\r)\n")


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "inbox.db"
    make_hostile_inbox(path, now=NOW_MILLISECONDS)
    return path


@pytest.fixture
async def hostile(hostile_file: Path) -> AsyncIterator[InboxClient]:
    """A client of the service over the hostile inbox."""
    database = SQLiteDatabase(hostile_file, durable=False)
    me = database.read(lambda connection: user_named(connection, 1, ME))
    assert me is not None
    key, guest = new_ephemeral_key(1, int(me["id"]))
    service = create_app(database, ephemeral_keys=[guest], clock=lambda: NOW_MILLISECONDS)
    async with InboxClient("http://localhost", key, app=service) as client:
        yield client
    service.close()
    database.close()


def check(app: App[Any]) -> None:
    """Every line is as wide as the screen, and nothing in it is an order to the terminal."""
    width = app.size.width
    for line in strips(app.screen):
        assert clean(line.text) == line.text
        assert cell_len(line.text) == width


@pytest.mark.parametrize("size", [(200, 50), (44, 12)])
async def test_every_kind_of_widget_shows_hostile_texts_as_text(
    hostile: InboxClient, viewer: Viewer, size: tuple[int, int]
) -> None:
    inbox = ("j", "G", "enter", "g", "pagedown", "4", "G", "w", "escape", "escape", "1", "j", "2")
    dialogs = ("f", "l", "pagedown", "escape", "ctrl+k", "escape", "s", "escape", "question_mark")
    directory = ("escape", "v", "d", *"12345", "j", "G")
    views = ("v", "q", "j", "G", "v", "t", "j", "G", "v", "r", *"245", "G", "escape")
    app = viewer(hostile)
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        check(app)
        for key in (*inbox, *dialogs, *directory, *views):
            await press_keys(pilot, key)
            check(app)
        assert len(app.screen_stack) == 1


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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_errors_can_be_read(tmp_path: Path) -> None:
    """A server whose every word about what is wrong is hostile, and different each time."""
    problems = iter(HOSTILE * 100)
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
            for view in "dr":
                for key in (f"v{view}", "\x12", "\x12", "\x1b", "\x1b", "\x12"):
                    terminal.send(key)
                    terminal.rest(HANG_SECONDS)
            assert len(server.asked) > 10
            leave(terminal)
        finally:
            terminal.close()
