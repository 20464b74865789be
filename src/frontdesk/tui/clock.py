"""The time as the reader sees it: now, and the server's timestamps in the reader's zone."""

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

from frontdesk.wire import instant


class Clock:
    """`zone` None is the machine's own zone."""

    def __init__(
        self,
        zone: tzinfo | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._zone = zone
        self._now = now

    def now(self) -> datetime:
        """The moment now, in the reader's zone."""
        return self._now().astimezone(self._zone)

    def local(self, timestamp: str | None) -> datetime | None:
        """A server's timestamp in the reader's zone; None where it cannot be read."""
        return self.here(instant(timestamp))

    def here(self, moment: datetime | None) -> datetime | None:
        """A moment in the reader's zone; in UTC at the very ends of the calendar."""
        try:
            return moment.astimezone(self._zone) if moment else None
        except (OverflowError, ValueError, OSError):
            return moment
