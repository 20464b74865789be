"""The period of a report is what its server says, if that can be read."""

import pytest

from frontdesk.tui.reports.query import moments_of
from frontdesk.wire.reports import Metrics, Report, ZonedPeriod

START, END = "2026-03-13T00:00:00.000Z", "2026-03-14T00:00:00.000Z"


@pytest.mark.parametrize(
    ("start", "end", "known"),
    [(START, END, True), (START, "?", False), ("?", END, False), ("?", "?", False)],
)
def test_a_period_has_both_ends_or_none(start: str, end: str, known: bool) -> None:
    period = ZonedPeriod.model_validate({"from": start, "to": end})
    moments = moments_of(Report(period=period, metrics=Metrics()))
    assert (moments == (period.from_time, period.to_time)) == known
    assert (moments is None) != known
