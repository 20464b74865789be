"""Contacts: found by what an event calls a person, made on first sight (rule R1)."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from frontdesk.ingest import portraits
from frontdesk.ingest.applied import Counted
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    ContactRemove,
    ContactUpsert,
    IdentityChange,
    Person,
)
from frontdesk.ingest.portraits import Contact
from frontdesk.store import changes, known
from frontdesk.store.database import Connection
from frontdesk.store.ids import Ids

# A person, when, and since when they go by these names if they said so themselves, else 0.
Sighting = tuple[Person, int, int]
# By which names copies of one message have its person, since when each, and the id of its contact
# if it is stored.
Namesakes = tuple[Mapping[Person, int], int | None]


class People:
    """The contacts that one batch names. Identity: wa_user_id, then phone, then wa_id or alias.

    Names of one person lead to one contact: where they led to several, those become one. What it
    is called by now was told last; its other names lead to it as aliases. First `load`, then
    `settle` everybody, then anything else.
    """

    def __init__(
        self, connection: Connection, account_id: int, now: int, ids: Ids, counted: Counted
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._now = now
        self._ids = ids
        self._counted = counted
        self._by_user: dict[str, Contact] = {}
        self._by_phone: dict[str, Contact] = {}
        self._by_wa: dict[str, Contact] = {}
        self._by_alias: dict[str, Contact] = {}
        self._aliases: dict[str, Contact] = {}
        self._unsaved: dict[int, Contact] = {}
        self._loaded: dict[int, Contact] = {}
        self._stored: set[int] = set()
        self._resolved: dict[Person, Contact] = {}
        self._by_id: dict[int, Contact] = {}
        # Stored contacts that became one with another: {its id: the other's}.
        self.absorbed: dict[int, int] = {}

    def load(self, persons: Iterable[Person], contact_ids: Collection[int] = ()) -> list[int]:
        """Read those of the people who are known, and these; returns the ids of the contacts."""
        # Most events share few objects, and comparing those is much cheaper than their contents.
        named = set({id(person): person for person in persons}.values())
        if not (named or contact_ids) or not self._ids.any("contact"):
            return []
        phones = {person.phone for person in named if person.phone}
        numbers = {number for person in named if (number := _wa_number(person))}
        users = {person.wa_user_id for person in named if person.wa_user_id}
        stored = known.contacts(
            self._connection,
            self._account_id,
            phones=phones,
            wa_ids=numbers,
            wa_user_ids=users,
            ids=contact_ids,
        )
        contacts = {row["id"]: dict(row) for row in stored}
        names = phones | users | {f"+{number}" for number in numbers}
        aliases = known.aliased_contacts(self._connection, self._account_id, names)
        for name, row in aliases.items():
            self._by_alias[name] = contacts.setdefault(row["id"], dict(row))
        for contact in contacts.values():
            self._index(contact)
        self._loaded = contacts
        self._stored = set(contacts)
        return list(contacts)

    def settle(
        self,
        sightings: Iterable[Sighting],
        namesakes: Iterable[Namesakes],
        moves: Iterable[IdentityChange],
    ) -> None:
        """Learn who is who in this batch: whom it names and when, and who changed a name."""
        earliest: dict[Person, int] = {}
        told: dict[Person, int] = {}
        for person, at, told_at in sightings:
            if at < earliest.get(person, at + 1):
                earliest[person] = at
            if told_at > told.get(person, -1):
                told[person] = told_at
        # Those with several names first: they tell which contacts are one.
        for person in sorted(earliest, key=_name_count, reverse=True):
            self.contact_id(person, earliest[person])
            self._place(self._resolved[person], person, told[person])
        for persons, contact_id in namesakes:
            self._unite(persons, contact_id)
        for move in sorted(moves, key=lambda move: (move.at, repr(move.new))):
            self._move(move)

    def contact_id(self, person: Person, at: int) -> int:
        """The id of a person's contact, which is made if it is unknown."""
        contact = self._resolved.get(person)
        if contact is None:
            contact = self._resolve(person, at)
            self._place(contact, person, 0)
        if at < contact["created_at"]:
            contact["created_at"] = at
            self._unsaved[contact["id"]] = contact
        return int(contact["id"])

    def seen(self, contact_id: int, at: int) -> None:
        """A contact of this batch took part in a message."""
        contact = self._by_id[contact_id]
        if contact["last_activity_at"] is None or at > contact["last_activity_at"]:
            contact["last_activity_at"] = at
            self._change(contact)

    def tell(self, event: ContactUpsert) -> None:
        """Fill in what is told of a person."""
        self._tell(event.person, event.at, portraits.told(event))

    def remove(self, event: ContactRemove) -> None:
        """The name in the address book is no more; a later one may come."""
        self._tell(event.person, event.at, {f"name.{ADDRESS_BOOK_NAME}": None})

    def unsaved(self) -> list[Contact]:
        """The rows that `save` writes."""
        return [portraits.sealed(contact) for contact in self._unsaved.values()]

    def save(self) -> None:
        """Write what was made, filled in or became one."""
        changes.drop_contacts(self._connection, self._account_id, sorted(self.absorbed))
        changes.move_aliases(self._connection, self._account_id, self.absorbed)
        changes.save_contacts(self._connection, self._account_id, self.unsaved())
        aliases = [
            {"account_id": self._account_id, "phone": name, "contact_id": contact["id"]}
            for name, contact in sorted(self._aliases.items())
        ]
        changes.save(self._connection, "alias", aliases)

    def _tell(self, person: Person, at: int, told: Mapping[str, Any]) -> None:
        contact = self._by_id[self.contact_id(person, at)]
        changed = portraits.tell(contact, told, at)
        if changed is not None:
            self._unsaved[contact["id"]] = contact
        if changed:
            self._change(contact)
        if contact["id"] in self._stored:
            (self._counted.change if changed else self._counted.known)("contacts")

    def _found(self, person: Person) -> Iterator[Contact]:
        """Whom each of a person's names leads to; the phone's contact first."""
        phone, number, user = person.phone, _wa_number(person), person.wa_user_id
        if phone and (contact := self._by_phone.get(phone) or self._by_alias.get(phone)):
            yield contact
        if number and (contact := self._by_wa.get(number) or self._by_alias.get(f"+{number}")):
            yield contact
        if user and (contact := self._by_user.get(user) or self._by_alias.get(user)):
            yield contact

    def _resolve(self, person: Person, at: int) -> Contact:
        found = {contact["id"]: contact for contact in self._found(person)}
        contact, *others = sorted(found.values(), key=self._precedence) or [self._make(at)]
        for other in others:
            self._absorb(contact, other)
        self._resolved[person] = self._by_id[contact["id"]] = contact
        return contact

    def _precedence(self, contact: Contact) -> tuple[bool, bool, int]:
        """Which of several contacts remains: a stored one, one with a number, the oldest."""
        return contact["id"] not in self._stored, contact["phone"] is None, contact["id"]

    def _unite(self, persons: Mapping[Person, int], contact_id: int | None) -> None:
        """Different names in copies of one message are one person's, unless they are numbers."""
        known = [] if contact_id is None else [self._held(contact_id)]
        found = {one["id"]: one for one in known}
        for person in persons:
            found |= {one["id"]: one for one in self._found(person)}
        numbered = [one for one in found.values() if one["phone"] is not None]
        if len(numbered) > 1 or not found:
            return
        contact, *others = sorted(found.values(), key=self._precedence)
        for other in others:
            self._absorb(contact, other)
        for person in persons:
            if None in (person.phone, contact["phone"]) or person.phone == contact["phone"]:
                self._resolved[person] = self._by_id[contact["id"]] = contact
                self._place(contact, person, 0)
                self.contact_id(person, persons[person])

    def _held(self, contact_id: int) -> Contact:
        return self._by_id.get(contact_id) or self._loaded[contact_id]

    def _move(self, move: IdentityChange) -> None:
        """A person goes by other names, unless those were somebody else's before."""
        contact = self._resolve(move.old, move.at)
        others = {other["id"]: other for other in self._found(move.new)}
        others.pop(contact["id"], None)
        if any(other["created_at"] < move.at for other in others.values()):
            return
        for other in others.values():
            self._absorb(contact, other)
        self._resolved[move.new] = contact
        self._place(contact, move.new, move.at)

    def _absorb(self, contact: Contact, other: Contact) -> None:
        """Two contacts are one: the first keeps its id, and what of the other was told later."""
        for names in (self._resolved, self._by_id, self._loaded, self._by_alias, self._aliases):
            _replace(names, other, contact)
        for index in (self._by_phone, self._by_wa, self._by_user):
            _replace(index, other, contact)
        self._unsaved.pop(other["id"], None)
        if other["id"] in self._stored:
            self.absorbed[other["id"]] = contact["id"]
            for source, target in self.absorbed.items():
                if target == other["id"]:
                    self.absorbed[source] = contact["id"]
        else:
            self._counted.unmake("contacts")
        phone, user = Person(other["phone"], other["wa_id"]), Person(wa_user_id=other["wa_user_id"])
        self._place(contact, phone, other["phone_at"])
        self._place(contact, user, other["user_at"])
        portraits.merge(contact, other)
        self._change(contact)

    def _place(self, contact: Contact, person: Person, at: int) -> None:
        """The contact goes by these names too; by which it is called, the last telling decides."""
        if person.phone:
            before = contact["phone"]
            if self._take(contact, "phone", person.phone, at) and before is not None:
                contact["wa_id"] = None
        if person.wa_id and person.phone in (None, contact["phone"]):
            self._take_number(contact, person.wa_id)
        if person.wa_user_id:
            self._take(contact, "user", person.wa_user_id, at)
        self._index(contact)

    def _take(self, contact: Contact, kind: str, name: str, at: int) -> bool:
        """Note a name; returns whether the contact is called by it from now on."""
        column, column_at = ("phone", "phone_at") if kind == "phone" else ("wa_user_id", "user_at")
        called, called_at = contact[column], contact[column_at]
        if name == called:
            if at > called_at:
                contact[column_at] = at
                self._unsaved[contact["id"]] = contact
            return False
        if called is not None and (at, name) <= (called_at, called):
            self._alias(contact, name)
            return False
        if called is not None:
            self._alias(contact, called)
        contact[column], contact[column_at] = name, at
        self._change(contact)
        return True

    def _take_number(self, contact: Contact, wa_id: str) -> None:
        """Of several ids that WhatsApp has for one number, any does, but always the same."""
        if contact["wa_id"] is None or wa_id > contact["wa_id"]:
            if contact["wa_id"] is not None:
                self._alias(contact, f"+{contact['wa_id']}")
            contact["wa_id"] = wa_id
            self._change(contact)
        elif wa_id != contact["wa_id"]:
            self._alias(contact, f"+{wa_id}")

    def _alias(self, contact: Contact, name: str) -> None:
        if self._by_alias.get(name) is not contact:
            self._by_alias[name] = self._aliases[name] = contact
            self._counted.changed = True

    def _make(self, at: int) -> Contact:
        contact = changes.blank("contact")
        contact.update(
            account_id=self._account_id,
            id=self._ids.next("contact"),
            name_rank=0,
            name_key="",
            blocked=0,
            custom_json="{}",
            phone_at=0,
            user_at=0,
            search="",
            created_at=at,
            updated_at=self._now,
        )
        self._unsaved[contact["id"]] = contact
        self._counted.new("contacts")
        return contact

    def _index(self, contact: Contact) -> None:
        if contact["wa_user_id"]:
            self._by_user[contact["wa_user_id"]] = contact
        if contact["phone"]:
            self._by_phone[contact["phone"]] = contact
        if contact["wa_id"]:
            self._by_wa.setdefault(contact["wa_id"], contact)

    def _change(self, contact: Contact) -> None:
        contact["updated_at"] = self._now
        self._unsaved[contact["id"]] = contact
        self._counted.changed = True


def _wa_number(person: Person) -> str | None:
    """The digits by which WhatsApp knows the person's number."""
    return person.wa_id or (person.phone.removeprefix("+") if person.phone else None)


def _name_count(person: Person) -> int:
    """How many names a person has that may lead to different contacts."""
    number = person.wa_id is not None and person.phone != f"+{person.wa_id}"
    return sum((person.phone is not None, number, person.wa_user_id is not None))


def _replace(index: dict[Any, Contact], old: Contact, new: Contact) -> None:
    for name in [name for name, contact in index.items() if contact is old]:
        index[name] = new
