"""A report of a few figures, and what tables draw of it, as text."""

from collections.abc import Sequence
from typing import Any

from frontdesk.tui.reports.tables import ReportTable
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire.reports import (
    Bucket,
    LiveCounts,
    Metrics,
    Percentiles,
    Report,
    TargetShare,
    WaitAges,
    ZonedPeriod,
)

DAYS = ("2026-03-12", "2026-03-13", "2026-03-14")
AS_OF = "2026-03-14T10:00:00Z"


def text_of(pieces: Sequence[Piece]) -> str:
    return "".join(text for _, text in pieces)


def drawn(table: ReportTable, width: int) -> list[str]:
    """The heading and the rows, without the blanks at their ends."""
    lines = [table.head(width)]
    for position in range(len(table.rows)):
        lines += table.draw(position, width)
    return [text_of(line).rstrip() for line in lines]


def report(*, detailed: bool = False, **members: Any) -> Report:
    """Three days of 12 to 14 March until 10:00. detailed: with percentiles, targets and waits."""
    more: dict[str, Any] = {}
    live: dict[str, Any] = {"open": 1204, "unassigned": 3, "unattended": 0, "as_of": AS_OF}
    if detailed:
        more["spread"] = {
            "avg_reply_time": Percentiles(p50=90.0, p90=4000.0, approximate=True),
            "avg_resolution_time": Percentiles(),
        }
        more["targets"] = {"reply": TargetShare(target_seconds=3600, within=41, samples=50)}
        live |= {"over_reply": 9, "waits": WaitAges(under_1h=3, under_4h=2, under_1d=0, over_1d=12)}
    return Report(
        **{
            "period": ZonedPeriod(from_=f"{DAYS[0]}T00:00:00Z", to=AS_OF),
            "previous_period": ZonedPeriod(from_="2026-03-09T00:00:00Z", to="2026-03-11T10:00:00Z"),
            "live": LiveCounts(**live),
            "metrics": Metrics(
                conversations_count=1204,
                incoming_messages_count=88,
                outgoing_messages_count=50,
                resolutions_count=5,
                avg_first_response_time=None,
                avg_reply_time=726.0,
                avg_resolution_time=100_000.0,
                samples={"avg_reply_time": 9, "avg_resolution_time": 2_700},
                **more,
            ),
            "previous": Metrics(
                conversations_count=1000,
                incoming_messages_count=88,
                outgoing_messages_count=0,
                resolutions_count=10,
                avg_reply_time=363.0,
                avg_resolution_time=99_900.0,
                samples={"avg_reply_time": 9, "avg_resolution_time": 2_700},
            ),
            "series": tuple(
                Bucket(
                    start=f"{day}T00:00:00Z",
                    end=f"{day}T23:59:59Z",
                    metrics=Metrics(
                        conversations_count=count,
                        incoming_messages_count=8 * at,
                        avg_reply_time=None if at else 726.0,
                    ),
                    samples={"avg_reply_time": 3, "avg_resolution_time": 900},
                )
                for at, (day, count) in enumerate(zip(DAYS, (800, 400, 4), strict=True))
            ),
            **members,
        }
    )
