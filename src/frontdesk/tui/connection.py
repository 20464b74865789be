"""Requests of the viewer's screens, and the state of the connection that they leave.

`Bell` detects new unread activity.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, TypeVar

from frontdesk.errors import InboxError
from frontdesk.inbox.link import Link, Said, is_passing
from frontdesk.mailbox import Mailbox
from frontdesk.request_priority import urgent
from frontdesk.time_format import short_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.wire import Conversation

T = TypeVar("T")


class Answer(NamedTuple, Generic[T]):
    """Result of a successful request."""

    value: T


class ConnectionMonitor:
    """Sends requests, and keeps the `Link` that their answers lead to.

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
        *,
        changed: Callable[[], None] = lambda: None,
        state_changed: Callable[[], None] = lambda: None,
        seen_at: Callable[[], datetime | None] = lambda: None,
        schedule_poll: Callable[[], None] | None = None,
        quiet_unfocused: bool = False,
    ) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._warn = warn
        self._changed = changed
        self._state_changed = state_changed
        self._seen_at = seen_at
        self._schedule_poll = schedule_poll or (lambda: None)
        self._link = Link.at(
            clock.now(), retries=schedule_poll is not None, quiet_unfocused=quiet_unfocused
        )

    # Events

    def begin(self, activity: str = "loading…") -> None:
        """Set the state before the first answer for the shown rows; a failure stays.

        The seconds of the request for them are counted from now.
        """
        connected = self._mailbox.connected
        self._link = self._link.begins(self._clock.now(), activity, connected=connected)

    def asks(self) -> None:
        """Record that the list is requested; it ends with `is_live` or a failure in `ask`."""
        if self._mailbox.connected and not self.refused:
            self._link = self._link.asks(self._clock.now())

    def is_live(self) -> None:
        """Record that the shown rows are current."""
        in_full = self._mailbox.state_of("unchanged") in ("absent", "ignored")
        self._link = self._link.answered(self._clock.now(), in_full=in_full)

    def used(self) -> bool:
        """Record user input; True if the list is to be requested at once."""
        now = self._clock.now()
        self._link = self._link.used(now)
        return self._link.is_late(now)

    def focus(self, focused: bool) -> None:
        """Record a focus change of the terminal."""
        self._link = self._link.focuses(focused)

    def use_early_retry(self) -> bool:
        """True, once for each countdown, if the list can be requested before its end."""
        may = self._link.may_retry_early(self._clock.now(), self._mailbox.answers)
        if may:
            self._link = self._link.retried_early()
        return may

    async def ask(
        self,
        request: Callable[[], Awaitable[T]],
        *,
        beside: bool = False,
        by_hand: bool = False,
    ) -> Answer[T] | None:
        """Send a request; None if it failed, which is reported.

        beside: it is not for the conversation list, see `Link.failed_beside_list`. by_hand: it
        ignores a running back-off.
        """
        if self.refused or not self._mailbox.connected:
            return None
        self._link = self._link.tried_by_user(int(by_hand))
        answer = None
        is_retry = not beside and self._link.is_urgent(self._clock.now())
        try:
            with urgent() if by_hand or is_retry else nullcontext():
                answer = Answer(await request())
        except InboxError as error:
            self._report(error, beside=beside, by_hand=by_hand)
        finally:
            self._link = self._link.tried_by_user(-int(by_hand))
            if answer is not None and beside:
                self._link = self._link.succeeded_beside()
            if not beside:
                self._changed()
            elif answer is None or by_hand or self._link.is_reached(self._mailbox.answers):
                self._state_changed()
        return answer

    def _report(self, error: InboxError, *, beside: bool, by_hand: bool) -> None:
        before, now, answers = self._link, self._clock.now(), self._mailbox.answers
        failed = before.failed_beside_list if beside else before.failed
        self._link = failed(now, error, answers, by_hand=by_hand)
        if self._link.not_before != before.not_before or self._link.failing != before.failing:
            self._schedule_poll()
        if not is_passing(error) and self.problem != before.warned:
            self._warn(self.problem)

    # State

    @property
    def state(self) -> list[Said]:
        """Pieces for the status line, see `Link.words`."""
        now = self._clock.now()
        seen = self._clock.here(self._seen_at())
        age = moment_words(seen, now) if seen is not None else ""
        return self._link.words(now, age, self._mailbox.answers)

    @property
    def problem(self) -> str:
        """Sentence for the panes about the last failure; "" after an answer for the list."""
        return self._link.problem

    @property
    def failing(self) -> bool:
        """True while a retry is scheduled."""
        return self._link.failing

    @property
    def refused(self) -> bool:
        """True if the server has refused the key: nothing is requested any more."""
        return self._link.refused

    @property
    def asking(self) -> bool:
        """True while a request for the shown rows is running."""
        return self._link.asking

    @property
    def asking_seconds(self) -> int:
        """Whole seconds for which a request for the shown rows has been running."""
        return self._link.asking_seconds(self._clock.now())

    @property
    def counts_down(self) -> bool:
        """True while the next attempt is awaited."""
        return self._link.counts_down(self._clock.now())

    @property
    def is_busy(self) -> bool:
        """True if requests of the background have to wait."""
        return self._link.is_busy(self._clock.now())

    @property
    def poll_in(self) -> timedelta | None:
        """Time to the next request for the list; None if there is none by itself."""
        return self._link.poll_in(self._clock.now())


def moment_words(moment: datetime, now: datetime) -> str:
    """Time of day, with the date if it is not the date of `now`."""
    time = time_of_day(moment)
    return time if moment.date() == now.date() else f"{short_date(moment)} {time}"


class Bell:
    """Keeps the newest activity time of unread conversations; the first call is the baseline."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """True if a conversation was active later than all conversations of earlier calls."""
        latest = max((row.last_activity_at for row in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before
