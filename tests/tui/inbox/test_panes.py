"""The panes of the inbox: widths and focus."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from random import Random
from typing import Any

import pytest

from frontdesk.mailbox import Mailbox
from frontdesk.text.phones import contact_name, format_phone
from frontdesk.tui.inbox.panes import LEAST_WIDTH, pane_widths
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.wire import Contact, Conversation
from tests.soak.sandbox import send
from tests.tui.conftest import Viewer, lines, settle
from tests.tui.memory_inbox import (
    MemoryInbox,
    MemoryInboxApp,
    Shown,
    memory_inbox_viewer,
    virtual_time,
)
from tests.tui.textual_private import resize

PANES = ("channels", "list", "thread", "contact")
SMALL = (20, 5)


@pytest.mark.parametrize(("least", "end"), [(80, 150), (150, 180), (180, 401)])
def test_a_wider_terminal_makes_the_thread_no_narrower_unless_a_pane_comes(
    least: int, end: int
) -> None:
    widths = [pane_widths(columns) for columns in range(least, end)]
    threads = [panes.thread for panes in widths]
    assert threads == sorted(threads)
    for columns, panes in enumerate(widths, least):
        assert sum(panes) == columns
        assert panes.thread >= 0.45 * columns
        assert panes.list >= 33
        assert bool(panes.contact) == (columns >= 150)
        assert bool(panes.channels) == (columns >= 180)


@pytest.mark.parametrize(
    ("columns", "widths"),
    [
        (80, (0, 33, 47, 0)),
        (81, (0, 34, 47, 0)),
        (82, (0, 34, 48, 0)),
        (100, (0, 40, 60, 0)),
        (146, (0, 57, 89, 0)),
        (147, (0, 57, 90, 0)),
        (149, (0, 59, 90, 0)),
        (150, (0, 48, 70, 32)),
        (179, (0, 63, 84, 32)),
        (180, (20, 44, 84, 32)),
        (190, (20, 49, 89, 32)),
        (210, (21, 57, 98, 34)),
        (260, (23, 75, 122, 40)),
        (400, (24, 148, 188, 40)),
    ],
)
def test_panes_are_so_wide_in_a_terminal_of_so_many_columns(
    columns: int, widths: tuple[int, ...]
) -> None:
    assert pane_widths(columns) == widths


def test_a_moved_split_leaves_thirty_cells_to_both_panes() -> None:
    assert pane_widths(80, -99) == (0, 30, 50, 0)
    assert pane_widths(80, 99) == (0, 50, 30, 0)
    assert pane_widths(150, 99) == (0, 88, 30, 32)
    assert pane_widths(190, 99) == (20, 108, 30, 32)


async def test_the_contact_has_its_notes_once_they_are_loaded(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        pane = app.screen.query_one("#contact-pane").region
        facts = [line[pane.x : pane.right] for line in lines(app)]
        assert any("Notes (" in fact for fact in facts)
        assert not any("not loaded yet" in fact for fact in facts)


@pytest.mark.parametrize(("width", "is_table"), [(139, False), (140, True)])
async def test_the_zoomed_list_is_a_table_where_there_is_room(
    viewer: Viewer, width: int, is_table: bool
) -> None:
    app = viewer()
    async with app.run_test(size=(width, 24)) as pilot:
        await settle(pilot)
        listed = app.screen.query_one(ConversationList)
        assert not listed.draws_table
        await pilot.press("plus")
        await settle(pilot)
        assert listed.draws_table == is_table
        assert any("Last message" in line for line in lines(app)) == is_table
        await pilot.press("plus")
        await settle(pilot)
        assert not listed.draws_table


@pytest.mark.parametrize("split", [-400, -8, 8, 400])
def test_a_moved_split_takes_from_one_pane_what_it_gives_the_other(split: int) -> None:
    for columns in range(80, 401):
        automatic, panes = pane_widths(columns), pane_widths(columns, split)
        assert sum(panes) == columns
        assert min(panes.list, panes.thread) >= LEAST_WIDTH
        assert (panes.channels, panes.contact) == (automatic.channels, automatic.contact)
        assert 0 < (panes.list - automatic.list) / split <= 1


def test_the_split_moves_with_two_keys_and_is_remembered(tmp_path: Path) -> None:
    widths: list[int] = []

    async def scenario() -> None:
        starts = (
            (120, ["less_than_sign"] * 2),
            (120, ["greater_than_sign"]),
            # With another pane beside them, they have another width.
            (160, ["greater_than_sign"]),
            (120, []),
            (160, []),
            (190, []),
        )
        for columns, keys in starts:
            async with memory_inbox_viewer(
                MemoryInbox(30), tmp_path / "cache.db", (columns, 24)
            ) as app:
                await press(app, *keys)
                thread = app.screen.query_one("#thread-pane").region.width
                widths.append(thread - pane_widths(columns).thread)

    run(0, scenario)
    assert widths == [8, 4, -4, 4, -4, 0]


@pytest.mark.parametrize("height", [24, 40])
def test_the_thread_is_as_wide_as_said_and_the_contact_takes_nothing_of_it(
    tmp_path: Path, height: int
) -> None:
    threads: dict[bool, list[int]] = {True: [], False: []}

    async def scenario() -> None:
        async with memory_inbox_viewer(MemoryInbox(30), tmp_path / "cache.db", (80, height)) as app:
            for width in (80, 120, 149, 190, 400):
                await sized(app, (width, height))
                for _ in range(2):
                    panes = [app.screen.query_one(f"#{name}-pane") for name in PANES]
                    covered = sum(pane.region.area for pane in panes if pane.display)
                    assert covered == app.screen.query_one("#panes").region.area
                    threads[panes[-1].display].append(panes[2].region.width)
                    assert panes[2].region.width == pane_widths(width).thread
                    await press(app, "i")

    run(height, scenario)
    assert all(len(widths) == 5 for widths in threads.values())


def run(seed: object, scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with virtual_time(seed) as runner:
        runner.run(scenario())


async def test_a_hidden_contact_reads_nothing_and_comes_with_the_selected_customer(
    viewer: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = Mailbox.contact

    def contact(self: Mailbox, conversation: Conversation) -> Contact | None:
        read.append(conversation.id)
        return real(self, conversation)

    monkeypatch.setattr(Mailbox, "contact", contact)
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane = app.screen.query_one("#contact-pane")
        for _ in range(2):
            assert not pane.display
            read.clear()
            await pilot.press("j", "j", "enter", "escape", "ctrl+r")
            await settle(pilot)
            assert not read
            await pilot.press("i")
            await settle(pilot)
            row = app.screen.query_one(ConversationList).row
            assert row is not None
            region = pane.region
            words = (line[region.x : region.right] for line in lines(app)[region.y : region.bottom])
            facts = "\n".join(words)
            assert contact_name(row.contact) in facts
            assert row.contact.phone is None or format_phone(row.contact.phone) in facts
            assert set(read) == {row.id}
            await pilot.press("i")
            await settle(pilot)


async def sized(app: MemoryInboxApp, size: tuple[int, int]) -> None:
    resize(app, size)
    await asyncio.sleep(1.0)


async def press(app: MemoryInboxApp, *keys: str) -> None:
    for key in keys:
        send(app, key)
        await asyncio.sleep(0.5)


def focused_pane(app: MemoryInboxApp) -> str:
    """The pane whose list has the keyboard and is on the screen."""
    focused = app.focused
    assert focused is not None
    assert focused in app.screen.focus_chain
    assert focused.is_on_screen
    assert focused.parent is not None
    return (focused.parent.id or "").removesuffix("-pane")


def test_a_pane_has_the_keyboard_again_after_a_terminal_that_was_too_small(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with memory_inbox_viewer(MemoryInbox(30), tmp_path / "cache.db", (200, 50)) as app:
            for key, pane in enumerate(PANES, 1):
                await press(app, str(key))
                assert focused_pane(app) == pane
                await sized(app, SMALL)
                await sized(app, (200, 50))
                assert focused_pane(app) == pane
                await press(app, "2")
                before = Shown(app).selected
                await sized(app, SMALL)
                await sized(app, (120, 40))
                await press(app, "j")
                assert Shown(app).selected != before
                await sized(app, (200, 50))

    run(0, scenario)


@pytest.mark.parametrize("opened", [("f", "ctrl+k"), ("question_mark", "v", "v q")])
def test_a_dialog_or_view_has_the_keyboard_again_and_so_has_the_inbox_after_it(
    tmp_path: Path, opened: tuple[str, ...]
) -> None:
    async def scenario() -> None:
        async with memory_inbox_viewer(MemoryInbox(30), tmp_path / "cache.db") as app:
            for keys in opened:
                await press(app, *keys.split())
                focused, screen = app.focused, app.screen
                assert screen is not app.screen_stack[0]
                await sized(app, SMALL)
                await sized(app, (120, 40))
                assert app.screen is screen
                assert app.focused is focused
                await sized(app, SMALL)
                await press(app, "escape", "escape")
                await sized(app, (120, 40))
                assert app.screen is app.screen_stack[0]
                assert focused_pane(app) == "list"

    run(0, scenario)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_whatever_size_pane_or_dialog_came_and_went_keys_move_a_cursor_that_is_seen(
    tmp_path: Path, seed: int
) -> None:
    chance = Random(seed)
    sizes = ((120, 40), SMALL, (80, 24), (60, 20), (200, 60), (100, 30), (45, 12), (190, 32))
    keys = ("1", "2", "3", "4", "i", "plus", "h", "l", "tab", "enter", "escape", "s", "f", "ctrl+k")

    async def scenario() -> None:
        async with memory_inbox_viewer(MemoryInbox(30), tmp_path / "cache.db") as app:
            text: list[object] = []
            for _ in range(60):
                if chance.random() < 0.4:
                    text.append(chance.choice(sizes))
                    resize(app, text[-1])  # type: ignore[arg-type]
                else:
                    text.append(chance.choice(keys))
                    send(app, str(text[-1]))
                await asyncio.sleep(chance.choice((0.0, 0.02, 1.0)))
                if chance.random() < 0.3:
                    await asyncio.sleep(1.0)
                    while len(app.screen_stack) > 1:
                        await press(app, "escape")
                    if app.size.width >= 40 and app.size.height >= 10:
                        assert focused_pane(app), text[-8:]
            await sized(app, (120, 40))
            await press(app, "escape", "escape", "2", "g")
            first = Shown(app).selected
            await press(app, "j")
            assert Shown(app).selected not in (None, first)
            assert app.focused is app.query_one(ConversationList)

    run(seed, scenario)
