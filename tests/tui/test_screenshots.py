"""The pictures in screenshots/ are what the viewer shows: `--update-screenshots` rewrites them."""

import html
import re
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Forbidden, InboxError, Unauthorised, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.sample.pictures import motif_number, picture
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.message_list import Thread
from tests.conftest import NOW
from tests.tui.animation import Frame, animated
from tests.tui.conftest import Viewer, idle_until, settle, shown
from tests.tui.faulty_sources import Failing, Halting
from tests.tui.inbox_state import screen_of
from tests.tui.served_files import WithFiles, WithPhotos, WithVoices, media, viewer_of
from tests.tui.views import counted, press, view_app


@pytest.fixture(autouse=True)
def nothing_is_read_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """What idle moments bring depends on how idle they are, and pictures say how much is held."""

    async def rest(*arguments: object) -> bool:
        return False

    monkeypatch.setattr(Mailbox, "prefetch", rest)


PICTURES = Path(__file__).parents[2] / "screenshots"

# Triage in twenty seconds: the keys before each frame, its seconds, and its title.
TRIAGE = (
    ((), 2.5, "frontdesk"),
    (("u",), 2, "u: the next unread conversation"),
    (("enter",), 2, "enter: read it"),
    (("W",), 2, "W: who has waited longest, and what they sent"),
    (("6",), 2, "6: the view of unassigned conversations"),
    (("F",), 1.5, "F: edit the query"),
    ((*"#comp",), 2, "any filter, completed from the catalogues"),
    (("tab", "enter"), 2, "enter: only these"),
    (("H",), 2, "H: back to the view before"),
    (("v", "r"), 2.5, "v r: the report of the inbox"),
)


# A few are looked at with every change, all of them with the slow tests.
FIRST_PICTURES = (
    ("inbox-80x24", (80, 24), [], "frontdesk-dark"),
    ("inbox-120x40", (120, 40), ["j", "j", "j", "enter"], "frontdesk-dark"),
)
FURTHER_PICTURES = (
    ("inbox-140x40", (140, 40), ["j", "j", "j", "enter"], "frontdesk-dark"),
    ("inbox-120x40-light", (120, 40), ["j", "j", "j", "enter", "i"], "frontdesk-light"),
    ("filter-120x40", (120, 40), ["f", "l", "r", "e"], "frontdesk-dark"),
    ("thread-60x20", (60, 20), ["j", "j", "j", "enter"], "frontdesk-dark"),
    ("inbox-200x60", (200, 60), ["j", "j", "j", "enter"], "frontdesk-dark"),
    ("inbox-120x40-contrast", (120, 40), ["j", "j", "j", "enter"], "frontdesk-high-contrast"),
    ("inbox-80x24-16-colours", (80, 24), ["j", "j", "j", "enter"], "frontdesk-16-colours"),
    ("table-200x60", (200, 60), ["plus"], "frontdesk-dark"),
    ("message-80x24", (80, 24), ["y"], "frontdesk-dark"),
    ("inbox-40x10", (40, 10), [], "frontdesk-dark"),
    ("triage-120x40", (120, 40), ["f", "h", "S", "w"], "frontdesk-dark"),
    ("menu-120x40", (120, 40), ["f"], "frontdesk-dark"),
    ("help-80x24", (80, 24), ["question_mark"], "frontdesk-dark"),
    ("search-120x40", (120, 40), ["s", *"thanks"], "frontdesk-dark"),
    ("notes-80x24", (80, 24), ["9", "enter", "f", "n"], "frontdesk-dark"),
    ("empty-80x24", (80, 24), ["8", "f", "n", "f", "u"], "frontdesk-dark"),
    ("row-120x40", (120, 40), ["w"], "frontdesk-light"),
)


@pytest.mark.parametrize(
    ("name", "size", "keys", "theme"),
    [*FIRST_PICTURES, *(pytest.param(*one, marks=pytest.mark.slow) for one in FURTHER_PICTURES)],
)
async def test_the_pictures_are_true(
    viewer: Viewer,
    request: pytest.FixtureRequest,
    name: str,
    size: tuple[int, int],
    keys: list[str],
    theme: str,
) -> None:
    app = viewer()
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        compare(app, request, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("offline-80x24", Unreachable("The server does not answer")),
        ("slow-down-80x24", Unreachable("The server asks for a pause", retry_after=12.0)),
        ("key-refused-80x24", Unauthorised("The server refused the key")),
        ("not-allowed-80x24", Forbidden("The key lacks conversations:read")),
    ],
)
async def test_the_pictures_of_failures_are_true(
    viewer: Viewer, request: pytest.FixtureRequest, name: str, error: InboxError
) -> None:
    await check_state(viewer(Failing(error)), request, name)


