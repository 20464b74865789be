"""Figures by the ad that customers came from, against statements over the stored rows."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.service.report_events import (
    BOB,
    DAY,
    MINUTE,
    NOON,
    OTHER,
    answers,
    asks,
    happens,
    report,
)

from frontdesk.store import expiry
from frontdesk.store.database import Database

AddEvents = Callable[..., None]

pytestmark = pytest.mark.both_engines


def from_ad(at: float, id: str, headline: str = "Summer sale", **members: Any) -> Any:
    referral = {
        "source_type": "ad",
        "source_id": id,
        "headline": headline,
        "source_url": "https://fb.me/x",
    }
    return asks(at, referral=referral, **members)


@pytest.fixture
def arrivals(add_events: AddEvents) -> None:
    """Sheena comes by one ad on two channels, Bob by another a week before and now again."""
    week = 7 * DAY / MINUTE
    add_events(
        [
            from_ad(0, "120210"),
            from_ad(3, "120210"),
            answers(5),
            happens(60, "resolved"),
            from_ad(0, "120210", "Winter sale", channel=OTHER),
            from_ad(-week, "77", person=BOB),
            answers(-week + 2, person=BOB),
            asks(10, person=BOB),
            from_ad(20, "77", person=BOB),
            answers(50, person=BOB),
            asks(1, channel=OTHER, person=BOB),
        ]
    )


async def ads(client: httpx.AsyncClient, **query: str) -> list[dict[str, Any]]:
    body = await report(client, include="ads", **query)
    return list(body["ads"])


@pytest.mark.usefixtures("arrivals")
async def test_an_ad_has_the_conversations_that_customers_came_to_by_it(
    client: httpx.AsyncClient,
) -> None:
    first, second = await ads(client)
    assert first["ad"] == {"id": "120210", "name": "Summer sale", "url": "https://fb.me/x"}
    assert first["current"] == {
        "ad_conversations_count": 2,
        "conversations_count": 2,
        "resolutions_count": 1,
        "avg_first_response_time": 300.0,
        "avg_reply_time": None,
        "avg_resolution_time": 3600.0,
        "samples": {
            "avg_first_response_time": 1,
            "avg_reply_time": 0,
            "avg_resolution_time": 1,
        },
    }
    assert second["ad"]["id"] == "77"
    # Bob waited from his first message on, which came from no ad.
    assert second["current"]["avg_reply_time"] == 2400.0
    assert (
        second["current"]["ad_conversations_count"],
        second["current"]["conversations_count"],
    ) == (1, 0)
    assert second["previous"]["ad_conversations_count"] == 1
    assert second["previous"]["avg_first_response_time"] == 120.0


@pytest.mark.usefixtures("arrivals")
async def test_figures_of_ads_are_what_statements_count(
    client: httpx.AsyncClient, database: Database
) -> None:
    came = {row["ad"]["id"]: row["current"] for row in await ads(client)}
    like = "referral_json LIKE '%120210%' AND created_at >= :start AND created_at < :end"
    within = {"start": NOON - 4 * DAY, "end": NOON + 4 * DAY}

    def number(sql: str) -> float:
        row = database.read(lambda connection: connection.row(sql, within))
        assert row is not None
        return float(row["n"])

    own = f"conversation_id IN (SELECT conversation_id FROM message WHERE {like})"
    assert came["120210"]["ad_conversations_count"] == number(
        f"SELECT COUNT(DISTINCT conversation_id) AS n FROM message WHERE {like}"
    )
    assert came["120210"]["resolutions_count"] == number(
        f"SELECT COUNT(*) AS n FROM metric_event WHERE name = 'resolved' AND {own}"
    )
    assert 1000 * came["120210"]["avg_first_response_time"] == number(
        "SELECT AVG(ended_at - started_at) AS n FROM metric_event"
        f" WHERE name = 'first_response' AND {own}"
    )


@pytest.mark.usefixtures("arrivals")
async def test_ads_are_counted_on_one_channel_and_only_if_asked_for(
    client: httpx.AsyncClient,
) -> None:
    only = await ads(client, channel=OTHER)
    assert [(row["ad"]["name"], row["current"]["ad_conversations_count"]) for row in only] == [
        ("Winter sale", 1)
    ]
    assert "ads" not in await report(client)


@pytest.mark.usefixtures("arrivals")
async def test_ads_are_counted_also_after_the_contents_of_messages_were_removed(
    client: httpx.AsyncClient, database: Database
) -> None:
    before = await ads(client)
    database.write(lambda connection: expiry.expire(connection, 1, NOON + DAY, NOON + DAY, 100))
    after = await ads(client)
    assert [row["current"] for row in after] == [row["current"] for row in before]
    assert [row["ad"] for row in after] == [
        {"id": row["ad"]["id"], "name": None, "url": None} for row in before
    ]
