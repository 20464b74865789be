"""Inbox report endpoint: metrics of a period, of the period before, and live counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from frontdesk.service import filters
from frontdesk.service.endpoint import Call
from frontdesk.service.periods import Stretch, parts_of, stretch_before
from frontdesk.service.report_orders import ReportOrder, report_order
from frontdesk.service.serializers import grouped
from frontdesk.store import conversations, reports
from frontdesk.store.database import Row
from frontdesk.store.reports import Span
from frontdesk.store.rollups import HANDOFF, INCOMING, OUTGOING
from frontdesk.wire import (
    Bucket,
    ChannelMetrics,
    LiveCounts,
    Metrics,
    Period,
    PricingCount,
    Ref,
    Report,
    ZonedPeriod,
    timestamp,
)

_NOW, _BEFORE = 0, 1
_PRICING_COUNTS = ("count", "billable_count", "previous_count", "previous_billable_count")


def inbox_report(call: Call) -> Report:
    """What happened in a period, and in the period before it of the same length."""
    _, channel_id, asked = filters.label_and_channel(call)
    order = report_order(call)
    call.parameters.settle()
    period = order.period
    before = stretch_before(period, order.zone)
    rows = _figures(call, channel_id, (period, before), detailed=True)
    current = [row for row in rows if row["tag"] == _NOW]
    return Report(
        period=ZonedPeriod(
            from_=timestamp(period.start), to=timestamp(period.end), timezone=order.zone.key
        ),
        previous_period=Period(from_=timestamp(before.start), to=timestamp(before.end)),
        channel=asked.get("channel"),
        metrics=_metrics(current),
        previous=_metrics(row for row in rows if row["tag"] == _BEFORE),
        outgoing_by_author=_by_author(current),
        channels=_by_channel(call, channel_id, rows),
        pricing=_pricing(call, channel_id, (period, before)),
        live=_live(call, channel_id),
        series=_series(call, channel_id, order),
    )


def _figures(
    call: Call, channel_id: int | None, stretches: Iterable[Stretch], *, detailed: bool
) -> list[Row]:
    """Read metric rows; each row's `tag` is the index of its period."""
    return reports.figures(
        call.connection,
        call.account_id,
        channel_id,
        [Span(tag, each.start, each.end) for tag, each in enumerate(stretches)],
        detailed=detailed,
    )


def _metrics(rows: Iterable[Row]) -> Metrics:
    counts: Counter[str] = Counter()
    samples: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for row in rows:
        counts[row["name"]] += row["n"]
        samples[row["name"]] += row["samples"]
        totals[row["name"]] += row["total"]

    def mean(name: str) -> float | None:
        """Mean in seconds, rounded to a tenth."""
        return round(totals[name] / samples[name] / 1000, 1) if samples[name] else None

    return Metrics(
        conversations_count=counts[reports.STARTED],
        reopened_count=counts["episode_opened"],
        incoming_messages_count=counts[INCOMING],
        outgoing_messages_count=counts[OUTGOING],
        resolutions_count=counts["resolved"],
        avg_first_response_time=mean("first_response"),
        avg_resolution_time=mean("resolved"),
        avg_reply_time=mean("reply"),
        bot_handoffs_count=counts[HANDOFF],
        bot_resolutions_count=counts["bot_resolved"],
    )


def _samples(rows: Sequence[Row]) -> dict[str, int]:
    return {
        mean: sum(row["samples"] for row in rows if row["name"] == name)
        for mean, name in (
            ("avg_first_response_time", "first_response"),
            ("avg_resolution_time", "resolved"),
            ("avg_reply_time", "reply"),
        )
    }


def _by_author(rows: Iterable[Row]) -> dict[str, int]:
    """Count outgoing messages by author, in descending order."""
    counts: Counter[str] = Counter()
    for row in rows:
        if row["name"] == OUTGOING:
            counts[row["author"]] += row["n"]
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _by_channel(
    call: Call, channel_id: int | None, rows: Sequence[Row]
) -> tuple[ChannelMetrics, ...]:
    own = grouped(rows, "channel_id")
    return tuple(
        ChannelMetrics(
            channel=Ref(id=channel["phone_number_id"], name=channel["name"]),
            metrics=_metrics(row for row in own[channel["id"]] if row["tag"] == _NOW),
            previous=_metrics(row for row in own[channel["id"]] if row["tag"] == _BEFORE),
        )
        for channel in reports.channels(call.connection, call.account_id, channel_id)
    )


def _pricing(
    call: Call, channel_id: int | None, stretches: Iterable[Stretch]
) -> tuple[PricingCount, ...]:
    """Count messages by channel, author and pricing, in descending order."""
    counts: dict[tuple[Any, ...], Counter[str]] = {}
    spans = [Span(tag, each.start, each.end) for tag, each in enumerate(stretches)]
    for row in reports.priced(call.connection, call.account_id, channel_id, spans):
        key = tuple(row[name] for name in ("channel_id", "author", "category", "type"))
        found = counts.setdefault(key, Counter())
        prefix = "" if row["tag"] == _NOW else "previous_"
        found[f"{prefix}count"] += row["n"]
        found[f"{prefix}billable_count"] += row["billable"]
    channels = {
        row["id"]: Ref(id=row["phone_number_id"], name=row["name"])
        for row in reports.channels(call.connection, call.account_id, channel_id)
    }
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1]["count"], pair[0]))
    return tuple(
        PricingCount(
            channel=channels[channel],
            author=author,
            category=category or None,
            type=type_ or None,
            **{name: found[name] for name in _PRICING_COUNTS},
        )
        for (channel, author, category, type_), found in ordered
    )


def _live(call: Call, channel_id: int | None) -> LiveCounts:
    cells = conversations.counts(
        call.connection,
        call.account_id,
        label_id=conversations.NO_LABEL,
        channel_id=channel_id,
        user_id=None,
        awake_at=call.awake_at,
    )
    opened = [cell for cell in cells if cell["status"] == conversations.OPEN]
    return LiveCounts(
        open=sum(cell["n"] for cell in opened),
        unassigned=sum(cell["n"] for cell in opened if not cell["assigned"]),
        unattended=reports.unattended(call.connection, call.account_id, channel_id, call.awake_at),
        awaiting_human=sum(cell["n"] for cell in opened if cell["awaiting"]),
        as_of=timestamp(call.now),
    )


def _series(call: Call, channel_id: int | None, order: ReportOrder) -> tuple[Bucket, ...] | None:
    if order.granularity is None:
        return None
    parts = list(parts_of(order.period, order.granularity, order.zone))
    own = grouped(_figures(call, channel_id, parts, detailed=False), "tag")
    return tuple(
        Bucket(
            start=timestamp(part.start),
            end=timestamp(part.end),
            metrics=_metrics(own[tag]),
            samples=_samples(own[tag]),
        )
        for tag, part in enumerate(parts)
    )
