"""The way from a key press to a picker, in modules."""

from tests.journeys import recorded_modules
from tests.tui.conftest import Viewer, settle

# Every key resets the polling interval, and what is behind a dialog is painted again.
POLLING = ("link", "connection", "refreshing", "state", "tasks", "deadlines", "selecting", "orders")
BESIDE = {
    *(f"inbox/{module}.py" for module in POLLING),
    *("tui/inbox/driver.py", "tui/inbox/display.py", "tui/clock.py", "tui/widgets/bar.py"),
}


# Threads that are loaded ahead, one in each rest of the keys.
MOST_OPENINGS = 60


async def test_the_picker_of_labels_opens_through_29_modules_at_most(viewer: Viewer) -> None:
    modules: set[str] = set()
    async with viewer().run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for opening in range(MOST_OPENINGS):
            with recorded_modules() as passed:
                await pilot.press("f", "l")
                await settle(pilot)
            # What a timer does meanwhile is not in each of them.
            modules = modules & passed if opening else set(passed)
            await pilot.press("escape")
            await settle(pilot)
            if len(modules - BESIDE) <= 29:
                break
    assert {"tui/dialogs/picker.py", "mailbox/catalogues.py"} <= modules
    assert len(modules - BESIDE) <= 29
