"""Requests of the viewer's screens."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from datetime import datetime
from typing import TypeVar

from frontdesk.errors import InboxError
from frontdesk.inbox.connection import LinkKeeper
from frontdesk.inbox.requests import Answer
from frontdesk.mailbox import Mailbox
from frontdesk.settings import DEFAULTS_OF_VIEWER, ViewerSettings
from frontdesk.system.request_priority import urgent
from frontdesk.tui.clock import Clock

T = TypeVar("T")


class ConnectionMonitor(LinkKeeper):
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
        settings: ViewerSettings = DEFAULTS_OF_VIEWER,
    ) -> None:
        super().__init__(
            mailbox,
            clock,
            warn,
            seen_at=lambda: clock.here(seen_at()),
            schedule_poll=schedule_poll,
            settings=settings,
        )
        self._changed, self._state_changed = changed, state_changed

    def shows_failure(self, error: InboxError) -> None:
        """Record for `state` that a request beside the list was for all that a view shows."""
        self.link = self.link._replace(trouble=error, live_at=None)

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
            elif answer is None or by_hand:
                self._state_changed()
        return answer
