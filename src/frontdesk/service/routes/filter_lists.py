"""Filters of conversations by any of several values, spans of time, authors, fields and ads.

All of them are extensions, see docs/api-contract.md.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Literal, TypeVar

from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.moments import InvalidMoment, parse_instant
from frontdesk.service.params import echo, row_id
from frontdesk.service.problems import lacking
from frontdesk.service.routes import filters
from frontdesk.store import ads, conversations
from frontdesk.store.contacts import label_key
from frontdesk.store.conversation_conditions import (
    AI,
    PHONE,
    Condition,
    FromAd,
    HasField,
    TimeSpan,
    WithoutLabels,
    WrittenBy,
)
from frontdesk.store.conversations import NO_ASSIGNEE, NO_LABEL, FilterPlace
from frontdesk.text import custom_fields
from frontdesk.wire.queries import (
    LISTS,
    MOST_FIELD_CHARACTERS,
    MOST_RANGES,
    MOST_VALUES,
    SPANS,
    FieldFilter,
    split,
)
from frontdesk.wire.values import STATUSES

T = TypeVar("T")

_COLUMNS: Mapping[str, Literal["created_at", "last_activity_at", "waiting_since"]] = (
    MappingProxyType(
        {"created": "created_at", "active": "last_activity_at", "waiting": "waiting_since"}
    )
)
_ANY = (None,)


@dataclass(frozen=True, slots=True)
class ListedFilters:
    """Values of lists: statuses, and the places of the filter table; conditions besides."""

    statuses: Sequence[int]
    places: tuple[FilterPlace, ...]
    conditions: tuple[Condition, ...]


def listed_filters(request: EndpointRequest, values: dict[str, str]) -> ListedFilters:
    """Parse the filters, recorded in `values` in an order that does not depend on the request's.

    Raises: ApiError: the key may not read what a filter looks at.
    """
    _check_singles(request)
    statuses = _statuses(request, values)
    places = _places(request, values)
    _check_ranges(request, statuses, places)
    return ListedFilters(statuses, places, tuple(_conditions(request, values)))


def counted_cells(
    request: EndpointRequest,
    values: dict[str, str],
    channel_id: int | None,
    assignee: tuple[bool | None, int | None],
) -> tuple[tuple[int, ...], tuple[int, ...], bool | None]:
    """Parse the lists that counts take: channel ids, ids of assignees (0: nobody), and assigned.

    channel_id, assignee: those of the parameters of one value.
    """
    _check_singles(request)
    channels = _channels(request, values) or (() if channel_id is None else (channel_id,))
    assignees = _assignees(request, values) or (assignee,)
    if (True, None) in assignees or (None, None) in assignees:
        return channels, (), assignees[0][0]
    return channels, tuple(id or NO_ASSIGNEE for _, id in assignees), None


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
    """Return the combinations of labels, channels and assignees; none without lists of them."""
    labels = _labels(request, LISTS["label"], values)
    channels, assignees = _channels(request, values), _assignees(request, values)
    if not (labels or channels or assignees):
        return ()
    return tuple(
        FilterPlace(label, channel, assignee, assigned)
        for label, channel, (assigned, assignee) in product(
            labels or (NO_LABEL,), channels or _ANY, assignees or ((None, None),)
        )
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


def _labels(request: EndpointRequest, name: str, values: dict[str, str]) -> tuple[int, ...]:
    return _resolved(
        request,
        name,
        lambda title: conversations.label_id(*request.account, label_key(title)),
        "no label has this title",
        values,
    )


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


def _conditions(request: EndpointRequest, values: dict[str, str]) -> Iterable[Condition]:
    """Yield the conditions; those that are likely to match few come first."""
    for name, negated in (("ads", False), ("without_ads", True)):
        if ad_ids := _ads(request, name, values):
            yield FromAd(ad_ids, negated)
    for name, negated in (("authors", False), ("without_authors", True)):
        if authors := _authors(request, name, values):
            users = tuple(author for author in authors if isinstance(author, int))
            words = tuple(author for author in authors if isinstance(author, str))
            yield WrittenBy(users, words, negated)
    yield from _fields(request, values)
    for name in SPANS:
        if (span := _span(request, name, values)) is not None:
            yield span
    if label_ids := _labels(request, "without_labels", values):
        yield WithoutLabels(label_ids)


def _authors(request: EndpointRequest, name: str, values: dict[str, str]) -> tuple[int | str, ...]:
    def find(value: str) -> int | str | None:
        return value if value in (PHONE, AI) else _user(request, name, value)

    return _resolved(request, name, find, "it takes me, phone, ai and ids of users", values)


def _ads(request: EndpointRequest, name: str, values: dict[str, str]) -> tuple[str, ...]:
    names = _values(request, name)
    if not names:
        return ()
    _demand(request, "messages:read")
    found = ads.ad_ids(*request.account, names)
    values[name] = repr(found)
    if not found:
        request.parameters.add_fault(
            "invalid_filter",
            name,
            "unknown_value",
            f"no message came from an ad with this id or headline; got '{echo(names[0])}'",
        )
    return found


def _demand(request: EndpointRequest, scope: str) -> None:
    if scope not in request.grant.scopes:
        raise lacking(scope, tuple(sorted(request.grant.scopes)))


def _span(request: EndpointRequest, name: str, values: dict[str, str]) -> TimeSpan | None:
    first, last = (_instant(request, f"{name}_{end}", values) for end in ("from", "to"))
    if first is None and last is None:
        return None
    if first is not None and last is not None and first > last:
        request.parameters.add_fault(
            "invalid_filter", f"{name}_from", "not_before_to", f"it comes after {name}_to"
        )
    return TimeSpan(_COLUMNS[name], first, last)


def _instant(request: EndpointRequest, name: str, values: dict[str, str]) -> int | None:
    text = request.parameters.filter_value(name)
    if text is None:
        return None
    reason, hint = "malformed", "there is no such time"
    try:
        _, moment = parse_instant(text)
    except InvalidMoment as unclear:
        reason, hint = unclear.reason, unclear.hint
    except (ValueError, OverflowError):
        pass
    else:
        values[name] = str(moment)
        return moment
    request.parameters.add_fault("invalid_filter", name, reason, f"{hint}; got '{echo(text)}'")
    return None


def _fields(request: EndpointRequest, values: dict[str, str]) -> Iterable[Condition]:
    """Raises: ApiError: the key may not read contacts, whose values could be guessed."""
    text = request.parameters.filter_value("fields")
    if text is None:
        return
    _demand(request, "contacts:read")
    conditions = [(part, FieldFilter.parse(part)) for part in text.split("&")]
    values["fields"] = "&".join(sorted(part for part, _ in conditions))
    if len(conditions) > MOST_VALUES:
        hint = f"it takes {MOST_VALUES} conditions; got {len(conditions)}"
        _refuse(request, "fields", "too_long", hint, "invalid_parameter")
        return
    for part, condition in conditions:
        if condition is None:
            hint = "it takes conditions such as plan=gold,silver or seats>10, with & between"
            _refuse(request, "fields", "malformed", f"{hint}; got '{echo(part)}'")
        elif (found := field_condition(request, "fields", condition)) is not None:
            yield found


def field_condition(request: EndpointRequest, name: str, condition: FieldFilter) -> HasField | None:
    """Return the condition of a field in a parameter; None after a fault."""
    key, sign, several, negated = condition
    if len(several) > MOST_VALUES or max(map(len, (key, *several))) > MOST_FIELD_CHARACTERS:
        hint = f"a field takes {MOST_VALUES} values of {MOST_FIELD_CHARACTERS} characters"
        _refuse(request, name, "too_long", hint, "invalid_parameter")
        return None
    if not conversations.is_field(*request.account, key):
        _refuse(request, name, "unknown_value", f"no contact has a field '{echo(key)}'")
        return None
    if not sign:
        return HasField(key, None, False, negated)
    if sign in ("=", "!="):
        tests = [custom_fields.equal_to(value) for value in several]
        wanted = custom_fields.EntryTest(
            tuple(dict.fromkeys(entry for test in tests for entry in test.equal)),
            tuple(entry for test in tests for entry in test.ranges),
        )
        return HasField(key, wanted, sign == "!=", negated)
    compared = custom_fields.compared(sign, several[0]) if len(several) == 1 else None
    if compared is None:
        hint = f"{sign} takes one number or day such as 2026-11-01"
        _refuse(request, name, "malformed", f"{hint}; got '{echo(','.join(several))}'")
        return None
    return HasField(key, compared, False, negated)


def _refuse(
    request: EndpointRequest, name: str, reason: str, hint: str, code: str = "invalid_filter"
) -> None:
    if not request.parameters.faulty(name):
        request.parameters.add_fault(code, name, reason, hint)
