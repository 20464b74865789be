"""The texts of screens: what each key of a walk changes, as in drawings/."""

import asyncio
from datetime import UTC
from pathlib import Path

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.tui.clock import Clock
from tests.conftest import NOW
from tests.soak.sandbox import send
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import lines, settle
from tests.tui.memory_inbox import MemoryInbox, memory_inbox_viewer, virtual_time
from tests.tui.views import counted, press, view_app

# Keys of the inbox by what they are of.
INBOX_WALKS = {
    "dialogs": (
        "question_mark pagedown escape f escape f l escape f c escape S escape v escape F a escape "
        "s h escape ctrl+k 1 escape colon r escape w j escape Y escape x escape"
    ),
    "panes": (
        "plus plus i i 3 k J K G g left_square_bracket ctrl+y w escape 4 j G 2 h l "
        "less_than_sign greater_than_sign minus tab tab 1 j enter"
    ),
    "marks": "space j space E escape escape m m M y z escape t 3 d escape vertical_line escape",
    "filters": (
        "5 6 7 8 9 f n f u backspace backspace u p W U slash 1 enter n N escape H L "
        "right_square_bracket f l b i l l enter 3 f n f p"
    ),
}
SIZES = ((80, 24), (130, 30), (90, 26), (120, 30))
# In virtual time: what the status line says ends after some seconds.
PAUSE = 0.6


class Changes:
    """Draws the lines that differ from those before, with their numbers."""

    def __init__(self) -> None:
        self.drawing = Drawing()
        self._before: list[str] = []

    def add(self, title: str, shown: list[str]) -> None:
        changed = [
            f"{y:>2} {line}" for y, line in enumerate(shown) if self._before[y : y + 1] != [line]
        ]
        self.drawing.add_text(title, changed)
        self._before = shown


@pytest.mark.parametrize(("walk", "size"), [*zip(INBOX_WALKS, SIZES, strict=True)])
def test_keys_of_the_inbox_change_these_lines(
    pytestconfig: pytest.Config, tmp_path: Path, walk: str, size: tuple[int, int]
) -> None:
    changes = Changes()

    async def live() -> None:
        async with memory_inbox_viewer(MemoryInbox(30), tmp_path / "cache.db", size) as app:
            for key in INBOX_WALKS[walk].split():
                send(app, key)
                await asyncio.sleep(PAUSE)
                changes.add(key, lines(app))

    with virtual_time(0) as runner:
        runner.run(live())
    changes.drawing.compare(pytestconfig, f"inbox-{walk}")


VIEW_WALKS = {
    "reports": "1 j 2 left 4 j 3 5 6 7 8 l m percent_sign 0 l S escape p escape w escape",
    "contacts": "j G slash a enter n tab j question_mark escape",
    "templates": "j j G g slash o enter n question_mark escape",
    "directory": "2 j 3 j 4 G question_mark escape",
}


@pytest.mark.parametrize("view", VIEW_WALKS)
async def test_keys_of_a_view_change_these_lines(
    pytestconfig: pytest.Config, client: InboxClient, cache: Cache, view: str
) -> None:
    changes = Changes()
    app = view_app(view, client, cache, Clock(UTC, lambda: NOW))
    async with app.run_test(size=(100, 28)) as pilot:
        await settle(pilot)
        for key in VIEW_WALKS[view].split():
            await press(pilot, key)
            if view == "directory" and key not in ("question_mark", "escape"):
                await counted(pilot)
            # The last line says how long ago something was.
            changes.add(key, lines(app)[:-1])
    changes.drawing.compare(pytestconfig, view)
