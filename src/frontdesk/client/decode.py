"""Parses JSON bodies into wire models; those not in the form of `/v1` by `other_rows`.

The wire models have defaults for missing members, so a body with other member names may validate
and lose data. A server writes all rows of a list in the same way: the first row is checked in full,
and of each nested object the first that is not null; in the other rows the number of members and
the enumerated words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from pydantic_core import ValidationError, from_json

from frontdesk.client import member_values as readers
from frontdesk.client.envelopes import NextPage, list_in, next_of
from frontdesk.client.other_rows import Remark, in_snake_case, read_row, value_reader
from frontdesk.client.response import Response, TruncatedResponse, UnknownStructure, clean_json
from frontdesk.errors import BadResponse, NotFound
from frontdesk.wire import Contact, Message, Page, PartialPage, Wire
from frontdesk.wire.base import is_promised, nested_model
from frontdesk.wire.values import AUTHORS, DELIVERY_STEPS, DIRECTIONS, STATUSES

W = TypeVar("W", bound=Wire)

LONGEST_TEXT = 65_536

_MARK = b"\xef\xbb\xbf"
_LONGEST_NAMES = 120


def page_of(
    answer: Response, row: type[W], remark: Remark, *, sent_cursor: str | None = None
) -> Page[W]:
    """Parse a page; a PartialPage if rows were dropped. `sent_cursor`: the cursor of the request.

    `remark` is called with a sentence on each deviation from `/v1`.

    Raises: BadResponse: the body is not JSON, not a page, or none of its rows can be read.
    """
    body = _cleaned(answer)
    try:
        page: Page[W] | None = _page_model(row).model_validate_json(body)
    except ValidationError:
        page = None
    if page is None or not _is_own_page(page):
        page = _other_page(answer, _parsed(answer, body), row, remark, sent_cursor)
    return _shortened(page) if len(body) > LONGEST_TEXT and row is Message else page


def value_of(answer: Response, model: type[W], remark: Remark) -> W:
    """Parse a single value.

    Raises: BadResponse: the body is not JSON, or has another structure. NotFound: it is empty.
    """
    body = _cleaned(answer)
    try:
        value = model.model_validate_json(body)
        if _is_own_value(value):
            return value
    except ValidationError:
        pass
    return _other_value(answer, _parsed(answer, body), model, remark)


def _other_page(
    answer: Response, body: Any, row: type[W], remark: Remark, sent_cursor: str | None
) -> Page[W]:
    """A page of another server."""
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


def _other_value(answer: Response, body: Any, model: type[W], remark: Remark) -> W:
    """A single value of another server, bare, under a name or as the one row of a list."""
    where = list_in(in_snake_case(body), model) if model is Contact else None
    if where is not None and not (isinstance(body, dict) and "id" in body):
        remark(f"{model.__name__}: a list comes in the place of the one")
        if not where[1]:
            raise NotFound("The server does not have this")
        body = where[1][0]
    try:
        return read_row(body, model, remark)[0]
    except ValueError as error:
        raise _unreadable(answer, answer.body) from error


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


def _cleaned(answer: Response) -> bytes:
    try:
        return clean_json(answer.body.removeprefix(_MARK))
    except ValueError as error:
        raise _unreadable(answer, answer.body) from error


def _parsed(answer: Response, body: bytes) -> Any:
    try:
        return from_json(body)
    except ValueError as error:
        raise _unreadable(answer, body, ended=str(error).startswith("EOF")) from error


def _unreadable(answer: Response, body: bytes, *, ended: bool = False) -> BadResponse:
    """Exception for an unreadable body; its message never quotes the body."""
    html = "html" in answer.headers.get("content-type", "").lower()
    if html or body.lstrip()[:1] == b"<":
        return BadResponse("The server answered with a web page: is the address right?")
    if ended and body:
        return TruncatedResponse("The server's answer was cut short")
    return UnknownStructure("The server's answer cannot be read")


def _shortened(page: Page[W]) -> Page[W]:
    """Truncate message texts to `LONGEST_TEXT`."""
    rows = [
        row.model_copy(update={"text": row.text[:LONGEST_TEXT]})
        if isinstance(row, Message) and row.text and len(row.text) > LONGEST_TEXT
        else row
        for row in page.data
    ]
    return page.model_copy(update={"data": tuple(rows)})


def _page_model(row: Any) -> type[Page[Any]]:
    return Page[row]


def _partial_model(row: Any) -> type[PartialPage[Any]]:
    return PartialPage[row]


def _is_time(text: str) -> bool:
    return len(text) == 24 and text[10] == "T" and text[19] == "." and text[23] == "Z"


def _stays(read: Callable[[Any], Any], *words: str) -> Callable[[Any], bool]:
    """A check that a reader returns a text as it is, as it does with these words."""

    def check(text: Any) -> bool:
        try:
            return text in words or bool(read(text) == text)
        except ValueError:
            return False

    return check


_Check = Callable[[Any], bool]
_WORDS: Mapping[Any, _Check] = {
    readers.author: _stays(readers.author, *AUTHORS),
    readers.delivery: _stays(readers.delivery, *DELIVERY_STEPS),
    readers.direction: lambda text: text in DIRECTIONS,
    readers.status: _stays(readers.status, *STATUSES),
}
_FORMATS: Mapping[Any, _Check] = {
    **_WORDS,
    readers.color: _stays(readers.color),
    readers.moment: _is_time,
    readers.phone: lambda text: text[:1] == "+" and text[1:].isdecimal(),
}


@dataclass(frozen=True)
class _Form:
    """What `/v1` says of a model: the members of every row, their formats, nested objects."""

    promised: frozenset[str]
    formats: tuple[tuple[str, _Check], ...]
    words: tuple[tuple[Callable[[Any], Any], _Check], ...]
    nested: tuple[Callable[[Any], Any], ...]


@cache
def _form(model: type[Wire]) -> _Form:
    members = model.model_fields
    read = {name: value_reader(model, name) for name in members}
    return _Form(
        frozenset(name for name, info in members.items() if is_promised(info)),
        tuple((name, _FORMATS[read[name]]) for name in members if read[name] in _FORMATS),
        tuple((itemgetter(name), _WORDS[read[name]]) for name in members if read[name] in _WORDS),
        tuple(itemgetter(name) for name, info in members.items() if nested_model(info.annotation)),
    )


def _is_own_page(page: Page[Any]) -> bool:
    """True if a page has all members of `/v1` in its formats, as far as samples show."""
    if len(page.model_fields_set) < len(Page.model_fields):
        return False
    if not page.data:
        return True
    first: Wire = page.data[0]
    form = _form(type(first))
    if min(map(len, map(attrgetter("model_fields_set"), page.data))) < len(form.promised):
        return False
    # Plain dictionaries are faster than attributes; this runs for every page.
    members = [row.__dict__ for row in page.data]
    for word_of, is_own in form.words:
        if not all(map(is_own, filter(None, set(map(word_of, members))))):
            return False
    return _is_well_formed(first, form) and all(
        _is_own_part(next(filter(None, map(part_of, members)), None)) for part_of in form.nested
    )


def _is_own_value(value: Wire) -> bool:
    """`_is_own_page` for one value."""
    form = _form(type(value))
    return _is_well_formed(value, form) and all(
        _is_own_part(part_of(value.__dict__)) for part_of in form.nested
    )


def _is_well_formed(value: Wire, form: _Form) -> bool:
    if not form.promised <= value.model_fields_set:
        return False
    members = value.__dict__
    for name, is_own in form.formats:
        member = members[name]
        if member is not None and not is_own(member):
            return False
    return True


def _is_own_part(part: Any) -> bool:
    """Check a nested object, or the first of several; True if there is none."""
    if not part:
        return True
    if isinstance(part, tuple):
        part = part[0]
    elif isinstance(part, dict):
        part = next(iter(part.values()))
    return _is_own_value(part)
