"""JSON bodies as wire values. What is not the interface is refused; one bad row loses one row."""

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from frontdesk.client.answers import Answer
from frontdesk.errors import BadResponse
from frontdesk.text import clean_json
from frontdesk.wire import Page, PartialPage, Wire

W = TypeVar("W", bound=Wire)

_MARK = b"\xef\xbb\xbf"


def value_of(answer: Answer, model: type[W]) -> W:
    """One value.

    Raises: BadResponse: the body is not JSON, or not of this shape.
    """
    body = _cleaned(answer)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _unreadable(answer, body) from error


def page_of(answer: Answer, row: type[W]) -> Page[W]:
    """One page; a PartialPage when rows had to be left out.

    Raises: BadResponse: the body is not JSON, not a page, or none of its rows can be read.
    """
    body = _cleaned(answer)
    try:
        return Page[row].model_validate_json(body)  # type: ignore[valid-type]
    except ValidationError as error:
        partial = _salvaged(body, row)
        if partial is None:
            raise _unreadable(answer, body) from error
        return partial


def _cleaned(answer: Answer) -> bytes:
    try:
        return clean_json(answer.body.removeprefix(_MARK))
    except ValueError as error:
        raise _unreadable(answer, answer.body) from error


def _salvaged(body: bytes, row: type[W]) -> Page[W] | None:
    """The rows that can be read, if the body is a page with at least one."""
    try:
        envelope = from_json(body)
    except ValueError:
        return None
    rows = envelope.get("data") if isinstance(envelope, dict) else None
    if not isinstance(rows, list):
        return None
    read = [value for value in (_read(candidate, row) for candidate in rows) if value is not None]
    if not read:
        return None
    members = {name: value for name, value in envelope.items() if name in Page.model_fields}
    try:
        return PartialPage[row].model_validate(  # type: ignore[valid-type]
            {**members, "data": read, "unreadable": len(rows) - len(read)}
        )
    except ValidationError:
        return None


def _read(candidate: Any, row: type[W]) -> W | None:
    try:
        return row.model_validate(candidate)
    except ValidationError:
        return None


def _unreadable(answer: Answer, body: bytes) -> BadResponse:
    """Says what came instead, never quoting it."""
    html = "html" in answer.headers.get("content-type", "").lower()
    if html or body.lstrip()[:1] == b"<":
        return BadResponse("The server answered with a web page: is the address right?")
    return BadResponse("The server's answer cannot be read: is this the address of an inbox?")
