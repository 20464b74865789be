"""Admission policy: restricts ingestion to known channels, and message placeholders."""

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
from frontdesk.store import lookups
from frontdesk.store.database import Connection

# Kind under which skipped elements of an unknown channel are counted, with its phone_number_id.
UNKNOWN_CHANNEL = "ignored_unknown_channel"


@dataclass(frozen=True, slots=True)
class Admission:
    """Admission settings of an inbox; every ingest command must use the same.

    create_channels: create a channel for an unknown number; otherwise its events are skipped until
    a catalogue, Meta's list or a native line has created it. placeholders: create a placeholder row
    for a message of which only delivery steps are known.
    """

    create_channels: bool = True
    placeholders: bool = True

    def part(
        self, connection: Connection, account_id: int, events: Sequence[DomainEvent]
    ) -> "AdmissionResult":
        """Split off the events that are admitted now; the order of events does not matter."""
        if self.create_channels:
            return AdmissionResult(events, Counter())
        numbers = {number for event in events if (number := number_of(event)) is not None}
        unknown = numbers - set(_listed(events))
        unknown = {number for number in unknown if not _is_channel(connection, account_id, number)}
        if not unknown:
            return AdmissionResult(events, Counter())
        passed_over = Counter(dict.fromkeys(map(kind_of, unknown), 0))
        for event in events:
            if (number := number_of(event)) in unknown and _counts(event):
                passed_over[kind_of(str(number))] += 1
        return AdmissionResult(
            [event for event in events if number_of(event) not in unknown], passed_over
        )


ANYTHING = Admission()


@dataclass(frozen=True, slots=True)
class AdmissionResult:
    """Admitted events, and the number of skipped elements by kind (see `kind_of`)."""

    events: Sequence[DomainEvent]
    passed_over: Counter[str]


def kind_of(number: str) -> str:
    return f"{UNKNOWN_CHANNEL} {number}"


def number_of(event: DomainEvent) -> str | None:
    """Return the phone_number_id that an event belongs to, None if it belongs to no channel."""
    if isinstance(event, ChannelUpsert):
        return event.phone_number_id
    return getattr(event, "channel", None)


def _listed(events: Sequence[DomainEvent]) -> Iterator[str]:
    """Yield the channels that these events themselves register."""
    for event in events:
        if isinstance(event, ChannelUpsert) and event.listed:
            yield event.phone_number_id
        elif isinstance(event, TeamUpsert):
            yield from event.channels


def _is_channel(connection: Connection, account_id: int, number: str) -> bool:
    place = ("channel", "phone_number_id", number)
    return lookups.catalogue_row(connection, account_id, *place) is not None


def _counts(event: DomainEvent) -> bool:
    """Check if an event is an element by itself, and not derived along with another."""
    if isinstance(event, ContactUpsert):
        return event.name_rank > PROFILE_NAME
    if isinstance(event, MessageUpsert):
        return event.type != "reaction"
    return not isinstance(event, ChannelUpsert | IdentityChange)
