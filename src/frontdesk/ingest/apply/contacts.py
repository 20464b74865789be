"""Finds or creates the contacts of a batch, and merges those of one person."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from frontdesk.ingest.apply import contact_facts
from frontdesk.ingest.apply.contact_facts import Contact
from frontdesk.ingest.apply.contact_merge import (
    ContactIndex,
    ContactParts,
    PartMove,
    replace,
    wa_number,
)
from frontdesk.ingest.apply.context import BatchCounts
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    ContactRemove,
    ContactUpsert,
    IdentityChange,
    Person,
)
from frontdesk.store import lookups, writes
from frontdesk.store.database import Connection
from frontdesk.store.writes import Ids

# Person, time of the event, and the same time if the person sent it or it is about them, else 0.
Sighting = tuple[Person, int, int]
# Persons named by copies of one message, with the time of each; and, if the message is stored, its
# contact id and part id.
Namesakes = tuple[Mapping[Person, int], tuple[int, int] | None]


class Contacts:
    """Contacts named by a batch, identified by wa_user_id, then phone, then wa_id or alias.

    Contacts that turn out to be one person are merged. The latest identifiers become the contact's
    own, older ones aliases. Call `load`, then `settle`, before any other method.
    """

    def __init__(
        self, connection: Connection, account_id: int, now: int, ids: Ids, counted: BatchCounts
    ) -> None:
        self._connection = connection
        self._account_id = account_id
        self._now = now
        self._ids = ids
        self._counted = counted
        self._directory = ContactIndex()
        self._parts = ContactParts(connection, account_id, now, ids, counted, self._directory)
        self._aliases: dict[str, Contact] = {}
        self._no_aliases: set[str] = set()
        self._unsaved: dict[int, Contact] = {}
        self._stored: set[int] = set()
        self._resolved: dict[Person, Contact] = {}
        # Stored contacts merged into others: {old id: new id}.
        self._absorbed: dict[int, int] = {}

    def load(self, persons: Iterable[Person], contact_ids: Collection[int] = ()) -> list[int]:
        """Read the known contacts, and those with these ids; return the contact ids."""
        # Most events share few objects, and comparing identities is much cheaper than values.
        named = set({id(person): person for person in persons}.values())
        if not (named or contact_ids) or not self._ids.any("contact"):
            return []
        phones = {person.phone for person in named if person.phone}
        numbers = {number for person in named if (number := wa_number(person))}
        users = {person.wa_user_id for person in named if person.wa_user_id}
        stored = lookups.contacts(
            self._connection,
            self._account_id,
            phones=phones,
            wa_ids=numbers,
            wa_user_ids=users,
            ids=contact_ids,
        )
        contacts = {row["id"]: dict(row) for row in stored}
        names = phones | users | {f"+{number}" for number in numbers}
        aliases = lookups.aliased_contacts(self._connection, self._account_id, names)
        for row in aliases.values():
            contacts.setdefault(row["id"], dict(row))
        for contact in self._parts.load(contacts):
            self._directory.stored[contact["id"]] = contact
            self._directory.enter(contact)
        for name, row in aliases.items():
            if not self._parts.consists(row["id"]):
                self._directory.lead(name, contacts[row["id"]])
        self._stored = set(self._directory.stored)
        return list(contacts)

    def settle(
        self,
        sightings: Iterable[Sighting],
        namesakes: Iterable[Namesakes],
        moves: Iterable[IdentityChange],
    ) -> None:
        """Resolve persons to contacts, and apply identity changes."""
        earliest: dict[Person, int] = {}
        told: dict[Person, int] = {}
        for person, at, told_at in sightings:
            if at < earliest.get(person, at + 1):
                earliest[person] = at
            if told_at > told.get(person, -1):
                told[person] = told_at
        # Persons with several identifiers first: they connect contacts.
        for person in sorted(earliest, key=_name_count, reverse=True):
            self._known(person, earliest[person])
            self._place(self._resolved[person], person, told[person])
        for persons, stored in namesakes:
            self._unite(persons, None if stored is None else stored[1])
        self._parts.settle(moves)

    def contact_id(self, person: Person, at: int) -> int:
        """Return the id of a person's contact; creates it if unknown."""
        return self._parts.home(self._known(person, at)["id"])

    def part(self, person: Person) -> int | None:
        """Return the part of the contact that a person is; None if it has the contact's own id."""
        part_id = int(self._resolved[person]["id"])
        return None if self._parts.home(part_id) == part_id else part_id

    def reach(self, part_id: int, channel_id: int, at: int) -> None:
        """Record that a part or contact has had a conversation since `at` or earlier."""
        self._parts.reach(part_id, channel_id, at)

    def seen(self, person: Person, at: int) -> None:
        """Record that a person took part in a message."""
        contact = self._resolved[person]
        if contact["last_activity_at"] is None or at > contact["last_activity_at"]:
            contact["last_activity_at"] = at
            self._change(contact)

    def shares(self) -> dict[int, list[PartMove]]:
        """Return what became of stored contacts that were merged or split, by id."""
        plain = {
            id_: [PartMove(id_, into, into, None)]
            for id_, into in self._absorbed.items()
            if not self._parts.has(into)
        }
        return plain | self._parts.shares()

    def tell(self, event: ContactUpsert) -> None:
        """Apply facts about a person."""
        self._tell(event.person, event.at, contact_facts.told(event))

    def remove(self, event: ContactRemove) -> None:
        """Remove the address book name; a later event may set it again."""
        self._tell(event.person, event.at, {f"name.{ADDRESS_BOOK_NAME}": None})

    def unsaved(self) -> list[Contact]:
        """Return the rows that `save` writes."""
        plain = (one for one in self._unsaved.values() if not self._parts.has(one["id"]))
        return [*map(contact_facts.sealed, plain), *self._parts.contacts()]

    def save(self) -> None:
        place = self._connection, self._account_id
        absorbed = {
            source: target
            for source, target in self._absorbed.items()
            if not self._parts.has(target)
        }
        contacts = self.unsaved()
        writes.drop_contacts(*place, sorted({*absorbed, *self._parts.gone()}))
        writes.move_aliases(*place, absorbed)
        writes.clear_unique_names(
            *place, [one["id"] for one in contacts if self._parts.has(one["id"])]
        )
        writes.save_contacts(*place, contacts)
        writes.drop_aliases(*place, sorted(self._no_aliases))
        aliases = [
            {"account_id": self._account_id, "phone": name, "contact_id": contact["id"]}
            for name, contact in sorted(self._aliases.items())
            if not self._parts.has(contact["id"])
        ]
        writes.save(self._connection, "alias", aliases)
        self._parts.save()

    def _tell(self, person: Person, at: int, told: Mapping[str, Any]) -> None:
        contact = self._known(person, at)
        changed = contact_facts.tell(contact, told, at)
        if changed is not None:
            self._unsaved[contact["id"]] = contact
        if changed:
            self._change(contact)
        if contact["id"] in self._stored:
            (self._counted.change if changed else self._counted.known)("contacts")

    def _known(self, person: Person, at: int) -> Contact:
        contact = self._resolved.get(person)
        if contact is None:
            contact = self._resolve(person, at)
            self._place(contact, person, 0)
        if at < contact["created_at"]:
            contact["created_at"] = at
            self._unsaved[contact["id"]] = contact
        return contact

    def _resolve(self, person: Person, at: int) -> Contact:
        found = {contact["id"]: contact for contact in self._directory.found(person)}
        contact, *others = sorted(found.values(), key=self._precedence) or [self._make(at)]
        for other in others:
            self._absorb(contact, other)
        self._resolved[person] = contact
        return contact

    def _precedence(self, contact: Contact) -> tuple[bool, bool, int]:
        """Sort key of the contact that remains after a merge: stored, with a number, the oldest."""
        return contact["id"] not in self._stored, contact["phone"] is None, contact["id"]

    def _unite(self, persons: Mapping[Person, int], part_id: int | None) -> None:
        """Merge the persons named by copies of one message, unless they have different numbers."""
        lookups = [] if part_id is None else [self._directory.stored[part_id]]
        found = {one["id"]: one for one in lookups}
        for person in persons:
            found |= {one["id"]: one for one in self._directory.found(person)}
        numbered = [one for one in found.values() if one["phone"] is not None]
        if len(numbered) > 1 or not found:
            return
        contact, *others = sorted(found.values(), key=self._precedence)
        for other in others:
            self._absorb(contact, other)
        for person in persons:
            if None in (person.phone, contact["phone"]) or person.phone == contact["phone"]:
                self._resolved[person] = contact
                self._place(contact, person, 0)
                self._known(person, persons[person])

    def _absorb(self, contact: Contact, other: Contact) -> None:
        """Merge `other` into `contact`, which keeps its id; newer facts win."""
        for names in (self._resolved, self._aliases):
            replace(names, other, contact)
        self._directory.replace(other, contact)
        self._unsaved.pop(other["id"], None)
        if other["id"] in self._stored:
            self._absorbed[other["id"]] = contact["id"]
            for source, target in self._absorbed.items():
                if target == other["id"]:
                    self._absorbed[source] = contact["id"]
        else:
            self._counted.unmake("contacts")
        phone, user = Person(other["phone"], other["wa_id"]), Person(wa_user_id=other["wa_user_id"])
        self._place(contact, phone, other["phone_at"])
        self._place(contact, user, other["user_at"])
        contact_facts.merge(contact, other)
        self._change(contact)

    def _place(self, contact: Contact, person: Person, at: int) -> None:
        """Add a person's identifiers to a contact; the latest become its own."""
        if person.phone:
            before = contact["phone"]
            if self._take(contact, "phone", person.phone, at) and before is not None:
                contact["wa_id"] = None
        if person.wa_id and person.phone in (None, contact["phone"]):
            self._take_number(contact, person.wa_id)
        if person.wa_user_id:
            self._take(contact, "user", person.wa_user_id, at)
        self._directory.enter(contact)

    def _take(self, contact: Contact, kind: str, name: str, at: int) -> bool:
        """Set or alias an identifier; return True if it became the contact's own."""
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
        if self._directory.drop(name):
            self._aliases.pop(name, None)
            self._no_aliases.add(name)
        contact[column], contact[column_at] = name, at
        self._change(contact)
        return True

    def _take_number(self, contact: Contact, wa_id: str) -> None:
        """Of several wa_ids of one number, keep the greatest, so that order does not matter."""
        if contact["wa_id"] is None or wa_id > contact["wa_id"]:
            if contact["wa_id"] is not None:
                self._alias(contact, f"+{contact['wa_id']}")
            contact["wa_id"] = wa_id
            self._change(contact)
        elif wa_id != contact["wa_id"]:
            self._alias(contact, f"+{wa_id}")

    def _alias(self, contact: Contact, name: str) -> None:
        if self._directory.lead(name, contact):
            self._aliases[name] = contact
            self._counted.changed = True

    def _make(self, at: int) -> Contact:
        contact = writes.blank("contact")
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

    def _change(self, contact: Contact) -> None:
        contact["updated_at"] = self._now
        self._unsaved[contact["id"]] = contact
        self._counted.changed = True


def _name_count(person: Person) -> int:
    """Count the identifiers that may lead to different contacts."""
    number = person.wa_id is not None and person.phone != f"+{person.wa_id}"
    return sum((person.phone is not None, number, person.wa_user_id is not None))
