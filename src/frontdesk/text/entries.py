"""Entries of threads, messages and notes: their order, whose they are, and what is not a row."""

from collections.abc import Iterable
from datetime import UTC, datetime

from frontdesk.text.clean import one_line
from frontdesk.text.messages import Entry, emoji_of
from frontdesk.wire import Message

MACHINES = ("ai_agent", "api", "automation", "campaign", "system")
_NEVER = datetime.max.replace(tzinfo=UTC)
# Entries before a reaction in which its message is looked for.
REACHED_BY_REACTIONS = 30


def by_people(entry: Entry) -> bool:
    """True for entries by the customer, a team member or the business phone."""
    return entry.author not in MACHINES


def is_by_customer(entry: Entry) -> bool:
    return isinstance(entry, Message) and entry.author == "contact"


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Messages and notes merged, oldest first; entries without a valid time last."""

    def place(entry: Entry) -> tuple[bool, datetime, int, str]:
        moment = entry.created_time
        return moment is None, moment or _NEVER, len(entry.id), entry.id

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