@pytest.mark.slow
async def test_the_picture_of_loading_is_true(
    viewer: Viewer, client: InboxClient, request: pytest.FixtureRequest
) -> None:
    source = Halting(client, only_further=False)
    source.halted = True
    app = viewer(source)
    async with app.run_test(size=(80, 24)) as pilot:
        # Counts are asked for after the rows.
        await idle_until(pilot, lambda: "Loading" in shown(app))
        await pilot.pause()
        compare(app, request, "loading-80x24")


async def check_state(app: FrontdeskApp, request: pytest.FixtureRequest, name: str) -> None:
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        compare(app, request, name)


_TEXT = re.compile(r'(<text [^>]*textLength=")([0-9.]+)("[^>]*>)([^<]*)</text>')


def in_cells(picture: str) -> str:
    """The picture with wide characters as wide as in a terminal: Rich gives each one cell."""

    def widened(text: re.Match[str]) -> str:
        words = html.unescape(text[4])
        length = float(text[2]) * cell_len(words) / max(1, len(words))
        return f"{text[1]}{length:.1f}{text[3]}{text[4]}</text>"

    return _TEXT.sub(widened, picture)


@pytest.mark.slow
async def test_the_pictures_of_a_photo_are_true(
    client: InboxClient, cache: Cache, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    photo = media("mirror", mime_type="image/png", width=480, height=360, size_bytes=125_000)
    source = WithFiles(client, [photo], ["image"])
    source.files["mirror"] = picture(motif_number("roto.jpg"))
    app = viewer_of(source, cache, tmp_path / "media")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "enter")
        thread = screen_of(app).thread.messages
        await idle_until(pilot, lambda: not thread.wanted_pictures())
        await settle(pilot)
        compare(app, request, "picture-120x40")
        await pilot.press("enter")
        await settle(pilot)
        compare(app, request, "picture-large-120x40")


@pytest.mark.slow
async def test_words_that_were_read_in_a_voice_message_are_drawn_as_the_picture_says(
    client: InboxClient, cache: Cache, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    app = viewer_of(WithVoices(client), cache, tmp_path / "media")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("F", "ctrl+u", *"has:voice #wholesale", "enter", "j", "enter")
        await settle(pilot)
        thread = screen_of(app).thread.messages
        await pilot.press("left_curly_bracket", "space")
        await idle_until(pilot, lambda: "≈" in shown(app) and not thread.wanted_pictures())
        compare(app, request, "voice-120x40")


@pytest.mark.slow
async def test_the_moving_picture_is_true(
    client: InboxClient, cache: Cache, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    source = WithPhotos(client, picture(motif_number("roto.jpg")))
    app = viewer_of(source, cache, tmp_path / "media")
    frames = []
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        for keys, seconds, words in TRIAGE:
            for key in keys:
                await pilot.press(key)
            await settle(pilot)
            await idle_until(pilot, lambda: "Loading…" not in shown(app) and is_drawn(app))
            frames.append(Frame(in_cells(app.export_screenshot(title=words)), seconds))
    check_picture(animated(frames), request, "triage")


def is_drawn(app: FrontdeskApp) -> bool:
    """True when every picture in view has come."""
    return not any(thread.wanted_pictures() for thread in app.screen.query(Thread))


def compare(app: App[Any], request: pytest.FixtureRequest, name: str) -> None:
    """What is shown is the picture of that name; with the option it becomes it."""
    check_picture(in_cells(app.export_screenshot(title="frontdesk")), request, name)


def check_picture(picture: str, request: pytest.FixtureRequest, name: str) -> None:
    path = PICTURES / f"{name}.svg"
    if request.config.getoption("--update-screenshots"):
        path.write_text(picture, encoding="utf-8")
    assert picture == path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "view", "size", "keys", "theme"),
    [
        ("report-120x40", "reports", (120, 40), ["j"], "frontdesk-dark"),
        ("report-80x24", "reports", (80, 24), [*"jjjjj"], "frontdesk-dark"),
        ("report-200x60", "reports", (200, 60), ["j"], "frontdesk-dark"),
        ("report-120x40-light", "reports", (120, 40), ["3"], "frontdesk-light"),
        ("templates-120x40", "templates", (120, 40), [*"jjjjjjjjj"], "frontdesk-dark"),
        ("directory-120x40", "directory", (120, 40), ["3", "j"], "frontdesk-dark"),
        ("labels-80x24-light", "directory", (80, 24), ["4"], "frontdesk-light"),
    ],
)
async def test_the_pictures_of_the_views_are_true(
    client: InboxClient,
    cache: Cache,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    view: str,
    size: tuple[int, int],
    keys: list[str],
    theme: str,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    app = view_app(view, client, cache, Clock(UTC, lambda: NOW))
    async with app.run_test(size=size) as pilot:
        app.theme = theme
        await settle(pilot)
        await press(pilot, *keys)
        if view == "directory":
            await counted(pilot)
        compare(app, request, name)
