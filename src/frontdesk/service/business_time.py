"""Business time in reports: durations and limits of waits by the calendars of the channels."""

from collections.abc import Mapping

from frontdesk.business_hours import BusinessClock, BusinessHours
from frontdesk.store.rollups import DAY

# Before a period, episodes may have begun; before now, customers may wait.
_LOOK_BACK = 5 * 366 * DAY
# Before any moment that is stored.
NEVER = -1


class BusinessTime:
    """Clocks of an account's channels, None for those that have calendar time.

    numbers: phone number ids of the channels by their row ids. now: epoch milliseconds. until: end
    of what is measured, a year from now at most.
    """

    def __init__(
        self, hours: BusinessHours, numbers: Mapping[int, str], now: int, until: int
    ) -> None:
        self._now = now
        end = max(now, min(until, now + 366 * DAY)) + DAY
        self._clocks: dict[int, BusinessClock | None] = {}
        made: dict[int, BusinessClock] = {}
        for channel_id, number in numbers.items():
            calendar = hours.of(number)
            if calendar is None:
                self._clocks[channel_id] = None
                continue
            key = id(calendar)
            if key not in made:
                made[key] = BusinessClock(calendar, now - _LOOK_BACK, end)
            self._clocks[channel_id] = made[key]

    @property
    def channels(self) -> tuple[int, ...]:
        return tuple(self._clocks)

    @property
    def is_uniform(self) -> bool:
        """True if all channels have the same clock."""
        return len({id(clock) for clock in self._clocks.values()}) == 1

    def between(self, channel_id: int, start: int, end: int) -> int:
        """Return the milliseconds of a duration on a channel."""
        clock = self._clocks.get(channel_id)
        return end - start if clock is None else clock.between(start, end)

    def before(self, channel_id: int, milliseconds: int) -> int:
        """Return the last moment since which so much time has passed now; NEVER if none is."""
        clock = self._clocks.get(channel_id)
        if clock is None:
            return self._now - milliseconds
        moment = clock.before(self._now, milliseconds)
        return NEVER if moment is None else moment
