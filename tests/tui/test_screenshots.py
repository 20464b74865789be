"""The pictures in screenshots/ are what the viewer shows: `--update-screenshots` rewrites them."""

from pathlib import Path

import pytest

from tests.tui.conftest import Viewer, settle

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
