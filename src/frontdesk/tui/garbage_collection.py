"""Collects garbage in pauses between keys, because a full collection takes longer than a frame."""

import gc
import time
from collections.abc import Callable

# Seconds without a key before a collection, and between checks for one that is due.
REST_SECONDS = 0.25
# Seconds after the start in which its garbage is left alone, because answers are coming in.
_START_SECONDS = 1.0
# Collections of younger objects after which a full one is due, and after which it comes anyway.
_FULL_DUE, _MOST_POSTPONED = 10, 20
# Collections of the youngest objects after which the middle generation is collected too.
_YOUNGER_DUE = 4


class IdleGarbageCollector:
    """Postpones full garbage collections of this process to pauses between keys.

    `start` and `stop` change settings of the whole process: it is for a program that runs one
    viewer.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: seconds that never go back."""
        self._clock = clock
        self._used_at = 0.0
        self._frozen_at: float | None = None
        self._threshold = gc.get_threshold()

    def start(self) -> None:
        """Freeze the objects that exist, and allow full collections less often."""
        gc.freeze()
        gc.enable()
        self._frozen_at = self._clock()
        self._threshold = gc.get_threshold()
        gc.set_threshold(*self._threshold[:2], _MOST_POSTPONED)

    def stop(self) -> None:
        """Restore the settings from before `start`."""
        gc.set_threshold(*self._threshold)

    def record_input(self) -> None:
        """Record a key or a click."""
        self._used_at = self._clock()

    def collect_if_idle(self) -> None:
        """Run the collection that is due, unless there was a key or a click a moment ago."""
        now = self._clock()
        if now - self._used_at <= REST_SECONDS:
            return
        if self._frozen_at is not None and now - self._frozen_at > _START_SECONDS:
            self._frozen_at = None
            # The garbage of the start was frozen with the rest.
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            return
        _, younger, full = gc.get_count()
        if full > _FULL_DUE:
            gc.collect()
        elif younger > _YOUNGER_DUE:
            gc.collect(1)
