"""Locates the list, the single value and the next cursor in response bodies of other servers.

Members are accessed by path, with names normalised to snake case.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from frontdesk.client.compat.aliases import (
    CURSOR_HEADER,
    CURSOR_PARAMETERS,
    CURSORS,
    LISTS,
    MORE,
    RESOURCES,
    SINGLES,
)
from frontdesk.wire import Wire


class Absent(Enum):
    """Type of the sentinel that distinguishes a missing member from null."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT

_MOST_WRAPPERS = 3

_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def at(value: Any, path: str) -> Any:
    """The value at a path such as "meta.next_cursor" or "errors.0.code"; ABSENT if missing.

    A number indexes a list, also negatively.
    """
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and value and step.lstrip("-").isdigit():
            value = value[int(step)] if -len(value) <= int(step) < len(value) else ABSENT
        else:
            return ABSENT
    return value


def values_at(value: Any, paths: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Pairs of path and value for the paths that exist, in the given order."""
    for path in paths:
        candidate = at(value, path)
        if candidate is not ABSENT:
            yield path, candidate


def unwrapped(value: Any, names: tuple[str, ...], ids: tuple[str, ...]) -> Any:
    """Merge the members of a nested object into its wrapper, if that has no id.

    `{"user": {"id": 7}, "since": 1}` becomes `{"id": 7, "since": 1}`; `{"user": null}` becomes
    null.
    """
    for _ in range(_MOST_WRAPPERS):
        if not isinstance(value, dict) or any(name in value for name in ids):
            break
        name = next((name for name in names if isinstance(value.get(name), dict)), None)
        if name is not None:
            rest = {other: member for other, member in value.items() if other != name}
            value = {**rest, **normalise_names(value[name])}
        elif len(value) == 1 and next(iter(value)) in names:
            (value,) = value.values()
        else:
            break
    return value


def snake(name: str) -> str:
    """A member name in snake case, from nextCursor, NextCursor or next-cursor."""
    if name.islower() and "-" not in name:
        return name
    return _INNER_CAPITAL.sub("_", name).replace("-", "_").lower()


def normalise_names(value: Any, levels: int = 1) -> Any:
    """Normalise the names of a JSON object to snake case, down to `levels` of nested objects.

    A name that is already in snake case takes precedence over a converted one.
    """
    if not isinstance(value, dict):
        return value
    members = {
        name: normalise_names(member, levels - 1) if levels > 1 else member
        for name, member in value.items()
    }
    other = {snake(name): member for name, member in members.items() if snake(name) != name}
    return {**other, **members} if other else members


LONGEST_CURSOR = 4096

_BESIDE = ("meta", "links", "included", "error", "errors", "pagination", "paging", "page_info")
# Maximum depth of nested envelopes.
_DEEPEST = 3
_NEXT_LINK = re.compile(r'<([^<>]*)>[^,<]*;\s*rel="?next"?')


@dataclass(frozen=True)
class NextPage:
    """Pagination state: cursor, path of the cursor in the body, and the server's has-more flag."""

    cursor: str | None = None
    path: str = ""
    more: bool | None = None


def list_in(body: Any, row: type[Wire], depth: int = 0) -> tuple[str, list[Any]] | None:
    """Path and rows of the list in a body; None if there is none, or if it is ambiguous."""
    if isinstance(body, list):
        return "", body
    if not isinstance(body, dict) or depth > _DEEPEST:
        return None
    for name in (*LISTS, *RESOURCES.get(row, ())):
        within = _list_at(body, name, row, depth)
        if within is not None:
            return within
    lists = [(name, member) for name, member in body.items() if isinstance(member, list)]
    if lists:
        return lists[0] if len(lists) == 1 else None
    inner = (_list_at(body, name, row, depth) for name in body if name not in _BESIDE)
    likely = [each for each in inner if each is not None and _is_likely(*each, row)]
    return likely[0] if len(likely) == 1 else None


def _is_likely(path: str, rows: list[Any], row: type[Wire]) -> bool:
    """True if an unnamed list plausibly holds rows: by its name, or because it contains objects."""
    name = path.rpartition(".")[2]
    return name in (*LISTS, *RESOURCES.get(row, ())) or any(isinstance(row, dict) for row in rows)


def _list_at(
    body: Mapping[str, Any], name: str, row: type[Wire], depth: int
) -> tuple[str, list[Any]] | None:
    """The list that is a member of a body, or nested in it."""
    inner = body.get(name)
    within = list_in(inner, row, depth + 1)
    if within is None:
        return None
    return (name if isinstance(inner, list) else f"{name}.{within[0]}"), within[1]


def single_in(body: Any, model: type[Wire]) -> Any:
    """The single value of a body without its envelopes; a list is returned as it is."""
    for _ in range(_DEEPEST):
        if not isinstance(body, dict) or "id" in body:
            break
        name = next(
            (
                name
                for name in (*SINGLES, *RESOURCES.get(model, ()))
                if isinstance(body.get(name), dict | list) and _wraps(body, name)
            ),
            None,
        )
        if name is None:
            break
        body = normalise_names(body[name])
    return body


def _wraps(body: Mapping[str, Any], name: str) -> bool:
    """True if the members beside the value are scalars or metadata."""
    return all(
        other in (name, *_BESIDE) or not isinstance(member, dict | list)
        for other, member in body.items()
    )


def next_of(
    body: Any, headers: Mapping[str, str], sent_cursor: str | None, list_spot: str = ""
) -> NextPage:
    """The cursor of the next page, from body or headers; URLs are parsed, never requested.

    sent_cursor: that of this request. list_spot: path of the list, whose envelopes are searched
    too.
    """
    way = _next_in(body, headers, sent_cursor)
    wrappers = list_spot.split(".")[:-1]
    for depth in range(1, len(wrappers) + 1):
        if way.cursor is not None or way.more is False:
            break
        path = ".".join(wrappers[:depth])
        inner = _next_in(at(body, path), {}, sent_cursor)
        if inner.cursor is not None or inner.more is not None:
            way = NextPage(inner.cursor, f"{path}.{inner.path}" if inner.path else "", inner.more)
    return way


def _next_in(body: Any, headers: Mapping[str, str], sent_cursor: str | None) -> NextPage:
    """Pagination state of one object, or of the headers."""
    more = next((flag for _, flag in values_at(body, MORE) if isinstance(flag, bool)), None)
    if more is False:
        return NextPage(more=False)
    for path, condition in CURSORS:
        if condition is not None and at(body, condition) in (ABSENT, None, False, ""):
            continue
        cursor = _cursor(at(body, path))
        if cursor:
            return NextPage(cursor, path, more)
    return _beside(body, headers, sent_cursor, more)


def _beside(
    body: Any, headers: Mapping[str, str], sent_cursor: str | None, more: bool | None
) -> NextPage:
    """Cursor from the Link header, `CURSOR_HEADER`, or a member named like the parameter."""
    link = _NEXT_LINK.search(headers.get("link", ""))
    cursor = _cursor(link[1]) if link else None
    if cursor:
        return NextPage(cursor, "the header Link", more)
    cursor = _cursor(headers.get(CURSOR_HEADER))
    if cursor:
        return NextPage(cursor, f"the header {CURSOR_HEADER}", more)
    same = _cursor(at(body, "cursor"))
    if same and same != sent_cursor:
        return NextPage(same, "cursor", more)
    return NextPage(more=more)


def _cursor(value: Any) -> str | None:
    """A cursor as text; of a URL, the query parameter that holds it."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if abs(value) < 10**30 else ""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_CURSOR:
        return None
    if "://" not in value and not value.startswith(("/", "?")):
        return value
    try:
        query = dict(parse_qsl(urlsplit(value).query))
    except ValueError:
        return None
    return next((query[name] for name in CURSOR_PARAMETERS if query.get(name)), None)
