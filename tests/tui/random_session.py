"""Random use of the viewer: keys, mouse, changes, slow and failing answers."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from random import Random
from typing import Any

from textual import events

from frontdesk.wire.values import timestamp
from tests.soak.sandbox import send
from tests.tui.memory_inbox import (
    STATUSES,
    BasicMemoryInbox,
    MemoryInbox,
    MemoryInboxApp,
    name,
    virtual_time,
)
from tests.tui.textual_private import resize

SIZES = (
    (120, 40),
    (80, 24),
    (60, 20),
    (200, 60),
    (240, 50),
    (160, 45),
    (100, 30),
    (20, 5),
    (45, 12),
)
MOVES = ("j", "k", "G", "g", "ctrl+d", "ctrl+u", "pagedown", "pageup", "u", "p", "U", "W", "minus")
KEYS = (
    *MOVES * 3,
    *("enter", "enter", "escape", "tab", "shift+tab", "1", "2", "3", "4", "h", "l", "i", "plus"),
    *("J", "K", "left_square_bracket", "right_square_bracket", "backspace", "5", "6", "7", "8"),
    *("9", "f u", "f r", "f o", "f h", "f x", "f t", "f c", "f w", "S w", "S w", "S c", "S n"),
    *("ctrl+k", "ctrl+r", "s", "v q", "question_mark", "m", "n", "t", "space", "y"),
)

# Terms of queries that are typed.
TERMS = (
    *("is:open", "is:snoozed", "is:resolved", "@me", "-@me", "@unassigned", "-@unassigned"),
    *("#billing", "-#billing", "#refund", "-#refund", "in:London", "-in:Madrid", "needs:human"),
    *("-needs:human", "unread", "-unread", "Hello", "-001", "waiting:>1h", "active:<1h"),
    *("sort:waiting", "sort:oldest", "sort:window"),
)


class RandomSession:
    """Some time in which keys are pressed, things happen, the terminal changes, nobody waits."""

    def __init__(
        self,
        seed: int,
        source: type[MemoryInbox] | None = None,
        keys: Sequence[str] = KEYS,
    ) -> None:
        """source: the server's kind; every third is a basic one by default."""
        self.chance = Random(f"{seed} story")
        source = source or (BasicMemoryInbox if seed % 3 == 2 else MemoryInbox)
        self.source = source(90, self._seconds)
        self._keys = keys
        self._weather = "fine"
        self.actions: list[str] = []

    def _seconds(self) -> float | None:
        """How long an answer takes; below zero it is a failure."""
        seconds = self.chance.uniform(0.0, {"fine": 0.3, "slow": 9.0}.get(self._weather, 2.0))
        return -seconds if self._weather == "failing" and self.chance.random() < 0.6 else seconds

    async def step(self, app: MemoryInboxApp) -> None:
        """One thing happens."""
        what = self.chance.choices(
            ("key", "query", "mouse", "server", "wait", "resize", "weather"),
            (60, 5, 8, 12, 10, 6, 4),
        )[0]
        match what:
            case "key":
                await self._press(app)
            case "query":
                await self._write(app)
            case "mouse":
                await self._use_mouse(app)
            case "server":
                self.change()
            case "wait":
                await self._pause(self.chance.choice((0.2, 3.0, 12.0, 40.0)))
            case "resize":
                size = self.chance.choice(SIZES)
                self._record("resize", size)
                resize(app, size)
                await asyncio.sleep(self.chance.choice((0.0, 0.5)))
            case "weather":
                self._weather = self.chance.choice(("fine", "fine", "slow", "failing"))
                self._record(self._weather)

    async def _press(self, app: MemoryInboxApp) -> None:
        keys = self.chance.choice(self._keys).split()
        if len(app.screen_stack) > 1 and self.chance.random() < 0.8:
            keys = [self.chance.choice(("escape", "escape", "enter", "c", "0", "down"))]
        self._record("key", *keys)
        for key in keys:
            send(app, key)
        await asyncio.sleep(self.chance.choice((0.0, 0.0, 0.05, 0.2, 1.0)))

    async def _write(self, app: MemoryInboxApp) -> None:
        """Write another query into the filter line."""
        if len(app.screen_stack) == 1:
            text = " ".join(self.chance.sample(TERMS, self.chance.randint(1, 3)))
            self._record("query", text)
            for key in ("F", "ctrl+u", *text, "enter"):
                send(app, key)
            await asyncio.sleep(self.chance.choice((0.1, 0.3, 1.0)))
            # Two terms may exclude each other.
            send(app, "escape")

    async def _use_mouse(self, app: MemoryInboxApp) -> None:
        """Turn the wheel, or click, at any place."""
        kind = self.chance.choice((events.MouseScrollDown, events.MouseScrollUp, events.MouseDown))
        x, y = (self.chance.randrange(max(1, extent)) for extent in app.size)
        self._record(kind.__name__, x, y)
        kinds = (kind, events.MouseUp) if kind is events.MouseDown else (kind,)
        for one in kinds:
            app.post_message(one(None, x, y, 0, 0, 1, False, False, False, x, y))
        await asyncio.sleep(self.chance.choice((0.0, 0.05, 0.3)))

    def change(self) -> None:
        for _ in range(self.chance.randint(1, 4)):
            id = str(self.chance.randrange(90))
            change: dict[str, Any] = self.chance.choice(
                (
                    {"status": self.chance.choice(STATUSES)},
                    {"unread_count": 3, "waiting_since": None},
                    {"assignee": None, "awaiting_human": True},
                    {"status": "open", "waiting_since": timestamp(self.source.now())},
                )
            )
            self._record("server", name(int(id)), change)
            self.source.change(id, **change)
        if self.chance.random() < 0.1:
            gone = self.chance.choice(list(self.source.rows))
            self._record("gone", name(int(gone)))
            del self.source.rows[gone]

    async def _pause(self, seconds: float) -> None:
        self._record("wait", seconds)
        await asyncio.sleep(seconds)

    def _record(self, *what: object) -> None:
        self.actions.append(" ".join(map(str, what)))


def run(seed: int, scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with virtual_time(seed) as runner:
        runner.run(scenario())
