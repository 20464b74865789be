"""Teams, authors, custom fields and ads in queries, and what of a query a server filters by."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from

from frontdesk.query import (
    Matcher,
    Query,
    QueryError,
    QueryNames,
    Term,
    cannot,
    closed_windows,
    complete,
    parse,
    plan,
    sort_key,
)
from frontdesk.query.names import FieldNames, TeamNames, unknown_name
from frontdesk.query.plan import ALL_FILTERS, STANDARD, asked_terms, is_counted, statuses_of
from frontdesk.wire import Conversation, ConversationFilter
from frontdesk.wire.queries import MOST_QUERY_TERMS, MOST_VALUES
from frontdesk.wire.values import STATUSES
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
        ("is:open,snoozed", {"query": "is:open,snoozed"}),
        ("@ana", {"query": "@id:7,id:9"}),
        ("@me,unassigned", {"query": "@me,unassigned"}),
        ("in:london,madrid is:open", {"status": "open", "query": "in:id:1,id:2"}),
        ("team:atlantic is:open @bo", {"status": "open", "assignee": "8", "query": "team:id:1"}),
        ("-is:resolved -in:madrid @me", {"assignee": "me", "query": "-is:resolved -in:id:2"}),
        ("#vip #billing", {"label": "vip", "query": "#billing"}),
        ("sort:created #vip", {"label": "vip", "sort": "created"}),
    ],
)
def test_a_server_with_the_extensions_answers_whole_queries(
    text: str, members: dict[str, str]
) -> None:
    answer = plan(parse(text), NAMES, ALL_FILTERS, NOW)
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
        ("@ana", ["@ana"]),
        ("in:london,madrid is:open", ["in:london,madrid"]),
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
    answer = plan(parse(text), NAMES, EARLIER, NOW)
    assert len(answer.hidden) == 1
    assert cannot(answer) == f"This server cannot filter by {answer.hidden[0]}."
    assert not answer.filter.parameters().keys() - STANDARD


def test_more_values_than_a_server_takes_are_tested_here() -> None:
    users = {str(number): f"User {number:02}" for number in range(MOST_VALUES + 1)}
    for names, rest in ((users, 1), (dict([*users.items()][1:]), 0)):
        answer = plan(parse("@user"), NAMES._replace(users=names), ALL_FILTERS, NOW)
        assert len(answer.rest) == rest


COUNTED = (
    *("is:open", "is:open,snoozed", "-is:resolved", "-is:open,snoozed"),
    *("@me", "@ana", "@unassigned,bo", "-@me,ana", "@assigned", "-@unassigned"),
    *("team:atlantic", "team:nobody,atlantic", "-team:atlantic"),
    *("in:london", "in:madrid,lisbon", "-in:london", "#vip", "needs:human", "-needs:human"),
)


@given(lists(sampled_from(COUNTED), max_size=8))
def test_a_line_of_what_counters_are_kept_by_is_one_request_whose_counts_are_known(
    terms: list[str],
) -> None:
    query = Query.of(*(term for text in terms for term in parse(text).terms))
    answer = plan(query, NAMES, ALL_FILTERS, NOW)
    assert answer.exact
    assert is_counted(answer.filter)
    assert not parse(answer.filter.query or "").uncounted
    # Its name does not depend on how it is written.
    turned = Query.of(
        *(Term.any_of(one.kind, one.values[::-1], negated=one.negated) for one in query.terms)
    )
    assert plan(turned, NAMES, ALL_FILTERS, NOW).filter == answer.filter


@pytest.mark.parametrize(
    ("terms", "counts"), [(MOST_QUERY_TERMS - 1, True), (MOST_QUERY_TERMS, False)]
)
def test_what_is_unread_is_counted_by_no_more_terms_than_a_query_has(
    terms: int, counts: bool
) -> None:
    text = " ".join(f"-waiting:>{weeks}w" for weeks in range(1, terms + 1))
    answer = plan(parse(f"{text} -unread"), NAMES, ALL_FILTERS, NOW)
    assert len(answer.asked) == terms
    assert (answer.counted is not None) == counts
    unread = plan(parse(f"{text} unread"), NAMES, ALL_FILTERS, NOW)
    assert unread.counted is not None
    assert len(asked_terms(unread.counted)) <= MOST_QUERY_TERMS


@pytest.mark.parametrize(
    ("text", "statuses", "counted"),
    [
        ("", STATUSES, True),
        ("is:open", ("open",), True),
        ("is:snoozed,open", ("open", "snoozed"), True),
        ("is:open -is:open,snoozed", (), True),
        ("-is:open @me", ("snoozed", "resolved"), True),
        ("#vip -#billing", STATUSES, False),
        ("#vip #billing", STATUSES, False),
        ("#vip,billing", STATUSES, False),
        ("unread", STATUSES, False),
        ("is:open refund", ("open",), False),
        ("waiting:>1h", STATUSES, False),
    ],
)
def test_a_filter_tells_its_statuses_and_if_counters_are_kept_by_it(
    text: str, statuses: tuple[str, ...], counted: bool
) -> None:
    filter = plan(parse(text), NAMES, ALL_FILTERS, NOW).filter
    assert (statuses_of(filter), is_counted(filter)) == (statuses, counted)


def test_an_assignee_beside_others_in_a_query_is_not_counted() -> None:
    assert not is_counted(ConversationFilter(assignee="7", query="@me,unassigned"))
    assert not is_counted(ConversationFilter(status="parked"))


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
