"""Splits a stream of JSON into its values: elements of arrays, and objects over several lines.

Only brackets and quotation marks are looked at, in constant memory; what a value says, and
whether it is JSON at all, is for its reader to find out.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_NOT_BETWEEN = re.compile(rb"[^\s,]")
_IN_STRING = re.compile(rb'["\\\n]')
_IN_BRACKETS = re.compile(rb'["{}\[\]]')
_OUTSIDE = re.compile(rb'["{}\[\],\s]')


class Value(NamedTuple):
    """line: the one that it begins in, from 1. text: None where it is longer than the limit."""

    line: int
    text: bytes | None


def split(chunks: Iterable[bytes], limit: int) -> Iterator[Value]:
    """The elements of arrays at the top level, and every other value there, in order.

    limit: how many bytes a value may have.
    """
    splitter = _Splitter(limit)
    for chunk in chunks:
        yield from splitter.feed(chunk)
    yield from splitter.end()


class _Splitter:
    """What was read of the stream so far."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line = 1
        self._in_array = False
        # Of the value that is being read: its first line, its bytes, how deep its brackets are.
        self._begun: int | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def feed(self, chunk: bytes) -> Iterator[Value]:
        """The values that end in the next bytes."""
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

    def end(self) -> Iterator[Value]:
        """What the stream ends inside of."""
        if self._begun is not None:
            yield self._finished()

    def _between(self, chunk: bytes, position: int) -> int:
        """Go to where the next value begins, and over the brackets of arrays."""
        found = _NOT_BETWEEN.search(chunk, position)
        start = len(chunk) if found is None else found.start()
        self._line += chunk.count(b"\n", position, start)
        if found is None:
            return start
        if found.group() == (b"]" if self._in_array else b"["):
            self._in_array = not self._in_array
            return start + 1
        self._begun = self._line
        return start

    def _within(self, chunk: bytes, position: int) -> tuple[int, bool]:
        """Where the value ends or, where it does not, the chunk; and whether it ends."""
        if self._escaped:
            self._escaped = False
            position += 1
        while (found := self._pattern().search(chunk, position)) is not None:
            position = found.end()
            end = self._in_string_end(chunk, found) if self._in_string else self._end(found)
            if end is not None:
                return end, True
            if found.group() == b"\\":
                position += 1
        return len(chunk), False

    def _pattern(self) -> re.Pattern[bytes]:
        if self._in_string:
            return _IN_STRING
        return _IN_BRACKETS if self._depth else _OUTSIDE

    def _in_string_end(self, chunk: bytes, found: re.Match[bytes]) -> int | None:
        """Where the value ends, if it is a string that ends at this mark."""
        if found.group() == b"\\":
            self._escaped = found.end() == len(chunk)
            return None
        # No string goes over the end of a line: it is broken, and ends there.
        self._in_string = False
        return None if self._depth else found.end()

    def _end(self, found: re.Match[bytes]) -> int | None:
        """Where the value ends, if it does at this mark."""
        mark = found.group()
        if mark == b'"':
            self._in_string = True
        elif mark in b"{[":
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            return None if self._depth else found.end()
        elif mark == b"}" or (mark == b"]" and not self._in_array):
            # Closes nothing: no value, but it has to go somewhere.
            return found.end()
        else:
            return found.start()
        return None

    def _take(self, part: bytes) -> None:
        self._line += part.count(b"\n")
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _finished(self) -> Value:
        assert self._begun is not None
        text = b"".join(self._parts) if self._size <= self._limit else None
        value = Value(self._begun, text)
        self._begun, self._size, self._depth, self._in_string = None, 0, 0, False
        self._parts.clear()
        return value
