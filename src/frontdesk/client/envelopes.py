"""Where a body keeps its list, its one value and the way to the next page (contract 4.1)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from frontdesk.client.members import ABSENT, at, found
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

_BESIDE = ("meta", "links", "included", "errors")
_NEXT_LINK = re.compile(r'<([^<>]*)>[^,<]*;\s*rel="?next"?')


@dataclass(frozen=True)
class Next:
    """The way to the next page. spot: where it stood; more: what the server says of more rows."""

    cursor: str | None = None
    spot: str = ""
    more: bool | None = None


def list_in(body: Any, row: type[Wire]) -> tuple[str, list[Any]] | None:
    """The list of a body and where it stood; None if there is none."""
    if isinstance(body, list):
        return "", body
    if not isinstance(body, dict):
        return None
    for name in (*LISTS, *RESOURCES.get(row, ())):
        inner = body.get(name)
        if isinstance(inner, list):
            return name, inner
        within = list_in(inner, row) if isinstance(inner, dict) else None
        if within is not None:
            return f"{name}.{within[0]}", within[1]
    lists = [(name, member) for name, member in body.items() if isinstance(member, list)]
    return lists[0] if len(lists) == 1 else None


def single_in(body: Any, model: type[Wire]) -> Any:
    """The one value of a body, unwrapped; a list that stands for it comes back as it is."""
    if isinstance(body, dict):
        for name in (*SINGLES, *RESOURCES.get(model, ())):
            inner = body.get(name)
            if isinstance(inner, dict | list) and "id" not in body and _wraps(body, name):
                return inner
    return body


def _wraps(body: Mapping[str, Any], name: str) -> bool:
    """Beside the value stands nothing that could be a part of it."""
    return all(
        other in (name, *_BESIDE) or not isinstance(member, dict | list)
        for other, member in body.items()
    )


def next_of(body: Any, headers: Mapping[str, str], asked: str | None) -> Next:
    """The way on from a page that was asked for with a cursor. Addresses are never opened."""
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
