"""Edges of a report: who is gone, what overlaps, what has no name, and ends of the calendar."""

from typing import Any

import httpx
import pytest
from tests.service.report_events import (
    BOB,
    CHANNEL,
    DAY,
    MINUTE,
    NOON,
    OTHER,
    REPORT,
    SHEENA,
    AddEvents,
    answers,
    asks,
    happens,
    message,
)
from tests.service.test_report_ads import from_ad
from tests.service.test_report_parts import ANA, BO, catalogue, included, writes

from frontdesk.business_hours import parse_hours
from frontdesk.ingest.events import UserUpsert
from frontdesk.store.business_hours import set_hours
from frontdesk.store.database import Database

pytestmark = pytest.mark.both_engines

_DAY = DAY / MINUTE
# In UTC; noon is that of a Tuesday.
WORKDAYS = {day: ["09:00-17:00"] for day in ("monday", "tuesday", "wednesday", "thursday")}


@pytest.fixture
def people(add_events: AddEvents) -> None:
    add_events(catalogue(NOON - DAY, (CHANNEL, OTHER)))


@pytest.mark.usefixtures("people")
async def test_a_conversation_answered_on_two_days_counts_in_both_and_once_in_the_period(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), writes(1, ANA), asks(_DAY), writes(_DAY + 1, ANA)])
    query = {"include": "users,person_series", "granularity": "day", "from": "2026-03-10"}
    ana = (await included(client, **query))["users"][0]
    field = "answered_conversations_count"
    assert [part["metrics"][field] for part in ana["series"]] == [1, 1, 0, 0, 0]
    assert ana["current"][field] == 1


@pytest.mark.usefixtures("people")
async def test_a_member_of_two_teams_counts_in_both_and_once_in_everyone(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), writes(1, BO), writes(2, BO)])
    body = await included(client, include="teams")
    sent = [row["current"]["outgoing_messages_count"] for row in body["teams"]]
    assert sent == [2, 2]
    assert body["everyone"]["current"]["outgoing_messages_count"] == 2


