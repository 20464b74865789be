"""Entries of threads, messages and notes: their order, whose they are, what is new of them."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple, Protocol

from frontdesk.text.clean import one_line
from frontdesk.text.messages import Entry, emoji_of
from frontdesk.text.phones import channel_name
from frontdesk.text.times import in_zone, short_date
from frontdesk.wire import Conversation, Message, MessagePreview, Note

MACHINES = ("ai_agent", "api", "automation", "campaign", "system")
_NEVER = datetime.max.replace(tzinfo=UTC)
# Entries before a reaction in which its message is looked for.
REACHED_BY_REACTIONS = 30
# Entries at the end of a thread among which the first new one is looked for.
REACHED_BY_NEW = 500


class EntrySequence(Protocol):
    """Entries of a thread, oldest first."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> Entry: ...


class NewSinceVisit(NamedTuple):
    """What is new of a conversation on this computer, as it is known before its thread is read.

    number: messages of the customer; 0: nobody counts them; None: nothing is new. newest: the
    newest message of the conversation; None: not known. read: id of the message that was read
    last; "": not known.
    """

    number: int | None = None
    newest: MessagePreview | None = None
    read: str = ""

    def are_in(self, entries: EntrySequence) -> bool:
        """False if entries are older than what is new, so that nothing can be said of them."""
        if self.number is None:
            return True
        last = next(_messages_back(entries), None)
        if last is None:
            return False
        newest, (_, message) = self.newest, last
        if newest is None or newest.id == message.id:
            return True
        then, now = newest.created_time, message.created_time
        return then is None or now is None or now >= then

    def first_in(self, entries: EntrySequence) -> tuple[int, int] | None:
        """Position of the first new message, and the number from there on; None without one.

        It is the first of the customer after the one that was read last; if that is not known or
        further back than 500 entries, the first of the last `number`.
        """
        inbound: list[int] = []
        for position, message in _messages_back(entries) if self.number is not None else ():
            if message.id == self.read:
                return (inbound[-1], len(inbound)) if inbound else None
            if message.direction == "inbound":
                inbound.append(position)
        number = self.number or 0
        return (inbound[number - 1], number) if 0 < number <= len(inbound) else None


def _messages_back(entries: EntrySequence) -> Iterator[tuple[int, Message]]:
    for position in range(len(entries) - 1, max(-1, len(entries) - 1 - REACHED_BY_NEW), -1):
        entry = entries[position]
        if isinstance(entry, Message):
            yield position, entry


def part_words(conversation: Conversation, now: datetime) -> str:
    """Channel, status and last activity of a conversation, where entries of several are together.

    now: the time, in the zone of people.
    """
    words = f"{channel_name(conversation.channel)} · {one_line(conversation.status)}"
    active = conversation.last_activity_time
    if active is None or conversation.status == "open":
        return words
    day = in_zone(active, now.tzinfo)
    year = "" if day.year == now.year else f" {day.year}"
    return f"{words}, last active {short_date(day)}{year}"


def by_people(entry: Entry) -> bool:
    """True for entries by the customer, a team member or the business phone."""
    return entry.author not in MACHINES


def is_by_customer(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.author == "contact"


def rank(entry: Entry) -> int:
    """Rank of an entry among those of its time: notes, what came in, what went out."""
    return 0 if isinstance(entry, Note) else 1 + (entry.direction == "outbound")


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Messages and notes merged, oldest first; entries without a valid time last."""

    def place(entry: Entry) -> tuple[bool, datetime, int, int, str]:
        moment = entry.created_time
        return moment is None, moment or _NEVER, rank(entry), len(entry.id), entry.id

    return sorted(entries, key=place)


def is_shown_above(entry: Entry, before: Iterable[Entry]) -> bool:
    """True for a reaction that is shown with its message, one of the entries before it."""
    if not isinstance(entry, Message) or entry.type != "reaction":
        return False
    shown = (entry.direction, emoji_of(entry))
    messages = (earlier for earlier in before if isinstance(earlier, Message))
    return any(
        (known.direction, one_line(known.emoji)) == shown
        for message in messages
        for known in message.reactions
    )
