"""How the server is doing: asks it, and is the one place where a failure reaches the eye."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.cells import Piece


class Connection:
    """The state of the connection in words, and nothing asked after the key was refused.

    `tell` shows a sentence once; a state that lasts stands in `state` until it changes.
    """

    def __init__(self, mailbox: Mailbox, clock: Clock, tell: Callable[[str], None]) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._tell = tell
        self._refused = False
        self.state: Sequence[Piece] = [("dim", "connecting…")]
        self.problem = ""

    async def ask(
        self,
        question: Callable[[], Awaitable[None]],
        seen_at: datetime | None,
        *,
        beside: bool = False,
    ) -> bool:
        """Ask something; True if that went well. `seen_at`: how old what is shown is.

        What is asked `beside` the queue may be refused without the connection being at fault.
        """
        if self._refused or not self._mailbox.connected:
            return False
        try:
            await question()
        except InboxError as error:
            self._report(error, seen_at, beside=beside)
            return False
        return True

    def is_live(self) -> None:
        """What is shown is what the server has."""
        self.state, self.problem = [("dim", "live")], ""

    def _report(self, error: InboxError, seen_at: datetime | None, *, beside: bool) -> None:
        told, self.problem = self.problem, str(error)
        match error:
            case Unreachable():
                seen = self._clock.here(seen_at)
                as_of = f" · as of {seen:%H:%M}" if seen else ""
                self.state = [("warning", f"offline{as_of}")]
            case Unauthorised():
                self._refused = True
                self.state = [("error", "key refused (401)")]
            case BadResponse():
                self.state = [("error", "unreadable answer")]
            case Forbidden() if not beside:
                self.state = [("error", "not allowed (403)")]
            case NotFound() if not beside:
                self.state = [("error", "no inbox at this address (404)")]
            case _ if not beside:
                self.state = [("error", "request refused")]
        if not isinstance(error, Unreachable) and str(error) != told:
            self._tell(str(error))
