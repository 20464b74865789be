"""Plans are kept as long as they hold."""

import pytest

from frontdesk.inbox.planning import Planning
from frontdesk.query import parse
from tests.inbox.memory import Cache, Clock, Server

DAY = 24 * 60 * 60


@pytest.mark.parametrize("text", ["active:today", "field:renewal>=today"])
def test_a_plan_with_days_is_that_of_the_day(text: str) -> None:
    seconds, cache = 0.0, Cache(Server(size=0))
    planning, query = Planning(cache, Clock(lambda: seconds), cache.marks), parse(text)
    before = planning.plan_of(query).filter.query
    seconds = DAY
    after = planning.plan_of(query).filter.query
    assert before is not None
    assert after is not None
    assert before < after


def test_a_plan_is_that_of_the_filters_and_names_that_are_known() -> None:
    cache = Cache(Server(size=0))
    planning, query = (
        Planning(cache, Clock(lambda: 0), cache.marks),
        parse("is:open,snoozed @grace"),
    )
    assert planning.plan_of(query).rest == query.terms[1:]
    cache.has_names = True
    planning.forget_names()
    assert planning.plan_of(query).filter.parameters() == {
        "assignee": "1",
        "query": "is:open,snoozed",
    }
    cache.lacks = frozenset({"query"})
    assert planning.plan_of(query).rest == query.terms[:1]
