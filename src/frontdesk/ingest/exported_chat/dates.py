"""Which of the numbers of a date is the day: decided by evidence, never guessed; pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from types import MappingProxyType
from typing import Literal

from frontdesk.errors import BadSettings
from frontdesk.ingest.exported_chat.headers import Stamp

Order = Literal["dmy", "mdy", "ymd"]

# Where year, month and day are among the numbers of a date.
_PLACES: Mapping[Order, tuple[int, int, int]] = MappingProxyType(
    {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}
)
NAMES: Mapping[Order, str] = MappingProxyType(
    {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}
)
# WhatsApp is not older.
_FIRST = date(2009, 1, 1)
_CENTURY = 2000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Decision:
    """The order of the numbers, and why it is that."""

    order: Order
    reason: str


def decided(stamps: Sequence[Stamp], asked: Order | None, today: date) -> Decision:
    """The order in which the dates of a file are written.

    Raises: BadSettings: no order fits all of them, more than one does, or not the one asked for.
    """
    possible = [order for order in _PLACES if _fits(stamps, order, today)]
    if asked is not None:
        if asked not in possible:
            wrong = next(stamp for stamp in stamps if not _fits([stamp], asked, today))
            shown = "/".join(map(str, wrong.parts))
            raise BadSettings(f"The date {shown} is none as {NAMES[asked]}")
        return Decision(asked, "as asked for")
    if not possible:
        raise BadSettings("No order of day, month and year fits all dates: is the file one export?")
    if len(possible) == 1:
        return Decision(possible[0], "only so are all of them dates")
    if len({tuple(days(stamps, order)) for order in possible}) == 1:
        return Decision(possible[0], "they mean the same in any order")
    rising = [order for order in possible if _rises(stamps, order)]
    if len(rising) == 1:
        return Decision(rising[0], "only so they follow each other")
    choices = " or ".join(f"--date-order {order} ({NAMES[order]})" for order in rising or possible)
    raise BadSettings(f"The dates can be read in more than one way: say {choices}")


def days(stamps: Sequence[Stamp], order: Order) -> list[date]:
    """The days of some dates for which the order fits."""
    return [_day(stamp, order) for stamp in stamps]


def moment(stamp: Stamp, order: Order, zone: tzinfo | None) -> int:
    """The time in epoch milliseconds. zone: of the phone; None for this machine's.

    Of an hour that a clock shows twice it is the first, one that it skips is the one after it.
    """
    local = datetime(  # noqa: DTZ001
        *_day(stamp, order).timetuple()[:3], stamp.hour, stamp.minute, stamp.second
    )
    placed = local.astimezone(UTC) if zone is None else local.replace(tzinfo=zone)
    return (placed.astimezone(UTC) - _EPOCH) // timedelta(milliseconds=1)


def _fits(stamps: Sequence[Stamp], order: Order, today: date) -> bool:
    """Whether all dates exist in that order, since there is WhatsApp and until tomorrow."""
    latest = today + timedelta(days=1)
    for stamp in stamps:
        if (order == "ymd" and stamp.year_last) or (order != "ymd" and stamp.year_first):
            return False
        try:
            if not _FIRST <= _day(stamp, order) <= latest:
                return False
        except ValueError:
            return False
    return True


def _rises(stamps: Sequence[Stamp], order: Order) -> bool:
    return all(one <= other for one, other in pairwise(days(stamps, order)))


def _day(stamp: Stamp, order: Order) -> date:
    year, month, day = (stamp.parts[place] for place in _PLACES[order])
    if stamp.calendar:
        year += stamp.calendar
    elif year < 100:
        year += _CENTURY
    return date(year, month, day)
