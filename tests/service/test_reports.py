"""The inbox report: every formula on a timeline that can be checked by hand."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.service.report_events import (
    BOB,
    CHANNEL,
    DAY,
    HOUR,
    MINUTE,
    NOON,
    OTHER,
    SHEENA,
    AddEvents,
    answers,
    asks,
    happens,
    message,
    report,
)

from frontdesk.ingest.events import (
    Author,
    ChannelUpsert,
    DomainEvent,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)

pytestmark = pytest.mark.both_engines


@pytest.fixture
def metrics(client: httpx.AsyncClient, add_events: AddEvents) -> Callable[..., Any]:
    """The metrics of the default period after some events, those that are not 0 or null."""

    async def ask(*events: DomainEvent) -> dict[str, Any]:
        add_events(events)
        body = await report(client)
        return {name: value for name, value in body["metrics"].items() if value}

    return ask


MEANS = ("avg_first_response_time", "avg_resolution_time", "avg_reply_time")


async def test_a_period_without_anything_has_zeros_and_no_means(client: httpx.AsyncClient) -> None:
    body = await report(client)
    nothing = {
        "conversations_count": 0,
        "reopened_count": 0,
        "incoming_messages_count": 0,
        "outgoing_messages_count": 0,
        "resolutions_count": 0,
        "avg_first_response_time": None,
        "avg_resolution_time": None,
        "avg_reply_time": None,
        "bot_handoffs_count": 0,
        "bot_resolutions_count": 0,
        "samples": dict.fromkeys(MEANS, 0),
    }
    assert body == {
        "period": {
            "from": "2026-03-08T00:00:00.000Z",
            "to": "2026-03-14T09:30:00.000Z",
            "timezone": "UTC",
        },
        "previous_period": {"from": "2026-03-01T00:00:00.000Z", "to": "2026-03-07T09:30:00.000Z"},
        "channel": None,
        "metrics": nothing,
        "previous": nothing,
        "outgoing_by_author": {},
        "pricing": [],
        "channels": [],
        "live": {
            "open": 0,
            "unassigned": 0,
            "unattended": 0,
            "awaiting_human": 0,
            "as_of": "2026-03-14T09:30:00.000Z",
        },
        "series": None,
        "previous_series": None,
    }


async def test_messages_are_counted_by_what_they_were_charged_as(
    add_events: AddEvents, client: httpx.AsyncClient
) -> None:
    for at, author, channel, category in (
        (0, "campaign", CHANNEL, "marketing"),
        (1, "campaign", CHANNEL, "marketing"),
        (2, "phone", OTHER, "service"),
        (-7 * 24 * 60, "campaign", CHANNEL, "marketing"),
    ):
        sent = message(at, author, channel)
        assert sent.wamid is not None
        step = StatusUpdate(
            channel,
            SHEENA,
            sent.wamid,
            sent.at,
            "sent",
            category=category,
            billable=category == "marketing",
            pricing_model="PMP",
            pricing_type="regular",
        )
        add_events([sent, step])
    add_events([answers(3)])
    pricing = (await report(client))["pricing"]
    assert [one.pop("channel")["id"] for one in pricing] == [CHANNEL, OTHER]
    assert pricing == [
        {
            "author": "campaign",
            "category": "marketing",
            "type": "regular",
            "count": 2,
            "billable_count": 2,
            "previous_count": 1,
            "previous_billable_count": 1,
        },
        {
            "author": "phone",
            "category": "service",
            "type": "regular",
            "count": 1,
            "billable_count": 0,
            "previous_count": 0,
            "previous_billable_count": 0,
        },
    ]
    assert len((await report(client, channel=OTHER))["pricing"]) == 1


async def test_a_question_and_its_answer(metrics: Callable[..., Any]) -> None:
    assert await metrics(asks(0), answers(5)) == {
        "conversations_count": 1,
        "incoming_messages_count": 1,
        "outgoing_messages_count": 1,
        "avg_first_response_time": 300.0,
        "samples": {**dict.fromkeys(MEANS, 0), "avg_first_response_time": 1},
    }


async def test_after_a_handoff_the_first_response_is_timed_from_it(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(
        asks(0), answers(1, "ai_agent"), happens(10, "bot_handoff"), answers(12), answers(13)
    )
    assert found["avg_first_response_time"] == 120.0
    assert found["bot_handoffs_count"] == 1
    assert "avg_reply_time" not in found


async def test_the_second_of_two_replies_in_a_row_answers_nobody(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(asks(0), answers(1), asks(10), asks(11), answers(14), answers(15))
    assert found["avg_first_response_time"] == 60.0
    assert found["avg_reply_time"] == 240.0


async def test_messages_answered_by_a_bot_are_excluded_from_reply_times(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(asks(0), answers(1), asks(10), answers(11, "ai_agent"), answers(20))
    assert "avg_reply_time" not in found


async def test_a_campaign_in_between_neither_answers_nor_ends_the_wait(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(
        asks(0),
        answers(1, "campaign"),
        answers(4),
        asks(10),
        answers(11, "automation"),
        answers(16),
    )
    assert found["avg_first_response_time"] == 240.0
    assert found["avg_reply_time"] == 360.0
    assert found["outgoing_messages_count"] == 4


async def test_each_episode_has_a_first_response_and_a_resolution(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(
        asks(0),
        answers(2),
        happens(10, "resolved"),
        asks(60),
        answers(64),
        happens(80, "resolved"),
    )
    assert found == {
        "conversations_count": 1,
        "reopened_count": 1,
        "incoming_messages_count": 2,
        "outgoing_messages_count": 2,
        "resolutions_count": 2,
        "avg_first_response_time": 180.0,
        "avg_resolution_time": 900.0,
        "samples": {"avg_first_response_time": 2, "avg_resolution_time": 2, "avg_reply_time": 0},
    }


async def test_resolving_a_resolved_conversation_is_not_counted_again(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(asks(0), happens(10, "resolved"), happens(20, "resolved"))
    assert found["resolutions_count"] == 1
    assert found["avg_resolution_time"] == 600.0


async def test_a_resolution_before_any_message_is_counted_but_not_timed(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(happens(0, "resolved"), asks(10), happens(13, "resolved"))
    assert found["resolutions_count"] == 2
    assert found["avg_resolution_time"] == 180.0


async def test_an_opening_of_what_was_open_begins_no_episode(metrics: Callable[..., Any]) -> None:
    found = await metrics(asks(0), happens(1, "opened"), answers(5), happens(10, "resolved"))
    assert "reopened_count" not in found
    assert found["avg_first_response_time"] == 300.0
    assert found["avg_resolution_time"] == 600.0


async def test_a_snooze_ends_no_episode(metrics: Callable[..., Any]) -> None:
    found = await metrics(
        asks(0),
        happens(1, "snoozed", until=NOON + 60 * MINUTE),
        happens(60, "opened"),
        answers(70),
        happens(90, "resolved"),
    )
    assert "reopened_count" not in found
    assert found["avg_first_response_time"] == 4200.0
    assert found["avg_resolution_time"] == 5400.0


async def test_an_episode_that_an_agent_started_gives_no_first_response(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(answers(0), asks(5), answers(8), happens(20, "resolved"))
    assert "avg_first_response_time" not in found
    assert found["avg_reply_time"] == 180.0
    assert found["avg_resolution_time"] == 1200.0


async def test_a_word_after_the_resolution_is_of_no_episode(metrics: Callable[..., Any]) -> None:
    found = await metrics(asks(0), happens(10, "resolved"), answers(20), happens(30, "opened"))
    assert "avg_first_response_time" not in found
    assert found["reopened_count"] == 1


async def test_a_bot_resolves_where_it_spoke_and_nobody_else_did(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(
        asks(0),
        answers(1, "ai_agent"),
        happens(10, "resolved"),
        asks(20),
        answers(21, "ai_agent"),
        answers(22),
        happens(30, "resolved"),
        asks(40),
        happens(50, "resolved"),
    )
    assert found["resolutions_count"] == 3
    assert found["bot_resolutions_count"] == 1


async def test_handoffs_of_one_conversation_count_once(metrics: Callable[..., Any]) -> None:
    found = await metrics(
        asks(0),
        happens(1, "bot_handoff"),
        happens(DAY // MINUTE, "bot_handoff"),
        asks(0, person=BOB),
        happens(5, "bot_handoff", person=BOB),
    )
    assert found["bot_handoffs_count"] == 2


async def test_reactions_notes_and_system_rows_are_no_messages(metrics: Callable[..., Any]) -> None:
    first = asks(0)
    found = await metrics(
        first,
        ReactionSet(CHANNEL, str(first.wamid), "me", "👍", NOON + MINUTE, True, "phone"),
        NoteUpsert(CHANNEL, SHEENA, "n", NOON + MINUTE, "A note", Author("user")),
        answers(2, type="system"),
        answers(3, status="failed"),
    )
    assert found["incoming_messages_count"] == 1
    assert found["outgoing_messages_count"] == 1
    assert found["avg_first_response_time"] == 180.0


async def test_means_are_over_all_samples_and_to_a_tenth_of_a_second(
    metrics: Callable[..., Any],
) -> None:
    found = await metrics(
        *(asks(0, person=person) for person in (SHEENA, BOB)),
        answers(1.000 / 60),
        answers(1.249 / 60, person=BOB),
    )
    assert found["avg_first_response_time"] == 1.1


async def test_messages_out_are_reported_by_author_the_busiest_first(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events(
        [
            asks(0),
            answers(1, "ai_agent"),
            answers(2, "user"),
            answers(3, "user"),
            answers(4, "kiosk"),
            StatusUpdate(CHANNEL, SHEENA, "unseen", NOON + 5 * MINUTE, "sent"),
        ]
    )
    body = await report(client)
    assert list(body["outgoing_by_author"].items()) == [
        ("user", 2),
        ("ai_agent", 1),
        ("api", 1),
        ("kiosk", 1),
    ]


async def test_messages_reported_late_correct_the_metrics(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), answers(30)])
    assert (await report(client))["metrics"]["avg_first_response_time"] == 1800.0
    add_events([answers(10)])
    metrics = (await report(client))["metrics"]
    assert metrics["avg_first_response_time"] == 600.0
    assert metrics["avg_reply_time"] is None
    assert metrics["outgoing_messages_count"] == 2


async def test_a_message_whose_contents_come_late_moves_to_its_author_and_time(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    late = answers(3, "user")
    add_events([asks(0), StatusUpdate(CHANNEL, SHEENA, str(late.wamid), NOON + HOUR, "sent")])
    assert (await report(client))["outgoing_by_author"] == {"api": 1}
    add_events([late])
    body = await report(client, granularity="hour", **{"from": "2026-03-10T12:00Z"})
    assert body["outgoing_by_author"] == {"user": 1}
    counts = [bucket["metrics"]["outgoing_messages_count"] for bucket in body["series"]]
    assert counts[:3] == [1, 0, 0]


async def test_each_channel_has_its_own_metrics_by_name(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events(
        [
            ChannelUpsert(CHANNEL, NOON, alias="Support"),
            ChannelUpsert(OTHER, NOON, alias="Billing"),
            asks(0),
            answers(1),
            asks(-7 * 24 * 60, channel=OTHER),
            asks(0, channel=OTHER, person=BOB),
        ]
    )
    body = await report(client)
    assert [one["channel"] for one in body["channels"]] == [
        {"id": OTHER, "name": "Billing"},
        {"id": CHANNEL, "name": "Support"},
    ]
    billing, support = body["channels"]
    assert billing["metrics"]["incoming_messages_count"] == 1
    assert billing["previous"]["incoming_messages_count"] == 1
    assert support["metrics"]["avg_first_response_time"] == 60.0
    assert support["previous"]["incoming_messages_count"] == 0
    assert body["metrics"]["incoming_messages_count"] == 2


async def test_a_channel_restricts_everything(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), answers(1), asks(0, channel=OTHER), asks(0, channel=OTHER, person=BOB)])
    body = await report(client, channel=OTHER, granularity="week")
    assert body["channel"] == OTHER
    assert [one["channel"]["id"] for one in body["channels"]] == [OTHER]
    assert body["metrics"]["conversations_count"] == 2
    assert body["outgoing_by_author"] == {}
    assert sum(one["metrics"]["incoming_messages_count"] for one in body["series"]) == 2
    assert (body["live"]["open"], body["live"]["unattended"]) == (2, 2)


async def test_live_counts_what_is_open_now(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    people = [Person(phone=f"+1650555200{number}") for number in range(6)]
    answered, waiting, unanswered, handed, resolved, snoozed = people
    add_events(
        [
            *(asks(0, person=person) for person in people),
            answers(1, person=answered),
            answers(1, person=waiting),
            asks(2, person=waiting),
            happens(1, "assigned", person=unanswered, user="ana@example.com"),
            answers(1, person=handed),
            happens(2, "bot_handoff", person=handed),
            happens(2, "resolved", person=resolved),
            happens(2, "snoozed", person=snoozed, until=NOON + 400 * DAY),
        ]
    )
    assert (await report(client))["live"] == {
        "open": 4,
        "unassigned": 3,
        "unattended": 3,
        "awaiting_human": 1,
        "as_of": "2026-03-14T09:30:00.000Z",
    }


async def test_a_snooze_that_is_over_is_open_now(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), happens(2, "snoozed", until=NOON + DAY)])
    live = (await report(client))["live"]
    assert (live["open"], live["unattended"]) == (1, 1)
