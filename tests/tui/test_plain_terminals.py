"""Terminals without colours, emoji or box characters show the same information."""

import pytest
from textual.app import App

from frontdesk.tui.widgets.conversation_list import ConversationList
from tests.tui.conftest import Viewer, idle_until, lines, settle, shown
from tests.tui.screen_text import strips


async def test_an_ascii_terminal_gets_ascii_for_the_frame_clocks_ticks_and_media(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "linux")
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "m", "j", "enter")
        await settle(pilot)
        seen = shown(app)
        await pilot.press("escape", "7", "j")
        # The thread of a cursor that rests.
        await idle_until(pilot, lambda: "dlvd" in shown(app))
        seen += shown(app)
    assert not set(seen) & set("─━┬┯│┃║┇╏◔◑◕●✓✗■▪▼…•📷👤🎤")
    for words in ("= 3 Theo Kim ", ":  09:34 ", "dlvd", "read", "[contact] Carmen", "|"):
        assert words in seen, words


async def test_an_ascii_terminal_names_keys_that_have_symbols_elsewhere(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "linux")
    app = viewer()
    async with app.run_test(size=(120, 80)) as pilot:
        await settle(pilot)
        assert "enter open" in lines(app)[-1]
        assert "f filter" in lines(app)[-1]
        for screen in ("?", ":", "s", "ctrl+k", "f", "F", "E", "v c"):
            await pilot.press(*screen.split())
            await settle(pilot)
            assert not set(shown(app)) & set("↵⏎⌫↑↓←→")
            if screen == "?":
                assert "backspace" in shown(app)
            await pilot.press("escape", "escape")
            await settle(pilot)


async def test_without_colours_the_selection_and_its_focus_are_seen(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        focused = grounds(app)
        await pilot.press("3")
        await settle(pilot)
        resting = grounds(app)
    assert focused[0] != focused[2]
    assert resting[0] != resting[2]
    assert resting[0] != focused[0]


@pytest.mark.parametrize("no_color", [True, False])
async def test_without_colours_a_read_message_is_told_from_a_delivered_one_by_a_word(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch, no_color: bool
) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        ticks = [line.rstrip(" ┃│")[-5:].strip() for line in lines(app)]
        assert ("read" in ticks) == no_color == ("✓✓" not in shown(app))


def grounds(app: App[object]) -> list[object]:
    """Background of the first cells of the list's lines, from the top."""
    region = app.screen.query_one(ConversationList).region
    first = (next(iter(strip)) for strip in strips(app.screen)[region.y : region.bottom])
    return [segment.style.bgcolor if segment.style else None for segment in first]
