"""The time as the reader sees it: now, and the server's timestamps in the reader's zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

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
        self._ahead: Callable[[], timedelta | None] = lambda: None

    def follow(self, ahead: Callable[[], timedelta | None]) -> None:
        """Tell ages by another clock, which is so far ahead of this one as far as is known."""
        self._ahead = ahead

    def now(self) -> datetime:
        """The moment now, in the reader's zone."""
        return self._now().astimezone(self._zone)

    def server_now(self) -> datetime:
        """The moment now on the clock that the timestamps of rows are from: ages are told by it."""
        try:
            return self.now() + (self._ahead() or timedelta())
        except OverflowError:
            return self.now()

    def local(self, timestamp: str | None) -> datetime | None:
        """A server's timestamp in the reader's zone; None where it cannot be read."""
        return self.here(instant(timestamp))

    def here(self, moment: datetime | None) -> datetime | None:
        """A moment in the reader's zone; in UTC at the very ends of the calendar."""
        try:
            return moment.astimezone(self._zone) if moment else None
        except (OverflowError, ValueError, OSError):
            return moment
