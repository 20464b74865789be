"""Whether something new came in: what the bell, where it is wanted, rings for."""

from collections.abc import Iterable

from frontdesk.wire import Conversation


class Bell:
    """Remembers the latest of what was unread; what was there at the start is not new."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """Whether one of these was active after all that were told before."""
        latest = max((one.last_activity_at for one in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before
