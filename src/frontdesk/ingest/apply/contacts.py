"""Finds or creates the contacts of a batch, and merges those of one person.

The rules are in docs/contact-merging.md. `contact_merging.py` finds the contacts of a person.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, cast

from frontdesk.ingest.apply.contact_merging import (
    BatchContact,
    ContactIndex,
    ContactParts,
    PartMove,
    facts_of,
    repoint,
    wa_number,
)
from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    ContactMention,
    ContactRemove,
    ContactUpsert,
    IdentityChange,
    Person,
)
from frontdesk.store import lookups, writes
from frontdesk.store.rows import AliasRow, ContactRow, blank
from frontdesk.text.phones import canonical_phone, is_same_phone, phone_forms

# Person, time of the event, and the same time if the person sent it or it is about them, else 0.
Sighting = tuple[Person, int, int]
# Persons named by copies of one message, with the time of each; and, if the message is stored, its
# contact id and part id.
Copies = tuple[Mapping[Person, int], tuple[int, int] | None]


Identifier = Literal["phone", "wa_user_id"]
_TIME_OF: Mapping[Identifier, Literal["phone_at", "user_at"]] = {
    "phone": "phone_at",
    "wa_user_id": "user_at",
}


class Contacts:
    """Contacts named by a batch, identified by wa_user_id, then phone, then wa_id or alias.

    Contacts that turn out to be one person are merged. The latest identifiers become the contact's
    own, older ones aliases. Call `load`, then `settle`, before any other method.
    """

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._index = ContactIndex()
        self._parts = ContactParts(context, self._index)
        self._aliases: dict[str, BatchContact] = {}
        self._no_aliases: set[str] = set()
        # Of contacts of which conversations show a change.
        self.changed_ids: set[int] = set()
        self._unsaved: dict[int, BatchContact] = {}
        self._stored: set[int] = set()
        self._resolved: dict[Person, BatchContact] = {}
        # Stored contacts merged into others: {old id: new id}.
        self._merged_ids: dict[int, int] = {}

    def load(self, persons: Iterable[Person], contact_ids: Collection[int] = ()) -> list[int]:
        """Read the known contacts, and those with these ids; return the contact ids."""
        # Most events share few objects, and comparing identities is much cheaper than values.
        named = set({id(person): person for person in persons}.values())
        if not (named or contact_ids) or not self._context.ids.any("contact"):
            return []
        phones = {form for person in named if person.phone for form in phone_forms(person.phone)}
        numbers = {number for person in named if (number := wa_number(person))}
        numbers = {form for number in numbers for form in phone_forms(f"+{number}")}
        users = {person.wa_user_id for person in named if person.wa_user_id}
        stored = lookups.contacts(
            self._context.connection,
            self._context.account_id,
            phones=phones,
            wa_ids={number.removeprefix("+") for number in numbers},
            wa_user_ids=users,
            ids=contact_ids,
        )
        contacts = {row["id"]: BatchContact.of(row) for row in stored}
        aliases = lookups.aliased_contacts(*self._context.account, phones | users | numbers)
        for row in aliases.values():
            contacts.setdefault(row["id"], BatchContact.of(row))
        for contact in self._parts.load(contacts):
            self._index.stored[contact.id] = contact
            self._index.add(contact)
        for name, row in aliases.items():
            if not self._parts.is_merged(row["id"]):
                self._index.add_alias(name, contacts[row["id"]])
        self._stored = set(self._index.stored)
        return list(contacts)

    def settle(
        self,
        sightings: Iterable[Sighting],
        copies: Iterable[Copies],
        moves: Iterable[IdentityChange],
        mentions: Iterable[ContactMention] = (),
    ) -> None:
        """Resolve persons to contacts, and apply identity changes."""
        for mention in mentions:
            self._add_former_names(mention)
        earliest: dict[Person, int] = {}
        latest: dict[Person, int] = {}
        for person, at, active_at in sightings:
            if at < earliest.get(person, at + 1):
                earliest[person] = at
            if active_at > latest.get(person, -1):
                latest[person] = active_at
        for contact, other in self._index.doubles:
            self._merge(*sorted((contact, other), key=self._precedence))
        # Persons with several identifiers first: they connect contacts.
        for person in sorted(earliest, key=_name_count, reverse=True):
            self._get_or_create(person, earliest[person])
            self._identify(self._resolved[person], person, latest[person])
        for persons, stored in copies:
            self._unite(persons, None if stored is None else stored[1])
        self._parts.settle(moves)

    def contact_id(self, person: Person, at: int) -> int:
        """Return the id of a person's contact; creates it if unknown."""
        return self._parts.contact_id(self._get_or_create(person, at).id)

    def part(self, person: Person) -> int | None:
        """Return the part of the contact that a person is; None if it has the contact's own id."""
        part_id = self._resolved[person].id
        return None if self._parts.contact_id(part_id) == part_id else part_id

    def extend_back(self, part_id: int, channel_id: int, at: int) -> None:
        """Record that a part or contact has had a conversation since `at` or earlier."""
        self._parts.extend_back(part_id, channel_id, at)

    def record_activity(self, person: Person, at: int) -> None:
        """Record that a person took part in a message."""
        contact = self._resolved[person]
        if contact.row["last_activity_at"] is None or at > contact.row["last_activity_at"]:
            contact.row["last_activity_at"] = at
            self._change(contact, visible=False)

    def moves(self) -> dict[int, list[PartMove]]:
        """Return what became of stored contacts that were merged or split, by id."""
        plain = {
            id_: [PartMove(id_, into, into, None)]
            for id_, into in self._merged_ids.items()
            if not self._parts.has(into)
        }
        return plain | self._parts.moves()

    def apply(self, event: ContactUpsert) -> None:
        """Apply facts about a person."""
        self._apply_facts(event.person, event.at, facts_of(event))

    def remove(self, event: ContactRemove) -> None:
        """Remove the address book name; a later event may set it again."""
        self._apply_facts(event.person, event.at, {f"name.{ADDRESS_BOOK_NAME}": None})

    def unsaved(self) -> list[ContactRow]:
        """Return the rows that `save` writes."""
        plain = (contact for contact in self._unsaved.values() if not self._parts.has(contact.id))
        return [*map(BatchContact.encoded, plain), *self._parts.contacts()]

    def save(self) -> None:
        merged_ids = {
            source: target
            for source, target in self._merged_ids.items()
            if not self._parts.has(target)
        }
        contacts = self.unsaved()
        place = self._context.account
        writes.drop_contacts(*place, sorted({*merged_ids, *self._parts.removed_ids()}))
        writes.move_aliases(*place, merged_ids)
        writes.clear_unique_names(
            *place, [row["id"] for row in contacts if self._parts.has(row["id"])]
        )
        writes.save_contacts(*place, contacts)
        writes.delete_rows(*place, "contact_alias", "phone", sorted(self._no_aliases))
        aliases: list[AliasRow] = [
            {"account_id": self._context.account_id, "phone": name, "contact_id": contact.id}
            for name, contact in sorted(self._aliases.items())
            if not self._parts.has(contact.id)
        ]
        writes.save(self._context.connection, "alias", aliases)
        self._parts.save()

    def _add_former_names(self, mention: ContactMention) -> None:
        """Make a contact found by its further names, unless another one has them."""
        contact = self._get_or_create(mention.person, mention.at)
        for name in mention.former_names:
            if next(self._index.contacts_of(Person.named(name)), None) is None:
                self._alias(contact, name)

    def _apply_facts(self, person: Person, at: int, facts: Mapping[str, Any]) -> None:
        contact = self._get_or_create(person, at)
        changed = contact.apply(facts, at)
        if changed is not None:
            self._unsaved[contact.id] = contact
        if changed:
            self._change(contact)
        if contact.id in self._stored:
            self._context.counts.add("contacts", "changed" if changed else "known")

    def _get_or_create(self, person: Person, at: int) -> BatchContact:
        contact = self._resolved.get(person)
        if contact is None:
            contact = self._resolve(person, at)
            self._identify(contact, person, 0)
        if at < contact.row["created_at"]:
            contact.row["created_at"] = at
            self._unsaved[contact.id] = contact
        return contact

    def _resolve(self, person: Person, at: int) -> BatchContact:
        matches = {contact.id: contact for contact in self._index.contacts_of(person)}
        contact, *others = sorted(matches.values(), key=self._precedence) or [self._make(at)]
        for other in others:
            self._merge(contact, other)
        self._resolved[person] = contact
        return contact

    def _precedence(self, contact: BatchContact) -> tuple[bool, bool, int]:
        """Sort key of the contact that remains after a merge: stored, with a number, the oldest."""
        return contact.id not in self._stored, contact.row["phone"] is None, contact.id

    def _unite(self, persons: Mapping[Person, int], part_id: int | None) -> None:
        """Merge the persons named by copies of one message, unless they have different numbers."""
        lookups = [] if part_id is None else [self._index.stored[part_id]]
        matches = {lookup.id: lookup for lookup in lookups}
        for person in persons:
            matches |= {contact.id: contact for contact in self._index.contacts_of(person)}
        numbered = [contact for contact in matches.values() if contact.row["phone"] is not None]
        if len(numbered) > 1 or not matches:
            return
        contact, *others = sorted(matches.values(), key=self._precedence)
        for other in others:
            self._merge(contact, other)
        for person in persons:
            own, phone = contact.row["phone"], person.phone
            if None in (phone, own) or is_same_phone(phone, own):
                self._resolved[person] = contact
                self._identify(contact, person, 0)
                self._get_or_create(person, persons[person])

    def _merge(self, contact: BatchContact, other: BatchContact) -> None:
        """Merge `other` into `contact`, which keeps its id; newer facts win."""
        for names in (self._resolved, self._aliases):
            repoint(names, other, contact)
        self._index.repoint(other, contact)
        self._unsaved.pop(other.id, None)
        if other.id in self._stored:
            self._merged_ids[other.id] = contact.id
            for source, target in self._merged_ids.items():
                if target == other.id:
                    self._merged_ids[source] = contact.id
        else:
            self._context.counts.discount("contacts")
        phone, user = (
            Person(other.row["phone"], other.row["wa_id"]),
            Person(wa_user_id=other.row["wa_user_id"]),
        )
        self._identify(contact, phone, other.row["phone_at"])
        self._identify(contact, user, other.row["user_at"])
        contact.merge(other)
        self._change(contact)

    def _identify(self, contact: BatchContact, person: Person, at: int) -> None:
        """Add a person's identifiers to a contact; the latest become its own."""
        if person.phone:
            before = contact.row["phone"]
            if self._set_or_alias(contact, "phone", person.phone, at) and before is not None:
                contact.row["wa_id"] = None
        own = contact.row["phone"]
        if person.wa_id and (person.phone is None or is_same_phone(person.phone, own)):
            self._set_wa_id(contact, person.wa_id)
        if person.wa_user_id:
            self._set_or_alias(contact, "wa_user_id", person.wa_user_id, at)
        self._index.add(contact)

    def _set_or_alias(self, contact: BatchContact, kind: Identifier, name: str, at: int) -> bool:
        """Set or alias an identifier; return True if it became the contact's own."""
        row, column_at = contact.row, _TIME_OF[kind]
        current, current_at = row[kind], row[column_at]
        if is_same_phone(name, current):
            if (at, name) > (current_at, current):
                row[kind], row[column_at] = name, at
                self._unsaved[contact.id] = contact
            if row[kind] != current:
                self._change(contact)
            return False
        if current is not None and (at, name) <= (current_at, current):
            self._alias(contact, name)
            return False
        if current is not None:
            self._alias(contact, current)
        if self._index.drop_alias(name):
            self._aliases.pop(canonical_phone(name), None)
            self._no_aliases.update(phone_forms(name))
        row[kind], row[column_at] = name, at
        self._change(contact)
        return True

    def _set_wa_id(self, contact: BatchContact, wa_id: str) -> None:
        """Of several wa_ids of one number, keep the greatest, so that order does not matter."""
        current = contact.row["wa_id"]
        known = {wa_id} if current is None else {wa_id, current}
        greatest = max(known)
        if greatest != current:
            contact.row["wa_id"] = greatest
            self._change(contact)
        for other in known - {greatest}:
            if not is_same_phone(f"+{other}", contact.row["phone"]):
                self._alias(contact, f"+{other}")

    def _alias(self, contact: BatchContact, name: str) -> None:
        """Add an alias in its canonical form."""
        if self._index.add_alias(name, contact):
            self._aliases[canonical_phone(name)] = contact
            self._context.counts.changed = True

    def _make(self, at: int) -> BatchContact:
        columns = blank("contact") | {
            "account_id": self._context.account_id,
            "id": self._context.ids.next("contact"),
            "created_at": at,
            "updated_at": self._context.now,
        }
        contact = BatchContact(cast(ContactRow, columns), {})
        self._unsaved[contact.id] = contact
        self._context.counts.add("contacts", "new")
        return contact

    def _change(self, contact: BatchContact, *, visible: bool = True) -> None:
        """visible: conversations with the contact show it."""
        contact.row["updated_at"] = self._context.now
        if visible:
            self.changed_ids.add(contact.id)
        self._unsaved[contact.id] = contact
        self._context.counts.changed = True


def _name_count(person: Person) -> int:
    """Count the identifiers that may lead to different contacts."""
    number = person.wa_id is not None and person.phone != f"+{person.wa_id}"
    return sum((person.phone is not None, number, person.wa_user_id is not None))
