"""Current time and conversion of server timestamps to the local time zone.

`time_format` writes times for people: ages, durations, dates.
"""

from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo

from frontdesk.wire import instant
from frontdesk.wire.values import utc_now

# Time after which ages are wrong by a minute.
_STALE = timedelta(minutes=1)


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
        self._shown: datetime | None = None

    def follow(self, ahead: Callable[[], timedelta | None]) -> None:
        """Set the source of the server's clock skew; positive if the server is ahead."""
        self._ahead = ahead

    @property
    def zone(self) -> tzinfo | None:
        """The time zone; None for the system's, whose offset may change."""
        return self._zone

    def now(self) -> datetime:
        """Current local time."""
        return self._now().astimezone(self._zone)

    def server_now(self) -> datetime:
        """Current time of the server's clock, in the local zone."""
        try:
            return self.now() + (self._ahead() or timedelta())
        except OverflowError:
            return self.now()

    def shown_now(self) -> datetime:
        """Time of the last `tick`, which all ages on the screen are relative to.

        Two places that are drawn at different times show the same age that way. It is the server's
        present time without a tick, or if that is a minute away, as when its clock becomes known.
        """
        now = self.server_now()
        return now if self._shown is None or abs(now - self._shown) > _STALE else self._shown

    def tick(self) -> None:
        """Set `shown_now` to the server's present time; what shows ages is to be drawn again."""
        self._shown = self.server_now()

    def local(self, timestamp: str | None) -> datetime | None:
        """Server timestamp in local time; None if it is missing or invalid."""
        return self.here(instant(timestamp))

    def here(self, moment: datetime | None) -> datetime | None:
        """Time in the local zone; unchanged if the conversion overflows the calendar."""
        try:
            return moment.astimezone(self._zone) if moment else None
        except (OverflowError, ValueError, OSError):
            return moment
