"""Parses JSON bodies into wire models; falls back to normalisation for deviating servers.

Models have defaults for missing members, so a body with other member names may validate and lose
data. Pages that follow the `/v1` schema exactly are detected by sampling. A server writes all rows
of a list in the same way: the first row is checked in full, and of each nested object the first
that is not null. In the other rows only the number of members and the enumerated words are checked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

from pydantic_core import ValidationError, from_json

from frontdesk.client.compat import values as readers
from frontdesk.client.compat.envelopes import NextPage, list_in, next_of, normalise_names, single_in
from frontdesk.client.compat.reports import counts_in, report_in
from frontdesk.client.compat.rows import LONGEST_TEXT, fields_of, rows_in
from frontdesk.client.compat.values import Reader
from frontdesk.client.response import Response, TruncatedResponse, UnknownStructure, clean_json
from frontdesk.errors import BadResponse, NotFound
from frontdesk.wire import (
    Contact,
    Counts,
    Message,
    Page,
    PartialPage,
    Wire,
)
from frontdesk.wire.base import may_be_absent, nested_model
from frontdesk.wire.reports import Report
from frontdesk.wire.values import AUTHORS, DELIVERY_STEPS, DIRECTIONS, STATUSES

W = TypeVar("W", bound=Wire)
Remark = Callable[[str], None]

_MARK = b"\xef\xbb\xbf"
_ENVELOPE_LEVELS = 4
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
        page: Page[W] = _page_model(row).model_validate_json(body)
    except ValidationError:
        page = _translated(answer, _parsed(answer, body), row, remark, sent_cursor)
    else:
        if not _is_canonical(page):
            page = _translated(answer, _parsed(answer, body), row, remark, sent_cursor)
    return _shortened(page) if len(body) > LONGEST_TEXT and row is Message else page


def value_of(answer: Response, model: type[W], remark: Remark) -> W:
    """Parse a single value.

    Raises: BadResponse: the body is not JSON, or has another structure. NotFound: it is empty.
    """
    body = _cleaned(answer)
    try:
        value = model.model_validate_json(body)
        if _is_canonical_value(value):
            return value
    except ValidationError:
        pass
    return _translated_value(answer, _parsed(answer, body), model, remark)


def _translated(
    answer: Response, body: Any, row: type[W], remark: Remark, sent_cursor: str | None
) -> Page[W]:
    """Normalise a page of a deviating server."""
    members = normalise_names(body, _ENVELOPE_LEVELS) if isinstance(body, dict) else body
    where = list_in(members, row)
    if where is None:
        raise UnknownStructure(_unrecognised(body))
    path, candidates = where
    way = next_of(members, answer.headers, sent_cursor, path)
    _remark_on_envelope(path, way, bool(candidates), remark)
    rows, unreadable = [], 0
    for candidate in candidates:
        values = _rows(candidate, row, remark)
        rows += values
        unreadable += not values
    if unreadable and not rows:
        raise UnknownStructure(_without_rows(candidates, row))
    more = way.cursor is not None or way.more is True
    if unreadable:
        return _partial_model(row)(
            data=tuple(rows), next_cursor=way.cursor, has_more=more, unreadable=unreadable
        )
    return _page_model(row)(data=tuple(rows), next_cursor=way.cursor, has_more=more)


def _translated_value(answer: Response, body: Any, model: type[W], remark: Remark) -> W:
    value = single_in(normalise_names(body, 1), model)
    if isinstance(value, list) and model not in (Counts, Report):
        remark(f"{model.__name__}: a list comes in the place of the one")
        if not value and model is Contact:
            raise NotFound("The server does not have this")
        value = value[0] if value else None
    if model is Counts:
        value = counts_in(value, remark)
    elif model is Report:
        value = report_in(value, remark)
    else:
        value = next(iter(_rows(value, model, remark)), None)
    if isinstance(value, model):
        return value
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _unreadable(answer, answer.body) from error


def _rows(candidate: Any, row: type[W], remark: Remark) -> list[W]:
    """Models of one element of the list, which may yield several; empty if it is unreadable."""
    values = (_checked(members, row) for members in rows_in(candidate, row, remark))
    return [value for value in values if value is not None]


def _checked(members: dict[str, Any], row: type[W]) -> W | None:
    """Validate a row; invalid members are dropped if they are optional."""
    try:
        return row.model_validate(members)
    except ValidationError as error:
        wrong = {place["loc"][0] for place in error.errors(include_url=False)}
    try:
        return row.model_validate(
            {name: member for name, member in members.items() if name not in wrong}
        )
    except ValidationError:
        return None


def _remark_on_envelope(path: str, way: NextPage, filled: bool, remark: Remark) -> None:
    if path != "data":
        remark(f"Lists are in {path}" if path else "Lists come without an envelope")
    if way.cursor and way.path != "next_cursor":
        remark(f"The next cursor is in {way.path}")
    if filled and way.more is True and not way.cursor:
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


@dataclass(frozen=True)
class _ModelChecks:
    """Checks of a model: required members, members with a format, nested objects.

    words: those of the formatted members whose value is an enumerated word.
    """

    expected: frozenset[str]
    formed: tuple[tuple[str, Callable[[Any], bool]], ...]
    words: tuple[tuple[Callable[[Any], Any], Callable[[Any], bool]], ...]
    parts: tuple[Callable[[Any], Any], ...]


def _is_canonical(page: Page[Any]) -> bool:
    """True if all checked members of the page are present and formatted as in `/v1`."""
    rows = page.data
    if len(page.model_fields_set) < len(Page.model_fields):
        return False
    if not rows:
        return True
    first: Wire = rows[0]
    marks = _marks(type(first))
    if min(map(len, map(attrgetter("model_fields_set"), rows))) < len(marks.expected):
        return False
    # Plain dictionaries are faster than attributes; this runs for every page.
    members = [row.__dict__ for row in rows]
    for member_of, in_form in marks.words:
        if not all(map(in_form, filter(None, set(map(member_of, members))))):
            return False
    return _is_well_formed(first, marks) and all(
        _is_part_well_formed(next(filter(None, map(part_of, members)), None))
        for part_of in marks.parts
    )


def _is_canonical_value(value: Wire) -> bool:
    """`_is_canonical` for one value."""
    marks = _marks(type(value))
    return _is_well_formed(value, marks) and all(
        _is_part_well_formed(part_of(value.__dict__)) for part_of in marks.parts
    )


def _is_well_formed(value: Wire, marks: _ModelChecks) -> bool:
    if not marks.expected <= value.model_fields_set:
        return False
    for name, in_form in marks.formed:
        member = getattr(value, name)
        if member is not None and not in_form(member):
            return False
    return True


def _is_part_well_formed(part: Any) -> bool:
    """Check a nested object, or the first of several; True if there is none."""
    if isinstance(part, Mapping | tuple):
        part = next(iter(part.values() if isinstance(part, Mapping) else part), None)
    return not isinstance(part, Wire) or _is_canonical_value(part)


def _is_time(text: str) -> bool:
    return len(text) == 24 and text[10] == "T" and text[19] == "." and text[23] == "Z"


def _kept_by(read: Reader, *words: str) -> Callable[[Any], bool]:
    """A check that a reader returns a text unchanged, as it does with these words."""
    return lambda text: text in words or bool(read(text) == text)


_CANONICAL_WORDS = (readers.author, readers.delivery, readers.direction, readers.status)

_FORMS: Mapping[Reader, Callable[[Any], bool]] = {
    readers.time: _is_time,
    readers.phone: lambda text: text[:1] == "+" and text[1:].isdecimal(),
    readers.direction: lambda text: text in DIRECTIONS,
    readers.author: _kept_by(readers.author, *AUTHORS),
    readers.color: _kept_by(readers.color),
    readers.status: _kept_by(readers.status, *STATUSES),
    readers.delivery: _kept_by(readers.delivery, *DELIVERY_STEPS),
}


@cache
def _marks(model: type[Wire]) -> _ModelChecks:
    fields = fields_of(model)
    return _ModelChecks(
        frozenset(name for name, info in model.model_fields.items() if not may_be_absent(info)),
        tuple((field.name, _FORMS[field.read]) for field in fields if field.read in _FORMS),
        tuple(
            (itemgetter(field.name), _FORMS[field.read])
            for field in fields
            if field.read in _CANONICAL_WORDS
        ),
        tuple(
            itemgetter(name)
            for name, info in model.model_fields.items()
            if nested_model(info.annotation)
        ),
    )
