"""Pages and values in the answers of other servers, which are not in the form of `/v1`.

Imported when the first of them comes.
"""

from typing import Any, TypeVar

from frontdesk.client.envelopes import NextPage, list_in, next_of
from frontdesk.client.member_values import Remark
from frontdesk.client.other_rows import in_snake_case, read_row
from frontdesk.client.response import Response, UnknownStructure
from frontdesk.errors import NotFound
from frontdesk.wire import Contact, Page, PartialPage, Wire

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
    return _partial_model(row)(**dict(page), unreadable=unreadable) if unreadable else page


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
    where = list_in(in_snake_case(body), model) if model is Contact else None
    if where is not None and not (isinstance(body, dict) and "id" in body):
        remark(f"{model.__name__}: a list comes in the place of the one")
        if not where[1]:
            raise NotFound("The server does not have this")
        body = where[1][0]
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
