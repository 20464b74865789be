"""Locates the list and the next cursor in the answers of other servers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import AliasChoices

from frontdesk.client.aliases import RESOURCES
from frontdesk.client.member_paths import choices, values_at
from frontdesk.client.member_values import LISTS
from frontdesk.wire import Wire

_CURSORS = choices(
    "next_cursor",
    "meta.next_cursor",
    "pagination.next_cursor",
    "page_info.end_cursor",
    "response_metadata.next_cursor",
    "meta.pagination.next_cursor",
    "next_page_token",
    "paging.cursors.after",
    "pages.next.starting_after",
    "pagination.cursor",
    "next",
    "links.next",
    "_links.next.href",
)
_MORE = choices(
    "has_more",
    "meta.has_more",
    "pagination.has_more",
    "page_info.has_next_page",
    "meta.pagination.has_more",
    "has_next_page",
    "more",
)
# Query parameters that hold the cursor in an address.
_PARAMETERS = ("cursor", "after", "page[after]", "page[cursor]", "page_token", "starting_after")
_HEADER = "x-next-cursor"
_NEXT_LINK = re.compile(r'<([^<>]*)>[^,<]*;\s*rel="?next"?')
_LONGEST_CURSOR = 4096


@dataclass(frozen=True)
class NextPage:
    """Pagination state: cursor, where it was found, and whether the server says there is more."""

    cursor: str | None = None
    path: str = ""
    more: bool | None = None


def list_in(body: Any, row: type[Wire]) -> tuple[str, list[Any]] | None:
    """Path and rows of the list in a body, on top or in one object; None if there is none.

    `body` has its names in snake case.
    """
    if isinstance(body, list):
        return "", body
    found = values_at(body, _list_paths(row))
    return next(((path, rows) for path, rows in found if isinstance(rows, list)), None)


@cache
def _list_paths(row: type[Wire]) -> AliasChoices:
    names = (*LISTS, *RESOURCES.get(row, ()))
    return choices(*names, *(f"{outer}.{inner}" for outer in names for inner in names))


def next_of(
    body: Any, headers: Mapping[str, str], sent_cursor: str | None, list_path: str
) -> NextPage:
    """The cursor of the next page, from body or headers; addresses are parsed, never requested.

    sent_cursor: that of this request. list_path: where the list is; its object may have the cursor.
    """
    outer, _, inner = list_path.partition(".")
    envelopes = [("", body), (f"{outer}.", body.get(outer))] if inner else [("", body)]
    found = [
        (f"{prefix}{path}", _cursor(value))
        for prefix, envelope in envelopes
        for path, value in values_at(envelope, _CURSORS)
    ]
    flags = [value for _, envelope in envelopes for _, value in values_at(envelope, _MORE)]
    more = next((flag for flag in flags if isinstance(flag, bool)), None)
    if more is False or _is_last_of_graph(body):
        return NextPage(more=False)
    link = _NEXT_LINK.search(headers.get("link", ""))
    found += [
        ("the header Link", _cursor(link[1]) if link else None),
        (f"the header {_HEADER}", _cursor(headers.get(_HEADER))),
    ]
    # A server may repeat the cursor of the request under its name.
    found += [
        ("cursor", cursor)
        for _, value in values_at(body, choices("cursor"))
        if (cursor := _cursor(value)) != sent_cursor
    ]
    path, cursor = next(((path, cursor) for path, cursor in found if cursor), ("", None))
    return NextPage(cursor, path, more)


def _is_last_of_graph(body: Any) -> bool:
    """True for cursors of Meta's form without an address of a next page."""
    paging = body.get("paging") if isinstance(body, dict) else None
    return isinstance(paging, dict) and "cursors" in paging and not paging.get("next")


def _cursor(value: Any) -> str | None:
    """A cursor as text; of an address, the query parameter that holds it."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**30:
        value = str(value)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_CURSOR:
        return None
    if "://" not in value and not value.startswith(("/", "?")):
        return value
    try:
        query = dict(parse_qsl(urlsplit(value).query))
    except ValueError:
        return None
    return next((query[name] for name in _PARAMETERS if query.get(name)), None)
