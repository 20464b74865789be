"""Where a body keeps its list, its one value and the way to the next page (contract 4.1)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from frontdesk.client.members import ABSENT, at, found, spelt
from frontdesk.client.tolerance import (
    CURSOR_HEADER,
    CURSOR_PARAMETERS,
    CURSORS,
    LISTS,
    MORE,
    RESOURCES,
    SINGLES,
)
from frontdesk.wire import Wire

LONGEST_CURSOR = 4096

_BESIDE = ("meta", "links", "included", "error", "errors", "pagination", "paging", "page_info")
# Envelopes within envelopes are opened so far.
_DEEPEST = 3
_NEXT_LINK = re.compile(r'<([^<>]*)>[^,<]*;\s*rel="?next"?')


@dataclass(frozen=True)
class Next:
    """The way to the next page. spot: where it stood; more: what the server says of more rows."""

    cursor: str | None = None
    spot: str = ""
    more: bool | None = None


def list_in(body: Any, row: type[Wire], depth: int = 0) -> tuple[str, list[Any]] | None:
    """The list of a body and where it stood; None if there is none."""
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


def _is_likely(spot: str, rows: list[Any], row: type[Wire]) -> bool:
    """A list that stands in an unknown place is one of rows: by its name, or for what is in it."""
    name = spot.rpartition(".")[2]
    return name in (*LISTS, *RESOURCES.get(row, ())) or any(isinstance(one, dict) for one in rows)


def _list_at(
    body: Mapping[str, Any], name: str, row: type[Wire], depth: int
) -> tuple[str, list[Any]] | None:
    """The list that is a member of a body, or stands within it."""
    inner = body.get(name)
    within = list_in(inner, row, depth + 1)
    if within is None:
        return None
    return (name if isinstance(inner, list) else f"{name}.{within[0]}"), within[1]


def single_in(body: Any, model: type[Wire]) -> Any:
    """The one value of a body, unwrapped; a list that stands for it comes back as it is."""
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
        body = spelt(body[name])
    return body


def _wraps(body: Mapping[str, Any], name: str) -> bool:
    """Beside the value stands nothing that could be a part of it."""
    return all(
        other in (name, *_BESIDE) or not isinstance(member, dict | list)
        for other, member in body.items()
    )


def next_of(body: Any, headers: Mapping[str, str], asked: str | None, list_spot: str = "") -> Next:
    """The way on from a page that was asked for with a cursor. Addresses are never opened.

    list_spot: where the list stands, for the way on may stand beside it.
    """
    way = _next_in(body, headers, asked)
    wrappers = list_spot.split(".")[:-1]
    for depth in range(1, len(wrappers) + 1):
        if way.cursor is not None or way.more is False:
            break
        spot = ".".join(wrappers[:depth])
        inner = _next_in(at(body, spot), {}, asked)
        if inner.cursor is not None or inner.more is not None:
            way = Next(inner.cursor, f"{spot}.{inner.spot}" if inner.spot else "", inner.more)
    return way


def _next_in(body: Any, headers: Mapping[str, str], asked: str | None) -> Next:
    """The way on that an object, or the headers, tell."""
    more = next((flag for _, flag in found(body, MORE) if isinstance(flag, bool)), None)
    if more is False:
        return Next(more=False)
    for spot, condition in CURSORS:
        if condition is not None and at(body, condition) in (ABSENT, None, False, ""):
            continue
        cursor = _cursor(at(body, spot))
        if cursor:
            return Next(cursor, spot, more)
    return _beside(body, headers, asked, more)


def _beside(body: Any, headers: Mapping[str, str], asked: str | None, more: bool | None) -> Next:
    """A way on that stands in a header, or under the name of the parameter."""
    link = _NEXT_LINK.search(headers.get("link", ""))
    cursor = _cursor(link[1]) if link else None
    if cursor:
        return Next(cursor, "the header Link", more)
    cursor = _cursor(headers.get(CURSOR_HEADER))
    if cursor:
        return Next(cursor, f"the header {CURSOR_HEADER}", more)
    same = _cursor(at(body, "cursor"))
    if same and same != asked:
        return Next(same, "cursor", more)
    return Next(more=more)


def _cursor(value: Any) -> str | None:
    """A cursor as text; of an address, the parameter that holds it."""
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
