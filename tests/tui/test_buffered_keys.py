"""Keys typed before a screen is mounted reach it in order."""

import asyncio
from collections.abc import Sequence

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.tui.dialogs.picker import Picker
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


async def type_in_turns(pilot: Pilot[object], keys: Sequence[str], turns: Sequence[int]) -> None:
    """Type keys, each of them some turns of the event loop after the one before it."""
    for key, before in zip(keys, (0, *turns), strict=True):
        for _ in range(before):
            await asyncio.sleep(0)
        type_ahead(pilot.app, key)
    await settle(pilot)


async def test_escape_leaves_a_dialog_for_which_a_key_is_typed_while_another_opens(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox = app.screen
        for turns in ((1, 0, 2), (1, 1, 1), (2, 0, 1), (2, 0, 2)):
            await type_in_turns(pilot, ("s", "escape", "z", "escape"), turns)
            assert app.screen is inbox, turns


async def test_a_key_typed_while_a_dialog_opens_that_the_one_before_it_leaves_is_not_lost(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for turns in ((1, 1, 1), (1, 2, 0), (2, 1, 2), (2, 2, 3)):
            await type_in_turns(pilot, ("s", "escape", "colon", "x"), turns)
            assert isinstance(app.screen, Picker), turns
            assert app.screen.query_one(Input).value == "x", turns
            await pilot.press("escape")
            await settle(pilot)


async def test_keys_that_wait_keep_their_order_with_an_escape_and_a_key_at_once(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("z")
        await settle(pilot)
        app.post_message(events.Key("escape", "\x1b"))
        type_ahead(app, "s", "a")
        app.post_message(events.Key("alt+f", "f"))
        type_ahead(app, "t", "b", "c")
        for _ in range(4):
            await settle(pilot)
        assert app.screen.query_one(Input).value == "bc"


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
