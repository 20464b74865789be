"""Archives, one JSON value a line: read as a stream, plain or gzip."""

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from frontdesk.ingest import sent
from frontdesk.ingest.copies import instant
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.shapes import Malformed
from frontdesk.ingest.whatsapp import normalise

# Meta's bodies have at most 3 MB.
LINE_LIMIT = 8 * 1024 * 1024

_GZIP_BEGINS = b"\x1f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WRAPPINGS = ("body", "payload")
# A rejected line is wrapped once more than it was.
_MOST_WRAPPINGS = 3


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


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that was not, and why. text: what it says, None where that is too long.

    partly: some of its elements were read, and only the others were not.
    """

    number: int
    reason: str
    text: bytes | None = None
    partly: bool = False


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
    """Every line of an archive but the blank ones, in order, in constant memory.

    A line is a webhook body, one wrapped as {received_at?, headers?, body|payload}, a record of a
    message that was sent, or a native line. Where the stream itself cannot be read on, one Rejected
    is the last.
    """
    reading = reading or Reading()
    if stream.peek(1).startswith(_GZIP_BEGINS):
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield from _read(unpacked, reading)
    else:
        yield from _read(stream, reading)


def _read(stream: io.BufferedIOBase, reading: Reading) -> Iterator[Line | Native | Rejected]:
    number = 0
    try:
        for number, line in enumerate(_lines(stream), start=1):
            if number <= reading.after:
                continue
            if line is None:
                yield Rejected(number, f"it is longer than {LINE_LIMIT // 1024 // 1024} MiB")
            elif line.strip():
                yield _parsed(number, line, reading)
    except EOFError:
        yield Rejected(number + 1, "the gzip data ends early, nothing more can be read")
    except (OSError, zlib.error):
        yield Rejected(number + 1, "the data is damaged, nothing more can be read")


def _lines(stream: io.BufferedIOBase) -> Iterator[bytes | None]:
    """The lines of a stream; None for one that is too long to hold."""
    first = True
    while line := stream.readline(LINE_LIMIT + 1):
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := stream.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            yield line.removeprefix(_BYTE_ORDER_MARK) if first else line
        first = False


def _parsed(number: int, line: bytes, reading: Reading) -> Line | Native | Rejected:
    try:
        value, received_at = _unwrapped(line)
        kind = value.get("kind")
        if kind == sent.KIND:
            return Line(number, tuple(sent.told(value, reading.channel)), {})
        if isinstance(kind, str) and "object" not in value:
            return Native(number, value)
        told = normalise(value, live=reading.live, received_at=received_at)
    except Malformed as error:
        return Rejected(number, str(error), line)
    if told.refusal is None:
        return Line(number, told.events, told.ignored)
    rejected = Rejected(number, told.refusal, line, partly=True)
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
