"""What is copied is said, and by which programs a platform copies."""

import pytest

from frontdesk.tui.clipboard import copy, programs
from tests.tui.conftest import notifications, settle
from tests.tui.views import Dressed


@pytest.mark.parametrize(
    ("platform", "environment", "commands"),
    [
        ("darwin", {"DISPLAY": ":0"}, ["pbcopy"]),
        ("win32", {}, ["clip"]),
        ("linux", {}, []),
        ("linux", {"DISPLAY": ":0"}, ["xclip", "xsel"]),
        ("linux", {"WAYLAND_DISPLAY": "w"}, ["wl-copy"]),
        ("linux", {"WAYLAND_DISPLAY": "w", "DISPLAY": ":0"}, ["wl-copy", "xclip", "xsel"]),
        ("linux", {"WAYLAND_DISPLAY": "", "DISPLAY": ""}, []),
    ],
)
def test_each_platform_has_its_programs(
    platform: str, environment: dict[str, str], commands: list[str]
) -> None:
    assert [command[0] for command in programs(platform, environment)] == commands


OVER_SSH = "(over SSH, a terminal may not take so much)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Nothing to copy here"),
        ("two\nlines", "Copied: two lines"),
        ("x" * 40, f"Copied: {'x' * 40}"),
        ("x" * 41, f"Copied: {'x' * 39}…"),
        ("é" * 27_750, f"Copied: {'é' * 39}…"),
        ("é" * 27_750 + "x", f"Copied 56 KB: {'é' * 39}… {OVER_SSH}"),
    ],
)
async def test_a_copy_is_said_with_its_beginning_and_what_a_terminal_may_not_take(
    monkeypatch: pytest.MonkeyPatch, text: str, words: str
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    app = Dressed()
    async with app.run_test() as pilot:
        copy(app.screen, text)
        await settle(pilot)
        assert notifications(app) == [words]
        assert app.clipboard == text
