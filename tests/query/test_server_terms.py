"""Teams, authors, custom fields and ads in queries, and what of a query a server filters by."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from frontdesk.query import (
    Matcher,
    QueryError,
    QueryNames,
    cannot,
    closed_windows,
    complete,
    parse,
    plan,
    sort_key,
)
from frontdesk.query.names import FieldNames, TeamNames, team_terms, unknown_name
from frontdesk.query.plan import ALL_FILTERS, STANDARD
from frontdesk.wire import Conversation
from frontdesk.wire.queries import LATER, split
from tests.client import inbox_rows

# Filters of a server that does not take a query.
EARLIER = ALL_FILTERS - {"query"}

NOW = datetime(2026, 11, 27, 9, tzinfo=ZoneInfo("Europe/Madrid"))
NAMES = QueryNames(
    users={"7": "Ana Souza", "8": "Bo Lind", "9": "Ana Ruiz"},
    channels={"1": "London", "2": "Madrid", "3": "Lisbon"},
    labels=("billing", "vip", "a,b"),
    me="8",
    teams={
        "1": TeamNames("Atlantic", frozenset({"1", "3"}), frozenset({"7", "9"})),
        "2": TeamNames("Empty", frozenset(), frozenset({"7"})),
        "3": TeamNames("Nobody's", frozenset({"2"}), frozenset()),
    },
    fields={
        "plan": FieldNames("Plan", ("gold", "very gold", "free")),
        "due date": FieldNames("Due date"),
        "seats": FieldNames("Number of seats"),
    },
)


def row_of(number: int, **members: Any) -> Conversation:
    return Conversation.model_validate({**inbox_rows.conversation(number), **members})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("BY:Ana,me", "by:me,Ana"),
        ("-by:phone,AI", "-by:phone,ai"),
        ('team:"night shift",Trade', 'team:"night shift",Trade'),
        ("field:plan", "field:plan"),
        ("-field:plan=gold,GOLD", "-field:plan=gold"),
        ('field:"due date"=a=b', 'field:"due date"=a=b'),
        ('field:plan="a, b",c', 'field:plan="a, b",c'),
        ("field:seats>=10", "field:seats>=10"),
        ("field:renewal<2026-12", "field:renewal<2026-12"),
        ("field:renewal>today", "field:renewal>today"),
        ('ad:"summer, 20%",120210', 'ad:"summer, 20%",120210'),
        ("sort:created by:me is:open", "is:open by:me sort:created"),
    ],
)
def test_terms_are_written_as_they_are_read(text: str, written: str) -> None:
    assert str(parse(text)) == written
    assert parse(written) == parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("by:", "by: takes me, phone, ai or a part of a name."),
        ("team:", "team: takes a part of the name of a team."),
        ("field:", "field: takes the key of a custom field"),
        ("field:=x", "field: takes the key of a custom field"),
        ("field:plan!gold", "field: takes the key of a custom field"),
        ("field:plan=", "field: takes the key of a custom field"),
        ("field:plan=a,", "without blanks: field:plan=a,b."),
        ("field:plan>gold", "> takes one number or day"),
        ("field:seats>1,2", "> takes one number or day"),
        (f"field:plan={'x' * 201}", "have 200 characters at most"),
        ('field:"plan', "The quotes are not closed"),
        ("by:ana or by:bo", "For one of several values write by:ana,bo."),
        ("#a or #b,c", "For one of several values write #a,b,c."),
        ("#a or by:bo", "For one of several values write #a,b."),
        ("since:soon", "since: takes a day, such as 2026-03-14"),
    ],
)
def test_a_mistake_says_what_to_write(text: str, words: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("is:open,snoozed", {"statuses": "open,snoozed"}),
        ("@ana", {"assignees": "7,9"}),
        ("@me,unassigned", {"assignees": "me,unassigned"}),
        ("in:london,madrid", {"channels": "1,2"}),
        (
            "team:atlantic is:open",
            {"status": "open", "channels": "1,3", "assignees": "7,9,unassigned"},
        ),
        ("team:nobody", {"channels": "2", "assignees": "unassigned"}),
        ("sort:created #vip", {"label": "vip", "sort": "created"}),
    ],
)
def test_a_server_with_the_extensions_answers_whole_queries(
    text: str, members: dict[str, str]
) -> None:
    answer = plan(parse(text), NAMES, EARLIER, NOW)
    assert answer.filter.parameters() == members
    assert answer.rest == ()
    assert answer.exact


def test_today_is_another_span_after_midnight() -> None:
    spans = [
        plan(parse("created:today"), NAMES, ALL_FILTERS, moment).filter.query
        for moment in (NOW, NOW.replace(hour=23, minute=59), NOW.replace(day=28, hour=0))
    ]
    assert spans[0] == "created:2026-11-26T23:00:00.000Z..2026-11-27T23:00:00.000Z"
    assert spans[1:] == [
        spans[0],
        "created:2026-11-27T23:00:00.000Z..2026-11-28T23:00:00.000Z",
    ]


def test_a_day_has_23_or_25_hours_where_clocks_change() -> None:
    hours = []
    for day in ("2026-03-29", "2026-10-25", "2026-11-27"):
        chosen = plan(parse(f"created:{day}"), NAMES, ALL_FILTERS, NOW).filter.query or ""
        ends = [*map(datetime.fromisoformat, chosen.removeprefix("created:").split(".."))]
        hours.append((ends[1] - ends[0]).total_seconds() / 3600)
    assert hours == [23, 25, 24]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("#billing #vip,billing", ["#vip,billing"]),
        ("#vip,billing", ["#vip,billing"]),
        ("is:open team:atlantic @me", ["team:Atlantic"]),
        ("-created:2026-11", ["-created:2026-11"]),
        ("-is:open,snoozed", ["-is:open,snoozed"]),
        ("waiting:>1h", ["waiting:>1h"]),
        ("created:2026-11", ["created:2026-11"]),
    ],
)
def test_what_does_not_go_together_is_tested_here(text: str, rest: list[str]) -> None:
    answer = plan(parse(text), NAMES, EARLIER, NOW)
    assert [str(term).lower() for term in answer.rest] == [term.lower() for term in rest]


@pytest.mark.parametrize("text", ["by:me", "field:plan", "-ad:1", "is:open by:me #vip,billing"])
def test_a_server_without_the_extensions_cannot_answer_what_rows_do_not_show(text: str) -> None:
    answer = plan(parse(text), NAMES, EARLIER - LATER, NOW)
    assert len(answer.hidden) == 1
    assert cannot(answer) == f"This server cannot filter by {answer.hidden[0]}."
    assert not answer.filter.parameters().keys() - STANDARD


def test_more_ranges_than_a_server_merges_are_tested_here() -> None:
    users = {str(number): f"User {number:02}" for number in range(30)}
    names = NAMES._replace(users=users)
    values = ",".join(f'"{name}"' for name in list(users.values())[:20])
    answer = plan(parse(f"@{values} in:london,madrid,lisbon"), names, EARLIER, NOW)
    assert [term.kind for term in answer.rest] == ["in"]
    assert len(split(answer.filter.assignees or "")) == 20


def many(users: int, channels: int) -> QueryNames:
    return QueryNames(
        users={str(number): f"user {number:02}" for number in range(users)},
        channels={str(number): f"channel {number:02}" for number in range(channels)},
    )


def listed(names: Mapping[str, str]) -> str:
    return ",".join(f'"{name}"' for name in names.values())


@pytest.mark.parametrize(
    ("users", "channels", "status", "fits"),
    [
        # A range for each pair, and with several states for each of these; at most 96.
        (16, 6, "is:open ", True),
        (20, 5, "is:open ", False),
        (16, 2, "", True),
        (11, 3, "", False),
        (8, 6, "is:open,snoozed ", True),
        (7, 7, "is:open,snoozed ", False),
        # Of nobody and of somebody, where users are not named.
        (0, 20, "is:open ", True),
        (0, 16, "", True),
        (0, 17, "", False),
        (20, 2, "is:open ", True),
    ],
)
def test_a_server_is_asked_for_no_more_values_and_ranges_than_it_takes(
    users: int, channels: int, status: str, fits: bool
) -> None:
    names = many(users, channels)
    assigned = f"@{listed(names.users)} " if users else ""
    query = parse(f"{status}{assigned}in:{listed(names.channels)}")
    assert (not plan(query, names, EARLIER, NOW).rest) is fits


def test_several_teams_are_not_those_of_one() -> None:
    (several,) = parse("team:atlantic,nobody").terms
    assert team_terms(several, NAMES) is None
    (empty,) = parse("team:empty").terms
    assert team_terms(empty, NAMES) is None
    (one,) = parse("team:atlantic").terms
    found = team_terms(one, NAMES)
    assert found is not None
    assert [str(term) for term in found] == ["in:id:1,id:3", "@unassigned,id:7,id:9"]


def test_a_team_has_what_its_members_or_nobody_have_on_its_channels() -> None:
    keep = Matcher(parse("team:atlantic").filters, NAMES, NOW)
    exclude = Matcher(parse("-team:atlantic").filters, NAMES, NOW)
    ana, bo = {"id": "7", "name": "Ana Souza"}, {"id": "8", "name": "Bo Lind"}
    cases = [("1", ana, True), ("3", None, True), ("1", bo, False), ("2", ana, False)]
    for channel, assignee, matches in cases:
        row = row_of(1, channel={"id": channel}, assignee=assignee)
        assert (keep(row), exclude(row)) == (matches, not matches)


def test_a_team_without_channels_is_said() -> None:
    (term,) = parse("team:empty").terms
    assert unknown_name(term, NAMES) == "The team Empty has no channels."
    (term,) = parse("team:nobody").terms
    assert unknown_name(term, NAMES) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("team:pacific", "No team fits pacific. There is Atlantic, Empty, Nobody's."),
        ("by:zoe", "No user fits zoe. There is Ana Souza, Bo Lind, Ana Ruiz."),
        ("field:plans", "No custom field fits plans. There is plan, due date, seats."),
        ("by:phone,ai", ""),
        ("ad:anything", ""),
        ('field:"number of seats">3', ""),
    ],
)
def test_names_are_those_of_the_catalogues(text: str, words: str) -> None:
    (term,) = parse(text).terms
    assert unknown_name(term, NAMES) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("team:a", {"team:Atlantic"}),
        ("by:a", {"by:ai", 'by:"Ana Souza"', 'by:"Ana Ruiz"'}),
        ("by:me,b", {'"Bo Lind"'}),
        ("field:s", {"field:seats", "field:due date"} - {"field:due date"}),
        ('field:"d', {'field:"due date"'}),
        ("field:plan=", {"gold", '"very gold"', "free"}),
        ("field:plan=free,g", {"gold", '"very gold"'}),
        ("-team:n", {"-team:Nobody's"}),
        ("sort:cr", {"sort:created"}),
        ("te", {"team:"}),
    ],
)
def test_names_keys_and_options_are_completed(text: str, words: set[str]) -> None:
    found = {one.text for one in complete(text, len(text), NAMES)}
    assert words <= found
    assert len(found) < 6


def test_a_conversation_without_a_beginning_matches_no_day_and_no_exclusion_of_one() -> None:
    row = row_of(1, created_at=None)
    for text in ("created:2026", "-created:2026"):
        assert not Matcher(parse(text).filters, NAMES, NOW)(row)


def test_the_newest_conversations_come_first_and_those_without_a_beginning_last() -> None:
    rows = [
        row_of(number, id=str(number), created_at=created)
        for number, created in enumerate(["2026-03-01T00:00:00Z", None, "2026-03-02T00:00:00Z"])
    ]
    found = sorted(rows, key=sort_key("created", datetime(2026, 4, 1, tzinfo=UTC)))
    assert [row.id for row in found] == ["2", "0", "1"]


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("created", ["20", "10", "9", "x"]),
        ("active", ["20", "10", "9", "x"]),
        ("oldest", ["x", "9", "10", "20"]),
        ("waiting", ["x", "9", "10", "20"]),
        ("window", ["x", "9", "10", "20"]),
    ],
)
def test_rows_of_one_moment_are_in_the_order_of_their_numbers(order: str, ids: list[str]) -> None:
    moment = "2026-03-01T00:00:00Z"
    times = ("created_at", "last_activity_at", "waiting_since", "service_window_expires_at")
    members = {"status": "open", **dict.fromkeys(times, moment)}
    rows = [row_of(number, id=id, **members) for number, id in enumerate(["9", "x", "20", "10"])]
    key = sort_key(order, datetime(2026, 2, 1, tzinfo=UTC))
    assert [row.id for row in sorted(rows, key=key)] == ids


@pytest.mark.parametrize(
    ("minutes", "position"),
    [
        ((5, 9, 20), 3),
        ((), 0),
        ((-1, 9), 2),
        ((-3, 9), 0),
        # Windows that close together are open together; one that closes before another has closed.
        ((5, 5), 2),
        ((5, 9, 8), 2),
        ((5, None, 9), 1),
    ],
)
def test_closed_windows_are_behind_the_open_ones(
    minutes: tuple[int | None, ...], position: int
) -> None:
    ends = [None if one is None else NOW + timedelta(minutes=one) for one in minutes]
    rows = [
        row_of(at, service_window_expires_at=end and end.isoformat()) for at, end in enumerate(ends)
    ]
    assert closed_windows(rows, NOW) == position


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("in:lond", True),
        ("in:madrid", False),
        ("in:+442079460018", True),
        ("in:9460018", True),
        ("in:+34911222333", False),
        ("@ana", True),
        ("@bo", False),
    ],
)
def test_names_are_compared_with_those_of_rows_where_no_catalogue_is_known(
    text: str, matches: bool
) -> None:
    channel = {"id": "1", "name": "London", "phone": "+442079460018"}
    row = row_of(1, channel=channel, assignee={"id": "7", "name": "Ana Souza"})
    assert Matcher(parse(text).terms, QueryNames(), NOW)(row) is matches
    assert Matcher(parse(f"-{text}").terms, QueryNames(), NOW)(row) is not matches
