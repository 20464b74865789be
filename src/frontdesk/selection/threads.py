"""Reads threads: the newest entries of a period, and the place where older ones go on."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from frontdesk.errors import BadSettings, Forbidden, InboxError, NotFound
from frontdesk.selection.customers import find_customer
from frontdesk.text.entries import in_order, is_by_customer
from frontdesk.text.masking import CUSTOMER, is_stand_in
from frontdesk.text.messages import Entry
from frontdesk.text.phones import is_user_id, parse_phone
from frontdesk.wire import Conversation, Message, Note
from frontdesk.wire.queries import MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

W = TypeVar("W", Message, Note)

# Messages that are read for one thread: a period long ago is not looked for any further.
MOST_MESSAGES = 5_000
# Pages in which the conversations of a customer are looked for.
_CUSTOMER_PAGES = 20
# The stand-in of a masked customer has a blank itself.
_SEPARATORS = re.compile(rf"(?:,|(?<!\b{CUSTOMER})\s)+", re.IGNORECASE)


# Whose entries a thread may be narrowed to.
WHO: Mapping[str, Callable[[Entry], bool]] = MappingProxyType(
    {
        "all": lambda entry: True,
        "customer": is_by_customer,
        "team": lambda entry: not is_by_customer(entry),
    }
)


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Entries from `after` on and before `before`, which `keep` accepts."""

    after: datetime | None = None
    before: datetime | None = None
    keep: Callable[[Entry], bool] = WHO["all"]

    def __call__(self, entry: Entry) -> bool:
        moment = entry.created_time
        if moment is None:
            return self.after is None and self.before is None and self.keep(entry)
        late = self.before is not None and moment >= self.before
        return not late and not self.is_beyond(entry) and self.keep(entry)

    def is_beyond(self, entry: Entry) -> bool:
        """True if this entry and all older ones are too old."""
        moment = entry.created_time
        return self.after is not None and moment is not None and moment < self.after


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """Place in a thread: `skip` messages after a cursor. before: notes from then on were shown."""

    cursor: str | None = None
    skip: int = 0
    before: datetime | None = None


Progress: TypeAlias = Callable[[int], Awaitable[object]]


async def _silent(examined: int) -> None:
    """No progress is shown."""


class ThreadEntries(NamedTuple):
    """Entries, oldest first. older: where the older messages begin, None without any.

    capped: the messages that may be read have not sufficed. lack: why there are no notes, or "".
    unreadable: rows that were left out.
    """

    entries: tuple[Entry, ...]
    older: ThreadPlace | None = None
    capped: bool = False
    lack: str = ""
    unreadable: int = 0


async def read_thread(
    client: "InboxClient",
    id: str,
    filter: EntryFilter = EntryFilter(),
    *,
    last: int | None = None,
    place: ThreadPlace = ThreadPlace(),
    most: int | None = MOST_MESSAGES,
    progress: Progress = _silent,
) -> ThreadEntries:
    """Read the newest messages that a filter accepts, `last` at most, and the notes among them.

    most: messages to read at most. progress: awaited after each page with their number.

    Raises: NotFound: no such conversation. InboxError.
    """
    plain = filter == EntryFilter() and last is not None
    limit = min(MAX_LIMIT, (last or 0) + place.skip) if plain else MAX_LIMIT
    rows = client.messages(id, limit=limit, cursor=place.cursor)
    found: list[Entry] = []
    older, capped = None, False
    async for message, behind, examined in _with_places(rows, place.skip, progress):
        if filter.is_beyond(message):
            older = None
            break
        if filter(message):
            found.append(message)
        older = behind
        capped = most is not None and examined >= most and behind is not None
        if len(found) == last or capped:
            break
    first = min((one.created_time for one in found if one.created_time), default=None)
    if older is not None:
        older = ThreadPlace(older.cursor, older.skip, first or place.before)
    notes = await _notes(client, id, filter, place.before, first if older else None)
    entries = tuple(in_order([*found, *notes.entries]))
    return ThreadEntries(entries, older, capped, notes.lack, rows.unreadable + notes.unreadable)


class StoryEntries(NamedTuple):
    """Entries of all conversations of a customer, oldest first.

    conversations: the most recently active first. has_older: there are older entries. lack,
    unreadable: see `ThreadEntries`.
    """

    conversations: tuple[Conversation, ...]
    entries: tuple[Entry, ...]
    has_older: bool = False
    lack: str = ""
    unreadable: int = 0


