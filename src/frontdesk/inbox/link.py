"""Connection to the server as one state: when the list is requested next, and what is said of it.

Each event gives the next state. Times are the caller's; no request is sent here.
"""

from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

from frontdesk.errors import (
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
    sentence_of,
)
from frontdesk.inbox.limits import (
    BACK_OFF,
    FOLLOWED,
    LONGEST_PAUSE,
    POLL,
    RESTED,
)
from frontdesk.text.clean import clean, one_line

# Tone of words and the words: "good", "dim", "warning" or "error".
Said = tuple[str, str]

SECOND = timedelta(seconds=1)
# Of a running request, before it is said beside what is known.
ASKING_SECONDS = 3

_FAULTS = (
    (Unauthorised, "key refused (401)"),
    (BadResponse, "unreadable answer"),
    (Forbidden, "not allowed (403)"),
    (NotFound, "no inbox here (404)"),
)


class Phase(Enum):
    """Where the requests for the shown list are.

    BEGUN: none was answered. FAILING: a retry is scheduled. STOPPED: this view cannot succeed, and
    is not requested by itself. REFUSED: nothing is requested, since the key was refused.
    """

    CONNECTING = auto()
    BEGUN = auto()
    LIVE = auto()
    FAILING = auto()
    STOPPED = auto()
    REFUSED = auto()


