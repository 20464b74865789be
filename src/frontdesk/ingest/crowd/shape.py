"""How an inbox of any size is spread: over time, over threads, over whoever has to do with it."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from math import log
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
# How far back the inbox goes.
DAYS = 400

# Threads have a long tail: most are a few messages, one in a million thousands.
TAIL = 1.5
LONGEST = 4_000.0

# How busy the hours of a day are, UTC, and the days of a week from Monday on.
HOURS = (4, 3, 2, 2, 2, 4, 8, 18, 38, 60, 72, 74, 66, 62, 70, 74, 72, 66, 56, 48, 40, 28, 16, 8)
WEEKDAYS = (1.15, 1.1, 1.0, 1.0, 1.05, 0.6, 0.35)
# How much busier the last day is than the first.
GROWTH = 1.2


@dataclass(frozen=True, slots=True)
class Size:
    """What is asked for. until: epoch milliseconds, a midnight of UTC; nothing is later."""

    conversations: int
    messages: int
    seed: int
    until: int


class Calendar:
    """Tells moments by places between 0 and 1: equal distances are equally much activity."""

    def __init__(self, until: int) -> None:
        self.start = until - DAYS * DAY
        hours = range(DAYS * 24)
        self._sums = (0.0, *accumulate(self._weight(hour) for hour in hours))

    def moment(self, place: float) -> int:
        """Epoch milliseconds; later for a higher place."""
        wanted = place * self._sums[-1]
        hour = bisect_right(self._sums, wanted) - 1
        before, after = self._sums[hour], self._sums[hour + 1]
        return self.start + hour * HOUR + int(HOUR * (wanted - before) / (after - before))

    def _weight(self, hour: int) -> float:
        moment = datetime.fromtimestamp((self.start + hour * HOUR) / 1000, UTC)
        grown = 1 + GROWTH * hour / (DAYS * 24)
        return HOURS[moment.hour] * WEEKDAYS[moment.weekday()] * grown


class Choice(Generic[T]):
    """Picks the first of some things most often, the last most seldom: by Zipf's law."""

    def __init__(self, things: Sequence[T], exponent: float = 1.0) -> None:
        self._things = things
        self._sums = list(accumulate((n + 1) ** -exponent for n in range(len(things))))

    def pick(self, chance: float) -> T:
        """The thing for a chance between 0 and 1."""
        return self._things[bisect_right(self._sums, chance * self._sums[-1])]


def lengths(size: Size, random: Random) -> list[int]:
    """How many messages each thread has; together exactly what is asked for."""
    chance = random.random
    weights = [min((1 - chance()) ** (-1 / TAIL) - 1, LONGEST) for _ in range(size.conversations)]
    scale = (size.messages - size.conversations) / (sum(weights) or 1)
    found = [1 + int(weight * scale) for weight in weights]
    missing = size.messages - sum(found)
    for number in range(missing):
        found[number * size.conversations // missing] += 1
    return found


def gap(chance: float, mean: float) -> float:
    """A distance between things that happen by chance."""
    return -mean * log(1 - chance)


def fitted(times: list[int], until: int) -> list[int]:
    """Rising moments, drawn together where they would go beyond `until`."""
    first, last = times[0], times[-1]
    if last < until:
        return times
    room = max(until - 1 - first, 1) / (last - first)
    drawn = [first + int((moment - first) * room) for moment in times]
    return drawn if all(a <= b for a, b in pairwise(drawn)) else sorted(drawn)