@pytest.mark.usefixtures("people")
async def test_a_label_that_was_removed_takes_its_history_along(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([asks(0), answers(3), happens(4, "labelled", title="vip", on=True)])
    vip = (await included(client, include="labels"))["labels"][1]
    assert vip["current"]["incoming_messages_count"] == 1
    add_events([happens(5, "labelled", title="vip", on=False)])
    vip = (await included(client, include="labels"))["labels"][1]
    assert vip["current"]["incoming_messages_count"] == 0


@pytest.mark.usefixtures("people")
async def test_who_left_has_a_row_while_something_is_theirs_and_nobody_is_the_last(
    client: httpx.AsyncClient, add_events: AddEvents, database: Database
) -> None:
    add_events([UserUpsert(ANA, "Ana", NOON, active=False)])
    body = await included(client, include="users")
    assert [row["user"] and row["user"]["name"] for row in body["users"]] == ["Bo", None]
    add_events([asks(0), writes(1, ANA)])
    body = await included(client, include="users")
    assert [row["user"] and row["user"]["name"] for row in body["users"]] == ["Ana", "Bo", None]
    # Of one user there is no row of nobody.
    own = await included(client, include="users", user=body["users"][0]["user"]["id"])
    assert [row["user"]["name"] for row in own["users"]] == ["Ana"]
    id = own["users"][0]["user"]["id"]
    gone = f"DELETE FROM app_user WHERE id = {id}"
    database.write(lambda connection: connection.run(gone))
    body = await included(client, include="users")
    assert [row["user"] for row in body["users"][1:]] == [{"id": id, "name": None}, None]


async def test_ads_are_in_the_order_of_this_period_and_one_without_headline_has_no_name(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    before = -7 * _DAY
    add_events(
        [
            from_ad(before, "9001", person=BOB),
            from_ad(before, "9001", person=BOB, channel=OTHER),
            asks(0, referral={"source_type": "ad", "source_id": "9002"}),
        ]
    )
    ads = (await included(client, include="ads"))["ads"]
    assert [ad["ad"]["id"] for ad in ads] == ["9002", "9001"]
    assert ads[0]["ad"]["name"] is None
    assert [ad["previous"]["ad_conversations_count"] for ad in ads] == [0, 2]


async def test_authors_that_nobody_knows_are_counted_and_like_numbers_are_by_name(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    authors = ("kiosk", "campaign", "kiosk", "phone")
    add_events([asks(0), *(message(1 + at, author) for at, author in enumerate(authors))])
    body = await included(client)
    assert [*body["outgoing_by_author"].items()] == [("kiosk", 2), ("campaign", 1), ("phone", 1)]


async def test_without_a_granularity_the_series_is_null_and_with_one_never_empty(
    client: httpx.AsyncClient,
) -> None:
    body = await included(client)
    assert (body["series"], body["previous_series"]) == (None, None)
    short = {"from": "2026-03-10T10:00:00Z", "to": "2026-03-10T10:00:01Z"}
    body = await included(client, **short, granularity="month")
    assert (len(body["series"]), len(body["previous_series"])) == (1, 1)


@pytest.mark.parametrize(
    ("month", "days", "before"),
    [(("2026-03-01", "2026-03-13"), 12, 12), (("2026-02-01", "2026-03-01"), 28, 31)],
)
async def test_the_series_before_is_as_long_as_its_own_month(
    client: httpx.AsyncClient, month: tuple[str, str], days: int, before: int
) -> None:
    query = {"from": month[0], "to": month[1], "granularity": "day", "compare": "month"}
    body = await included(client, **query)
    assert (len(body["series"]), len(body["previous_series"])) == (days, before)


def open_for_business(database: Database, contents: dict[str, Any]) -> None:
    database.write(lambda connection: set_hours(connection, 1, parse_hours(contents)))


async def test_a_channel_without_hours_is_measured_in_calendar_time_beside_one_that_has_some(
    client: httpx.AsyncClient, add_events: AddEvents, database: Database
) -> None:
    open_for_business(database, {"channels": {CHANNEL: {"timezone": "UTC", **WORKDAYS}}})
    # Asked at 16:00, answered at 10:00 on the next day.
    add_events(
        [
            event
            for place in ({"channel": CHANNEL}, {"channel": OTHER, "person": BOB})
            for event in (asks(240, **place), answers(_DAY - 120, **place))
        ]
    )
    body = await included(client, clock="business")
    found = {row["channel"]["id"]: row["metrics"] for row in body["channels"]}
    assert found[CHANNEL]["avg_first_response_time"] == 2 * 3600
    assert found[OTHER]["avg_first_response_time"] == 18 * 3600
    assert body["metrics"]["avg_first_response_time"] == 10 * 3600


async def test_an_answer_outside_business_hours_took_none_and_is_a_sample(
    client: httpx.AsyncClient, add_events: AddEvents, database: Database
) -> None:
    open_for_business(database, {"timezone": "UTC", **WORKDAYS})
    # Asked at 20:00, answered at 20:30.
    add_events([asks(480), answers(510)])
    metrics = (await included(client, clock="business", include="spread"))["metrics"]
    assert metrics["avg_first_response_time"] == 0
    assert metrics["spread"]["avg_first_response_time"]["p90"] == 0
    assert metrics["samples"]["avg_first_response_time"] == 1


async def test_a_period_that_has_not_begun_is_empty_and_one_until_tomorrow_ends_now(
    client: httpx.AsyncClient,
) -> None:
    body = await included(client, **{"from": "2026-03-20", "to": "2026-03-22"})
    assert body["period"]["to"] == "2026-03-22T00:00:00.000Z"
    assert body["metrics"]["conversations_count"] == 0
    body = await included(client, **{"from": "2026-03-14", "to": "2026-03-15"})
    assert body["period"]["to"] == "2026-03-14T09:30:00.000Z"
    assert body["previous_period"]["to"] == "2026-03-13T09:30:00.000Z"


async def test_a_year_back_from_a_day_of_february_that_it_lacks_is_the_last_of_the_month(
    client: httpx.AsyncClient,
) -> None:
    body = await included(client, **{"from": "2024-02-29", "to": "2024-03-02"}, compare="year")
    assert body["previous_period"]["from"] == "2023-02-28T00:00:00.000Z"


async def test_what_is_snoozed_was_open_at_the_end_and_is_not_open_now(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    later = NOON + 30 * DAY
    add_events([asks(0), asks(0, channel=OTHER, person=BOB), happens(9, "snoozed", until=later)])
    body = await included(client, include="backlog")
    assert body["metrics"]["open_at_end_count"] == 2
    assert body["live"]["open"] == 1


async def test_a_report_of_a_user_has_no_count_of_what_nobody_does_not_even_0(
    client: httpx.AsyncClient, add_events: AddEvents
) -> None:
    add_events([*catalogue(NOON - DAY, (CHANNEL, OTHER)), asks(0), writes(5, ANA)])
    metrics = (await included(client, user="1"))["metrics"]
    nobodys = ("incoming_messages_count", "conversations_count", "bot_handoffs_count")
    assert [metrics[name] for name in nobodys] == [None] * 3
    answer = await client.get(REPORT, params={"user": "1"})
    assert all(f'"{name}":null' in answer.text for name in nobodys)
    assert SHEENA.phone not in answer.text
