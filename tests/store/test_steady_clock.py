"""A clock that jumped is not trusted before it has run for a day."""

import pytest

from frontdesk.store.database import Database
from frontdesk.store.steady_clock import is_steady

pytestmark = pytest.mark.both_engines

NOW = 1_780_000_000_000
HOUR = 60 * 60 * 1000
DAY = 24 * HOUR


def observed(database: Database, *hours: float) -> list[bool]:
    """What is said at each of these hours."""
    times = [NOW + int(hour * HOUR) for hour in hours]
    return [database.write(lambda c, now=now: is_steady(c, now)) for now in times]


def test_a_clock_is_steady_after_a_day_of_observations(database: Database) -> None:
    assert observed(database, 0, 1, 23.9, 24, 25) == [False, False, False, True, True]


@pytest.mark.parametrize("jump", [100 * 24, 72.1, -1, -1000])
def test_a_clock_that_jumps_begins_anew(database: Database, jump: float) -> None:
    at = 24 + jump
    assert observed(database, 0, 24, at, at + 23, at + 24) == [False, True, False, False, True]


def test_a_clock_that_is_put_right_begins_anew(database: Database) -> None:
    assert observed(database, 0, 24, 2400, 25, 48, 49) == [False, True, False, False, False, True]


def test_a_pause_of_a_weekend_is_no_jump(database: Database) -> None:
    assert observed(database, 0, 24, 24 + 70) == [False, True, True]


def test_a_day_and_a_pause_are_measured_to_the_millisecond(database: Database) -> None:
    millisecond = 1 / HOUR
    assert observed(database, 0, 24 - millisecond, 24) == [False, False, True]
    assert observed(database, 24 + 72, 24 + 72 + 72 + millisecond) == [True, False]
