"""Inbox report endpoint: metrics of a period, of the period before, and live counts."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from frontdesk.service.calendar_buckets import (
    DAY,
    Interval,
    days_between,
    local_date,
    midnight,
    shift_for,
    split_interval,
    split_previous,
    zone_of,
)
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.moments import InvalidMoment, parse_instant
from frontdesk.service.params import Parameters, echo
from frontdesk.service.routes.report_filters import business_time, check_parts, report_filter
from frontdesk.service.routes.report_parts import PartsContext, PartsQuery, parts_query, with_parts
from frontdesk.service.serializers import REPORT_MEANS, grouped, person_metrics, report_metrics
from frontdesk.store import conversations, reports
from frontdesk.store.database import Row
from frontdesk.store.query_conditions import counted_cells
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.reports import ReportSpan
from frontdesk.store.rollups import MINUTE, OUTGOING
from frontdesk.store.rows import OPEN
from frontdesk.wire import Ref, timestamp
from frontdesk.wire.queries import CLOCKS, COMPARISONS, GRANULARITIES
from frontdesk.wire.reports import (
    Bucket,
    ChannelMetrics,
    LiveCounts,
    Metrics,
    Period,
    PricingCount,
    Report,
    ZonedPeriod,
)

DEFAULT_DAYS = 7
MAX_DAYS = 366
MAX_BUCKETS = 1000
MAX_PERSON_BUCKETS = 100
# Outside these years, the previous period or a zone's offset may leave the range of dates.
_YEARS = range(1972, 9998)

_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

# Parameters whose parts compare waits with the current time.
_AGES = re.compile(rb"(^|&)(target_|include=[^&]*(waits|users|teams))")

_NOW, _BEFORE = 0, 1
_PRICING_COUNTS = ("count", "billable_count", "previous_count", "previous_billable_count")


@dataclass(frozen=True, slots=True)
class ReportParameters:
    """Report parameters. zone: of its days; granularity: of its series, None without one.

    compare: one of COMPARISONS; parts: to include, and targets.
    """

    period: Interval
    zone: ZoneInfo
    granularity: str | None
    compare: str
    parts: PartsQuery


def report_parameters(request: EndpointRequest) -> ReportParameters:
    """Parse the parameters. After faults were recorded, the value is meaningless."""
    parameters = request.parameters
    zone = _zone(request)
    granularity = _word(parameters, "granularity", GRANULARITIES)
    compare = _word(parameters, "compare", COMPARISONS) or COMPARISONS[0]
    period = _period(parameters, zone, request.now)
    query = ReportParameters(period, zone, granularity, compare, parts_query(parameters))
    if not any(map(parameters.faulty, ("from", "to", "timezone", "granularity", "compare"))):
        _check(parameters, query)
    return query


def _period(parameters: Parameters, zone: ZoneInfo, now: int) -> Interval:
    """Parse `from` and `to`. Defaults: the current minute, and seven days.

    A period that has begun ends with the current minute at the latest, so that it is compared with
    as much of the period before.
    """
    minute = now - now % MINUTE
    start, end = (_moment(parameters, name, zone) for name in ("from", "to"))
    last_day = local_date(now if end is None else end - 1, zone)
    if start is None:
        start = midnight(last_day - timedelta(days=DEFAULT_DAYS - 1), zone)
    if end is None or start < minute < end:
        end = minute
    return Interval(start, end)


def _zone(request: EndpointRequest) -> ZoneInfo:
    name = request.parameters.get("timezone")
    if name is None:
        zone = zone_of(reports.account_timezone(*request.account))
    else:
        zone = zone_of(name)
        if zone is None:
            hint = f"there is no zone '{echo(name)}'; give an IANA name such as Europe/Madrid"
            _add_fault(request.parameters, "timezone", "unknown_value", hint)
    return zone or ZoneInfo("UTC")


def _word(parameters: Parameters, name: str, allowed: tuple[str, ...]) -> str | None:
    text = parameters.get(name)
    if text is not None and text not in allowed:
        parameters.add_fault(
            "invalid_period",
            name,
            "not_allowed" if text else "empty",
            f"it must be one of {', '.join(allowed)}; got '{echo(text)}'",
            allowed=allowed,
        )
    return text


def _moment(parameters: Parameters, name: str, zone: ZoneInfo) -> int | None:
    """Parse a date (midnight in the zone) or a time; records a fault if malformed."""
    text = parameters.get(name)
    if text is None:
        return None
    try:
        return _midnight(text, zone) if _DATE.fullmatch(text) else _instant(text)
    except InvalidMoment as unclear:
        _add_fault(parameters, name, unclear.reason, f"{unclear.hint}; got '{echo(text)}'")
    except (ValueError, OverflowError):
        _add_fault(parameters, name, "malformed", f"there is no such time; got '{echo(text)}'")
    return None


def _midnight(text: str, zone: ZoneInfo) -> int:
    day = date.fromisoformat(text)
    _check_year(day)
    return midnight(day, zone)


def _instant(text: str) -> int:
    when, milliseconds = parse_instant(text)
    _check_year(when)
    return milliseconds


def _check_year(day: date) -> None:
    if day.year not in _YEARS:
        hint = f"the year must be from {_YEARS[0]} to {_YEARS[-1]}"
        raise InvalidMoment("out_of_range", hint)


def _check(parameters: Parameters, query: ReportParameters) -> None:
    """Check the limits that depend on several parameters."""
    period = query.period
    edge = "to" if parameters.get("from") is None else "from"
    if period.start >= period.end:
        _add_fault(parameters, edge, "not_before_to", "the period must start before it ends")
    elif _is_too_long(query):
        _add_fault(
            parameters, edge, "too_long", f"a period may have {MAX_DAYS} days", (1, MAX_DAYS)
        )
    elif query.granularity is not None:
        by_person = "person_series" in query.parts.parts
        most = MAX_PERSON_BUCKETS if by_person else MAX_BUCKETS
        parts = islice(split_interval(period, query.granularity, query.zone), most + 1)
        if sum(1 for _ in parts) > most:
            hint = f"the period has more than {most} parts of this length"
            hint += ", which is the most by person" if by_person else ""
            _add_fault(parameters, "granularity", "too_fine", hint, (1, most))


def _is_too_long(query: ReportParameters) -> bool:
    """Check MAX_DAYS in calendar days, so that days of 25 hours do not count as more."""
    period = query.period
    if period.end - period.start > (MAX_DAYS + 1) * DAY:
        return True
    days = days_between(period, query.zone)
    return period.end - period.start > MAX_DAYS * DAY if days is None else days > MAX_DAYS


def _add_fault(
    parameters: Parameters,
    name: str,
    reason: str,
    hint: str,
    bounds: tuple[int, int] | None = None,
) -> None:
    parameters.add_fault("invalid_period", name, reason, hint, bounds=bounds)


def depends_on_minute(query: bytes, now: int) -> bool:
    """Check for a period that ends with the current minute, or ages of waits."""
    end = re.search(rb"(?:^|&)to=(\d{4}-\d\d-\d\d)", query)
    # In no zone is a later day today.
    has_ended = end is not None and end[1].decode() < timestamp(now - DAY)[:10]
    return not has_ended or bool(_AGES.search(query))


def inbox_report(request: EndpointRequest) -> Report:
    """Figures of a period, and of the same stretch of the calendar before it."""
    filter, members = report_filter(request)
    query = report_parameters(request)
    check_parts(request, filter, query.parts.parts)
    business = business_time(request, filter, query.period.end, query.parts.parts)
    request.parameters.raise_if_invalid()
    if business is not None:
        members["clock"] = CLOCKS[1]
    period = query.period
    shift = shift_for(period, query.compare, query.zone)
    before = shift.interval(period)
    parts = _parts(query)
    rows = _figures(request, filter, (period, before), detailed=True)
    current, previous = ([row for row in rows if row["tag"] == tag] for tag in (_NOW, _BEFORE))
    metrics = _measured(filter)
    report = Report(
        period=ZonedPeriod(
            from_=timestamp(period.start), to=timestamp(period.end), timezone=query.zone.key
        ),
        previous_period=Period(from_=timestamp(before.start), to=timestamp(before.end)),
        channel=members.pop("channel"),
        metrics=_with_answered(request, filter, metrics(current), period),
        previous=_with_answered(request, filter, metrics(previous), before),
        outgoing_by_author=_by_author(request, filter, current, period),
        channels=_by_channel(request, filter, rows),
        pricing=_pricing(request, filter, (period, before)),
        live=_live(request, filter),
        series=_series(request, filter, parts),
        previous_series=_series(
            request,
            filter,
            parts and split_previous(parts, before, query.granularity or "", shift),
        ),
    ).model_copy(update=members)
    intervals = (period, before)
    context = PartsContext(request, filter, intervals, query.zone, query.parts, business)
    return with_parts(report, context)


def _measured(filter: ReportFilter) -> Callable[[Iterable[Row]], Metrics]:
    return person_metrics if filter.by_person else report_metrics


def _with_answered(
    request: EndpointRequest, filter: ReportFilter, metrics: Metrics, interval: Interval
) -> Metrics:
    """Return metrics with the conversations that the filter's persons answered."""
    if not filter.by_person:
        return metrics
    span = ReportSpan(_NOW, interval.start, interval.end)
    count = reports.answered(*request.account, filter, span)
    return metrics.model_copy(update={"answered_conversations_count": count})


