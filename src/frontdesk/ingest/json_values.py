"""Incremental JSON splitter: elements of top-level arrays and multi-line objects.

Matches only brackets and quotation marks, in constant memory; it does not validate values.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_NOT_BETWEEN = re.compile(rb"[^\s,]")
_IN_STRING = re.compile(rb'["\\\n]')
_IN_BRACKETS = re.compile(rb'["{}\[\]]')
_OUTSIDE = re.compile(rb'["{}\[\],\s]')


class JsonValue(NamedTuple):
    """Raw value. line: where it starts, from 1. text: None if it exceeds the limit."""

    line: int
    text: bytes | None


def split(chunks: Iterable[bytes], limit: int) -> Iterator[JsonValue]:
    """Yield top-level values, and the elements of top-level arrays, in order.

    limit: maximum size of a value in bytes.
    """
    splitter = _Splitter(limit)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.end()


class _Splitter:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line = 1
        self._in_array = False
        # Current value: first line, bytes, bracket depth.
        self._begun: int | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, chunk: bytes) -> Iterator[JsonValue]:
        """Yield the values that end in a chunk."""
        position = 0
        while position < len(chunk):
            if self._begun is None:
                position = self._between(chunk, position)
                continue
            end, ended = self._within(chunk, position)
            self._take(chunk[position:end])
            position = end
            if ended:
                yield self._finished()

    def end(self) -> Iterator[JsonValue]:
        """Yield an unfinished value at the end of the stream."""
        if self._begun is not None:
            yield self._finished()

    def _between(self, chunk: bytes, position: int) -> int:
        """Skip to the start of the next value, across array brackets."""
        match = _NOT_BETWEEN.search(chunk, position)
        start = len(chunk) if match is None else match.start()
        self._line += chunk.count(b"\n", position, start)
        if match is None:
            return start
        if match.group() == (b"]" if self._in_array else b"["):
            self._in_array = not self._in_array
            return start + 1
        self._begun = self._line
        return start

    def _within(self, chunk: bytes, position: int) -> tuple[int, bool]:
        """Return the offset of the value's or the chunk's end, and if the value ended."""
        if self._escaped:
            self._escaped = False
            position += 1
        while (match := self._pattern().search(chunk, position)) is not None:
            position = match.end()
            end = self._in_string_end(chunk, match) if self._in_string else self._end(match)
            if end is not None:
                return end, True
            if match.group() == b"\\":
                position += 1
        return len(chunk), False

    def _pattern(self) -> re.Pattern[bytes]:
        if self._in_string:
            return _IN_STRING
        return _IN_BRACKETS if self._depth else _OUTSIDE

    def _in_string_end(self, chunk: bytes, match: re.Match[bytes]) -> int | None:
        """Return the value's end if it is a string that this mark closes."""
        if match.group() == b"\\":
            self._escaped = match.end() == len(chunk)
            return None
        # Strings do not span lines: an unterminated one ends with its line.
        self._in_string = False
        return None if self._depth else match.end()

    def _end(self, match: re.Match[bytes]) -> int | None:
        """Return the value's end if this mark closes it."""
        mark = match.group()
        if mark == b'"':
            self._in_string = True
        elif mark in b"{[":
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            return None if self._depth else match.end()
        elif mark == b"}" or (mark == b"]" and not self._in_array):
            # Unbalanced bracket: emitted as a value, so that the reader rejects it.
            return match.end()
        else:
            return match.start()
        return None

    def _take(self, part: bytes) -> None:
        self._line += part.count(b"\n")
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _finished(self) -> JsonValue:
        assert self._begun is not None
        text = b"".join(self._parts) if self._size <= self._limit else None
        value = JsonValue(self._begun, text)
        self._begun, self._size, self._depth, self._in_string = None, 0, 0, False
        self._parts.clear()
        return value
