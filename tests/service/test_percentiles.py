"""Percentiles of durations, and how many are within a target."""

from collections import Counter
from math import sqrt

import pytest

from frontdesk.service.percentiles import CountedDurations
from frontdesk.store.rollups import limits_of, step_of


def exact(*durations: int) -> CountedDurations:
    return CountedDurations(Counter(durations), exact=True)


@pytest.mark.parametrize(
    ("durations", "p50", "p90"),
    [
        ((), None, None),
        ((7_000,), 7.0, 7.0),
        ((1_000, 2_000), 1.0, 2.0),
        ((1_000, 2_000, 3_000), 2.0, 3.0),
        (range(1_000, 11_000, 1_000), 5.0, 9.0),
        (range(1_000, 12_000, 1_000), 6.0, 10.0),
        (range(100, 100_100, 100), 50.0, 90.0),
        ((1_000, 1_000, 1_000, 9_949), 1.0, 9.9),
    ],
)
def test_a_percentile_is_the_shortest_duration_that_so_many_do_not_exceed(
    durations: tuple[int, ...], p50: float | None, p90: float | None
) -> None:
    found = exact(*durations).percentiles()
    assert (found.p50, found.p90, found.approximate) == (p50, p90, False)


def test_a_percentile_of_steps_is_the_middle_of_its_step() -> None:
    step = step_of(60_000)
    found = CountedDurations(Counter({step: 3}), exact=False).percentiles()
    shortest, longest = limits_of(step)
    assert shortest <= 60_000 <= longest
    assert found.p50 == found.p90 == round(sqrt(shortest * longest) / 1000, 1)
    assert found.approximate


@pytest.mark.parametrize(("limit", "within"), [(999, 0), (1_000, 2), (1_999, 2), (2_000, 3)])
def test_durations_up_to_the_target_are_within_it(limit: int, within: int) -> None:
    found = exact(1_000, 1_000, 2_000, 90_000).within(limit)
    assert (found.within, found.samples, found.approximate) == (within, 4, False)
    assert found.target_seconds == limit // 1000


def test_a_step_that_the_target_divides_counts_in_part() -> None:
    step = step_of(60_000)
    shortest, longest = limits_of(step)
    durations = CountedDurations(Counter({step: 100}), exact=False)
    limits = (shortest - 1, shortest, shortest + (longest - shortest) // 4, longest - 1, longest)
    assert [durations.within(limit).within for limit in limits] == [0, 0, 25, 100, 100]
    assert durations.within(longest).approximate


def test_a_sum_is_by_steps_if_one_of_its_parts_is() -> None:
    step = step_of(60_000)
    stepped = CountedDurations(Counter({step: 2}), exact=False)
    assert CountedDurations.sum_of([exact(1, 1), exact(2)]) == exact(1, 1, 2)
    mixed = CountedDurations.sum_of([exact(60_000), stepped])
    assert mixed == CountedDurations(Counter({step: 3}), exact=False)
    assert (mixed.total, CountedDurations.sum_of([]).total) == (3, 0)
