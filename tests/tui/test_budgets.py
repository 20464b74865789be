"""Budgets of a start, a key and an idle viewer, counted in operations."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Region
from textual.widget import Widget

from frontdesk.client import InboxClient
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.message_list import Thread
from tests.tui.conftest import Viewer, frame_shown, settle

# Everything that the first paint needs beside Textual and the standard library.
MODULES_OF_A_START = 150
# With all that is inside them.
NOT_AT_A_START = (
    "httpx",
    "httpcore",
    "anyio",
    "starlette",
    "granian",
    "psycopg",
    "tomllib",
    "webbrowser",
    "frontdesk.client",
    "frontdesk.service",
    "frontdesk.store",
    *(f"frontdesk.tui.screens.{name}" for name in ("menu", "picker", "prompt", "search", "report")),
)

START = """
import sys
before = set(sys.modules)
import frontdesk.cli.main
import frontdesk.cli.main
import frontdesk.cli.viewer
print(*(name for name in sorted(set(sys.modules) - before) if sys.modules[name]))
"""

CONNECTED = """
import asyncio, sys
from frontdesk.cli.config import configuration
from frontdesk.cli.target import Target
from frontdesk.cli.viewer import _of_server
from frontdesk.errors import Unreachable

async def main():
    inbox = _of_server(Target(url="http://127.0.0.1:9"), configuration())
    client = await asyncio.to_thread(inbox.connect)
    before = set(sys.modules)
    try:
        await client.counts()
    except Unreachable:
        print(*sorted(set(sys.modules) - before))
    await client.close()
    print(*(f"needless:{name}" for name in ("pygments", "rich.progress") if name in sys.modules))
    import pygments

asyncio.run(main())
"""


def printed(program: str, home: Path) -> list[str]:
    """The words that a program prints, in a process of its own."""
    variables = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    environment = {**os.environ, **variables, "FRONTDESK_API_KEY": "fdk_" + "a" * 40}
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, env=environment, capture_output=True, check=True, text=True)
    return ended.stdout.split()


def test_a_start_imports_little_and_nothing_before_it_is_needed(tmp_path: Path) -> None:
    imported = printed(START, tmp_path)
    unneeded = [f"{name}." for name in NOT_AT_A_START]
    assert not [name for name in imported if f"{name}.".startswith(tuple(unneeded))]
    ours = [name for name in imported if name.startswith("frontdesk")]
    assert 50 < len(ours) <= MODULES_OF_A_START


def test_the_first_question_imports_nothing_where_the_screen_would_wait(tmp_path: Path) -> None:
    assert printed(CONNECTED, tmp_path) == []


class Counted:
    """The real client, counting what it is asked."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_page") or name in ("counts", "contact_by_phone", "report"):
            self.asked[name] += 1
        return getattr(self._client, name)


async def test_a_start_asks_for_each_thing_once(viewer: Viewer, client: InboxClient) -> None:
    source = Counted(client)
    app = viewer(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
    # The head of the queue, the page after it, the one that tells who is "me" and the total of a
    # tab; the first thread and the one below the cursor.
    assert source.asked["conversation_page"] <= 4
    assert source.asked["message_page"] <= 2
    assert source.asked["counts"] <= 2
    assert sum(source.asked.values()) <= 16


async def test_a_rest_asks_nothing_and_draws_nothing(
    viewer: Viewer, client: InboxClient, drawn: Counter[str]
) -> None:
    source = Counted(client)
    app = viewer(source)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        # What is drawn ahead is drawn after the frame.
        await frame_shown(pilot)
        source.asked.clear()
        drawn.clear()
        for _ in range(20):
            await pilot.pause()
    assert not source.asked
    assert not drawn


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the rows that are drawn, by the kind of list."""
    counts: Counter[str] = Counter()
    for kind in (ConversationList, Thread):
        real = kind.draw

        def draw(self: Any, position: int, width: int, real: Any = real) -> Any:
            counts[type(self).__name__] += 1
            return real(self, position, width)

        monkeypatch.setattr(kind, "draw", draw)
    return counts


async def test_a_refresh_without_news_draws_nothing_and_a_cursor_move_a_row_and_two_ahead(
    viewer: Viewer, drawn: Counter[str]
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        # What is drawn ahead is drawn after the frame.
        await frame_shown(pilot)
        drawn.clear()
        await pilot.press("ctrl+r")
        await settle(pilot)
        await frame_shown(pilot)
        assert not drawn
        moves = ("j", "j", "k")
        await pilot.press(*moves)
        # Ahead: the row that the next key selects, and one that the next scroll shows.
        assert drawn["ConversationList"] <= 1 + 2 * len(moves)


@pytest.fixture
def painted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the lines that go to the terminal, by the kind of widget."""
    counts: Counter[str] = Counter()
    real = Widget.refresh

    def refresh(self: Widget, *regions: Region, **options: Any) -> Widget:
        lines = sum(region.height for region in regions) if regions else self.size.height
        counts[type(self).__name__] += lines
        return real(self, *regions, **options)

    monkeypatch.setattr(Widget, "refresh", refresh)
    return counts


async def test_only_what_looks_otherwise_is_painted(viewer: Viewer, painted: Counter[str]) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        painted.clear()
        # A minute later.
        app.query_one(ConversationList).update_ages()
        assert not painted
        await pilot.press("ctrl+r")
        await settle(pilot)
        # What has no size is not there.
        assert not +painted
        painted.clear()
        await pilot.press("j")
        await settle(pilot)
        # The row that the cursor leaves, and the one that it selects.
        lines_of_a_row = 2
        assert painted["ConversationList"] == 2 * lines_of_a_row
