"""Parses an exported chat into messages with times and senders (pure)."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo

from frontdesk.errors import BadSettings
from frontdesk.ingest.whatsapp_export.contents import EntryContents, entry_contents, is_notice
from frontdesk.ingest.whatsapp_export.date_order import (
    DateOrder,
    Order,
    decided,
    moment,
    outliers,
    possible,
)
from frontdesk.ingest.whatsapp_export.files import ExportFiles
from frontdesk.ingest.whatsapp_export.message_headers import (
    HeaderFormat,
    Stamp,
    family_of,
    header,
    looks_like_header,
)
from frontdesk.text import plain, shortened

_NAMES_SHOWN = 8
_MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Parser options. zone: the phone's, None for this machine's. order: None to detect it."""

    me: str
    zone: tzinfo | None
    order: Order | None
    today: date


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """Message of an export.

    at: epoch milliseconds; below the precision of the header they only keep the order. outbound:
    None for a notice of WhatsApp itself. stamped_at: an impossible time in the header, which is
    replaced by that of a neighbour.
    """

    at: int
    outbound: bool | None
    contents: EntryContents
    stamped_at: int | None = None


@dataclass(frozen=True, slots=True)
class Chat:
    """Parsed export.

    other: display name of the other side, None if only `me` wrote; other_is_profile: a profile name
    chosen by the other side. before: number of lines before the first header. unread: numbers of
    lines that look like headers but cannot be parsed.
    """

    entries: Sequence[ChatEntry]
    other: str | None
    other_is_profile: bool
    family: str
    decision: DateOrder
    before: int
    unread: Sequence[int] = ()


@dataclass(slots=True)
class _OpenEntry:
    """Entry under construction: header, sender, and text lines so far."""

    stamp: Stamp
    sender: str | None
    parts: list[str]
    profile: bool = False


def read(export: ExportFiles, reading: ChatOptions) -> Chat:
    """Parse the export of a chat with one person.

    Raises: BadSettings: no export, a group's, `me` does not occur, or the date order is ambiguous.
    """
    rows = [row.removesuffix("\r") for row in export.text.split("\n")]
    family = family_of(rows)
    result = _EntryLines() if family is None else _lines(rows, family)
    if family is not None and result.entries:
        unlike = outliers([line.stamp for line in result.entries], reading.order)
        result = _lines(rows, family, unlike) if unlike else result
    lines = result.entries
    if family is None or not lines:
        raise BadSettings("No line begins with a date and a time as WhatsApp's exports have them")
    decision = decided([line.stamp for line in lines], reading.order, reading.today)
    other = _other(lines, reading.me)
    return Chat(
        entries=list(_entries(lines, export, reading, decision.order)),
        other=other,
        other_is_profile=any(line.sender == other and line.profile for line in lines),
        family=family.name,
        decision=decision,
        before=result.before,
        unread=result.unread,
    )


@dataclass(slots=True)
class _EntryLines:
    """Entries with their continuation lines.

    before: number of lines before the first entry. unread: numbers of lines that look like headers
    but cannot be parsed.
    """

    entries: list[_OpenEntry] = field(default_factory=list)
    before: int = 0
    unread: list[int] = field(default_factory=list)


def _lines(
    rows: Sequence[str], family: HeaderFormat, excluded: Collection[Stamp] = frozenset()
) -> _EntryLines:
    """Split lines into entries; lines that start with an `excluded` stamp are continuation
    lines."""
    result = _EntryLines()
    for number, row in enumerate(rows, start=1):
        start = header(row, family)
        if start is not None and start.stamp not in excluded:
            result.entries.append(_begun(start.stamp, row[start.end :]))
            continue
        if start is not None or looks_like_header(row):
            result.unread.append(number)
        if result.entries:
            result.entries[-1].parts.append(row)
        elif row.strip():
            result.before += 1
    return result


def _begun(stamp: Stamp, rest: str) -> _OpenEntry:
    name, colon, text = rest.partition(": ")
    if not colon and rest.endswith(":"):
        name, colon, text = rest[:-1], ":", ""
    if not colon or is_notice(text):
        return _OpenEntry(stamp, None, [text if colon else rest])
    return _OpenEntry(stamp, _name(name), [text], plain(name).strip().startswith("~"))


def _name(written: str) -> str:
    """Normalise a sender's name."""
    return " ".join(plain(written).split()).removeprefix("~").strip()


def _other(lines: Sequence[_OpenEntry], me: str) -> str | None:
    """Return the only sender besides `me`, None without one.

    Raises: BadSettings: there are several: it is a group, or `me` does not occur.
    """
    counts = Counter(line.sender for line in lines if line.sender is not None)
    others = [name for name, _ in counts.most_common() if name != _name(me)]
    names = ", ".join(repr(shortened(name)) for name in others[:_NAMES_SHOWN])
    if len(others) > 1 and len(others) == len(counts):
        raise BadSettings(f"No one in it is called {shortened(me)!r}; --me must be one of {names}")
    if len(others) > 1:
        raise BadSettings(f"It is the chat of a group, which cannot be imported: {names}")
    return others[0] if others else None


def _entries(
    lines: Sequence[_OpenEntry], export: ExportFiles, reading: ChatOptions, order: Order
) -> Iterator[ChatEntry]:
    me = _name(reading.me)
    counts: Counter[int] = Counter()
    for line, (at, stamped_at, exact) in zip(lines, _moments(lines, reading, order), strict=True):
        room = 1000 if exact else _MINUTE
        # Entries of the same time keep their order and remain distinct.
        place = min(counts[at], room - 1)
        counts[at] += 1
        text = "\n".join(line.parts).rstrip("\n")
        words = (
            EntryContents("system", text.strip(), {"event": "activity"})
            if line.sender is None
            else None
        )
        outbound = None if line.sender is None else line.sender == me
        yield ChatEntry(
            at + place, outbound, words or entry_contents(text, export.sizes), stamped_at
        )


def _moments(
    lines: Sequence[_OpenEntry], reading: ChatOptions, order: Order
) -> Iterator[tuple[int, int | None, bool]]:
    """Yield (time, impossible time or None, has seconds) for each line.

    A line with an impossible date takes the time of the entry before it or, at the start, after it.
    """
    sound = [line for line in lines if possible(line.stamp, order, reading.today)]
    before = sound[0].stamp
    for line in lines:
        at = moment(line.stamp, order, reading.zone)
        if possible(line.stamp, order, reading.today):
            before = line.stamp
            yield at, None, line.stamp.exact
        else:
            yield moment(before, order, reading.zone), at, before.exact
