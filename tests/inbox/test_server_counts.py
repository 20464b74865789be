"""Numbers in the server's answer to a request for counts, by the filter that they are of."""

from typing import Any

import pytest

from frontdesk.inbox.server_counts import count_for, counted_filter, counts_by, narrowed_filter
from frontdesk.query.terms import ASSIGNEE, CHANNEL, LABEL, STATUS, TEAM
from frontdesk.wire import ConversationFilter, Counts


def count_set(all: int) -> dict[str, Any]:
    return {"all": all, "mine": 1, "assigned": 2, "unassigned": all - 2, "awaiting_human": 3}


BY_VALUE = {"open": 4, "snoozed": 1, "resolved": 2, "all": 7}
FLAT = {"all": 60, "open": 30, "snoozed": 20, "resolved": 10}
MEMBERS: dict[str, Any] = {
    **FLAT,
    "by_status": {"open": count_set(30), "snoozed": count_set(20), "resolved": count_set(10)},
    "by_channel": [{"channel": "101", **BY_VALUE}],
    "by_assignee": [{"assignee": "5", **BY_VALUE}, {"assignee": None, **BY_VALUE}],
    "by_label": [{"label": "VIP", **BY_VALUE}],
}


def counts(**members: Any) -> Counts:
    return Counts.model_validate({**MEMBERS, **members})


@pytest.mark.parametrize(
    ("filter", "number"),
    [
        ({}, 60),
        ({"status": "open"}, 30),
        ({"query": "is:open,resolved"}, 40),
        ({"assignee": "me"}, 3),
        ({"assignee": "me", "status": "open"}, 1),
        ({"assignee": "unassigned", "status": "snoozed"}, 18),
        ({"assignee": "assigned"}, 6),
        ({"assignee": "5"}, 7),
        ({"assignee": "5", "status": "open"}, 4),
        ({"assignee": "6"}, 0),
        ({"awaiting_human": True, "status": "open"}, 3),
        ({"awaiting_human": True, "assignee": "me", "status": "open"}, 30),
        ({"query": "@id:5,id:6"}, 60),
        ({"unread": True}, None),
        ({"contact": "7"}, None),
        ({"status": "parked"}, None),
    ],
)
def test_the_number_of_a_filter_is_in_the_answer(
    filter: dict[str, Any], number: int | None
) -> None:
    assert count_for(counts(), ConversationFilter(**filter)) == number


@pytest.mark.parametrize(
    ("members", "filter", "number"),
    [
        ({"by_status": None}, {}, 60),
        ({"by_status": None}, {"status": "open"}, 30),
        ({"by_status": None}, {"assignee": "me"}, None),
        ({"by_status": None}, {"awaiting_human": True}, None),
        ({"by_status": None, "snoozed": None}, {"query": "is:open,snoozed"}, None),
        ({"by_assignee": None}, {"assignee": "5"}, None),
    ],
)
def test_a_number_that_the_answer_lacks_is_not_known(
    members: dict[str, Any], filter: dict[str, Any], number: int | None
) -> None:
    assert count_for(counts(**members), ConversationFilter(**filter)) == number
    assert count_for(None, ConversationFilter(**filter)) is None


@pytest.mark.parametrize(
    ("filter", "kind", "numbers"),
    [
        ({}, STATUS, {"open": 30, "snoozed": 20, "resolved": 10}),
        ({}, CHANNEL, {"101": 7}),
        ({}, ASSIGNEE, {"5": 7, "": 7}),
        ({}, LABEL, {"vip": 7}),
        ({}, TEAM, None),
        ({"status": "open"}, CHANNEL, {"101": 4}),
        ({"query": "is:open,snoozed"}, ASSIGNEE, {"5": 5, "": 5}),
        ({"label": "vip"}, LABEL, None),
        ({"unread": True}, CHANNEL, None),
    ],
)
def test_the_answer_has_numbers_by_value(
    filter: dict[str, Any], kind: str, numbers: dict[str, int] | None
) -> None:
    assert counts_by(counts(), ConversationFilter(**filter), kind) == numbers


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"snoozed": None}, STATUS),
        ({"by_channel": []}, CHANNEL),
        ({"by_channel": [{"channel": "101", "all": None}]}, CHANNEL),
        ({"by_assignee": None}, ASSIGNEE),
        ({"by_label": None}, LABEL),
    ],
)
def test_numbers_by_value_are_whole_or_not_there(members: dict[str, Any], kind: str) -> None:
    assert counts_by(counts(**members), ConversationFilter(), kind) is None
    assert counts_by(None, ConversationFilter(), kind) is None


def test_labels_of_one_title_are_added_up() -> None:
    rows = [{"label": "VIP", **BY_VALUE}, {"label": "vip", **BY_VALUE}]
    assert counts_by(counts(by_label=rows), ConversationFilter(), LABEL) == {"vip": 14}


def test_counts_are_asked_for_by_the_place_and_only_where_they_must_by_the_rest() -> None:
    filter = ConversationFilter(status="open", label="vip", assignee="me", sort="waiting")
    assert counted_filter(filter) == ConversationFilter(label="vip")
    assert narrowed_filter(filter) == ConversationFilter(label="vip", assignee="me")
    both = ConversationFilter(label="vip", assignee="me", awaiting_human=True, status="open")
    assert counted_filter(both) == both.model_copy(update={"status": None})
    several = ConversationFilter(query="-is:resolved @id:5,id:6", sort="waiting")
    assert counted_filter(several) == ConversationFilter(query="@id:5,id:6")
    assert counted_filter(ConversationFilter(query="is:open,snoozed")) == ConversationFilter()
