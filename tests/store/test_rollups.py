"""Sums by bucket, and periods as sums of buckets and corrections at their ends."""

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.store.rollups import (
    BOUNDS,
    PartRollups,
    PricingRollups,
    Rollups,
    SignedInterval,
    cut,
    limits_of,
    step_of,
)

ACCOUNT, CHANNEL, USER = 1, 5, 7


def at(text: str) -> int:
    """Epoch milliseconds of a time in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


# A Saturday; weeks of epoch time begin on Thursdays.
DAY = at("2026-03-14T00:00")
WEEK = at("2026-03-12T00:00")


@given(
    st.integers(0, 40), st.integers(1, 40), st.sampled_from((1, -1)), st.sampled_from((2, 6, 10))
)
def test_buckets_and_the_edges_beside_them_add_up_to_a_stretch(
    start: int, duration: int, sign: int, length: int
) -> None:
    stretch = SignedInterval(start, start + duration, sign)
    whole, edges = cut(stretch, length)
    assert whole.start == whole.end or whole.start % length == whole.end % length == 0
    for moment in range(100):
        parts = [part.sign for part in (whole, *edges) if part.start <= moment < part.end]
        assert sum(parts) == (sign if stretch.start <= moment < stretch.end else 0)


@given(st.integers(0, 40), st.integers(5, 40))
def test_no_edge_is_longer_than_half_a_bucket_where_there_is_one(start: int, duration: int) -> None:
    whole, edges = cut(SignedInterval(start, start + duration), 10)
    if whole.start < whole.end:
        assert all(edge.end - edge.start <= 5 for edge in edges)


@pytest.mark.parametrize(
    ("ends", "whole", "edges"),
    [
        ((10, 20), (10, 20), []),
        ((3, 27), (0, 30), [(0, 3, -1), (27, 30, -1)]),
        ((8, 23), (10, 20), [(8, 10, 1), (20, 23, 1)]),
        ((1, 4), (4, 4), [(1, 4, 1)]),
        ((6, 14), (14, 14), [(6, 14, 1)]),
    ],
)
def test_a_period_is_the_nearest_buckets_and_what_they_have_too_much_or_too_little(
    ends: tuple[int, int], whole: tuple[int, int], edges: list[tuple[int, int, int]]
) -> None:
    assert cut(SignedInterval(*ends), 10) == ((*whole, 1), edges)


def metric(name: str, ended_at: int, seconds: int | None) -> dict[str, Any]:
    started_at = None if seconds is None else ended_at - seconds * 1000
    place = {"channel_id": CHANNEL, "user_id": USER}
    return {"name": name, "started_at": started_at, "ended_at": ended_at, **place}


def sums(rows: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


FIGURES = ("grain", "bucket", "name", "author", "n", "samples", "total")


def test_messages_and_metrics_are_summed_by_quarter_hour_and_by_day() -> None:
    rollups = Rollups()
    quarter, next_quarter = at("2026-03-14T09:15"), at("2026-03-14T09:30")
    rollups.add_messages([(quarter, CHANNEL, "incoming", "contact")] * 2, 1)
    rollups.add_messages([(next_quarter, CHANNEL, "incoming", "contact")], 1)
    rollups.add_metric(metric("reply", next_quarter - 1, 60), 1)
    rollups.add_metric(metric("reply", next_quarter - 2, 30), 1)
    rollups.add_metric(metric("reply", next_quarter, None), 1)
    assert sums(rollups.rows(ACCOUNT), *FIGURES) == [
        (15, quarter, "incoming", "contact", 2, 0, 0),
        (15, quarter, "reply", "", 2, 2, 90_000),
        (15, next_quarter, "incoming", "contact", 1, 0, 0),
        (15, next_quarter, "reply", "", 1, 0, 0),
        (1440, DAY, "incoming", "contact", 3, 0, 0),
        (1440, DAY, "reply", "", 3, 2, 90_000),
    ]


def test_what_is_taken_back_leaves_nothing() -> None:
    rollups = Rollups()
    for by in (1, -1):
        rollups.add_messages([(DAY, CHANNEL, "outgoing", "user")], by)
        rollups.add_metric(metric("reply", DAY, 60), by)
    assert list(rollups.rows(ACCOUNT)) == []


def test_a_day_has_its_last_millisecond_and_not_that_of_the_next() -> None:
    rollups = Rollups()
    for ended_at in (DAY - 1, DAY, at("2026-03-15T00:00") - 1):
        rollups.add_metric(metric("resolved", ended_at, None), 1)
    days = [row for row in rollups.rows(ACCOUNT) if row["grain"] == 1440]
    assert sums(days, "bucket", "n") == [(at("2026-03-13T00:00"), 1), (DAY, 2)]


def test_hand_offs_are_not_summed_as_a_conversation_counts_once_in_a_period() -> None:
    rollups = Rollups()
    rollups.add_metric(metric("bot_handoff", DAY, None), 1)
    assert list(rollups.rows(ACCOUNT)) == []


def priced(created_at: int, **members: Any) -> Any:
    usual = {"priced_at": created_at, "author": "user", "billable": 1}
    words = {"category": "utility", "pricing_type": "regular"}
    return {"created_at": created_at, **usual, **words, **members}


def test_prices_are_summed_by_quarter_hour_and_by_day() -> None:
    rollups = PricingRollups()
    moment = at("2026-03-14T09:29:59")
    messages = [priced(moment), priced(moment, billable=0), priced(moment, billable=None)]
    unknown = priced(moment, category=None, pricing_type=None)
    rollups.add(CHANNEL, [*messages, unknown, priced(moment, priced_at=None)], 1)
    names = ("grain", "bucket", "category", "type", "n", "billable")
    assert sums(rollups.rows(ACCOUNT), *names) == [
        (15, at("2026-03-14T09:15"), "", "", 1, 1),
        (15, at("2026-03-14T09:15"), "utility", "regular", 3, 1),
        (1440, DAY, "", "", 1, 1),
        (1440, DAY, "utility", "regular", 3, 1),
    ]
    rollups.add(CHANNEL, [*messages, unknown], -1)
    assert list(rollups.rows(ACCOUNT)) == []


def test_words_of_a_price_are_cut_off_after_64_characters() -> None:
    rollups = PricingRollups()
    rollups.add(CHANNEL, [priced(DAY, category="c" * 65, pricing_type="t" * 64)], 1)
    assert {(row["category"], row["type"]) for row in rollups.rows(ACCOUNT)} == {
        ("c" * 64, "t" * 64)
    }


def parts(rollups: PartRollups) -> dict[str, list[tuple[Any, ...]]]:
    """The values of all rows below the account."""
    return {kind: [tuple(row.values())[1:] for row in rows] for kind, rows in rollups.rows(ACCOUNT)}


def test_parts_are_summed_by_day_and_durations_of_a_user_by_week() -> None:
    rollups = PartRollups()
    rollups.add_messages([(USER, CHANNEL, DAY, 3), (USER, CHANNEL, DAY, 4)], 1)
    rollups.add_metric(metric("reply", DAY + 1, 60), 1)
    rollups.add_metric(metric("reply", DAY, None), 1)
    rollups.add_metric(metric("episode_opened", DAY, None), 1)
    step = step_of(60_000)
    assert parts(rollups) == {
        "conversation_rollup": [(USER, CHANNEL, DAY, 3, 1), (USER, CHANNEL, DAY, 4, 1)],
        "duration_rollup": [(DAY, CHANNEL, "reply", step, 1)],
        "user_duration_rollup": [(WEEK, CHANNEL, USER, "reply", step, 1)],
        "user_rollup": [
            (DAY, USER, CHANNEL, "reply", 2, 1, 60_000),
            (DAY, USER, CHANNEL, "written", 2, 0, 0),
        ],
    }
    rollups.add_messages([(USER, CHANNEL, DAY, 3), (USER, CHANNEL, DAY, 4)], -1)
    rollups.add_metric(metric("reply", DAY + 1, 60), -1)
    rollups.add_metric(metric("reply", DAY, None), -1)
    assert not any(parts(rollups).values())


@pytest.mark.parametrize(
    ("milliseconds", "step"), [(0, 1), (999, 1), (1_000, 2), (1_099, 2), (1_100, 3), (1_210, 4)]
)
def test_each_step_of_durations_is_a_tenth_longer_than_the_one_before(
    milliseconds: int, step: int
) -> None:
    assert step_of(milliseconds) == step
    shortest, longest = limits_of(step)
    assert shortest <= milliseconds <= longest


def test_steps_of_durations_lie_side_by_side_and_the_last_begins_within_twenty_years() -> None:
    limits = [limits_of(step) for step in range(1, len(BOUNDS) + 2)]
    assert limits[0] == (0, 999)
    assert all(longest + 1 == shortest for (_, longest), (shortest, _) in pairwise(limits[:-1]))
    assert limits[-2][1] + 1 == limits[-1][0] == limits[-1][1] == step_start_before_twenty_years()
    assert all(step_of(shortest) == step for step, (shortest, _) in enumerate(limits, start=1))


def step_start_before_twenty_years() -> int:
    bound, years = 1_000, 20 * 365 * 86_400_000
    while (following := bound * 11 // 10) < years:
        bound = following
    return bound
