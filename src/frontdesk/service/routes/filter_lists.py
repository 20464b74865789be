"""Filters of conversations by any of several statuses, channels and assignees.

All of them are extensions, see docs/api-contract.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import echo, row_id
from frontdesk.service.routes import filters
from frontdesk.store import conversations
from frontdesk.store.conversation_conditions import Condition
from frontdesk.store.conversations import NO_ASSIGNEE, NO_LABEL, FilterPlace
from frontdesk.store.query_conditions import MOST_RANGES, Placed
from frontdesk.wire.queries import (
    LISTS,
    MOST_VALUES,
    split,
)
from frontdesk.wire.values import STATUSES

T = TypeVar("T")

_ANY = (None,)


@dataclass(frozen=True, slots=True)
class ListedFilters:
    """Values of lists: statuses, and the places of the filter table."""

    statuses: Sequence[int]
    places: tuple[FilterPlace, ...]


def listed_filters(request: EndpointRequest, values: dict[str, str]) -> ListedFilters:
    """Parse the lists, recorded in `values` in an order that does not depend on the request's."""
    _check_singles(request)
    statuses = _statuses(request, values)
    places = _places(request, values)
    _check_ranges(request, statuses, places)
    return ListedFilters(statuses, places)


def listed_conditions(
    request: EndpointRequest,
    values: dict[str, str],
    channel_id: int | None,
    assignee: tuple[bool | None, int | None],
) -> list[Condition]:
    """Parse the lists that counts take.

    channel_id, assignee: those of the parameters of one value.
    """
    _check_singles(request)
    channels = _channels(request, values) or (() if channel_id is None else (channel_id,))
    assignees = _assignees(request, values) or (assignee,)
    conditions: list[Condition] = [Placed("channel_id", channels)] if channels else []
    if (True, None) in assignees or (None, None) in assignees:
        assigned = assignees[0][0]
        states = conversations.states_of(range(len(STATUSES)), assigned=assigned)
        return [*conditions, Placed("state", states)]
    ids = tuple(id or NO_ASSIGNEE for _, id in assignees)
    return [*conditions, Placed("assignee_id", ids)]


def _check_singles(request: EndpointRequest) -> None:
    """Record a fault for each list beside the parameter of one of its values."""
    for single, several in LISTS.items():
        if None not in (request.parameters.get(single), request.parameters.get(several)):
            request.parameters.add_fault(
                "invalid_parameter",
                several,
                "unavailable",
                f"it does not go with {single}: give one of them",
            )


def _values(request: EndpointRequest, name: str) -> tuple[str, ...]:
    """Return the distinct values of a list; none if it is absent or faulty."""
    text = request.parameters.filter_value(name)
    if text is None:
        return ()
    several = tuple(dict.fromkeys(split(text)))
    if "" in several:
        request.parameters.add_fault(
            "invalid_filter", name, "empty", "it needs values with a comma between two of them"
        )
        return ()
    if len(several) > MOST_VALUES:
        request.parameters.add_fault(
            "invalid_parameter",
            name,
            "too_long",
            f"it takes {MOST_VALUES} values; got {len(several)}",
            bounds=(1, MOST_VALUES),
        )
        return ()
    return several


def _resolved(
    request: EndpointRequest,
    name: str,
    find: Callable[[str], T | None],
    hint: str,
    values: dict[str, str],
) -> tuple[T, ...]:
    """Return what the values of a list mean, in order and each once; none without it."""
    several = {value: find(value) for value in _values(request, name)}
    unknown = next((value for value, found in several.items() if found is None), None)
    if unknown is not None and not request.parameters.faulty(name):
        detail = f"{hint}; got '{echo(unknown)}'"
        request.parameters.add_fault("invalid_filter", name, "unknown_value", detail)
    found = sorted({value for value in several.values() if value is not None}, key=repr)
    if found:
        values[name] = repr(found)
    return tuple(found)


def _statuses(request: EndpointRequest, values: dict[str, str]) -> Sequence[int]:
    def number(status: str) -> int | None:
        return STATUSES.index(status) if status in STATUSES else None

    hint = f"it takes some of {', '.join(STATUSES)}"
    return _resolved(request, LISTS["status"], number, hint, values)


def _places(request: EndpointRequest, values: dict[str, str]) -> tuple[FilterPlace, ...]:
    """Return the combinations of channels and assignees; none without lists of them."""
    channels, assignees = _channels(request, values), _assignees(request, values)
    if not (channels or assignees):
        return ()
    return tuple(
        FilterPlace(NO_LABEL, channel, assignee, assigned)
        for channel, (assigned, assignee) in product(channels or _ANY, assignees or ((None, None),))
    )


def _channels(request: EndpointRequest, values: dict[str, str]) -> tuple[int, ...]:
    return _resolved(
        request,
        LISTS["channel"],
        lambda number: conversations.channel_id(*request.account, number),
        "no channel has this id",
        values,
    )


def _assignees(
    request: EndpointRequest, values: dict[str, str]
) -> tuple[tuple[bool | None, int | None], ...]:
    """Return pairs of assigned and user id, of which none includes another; () without the list."""
    hint = "it takes me, unassigned, assigned and ids of users"
    assignees = _resolved(
        request, LISTS["assignee"], lambda value: _assignee(request, value), hint, values
    )
    if (True, None) not in assignees:
        return assignees
    return ((None if (False, None) in assignees else True, None),)


def _assignee(request: EndpointRequest, value: str) -> tuple[bool | None, int | None] | None:
    """Return (assigned, user id); None if there is no such user."""
    if value in ("assigned", "unassigned"):
        return value == "assigned", None
    user_id = _user(request, LISTS["assignee"], value)
    return None if user_id is None else (True, user_id)


def _user(request: EndpointRequest, name: str, value: str) -> int | None:
    if value == "me":
        if request.grant.user_id is None:
            filters.add_no_me(request, name)
        return request.grant.user_id
    user_id = row_id(value)
    known = user_id is not None and conversations.is_user(*request.account, user_id)
    return user_id if known else None


def _check_ranges(
    request: EndpointRequest, statuses: Sequence[int], places: Sequence[FilterPlace]
) -> None:
    """Record a fault if a page would merge too many ranges of the index."""
    states = conversations.states_of(statuses or range(len(STATUSES)))
    number = sum(place.has(state) for place in places for state in states)
    if number > MOST_RANGES:
        lists = [name for name in LISTS.values() if request.parameters.get(name) is not None]
        request.parameters.add_fault(
            "invalid_parameter",
            lists[-1],
            "too_long",
            f"{' and '.join(lists)} have {number} combinations with statuses and assignment;"
            f" there may be {MOST_RANGES}",
            bounds=(1, MOST_RANGES),
        )
