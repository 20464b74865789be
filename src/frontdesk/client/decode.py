"""Parses JSON bodies into wire models; those not in the form of `/v1` by `other_answers`.

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
from frontdesk.client.member_values import Remark, value_reader
from frontdesk.client.response import Response, TruncatedResponse, UnknownStructure, clean_json
from frontdesk.errors import BadResponse
from frontdesk.text.limits import TEXT, cut_text
from frontdesk.wire import Conversation, ConversationPage, Message, Page, Wire
from frontdesk.wire.base import is_promised, nested_model
from frontdesk.wire.values import AUTHORS, DELIVERY_STEPS, DIRECTIONS, STATUSES

W = TypeVar("W", bound=Wire)

_MARK = b"\xef\xbb\xbf"


def page_of(
    answer: Response, row: type[W], remark: Remark, *, sent_cursor: str | None = None
) -> Page[W]:
    """Parse a page; a PartialPage if rows were dropped. `sent_cursor`: the cursor of the request.

    `remark` is called with a sentence on each deviation from `/v1`.

    Raises: BadResponse: the body is not JSON, not a page, or none of its rows can be read.
    """
    body = _cleaned(answer)
    model: Any = ConversationPage if row is Conversation else Page[row]  # type: ignore[valid-type]
    try:
        page: Page[W] | None = model.model_validate_json(body)
    except ValidationError:
        page = None
    if page is None or not _is_own_page(page):
        from frontdesk.client.other_answers import other_page

        page = other_page(answer, _parsed(answer, body), row, remark, sent_cursor)
    return _shortened(page) if len(body) > TEXT and row is Message else page


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
    from frontdesk.client.other_answers import other_value

    members = _parsed(answer, body)
    try:
        return other_value(members, model, remark)
    except ValueError as error:
        raise _unreadable(answer, answer.body) from error


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
    """Cut message texts to `TEXT` characters."""
    rows = [
        row.model_copy(update={"text": cut_text(row.text)})
        if isinstance(row, Message) and row.text and len(row.text) > TEXT
        else row
        for row in page.data
    ]
    return page.model_copy(update={"data": tuple(rows)})


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
    if not Page.model_fields.keys() <= page.model_fields_set:
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
