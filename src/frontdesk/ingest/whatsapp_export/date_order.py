"""Detects the order of day, month and year in dates, without guessing (pure)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from typing import Literal

from frontdesk.errors import BadSettings
from frontdesk.ingest.whatsapp_export.message_headers import Stamp

Order = Literal["dmy", "mdy", "ymd"]

# Positions of year, month and day in a date.
_PLACES: Mapping[Order, tuple[int, int, int]] = {
    "dmy": (2, 1, 0),
    "mdy": (2, 0, 1),
    "ymd": (0, 1, 2),
}
NAMES: Mapping[Order, str] = {
    "dmy": "day, month, year",
    "mdy": "month, day, year",
    "ymd": "year, month, day",
}
# WhatsApp was founded in 2009; earlier dates are wrong.
_FIRST = date(2009, 1, 1)
_CENTURY = 2000
# At most one in this many headers may have an invalid date.
_LEAST_SHARE = 10
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DateOrder:
    """Date order with the reason for it."""

    order: Order
    reason: str


def decided(stamps: Sequence[Stamp], choice: Order | None, today: date) -> DateOrder:
    """Determine the date order of a file.

    Some dates may lie in the future or before 2009, as phone clocks can be wrong. choice: the
    requested order, which counts where the dates leave it open.

    Raises: BadSettings: no order fits all dates, several do, or the requested one does not.
    """
    if all(stamp.year_first for stamp in stamps):
        # Nothing is left open: after a year come month and day.
        choice = None
    existing = [order for order in _PLACES if all(_date(stamp, order) for stamp in stamps)]
    if choice is not None and choice not in existing:
        wrong = next(stamp for stamp in stamps if _date(stamp, choice) is None)
        raise BadSettings(f"The date {wrong.date} is none as {NAMES[choice]}")
    if not existing:
        raise BadSettings("No order of day, month and year fits all dates: is the file one export?")
    misdated = {
        order: [stamp for stamp in stamps if not possible(stamp, order, today)]
        for order in existing
    }
    best = min(existing, key=lambda order: len(misdated[order])) if choice is None else choice
    _refuse_most(stamps, misdated[best], today)
    if choice is not None:
        return DateOrder(choice, "as choice for")
    fewest = len(misdated[best])
    likely = [order for order in existing if len(misdated[order]) == fewest]
    if fewest and len(likely) == 1 < len(existing):
        return DateOrder(best, "so the fewest of them lie in the future")
    return _choose(stamps, likely, today)


def outliers(stamps: Collection[Stamp], choice: Order | None) -> set[Stamp]:
    """Return stamps that are invalid in the order that nearly all others have.

    They come from quoted chats, whose lines start like headers. Empty if no date is invalid, too
    many are, or the orders disagree.
    """
    orders = _PLACES if choice is None else (choice,)
    wrong = {
        order: {stamp for stamp in set(stamps) if _date(stamp, order) is None} for order in orders
    }
    counts = {order: sum(stamp in wrong[order] for stamp in stamps) for order in orders}
    fewest = min(counts.values())
    candidates = [wrong[order] for order in orders if counts[order] == fewest]
    if fewest * _LEAST_SHARE > len(stamps) or any(each != candidates[0] for each in candidates):
        return set()
    return candidates[0]


def _refuse_most(stamps: Sequence[Stamp], misdated: Sequence[Stamp], today: date) -> None:
    """Refuse a file with mostly impossible dates, as they take the times of their neighbours."""
    if 2 * len(misdated) > len(stamps):
        raise BadSettings(
            f"{len(misdated):,} of {len(stamps):,} dates, such as {misdated[0].date}, lie before"
            f" {_FIRST.year} or after today, which is {today} here: set this machine's clock, or"
            " export the chat again from a phone with the right clock and the Gregorian calendar"
        )


def _choose(stamps: Sequence[Stamp], orders: Sequence[Order], today: date) -> DateOrder:
    """Choose between orders that fit equally many dates."""
    if len(orders) == 1:
        return DateOrder(orders[0], "only so are all of them dates")
    if len({tuple(days(stamps, order)) for order in orders}) == 1:
        return DateOrder(orders[0], "they mean the same in any order")
    rising = [order for order in orders if _rises(stamps, order, today)]
    if len(rising) == 1:
        return DateOrder(rising[0], "only so they follow each other")
    choices = " or ".join(f"--date-order {order} ({NAMES[order]})" for order in rising or orders)
    raise BadSettings(f"The dates can be read in more than one way: use {choices}")


def possible(stamp: Stamp, order: Order, today: date) -> bool:
    """Check that a date lies between 2009 and tomorrow."""
    day = _date(stamp, order)
    return day is not None and _FIRST <= day <= today + timedelta(days=1)


def days(stamps: Sequence[Stamp], order: Order) -> list[date]:
    return [_day(stamp, order) for stamp in stamps]


def moment(stamp: Stamp, order: Order, zone: tzinfo | None, *, repeated: bool = False) -> int:
    """Return the time in epoch milliseconds. zone: the phone's; None for this machine's.

    An ambiguous time is the earlier one, or the later one if `repeated`; one in a gap is moved
    past it. At the ends of the calendar, where zones overflow, UTC is used.
    """
    local = datetime(  # noqa: DTZ001
        *_day(stamp, order).timetuple()[:3], stamp.hour, stamp.minute, stamp.second, fold=repeated
    )
    try:
        placed = (local if zone is None else local.replace(tzinfo=zone)).astimezone(UTC)
    except (OverflowError, OSError, ValueError):
        placed = local.replace(tzinfo=UTC)
    return (placed - _EPOCH) // timedelta(milliseconds=1)


def _rises(stamps: Sequence[Stamp], order: Order, today: date) -> bool:
    sound = [stamp for stamp in stamps if possible(stamp, order, today)]
    return all(day <= later for day, later in pairwise(days(sound, order)))


def _date(stamp: Stamp, order: Order) -> date | None:
    """Return the date, None if it is invalid in that order."""
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
