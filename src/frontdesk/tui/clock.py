"""Current time and conversion of server timestamps to the local time zone.

`time_format` writes times for people: ages, durations, dates.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo

from frontdesk.wire import instant
from frontdesk.wire.values import utc_now


class Clock:
    """Clock in a time zone; `zone` None is the system's."""

    def __init__(
        self,
        zone: tzinfo | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._zone = zone
        self._now = now
        self._ahead: Callable[[], timedelta | None] = lambda: None

    def follow(self, ahead: Callable[[], timedelta | None]) -> None:
        """Set the source of the server's clock skew; positive if the server is ahead."""
        self._ahead = ahead

    def now(self) -> datetime:
        """Current local time."""
        return self._now().astimezone(self._zone)

    def server_now(self) -> datetime:
        """Current time of the server's clock, in the local zone; row ages are relative to it."""
        try:
            return self.now() + (self._ahead() or timedelta())
        except OverflowError:
            return self.now()

    def local(self, timestamp: str | None) -> datetime | None:
        """Server timestamp in local time; None if it is missing or invalid."""
        return self.here(instant(timestamp))

    def here(self, moment: datetime | None) -> datetime | None:
        """Time in the local zone; unchanged if the conversion overflows the calendar."""
        try:
            return moment.astimezone(self._zone) if moment else None
        except (OverflowError, ValueError, OSError):
            return moment
