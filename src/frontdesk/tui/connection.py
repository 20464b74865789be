"""Requests of the viewer's screens.

`Bell` detects new unread activity.
"""

from collections.abc import Awaitable, Callable, Iterable
from contextlib import nullcontext
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar

from frontdesk.errors import InboxError
from frontdesk.inbox.connection import Connection
from frontdesk.mailbox import Mailbox
from frontdesk.request_priority import urgent
from frontdesk.tui.clock import Clock
from frontdesk.wire import Conversation

T = TypeVar("T")


class Answer(NamedTuple, Generic[T]):
    """Result of a successful request."""

    value: T


class ConnectionMonitor(Connection):
    """Sends requests, and keeps the `Link` that their answers lead to.

    `changed` is called after each request for the list, `state_changed` after one `beside` it that
    may have changed `state`. `seen_at` returns when the shown rows were fetched.
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
        super().__init__(
            mailbox,
            clock,
            warn,
            seen_at=lambda: clock.here(seen_at()),
            schedule_poll=schedule_poll,
            quiet_unfocused=quiet_unfocused,
        )
        self._changed, self._state_changed = changed, state_changed

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
        if not self.may_ask:
            return None
        self.tries_by_hand(int(by_hand))
        answer = None
        is_retry = not beside and self.is_urgent
        try:
            with urgent() if by_hand or is_retry else nullcontext():
                answer = Answer(await request())
        except InboxError as error:
            self.report(error, beside=beside, by_hand=by_hand)
        finally:
            self.tries_by_hand(-int(by_hand))
            if answer is not None and beside:
                self.succeeds_beside()
            if not beside:
                self._changed()
            elif answer is None or by_hand or self.is_reached:
                self._state_changed()
        return answer


class Bell:
    """Keeps the newest activity time of unread conversations; the first call is the baseline."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """True if a conversation was active later than all conversations of earlier calls."""
        latest = max((row.last_activity_at for row in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before
