"""What a report screen asks for: a period, a channel, a zone, parts, and the queries of these."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from datetime import date, datetime, timedelta

from frontdesk.tui.screens.report_periods import (
    CUSTOM,
    DEFAULT,
    PERIODS,
    Span,
    granularity_for,
)
from frontdesk.wire import Report, ReportQuery, instant


@dataclass(frozen=True, slots=True)
class Asked:
    """`period` is a name of PERIODS, or CUSTOM with `first` and `end` as dates (end None: now).

    channel, zone None: all channels, the zone of the account. granularity None: as fits the period.
    """

    period: str = DEFAULT
    first: str | None = None
    end: str | None = None
    channel: str | None = None
    zone: str | None = None
    granularity: str | None = None

    @classmethod
    def stored(cls, text: str | None) -> Asked:
        """What was remembered, or the default where that cannot be read."""
        try:
            known = {field.name for field in fields(cls)}
            members = json.loads(text or "{}")
            asked = cls(**{name: value for name, value in members.items() if name in known})
            asked.span(date.max - timedelta(days=1))
        except (AttributeError, KeyError, TypeError, ValueError):
            return cls()
        return asked

    def to_store(self) -> str:
        return json.dumps(asdict(self))

    def span(self, today: date) -> Span:
        """The days that are asked for.

        Raises: KeyError, TypeError, ValueError: there is no such period.
        """
        if self.period != CUSTOM:
            return PERIODS[self.period](today)
        end = date.fromisoformat(self.end) if self.end else None
        return Span(date.fromisoformat(self.first or ""), end)

    def with_span(self, span: Span) -> Asked:
        """The same for these dates."""
        end = span.end.isoformat() if span.end else None
        return Asked(CUSTOM, span.first.isoformat(), end, self.channel, self.zone, self.granularity)

    def parts(self, today: date) -> str:
        """The granularity of its series."""
        return self.granularity or granularity_for(self.span(today).days(today))

    def query(self, today: date) -> ReportQuery:
        """The query of the report."""
        span = self.span(today)
        return self._query(span.first, span.end, today)

    def query_before(self, today: date) -> ReportQuery:
        """The query of the series of as many whole days before: they stand beside this period's.

        A report tells the sums of the time before, but not its parts.
        """
        span = self.span(today)
        return self._query(span.first - timedelta(days=span.days(today)), span.first, today)

    def _query(self, first: date, end: date | None, today: date) -> ReportQuery:
        return ReportQuery(
            from_=first.isoformat(),
            to=end.isoformat() if end else None,
            timezone=self.zone,
            channel=self.channel,
            granularity=self.parts(today),
        )


def moments_of(report: Report) -> tuple[datetime, datetime] | None:
    """Where the period of a report begins and ends; None where that cannot be read."""
    start, end = instant(report.period.from_), instant(report.period.to)
    return (start, end) if start and end else None
