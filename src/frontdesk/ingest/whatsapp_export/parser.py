"""Parses an exported chat into messages with times and senders (pure)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, tzinfo

from frontdesk.errors import BadSettings
from frontdesk.ingest.whatsapp_export.contents import (
    MARKS,
    EntryContents,
    call_contents,
    entry_contents,
    is_notice,
)
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
from frontdesk.text import limits
from frontdesk.text.clean import plain, shortened

_NAMES_SHOWN = 8
_MINUTE = 60_000
_LONGEST_SENDER = 1_000
# More than the longest message has, so that the end of a cut one is seen to be missing.
_LONGEST_TEXT = 2 * limits.TEXT


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

    @property
    def named_files(self) -> list[str]:
        """Names of the files that its messages have."""
        media = (entry.contents.media for entry in self.entries)
        return [each["filename"] for each in media if each and each["filename"]]

    @property
    def unrecognised(self) -> Counter[str]:
        """Words of the phone that are known neither as a message nor as a notice, with how often
        they stand in a person's name."""
        contents = (entry.contents for entry in self.entries)
        return Counter(each.text or "" for each in contents if not each.recognised)


@dataclass(slots=True)
class _OpenEntry:
    """Entry under construction: header, and lines so far; the first may begin with a sender.

    length: characters of the lines, as far as they are kept. is_marked: the header is, as before
    what WhatsApp itself writes.
    """

    stamp: Stamp
    parts: list[str]
    length: int
    is_marked: bool

    def add(self, row: str) -> None:
        if self.length < _LONGEST_TEXT:
            self.parts.append(row[: _LONGEST_TEXT - self.length])
            self.length += len(row) + 1

    @property
    def start(self) -> str:
        return self.parts[0]


@dataclass(frozen=True, slots=True)
class _AttributedEntry:
    """Entry with its sender, None for a notice of WhatsApp itself.

    profile: the sender's name is that of a profile. is_marked: WhatsApp itself wrote the text.
    """

    stamp: Stamp
    sender: str | None
    text: str
    profile: bool = False
    is_marked: bool = False


def read(export: ExportFiles, reading: ChatOptions) -> Chat:
    """Parse the export of a chat with one person.

    Raises: BadSettings: no export, a group's, `me` does not occur, or the date order is ambiguous.
    """
    family = family_of(_rows(export.text))
    result = _EntryLines() if family is None else _lines(_rows(export.text), family)
    if family is not None and result.entries:
        unlike = outliers([line.stamp for line in result.entries], reading.order)
        result = _lines(_rows(export.text), family, unlike) if unlike else result
    if family is None or not result.entries:
        raise BadSettings("No line begins with a date and a time as WhatsApp's exports have them")
    lines = list(_attributed(result.entries, reading.me, family))
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


def _rows(text: str) -> Iterator[str]:
    """Yield the lines of a text, one at a time: together they take many times its memory."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end].removesuffix("\r")
        start = end + 1
    yield text[start:].removesuffix("\r")


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
    rows: Iterable[str], family: HeaderFormat, excluded: Collection[Stamp] = frozenset()
) -> _EntryLines:
    """Split lines into entries; lines that start with an `excluded` stamp are continuation
    lines."""
    result = _EntryLines()
    for number, row in enumerate(rows, start=1):
        start = header(row, family)
        if start is not None and start.stamp not in excluded:
            is_marked = row.startswith(MARKS)
            text = row[start.end : start.end + _LONGEST_TEXT]
            result.entries.append(_OpenEntry(start.stamp, [text], len(text), is_marked))
            continue
        if start is not None or looks_like_header(row):
            result.unread.append(number)
        if result.entries:
            result.entries[-1].add(row)
        elif row.strip():
            result.before += 1
    return result


def _attributed(
    entries: Sequence[_OpenEntry], me: str, family: HeaderFormat
) -> Iterator[_AttributedEntry]:
    senders = _Senders([entry.start for entry in entries], me)
    for entry in entries:
        name, start = senders.split(entry.start)
        text = "\n".join([start, *entry.parts[1:]])
        if name is None or is_notice(text):
            yield _AttributedEntry(entry.stamp, None, text)
        else:
            profile = plain(name).strip().startswith("~")
            is_marked = family.ios and entry.is_marked and text.startswith(MARKS)
            yield _AttributedEntry(entry.stamp, _name(name), text, profile, is_marked)


class _Senders:
    """Splits the first line of an entry into sender and text, at a colon.

    Some exports have no space after the colon: there the sender is one that other lines name, or
    if nearly no line has the space, whatever precedes the first colon.
    """

    def __init__(self, starts: Sequence[str], me: str) -> None:
        self._known = {me, *(start.partition(": ")[0] for start in starts if ": " in start)}
        self._unspaced = any(
            start.startswith(f"{me}:") and start[len(me) + 1 :][:1].strip() for start in starts
        )

    def split(self, start: str) -> tuple[str | None, str]:
        """Sender, None without one, and text."""
        colon = start.find(":")
        while colon >= 0:
            if start[:colon] in self._known:
                return start[:colon], start[colon + 1 :].removeprefix(" ")
            colon = start.find(":", colon + 1, _LONGEST_SENDER)
        name, found, text = start.partition(":")
        return (name, text) if found and (self._unspaced or not text) else (None, start)


def _name(written: str) -> str:
    """Normalise a sender's name."""
    return " ".join(plain(written).split()).removeprefix("~").strip()


def _other(lines: Sequence[_AttributedEntry], me: str) -> str | None:
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
    lines: Sequence[_AttributedEntry], export: ExportFiles, reading: ChatOptions, order: Order
) -> Iterator[ChatEntry]:
    me = _name(reading.me)
    counts: Counter[int] = Counter()
    for line, (at, stamped_at, exact) in zip(lines, _moments(lines, reading, order), strict=True):
        room = 1000 if exact else _MINUTE
        # Entries of the same time keep their order and remain distinct.
        place = min(counts[at], room - 1)
        counts[at] += 1
        text = line.text.rstrip("\n")
        outbound = None if line.sender is None else line.sender == me
        contents = call_contents(text, named=outbound is not None, outbound=bool(outbound))
        if contents is not None:
            # Phones say of calls without a sender only that they were missed.
            outbound = bool(outbound)
        elif outbound is None:
            contents = EntryContents("system", text.strip(), {"event": "activity"})
        else:
            contents = entry_contents(text, export.sizes, marked=line.is_marked)
        yield ChatEntry(at + place, outbound, contents, stamped_at)


def _moments(
    lines: Sequence[_AttributedEntry], reading: ChatOptions, order: Order
) -> Iterator[tuple[int, int | None, bool]]:
    """Yield (time, impossible time or None, has seconds) for each line.

    A line with an impossible date takes the time of the entry before it or, at the start, after it.
    An hour that the clocks repeat is the later one if only so it follows the entry before it.
    """
    sound = [line for line in lines if possible(line.stamp, order, reading.today)]
    before, last = sound[0].stamp, moment(sound[0].stamp, order, reading.zone)
    for line in lines:
        at = moment(line.stamp, order, reading.zone)
        if possible(line.stamp, order, reading.today):
            if at < last:
                later = moment(line.stamp, order, reading.zone, repeated=True)
                at = later if later >= last else at
            before, last = line.stamp, at
            yield at, None, line.stamp.exact
        else:
            yield last, at, before.exact
