"""Answers that are not 200, as the errors of frontdesk (contract 2.3)."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from frontdesk.client.answers import Answer
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.text import clean_json, one_line

LONGEST_WAIT_SECONDS = 300.0
TRY_AGAIN = (429, 502, 503, 504)

_CURSOR_CODES = ("invalid_cursor", "cursor_mismatch")
_LONGEST_SENTENCE = 300
_LONGEST_PROBLEM = 64 * 1024


def failure(answer: Answer, now: datetime) -> InboxError:
    """The error that an answer other than 2xx stands for."""
    status = answer.status
    problem = _problem(answer.body)
    said = _sentence(problem)
    if status in TRY_AGAIN:
        wait = retry_after(answer.headers.get("retry-after"), now)
        return Unreachable(said or _title(status), retry_after=wait)
    if status == 401:
        return Unauthorised(said or "The server refuses the key")
    if status == 403:
        scope = problem.get("required_scope")
        return Forbidden(
            said or "The key may not read this", scope=scope if isinstance(scope, str) else None
        )
    if status == 404:
        return NotFound(said or "The server does not have this")
    if 400 <= status < 500:
        return _refusal(problem, said, status)
    if 300 <= status < 400:
        return BadResponse("The server sends the client elsewhere, which it does not follow")
    return BadResponse(f"{said or _title(status)}{_reference(problem, answer.headers)}")


def retry_after(header: str | None, now: datetime) -> float | None:
    """Seconds to wait, 0 to 300; None where the server did not tell in a way that can be read."""
    text = (header or "").strip()
    if text.isdecimal() and text.isascii():
        # More digits than any wait has are as good as for ever.
        return min(float(text[:10]), LONGEST_WAIT_SECONDS)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return min(max((moment - now).total_seconds(), 0.0), LONGEST_WAIT_SECONDS)


def _refusal(problem: Mapping[str, Any], said: str, status: int) -> Refused:
    code = problem.get("code")
    code = code if isinstance(code, str) else f"http_{status}"
    kind = CursorRefused if code in _CURSOR_CODES else Refused
    return kind(said or _title(status), code=code)


def _problem(body: bytes) -> Mapping[str, Any]:
    """The problem document, without hostile characters; empty if the body is none."""
    if len(body) > _LONGEST_PROBLEM:
        return {}
    try:
        problem = json.loads(clean_json(body))
    except (ValueError, RecursionError):
        return {}
    return problem if isinstance(problem, dict) else {}


def _sentence(problem: Mapping[str, Any]) -> str:
    """What the problem says to a person."""
    for member in ("detail", "title"):
        text = problem.get(member)
        if isinstance(text, str) and text.strip():
            return one_line(text)[:_LONGEST_SENTENCE]
    return ""


def _reference(problem: Mapping[str, Any], headers: Mapping[str, str]) -> str:
    """The id under which the operator of the server finds this failure."""
    id = problem.get("request_id") or headers.get("x-request-id")
    printable = isinstance(id, str) and id.isascii() and id.isprintable() and len(id) <= 64
    return f" (request {id})" if printable else ""


def _title(status: int) -> str:
    try:
        return f"The server answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        return f"The server answered {status}"
