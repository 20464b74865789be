"""The report of the sample, as a client reads it: believable numbers that agree with each other."""

from frontdesk.client import InboxClient
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Metrics


def test_a_query_says_only_what_is_asked() -> None:
    assert ReportQuery().parameters() == {}
    query = ReportQuery(from_="2026-03-01", granularity="day")
    assert query.parameters() == {"from": "2026-03-01", "granularity": "day"}


async def test_the_last_seven_days_are_busy(client: InboxClient) -> None:
    report = await client.report()
    counts = await client.counts()
    assert report.period.from_ == "2026-03-08T00:00:00.000Z"
    assert report.previous is not None
    # A person alone has the last one.
    asked = {*Metrics.model_fields} - {
        *("spread", "targets", "answered_conversations_count", "open_at_end_count")
    }
    for metrics in (report.metrics, report.previous):
        assert not [name for name in asked if not getattr(metrics, name)]
    assert report.metrics.avg_first_response_time is not None
    assert 60 < report.metrics.avg_first_response_time < 8 * 3600
    assert report.live is not None
    assert (report.live.open, report.live.unassigned) == (counts.open, counts.unassigned)
    assert 0 < report.live.unattended < report.live.open
    assert report.live.awaiting_human == counts.awaiting_human


async def test_channels_authors_and_days_add_up_to_the_whole(client: InboxClient) -> None:
    query = ReportQuery(from_="2026-02-01", timezone="Europe/Madrid", granularity="day")
    report = await client.report(query)
    whole = counted(report.metrics)
    assert summed([one.metrics for one in report.channels]) == whole
    assert sum(report.outgoing_by_author.values()) == report.metrics.outgoing_messages_count
    assert len(report.channels) > 1
    assert report.series is not None
    assert len(report.series) == 28 + 14
    days = summed([one.metrics for one in report.series])
    # A conversation may be handed over on several days.
    assert days.pop("bot_handoffs_count") >= whole.pop("bot_handoffs_count")
    assert days == whole


def counted(metrics: Metrics) -> dict[str, int]:
    return {name: value for name, value in metrics if name.endswith("_count") and value is not None}


def summed(parts: list[Metrics]) -> dict[str, int]:
    names = counted(parts[0])
    return {name: sum(counted(part)[name] for part in parts) for name in names}
