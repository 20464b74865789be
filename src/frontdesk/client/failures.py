"""Converts HTTP error responses to the exceptions of `frontdesk.errors`."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from frontdesk.client.member_paths import choices, values_at
from frontdesk.client.response import Response, clean_json, parse_json
from frontdesk.client.throttle import retry_wait
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
    ServerFailed,
    Unauthorised,
    Unreachable,
)
from frontdesk.text.clean import clean, one_line

TRY_AGAIN = (429, 502, 503, 504)

_NO_SUCH_PATH = ("route_not_found", "not_implemented", "method_not_allowed")
_CODES = choices("code", "error.code", "errors.0.code", "error")
_SENTENCES = choices(
    "detail",
    "title",
    "error.detail",
    "error.message",
    "errors.0.detail",
    "errors.0.title",
    "errors.0.message",
    "message",
    "error_description",
    "error",
    "errors.0",
)
# Codes that contain one of these refer to the cursor.
_CURSOR_WORDS = ("cursor", "page_token", "pagination", "starting_after")
# What stands for a parameter where people type; "" for what they choose otherwise.
_TYPED: Mapping[str, str] = MappingProxyType(
    {
        **{"ads": "ad", "without_ads": "-ad", "authors": "by", "without_authors": "-by"},
        **{"fields": "field", "clock": ""},
    }
)
_LONGEST_SENTENCE = 300
_LONGEST_PROBLEM = 64 * 1024
_LONGEST_CODE = 64


class RejectedRequest(Exception):
    """A response with another status than the expected ones."""

    def __init__(self, trouble: "ErrorResponse", error: InboxError) -> None:
        super().__init__(str(error))
        self.trouble = trouble
        self.error = error

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server says to try again; None if it does not."""
        return self.error.retry_after if isinstance(self.error, Unreachable) else None


@dataclass(frozen=True)
class ErrorResponse:
    """Parsed error response.

    code: the stable code of the error, or http_<status>. sentence: for the user, or empty.
    reference: the request id in parentheses, or empty. scope: the scope that the key lacks.
    key_scopes: the scopes that it has.
    """

    status: int
    code: str
    sentence: str
    reference: str
    scope: str | None = None
    key_scopes: tuple[str, ...] | None = None

    @property
    def unnamed(self) -> bool:
        """True if the server sends no error code of its own."""
        return self.code.startswith("http_")

    @property
    def no_such_path(self) -> bool:
        """True if the path is unknown, as opposed to a row that does not exist."""
        return self.status in (405, 501) or self.code in _NO_SUCH_PATH

    @property
    def blames_cursor(self) -> bool:
        """True if the cursor may be invalid; meaningful only for a request that had one."""
        if self.status not in (400, 410, 422):
            return False
        return self.unnamed or any(word in self.code for word in _CURSOR_WORDS)


def trouble_of(answer: Response) -> ErrorResponse:
    """Parse an error response of any known structure."""
    problem = _problem(answer.body)
    scope = problem.get("required_scope")
    scopes = problem.get("key_scopes")
    return ErrorResponse(
        answer.status,
        _code(problem, answer.status),
        _sentence(problem),
        _reference(problem, answer.headers),
        one_line(scope) if isinstance(scope, str) else None,
        tuple(one_line(str(name)) for name in scopes) if isinstance(scopes, list) else None,
    )


def failure(answer: Response, trouble: ErrorResponse, now: datetime) -> InboxError:
    """Exception for an error response."""
    status, sentence = answer.status, trouble.sentence
    if status in TRY_AGAIN:
        wait = retry_wait(answer.headers, now)
        return Unreachable(sentence or _title(status), retry_after=wait)
    if status == 401:
        return Unauthorised(sentence or "The server refuses the key")
    if status == 403:
        return Forbidden(sentence or "The key may not read this", scope=trouble.scope)
    if trouble.no_such_path:
        return NotOffered(sentence or "The server does not offer this")
    if status == 404:
        return NotFound(sentence or "The server does not have this")
    if 400 <= status < 500:
        kind = CursorRefused if trouble.blames_cursor and not trouble.unnamed else Refused
        return kind(sentence or _title(status), code=trouble.code)
    if 300 <= status < 400:
        return BadResponse(
            f"The server sends the client {_elsewhere(answer)}: it does not go there"
        )
    return ServerFailed(f"{sentence or _title(status)}{trouble.reference}")


def _problem(body: bytes) -> Mapping[str, Any]:
    """The error body as a JSON object, cleaned; empty if it is not one, or larger than 64 KiB."""
    if len(body) > _LONGEST_PROBLEM:
        return {}
    try:
        problem = parse_json(clean_json(body))
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _code(problem: Mapping[str, Any], status: int) -> str:
    """The code, else the last segment of the problem's `type`, else http_<status>."""
    for _, code in values_at(problem, _CODES):
        if isinstance(code, str) and _is_word(code):
            return code
    kind = problem.get("type")
    last = kind.rstrip("/").rpartition("/")[2] if isinstance(kind, str) else ""
    return last if _is_word(last) and last != "about:blank" else f"http_{status}"


def _is_word(code: str) -> bool:
    printable = code.isascii() and code.isprintable() and " " not in code
    return printable and 0 < len(code) <= _LONGEST_CODE


def _sentence(problem: Mapping[str, Any]) -> str:
    """Text of the error for the user."""
    for _, text in values_at(problem, _SENTENCES):
        if isinstance(text, str) and text.strip():
            return _as_typed(one_line(text)[:_LONGEST_SENTENCE])
    return ""


def _as_typed(sentence: str) -> str:
    """A sentence on a parameter, beginning with what the user has typed for it."""
    name, colon, rest = sentence.partition(": ")
    # On what is looked for there may be whole sentences, which name it.
    if name in ("q", "query") and rest[:1].isupper():
        return rest
    if not colon or name not in _TYPED:
        return sentence
    typed = _TYPED[name]
    return f"{typed}: {rest}" if typed else f"{rest[:1].upper()}{rest[1:]}"


def _reference(problem: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """Request id, with which the server's operator finds the failure in the logs."""
    id = problem.get("request_id") or headers.get("x-request-id")
    printable = isinstance(id, str) and id.isascii() and id.isprintable() and len(id) <= 64
    return f" (request {id})" if printable else ""


def _elsewhere(answer: Response) -> str:
    """Scheme and host of a redirect's target."""
    try:
        parts = urlsplit(clean(answer.headers.get("location", "")))
        host = parts.hostname
    except ValueError:
        host = None
    return f"to {parts.scheme}://{host}"[:100] if host else "elsewhere"


def _title(status: int) -> str:
    try:
        return f"The server answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"The server answered {status}"
