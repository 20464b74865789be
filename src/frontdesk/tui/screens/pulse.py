"""When the server is asked again: soon while the viewer is in use, seldom while nobody looks."""

from datetime import datetime, timedelta

IN_USE = timedelta(seconds=10)
RESTING = timedelta(seconds=30)
IDLE = timedelta(minutes=1)
ASLEEP = timedelta(minutes=5)

# Since the last key: up to this long it is in use, resting, idle; then asleep.
_STAGES = (
    (timedelta(minutes=1), IN_USE),
    (timedelta(minutes=10), RESTING),
    (timedelta(hours=1), IDLE),
)

# A server that never says that nothing changed sends all of it each time: it is asked less often.
SLOWER = 2

# After the first, second, … failure in a row.
_AFTER_FAILURES = tuple(timedelta(seconds=seconds) for seconds in (5, 10, 20, 40, 60))


class Pulse:
    """Decides from keys, focus and failures how long to wait before the next question.

    `quiet_unfocused`: ask nothing while the terminal has not the focus.
    """

    def __init__(self, now: datetime, *, quiet_unfocused: bool = False) -> None:
        self._used_at = self._asked_at = now
        self._quiet_unfocused = quiet_unfocused
        self._focused = True
        self._asking = False
        self._failures = 0
        self._not_before = now
        self._pace = 1

    def used(self, now: datetime) -> bool:
        """A key or a click; True if the last answer is older than it should be in use.

        While an answer is on its way it never is: asking again would mean to wait from the start.
        """
        self._used_at = now
        late = now - self._asked_at > IN_USE * self._pace
        return now >= self._not_before and not self._failures and not self._asking and late

    @property
    def asking(self) -> bool:
        """A request is under way."""
        return self._asking

    def asks(self) -> None:
        """A question is on its way, until it is answered or has failed."""
        self._asking = True

    def focus(self, focused: bool) -> None:
        """The terminal got or lost the focus."""
        self._focused = focused

    def answered(self, now: datetime, *, in_full: bool = False) -> None:
        """The server gave what was asked. in_full: it never just says that nothing changed."""
        self._asked_at, self._failures, self._asking = now, 0, False
        self._pace = SLOWER if in_full else 1
        self._not_before = now

    def failed(
        self, now: datetime, retry_after: timedelta | None = None, *, by_hand: bool = False
    ) -> timedelta:
        """The server did not; returns how long to wait now.

        While a wait is running, only a longer pause of the server or of the circuit breaker
        lengthens it, and nothing that was asked for `by_hand`.
        """
        if self._failures and now < self._not_before:
            if retry_after is not None:
                choose = min if by_hand else max
                self._not_before = choose(self._not_before, now + retry_after)
            self._asked_at, self._asking = now, False
            return self._not_before - now
        wait = _AFTER_FAILURES[min(self._failures, len(_AFTER_FAILURES) - 1)]
        self._failures += 1
        self._asked_at, self._asking = now, False
        self._not_before = now + max(wait, retry_after or timedelta())
        return self._not_before - now

    def wait(self, now: datetime) -> timedelta | None:
        """How long until the next question; None: not before the focus comes back."""
        if not self._focused and self._quiet_unfocused:
            return None
        if self._failures:
            return max(self._not_before - now, timedelta(seconds=1))
        idle = now - self._used_at
        every = next((every for upto, every in _STAGES if idle < upto), ASLEEP)
        if not self._focused:
            every = max(every, IDLE)
        return max(self._asked_at + every * self._pace - now, timedelta(seconds=1))
