"""Marked conversations: display, persistence, and saving them together."""

import json
from pathlib import Path

from textual.pilot import Pilot

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.widgets.conversation_row import MARK
from tests.conftest import NOW
from tests.tui.conftest import Viewer, idle_until, lines, notifications, settle, shown
from tests.tui.faulty_sources import Halting
from tests.tui.inbox_state import queue, screen_of
from tests.tui.views import press, type_in

SIZE = (120, 40)


def marked_lines(app: FrontdeskApp) -> list[int]:
    """The visible rows of the list that have a mark."""
    return [at for at, line in enumerate(lines(app)[4:-1:2]) if line[3:4] == MARK]


async def mark_two(pilot: Pilot[object]) -> None:
    await pilot.press("j", "space", "j", "j", "space")
    await settle(pilot)


async def test_space_marks_a_row_and_escape_in_the_list_takes_all_marks_off(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert marked_lines(app) == []
        await mark_two(pilot)
        assert marked_lines(app) == [1, 3]
        assert "2 selected" in lines(app)[-1]
        await press(pilot, "E")
        assert f"selected-{NOW.date()}.csv" in shown(app)
        await press(pilot, "escape")
        await pilot.press("space")
        assert marked_lines(app) == [1]
        assert "1 selected" in lines(app)[-1]
        await press(pilot, "space", "enter", "escape")
        assert marked_lines(app) == [1, 3]
        await pilot.press("escape")
        assert screen_of(app).queue.list.marked == ()
        assert "selected" not in lines(app)[-1]


async def test_marks_stay_on_their_rows_when_these_scroll_are_asked_for_and_filtered(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await mark_two(pilot)
        await pilot.press("G", "ctrl+r")
        await settle(pilot)
        await pilot.press("right_square_bracket", "left_square_bracket", "g")
        await settle(pilot)
        assert marked_lines(app) == [1, 3]
        await pilot.press("S", "o", "g")
        await settle(pilot)
        assert marked_lines(app) == []
        await pilot.press("G")
        await settle(pilot)
        ids = [row.id for row in queue(app)]
        assert [ids.index(one) for one in screen_of(app).queue.list.marked] == [58, 56]
        assert sum(line[3:4] == MARK for line in lines(app)[4:-1]) == 2


async def test_space_pages_in_the_thread_and_in_other_lists(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 14)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "j", "enter", "4")
        await settle(pilot)
        await pilot.press("space")
        assert screen_of(app).contact.facts.cursor > 0
        await pilot.press("3", "g")
        await settle(pilot)
        before = lines(app)
        await pilot.press("space")
        await settle(pilot)
        assert lines(app) != before
        assert screen_of(app).queue.list.marked == ()


async def save_as(pilot: Pilot[object], path: Path) -> None:
    await pilot.press("E")
    await pilot.pause()
    assert isinstance(pilot.app.screen, Prompt)
    await type_in(pilot, str(path))
    await pilot.press("enter")
    await settle(pilot)


async def test_e_saves_the_rows_that_are_marked(viewer: Viewer, tmp_path: Path) -> None:
    app = viewer()
    path = tmp_path / "some.json"
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        rows = queue(app)
        await mark_two(pilot)
        await save_as(pilot, path)
        saved, _, directory = notifications(app)[-1].partition(" in ")
        assert saved == "2 selected conversations saved as some.json"
        assert str(tmp_path).endswith(directory.removeprefix("…"))
        assert len(screen_of(app).queue.list.marked) == 2
    assert [one["id"] for one in json.loads(path.read_text())] == [rows[1].id, rows[3].id]


async def test_e_saves_the_threads_of_the_rows_that_are_marked(
    viewer: Viewer, client: InboxClient, cache: Cache, tmp_path: Path
) -> None:
    app = viewer()
    path, text = tmp_path / "some.md", tmp_path / "some.txt"
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        rows = queue(app)
        await mark_two(pilot)
        await save_as(pilot, path)
        assert notifications(app)[-1].startswith("2 selected conversations, ")
        await save_as(pilot, text)
        mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
        lists = [mailbox.thread(rows[at].id) for at in (1, 3)]
        assert all(listing.complete for listing in lists)
        counts = [len(listing) for listing in lists]
    written = path.read_text(encoding="utf-8")
    assert written.count("\n**") + written.count("\n> **") == sum(counts)
    for at in (1, 3):
        assert f"# {rows[at].contact.name}\n" in written
        assert f"{rows[at].contact.name}\n" in text.read_text(encoding="utf-8")


async def test_saving_threads_can_be_ended(
    viewer: Viewer, client: InboxClient, tmp_path: Path
) -> None:
    source = Halting(client)
    app = viewer(source)
    path = tmp_path / "some.txt"
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await mark_two(pilot)
        await pilot.press("E")
        await pilot.pause()
        await type_in(pilot, str(path))
        source.halts_threads = True
        await pilot.press("enter")
        await idle_until(pilot, lambda: "1 of 2" in shown(app))
        # What else is brought up to date meanwhile leaves the reader the words.
        screen_of(app).queue.post_message(QueuePane.MarksChanged())
        await pilot.pause()
        assert "1 of 2" in shown(app)
        await pilot.press("escape")
        await idle_until(pilot, lambda: "1 of 2" not in shown(app))
        assert len(screen_of(app).queue.list.marked) == 2
    assert not path.exists()
