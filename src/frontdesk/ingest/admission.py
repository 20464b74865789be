"""What is let in of what comes: things of any number, or only of those that are channels here."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frontdesk.ingest.events import (
    PROFILE_NAME,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    IdentityChange,
    MessageUpsert,
    TeamUpsert,
)
from frontdesk.store import known
from frontdesk.store.database import Connection

# What is passed over of one number is counted under this and its phone_number_id.
UNKNOWN_CHANNEL = "ignored_unknown_channel"


@dataclass(frozen=True, slots=True)
class Admission:
    """What an operator may choose. Each holds for an inbox: every door has to be told the same.

    create_channels: whether a number becomes a channel when something comes for it; if not, what
    comes is passed over until a catalogue, Meta's list or a native line has made it one.
    placeholders: whether something stands for a message of which only delivery steps are known.
    """

    create_channels: bool = True
    placeholders: bool = True

    def part(
        self, connection: Connection, account_id: int, events: Sequence[DomainEvent]
    ) -> "Part":
        """Which of some events go in now; the order in which these come makes no difference."""
        if self.create_channels:
            return Part(events, Counter())
        numbers = {number for event in events if (number := number_of(event)) is not None}
        unknown = numbers - set(_listed(events))
        unknown = {one for one in unknown if not _is_channel(connection, account_id, one)}
        if not unknown:
            return Part(events, Counter())
        passed_over = Counter(dict.fromkeys(map(kind_of, unknown), 0))
        for event in events:
            if (number := number_of(event)) in unknown and _counts(event):
                passed_over[kind_of(str(number))] += 1
        return Part([one for one in events if number_of(one) not in unknown], passed_over)


ANYTHING = Admission()


@dataclass(frozen=True, slots=True)
class Part:
    """What of some events goes in, and how many elements do not, by kind as `kind_of` names it."""

    events: Sequence[DomainEvent]
    passed_over: Counter[str]


def kind_of(number: str) -> str:
    """Under what the elements of an unknown number are counted."""
    return f"{UNKNOWN_CHANNEL} {number}"


def number_of(event: DomainEvent) -> str | None:
    """The phone_number_id of the number that an event came for, None if it came for none."""
    if isinstance(event, ChannelUpsert):
        return event.phone_number_id
    return getattr(event, "channel", None)


def _listed(events: Sequence[DomainEvent]) -> Iterator[str]:
    """The numbers that these events themselves make known."""
    for event in events:
        if isinstance(event, ChannelUpsert) and event.listed:
            yield event.phone_number_id
        elif isinstance(event, TeamUpsert):
            yield from event.channels


def _is_channel(connection: Connection, account_id: int, number: str) -> bool:
    place = ("channel", "phone_number_id", number)
    return known.catalogue_row(connection, account_id, *place) is not None


def _counts(event: DomainEvent) -> bool:
    """Whether an event is one of somebody's elements, and not told along with one."""
    if isinstance(event, ContactUpsert):
        return event.name_rank > PROFILE_NAME
    if isinstance(event, MessageUpsert):
        return event.type != "reaction"
    return not isinstance(event, ChannelUpsert | IdentityChange)
