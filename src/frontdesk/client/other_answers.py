"""Pages and values in the answers of other servers, which are not in the form of `/v1`.

Imported when the first of them comes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import AliasChoices

from frontdesk.client.aliases import RESOURCES
from frontdesk.client.member_paths import choices, values_at
from frontdesk.client.member_values import LISTS, Remark
from frontdesk.client.other_rows import in_snake_case, read_row
from frontdesk.client.response import Response, UnknownStructure
from frontdesk.wire import Page, PartialPage, Wire

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


W = TypeVar("W", bound=Wire)

_LONGEST_NAMES = 120


def other_page(
    answer: Response, body: Any, row: type[W], remark: Remark, sent_cursor: str | None
) -> Page[W]:
    """A page of another server. `sent_cursor`: the cursor of the request.

    Raises: UnknownStructure: it is no page, or none of its rows can be read.
    """
    members = _envelope(body)
    where = list_in(members, row)
    if where is None:
        raise UnknownStructure(_unrecognised(body))
    path, candidates = where
    following = next_of(members, answer.headers, sent_cursor, path)
    _remark_on_envelope(path, following, bool(candidates), remark)
    rows: list[W] = []
    unreadable = 0
    for candidate in candidates:
        try:
            rows += read_row(candidate, row, remark)
        except ValueError:
            unreadable += 1
    if unreadable and not rows:
        raise UnknownStructure(_without_rows(candidates, row))
    cursor = following.cursor
    page = _page_model(row)(
        data=tuple(rows),
        next_cursor=cursor,
        has_more=cursor is not None or following.more is True,
    )
    if not unreadable:
        return page
    total = members.get("total", False) if isinstance(members, dict) else False
    told: dict[str, Any] = {"total": total} if total is None or type(total) is int else {}
    return _partial_model(row)(**dict(page), unreadable=unreadable, **told)


def _envelope(body: Any, levels: int = 3) -> Any:
    """A body with the names of its envelopes in snake case."""
    if not isinstance(body, dict) or not levels:
        return body
    members = in_snake_case(body)
    return {name: _envelope(member, levels - 1) for name, member in members.items()}


def other_value(body: Any, model: type[W], remark: Remark) -> W:
    """A single value of another server, bare, under a name or as the one row of a list.

    Raises: ValueError: it cannot be read. NotFound: it is empty.
    """
    return read_row(body, model, remark)[0]


def _remark_on_envelope(path: str, following: NextPage, filled: bool, remark: Remark) -> None:
    if path != "data":
        remark(f"Lists are in {path}" if path else "Lists come without an envelope")
    if following.cursor and following.path != "next_cursor":
        remark(f"The next cursor is in {following.path}")
    if filled and following.more is True and not following.cursor:
        remark("A list has more rows, but no cursor to get them with")


def _unrecognised(body: Any) -> str:
    """Message on the members that were received instead of a list."""
    if not isinstance(body, dict) or not body:
        return "The server's answer is not a list"
    return f"The server's answer has no list in it, only {_names(body)}"


def _without_rows(candidates: list[Any], row: type[Wire]) -> str:
    """Message on the members of the first object that was received instead of rows."""
    first = next((body for body in candidates if isinstance(body, dict) and body), None)
    members = f": they have only {_names(first)}" if first is not None else ""
    return f"The server's {len(candidates)} rows cannot be read as {row.__name__}{members}"


def _names(members: dict[str, Any]) -> str:
    return ", ".join(sorted(str(name) for name in members))[:_LONGEST_NAMES]


def _page_model(row: Any) -> type[Page[Any]]:
    return Page[row]


def _partial_model(row: Any) -> type[PartialPage[Any]]:
    return PartialPage[row]
