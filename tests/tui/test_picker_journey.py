"""The way from a key press to a picker, in modules."""

from tests.journeys import recorded_modules
from tests.tui.conftest import Viewer, settle

# Every key resets the polling interval, and what is behind a dialog is painted again.
POLLING = ("link", "connection", "refreshing", "state", "tasks", "deadlines", "selecting", "orders")
BESIDE = {
    *(f"inbox/{module}.py" for module in POLLING),
    *("tui/inbox/driver.py", "tui/inbox/display.py", "tui/clock.py", "tui/widgets/bar.py"),
}


async def test_the_picker_of_labels_opens_through_29_modules_at_most(viewer: Viewer) -> None:
    openings = []
    async with viewer().run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        # More than there are threads to load ahead, one in each rest of the keys.
        for _ in range(10):
            with recorded_modules() as modules:
                await pilot.press("f", "l")
                await settle(pilot)
            openings.append(modules)
            await pilot.press("escape")
            await settle(pilot)
    # What a timer does meanwhile is not in each of them.
    modules = set.intersection(*openings)
    assert {"tui/dialogs/picker.py", "mailbox/catalogues.py"} <= modules
    assert len(modules - BESIDE) <= 29
