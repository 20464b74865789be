"""The way from a key press to a picker, in modules.

The inbox in memory stands in place of the client, which has two of its own.
"""

import asyncio
from pathlib import Path

from tests.journeys import recorded_modules
from tests.soak.sandbox import send
from tests.tui.memory_inbox import MemoryInbox, memory_inbox_viewer, virtual_time

# Every key resets the polling interval, and what is behind a dialog is painted again.
POLLING = ("link", "connection", "refreshing", "state", "tasks", "deadlines", "selecting", "orders")
BESIDE = {
    *(f"inbox/{module}.py" for module in POLLING),
    *("tui/inbox/driver.py", "tui/inbox/display.py", "tui/clock.py", "tui/widgets/bar.py"),
}

# Until the threads that are loaded ahead are there.
RESTED_SECONDS = 60.0
OPENINGS = 3


def test_the_picker_of_labels_opens_through_27_modules_at_most(tmp_path: Path) -> None:
    async def opened() -> set[str]:
        """Modules of each of several openings: what a timer does meanwhile is in some of them."""
        every: list[set[str]] = []
        async with memory_inbox_viewer(MemoryInbox(60), tmp_path / "cache.db") as app:
            await asyncio.sleep(RESTED_SECONDS)
            for _ in range(OPENINGS):
                with recorded_modules() as modules:
                    send(app, "f")
                    send(app, "l")
                    await asyncio.sleep(0.3)
                every.append(modules)
                send(app, "escape")
                await asyncio.sleep(1.0)
        return set.intersection(*every)

    with virtual_time(0) as runner:
        modules = runner.run(opened())
    assert {"tui/dialogs/picker.py", "mailbox/catalogues.py"} <= modules
    assert len(modules - BESIDE) <= 27, sorted(modules - BESIDE)
