"""Cursors that hold their place themselves, so that any process can go on from them.

A cursor is `mark.skip.before.cursor`: a hash of the call that it is of, so many rows behind a
cursor of the server, and of a thread the milliseconds from which notes were shown.
"""

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from mcp.server.mcpserver.exceptions import ToolError

from frontdesk.exports.brief import short_name
from frontdesk.selection.threads import ThreadPlace

_FORM = re.compile(r"([0-9a-f]{8})\.([0-9]{0,9})\.([0-9]{0,14})\.(.*)", re.ASCII)
_MARK_LENGTH = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def cursor_at(of: str, cursor: str | None, skip: int = 0, before: datetime | None = None) -> str:
    """Write a place. of: the tool and the arguments that it is of."""
    moment = "" if before is None else (before - _EPOCH) // _MILLISECOND
    return f"{_mark(of)}.{skip or ''}.{moment}.{cursor or ''}"


def place_of(text: str, of: str) -> ThreadPlace:
    """Read a place. Raises: ToolError: it is none, or of another call."""
    match = _FORM.fullmatch(text)
    if match is None:
        raise ToolError(f"{short_name(text, 20)!r} is no cursor: begin again without one.")
    mark, skip, before, cursor = match.groups()
    if mark != _mark(of):
        raise ToolError(
            "The cursor is of another call: repeat that with the same arguments, or leave the"
            " cursor out."
        )
    moment = _EPOCH + int(before) * _MILLISECOND if before else None
    return ThreadPlace(cursor or None, int(skip or 0), moment)


def _mark(of: str) -> str:
    return sha256(of.encode()).hexdigest()[:_MARK_LENGTH]
