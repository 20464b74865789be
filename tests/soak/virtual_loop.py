"""A clock of its own for a whole program: where nothing is left to do, time jumps to what is next.

What would go to a thread is done in the loop, some milliseconds later: one seed is one story.
"""

import asyncio
import selectors
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from unittest.mock import patch

from tests.patience import HANG_SECONDS
from tests.tui.textual_private import timers_on

START = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
# So many seconds a thread of the program's takes at most.
_LONGEST_WORK = 0.02
# A program that waits for nothing at all has so many real seconds to be called from outside.


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose seconds pass at once where nobody works."""

    def __init__(self, chance: Random) -> None:
        self._seconds = 0.0
        self._chance = chance
        super().__init__(_Selector(self._skip))

    def time(self) -> float:
        return self._seconds

    def now(self) -> datetime:
        """The moment that it is for everybody in the program."""
        return START + timedelta(seconds=self._seconds)

    def milliseconds(self) -> int:
        """The same as the service counts it."""
        return int(self.now().timestamp() * 1000)

    def run_in_executor(  # type: ignore[override]
        self, executor: Any, func: Callable[..., Any], *args: Any
    ) -> Any:
        future = self.create_future()

        def work() -> None:
            if future.cancelled():
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)

        self.call_later(self._chance.uniform(0.0, _LONGEST_WORK), work)
        return future

    def _skip(self, seconds: float) -> None:
        self._seconds += seconds


class _Selector(selectors.DefaultSelector):
    """Waits for nothing: time is moved on instead."""

    def __init__(self, skip: Callable[[float], None]) -> None:
        super().__init__()
        self._skip = skip

    def select(self, timeout: float | None = None) -> list[Any]:
        ready: list[Any] = super().select(0 if timeout is not None else HANG_SECONDS)
        assert ready or timeout is not None, "everything waits for ever"
        if not ready and timeout is not None and timeout > 0:
            self._skip(timeout)
        return ready


@contextmanager
def virtual_loop(chance: Random) -> Iterator[asyncio.Runner]:
    """Runs coroutines on such a loop; the timers of the screen are on it too."""
    with (
        asyncio.Runner(loop_factory=lambda: VirtualLoop(chance)) as runner,
        timers_on(runner.get_loop().time),
        # Textual's own leaves out what is too short for the clock on the wall.
        patch("textual.timer.sleep", asyncio.sleep),
    ):
        yield runner
