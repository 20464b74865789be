"""The pictures in screenshots/ are what the viewer shows: `--update-screenshots` rewrites them."""

from datetime import UTC
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.tui.clock import Clock
from tests.conftest import NOW
from tests.tui.conftest import Viewer, settle
from tests.tui.views import counted, press, view_app

PICTURES = Path(__file__).parents[2] / "screenshots"


@pytest.mark.parametrize(
    ("name", "size", "keys", "theme"),
    [
        ("inbox-80x24", (80, 24), ["j", "j", "j", "enter"], "frontdesk-dark"),
        ("inbox-120x40", (120, 40), ["j", "j", "j", "enter"], "frontdesk-dark"),
        ("inbox-160x45", (160, 45), ["j", "j", "j", "enter"], "frontdesk-dark"),
        ("inbox-120x40-light", (120, 40), ["j", "j", "j", "enter", "i"], "frontdesk-light"),
        ("filter-120x40", (120, 40), ["f", "l", "r", "e"], "frontdesk-dark"),
        ("thread-60x20", (60, 20), ["j", "j", "j", "enter"], "frontdesk-dark"),
    ],
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
        await pilot.pause()
        if "f" not in keys:
            await settle(pilot)
        picture = app.export_screenshot(title="frontdesk")
    path = PICTURES / f"{name}.svg"
    if request.config.getoption("--update-screenshots"):
        path.write_text(picture, encoding="utf-8")
    assert picture == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "view", "size", "keys", "theme"),
    [
        ("report-120x40", "reports", (120, 40), ["j", "2"], "frontdesk-dark"),
        ("report-80x24", "reports", (80, 24), [*"jjjjj"], "frontdesk-dark"),
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
        picture = app.export_screenshot(title="frontdesk")
    path = PICTURES / f"{name}.svg"
    if request.config.getoption("--update-screenshots"):
        path.write_text(picture, encoding="utf-8")
    assert picture == path.read_text(encoding="utf-8")
