"""Lengths of waits in the business hours of channels."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache

from frontdesk.business_hours import BusinessCalendar, BusinessClock, parse_calendar
from frontdesk.wire import WeeklyHours


class BusinessWaits:
    """Measures time in the business hours of channels, by their ids.

    A channel without hours, or with such as are not understood here, has calendar time.
    """

    def __init__(self, hours: Mapping[str, WeeklyHours]) -> None:
        self._hours = hours
        self._clocks: dict[WeeklyHours, _GrowingClock | None] = {}

    def between(self, channel: str, start: datetime, end: datetime) -> timedelta:
        """Return the time of business hours from `start` until `end`."""
        clock = self._clock(channel)
        if clock is None:
            return end - start
        first, last = (round(moment.timestamp() * 1000) for moment in (start, end))
        return timedelta(milliseconds=clock.between(first, last))

    def _clock(self, channel: str) -> "_GrowingClock | None":
        """The clock of a channel, which those with the same hours share."""
        hours = self._hours.get(channel)
        if hours is None:
            return None
        if hours not in self._clocks:
            self._clocks[hours] = _clock_of(hours)
        return self._clocks[hours]


def _clock_of(hours: WeeklyHours) -> "_GrowingClock | None":
    calendar = calendar_of(hours)
    return None if calendar is None else _GrowingClock(calendar)


# Asked again with each drawing of a query.
@lru_cache(maxsize=64)
def calendar_of(hours: WeeklyHours) -> BusinessCalendar | None:
    """The calendar of business hours; None if they are not understood here, such as their zone."""
    try:
        return parse_calendar(hours.model_dump(mode="json"))
    except ValueError:
        return None


class _GrowingClock:
    """Business clock whose range grows to what is asked for: calendars have no beginning."""

    def __init__(self, calendar: BusinessCalendar) -> None:
        self._calendar = calendar
        self._start = self._end = 0
        self._clock = BusinessClock(calendar, 0, 0)

    def between(self, start: int, end: int) -> int:
        """Return the milliseconds of business hours from `start` until `end`."""
        start = max(0, start)
        if start >= end:
            return 0
        if start < self._start or end > self._end:
            # Twice as far back, so that rows of older and older waits seldom need another.
            self._start, self._end = max(0, start - (end - start)), end
            self._clock = BusinessClock(self._calendar, self._start, end)
        return self._clock.between(start, end)
