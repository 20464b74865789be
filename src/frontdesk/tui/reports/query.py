"""Parameters of the report view and the `/v1` queries made from them."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from frontdesk.reports.periods import (
    CUSTOM,
    DEFAULT,
    PERIODS,
    Span,
    comparison,
    granularity_for,
)
from frontdesk.reports.registry import DIMENSIONS
from frontdesk.settings import NO_TARGETS, TargetSettings
from frontdesk.tui.clock import Clock
from frontdesk.wire import ReportQuery
from frontdesk.wire.queries import CALENDAR_PARTS, FILTERED_REPORT_PARTS
from frontdesk.wire.reports import Report


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """Parameters of a report; serialized between runs.

    `period` is a name in PERIODS, or CUSTOM with `first` and `end` as ISO dates (end None: now).
    channel None: all channels. zone None: the account's time zone. granularity None: default for
    the period.
    """

    period: str = DEFAULT
    first: str | None = None
    end: str | None = None
    channel: str | None = None
    zone: str | None = None
    # Durations and waits in business hours.
    business: bool = False
    # What the report is of: "" for all, or user:ID, team:ID, label:TITLE.
    subject: str = ""
    granularity: str | None = None
    # What is shown: the breakdown ("": by the room that there is), hours in place of the plot, p50
    # and p90, the pane and its row.
    breakdown: str = ""
    hours: bool = False
    spread: bool = False
    pane: str = "metrics"
    row: str = ""

    @classmethod
    def stored(cls, text: str | None) -> ReportOptions:
        """Parse stored parameters; the defaults if they are missing or invalid."""
        try:
            known = {field.name for field in fields(cls)}
            members = json.loads(text or "{}")
            options = cls(**{name: value for name, value in members.items() if name in known})
            options.span(date.max - timedelta(days=1))
            DIMENSIONS[options.breakdown or "users"]
            if options.subject:
                FILTERED_REPORT_PARTS[options.subject.partition(":")[0]]
        except (AttributeError, KeyError, TypeError, ValueError):
            return cls()
        return options

    def to_store(self) -> str:
        return json.dumps(asdict(self))

    def span(self, today: date) -> Span:
        """Days of the period.

        Raises: KeyError, TypeError, ValueError: invalid period or dates.
        """
        if self.period != CUSTOM:
            return PERIODS[self.period](today)
        end = date.fromisoformat(self.end) if self.end else None
        return Span(date.fromisoformat(self.first or ""), end)

    def with_span(self, span: Span) -> ReportOptions:
        """Copy with a custom range of dates."""
        end = span.end.isoformat() if span.end else None
        return replace(self, period=CUSTOM, first=span.first.isoformat(), end=end)

    def granularity_on(self, today: date) -> str:
        """Granularity of the series: the chosen one, or else that of the period."""
        return self.granularity or granularity_for(self.span(today).days(today))

    def included(self, breakdown: str) -> list[str]:
        """Parts that are asked for in requests of their own, as far as they are shown."""
        shown = {breakdown: breakdown != "channels", "hours": self.hours, "waits": True}
        return [part for part, is_shown in shown.items() if is_shown and self.has_part(part)]

    def has_part(self, part: str) -> bool:
        """Check if a report of its user, team or label, and in its clock, can have a part."""
        kind = self.subject.partition(":")[0]
        if self.business and part in CALENDAR_PARTS:
            return False
        return not kind or part == "channels" or part in FILTERED_REPORT_PARTS[kind]

    def query(
        self, today: date, targets: TargetSettings = NO_TARGETS, part: str = ""
    ) -> ReportQuery:
        """Query for the report, or for one part of it."""
        include = [part] if part else []
        include += ["spread"] if self.spread and part != "waits" else []
        include += ["backlog"] if part == "waits" and self.has_part("backlog") else []
        span = self.span(today)
        kind, _, value = self.subject.partition(":")
        return ReportQuery(
            from_=span.first.isoformat(),
            to=span.end.isoformat() if span.end else None,
            timezone=self.zone,
            channel=self.channel,
            granularity=self.granularity_on(today),
            compare=comparison(self.period, span, today),
            clock="business" if self.business else None,
            include=",".join(include) or None,
            **targets.parameters | ({kind: value} if kind else {}),
        )


def created_in(report: Report, clock: Clock, *, running: bool) -> str:
    """Term for the conversations that began in a report's period; "" if no days here are its days.

    running: the period goes on until now.
    """
    start, end = clock.here(report.period.from_time), clock.here(report.period.to_time)
    if start is None or end is None or not _is_day(start) or not (running or _is_day(end)):
        return ""
    first, last = start.date(), end.date() - timedelta(days=1)
    if not running and first == last:
        return f"created:{first.isoformat()}"
    return f"created:{first.isoformat()}..{'' if running else last.isoformat()}"


def _is_day(moment: datetime) -> bool:
    return moment.time() == time()


def zone_of(options: ReportOptions, report: Report | None, clock: Clock) -> tzinfo:
    """Zone of the report's days: the selected one, the account's, or else the local one."""
    name = options.zone or (report.period.timezone if report else None)
    with suppress(ZoneInfoNotFoundError, ValueError, OSError):
        if name:
            return ZoneInfo(name)
    return clock.now().tzinfo or UTC


def moments_of(report: Report) -> tuple[datetime, datetime] | None:
    """Start and end of a report's period; None if they cannot be parsed."""
    start, end = report.period.from_time, report.period.to_time
    return (start, end) if start and end else None
