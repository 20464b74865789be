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

    Some may lie in the future, or before there was WhatsApp: clocks of phones are wrong at times.

    Raises: BadSettings: no order fits all of them, more than one does, or not the one asked for.
    """
    existing = [order for order in _PLACES if all(_date(stamp, order) for stamp in stamps)]
    if asked is not None and asked not in existing:
        wrong = next(stamp for stamp in stamps if _date(stamp, asked) is None)
        raise BadSettings(f"The date {wrong.date} is none as {NAMES[asked]}")
    if not existing:
        raise BadSettings("No order of day, month and year fits all dates: is the file one export?")
    misdated = {order: _misdated(stamps, order, today) for order in existing}
    best = min(existing, key=lambda one: len(misdated[one])) if asked is None else asked
    _refuse_most(stamps, misdated[best], today)
    if asked is not None:
        return Decision(asked, "as asked for")
    fewest = len(misdated[best])
    likely = [order for order in existing if len(misdated[order]) == fewest]
    if fewest and len(likely) == 1 < len(existing):
        return Decision(best, "so the fewest of them lie in the future")
    return _chosen(stamps, likely, today)


def _refuse_most(stamps: Sequence[Stamp], misdated: Sequence[Stamp], today: date) -> None:
    """Messages whose time cannot be take that of others, so there must be enough of those."""
    if 2 * len(misdated) > len(stamps):
        raise BadSettings(
            f"{len(misdated):,} of {len(stamps):,} dates, such as {misdated[0].date}, lie before"
            f" {_FIRST.year} or after today, which is {today} here: set this machine's clock, or"
            " export the chat again from a phone with the right clock and the Gregorian calendar"
        )


def _chosen(stamps: Sequence[Stamp], orders: Sequence[Order], today: date) -> Decision:
    """One of the orders that fit equally many dates."""
    if len(orders) == 1:
        return Decision(orders[0], "only so are all of them dates")
    if len({tuple(days(stamps, order)) for order in orders}) == 1:
        return Decision(orders[0], "they mean the same in any order")
    rising = [order for order in orders if _rises(stamps, order, today)]
    if len(rising) == 1:
        return Decision(rising[0], "only so they follow each other")
    choices = " or ".join(f"--date-order {order} ({NAMES[order]})" for order in rising or orders)
    raise BadSettings(f"The dates can be read in more than one way: say {choices}")


def possible(stamp: Stamp, order: Order, today: date) -> bool:
    """Whether a message can be of that day: since there is WhatsApp, and until tomorrow."""
    day = _date(stamp, order)
    return day is not None and _FIRST <= day <= today + timedelta(days=1)


def days(stamps: Sequence[Stamp], order: Order) -> list[date]:
    """The days of some dates for which the order fits."""
    return [_day(stamp, order) for stamp in stamps]


def moment(stamp: Stamp, order: Order, zone: tzinfo | None) -> int:
    """The time in epoch milliseconds. zone: of the phone; None for this machine's.

    Of an hour that a clock shows twice it is the first, one that it skips is the one after it.
    At the ends of the calendar, where no zone can be reckoned with, it is UTC.
    """
    local = datetime(  # noqa: DTZ001
        *_day(stamp, order).timetuple()[:3], stamp.hour, stamp.minute, stamp.second
    )
    try:
        placed = (local if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        placed = local.replace(tzinfo=UTC)
    return (placed - _EPOCH) // timedelta(milliseconds=1)


def _misdated(stamps: Sequence[Stamp], order: Order, today: date) -> list[Stamp]:
    return [stamp for stamp in stamps if not possible(stamp, order, today)]


def _rises(stamps: Sequence[Stamp], order: Order, today: date) -> bool:
    sound = [stamp for stamp in stamps if possible(stamp, order, today)]
    return all(one <= other for one, other in pairwise(days(sound, order)))


def _date(stamp: Stamp, order: Order) -> date | None:
    """The day, None if there is none in that order."""
    if (order == "ymd" and stamp.year_last) or (order != "ymd" and stamp.year_first):
        return None
    try:
        return _day(stamp, order)
    except ValueError:
        return None


def _day(stamp: Stamp, order: Order) -> date:
    year, month, day = (stamp.parts[place] for place in _PLACES[order])
    if stamp.calendar:
        year += stamp.calendar
    elif year < 100:
        year += _CENTURY
    return date(year, month, day)