def _parts(query: ReportParameters) -> list[Interval] | None:
    if query.granularity is None:
        return None
    return list(split_interval(query.period, query.granularity, query.zone))


def _figures(
    request: EndpointRequest,
    filter: ReportFilter,
    intervals: Iterable[Interval],
    *,
    detailed: bool,
) -> list[Row]:
    """Read metric rows; each row's `tag` is the index of its period."""
    return reports.figures(
        *request.account,
        filter,
        [ReportSpan(tag, each.start, each.end) for tag, each in enumerate(intervals)],
        detailed=detailed,
    )


def _samples(rows: Sequence[Row]) -> dict[str, int]:
    return {
        mean: sum(row["samples"] for row in rows if row["name"] == name)
        for mean, name in REPORT_MEANS.items()
    }


def _by_author(
    request: EndpointRequest, filter: ReportFilter, rows: Iterable[Row], interval: Interval
) -> dict[str, int]:
    """Count outgoing messages by author, in descending order."""
    counts: Counter[str] = Counter()
    if filter.label_id:
        span = ReportSpan(_NOW, interval.start, interval.end)
        for row in reports.sent_by_author(*request.account, filter, span):
            counts[row["author"]] += row["n"]
    else:
        for row in rows:
            if row["name"] == OUTGOING:
                counts["user" if filter.by_person else row["author"]] += row["n"]
    return {
        author: n for author, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if n
    }


