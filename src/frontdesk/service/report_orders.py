"""Query parameters of reports: period, time zone and granularity."""

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from frontdesk.service.endpoint import Call
from frontdesk.service.params import Parameters, echo
from frontdesk.service.periods import (
    DAY,
    Stretch,
    days_between,
    local_date,
    midnight,
    moment_of,
    parts_of,
    zone_of,
)
from frontdesk.store.reports import account_timezone
from frontdesk.store.rollups import MINUTE
from frontdesk.wire.queries import GRANULARITIES

DEFAULT_DAYS = 7
MAX_DAYS = 366
MAX_BUCKETS = 1000
# Outside these years, the previous period or a zone's offset may leave the range of dates.
_YEARS = range(1972, 9998)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
# A plus that was not encoded arrives as a space.
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?([Zz]|[-+ ]\d\d:?\d\d)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class ReportOrder:
    """Report parameters. zone: of its days; granularity: of its series, None without one."""

    period: Stretch
    zone: ZoneInfo
    granularity: str | None


def report_order(call: Call) -> ReportOrder:
    """Parse the parameters. After faults were recorded, the value is meaningless."""
    parameters = call.parameters
    zone = _zone(call)
    granularity = _granularity(parameters)
    period = _period(parameters, zone, call.now)
    order = ReportOrder(period, zone, granularity)
    if not any(map(parameters.faulty, ("from", "to", "timezone", "granularity"))):
        _check(parameters, order)
    return order


def _period(parameters: Parameters, zone: ZoneInfo, now: int) -> Stretch:
    """Parse `from` and `to`. Defaults: the current minute, and seven days."""
    start, end = (_moment(parameters, name, zone) for name in ("from", "to"))
    last_day = local_date(now if end is None else end - 1, zone)
    if end is None:
        end = now - now % MINUTE
    if start is None:
        start = midnight(last_day - timedelta(days=DEFAULT_DAYS - 1), zone)
    return Stretch(start, end)


def _zone(call: Call) -> ZoneInfo:
    name = call.parameters.get("timezone")
    if name is None:
        zone = zone_of(account_timezone(call.connection, call.account_id))
    else:
        zone = zone_of(name)
        if zone is None:
            hint = f"there is no zone '{echo(name)}'; give an IANA name such as Europe/Madrid"
            _refuse(call.parameters, "timezone", "unknown_value", hint)
    return zone or ZoneInfo("UTC")


def _granularity(parameters: Parameters) -> str | None:
    text = parameters.get("granularity")
    if text is not None and text not in GRANULARITIES:
        parameters.refuse(
            "invalid_period",
            "granularity",
            "not_allowed" if text else "empty",
            f"it must be one of {', '.join(GRANULARITIES)}; got '{echo(text)}'",
            allowed=GRANULARITIES,
        )
    return text


def _moment(parameters: Parameters, name: str, zone: ZoneInfo) -> int | None:
    """Parse a date (midnight in the zone) or a time; records a fault if malformed."""
    text = parameters.get(name)
    if text is None:
        return None
    try:
        return _midnight(text, zone) if _DATE.fullmatch(text) else _instant(text)
    except _Unclear as unclear:
        _refuse(parameters, name, unclear.reason, f"{unclear.hint}; got '{echo(text)}'")
    except (ValueError, OverflowError):
        _refuse(parameters, name, "malformed", f"there is no such time; got '{echo(text)}'")
    return None


class _Unclear(Exception):
    """Unusable time, with a machine-readable reason and a hint."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def _midnight(text: str, zone: ZoneInfo) -> int:
    day = date.fromisoformat(text)
    _check_year(day)
    return midnight(day, zone)


def _instant(text: str) -> int:
    found = _INSTANT.fullmatch(text)
    if found is None:
        raise _Unclear("malformed", "it must be a date, or a time with an offset (ISO 8601)")
    day, time, fraction, offset = found.groups()
    if offset is None:
        raise _Unclear("no_offset", "a time needs an offset, such as Z or +02:00")
    offset = offset.upper().replace(" ", "+")
    when = datetime.fromisoformat(f"{day}T{time}{offset}")
    _check_year(when)
    return moment_of(when) + int((fraction or "")[:3].ljust(3, "0"))


def _check_year(day: date) -> None:
    if day.year not in _YEARS:
        hint = f"the year must be from {_YEARS[0]} to {_YEARS[-1]}"
        raise _Unclear("out_of_range", hint)


def _check(parameters: Parameters, order: ReportOrder) -> None:
    """Check the limits that depend on several parameters."""
    period = order.period
    asked = "to" if parameters.get("from") is None else "from"
    if period.start >= period.end:
        _refuse(parameters, asked, "not_before_to", "the period must start before it ends")
    elif _is_too_long(order):
        _refuse(parameters, asked, "too_long", f"a period may have {MAX_DAYS} days", (1, MAX_DAYS))
    elif order.granularity is not None:
        parts = islice(parts_of(period, order.granularity, order.zone), MAX_BUCKETS + 1)
        if sum(1 for _ in parts) > MAX_BUCKETS:
            hint = f"the period has more than {MAX_BUCKETS} parts of this length"
            _refuse(parameters, "granularity", "too_fine", hint, (1, MAX_BUCKETS))


def _is_too_long(order: ReportOrder) -> bool:
    """Check MAX_DAYS in calendar days, so that days of 25 hours do not count as more."""
    period = order.period
    if period.end - period.start > (MAX_DAYS + 1) * DAY:
        return True
    days = days_between(period, order.zone)
    return period.end - period.start > MAX_DAYS * DAY if days is None else days > MAX_DAYS


def _refuse(
    parameters: Parameters,
    name: str,
    reason: str,
    hint: str,
    bounds: tuple[int, int] | None = None,
) -> None:
    parameters.refuse("invalid_period", name, reason, hint, bounds=bounds)
