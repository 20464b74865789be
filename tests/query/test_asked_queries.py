"""The parameter `query` that a query becomes: ids for names, times for days."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from frontdesk.query import QueryNames, parse, plan
from frontdesk.query.names import TeamNames
from frontdesk.query.plan import ALL_FILTERS

NOW = datetime(2026, 3, 14, 12, tzinfo=ZoneInfo("Europe/Madrid"))
NAMES = QueryNames(
    users={"1": "Inés Duarte", "2": "Olu Bello"},
    channels={"301": "Porto", "302": "Lagos"},
    labels=("urgent", "repair, paid"),
    me="1",
    customers={"Rui": "77"},
    teams={"4": TeamNames("Night", frozenset({"301"}), frozenset({"2"}))},
)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("is:open", None),
        ("waiting:>1h is:open", "waiting:>1h"),
        ("waiting:>4h hours:business", "waiting:>4h hours:business"),
        ("-@me,olu", "-@me,id:2"),
        ("-in:lag", "-in:id:302"),
        ("-team:night", "-team:id:4"),
        ('#urgent #"repair, paid"', '#"repair, paid"'),
        ("from:Mia", "from:Mia"),
        ("from:Rui,Mia", "from:Mia,id:77"),
        ('invoice -"paid twice"', 'invoice -"paid twice"'),
        ("by:ines by:ai", "by:id:1 by:ai"),
        ("-created:2026-03-02", "-created:2026-03-01T23:00:00.000Z..2026-03-02T23:00:00.000Z"),
        ("-active:2026-02..", "-active:2026-01-31T23:00:00.000Z.."),
        ("has:voice,image -has:note", "has:image,voice -has:note"),
        ("is:snoozed,open -is:resolved", "is:open,snoozed -is:resolved"),
        ("@unassigned,olu,me", "@me,unassigned,id:2"),
        ("team:night is:open,snoozed", "is:open,snoozed team:id:4"),
        ("-unread", None),
    ],
)
def test_what_has_no_parameter_goes_to_the_query(text: str, asked: str | None) -> None:
    answer = plan(parse(text), NAMES, ALL_FILTERS, NOW)
    assert answer.filter.query == asked
    assert [str(term) for term in answer.rest] == (["-unread"] if text == "-unread" else [])


def test_a_name_of_what_the_key_may_not_list_is_the_servers_to_refuse() -> None:
    answer = plan(parse("by:nora,me team:dusk is:open"), QueryNames(), ALL_FILTERS, NOW)
    assert answer.filter.query == "team:dusk by:me,nora"
    assert not answer.rest
    # Rows show who has them.
    answer = plan(parse("@nora"), QueryNames(), ALL_FILTERS, NOW)
    assert [str(term) for term in answer.rest] == ["@nora"]


@pytest.mark.parametrize("text", [" ".join(f"w{n}" for n in range(21)), "x" * 1_001])
def test_more_than_a_server_takes_is_tested_here(text: str) -> None:
    answer = plan(parse(text), NAMES, ALL_FILTERS, NOW)
    assert answer.filter.query is None
    assert len(answer.rest) == len(parse(text).terms)


def test_each_order_is_the_servers() -> None:
    for order in ("active", "oldest", "waiting", "window", "created"):
        assert plan(parse(f"sort:{order}"), NAMES, ALL_FILTERS, NOW.astimezone(UTC)).is_sorted
