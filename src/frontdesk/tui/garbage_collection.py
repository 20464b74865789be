"""Collects garbage in pauses between keys, because a full collection takes longer than a frame."""

import gc
import time
from collections.abc import Callable
from typing import Protocol

# Seconds before the garbage of the start is collected: after the start, as answers come in then,
# and after a key.
_START_SECONDS, _START_PAUSE = 1.0, 0.5
# Seconds without a key before any later collection, at least, so that none comes between the
# letters of a word.
_LEAST_PAUSE = 0.2
# A pause is so many times as long as the collection before it, and while no key is pressed,
# collections are so many pauses apart.
_TIMES_AS_LONG = 10
# Collections of the youngest objects alone after which all are due.
_YOUNGEST_DUE = 4
# Collections of the middle generation after which a full one comes without a pause.
_MOST_POSTPONED = 20


class Timer(Protocol):
    """What runs later, unless it is cancelled."""

    def cancel(self) -> None: ...


# Seconds, and what runs after them; as of an event loop.
CallLater = Callable[[float, Callable[[], None]], Timer]


class IdleGarbageCollector:
    """Postpones full garbage collections of this process to pauses between keys.

    What a closed dialog leaves behind has become old by then: only a full collection frees it.

    `start` and `stop` change settings of the whole process: it is for a program that runs one
    viewer.
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: seconds that never go back."""
        self._clock = clock
        self._pause = _START_PAUSE
        self._holds_start = True
        self._call_later: CallLater | None = None
        self._next: Timer | None = None
        self._threshold = gc.get_threshold()

    def start(self, call_later: CallLater) -> None:
        """Freeze the objects that exist, and collect in pauses. call_later: of the event loop."""
        gc.freeze()
        gc.enable()
        self._threshold = gc.get_threshold()
        gc.set_threshold(*self._threshold[:2], _MOST_POSTPONED)
        self._call_later = call_later
        self._wait(_START_SECONDS)

    def stop(self) -> None:
        """Restore the settings from before `start`."""
        gc.set_threshold(*self._threshold)
        self._call_later = None
        if self._next is not None:
            self._next.cancel()

    def record_input(self) -> None:
        """Record a key or a click, after which a pause begins."""
        self._wait(self._pause)

    def _wait(self, seconds: float) -> None:
        if self._next is not None:
            self._next.cancel()
        if self._call_later is not None:
            self._next = self._call_later(seconds, self._collect)

    def _collect(self) -> None:
        if self._holds_start:
            # The garbage of the start was frozen with the rest.
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._holds_start, self._pause = False, _LEAST_PAUSE
        elif self._is_due():
            began = self._clock()
            gc.collect()
            self._pause = max(_LEAST_PAUSE, _TIMES_AS_LONG * (self._clock() - began))
        self._wait(_TIMES_AS_LONG * self._pause)

    def _is_due(self) -> bool:
        """True if there was some work since all objects were looked at."""
        _, youngest, middle = gc.get_count()
        return middle > 0 or youngest > _YOUNGEST_DUE
