"""The decision if new unread activity is worth a sound."""

from collections.abc import Iterable

from frontdesk.wire import Conversation


class Bell:
    """Keeps the newest activity time of unread conversations; the first call is the baseline."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """True if a conversation was active later than all conversations of earlier calls."""
        latest = max((row.last_activity_at for row in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before
