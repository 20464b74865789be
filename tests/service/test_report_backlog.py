"""What was open at the ends of days: from sums backwards, against a replay of what happened."""

from collections import defaultdict
from typing import Any

import httpx
import pytest
from tests.service.report_events import BOB, CHANNEL, OTHER, AddEvents, asks, happens
from tests.service.test_report_bodies import NOW, body, events, fill
from tests.stores import Engine

from frontdesk.ingest.events import ConversationEvent, MessageUpsert
from frontdesk.service.calendar_buckets import moment_of
from frontdesk.wire import instant
from frontdesk.wire.reports import Report

pytestmark = pytest.mark.both_engines

_OPENING, _RESOLVED = ("opened", "snoozed", "bot_handoff"), "resolved"


class Replay:
    """Status of each conversation, event by event."""

    def __init__(self) -> None:
        self._turns = defaultdict[tuple[str, Any], list[tuple[int, int, bool | None]]](list)
        for number, event in enumerate(events()):
            place = (event.at, number)
            if isinstance(event, MessageUpsert):
                asks = not event.outbound and event.type != "reaction"
                turn = True if asks else None
                self._turns[event.channel, event.person].append((*place, turn))
            elif isinstance(event, ConversationEvent):
                turn = event.name != _RESOLVED if event.name in (*_OPENING, _RESOLVED) else None
                self._turns[event.channel, event.person].append((*place, turn))

    def open_at(self, moment: int, channel: str | None) -> int:
        """Conversations that are not resolved before a moment; each is open when it begins."""
        return sum(
            self._is_open(turns, moment)
            for (place, _), turns in self._turns.items()
            if channel in (None, place)
        )

    @staticmethod
    def _is_open(turns: list[tuple[int, int, bool | None]], moment: int) -> bool:
        before = [turn for at, _, turn in sorted(turns, key=lambda each: each[:2]) if at < moment]
        told = [turn for turn in before if turn is not None]
        return bool(before) and (told[-1] if told else True)


def ms(text: str | None) -> int:
    when = instant(text)
    assert when is not None
    return moment_of(when)


@pytest.mark.parametrize(
    "query",
    [
        {"from": "2026-03-01", "granularity": "day", "timezone": "Europe/Madrid"},
        {"from": "2026-02-20", "to": "2026-03-09", "granularity": "day", "channel": CHANNEL},
        {"from": "2026-02-16", "granularity": "week", "channel": OTHER, "compare": "week"},
        {"from": "2026-03-10T10:11:12.345Z", "granularity": "hour", "timezone": "Asia/Kathmandu"},
    ],
    ids=["days of Madrid", "days of a channel", "weeks that overlap", "hours from an odd moment"],
)
def test_what_was_open_at_each_end_is_what_a_replay_says(
    engine: Engine, query: dict[str, str]
) -> None:
    replay = Replay()
    with engine.fresh() as database:
        database.write(fill)
        text = database.read(lambda connection: body(connection, {**query, "include": "backlog"}))
        plain = database.read(lambda connection: body(connection, query))
    report = Report.model_validate_json(text)
    channel = query.get("channel")
    buckets = [*(report.series or ()), *(report.previous_series or ())]
    found = [bucket.metrics.open_at_end_count for bucket in buckets]
    assert found == [replay.open_at(min(ms(each.end), NOW), channel) for each in buckets]
    assert len({*found}) > 2
    assert report.previous is not None
    assert report.previous_period is not None
    assert report.metrics.open_at_end_count == replay.open_at(ms(report.period.to), channel)
    assert report.previous.open_at_end_count == replay.open_at(
        ms(report.previous_period.to), channel
    )
    assert "open_at_end_count" not in plain


async def test_a_conversation_of_which_only_old_messages_are_known_was_never_open(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    old = {"live": False, "source": "archive"}
    months = -60 * 24 * 60
    add_events([asks(months, person=BOB, **old), asks(months, channel=OTHER, person=BOB, **old)])
    add_events([asks(0)])
    add_events([happens(24 * 60, "resolved"), asks(3 * 24 * 60, channel=OTHER, person=BOB)])
    query = {"include": "backlog", "granularity": "day", "from": "2026-03-09", "timezone": "UTC"}
    answer = (await client.get("/v1/reports/inbox", params=query)).json()
    # The one that is written to again counts from its beginning on.
    assert [each["metrics"]["open_at_end_count"] for each in answer["series"]] == [1, 2, 1, 1, 1, 1]


@pytest.mark.parametrize("subject", [{"user": "1"}, {"team": "1"}, {"label": "vip"}])
def test_it_is_not_known_of_persons_and_labels(engine: Engine, subject: dict[str, str]) -> None:
    with engine.fresh() as database:
        database.write(fill)
        with pytest.raises(Exception, match=r"backlog|does not go with"):
            database.read(lambda connection: body(connection, {**subject, "include": "backlog"}))
