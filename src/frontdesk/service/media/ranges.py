"""Byte ranges of requests (RFC 9110, section 14), one range at a time."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))")


class NotSatisfiable(Exception):
    """The range begins behind the end of the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes from `start` to before `stop`."""

    start: int
    stop: int

    def content_range(self, size: int) -> str:
        return f"bytes {self.start}-{self.stop - 1}/{size}"


def byte_range(header: str | None, size: int) -> ByteRange | None:
    """The range that a request asks for; None for the whole file.

    Several ranges, other units and malformed ranges are ignored, as the standard allows.

    Raises: NotSatisfiable.
    """
    match = _RANGE.fullmatch((header or "").strip().lower())
    if match is None:
        return None
    first, last, suffix = (None if number is None else int(number) for number in match.groups())
    if suffix is not None:
        if not suffix or not size:
            raise NotSatisfiable
        return ByteRange(max(0, size - suffix), size)
    assert first is not None
    if last is not None and last < first:
        return None
    if first >= size:
        raise NotSatisfiable
    return ByteRange(first, size if last is None else min(last + 1, size))
