"""Keys typed before a screen is mounted reach it in order."""

import pytest
from textual import events
from textual.widgets import Input

from tests.tui.conftest import Viewer, lines, settle, shown
from tests.tui.inbox_state import screen_of
from tests.tui.views import type_ahead


@pytest.mark.parametrize(
    "typed",
    [
        {
            ("f", "h"): "needs:human",
            ("f", "l", *"refund", "enter"): "#refund",
            ("S", "w"): "sort:waiting",
            ("F", "ctrl+u", *"is:snoozed", "enter"): "   is:snoozed   ",
            ("F", *"xyz", "ctrl+w", "enter"): "   is:open    F edit",
            ("F", *"xyz", "escape"): "   is:open    F edit",
            ("f", "t", *"late", "enter"): "is:open   late ",
        },
        # What is typed after the answer is there before anything was looked for.
        {
            ("f", "l", *"refund", "enter", "j"): "#refund",
            ("f", "l", *"refund", "enter", "f", "c", *"lon", "enter"): "#refund   in:London",
            ("f", "t", *"late", "enter", "f", "u", "f", "t", "enter", "S", "w"): "sort:waiting",
            ("F", *"#refu", "tab", "enter", "S", "w"): "is:open   #refund   sort:waiting",
            ("F", "ctrl+u", *"in:", "tab", "enter"): "   in:London",
            ("F", "ctrl+u", *"in:", "shift+tab", "enter"): "   in:Wholesale",
        },
        # The customers and views are searched for the first time.
        {("ctrl+k", *"ana", "enter"): 'from:"Ana'},
        {("ctrl+k", *"mine", "enter", "S", "w"): "@me   sort:waiting"},
    ],
    ids=["one dialog", "several", "a customer", "a view"],
)
async def test_no_key_that_is_typed_ahead_is_lost(
    viewer: Viewer, typed: dict[tuple[str, ...], str]
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, words in typed.items():
            await pilot.press("9")
            await settle(pilot)
            for key in keys:
                app.post_message(events.Key(key, key if len(key) == 1 else "\r"))
            for _ in range(len(keys)):
                await settle(pilot)
            assert words in lines(app)[0], shown(app)


async def test_what_is_typed_ahead_replaces_the_text_that_is_selected(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"old", "enter")
        await settle(pilot)
        for keys in (("slash", "n", "e", "w"), ("slash", "n")):
            type_ahead(app, *keys)
            await settle(pilot)
            assert app.screen.query_one(Input).value == "".join(keys[1:])
            await pilot.press("escape")
            await settle(pilot)


@pytest.mark.parametrize(
    "dialog", [("ctrl+k", *"ada"), ("F", *"ada"), ("slash",), ("s",), ("f",), ("v", "c")]
)
async def test_a_key_right_after_escape_does_what_it_does_outside_of_the_dialog(
    viewer: Viewer, dialog: tuple[str, ...]
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox = app.screen
        await pilot.press(*dialog)
        await settle(pilot)
        assert app.screen is not inbox
        for key, character in (("escape", None), ("6", "6")):
            app.post_message(events.Key(key, character))
        await settle(pilot)
        assert app.screen is inbox
        assert "@unassigned" in lines(app)[0]


async def test_escape_and_a_key_at_once_are_two_keys(viewer: Viewer) -> None:
    """Terminals send the same for these as for alt and the key."""
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        app.post_message(events.Key("alt+j", "j"))
        await settle(pilot)
        queue = screen_of(app).queue.list
        assert app.focused is queue
        assert queue.cursor == 1
