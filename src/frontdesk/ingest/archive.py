"""Reads archives of JSON values as a stream: a line each, in arrays, or over several lines."""

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from frontdesk.ingest import sent
from frontdesk.ingest.copies import instant
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.formats import HEAD, foreign_format
from frontdesk.ingest.json_values import split
from frontdesk.ingest.shapes import Malformed
from frontdesk.ingest.whatsapp import normalise

# Meta's bodies have at most 3 MB.
LINE_LIMIT = 8 * 1024 * 1024

_CHUNK = 64 * 1024
# So many blank lines may stand before the first value for its layout to be recognised.
_BLANK_LINES = 1000

# Nobody writes so much blank space; packed it is next to nothing, and would be read for hours.
BLANK_LIMIT = 64 * 1024 * 1024

_GZIP_BEGINS = b"\x1f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WRAPPINGS = ("body", "payload")
# A rejected line is wrapped once more than it was.
_MOST_WRAPPINGS = 3


class Foreign(Malformed):
    """A file that is no archive at all. `str()` says what it is instead."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that was read. number counts from 1; ignored: elements without a place, by kind.

    rejected: the line once more where some of its elements could not be read, with the reason.
    """

    number: int
    events: tuple[DomainEvent, ...]
    ignored: Mapping[str, int]
    rejected: "Rejected | None" = None


