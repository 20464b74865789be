"""Selections of conversations: states, places, orders, and positions in them."""

from typing import Any

import pytest

from frontdesk.store.conversation_conditions import WithoutLabels
from frontdesk.store.conversations import (
    ORDERS,
    ConversationSelection,
    FilterPlace,
    of_states,
    one_of,
    position_of,
    states_of,
)

OPEN, SNOOZED, RESOLVED = range(3)
EVERYTHING = ConversationSelection(states_of(range(3)))


@pytest.mark.parametrize(
    ("statuses", "assigned", "states"),
    [
        ((OPEN,), None, (0, 1)),
        ((SNOOZED, RESOLVED), None, (2, 3, 4, 5)),
        ((OPEN, RESOLVED), False, (0, 4)),
        ((OPEN, RESOLVED), True, (1, 5)),
        ((), None, ()),
    ],
)
def test_a_state_is_a_status_with_or_without_an_assignee(
    statuses: tuple[int, ...], assigned: bool | None, states: tuple[int, ...]
) -> None:
    assert states_of(statuses, assigned=assigned) == states


@pytest.mark.parametrize(
    ("members", "is_everything"),
    [
        ({}, True),
        ({"sort": "waiting", "awake_at": 5}, True),
        ({"states": states_of((OPEN, SNOOZED))}, False),
        ({"label_id": 1}, False),
        ({"channel_id": 1}, False),
        ({"assignee_id": 0}, False),
        ({"contact_id": 1}, False),
        ({"awaiting": False}, False),
        ({"unread": False}, False),
        ({"conversation_ids": ()}, False),
        ({"places": (FilterPlace(),)}, False),
        ({"conditions": (WithoutLabels((1,)),)}, False),
    ],
)
def test_any_filter_leaves_something_out(members: dict[str, Any], is_everything: bool) -> None:
    selection = ConversationSelection(**{"states": EVERYTHING.states, **members})
    assert selection.is_everything == is_everything


@pytest.mark.parametrize(
    ("members", "is_walked"),
    [
        ({}, False),
        ({"sort": "waiting"}, False),
        ({"sort": "window"}, False),
        ({"sort": "created"}, True),
        ({"conditions": (WithoutLabels((1,)),)}, True),
    ],
)
def test_what_no_index_of_the_filter_table_has_is_walked(
    members: dict[str, Any], is_walked: bool
) -> None:
    assert ConversationSelection((0,), **members).is_walked == is_walked


def test_a_place_takes_what_it_lacks_from_another() -> None:
    single = FilterPlace(label_id=1, channel_id=2, assignee_id=3, assigned=True)
    assert FilterPlace().within(single) == single
    own = FilterPlace(label_id=5, channel_id=6, assignee_id=0, assigned=False)
    assert own.within(single) == own


@pytest.mark.parametrize(
    ("assigned", "states"), [(None, [0, 1, 4, 5]), (True, [1, 5]), (False, [0, 4])]
)
def test_a_place_has_the_states_of_its_assignment(assigned: bool | None, states: list[int]) -> None:
    place = FilterPlace(assigned=assigned)
    assert [state for state in (0, 1, 4, 5) if place.has(state)] == states


def test_a_selection_without_places_is_one_place() -> None:
    selection = ConversationSelection((0,), label_id=1, channel_id=2, assignee_id=3)
    assert selection.all_places == (FilterPlace(1, 2, 3),)
    places = (FilterPlace(4), FilterPlace(5))
    assert ConversationSelection((0,), label_id=1, places=places).all_places == places


def test_no_state_is_in_no_place() -> None:
    place = FilterPlace(assigned=True)
    assert of_states(ConversationSelection((0, 2)), place) == "state IN (NULL)"
    assert of_states(ConversationSelection((0, 1, 3)), place) == "state IN (1, 3)"


def test_an_empty_list_of_values_has_nothing() -> None:
    assert one_of("id", ()) == ("NULL", {})
    assert one_of("id", (7, 8)) == (":id0, :id1", {"id0": 7, "id1": 8})


ROW = {
    "id": 9,
    "last_activity_at": 70,
    "created_at": 60,
    "waiting_since": 50,
    "last_inbound_at": 40,
}


@pytest.mark.parametrize(
    ("sort", "members", "position"),
    [
        ("activity", {}, (70, 9)),
        ("created", {}, (60, 9)),
        ("waiting", {}, (0, 5, 50, 9)),
        ("waiting", {"waiting_since": None}, (1, 5, 70, 9)),
        ("window", {}, (0, 5, 40, 9)),
        ("window", {"last_inbound_at": 30}, (1, 5, 70, 9)),
        ("window", {"last_inbound_at": 31}, (0, 5, 31, 9)),
        ("window", {"last_inbound_at": None}, (1, 5, 70, 9)),
    ],
)
def test_a_position_is_the_key_of_the_order_and_of_its_part(
    sort: str, members: dict[str, Any], position: tuple[int, ...]
) -> None:
    selection = ConversationSelection((0,), sort=sort, closed_until=30, began_at=5)
    assert tuple(position_of({**ROW, **members}, selection)) == position


@pytest.mark.parametrize(
    ("sort", "directions"),
    [
        ("activity", [("DESC", "<")]),
        ("created", [("DESC", "<")]),
        ("waiting", [("ASC", ">"), ("DESC", "<")]),
        ("window", [("ASC", ">"), ("DESC", "<")]),
    ],
)
def test_who_waits_longest_and_whose_window_closes_first_comes_first(
    sort: str, directions: list[tuple[str, str]]
) -> None:
    assert [(one.direction, one.comparison) for one in ORDERS[sort]] == directions


def test_later_pages_leave_out_rows_that_moved_during_a_walk() -> None:
    first, second = ORDERS["waiting"]
    assert first.continued().conditions == (*first.conditions, first.unchanged)
    assert second.continued() != second
    (activity,) = ORDERS["activity"]
    assert activity.continued() == activity