async def read_story(
    client: "InboxClient",
    contact_id: str,
    filter: EntryFilter = EntryFilter(),
    *,
    last: int | None = None,
    progress: Progress = _silent,
) -> StoryEntries:
    """Read the newest entries of all conversations of a customer, `last` messages of each at most.

    They go back as far as all threads were read.

    Raises: InboxError.
    """
    pages = client.conversations(contact=contact_id).pages(_CUSTOMER_PAGES)
    rows = [row async for page in pages for row in page.data]
    entries: list[Entry] = []
    begin, unreadable, lacks, has_older = "", 0, "", False
    for row in rows:
        thread = await read_thread(client, row.id, filter, last=last, progress=progress)
        of_row = {"conversation_id": row.id}
        entries += [one.model_copy(update=of_row) for one in thread.entries]
        unreadable, lacks = unreadable + thread.unreadable, lacks or thread.lack
        if thread.older is not None and thread.entries:
            begin, has_older = max(begin, thread.entries[0].created_at), True
    found = in_order(one for one in entries if one.created_at >= begin)
    return StoryEntries(tuple(rows), tuple(found), has_older, lacks, unreadable)


async def read_notes(
    client: "InboxClient", id: str, filter: EntryFilter = EntryFilter()
) -> ThreadEntries:
    """Read the notes alone. Raises: InboxError, also if the key or the server lacks them."""
    rows = client.notes(id)
    notes = [note async for note in rows if filter(note)]
    return ThreadEntries(tuple(in_order(notes)), unreadable=rows.unreadable)


async def _with_places(
    rows: "RowPages[Message]", skip: int, progress: Progress
) -> AsyncIterator[tuple[Message, ThreadPlace | None, int]]:
    """Messages with the place behind each, and how many were read until there."""
    examined = 0
    while not rows.ended:
        begin = rows.cursor
        data = (await rows.page()).data
        await progress(examined + len(data))
        following = ThreadPlace(rows.cursor) if rows.cursor is not None else None
        for number, message in enumerate(data[skip:], skip + 1):
            examined += 1
            behind = ThreadPlace(begin, number) if number < len(data) else following
            yield message, behind, examined
        skip = max(0, skip - len(data))


async def _notes(
    client: "InboxClient",
    id: str,
    filter: EntryFilter,
    before: datetime | None,
    first: datetime | None,
) -> ThreadEntries:
    """Read the notes from `first` on and before `before`; none if they cannot be had."""
    found: list[Entry] = []
    rows = client.notes(id)
    try:
        async for note in rows:
            moment = note.created_time
            if filter.is_beyond(note) or (first and moment and moment < first):
                break
            if filter(note) and not (before and moment and moment >= before):
                found.append(note)
    except (Forbidden, NotFound) as error:
        return ThreadEntries((), lack=str(error))
    return ThreadEntries(tuple(found), unreadable=rows.unreadable)


class ConversationIds(NamedTuple):
    """Ids in the order in which they were named, each once. failures: by what was named."""

    ids: tuple[str, ...]
    failures: Mapping[str, InboxError]


async def conversation_ids(client: "InboxClient", names: Iterable[str]) -> ConversationIds:
    """Find conversations by `1042` or `#1042`, or all with a customer, who is named by a whole
    number after +, a user id, or the username after @.

    An id is not looked up. Several may stand in one name, with commas between.
    """
    ids: list[str] = []
    failures: dict[str, InboxError] = {}
    for name in (part for text in names for part in _parts(text) or [""]):
        try:
            ids += await _ids_of(client, name)
        except NotFound as error:
            failures[name] = NotFound(f"{name}: {str(error).rstrip('.')}")
        except BadSettings as error:
            failures[name] = error
    return ConversationIds(tuple(dict.fromkeys(ids)), failures)


def names_customer(name: str) -> bool:
    """True for a number after +, a @username, a user id or a stand-in: of all with a customer."""
    return name.startswith(("+", "@")) or is_user_id(name) or is_stand_in(name)


def _parts(text: str) -> list[str]:
    """Split at commas and blanks; a number may have blanks itself."""
    pieces = text.split(",") if "+" in text else _SEPARATORS.split(text)
    return [piece.strip() for piece in pieces if piece.strip()]


async def _ids_of(client: "InboxClient", name: str) -> list[str]:
    if not name.removeprefix("#"):
        raise BadSettings("A conversation has an id, such as 1042, or a number: this is blank")
    if not names_customer(name):
        return [name.removeprefix("#")]
    if name.startswith("+") and parse_phone(name) is None:
        raise BadSettings(
            f"{name} is not a whole number; conversations are found by a part of it with the"
            f" query from:{name.replace(' ', '')}"
        )
    contact = await find_customer(client, name)
    pages = client.conversations(contact=contact.id).pages(_CUSTOMER_PAGES)
    return [row.id async for page in pages for row in page.data]
