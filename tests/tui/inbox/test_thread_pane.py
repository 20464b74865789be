"""The thread pane: opening, refreshing, leaving, returning."""

from frontdesk.cache import Cache
from tests.tui.conftest import Viewer, lines, notifications, settle, until
from tests.tui.inbox.test_thread_filters import long_thread, viewer_of
from tests.tui.inbox_state import open_conversation, queue_names, screen_of


async def test_enter_reads_and_capital_j_goes_on_without_leaving_the_thread(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        ids = queue_names(app)
        await pilot.press("j", "j")
        # It follows the cursor once that rests.
        await until(pilot, lambda: open_conversation(app).id == ids[2])
        await pilot.press("g", "enter")
        await settle(pilot)
        await pilot.press("J", "J")
        await settle(pilot)
        assert open_conversation(app).id == ids[2]
        assert screen_of(app).panes.at == "thread"
        await pilot.press("K")
        await settle(pilot)
        assert open_conversation(app).id == ids[1]


async def test_a_long_thread_loads_above_without_moving_the_text(cache: Cache) -> None:
    app = viewer_of(long_thread(), cache)
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        thread = screen_of(app).thread.messages
        held = len(thread.rows)
        assert held >= 50
        while len(thread.rows) == held:
            await pilot.press("pageup")
            before = [line[47:118] for line in lines(app)[3:-2]]
            await settle(pilot)
            after = [line[47:118] for line in lines(app)[3:-2]]
            assert len([a for a, b in zip(before, after, strict=True) if a != b]) <= 2


async def test_g_goes_on_to_the_start_of_a_long_thread(cache: Cache) -> None:
    app = viewer_of(long_thread(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("enter", "g")
        await settle(pilot)
        thread = screen_of(app).thread.messages
        assert len(thread.rows) >= 330
        assert thread.cursor == 0
        assert "start of the conversation" in lines(app)[4]
        await pilot.press("G")
        assert thread.at_end


async def test_coming_back_to_a_thread_finds_it_where_it_was_left(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 20)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "j", "enter")
        await settle(pilot)
        await pilot.press("g", "j", "j")
        await settle(pilot)
        left = [line[47:] for line in lines(app)[2:-1]]
        await pilot.press("J")
        await settle(pilot)
        assert [line[47:] for line in lines(app)[2:-1]] != left
        await pilot.press("K")
        await settle(pilot)
        assert [line[47:] for line in lines(app)[2:-1]] == left


async def test_minus_swaps_with_the_conversation_before(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first = open_conversation(app).id
        await pilot.press("3", "J", "J")
        await settle(pilot)
        third = open_conversation(app).id
        await pilot.press("2", "g", "enter")
        await settle(pilot)
        assert open_conversation(app).id == first
        await pilot.press("minus")
        await settle(pilot)
        assert open_conversation(app).id == third
        await pilot.press("minus")
        await settle(pilot)
        assert open_conversation(app).id == first


async def test_slash_finds_in_the_pane_with_the_focus_and_n_goes_on(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"refund", "enter")
        await settle(pilot)
        rows = screen_of(app).queue.list
        first = rows.cursor
        assert "refund" in rows.words_at(first).casefold()
        await pilot.press("n")
        assert rows.cursor != first
        assert "refund" in rows.words_at(rows.cursor).casefold()
        await pilot.press("N")
        assert rows.cursor == first
        await pilot.press("slash", "escape", "slash", *"xyzzy", "enter")
        await settle(pilot)
        assert rows.cursor == first
        assert notifications(app)[-1].startswith("No match for ")


async def test_without_a_search_n_says_how_to_begin_one(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys in ("2n", "2N", "3n", "3N"):
            app.clear_notifications()
            await pilot.press(*keys)
            await settle(pilot)
            assert notifications(app) == ["Nothing to find again. /: find in this pane"]


async def test_y_copies_what_was_written_not_what_is_drawn(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        row = screen_of(app).queue.list.row
        assert row is not None
        await pilot.press("y")
        assert app.clipboard == row.contact.phone
        await pilot.press("enter")
        await settle(pilot)
        entry = screen_of(app).thread.messages.row
        assert entry is not None
        await pilot.press("y")
        assert app.clipboard == entry.text


async def test_a_thread_that_is_left_and_opened_again_is_where_the_reader_was(
    viewer: Viewer,
) -> None:
    app = viewer()

    def text() -> list[str]:
        return [line[48:118] for line in lines(app)[3:-2]]

    async with app.run_test(size=(120, 14)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter")
        await settle(pilot)
        newest = text()
        await pilot.press("pageup")
        await settle(pilot)
        there = text()
        assert there != newest
        await pilot.press("J")
        await until(pilot, lambda: text() not in (there, newest) and any(text()))
        await pilot.press("K")
        await until(pilot, lambda: text() == there)
