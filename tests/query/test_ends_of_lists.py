"""From which row of the server's list on no further one can match."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from frontdesk.query import QueryNames, parse, plan
from frontdesk.query.plan import ALL_FILTERS, STANDARD
from frontdesk.wire import Conversation, timestamp
from tests.client import inbox_rows

# Filters of a server that does not take a query.
EARLIER = ALL_FILTERS - {"query"}

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


def ends(text: str, offered: frozenset[str] = EARLIER, **members: Any) -> bool:
    """True if the list of a query ends with a row that has these members."""
    values = {**inbox_rows.conversation(1), "status": "open", **members}
    row = Conversation.model_validate(values)
    return plan(parse(text), QueryNames(), offered, NOW).is_beyond(row, NOW)


def at(moment: datetime) -> str:
    return timestamp(round(moment.timestamp() * 1000))


@pytest.mark.parametrize(
    ("text", "ago", "is_end"),
    [
        ("waiting:>4h sort:waiting", 4 * HOUR + SECOND, False),
        ("waiting:>4h sort:waiting", 4 * HOUR, True),
        ("waiting:>4h sort:waiting", 4 * HOUR - SECOND, True),
        ("waiting:<4h sort:waiting", 5 * HOUR, False),
        ("waiting:<4h sort:waiting", HOUR, False),
        ("-waiting:>4h sort:waiting", HOUR, False),
        # Where nothing else gives an order, the list is read by waits.
        ("waiting:>4h", HOUR, True),
    ],
)
def test_a_list_by_waits_ends_where_they_are_too_short(
    text: str, ago: timedelta, is_end: bool
) -> None:
    assert ends(text, waiting_since=at(NOW - ago)) is is_end


@pytest.mark.parametrize("members", [{"waiting_since": None}, {"status": "resolved"}])
def test_a_list_by_waits_ends_with_who_does_not_wait(members: dict[str, Any]) -> None:
    wait = {"waiting_since": at(NOW - 9 * HOUR), **members}
    assert ends("waiting:>4h sort:waiting", **wait)


@pytest.mark.parametrize(
    ("text", "left", "is_end"),
    [
        ("window:<2h sort:window", 2 * HOUR - SECOND, False),
        ("window:<2h sort:window", 2 * HOUR, True),
        ("window:<2h sort:window", 3 * HOUR, True),
        ("window:>2h sort:window", 3 * HOUR, False),
        ("window:>2h sort:window", HOUR, False),
        # The server takes a window as open for a while after it has closed.
        ("window:>2h sort:window", -2 * MINUTE, False),
        ("window:>2h sort:window", -2 * MINUTE - SECOND, True),
    ],
)
def test_a_list_by_reply_windows_ends_where_they_are_too_long_or_closed(
    text: str, left: timedelta, is_end: bool
) -> None:
    assert ends(text, service_window_expires_at=at(NOW + left)) is is_end
    assert ends(text, service_window_expires_at=None)


@pytest.mark.parametrize(
    ("text", "ago", "is_end"),
    [
        ("active:<2h", 2 * HOUR - SECOND, False),
        ("active:<2h", 2 * HOUR, True),
        ("active:<2h", 3 * HOUR, True),
        ("active:>2h", 3 * HOUR, False),
        ("active:>2h", HOUR, False),
        ("-active:<2h", 3 * HOUR, False),
        ("active:2026-03-14", 12 * HOUR, False),
        ("active:2026-03-14", 12 * HOUR + SECOND, True),
        ("created:2026-03-14..", 12 * HOUR, False),
        # What was created since was active since.
        ("created:2026-03-14..", 12 * HOUR + SECOND, True),
        ("active:..2026-03-13", 99 * HOUR, False),
    ],
)
def test_the_servers_own_list_ends_where_nothing_was_active_lately_enough(
    text: str, ago: timedelta, is_end: bool
) -> None:
    assert ends(text, STANDARD, last_activity_at=at(NOW - ago)) is is_end


@pytest.mark.parametrize(
    ("text", "ago", "is_end"),
    [
        ("waiting:..2026-03-13 sort:waiting", 12 * HOUR + SECOND, False),
        ("waiting:..2026-03-13 sort:waiting", 12 * HOUR, True),
        ("waiting:2026-03-13.. sort:waiting", HOUR, False),
    ],
)
def test_a_list_by_waits_ends_behind_the_days(text: str, ago: timedelta, is_end: bool) -> None:
    offered = frozenset({*STANDARD, "sort"})
    assert ends(text, offered, waiting_since=at(NOW - ago)) is is_end


def test_a_list_that_nothing_limits_has_no_end_of_its_own() -> None:
    assert not ends("is:open hello", last_activity_at=at(NOW - 9999 * HOUR))
