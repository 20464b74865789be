"""Which report is asked for: its period, zone, parts and channel, and what is refused."""

from typing import Any

import httpx
from tests.service.report_events import (
    BOB,
    MINUTE,
    REPORT,
    AddEvents,
    answers,
    asks,
    report,
)

from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store.accounts import add_account
from frontdesk.store.database import Database


async def test_an_hour_is_compared_with_the_same_hour_of_the_day_before(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    day = 24 * 60
    add_events([asks(-day, person=BOB), asks(59 - day, person=BOB), asks(60 - day, person=BOB)])
    add_events([asks(0), answers(59.999), asks(60)])
    body = await report(client, **{"from": "2026-03-10T12:00:00Z", "to": "2026-03-10T13:00:00Z"})
    assert body["previous_period"] == {
        "from": "2026-03-09T12:00:00.000Z",
        "to": "2026-03-09T13:00:00.000Z",
    }
    assert body["metrics"]["incoming_messages_count"] == 1
    assert body["metrics"]["outgoing_messages_count"] == 1
    assert body["previous"]["incoming_messages_count"] == 2


async def test_a_month_so_far_is_compared_with_the_month_before_until_then(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events(
        [asks(-28 * 24 * 60 - 1, person=BOB), asks(-28 * 24 * 60, person=BOB), asks(-1), asks(1)]
    )
    body = await report(
        client,
        compare="month",
        granularity="day",
        **{"from": "2026-03-01", "to": "2026-03-10T12:00Z"},
    )
    assert body["previous_period"] == {
        "from": "2026-02-01T00:00:00.000Z",
        "to": "2026-02-10T12:00:00.000Z",
    }
    assert body["metrics"]["incoming_messages_count"] == 1
    assert body["previous"]["incoming_messages_count"] == 1
    series, before = body["series"], body["previous_series"]
    assert [one["start"][8:10] for one in series] == [one["start"][8:10] for one in before]
    assert before[-1]["start"] == "2026-02-10T00:00:00.000Z"
    assert before[-1]["end"] == body["previous_period"]["to"]
    assert [one["metrics"]["incoming_messages_count"] for one in before] == [*[0] * 9, 1]


async def test_a_week_in_which_the_clocks_change(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    """Sunday 29 March 2026 has 23 hours in Madrid: 22:30 UTC is Monday there."""
    sunday = (28 - 10) * 24 * 60
    add_events([asks(sunday + 11 * 60 - 1), asks(sunday + 11 * 60 + 1), asks(sunday + 34.5 * 60)])
    body = await report(
        client,
        timezone="Europe/Madrid",
        granularity="day",
        **{"from": "2026-03-23", "to": "2026-03-30"},
    )
    assert body["period"] == {
        "from": "2026-03-22T23:00:00.000Z",
        "to": "2026-03-29T22:00:00.000Z",
        "timezone": "Europe/Madrid",
    }
    assert body["previous_period"] == {
        "from": "2026-03-15T23:00:00.000Z",
        "to": "2026-03-22T23:00:00.000Z",
    }
    assert [one["metrics"]["incoming_messages_count"] for one in body["series"]] == [
        *(0, 0, 0, 0, 0),
        *(1, 1),
    ]
    assert body["series"][-1]["start"] == "2026-03-28T23:00:00.000Z"
    assert body["metrics"]["incoming_messages_count"] == 2


async def test_parts_without_anything_are_there_and_means_report_their_samples(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), answers(1), asks(0, person=BOB), answers(3, person=BOB)])
    body = await report(
        client, granularity="day", **{"from": "2026-03-09T18:00Z", "to": "2026-03-12"}
    )
    starts = [one["start"] for one in body["series"]]
    assert starts == [
        "2026-03-09T18:00:00.000Z",
        "2026-03-10T00:00:00.000Z",
        "2026-03-11T00:00:00.000Z",
    ]
    assert body["series"][-1]["end"] == "2026-03-12T00:00:00.000Z"
    empty, busy, _ = body["series"]
    assert empty["metrics"]["avg_first_response_time"] is None
    assert busy["metrics"]["avg_first_response_time"] == 120.0
    assert busy["samples"] == {
        "avg_first_response_time": 2,
        "avg_resolution_time": 0,
        "avg_reply_time": 0,
    }
    assert set(empty["samples"].values()) == {0}


async def test_the_zone_of_the_account_is_the_default(
    client: httpx.AsyncClient, database: Database
) -> None:
    database.write(lambda c: c.run("UPDATE account SET timezone = 'Asia/Kathmandu'"))
    body = await report(client)
    assert body["period"]["timezone"] == "Asia/Kathmandu"
    assert body["period"]["from"] == "2026-03-07T18:15:00.000Z"


async def test_seven_days_end_with_the_last_day_that_is_asked_for(
    client: httpx.AsyncClient,
) -> None:
    whole = await report(client, to="2026-03-01")
    assert whole["period"]["from"] == "2026-02-22T00:00:00.000Z"
    begun = await report(client, to="2026-03-01T00:00:00.001Z")
    assert begun["period"]["from"] == "2026-02-23T00:00:00.000Z"


async def test_times_are_read_with_any_offset_and_cut_to_milliseconds(
    client: httpx.AsyncClient,
) -> None:
    body = await report(
        client, **{"from": "2026-03-01t10:00:00.1239+05:45", "to": "2026-03-02 10:00 02:00"}
    )
    assert body["period"]["from"] == "2026-03-01T04:15:00.123Z"
    assert body["period"]["to"] == "2026-03-02T08:00:00.000Z"


BAD_PERIODS = [
    ({"from": "yesterday"}, [("from", "malformed")]),
    ({"from": ""}, [("from", "malformed")]),
    ({"from": "2026-02-30"}, [("from", "malformed")]),
    ({"to": "2026-03-01T25:00Z"}, [("to", "malformed")]),
    ({"to": "20260301"}, [("to", "malformed")]),
    ({"to": "٢٠٢٦-٠٣-٠١"}, [("to", "malformed")]),
    ({"from": "2026-03-01T10:00:00"}, [("from", "no_offset")]),
    ({"from": "1066-10-14"}, [("from", "out_of_range")]),
    ({"to": "9999-12-31"}, [("to", "out_of_range")]),
    ({"from": "2026-03-02", "to": "2026-03-02"}, [("from", "not_before_to")]),
    ({"from": "2026-03-15"}, [("from", "not_before_to")]),
    ({"from": "2025-03-01", "to": "2026-03-03"}, [("from", "too_long")]),
    ({"timezone": "Mars/Olympus"}, [("timezone", "unknown_value")]),
    ({"timezone": "../../etc/passwd"}, [("timezone", "unknown_value")]),
    ({"granularity": "minute"}, [("granularity", "not_allowed")]),
    ({"granularity": ""}, [("granularity", "empty")]),
    (
        {"granularity": "hour", "from": "2026-01-01", "to": "2026-03-01"},
        [("granularity", "too_fine")],
    ),
    (
        {"from": "x", "to": "y", "timezone": "z", "granularity": "w"},
        [
            ("timezone", "unknown_value"),
            ("granularity", "not_allowed"),
            ("from", "malformed"),
            ("to", "malformed"),
        ],
    ),
]


async def test_every_bad_period_is_reported_with_all_its_faults(
    client: httpx.AsyncClient, is_problem: Any
) -> None:
    for query, faults in BAD_PERIODS:
        document = is_problem(await client.get(REPORT, params=query), 400, "invalid_period")
        assert [(one["parameter"], one["reason"]) for one in document["errors"]] == faults, query


async def test_a_year_with_a_day_more_is_not_too_long(client: httpx.AsyncClient) -> None:
    whole = await report(client, granularity="day", **{"from": "2024-01-01", "to": "2025-01-01"})
    assert len(whole["series"]) == 366
    longer_by_an_hour = {"from": "2025-10-26", "to": "2026-10-27", "timezone": "Europe/Madrid"}
    await report(client, **longer_by_an_hour)


async def test_a_report_may_have_a_thousand_parts(
    client: httpx.AsyncClient, is_problem: Any
) -> None:
    hours = {"granularity": "hour", "from": "2026-01-01T00:00:00Z"}
    whole = await report(client, **hours, to="2026-02-11T16:00:00Z")
    assert len(whole["series"]) == 1_000
    refused = await client.get(REPORT, params={**hours, "to": "2026-02-11T17:00:00Z"})
    (fault,) = is_problem(refused, 400, "invalid_period")["errors"]
    assert (fault["reason"], fault["min"], fault["max"]) == ("too_fine", 1, 1_000)


async def test_an_unknown_channel_or_parameter_is_refused(
    client: httpx.AsyncClient, is_problem: Any
) -> None:
    is_problem(await client.get(REPORT, params={"channel": "1"}), 400, "invalid_filter")
    is_problem(await client.get(REPORT, params={"status": "open"}), 400, "invalid_parameter")
    is_problem(await client.get(REPORT, params={"limit": "5"}), 400, "invalid_parameter")


async def test_a_report_needs_its_own_scope(clients: Any, is_problem: Any) -> None:
    client = await clients.client(("conversations:read", "messages:read"))
    document = is_problem(await client.get(REPORT), 403, "insufficient_scope")
    assert document["required_scope"] == "reports:read"
    allowed = await clients.client(("reports:read",))
    assert (await allowed.get(REPORT)).status_code == 200


async def test_without_an_end_the_tag_lasts_a_minute_and_with_one_until_something_changes(
    clients: Any, add_events: AddEvents, database: Database, now: int
) -> None:
    clock = [now]
    key, guest = new_ephemeral_key(1, 1)
    app = create_app(database, ephemeral_keys=[guest], clock=lambda: clock[0])
    client = await clients.client_of(app, key)

    async def status(tag: str, **query: str) -> int:
        response = await client.get(REPORT, params=query, headers={"If-None-Match": tag})
        return response.status_code

    moving = (await client.get(REPORT)).headers["ETag"]
    fixed = (await client.get(REPORT, params={"to": "2026-03-12"})).headers["ETag"]
    clock[0] += MINUTE - 1
    assert await status(moving) == 304
    clock[0] += 1
    assert await status(moving) == 200
    assert await status(fixed, to="2026-03-12") == 304
    add_events([asks(0)])
    assert await status(fixed, to="2026-03-12") == 200


async def test_another_account_has_another_report(
    clients: Any, add_events: AddEvents, database: Database, now: int
) -> None:
    other = database.write(lambda c: add_account(c, "other", "Other", now))
    add_events([asks(0)])
    add_events([asks(0), asks(1)], other)
    ours, theirs = await clients.client(), await clients.client(account_id=other)
    assert (await report(ours))["metrics"]["incoming_messages_count"] == 1
    assert (await report(theirs))["metrics"]["incoming_messages_count"] == 2
