"""Ages of `waiting:` in business hours: by channel, where clocks change, and against a recount."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.inbox.chips import chip
from frontdesk.query import Matcher, Query, QueryNames, Term, analyse, complete, parse, plan
from frontdesk.query.names import lacks_hours
from frontdesk.query.plan import ALL_FILTERS
from frontdesk.wire import Channel, Conversation, WeeklyHours
from tests.client import inbox_rows

# Filters of a server that does not take a query.
EARLIER = ALL_FILTERS - {"query"}

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday")
OFFICE: dict[str, Any] = {"timezone": "Europe/Madrid", **{key: ["09:00-17:00"] for key in DAYS}}
NIGHT = {"timezone": "America/New_York", "sunday": ["00:00-06:00"]}
UNKNOWN = {**OFFICE, "timezone": "Mars/Olympus"}


def names_of(*hours: dict[str, Any] | None) -> QueryNames:
    """Names with the channels 0, 1, … that have these hours."""
    rows = [
        Channel(
            id=str(number),
            name=f"channel {number}",
            business_hours=None if one is None else WeeklyHours.model_validate(one),
        )
        for number, one in enumerate(hours)
    ]
    return QueryNames.of(rows)


NAMES = names_of(OFFICE, NIGHT, None, UNKNOWN)


def row(since: str | None, channel: int = 0, **members: object) -> Conversation:
    values = {**inbox_rows.conversation(1), "status": "open", "waiting_since": since, **members}
    values["channel"] = {"id": str(channel), "name": None, "phone": None}
    return Conversation.model_validate(values)


def found(text: str, one: Conversation, now: str, names: QueryNames = NAMES) -> bool:
    terms = plan(parse(text), names, EARLIER, datetime.fromisoformat(now)).rest
    return Matcher(terms, names, datetime.fromisoformat(now))(one)


@pytest.mark.parametrize(
    ("text", "since", "channel", "now", "matches"),
    [
        # From Friday, 16:30 in Madrid, to Monday, 10:00: an hour and a half.
        ("waiting:>89m", "2026-03-13T15:30:00.000Z", 0, "2026-03-16T09:00:00Z", True),
        ("waiting:>90m", "2026-03-13T15:30:00.000Z", 0, "2026-03-16T09:00:00Z", False),
        ("waiting:<91m", "2026-03-13T15:30:00.000Z", 0, "2026-03-16T09:00:00Z", True),
        ("-waiting:>2h", "2026-03-13T15:30:00.000Z", 0, "2026-03-16T09:00:00Z", True),
        ("waiting:>1h waiting:<2h", "2026-03-13T15:30:00.000Z", 0, "2026-03-16T09:00:00Z", True),
        # From midnight to 06:00 of the night in which 02:00 to 03:00 is skipped: five hours.
        ("waiting:>299m", "2026-03-08T05:00:00.000Z", 1, "2026-03-08T12:00:00Z", True),
        ("waiting:>5h", "2026-03-08T05:00:00.000Z", 1, "2026-03-08T12:00:00Z", False),
        # The same of the night in which 01:00 to 02:00 is repeated: seven hours.
        ("waiting:>419m", "2026-11-01T04:00:00.000Z", 1, "2026-11-01T12:00:00Z", True),
        ("waiting:>7h", "2026-11-01T04:00:00.000Z", 1, "2026-11-01T12:00:00Z", False),
        # A channel without hours, or with those of an unknown zone, has calendar time.
        ("waiting:>2d", "2026-03-13T15:30:00.000Z", 2, "2026-03-16T09:00:00Z", True),
        ("waiting:>2d", "2026-03-13T15:30:00.000Z", 3, "2026-03-16T09:00:00Z", True),
        ("waiting:<4h", None, 0, "2026-03-16T09:00:00Z", False),
        # Two years.
        ("waiting:>4000h", "2024-03-13T00:00:00.000Z", 0, "2026-03-13T00:00:00Z", True),
    ],
)
def test_a_wait_is_as_long_as_the_channel_is_open(
    text: str, since: str | None, channel: int, now: str, matches: bool
) -> None:
    assert found(f"{text} hours:business", row(since, channel), now) is matches


def test_days_and_other_ages_stay_in_calendar_time() -> None:
    friday = row("2026-03-13T15:30:00.000Z", last_activity_at="2026-03-13T15:30:00.000Z")
    now = "2026-03-16T09:00:00Z"
    assert found("waiting:<2h waiting:2026-03-13 active:>2d hours:business", friday, now)
    assert not found("waiting:<2h active:<2d hours:business", friday, now)


MINUTE = timedelta(minutes=1)
MONDAY = datetime(2026, 3, 9, tzinfo=UTC)


@given(
    st.lists(st.tuples(st.integers(0, 4 * 24 * 60), st.sampled_from([0, 2])), max_size=6),
    st.sampled_from(["waiting:>0m", "waiting:>45m", "waiting:<9h", "waiting:>9h waiting:<2d"]),
)
def test_no_row_is_lost_where_a_list_by_waits_ends(rows: list[tuple[int, int]], text: str) -> None:
    now = MONDAY + timedelta(days=4)
    waits = [
        row((MONDAY + minute * MINUTE).strftime("%Y-%m-%dT%H:%M:00.000Z"), channel)
        for minute, channel in sorted(rows)
    ]
    read = plan(parse(f"{text} hours:business sort:waiting"), NAMES, EARLIER, now)
    matches = Matcher(read.rest, NAMES, now)
    end = next((at for at, one in enumerate(waits) if read.is_beyond(one, now)), len(waits))
    assert not any(map(matches, waits[end:]))
    # Madrid is an hour ahead: 08:00 to 16:00 UTC.
    for one, (minute, channel) in zip(waits, sorted(rows), strict=True):
        passed = range(minute, 4 * 24 * 60)
        minutes = sum(8 * 60 <= at % 1440 < 16 * 60 for at in passed)
        wait = (minutes if channel == 0 else len(passed)) * MINUTE
        calendar = Matcher(parse(text).terms, NAMES, now)
        since = (now - wait).strftime("%Y-%m-%dT%H:%M:00.000Z")
        assert matches(one) == calendar(row(since))


@pytest.mark.parametrize(
    ("text", "part", "said"),
    [
        ("is:open hours:business", "hours:business", "write waiting:>4h hours:business."),
        ("hours:business waiting:2026-03", "hours:business", "write waiting:>4h hours:business."),
        ("waiting:>4h hours:calendar", "hours:calendar", "Without it, ages are calendar time."),
        ("waiting:>4h hours:night", "hours:night", "hours: takes business."),
        ("waiting:>4h -hours:business", "-hours:business", "cannot be negated: write hours:"),
    ],
)
def test_hours_without_an_age_or_of_another_kind_are_a_mistake(
    text: str, part: str, said: str
) -> None:
    (problem,) = analyse(text)[1]
    assert text[problem.start : problem.end] == part
    assert said in problem.message


def test_hours_are_written_behind_the_ages_and_leave_with_the_last() -> None:
    query = parse("hours:business sort:waiting -waiting:<1h is:open waiting:>4h")
    assert str(query) == "is:open -waiting:<1h waiting:>4h hours:business sort:waiting"
    one_left = query.without(Term("waiting", ">4h"))
    assert str(one_left) == "is:open -waiting:<1h hours:business sort:waiting"
    assert str(one_left.without(Term("waiting", "<1h", negated=True))) == "is:open sort:waiting"
    assert str(query.with_value("waiting", None)) == "is:open sort:waiting"


def test_it_completes_from_its_first_letters() -> None:
    text = "waiting:>4h ho"
    assert next(one.text for one in complete(text, len(text), NAMES)) == "hours:business"


@pytest.mark.parametrize(
    ("names", "said", "drawn"),
    [
        (names_of(OFFICE, None), "", "hours:business"),
        (
            NAMES,
            "The time zone of the business hours of channel 3 is not known here: ages there are in "
            "calendar time.",
            "hours:business – calendar time on channel 3",
        ),
        (
            names_of(None, None),
            "This inbox has no business hours: ages are in calendar time.",
            "hours:business – this inbox has no business hours",
        ),
        (
            QueryNames(),
            "The business hours are not known, without channels: ages are in calendar time.",
            "hours:business",
        ),
    ],
)
def test_where_ages_are_in_calendar_time_after_all_a_sentence_says_so(
    names: QueryNames, said: str, drawn: str
) -> None:
    query = parse("waiting:>1h hours:business")
    assert lacks_hours(query, names) == said
    assert lacks_hours(Query.of(*query.terms[:1]), names) == ""
    assert chip(query.terms[1], names, datetime(2026, 3, 14, tzinfo=UTC)) == drawn