class Link(NamedTuple):
    """State of the connection.

    used_at: time of the last input. ended_at: of the last end of a request for the list.
    asking_since: of the running one. by_hand: number of running requests that the user asked for.
    not_before: end of the back-off. trouble: the last failure that says something about the
    connection; problem: words for the last failure of all, of which warned was shown.
    failed_beside: requests for something else have failed since the last answer for the list;
    fails_only_beside: they fail although the list is answered. retries: a failure of such a request
    is followed by one for the list. quiet_unfocused: nothing is requested without the focus.
    followed: the server says at once what changes; follows: it may be able to.
    """

    used_at: datetime
    ended_at: datetime
    not_before: datetime
    asking_since: datetime | None = None
    by_hand: int = 0
    phase: Phase = Phase.CONNECTING
    activity: str = "connecting…"
    live_at: datetime | None = None
    failures: int = 0
    backoff: timedelta = timedelta()
    tried_by_hand: bool = False
    paused: bool = False
    trouble: InboxError | None = None
    problem: str = ""
    warned: str = ""
    failed_beside: bool = False
    fails_only_beside: bool = False
    focused: bool = True
    retries: bool = True
    quiet_unfocused: bool = False
    followed: bool = False
    follows: bool = True

    @classmethod
    def at(cls, now: datetime, *, retries: bool = True, quiet_unfocused: bool = False) -> "Link":
        """The state before the first request."""
        return cls(now, now, now, retries=retries, quiet_unfocused=quiet_unfocused)

    # Events

    def begins(self, now: datetime, activity: str = "loading…", *, connected: bool) -> "Link":
        """Another view is shown, and requested from now on; a failure stays with its countdown."""
        link = self._replace(live_at=None, warned="")
        if self.failing or self.refused:
            return link
        link = link._replace(activity=activity, trouble=None)
        return link._replace(phase=Phase.BEGUN, asking_since=now) if connected else link

    def loses_rows(self) -> "Link":
        """The rows that were answered are not those that are to be shown by now."""
        phase = Phase.BEGUN if self.phase is Phase.LIVE else self.phase
        return self._replace(phase=phase, live_at=None, activity="loading…")

    def asks(self, now: datetime) -> "Link":
        """A request for the list was sent; `answered` or `failed` follows."""
        phase = Phase.BEGUN if self.phase in (Phase.CONNECTING, Phase.STOPPED) else self.phase
        return self._replace(phase=phase, asking_since=now)

    def answered(self, now: datetime) -> "Link":
        """The list was answered."""
        return self._replace(
            phase=Phase.LIVE,
            live_at=now,
            ended_at=now,
            not_before=now,
            asking_since=None,
            failures=0,
            tried_by_hand=False,
            trouble=None,
            problem="",
            warned="",
            failed_beside=False,
            fails_only_beside=self.fails_only_beside or self.failed_beside,
        )

    def succeeded_beside(self) -> "Link":
        """A request for something else was answered."""
        return self._replace(fails_only_beside=False)

    def failed(self, now: datetime, error: InboxError, *, by_hand: bool = False) -> "Link":
        """A request for the list has failed."""
        link = self._with_problem(error)._with_trouble(error)
        link = link._replace(failed_beside=False, fails_only_beside=False, asking_since=None)
        if isinstance(error, Unauthorised):
            return link._replace(phase=Phase.REFUSED)
        if isinstance(error, Refused) and not isinstance(error, CursorRefused):
            return link._replace(phase=Phase.STOPPED)
        return link._waits(now, _retry_after(error), by_hand=by_hand)

    def failed_beside_list(
        self, now: datetime, error: InboxError, *, by_hand: bool = False
    ) -> "Link":
        """A request for something else has failed, which may say something about the list.

        It does if the server is unreachable, unless that is so for such requests alone, if it has
        refused the key, or sent what cannot be read.
        """
        link = self._with_problem(error)
        unreachable = isinstance(error, Unreachable)
        if (unreachable and not self.fails_only_beside) or isinstance(
            error, (Unauthorised, BadResponse)
        ):
            link = link._with_trouble(error)
        if isinstance(error, Unauthorised):
            return link._replace(phase=Phase.REFUSED, asking_since=None)
        known = self.fails_only_beside or self.failing or self.asking
        if not unreachable or known or not self.retries:
            return link
        link = link._waits(now, _retry_after(error), by_hand=by_hand)
        return link._replace(failed_beside=True)

    def tried_by_user(self, more: int) -> "Link":
        """One more (1) or less (-1) request of the user is running."""
        return self._replace(by_hand=self.by_hand + more)

    def used(self, now: datetime) -> "Link":
        """The user has pressed a key or moved the mouse."""
        return self._replace(used_at=now)

    def focuses(self, focused: bool) -> "Link":
        """The terminal has got or lost the focus."""
        return self._replace(focused=focused)

    def _with_problem(self, error: InboxError) -> "Link":
        words = problem_words(error)
        return self._replace(problem=words, warned=words, paused=_asks_for_pause(error))

    def _with_trouble(self, error: InboxError) -> "Link":
        return self._replace(trouble=error, live_at=None)

    def _waits(self, now: datetime, pause: timedelta | None, *, by_hand: bool) -> "Link":
        """Begin a back-off, or stay in the running one.

        Only a longer pause of the server makes that longer, and no request by hand does, nor the
        next one: it may have used up what the server allows.
        """
        link = self._replace(phase=Phase.FAILING, ended_at=now, asking_since=None)
        # A clock that was put back ends it.
        running = bool(self.failures) and self.ended_at <= now < self.not_before
        again = by_hand or self.tried_by_hand
        link = link._replace(tried_by_hand=running and again)
        if running and (by_hand or pause is None):
            until = self.not_before if pause is None else now + pause
            return link._replace(not_before=min(self.not_before, until))
        if running:
            return link._replace(not_before=max(self.not_before, now + (pause or timedelta())))
        if not (again and self.failures):
            step = BACK_OFF[min(self.failures, len(BACK_OFF) - 1)]
            backoff = max(step, pause or timedelta())
            link = link._replace(backoff=backoff, failures=self.failures + 1)
        return link._replace(not_before=now + link.backoff)

    # When to request

    @property
    def failing(self) -> bool:
        """True while a retry is scheduled."""
        return self.phase is Phase.FAILING

    @property
    def refused(self) -> bool:
        """True if the server has refused the key: nothing is requested any more."""
        return self.phase is Phase.REFUSED

    @property
    def asking(self) -> bool:
        """True while a request for the list is running."""
        return self.asking_since is not None

    @property
    def awaits_focus(self) -> bool:
        """True while nothing is requested until the terminal has the focus."""
        return self.quiet_unfocused and not self.focused

    def poll_in(self, now: datetime, followed: timedelta = FOLLOWED) -> timedelta | None:
        """Time to the next request for the list, at least a second; None if there is none.

        A clock that is put back makes no wait longer. followed: between two requests while the
        server says at once what changes.
        """
        if self.asking or self.awaits_focus:
            return None
        if self.phase in (Phase.CONNECTING, Phase.STOPPED, Phase.REFUSED):
            return None
        if self.failing:
            return max(self.not_before - max(now, self.ended_at), SECOND)
        every = followed if self.followed else POLL
        return max(self.ended_at + every - max(now, self.ended_at), SECOND)

    def is_busy(self, now: datetime) -> bool:
        """True if requests of the background have to wait, for the user or the terminal's focus."""
        rests = now - self.used_at >= RESTED
        return not rests or self.awaits_focus or self.phase is Phase.STOPPED

    def counts_down(self, now: datetime) -> bool:
        """True while the next attempt is awaited."""
        awaited = self.failing and self.not_before > now
        return awaited and not self.by_hand and not self.asking and not self.awaits_focus

    def is_urgent(self, now: datetime) -> bool:
        """True after a countdown: the retry is sent although the circuit breaker may be open."""
        return self.failing and self.not_before <= now and not self.paused

    # What is said

    def words(self, now: datetime, age: str) -> list[Said]:
        """For the status line: live and its age, or the failure and a countdown.

        age: of the shown rows, "" if none were fetched. A request that has been running for a
        second or more is shown with its seconds, beside what is known after three.
        """
        said, running = self._state(now, f"as of {age}" if age else ""), self.asking_seconds(now)
        is_begun = said[-1][1].endswith("…")
        if running < (1 if is_begun else ASKING_SECONDS):
            return said
        return [*said, ("dim", f" {running} s" if is_begun else f" · asking… {running} s")]

    def asking_seconds(self, now: datetime) -> int:
        """Whole seconds for which a request for the list has been running."""
        running = self.asking_since is not None and not self.refused
        return (now - self.asking_since) // SECOND if running and self.asking_since else 0

    def _state(self, now: datetime, shown: str) -> list[Said]:
        if self.failing:
            status = self._trouble_words(shown)
            retry = self._retry_words(now)
            return [status, ("dim", retry)] if retry else [status]
        if self.live_at is not None:
            return [("good", "live")]
        if self.trouble is None:
            return [("dim", f"{shown} · {self.activity}" if shown else self.activity)]
        return [self._trouble_words(shown)]

    def _trouble_words(self, shown: str) -> Said:
        if self.trouble is None:
            return ("dim", shown)
        if _asks_for_pause(self.trouble):
            return ("warning", "slow down")
        is_away = isinstance(self.trouble, Unreachable)
        tone, words = ("warning", "offline") if is_away else ("error", _fault(self.trouble))
        return (tone, f"{words} · {shown}" if shown else words)

    def _retry_words(self, now: datetime) -> str:
        if self.by_hand or self.asking:
            return " · retrying now…"
        if self.awaits_focus:
            return " · paused until this terminal has the focus"
        seconds = -((now - self.not_before) // SECOND)
        return f" · retrying in {seconds} s" if seconds > 0 else ""


def is_passing(error: InboxError) -> bool:
    """True for a failure that the status line alone says."""
    return isinstance(error, Unreachable) and not isinstance(error, NetworkMisconfigured)


def problem_words(error: InboxError) -> str:
    """Sentence for the panes; the time of the next attempt is in the status line only."""
    if isinstance(error, Paused):
        return "The server asks for a pause"
    said = error.problem if isinstance(error, CircuitOpen) else sentence_of(error)
    words = one_line(clean(said))
    if isinstance(error, Unauthorised):
        return f"{words.rstrip('.')} (frontdesk doctor says where the key comes from)"
    return words


def _fault(error: InboxError) -> str:
    """Short description of an error for the status line."""
    return next((words for kind, words in _FAULTS if isinstance(error, kind)), "request refused")


def _asks_for_pause(error: InboxError) -> bool:
    """True if the server said how long to wait."""
    has_pause = isinstance(error, Unreachable) and error.retry_after is not None
    return has_pause and not isinstance(error, CircuitOpen)


def _retry_after(error: InboxError) -> timedelta | None:
    """The server's Retry-After, limited to an hour.

    None for the circuit breaker, which a retry skips.
    """
    if not isinstance(error, Unreachable) or isinstance(error, CircuitOpen):
        return None
    if error.retry_after is None:
        return None
    return timedelta(seconds=min(max(error.retry_after, 0.0), LONGEST_PAUSE / SECOND))
