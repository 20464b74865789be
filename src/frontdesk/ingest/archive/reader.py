"""Streaming reader of JSON archives: one value per line, arrays, or multi-line values.

Other file formats are recognised by their first bytes and refused with their name.
"""

import codecs
import gzip
import io
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any

from frontdesk.ingest.archive import sent_messages
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.json_values import split
from frontdesk.ingest.webhooks.normalise import normalise, unwrap

# Number of bytes examined.
HEAD = 4096

_UTF_16 = "it is text in UTF-16: save it as UTF-8, or convert it with iconv -f UTF-16 -t UTF-8"
_SIGNATURES = (
    (b"PK\x03\x04", "it is a zip archive: unpack it, or use `frontdesk import chat` for a chat"),
    (
        b"SQLite format 3\x00",
        "it is an SQLite database: `frontdesk export events` writes an inbox as lines",
    ),
    (b"BZh", "it is compressed with bzip2: unpack it, or compress it with gzip"),
    (b"\xfd7zXZ\x00", "it is compressed with xz: unpack it, or compress it with gzip"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd: unpack it, or compress it with gzip"),
    (b"%PDF-", "it is a PDF document"),
    *((begin, "it is a picture") for begin in (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8")),
)


def foreign_format(head: bytes) -> str | None:
    """Return a sentence that names a file's format; None if it may be JSON."""
    for signature, sentence in _SIGNATURES:
        if head.startswith(signature):
            return sentence
    if _is_utf_16(head):
        return _UTF_16
    if b"\x00" in head and b'{"' not in head:
        return "it is binary data"
    if head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<"):
        return "it is HTML or XML"
    return None


def _is_utf_16(head: bytes) -> bool:
    """Detect UTF-16 by its NUL bytes, which are every other byte of most such text."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return any(half.count(0) > 0.02 * len(half) for half in (head[::2], head[1::2]))
    evens, odds = head[::2].count(0), head[1::2].count(0)
    return max(evens, odds) > 0.7 * (len(head) // 2) and min(evens, odds) < 0.1 * len(head)


# Meta's bodies have at most 3 MB.
LINE_LIMIT = 8 * 1024 * 1024

_CHUNK = 64 * 1024
# Maximum of blank lines before the first value, whose layout is then recognised.
_BLANK_LINES = 1000

# Limit against decompression bombs: compressed blank space is tiny but would be read for hours.
BLANK_LIMIT = 64 * 1024 * 1024

_GZIP_BEGINS = b"\x1f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class NotAnArchive(Malformed):
    """Raised for a file that is no archive at all; the message says what it is."""


@dataclass(frozen=True, slots=True)
class ArchiveLine:
    """Parsed webhook line. number counts from 1; ignored: skipped elements by kind.

    rejected: the line again, with the reason, if some of its elements could not be read.
    """

    number: int
    events: tuple[DomainEvent, ...]
    ignored: Mapping[str, int]
    rejected: "RejectedLine | None" = None


@dataclass(frozen=True, slots=True)
class NativeLine:
    """Line with a `kind`, to be converted by `native_lines.convert` unless it starts an account.

    line: see `RejectedLine`.
    """

    number: int
    members: Mapping[str, Any]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """Unreadable line with the reason. text: its bytes, None if they exceed the limit.

    partly: only some of its elements were unreadable. line: where it starts in the file, if
    `number` counts values instead of lines.
    """

    number: int
    reason: str
    text: bytes | None = None
    partly: bool = False
    line: int | None = None

    @property
    def line_number(self) -> int:
        """Line of the file where the value starts."""
        return self.number if self.line is None else self.line

    @property
    def place(self) -> str:
        """Position in the file, for people."""
        if self.line is None:
            return f"line {self.number}"
        return f"value {self.number}, in line {self.line}"


def read(
    stream: io.BufferedReader, *, channel: str | None = None, after: int = 0
) -> Iterator[ArchiveLine | NativeLine | RejectedLine]:
    """Yield every value of an archive, in order, in constant memory.

    Values are on a line each, blank lines aside; or the first line starts an array or an object
    that continues on the next, and `number` then counts array elements and other values. A value is
    a webhook body, one wrapped as {received_at?, headers?, body|payload}, a record of a sent
    message, or a native line. channel: default of records that name none. after: number of the
    last value imported already. If the stream itself becomes unreadable, the last is a
    RejectedLine.

    Raises: NotAnArchive: it is no archive; nothing was read.
    """
    if stream.peek(1).startswith(_GZIP_BEGINS):
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield from _read(unpacked, channel, after)
    else:
        yield from _read(stream, channel, after)


def check(stream: io.BufferedReader) -> None:
    """Check the beginning of a file without importing it.

    Raises: NotAnArchive: it is no archive.
    """
    if stream.peek(1).startswith(_GZIP_BEGINS):
        with gzip.GzipFile(fileobj=stream) as unpacked, suppress(EOFError, OSError, zlib.error):
            _refuse_foreign(unpacked)
    else:
        _refuse_foreign(stream)


def _refuse_foreign(stream: io.BufferedReader | gzip.GzipFile) -> None:
    what = foreign_format(stream.peek(HEAD)[:HEAD])
    if what is not None:
        raise NotAnArchive(what)


def _read(
    stream: io.BufferedReader | gzip.GzipFile, channel: str | None, after: int
) -> Iterator[ArchiveLine | NativeLine | RejectedLine]:
    number = blank = 0
    try:
        _refuse_foreign(stream)
        for number, text, line in _texts(stream):
            blank = 0 if text is None or text.strip() else blank + len(text)
            if blank > BLANK_LIMIT:
                limit = BLANK_LIMIT // 1024 // 1024
                yield RejectedLine(number, f"{limit} MiB of blank lines, nothing more is read")
                return
            if number <= after:
                continue
            if text is None:
                limit = LINE_LIMIT // 1024 // 1024
                yield RejectedLine(number, f"it is longer than {limit} MiB", line=line)
            elif text.strip():
                yield _parsed(number, text, line, channel)
    except EOFError:
        yield RejectedLine(number + 1, "the gzip data ends early, nothing more can be read")
    except (OSError, zlib.error):
        yield RejectedLine(number + 1, "the data is damaged, nothing more can be read")


def _texts(
    stream: io.BufferedReader | gzip.GzipFile,
) -> Iterator[tuple[int, bytes | None, int | None]]:
    """Yield the values of a stream in either layout: number, text and line.

    text: None if it exceeds the limit. line: None if `number` is a line number.
    """
    first, second = _beginning(stream), b""
    if first and _is_begun(first[-1]):
        second = stream.readline(LINE_LIMIT + 1)
    if first and _goes_on(first[-1], second):
        chunks = chain(first, (second,), iter(lambda: stream.read1(_CHUNK), b""))
        for number, value in enumerate(split(chunks, LINE_LIMIT), start=1):
            yield number, value.text, value.line
    else:
        for number, line in enumerate(_lines((*first, second), stream), start=1):
            yield number, line, None


def _beginning(stream: io.BufferedReader | gzip.GzipFile) -> list[bytes]:
    """Return the first non-blank line with those before it; of an array its first bytes."""
    if stream.peek(1).startswith(_BYTE_ORDER_MARK):
        stream.read(len(_BYTE_ORDER_MARK))
    if _begins_array(stream.peek(HEAD)):
        return [stream.read1(HEAD)]
    lines: list[bytes] = []
    while len(lines) < _BLANK_LINES and (line := stream.readline(LINE_LIMIT + 1)):
        lines.append(line)
        if line.strip():
            break
    return lines


def _begins_array(text: bytes) -> bool:
    return text.lstrip().startswith(b"[")


def _goes_on(line: bytes, following: bytes) -> bool:
    """Check if a line starts an array, or an object that continues on the following line."""
    # A truncated line is followed by a whole one.
    return _begins_array(line) or (
        _is_begun(line) and bool(following.strip()) and not _is_object(following)
    )


def _is_begun(line: bytes) -> bool:
    """Check if a line starts an object and is correct up to its end."""
    text = line.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text)
    except (ValueError, RecursionError):
        pass
    return False


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _lines(
    first: Iterable[bytes], stream: io.BufferedReader | gzip.GzipFile
) -> Iterator[bytes | None]:
    """Yield the lines read already and the rest of the stream; None for one over the limit."""
    for line in chain(filter(None, first), iter(lambda: stream.readline(LINE_LIMIT + 1), b"")):
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield line


def _parsed(
    number: int, text: bytes, line: int | None, channel: str | None
) -> ArchiveLine | NativeLine | RejectedLine:
    try:
        value, received_at = unwrap(text)
        kind = value.get("kind")
        if kind == sent_messages.KIND:
            return ArchiveLine(number, tuple(sent_messages.convert(value, channel)), {})
        if isinstance(kind, str) and "object" not in value:
            return NativeLine(number, value, line)
        normalised = normalise(value, live=False, received_at=received_at)
    except Malformed as error:
        return RejectedLine(number, str(error), text, line=line)
    if normalised.refusal is None:
        return ArchiveLine(number, normalised.events, normalised.ignored)
    rejected = RejectedLine(number, normalised.refusal, text, partly=True, line=line)
    return ArchiveLine(number, normalised.events, normalised.ignored, rejected)