@dataclass(frozen=True, slots=True)
class Native:
    """A line that says what it is: `native.told` has its events, unless it is of an account."""

    number: int
    members: Mapping[str, Any]
    place: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that was not, and why. text: what it says, None where that is too long.

    partly: some of its elements were read, and only the others were not. place: where it is in the
    file, where that is not the line of its number.
    """

    number: int
    reason: str
    text: bytes | None = None
    partly: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """How an archive is read. live: it is no back-fill. channel: of records that tell none.

    after: the last line that is in already.
    """

    live: bool = False
    channel: str | None = None
    after: int = 0


def read(
    stream: io.BufferedReader, reading: Reading | None = None
) -> Iterator[Line | Native | Rejected]:
    """Every value of an archive, in order, in constant memory.

    There is one on each line, but for blank ones; or the first line begins an array or an object
    that goes on in the next. Then `number` counts the elements of arrays and the other values.

    A value is a webhook body, one wrapped as {received_at?, headers?, body|payload}, a record of a
    message that was sent, or a native line. Where the stream itself cannot be read on, one Rejected
    is the last.

    Raises: Foreign: it is no archive; nothing was read.
    """
    reading = reading or Reading()
    if stream.peek(1).startswith(_GZIP_BEGINS):
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield from _read(unpacked, reading)
    else:
        yield from _read(stream, reading)


def check(stream: io.BufferedReader) -> None:
    """Look at the beginning of a file, which is not to be read on.

    Raises: Foreign: it is no archive.
    """
    if stream.peek(1).startswith(_GZIP_BEGINS):
        with gzip.GzipFile(fileobj=stream) as unpacked, suppress(EOFError, OSError, zlib.error):
            _refuse_foreign(unpacked)
    else:
        _refuse_foreign(stream)


def _refuse_foreign(stream: io.BufferedReader | gzip.GzipFile) -> None:
    what = foreign_format(stream.peek(HEAD)[:HEAD])
    if what is not None:
        raise Foreign(what)


class _Text(NamedTuple):
    """The bytes of a value, None where they are too many. place: "" where `number` is its line."""

    number: int
    text: bytes | None
    place: str = ""


def _read(
    stream: io.BufferedReader | gzip.GzipFile, reading: Reading
) -> Iterator[Line | Native | Rejected]:
    number = blank = 0
    try:
        _refuse_foreign(stream)
        for found in _texts(stream):
            number = found.number
            blank = 0 if found.text is None or found.text.strip() else blank + len(found.text)
            if blank > BLANK_LIMIT:
                limit = BLANK_LIMIT // 1024 // 1024
                yield Rejected(number, f"{limit} MiB of blank lines, nothing more is read")
                return
            if number <= reading.after:
                continue
            if found.text is None:
                limit = LINE_LIMIT // 1024 // 1024
                yield Rejected(number, f"it is longer than {limit} MiB", place=found.place)
            elif found.text.strip():
                yield _parsed(found, found.text, reading)
    except EOFError:
        yield Rejected(number + 1, "the gzip data ends early, nothing more can be read")
    except (OSError, zlib.error):
        yield Rejected(number + 1, "the data is damaged, nothing more can be read")


def _texts(stream: io.BufferedReader | gzip.GzipFile) -> Iterator[_Text]:
    """The values of a stream, in whichever of the two layouts it has."""
    first, second = _beginning(stream), b""
    if first and _is_begun(first[-1]):
        second = stream.readline(LINE_LIMIT + 1)
    if first and _goes_on(first[-1], second):
        chunks = chain(first, (second,), iter(lambda: stream.read1(_CHUNK), b""))
        for number, value in enumerate(split(chunks, LINE_LIMIT), start=1):
            yield _Text(number, value.text, f"value {number}, in line {value.line}")
    else:
        for number, line in enumerate(_lines((*first, second), stream), start=1):
            yield _Text(number, line)


def _beginning(stream: io.BufferedReader | gzip.GzipFile) -> list[bytes]:
    """The first line that is not blank, behind the blank ones; of an array only its first bytes."""
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
    """Whether a line begins an array, or an object that the line behind it goes on with."""
    # A line that was cut off is followed by a whole one.
    return _begins_array(line) or (
        _is_begun(line) and bool(following.strip()) and not _is_object(following)
    )


def _is_begun(line: bytes) -> bool:
    """Whether a line is the beginning of an object, and correct up to its end."""
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
    """The lines of a stream behind those that were read; None for one that is too long to hold."""
    for line in chain(filter(None, first), iter(lambda: stream.readline(LINE_LIMIT + 1), b"")):
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield line


def _parsed(found: _Text, line: bytes, reading: Reading) -> Line | Native | Rejected:
    number, place = found.number, found.place
    try:
        value, received_at = _unwrapped(line)
        kind = value.get("kind")
        if kind == sent.KIND:
            return Line(number, tuple(sent.told(value, reading.channel)), {})
        if isinstance(kind, str) and "object" not in value:
            return Native(number, value, place)
        told = normalise(value, live=reading.live, received_at=received_at)
    except Malformed as error:
        return Rejected(number, str(error), line, place=place)
    if told.refusal is None:
        return Line(number, told.events, told.ignored)
    rejected = Rejected(number, told.refusal, line, partly=True, place=place)
    return Line(number, told.events, told.ignored, rejected)


def body_of(line: bytes) -> Mapping[str, Any]:
    """The webhook body in some JSON, out of its wrapping.

    Raises: Malformed.
    """
    return _unwrapped(line)[0]


def _unwrapped(line: bytes) -> tuple[Mapping[str, Any], int | None]:
    """What a line holds, and when it came if the wrapping tells."""
    try:
        value = _object(line.decode().strip())
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    received_at: int | None = None
    for _ in range(_MOST_WRAPPINGS):
        if value.keys() & {"entry", "object", "kind"}:
            break
        wrapped = next((one for one in map(value.get, _WRAPPINGS) if _is_wrapped(one)), None)
        if wrapped is None:
            break
        received_at = _received_at(value) or received_at
        value = _object(wrapped) if isinstance(wrapped, str) else wrapped
    return value, received_at


def _is_wrapped(member: object) -> bool:
    return isinstance(member, str | Mapping)


def _received_at(wrapping: Mapping[str, Any]) -> int | None:
    """When a body came; a time that cannot be read is as good as none."""
    try:
        return instant(wrapping.get("received_at"))
    except Malformed:
        return None


def _object(text: str) -> Mapping[str, Any]:
    """A JSON object whose every text any database can hold."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"it is not JSON from character {error.pos + 1} on") from None
    except RecursionError:
        raise Malformed("it is nested too deeply") from None
    except Malformed:
        raise
    except ValueError:
        raise Malformed("it holds a number that is too long") from None
    if not isinstance(value, dict):
        raise Malformed("it is not a JSON object")
    if _SUSPECT.search(text):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _refuse(constant: str) -> float:
    raise Malformed(f"it is not JSON: {constant} is not a number there")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise Malformed("it holds a number that is too large")
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
# What may stand for NUL or for half of a surrogate pair.
_SUSPECT = re.compile(r"\\u(?:0000|[dD][89a-fA-F])|\x00")


def _sound(value: Any) -> Any:
    """`value` without halves of surrogate pairs and without NUL, which no database takes."""
    if isinstance(value, str):
        return _sound_text(value)
    if isinstance(value, list):
        return [_sound(member) for member in value]
    if isinstance(value, dict):
        return {_sound_text(name): _sound(member) for name, member in value.items()}
    return value


def _sound_text(text: str) -> str:
    if text.isascii():
        return text.replace("\x00", "\ufffd")
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\x00", "\ufffd")
