"""Threads that are drawn before they are opened look as they do when they are not."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.entries import NewSinceVisit
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.theme import STYLES
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.message_list import Thread, ThreadContents
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Message
from tests.tui.screen_text import strips

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
SIZE = (50, 24)


class CountingThread(Thread):
    """Counts how often each entry is drawn."""

    def __init__(self) -> None:
        super().__init__(Clock(UTC, lambda: NOW))
        self.times_drawn: Counter[str] = Counter()

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        self.times_drawn[self.rows[position].id] += 1
        return super().draw(position, width)


class ThreadScreen(Screen[None]):
    # As in the inbox, where the list has the focus.
    AUTO_FOCUS = ""
    COMPONENT_CLASSES = PARTS

    def __init__(self, messages: CountingThread) -> None:
        super().__init__()
        self._messages = messages

    def compose(self) -> ComposeResult:
        yield Container(self._messages)


class ThreadApp(CrashReportingApp[None]):
    CSS_PATH = [STYLES / "app.tcss"]

    def __init__(self) -> None:
        super().__init__()
        self.messages = CountingThread()

    def get_default_screen(self) -> ThreadScreen:
        return ThreadScreen(self.messages)


def contents(seed: int, name: str) -> ThreadContents:
    chance = random.Random(f"{seed} {name}")
    entries = []
    for number in range(chance.randint(0, 40)):
        direction = chance.choice(["inbound", "outbound"])
        message = Message(
            id=f"{name} {number}",
            direction=direction,
            author="contact" if direction == "inbound" else "user",
            text=" ".join(chance.choices(["parcel", "*two*", "no", "\n"], k=chance.randint(1, 30))),
            created_at=(NOW - timedelta(hours=6 * (40 - number))).isoformat(),
        )
        entries.append((f"message {message.id}", message))
    unread = chance.choice([0, 0, 1, 3])
    return ThreadContents(
        FixedRows(entries), name, NewSinceVisit(unread), chance.choice(["start", "older above"])
    )


@pytest.mark.parametrize("seed", range(12))
async def test_a_thread_that_was_drawn_ahead_looks_the_same_and_is_not_drawn_again(
    seed: int,
) -> None:
    shown, following = contents(seed, "Ann"), contents(seed, "Bob")
    first, second = ThreadApp(), ThreadApp()
    async with first.run_test(size=SIZE) as pilot:
        first.messages.open(shown)
        await pilot.pause()
        before = strips(first.screen)
        first.messages.draw_ahead(following)
        first.messages.refresh()
        await pilot.pause()
        assert strips(first.screen) == before
        counted = Counter(first.messages.times_drawn)
        first.messages.open(following)
        await pilot.pause()
        ahead = strips(first.screen)
        again = first.messages.times_drawn - counted
    async with second.run_test(size=SIZE) as pilot:
        second.messages.open(following)
        await pilot.pause()
        assert ahead == strips(second.screen)
        if following.new.number == 0:
            assert not again, again
