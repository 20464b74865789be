"""One change of a webhook body on its way to events: whose number, whom it names, and when."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from frontdesk.ingest.events import (
    PROFILE_NAME,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    Person,
)
from frontdesk.ingest.shapes import Malformed, Part
from frontdesk.wire.words import CHANNEL_ID, PHONE_DIGITS

# A time may be so much later than its receipt before it is taken for a wrong clock's.
CLOCKS_DIFFER = 5 * 60 * 1000

_DIGITS_OF_A_PHONE = re.compile(PHONE_DIGITS)
_CHANNEL_ID = re.compile(CHANNEL_ID)
# The longest numbers have 15 digits; this leaves room for how they are written.
_LONGEST_SHOWN_NUMBER = 40
_NO_DIGITS = re.compile(r"[^0-9]")


@dataclass(slots=True)
class Value:
    """A change with a number of ours. at: its newest element, epoch milliseconds.

    live: False for back-fill. received_at: when the body came, if that is known. source: what
    messages are marked with, None for what the element itself tells. sole_contact: the contact of
    all elements, where they are with one person and there is one contact. refused: why elements
    could not be read.
    """

    channel: str
    metadata: Part
    contacts: list[Part]
    errors: list[Part]
    live: bool
    received_at: int | None
    ignored: Counter[str]
    source: str | None = None
    sole_contact: Part | None = None
    events: list[DomainEvent] = field(default_factory=list)
    persons: list[tuple[Person, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    at: int = 0

    def attempt(self, tell: Callable[..., None], *parts: Part | Malformed) -> None:
        """Tell one element; one that cannot be read costs none of its siblings."""
        told = len(self.events)
        try:
            for part in parts:
                if isinstance(part, Malformed):
                    raise part
            tell(self, *parts)
        except Malformed as error:
            del self.events[told:]
            self.refused.append(str(error))

    def moment(self, element: Part) -> tuple[int, int | None]:
        """When an element counts, and its own time where that lies in the future."""
        told = element.moment("timestamp")
        if self.received_at is not None and told > self.received_at + CLOCKS_DIFFER:
            return self.received_at, told
        return told, None

    def met(self, person: Person, at: int) -> None:
        """A person had part in it at this time."""
        self.persons.append((person, at))
        self.at = max(self.at, at)

    def person(self, element: Part, number_name: str, user_name: str) -> Person:
        """Whom a message is with: by number, by user id, or both if the contacts tell."""
        number = (element.optional_text(number_name) or "").removeprefix("+")
        user_id = element.optional_id(user_name)
        contact = self._contact(number, user_id) or self._sole_contact(number, user_id)
        if contact is not None:
            user_id = user_id or contact.optional_id("user_id")
            number = number or (contact.optional_text("wa_id") or "").removeprefix("+")
        if is_phone(number):
            wa_id = (contact.optional_id("wa_id") if contact else None) or number
            return Person(phone=f"+{number}", wa_id=wa_id, wa_user_id=user_id)
        if user_id is None:
            raise Malformed(f"{element.where}.{number_name} is not a phone number")
        return Person(wa_user_id=user_id)

    def recipient(self, status: Part) -> Person | None:
        """Whom a status is about, None where neither it nor the contacts tell."""
        names = ("recipient_id", "recipient_user_id")
        sole = self.sole_contact
        if any(name in status for name in names) or (
            sole is not None and ("wa_id" in sole or "user_id" in sole)
        ):
            return self.person(status, *names)
        return None

    def all_events(self, account: str | None) -> list[DomainEvent]:
        """The events of the change, each channel and contact before what it takes part in."""
        if not self.events:
            return []
        return [self._channel_upsert(account), *self._names(), *self.events]

    def business_digits(self) -> str:
        """The digits of our own number, as far as they are told."""
        return _NO_DIGITS.sub("", shown_number(self.metadata) or "")

    def _channel_upsert(self, account: str | None) -> ChannelUpsert:
        return ChannelUpsert(
            phone_number_id=self.channel,
            at=self.at,
            phone=phone_of(self.business_digits()),
            display_phone_number=shown_number(self.metadata),
            waba_id=account,
            listed=False,
        )

    def _names(self) -> Iterator[ContactUpsert]:
        """What the contacts are called, told at the time of their last element."""
        latest: dict[Person, int] = {}
        for person, at in self.persons:
            latest[person] = max(at, latest.get(person, 0))
        for person, at in latest.items():
            number = person.wa_id or ""
            contact = self._contact(number, person.wa_user_id)
            contact = contact or self._sole_contact(number, person.wa_user_id)
            profile = None if contact is None else contact.optional_part("profile")
            if profile is None:
                continue
            name = (profile.optional_text("name") or "").strip() or None
            yield ContactUpsert(
                person=person,
                at=at,
                name=name,
                name_rank=PROFILE_NAME,
                profile_name=name,
                username=profile.optional_text("username") or None,
                channel=self.channel,
            )

    def _contact(self, number: str, user_id: str | None) -> Part | None:
        """The contact of a number or user: contacts are matched by id, never by position."""
        for contact in self.contacts:
            if number and contact.optional_text("wa_id") == number:
                return contact
            if user_id and contact.optional_text("user_id") == user_id:
                return contact
        return None

    def _sole_contact(self, number: str, user_id: str | None) -> Part | None:
        """The contact of all elements, unless it tells another number or user id than these."""
        contact = self.sole_contact
        if contact is None:
            return None
        differs = (number and "wa_id" in contact) or (user_id and "user_id" in contact)
        return None if differs else contact


def is_phone(digits: str) -> bool:
    """Whether these are the digits of an international number."""
    return _DIGITS_OF_A_PHONE.fullmatch(digits) is not None


def channel_id(part: Part, name: str) -> str:
    """The id of a channel, which must be there. Raises: Malformed."""
    return checked_channel_id(part.id(name), part.at(name))


def checked_channel_id(told: str, where: str) -> str:
    """An id of a channel as it is told at `where`. Raises: Malformed."""
    if not _CHANNEL_ID.fullmatch(told):
        raise Malformed(f"{where} is no phone_number_id, which has 1 to 20 digits and nothing else")
    return told


def shown_number(part: Part) -> str | None:
    """The display_phone_number, if it is there. Raises: Malformed."""
    told = part.optional_text("display_phone_number")
    if told is not None and len(told) > _LONGEST_SHOWN_NUMBER:
        where = part.at("display_phone_number")
        raise Malformed(f"{where} has more than {_LONGEST_SHOWN_NUMBER} characters")
    return told


def phone_of(shown: str | None) -> str | None:
    """E.164 of a number however it is written, None if it is none."""
    digits = _NO_DIGITS.sub("", shown or "")
    return f"+{digits}" if is_phone(digits) else None
