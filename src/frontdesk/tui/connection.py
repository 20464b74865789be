"""State of the connection to the server: sends requests, reports failures, schedules retries.

`Bell` detects new unread activity.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from frontdesk.errors import (
    ME_UNAVAILABLE,
    NOBODY_IS_ME,
    BadResponse,
    CircuitOpen,
    CursorRefused,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    Paused,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.mailbox import Mailbox
from frontdesk.request_priority import urgent
from frontdesk.text import clean, one_line
from frontdesk.time_format import duration, short_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.tui.polling import PollingInterval
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Conversation

T = TypeVar("T")

_FAULTS = (
    (Unauthorised, "key refused (401)"),
    (BadResponse, "unreadable answer"),
    (Forbidden, "not allowed (403)"),
    (NotFound, "no inbox here (404)"),
)


class Answer(NamedTuple, Generic[T]):
    """Result of a successful request."""

    value: T


class ConnectionMonitor:
    """Tracks the connection state; stops sending requests after a 401.

    `warn` shows a notification once for each problem; lasting states are in `state`. `changed` is
    called after each request for the list, `state_changed` after one `beside` it that may have
    changed `state`. `seen_at` returns when the shown rows were fetched. `schedule_poll`
    is called when the time of the next attempt has changed; without it, a failure of a `beside`
    request is not followed by one.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        warn: Callable[[str], None],
        polling: PollingInterval | None = None,
        *,
        changed: Callable[[], None] = lambda: None,
        state_changed: Callable[[], None] = lambda: None,
        seen_at: Callable[[], datetime | None] = lambda: None,
        schedule_poll: Callable[[], None] | None = None,
    ) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._warn = warn
        self._changed = changed
        self._state_changed = state_changed
        self._seen_at = seen_at
        self._schedule_poll = schedule_poll
        self._polling = polling or PollingInterval(clock.now())
        self._refused = self._paused = False
        self._by_hand = 0
        # `beside` requests failed since the last answer for the list; or they fail despite it.
        self._failed_beside = self._fails_only_beside = False
        # State by the age of the shown rows, which is "" if none were fetched.
        self._status: Callable[[str], Piece] = lambda age: ("dim", "connecting…")
        self._live_at: datetime | None = None
        self._next_try: datetime | None = None
        # Successful requests before the last failure to reach the server, and the planned time of
        # the attempt that was made early because others succeeded after it.
        self._answers_before: int | None = None
        self._early_retry_used: datetime | None = None
        self.problem = self._warned_of = ""

    def begin(self, activity: str = "loading…") -> None:
        """Set the state before the first answer for the shown rows; a failure stays.

        The seconds of the request for them are counted from now.
        """
        self._live_at = None
        self._warned_of = ""
        if self._next_try is None and not self._refused:
            self._polling.asks(self._clock.now())
            self._status = lambda age: ("dim", f"{age} · {activity}" if age else activity)

    @property
    def state(self) -> list[Piece]:
        """Pieces for the status line: live and its age, or the failure and a countdown.

        A request that has been running for a second or more is shown with its seconds.
        """
        words, seconds = self._answered_state(self._clock.now()), self.asking_seconds
        if not seconds:
            return words
        asking = "" if words[-1][1].endswith("…") else " · asking…"
        return [*words, ("dim", f"{asking} {seconds} s")]

    def _answered_state(self, now: datetime) -> list[Piece]:
        seen = self._clock.here(self._seen_at())
        shown = f"as of {moment_words(seen, now)}" if seen is not None else ""
        status = _not_refreshed(shown) if self._is_reached else self._status(shown)
        if self._next_try is not None and (self._by_hand or self.asking):
            return [status, ("dim", " · retrying now…")]
        if self._next_try is not None and self._polling.awaits_focus:
            return [status, ("dim", " · paused until this terminal has the focus")]
        if self._next_try is not None and self.counts_down:
            seconds = -((now - self._next_try) // timedelta(seconds=1))
            return [status, ("dim", f" · retrying in {seconds} s")]
        if self._live_at is not None:
            age = now - self._live_at
            old = age >= timedelta(minutes=1)
            return [("dim", f"live · {duration(age)} ago") if old else ("good", "live")]
        return [status]

    @property
    def counts_down(self) -> bool:
        """True while the next attempt is awaited."""
        running = self._by_hand or self.asking
        awaited = self._next_try is not None and self._next_try > self._clock.now()
        return awaited and not running and not self._polling.awaits_focus

    @property
    def _is_reached(self) -> bool:
        """True if the server could not be reached for the list, and answered others since."""
        before = self._answers_before
        return self.failing and before is not None and self._mailbox.answers > before

    def use_early_retry(self) -> bool:
        """True, once for each countdown, if the list can be requested before its end."""
        if not (self._is_reached and self.counts_down and self._early_retry_used != self._next_try):
            return False
        self._early_retry_used = self._next_try
        return True

    @property
    def failing(self) -> bool:
        """True while a retry is scheduled."""
        return self._next_try is not None

    @property
    def refused(self) -> bool:
        """True if the server has refused the key: nothing is requested any more."""
        return self._refused

    @property
    def asking(self) -> bool:
        """True while a request for the shown rows is running."""
        return self._polling.asking and self._mailbox.connected and not self._refused

    @property
    def asking_seconds(self) -> int:
        """Whole seconds for which a request for the shown rows has been running."""
        running = self._polling.asking_for(self._clock.now())
        return running // timedelta(seconds=1) if self.asking else 0

    async def ask(
        self,
        request: Callable[[], Awaitable[T]],
        *,
        beside: bool = False,
        by_hand: bool = False,
    ) -> Answer[T] | None:
        """Send a request; None if it failed, which is reported.

        A failure of a `beside` request (not for the conversation list) marks the connection as
        failing only if the server is unreachable, rejects the key or sends an unreadable response.
        If it is unreachable, the list is requested after the first back-off, and stays live if that
        succeeds. `by_hand` ignores a running back-off.
        """
        if self._refused or not self._mailbox.connected:
            return None
        self._by_hand += by_hand
        answer = None
        try:
            with urgent() if by_hand or (not beside and self._retry_is_due) else nullcontext():
                answer = Answer(await request())
        except InboxError as error:
            self._report(error, beside=beside, by_hand=by_hand)
        finally:
            self._by_hand -= by_hand
            if answer is not None and beside:
                self._fails_only_beside = False
            if not beside:
                self._changed()
            elif answer is None or by_hand or self._is_reached:
                self._state_changed()
        return answer

    @property
    def _retry_is_due(self) -> bool:
        """True after a countdown: the retry is sent although the circuit breaker may be open."""
        due = self._next_try is not None and self._next_try <= self._clock.now()
        return due and not self._paused

    def is_live(self) -> None:
        """Record that the shown rows are current."""
        self._live_at, self._next_try, self.problem = self._clock.now(), None, ""
        self._warned_of = ""
        in_full = self._mailbox.state_of("unchanged") in ("absent", "ignored")
        self._polling.answered(self._live_at, in_full=in_full)
        self._fails_only_beside = self._fails_only_beside or self._failed_beside
        self._failed_beside = False

    def _report(self, error: InboxError, *, beside: bool, by_hand: bool) -> None:
        self.problem = problem_words(error)
        self._paused = _asks_for_pause(error)
        self._refused = self._refused or isinstance(error, Unauthorised)
        if not beside or self._matters_beside(error):
            self._live_at = None
            self._status = _status_after(error)
            offline = isinstance(error, Unreachable) and not self._paused
            self._answers_before = self._mailbox.answers if offline else None
        if isinstance(error, Unauthorised):
            self._next_try = None
        elif not beside:
            self._failed_beside = self._fails_only_beside = False
            self._schedule_retry(error, by_hand=by_hand)
        elif self._needs_retry(error):
            self._failed_beside = True
            self._schedule_retry(error, by_hand=by_hand)
        passing = isinstance(error, Unreachable) and not isinstance(error, NetworkMisconfigured)
        if not passing and self.problem != self._warned_of:
            self._warn(self.problem)
        self._warned_of = self.problem

    def _matters_beside(self, error: InboxError) -> bool:
        """True if a failure of a `beside` request says something about the connection."""
        if isinstance(error, Unreachable):
            return not self._fails_only_beside
        return isinstance(error, (Unauthorised, BadResponse))

    def _needs_retry(self, error: InboxError) -> bool:
        """True if a failure of a `beside` request is the first sign of an unreachable server."""
        known = self._fails_only_beside or self.failing or self.asking
        return isinstance(error, Unreachable) and not known and self._schedule_poll is not None

    def _schedule_retry(self, error: InboxError, *, by_hand: bool) -> None:
        """Schedule the next attempt, unless the failure lasts."""
        if isinstance(error, Refused) and not isinstance(error, CursorRefused):
            self._next_try = None
            self._polling.stop()
            return
        now = self._clock.now()
        self._next_try = now + self._polling.failed(now, _retry_after(error), by_hand=by_hand)
        if self._schedule_poll is not None:
            self._schedule_poll()


def _status_after(error: InboxError) -> Callable[[str], Piece]:
    """State after a failure, by the age of the shown rows."""
    if _asks_for_pause(error):
        return lambda age: ("warning", "slow down")
    unreachable = isinstance(error, Unreachable)
    colour, words = ("warning", "offline") if unreachable else ("error", _fault(error))
    return lambda age: (colour, f"{words} · {age}" if age else words)


def _not_refreshed(age: str) -> Piece:
    return ("warning", f"not refreshed · {age}" if age else "not loaded")


def moment_words(moment: datetime, now: datetime) -> str:
    """Time of day, with the date if it is not the date of `now`."""
    time = time_of_day(moment)
    return time if moment.date() == now.date() else f"{short_date(moment)} {time}"


def problem_words(error: InboxError) -> str:
    """Sentence for the panes; the time of the next attempt is in the status line only."""
    if isinstance(error, Paused):
        return "The server asks for a pause"
    if isinstance(error, Refused) and error.code == ME_UNAVAILABLE:
        return NOBODY_IS_ME
    words = one_line(clean(error.problem if isinstance(error, CircuitOpen) else str(error)))
    if isinstance(error, Unauthorised):
        return f"{words.rstrip('.')} (frontdesk doctor says where the key comes from)"
    return words


def _fault(error: InboxError) -> str:
    """Short description of an error for the status line."""
    for kind, words in _FAULTS:
        if isinstance(error, kind):
            return words
    return "request refused"


def _asks_for_pause(error: InboxError) -> bool:
    """True if the server said how long to wait."""
    has_pause = isinstance(error, Unreachable) and error.retry_after is not None
    return has_pause and not isinstance(error, CircuitOpen)


def _retry_after(error: InboxError) -> timedelta | None:
    """The server's Retry-After, clamped to 0-3600 seconds.

    None for the circuit breaker, which a retry skips.
    """
    if not isinstance(error, Unreachable) or isinstance(error, CircuitOpen):
        return None
    seconds = error.retry_after
    return None if seconds is None else timedelta(seconds=min(max(seconds, 0), 3600))


class Bell:
    """Keeps the newest activity time of unread conversations; the first call is the baseline."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """True if a conversation was active later than all conversations of earlier calls."""
        latest = max((row.last_activity_at for row in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before
