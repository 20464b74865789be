"""Context of one webhook change during conversion: channel, contacts, events."""

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
from frontdesk.ingest.json_reader import JsonObject, Malformed
from frontdesk.wire.values import CHANNEL_ID, PHONE_DIGITS

# Tolerance for timestamps later than the receipt; beyond it, the sender's clock is wrong.
CLOCKS_DIFFER = 5 * 60 * 1000

_DIGITS_OF_A_PHONE = re.compile(PHONE_DIGITS)
_CHANNEL_ID = re.compile(CHANNEL_ID)
# Numbers have at most 15 digits; this leaves room for formatting.
_LONGEST_SHOWN_NUMBER = 40
_NO_DIGITS = re.compile(r"[^0-9]")


@dataclass(slots=True)
class WebhookChange:
    """Change that belongs to one of our channels. at: its newest element, epoch milliseconds.

    live: False for back-fill. received_at: time of receipt, None if unknown. source: of messages,
    None to derive it from the element. sole_contact: the contact of all elements, if they concern
    one person and there is one contact. refused: errors of unreadable elements.
    """

    channel: str
    metadata: JsonObject
    contacts: list[JsonObject]
    errors: list[JsonObject]
    live: bool
    received_at: int | None
    ignored: Counter[str]
    source: str | None = None
    sole_contact: JsonObject | None = None
    events: list[DomainEvent] = field(default_factory=list)
    persons: list[tuple[Person, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    at: int = 0

    def attempt(self, convert: Callable[..., None], *parts: JsonObject | Malformed) -> None:
        """Convert one element; an unreadable one does not affect its siblings."""
        count = len(self.events)
        try:
            for part in parts:
                if isinstance(part, Malformed):
                    raise part
            convert(self, *parts)
        except Malformed as error:
            del self.events[count:]
            self.refused.append(str(error))

    def moment(self, element: JsonObject) -> tuple[int, int | None]:
        """Return the effective time, and the element's own if that lies in the future."""
        stamp = element.moment("timestamp")
        if self.received_at is not None and stamp > self.received_at + CLOCKS_DIFFER:
            return self.received_at, stamp
        return stamp, None

    def met(self, person: Person, at: int) -> None:
        """Record that a person took part at a time."""
        self.persons.append((person, at))
        self.at = max(self.at, at)

    def person(self, element: JsonObject, number_name: str, user_name: str) -> Person:
        """Return the person of an element by number, user id, or both if the contacts have them."""
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

    def recipient(self, status: JsonObject) -> Person | None:
        """Return the person of a status, None if neither it nor the contacts identify one."""
        names = ("recipient_id", "recipient_user_id")
        sole = self.sole_contact
        if any(name in status for name in names) or (
            sole is not None and ("wa_id" in sole or "user_id" in sole)
        ):
            return self.person(status, *names)
        return None

    def all_events(self, account: str | None) -> list[DomainEvent]:
        """Return the change's events, preceded by those of its channel and contacts."""
        if not self.events:
            return []
        return [self._channel_upsert(account), *self._names(), *self.events]

    def business_digits(self) -> str:
        """Return the digits of our own number, "" if unknown."""
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
        """Yield the contacts' profile names, as of their last element."""
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

    def _contact(self, number: str, user_id: str | None) -> JsonObject | None:
        """Find the contact of a number or user by id, not by position."""
        for contact in self.contacts:
            if number and contact.optional_text("wa_id") == number:
                return contact
            if user_id and contact.optional_text("user_id") == user_id:
                return contact
        return None

    def _sole_contact(self, number: str, user_id: str | None) -> JsonObject | None:
        """Return the sole contact unless its number or user id differs."""
        contact = self.sole_contact
        if contact is None:
            return None
        differs = (number and "wa_id" in contact) or (user_id and "user_id" in contact)
        return None if differs else contact


def is_phone(digits: str) -> bool:
    """Check for the digits of an international number."""
    return _DIGITS_OF_A_PHONE.fullmatch(digits) is not None


def channel_id(part: JsonObject, name: str) -> str:
    """Return a required phone_number_id. Raises: Malformed."""
    return checked_channel_id(part.id(name), part.at(name))


def checked_channel_id(value: str, where: str) -> str:
    """Validate a phone_number_id; `where` is its path in errors. Raises: Malformed."""
    if not _CHANNEL_ID.fullmatch(value):
        raise Malformed(f"{where} is no phone_number_id, which has 1 to 20 digits and nothing else")
    return value


def shown_number(part: JsonObject) -> str | None:
    """Return the optional display_phone_number. Raises: Malformed."""
    number = part.optional_text("display_phone_number")
    if number is not None and len(number) > _LONGEST_SHOWN_NUMBER:
        where = part.at("display_phone_number")
        raise Malformed(f"{where} has more than {_LONGEST_SHOWN_NUMBER} characters")
    return number


def phone_of(shown: str | None) -> str | None:
    """Normalise a phone number in any format to E.164; None if it is not one."""
    digits = _NO_DIGITS.sub("", shown or "")
    return f"+{digits}" if is_phone(digits) else None
