"""Reports with all parts, as a server sends them."""

from typing import TypeVar

from frontdesk.wire import Ref, ReportQuery
from frontdesk.wire.reports import (
    HourGrid,
    Hours,
    LabelReport,
    Metrics,
    Percentiles,
    PersonFigures,
    PersonNow,
    Report,
    TargetShare,
    TeamReport,
    UserReport,
    WaitAges,
)

M = TypeVar("M", Metrics, PersonFigures)

PEOPLE = {
    "Ana Ruiz": PersonFigures(
        outgoing_messages_count=120,
        answered_conversations_count=41,
        avg_first_response_time=240.0,
        avg_reply_time=180.0,
        resolutions_count=30,
        samples={"avg_first_response_time": 40, "avg_reply_time": 60},
    ),
    "Grace Okafor": PersonFigures(
        outgoing_messages_count=33,
        answered_conversations_count=12,
        avg_first_response_time=5400.0,
        avg_reply_time=7260.0,
        resolutions_count=4,
        samples={"avg_first_response_time": 40, "avg_reply_time": 60},
    ),
    "": PersonFigures(
        outgoing_messages_count=9,
        answered_conversations_count=7,
        avg_first_response_time=None,
        avg_reply_time=None,
        resolutions_count=0,
    ),
}
NOW_OF = {
    "Ana Ruiz": PersonNow(availability="online", open=6, waiting=0, unread=1, waits=WaitAges()),
    "Grace Okafor": PersonNow(
        availability="busy",
        open=11,
        waiting=5,
        longest_waiting_since="2026-03-14T04:30:00.000Z",
        unread=3,
        waits=WaitAges(under_1h=1, under_4h=1, under_1d=3, over_1d=0),
    ),
    "": PersonNow(
        availability=None,
        open=23,
        waiting=9,
        longest_waiting_since="2026-03-13T09:00:00.000Z",
        unread=8,
        waits=WaitAges(under_1h=0, under_4h=2, under_1d=3, over_1d=4),
    ),
}


def with_parts(report: Report, query: ReportQuery, ids: dict[str, str] | None = None) -> Report:
    """The report with what the query includes. ids: of users, by name."""
    included = (query.include or "").split(",")
    parts: dict[str, object] = {}
    if "users" in included:
        parts["users"] = tuple(
            UserReport(
                user=Ref(id=(ids or {}).get(name, name), name=name) if name else None,
                current=detailed(figures, query),
                previous=detailed(PEOPLE["Ana Ruiz"], query),
                now=NOW_OF[name],
            )
            for name, figures in PEOPLE.items()
        )
    if "teams" in included:
        team = Ref(id="1", name="London")
        figures = PEOPLE["Ana Ruiz"]
        parts["teams"] = (
            TeamReport(
                team=team,
                current=figures,
                previous=figures,
                now=NOW_OF["Ana Ruiz"].model_copy(update={"availability": None}),
            ),
        )
    if "labels" in included:
        label = Ref(id="3", name="complaint")
        parts["labels"] = (
            LabelReport(label=label, current=report.metrics, previous=report.previous),
        )
    if "hours" in included:
        parts["hours"] = hours()
    live = report.live
    if query.target_reply is not None and live is not None:
        live = live.model_copy(update={"over_first_response": 4, "over_reply": 9})
    if "waits" in included and live is not None:
        ages = WaitAges(under_1h=3, under_4h=2, under_1d=1, over_1d=12)
        live = live.model_copy(update={"waits": ages})
    parts["live"] = live
    parts["metrics"] = detailed(report.metrics, query)
    return report.model_copy(update=parts)


def hours() -> Hours:
    """Most on Tuesdays at 14:00; nobody answers on Sundays."""
    received = tuple(
        tuple(9 if (day, hour) == (1, 14) else day % 3 for hour in range(24)) for day in range(7)
    )
    times = tuple(
        tuple(None if day == 6 else 60.0 * hour for hour in range(24)) for day in range(7)
    )
    grid = HourGrid(received=received, avg_first_response_time=times)
    return Hours(received=received, avg_first_response_time=times, previous=grid)


def detailed(metrics: M, query: ReportQuery) -> M:
    """The figures with percentiles and shares, as the query asks for them."""
    update: dict[str, object] = {}
    if "spread" in (query.include or "").split(","):
        update["spread"] = {
            "avg_first_response_time": Percentiles(p50=120.0, p90=3000.0, approximate=True),
            "avg_reply_time": Percentiles(p50=90.0, p90=600.0),
            "avg_resolution_time": Percentiles(),
        }
    if query.target_reply is not None:
        update["targets"] = {
            "reply": TargetShare(target_seconds=query.target_reply, within=41, samples=50)
        }
    return metrics.model_copy(update=update)