def _by_channel(
    request: EndpointRequest, filter: ReportFilter, rows: Sequence[Row]
) -> tuple[ChannelMetrics, ...]:
    own, metrics = grouped(rows, "channel_id"), _measured(filter)
    return tuple(
        ChannelMetrics(
            channel=Ref(id=channel["phone_number_id"], name=channel["name"]),
            metrics=metrics(row for row in own[channel["id"]] if row["tag"] == _NOW),
            previous=metrics(row for row in own[channel["id"]] if row["tag"] == _BEFORE),
        )
        for channel in reports.channels(*request.account, filter.channel_id)
    )


def _pricing(
    request: EndpointRequest, filter: ReportFilter, intervals: Iterable[Interval]
) -> tuple[PricingCount, ...]:
    """Count messages by channel, author and pricing, in descending order."""
    counts: dict[tuple[Any, ...], Counter[str]] = {}
    spans = [ReportSpan(tag, each.start, each.end) for tag, each in enumerate(intervals)]
    for row in reports.priced(*request.account, filter, spans):
        key = tuple(row[name] for name in ("channel_id", "author", "category", "type"))
        sums = counts.setdefault(key, Counter())
        prefix = "" if row["tag"] == _NOW else "previous_"
        sums[f"{prefix}count"] += row["n"]
        sums[f"{prefix}billable_count"] += row["billable"]
    channels = {
        row["id"]: Ref(id=row["phone_number_id"], name=row["name"])
        for row in reports.channels(*request.account, filter.channel_id)
    }
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1]["count"], pair[0]))
    return tuple(
        PricingCount(
            channel=channels[channel],
            author=author,
            category=category or None,
            type=type_ or None,
            **{name: sums[name] for name in _PRICING_COUNTS},
        )
        for (channel, author, category, type_), sums in ordered
        if sums["count"] or sums["previous_count"]
    )


def _live(request: EndpointRequest, filter: ReportFilter) -> LiveCounts:
    unattended = reports.unattended(*request.account, filter, request.awake_at)
    if filter.by_person:
        own = reports.open_of_persons(*request.account, filter, request.awake_at)
        return LiveCounts(
            open=own["open"],
            unassigned=0,
            unattended=unattended,
            awaiting_human=own["awaiting"],
            as_of=timestamp(request.now),
        )
    of = counted_cells(
        conversations.ConversationSelection(
            conversations.states_of((OPEN,)),
            filter.label_id,
            filter.channel_id,
            awake_at=request.awake_at,
        )
    )
    assert of is not None
    cells = conversations.counts(*request.account, of)
    return LiveCounts(
        open=sum(cell["n"] for cell in cells),
        unassigned=sum(cell["n"] for cell in cells if not cell["assigned"]),
        unattended=unattended,
        awaiting_human=sum(cell["n"] for cell in cells if cell["awaiting"]),
        as_of=timestamp(request.now),
    )


def _series(
    request: EndpointRequest, filter: ReportFilter, parts: Sequence[Interval] | None
) -> tuple[Bucket, ...] | None:
    if parts is None:
        return None
    own = grouped(_figures(request, filter, parts, detailed=False), "tag")
    metrics = _measured(filter)
    return tuple(
        Bucket(
            start=timestamp(part.start),
            end=timestamp(part.end),
            metrics=metrics(own[tag]),
            samples=_samples(own[tag]),
        )
        for tag, part in enumerate(parts)
    )
