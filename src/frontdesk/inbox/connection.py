"""The connection of a screen: its `Link`, and what it tells of it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol

from frontdesk.errors import InboxError
from frontdesk.inbox.cached import ServerClock
from frontdesk.inbox.link import Link, Said, is_passing
from frontdesk.settings import DEFAULTS_OF_VIEWER, ViewerSettings
from frontdesk.text.times import short_date, time_of_day


class Reached(Protocol):
    """What is known of the server, as `Mailbox` has it."""

    @property
    def connected(self) -> bool: ...


class LinkKeeper:
    """Keeps the `Link` that requests and events lead to.

    `warn` shows a notification once for each problem; lasting states are in `state`. `seen_at`
    returns when the shown rows were fetched, in local time. `schedule_poll` is called when the time
    of the next attempt has changed; without it, a failure of a request beside the list is not
    followed by one.
    """

    def __init__(
        self,
        reached: Reached,
        clock: ServerClock,
        warn: Callable[[str], None],
        *,
        seen_at: Callable[[], datetime | None] = lambda: None,
        schedule_poll: Callable[[], None] | None = None,
        settings: ViewerSettings = DEFAULTS_OF_VIEWER,
    ) -> None:
        self._reached, self._clock, self._warn = reached, clock, warn
        self._seen_at = seen_at
        self._schedule_poll = schedule_poll or (lambda: None)
        self.link = Link.at(
            clock.now(), retries=schedule_poll is not None, quiet_unfocused=settings.quiet_unfocused
        )

    # Events

    def begin(self, activity: str = "loading…") -> None:
        """Set the state before the first answer for the shown rows; a failure stays.

        The seconds of the request for them are counted from now.
        """
        connected = self._reached.connected
        self.link = self.link.begins(self._clock.now(), activity, connected=connected)

    def loses_rows(self) -> None:
        """Record that the shown rows are others than those that were requested."""
        self.link = self.link.loses_rows()

    def asks(self) -> None:
        """Record that the list is requested; it ends with `is_live` or `report`."""
        if self.may_ask:
            self.link = self.link.asks(self._clock.now())

    def is_live(self) -> None:
        """Record that the shown rows are current."""
        self.link = self.link.answered(self._clock.now())

    def used(self) -> None:
        """Record user input."""
        self.link = self.link.used(self._clock.now())

    def focus(self, focused: bool) -> None:
        """Record a focus change of the terminal."""
        self.link = self.link.focuses(focused)

    def follow(self, followed: bool) -> None:
        """Record whether the server says at once what changes."""
        self.link = self.link._replace(followed=followed)

    def cannot_follow(self) -> None:
        """Record that the server does not say what changes, or not with this key."""
        self.link = self.link._replace(follows=False)

    def tries_by_hand(self, more: int) -> None:
        """Record that one more (1) or less (-1) request of the user is running."""
        self.link = self.link.tried_by_user(more)

    def succeeds_beside(self) -> None:
        """Record that a request for something else than the list was answered."""
        self.link = self.link.succeeded_beside()

    def report(self, error: InboxError, *, beside: bool = False, by_hand: bool = False) -> None:
        """Record and show a failure.

        beside: it is not of the list, see `Link.failed_beside_list`. by_hand: the user asked.
        """
        before, now = self.link, self._clock.now()
        failed = before.failed_beside_list if beside else before.failed
        self.link = failed(now, error, by_hand=by_hand)
        if self.link.not_before != before.not_before or self.link.failing != before.failing:
            self._schedule_poll()
        if not is_passing(error) and self.problem != before.warned:
            self._warn(self.problem)

    # State

    @property
    def may_ask(self) -> bool:
        """True if there is a client, and the server has not refused its key."""
        return self._reached.connected and not self.refused

    @property
    def followed(self) -> bool:
        """True while the server says at once what changes."""
        return self.link.followed

    @property
    def awaits_focus(self) -> bool:
        """True while nothing is requested until the terminal has the focus."""
        return self.link.awaits_focus

    @property
    def may_follow(self) -> bool:
        """True if the server may say what changes, and may be asked now."""
        return self.link.follows and self.may_ask and not self.link.awaits_focus

    @property
    def is_urgent(self) -> bool:
        """True after a countdown: the retry is sent although the circuit breaker may be open."""
        return self.link.is_urgent(self._clock.now())

    @property
    def state(self) -> list[Said]:
        """Pieces for the status line, see `Link.words`."""
        now, seen = self._clock.now(), self._seen_at()
        age = moment_words(seen, now) if seen is not None else ""
        return self.link.words(now, age)

    @property
    def problem(self) -> str:
        """Sentence for the panes about the last failure; "" after an answer for the list."""
        return self.link.problem

    @property
    def failing(self) -> bool:
        """True while a retry is scheduled."""
        return self.link.failing

    @property
    def refused(self) -> bool:
        """True if the server has refused the key: nothing is requested any more."""
        return self.link.refused

    @property
    def asking(self) -> bool:
        """True while a request for the shown rows is running."""
        return self.link.asking

    @property
    def asking_seconds(self) -> int:
        """Whole seconds for which a request for the shown rows has been running."""
        return self.link.asking_seconds(self._clock.now())

    @property
    def is_current(self) -> bool:
        """True if the shown rows were answered, and nothing has failed since."""
        return self.link.live_at is not None

    @property
    def counts_down(self) -> bool:
        """True while the next attempt is awaited."""
        return self.link.counts_down(self._clock.now())

    @property
    def is_busy(self) -> bool:
        """True if requests of the background have to wait."""
        return self.link.is_busy(self._clock.now())

    def poll_in(self, followed: timedelta) -> timedelta | None:
        """Time to the next request for the list; None if there is none by itself.

        followed: between two requests while the server says at once what changes.
        """
        return self.link.poll_in(self._clock.now(), followed)


def moment_words(moment: datetime, now: datetime) -> str:
    """Time of day, with the date if it is not the date of `now`."""
    time = time_of_day(moment)
    return time if moment.date() == now.date() else f"{short_date(moment)} {time}"
