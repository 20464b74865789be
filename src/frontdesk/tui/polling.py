"""Adaptive polling interval: short while the viewer is in use, long while it is idle."""

from datetime import datetime, timedelta

IN_USE = timedelta(seconds=10)
RESTING = timedelta(seconds=30)
IDLE = timedelta(minutes=1)
ASLEEP = timedelta(minutes=5)

# Upper limit of the time since the last input, and the interval; beyond the last: ASLEEP.
_STAGES = (
    (timedelta(minutes=1), IN_USE),
    (timedelta(minutes=10), RESTING),
    (timedelta(hours=1), IDLE),
)

# Factor for a server that does not answer 304 and sends every response in full.
SLOWER = 2

# Time without input before requests of the background are sent.
RESTED = timedelta(seconds=1)

# Back-off after the first, second, … consecutive failure.
_AFTER_FAILURES = tuple(timedelta(seconds=seconds) for seconds in (5, 10, 20, 40, 60))


class PollingInterval:
    """Computes the delay before the next refresh from input, focus and failures.

    `quiet_unfocused`: no polling while the terminal is not focused.
    """

    def __init__(self, now: datetime, *, quiet_unfocused: bool = False) -> None:
        self._used_at = self._asked_at = now
        self._quiet_unfocused = quiet_unfocused
        self._focused = True
        self._asking_since: datetime | None = None
        self._failures = 0
        self._not_before = now
        self._backoff = timedelta()
        self._stopped = False
        # A request by hand has failed during the running back-off.
        self._tried_by_hand = False
        self._pace = 1

    def used(self, now: datetime) -> bool:
        """Record user input; True if the shown rows are older than the interval while in use.

        False while a request is running: a second one would restart the wait.
        """
        self._used_at = now
        late = now - self._asked_at > IN_USE * self._pace
        waiting = self._failures or self.asking or self._stopped
        return now >= self._not_before and not waiting and late

    def is_busy(self, now: datetime) -> bool:
        """True if requests of the background have to wait, for the user or the terminal's focus."""
        return now - self._used_at < RESTED or self.awaits_focus or self._stopped

    @property
    def awaits_focus(self) -> bool:
        """True while nothing is requested until the terminal has the focus."""
        return self._quiet_unfocused and not self._focused

    @property
    def asking(self) -> bool:
        """True while a request is running."""
        return self._asking_since is not None

    def asking_for(self, now: datetime) -> timedelta:
        """Time since the running request was sent; 0 without one."""
        return now - (self._asking_since or now)

    def asks(self, now: datetime) -> None:
        """Record that a request was sent; it ends with `answered`, `failed` or `stop`."""
        self._asking_since, self._stopped = now, False

    def stop(self) -> None:
        """Record a failure that lasts: there is no further attempt until `asks` or `failed`."""
        self._asking_since, self._stopped = None, True

    def focus(self, focused: bool) -> None:
        """Record a focus change of the terminal."""
        self._focused = focused

    def answered(self, now: datetime, *, in_full: bool = False) -> None:
        """Record a success. in_full: the server does not answer 304."""
        self._asked_at, self._failures, self._asking_since = now, 0, None
        self._tried_by_hand = False
        self._pace = SLOWER if in_full else 1
        self._not_before = now

    def failed(
        self, now: datetime, retry_after: timedelta | None = None, *, by_hand: bool = False
    ) -> timedelta:
        """Record a failure; returns the time to wait before the next attempt.

        While a back-off is running, a failure does not extend it, unless `retry_after` is longer.
        A failure of a request by hand never makes the wait longer than that of the failure before,
        nor the next one: it may have used up what the server allows.
        """
        self._asked_at, self._asking_since, self._stopped = now, None, False
        running = bool(self._failures) and now < self._not_before
        again = by_hand or self._tried_by_hand
        self._tried_by_hand = running and again
        if running and (by_hand or retry_after is None):
            until = self._not_before if retry_after is None else now + retry_after
            self._not_before = min(self._not_before, until)
        elif running:
            self._not_before = max(self._not_before, now + (retry_after or timedelta()))
        else:
            self._start_backoff(now, retry_after or timedelta(), again=again)
        return self._not_before - now

    def _start_backoff(self, now: datetime, retry_after: timedelta, *, again: bool) -> None:
        """Wait longer than after the failure before, or as long if this is `again`."""
        if not (again and self._failures):
            step = _AFTER_FAILURES[min(self._failures, len(_AFTER_FAILURES) - 1)]
            self._backoff = max(step, retry_after)
            self._failures += 1
        self._not_before = now + self._backoff

    def wait(self, now: datetime) -> timedelta | None:
        """Time to the next refresh, at least a second; None if there is none by itself."""
        if self._stopped or self.awaits_focus:
            return None
        if self._failures:
            return max(self._not_before - now, timedelta(seconds=1))
        idle = now - self._used_at
        every = next((every for upto, every in _STAGES if idle < upto), ASLEEP)
        if not self._focused:
            every = max(every, IDLE)
        return max(self._asked_at + every * self._pace - now, timedelta(seconds=1))
