"""The key that hides conversations until a time: its prompt, several rows, undo, the row's sign."""

from tests.tui.conftest import Viewer, lines, notifications, settle, shown
from tests.tui.inbox_state import queue_names, screen_of
from tests.tui.views import press, type_in

SIZE = (120, 40)


async def test_z_hides_a_conversation_until_a_time_and_undo_shows_it_again(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = queue_names(app)
        await press(pilot, "z", "full_stop")
        assert "in 1h · 15:00 · tomorrow · mon 9:00" in shown(app)
        await type_in(pilot, "tomorow")
        await press(pilot, "enter")
        assert "Write in 1h, 15:00, tomorrow, mon 9:00, next week" in shown(app)
        await type_in(pilot, "mon 9:00")
        assert "Hidden on this computer until Monday 16 March 2026, 09:00" in shown(app)
        await press(pilot, "enter")
        assert queue_names(app) == before[1:]
        assert screen_of(app).queue.list.selected_id == before[1]
        said = "1 conversation hidden on this computer until Mon 09:00. U: undo"
        assert notifications(app)[-1] == said
        await press(pilot, "U")
        assert queue_names(app) == before


async def test_z_hides_the_selected_rows_together_and_follow_ups_show_when_they_come_back(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = queue_names(app)
        await press(pilot, "space", "j", "space", "z", "h")
        assert queue_names(app) == before[2:]
        assert screen_of(app).queue.list.marked == ()
        await press(pilot, "f", "z")
        assert sorted(queue_names(app)) == sorted(before[:2])
        assert sum("⏰ 12:00 " in line for line in lines(app)) == 2
