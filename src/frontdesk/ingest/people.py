"""Contacts: found by what an event calls a person, made on first sight (rule R1)."""

import json
from collections.abc import Iterable
from typing import Any

from frontdesk.ingest.applied import Counted
from frontdesk.ingest.events import ContactUpsert, Person
from frontdesk.store import changes, known
from frontdesk.store.database import Connection
from frontdesk.store.folding import name_key
from frontdesk.store.ids import Ids

Contact = dict[str, Any]


class People:
    """The contacts that one batch names. Identity: wa_user_id, then phone, then wa_id or alias."""

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
        self._unsaved: dict[int, Contact] = {}
        self._resolved: dict[Person, Contact] = {}
        self._by_id: dict[int, Contact] = {}

    def load(self, persons: Iterable[Person]) -> list[int]:
        """Read those of the people who are known; returns the ids of their contacts."""
        # Most events share few objects, and comparing those is much cheaper than their contents.
        named = set({id(person): person for person in persons}.values())
        if not named or not self._ids.any("contact"):
            return []
        phones = {person.phone for person in named if person.phone}
        stored = known.contacts(
            self._connection,
            self._account_id,
            phones=phones,
            wa_ids={number for person in named if (number := _wa_number(person))},
            wa_user_ids={person.wa_user_id for person in named if person.wa_user_id},
        )
        contacts = {row["id"]: dict(row) for row in stored}
        for phone, row in known.aliased_contacts(
            self._connection, self._account_id, phones
        ).items():
            contact = contacts.setdefault(row["id"], dict(row))
            self._by_wa[phone.removeprefix("+")] = contact
        for contact in contacts.values():
            self._index(contact)
        return list(contacts)

    def contact_id(self, person: Person, at: int) -> int:
        """The id of a person's contact, which is made if it is unknown."""
        contact = self._resolved.get(person)
        if contact is None:
            contact = self._find(person) or self._make(person, at)
            self._resolved[person] = self._by_id[contact["id"]] = contact
            self._identify(contact, person)
        if at < contact["created_at"]:
            contact["created_at"] = at
            self._unsaved[contact["id"]] = contact
        return int(contact["id"])

    def seen(self, contact_id: int, at: int) -> None:
        """A contact of this batch took part in a message."""
        contact = self._by_id[contact_id]
        if contact["last_activity_at"] is None or at > contact["last_activity_at"]:
            self._change(contact, {"last_activity_at": at})

    def tell(self, event: ContactUpsert) -> None:
        """Fill in what is told of a person."""
        made = self._find(event.person) is None
        self.contact_id(event.person, event.at)
        contact = self._resolved[event.person]
        named = self._name(contact, event)
        described = self._describe(contact, event)
        if made:
            return
        if named or described:
            self._counted.change("contacts")
        else:
            self._counted.known("contacts")

    def unsaved(self) -> list[Contact]:
        """The rows that `save` writes."""
        return list(self._unsaved.values())

    def save(self) -> None:
        """Write what was made or filled in."""
        changes.save_contacts(self._connection, self._account_id, self._unsaved.values())

    def _find(self, person: Person) -> Contact | None:
        return (
            self._by_user.get(person.wa_user_id or "")
            or self._by_phone.get(person.phone or "")
            or self._by_wa.get(_wa_number(person) or "")
        )

    def _make(self, person: Person, at: int) -> Contact:
        contact = changes.blank("contact")
        contact.update(
            account_id=self._account_id,
            id=self._ids.next("contact"),
            name_rank=0,
            name_key="",
            named_at=0,
            blocked=0,
            custom_json="{}",
            told_at=0,
            search="",
            created_at=at,
            updated_at=self._now,
        )
        self._unsaved[contact["id"]] = contact
        self._counted.new("contacts")
        return contact

    def _identify(self, contact: Contact, person: Person) -> None:
        """Keep the names by which the person is found, as far as they are nobody else's."""
        told: dict[str, Any] = {}
        if person.phone and contact["phone"] is None and person.phone not in self._by_phone:
            told["phone"] = person.phone
        if person.wa_user_id and contact["wa_user_id"] is None:
            told["wa_user_id"] = person.wa_user_id
        if person.wa_id and contact["wa_id"] is None:
            told["wa_id"] = person.wa_id
        if told:
            self._change(contact, told)
        self._index(contact)

    def _index(self, contact: Contact) -> None:
        if contact["wa_user_id"]:
            self._by_user[contact["wa_user_id"]] = contact
        if contact["phone"]:
            self._by_phone[contact["phone"]] = contact
        if contact["wa_id"]:
            self._by_wa.setdefault(contact["wa_id"], contact)

    def _name(self, contact: Contact, event: ContactUpsert) -> bool:
        """The best name wins, among equals the latest; returns whether the name changed."""
        if event.name is None:
            return False
        rank, at = contact["name_rank"], contact["named_at"]
        if (event.name_rank, event.at) <= (rank, at):
            return False
        contact.update(name_rank=event.name_rank, named_at=event.at)
        self._unsaved[contact["id"]] = contact
        if event.name == contact["name"]:
            return False
        self._change(contact, {"name": event.name, "name_key": name_key(event.name)})
        return True

    def _describe(self, contact: Contact, event: ContactUpsert) -> bool:
        """What is told later overwrites, what is told late only fills in."""
        newer = event.at > contact["told_at"]
        told = {
            "profile_name": event.profile_name,
            "username": event.username,
            "email": event.email,
            "blocked": None if event.blocked is None or not newer else int(event.blocked),
            "custom_json": _merged_fields(contact["custom_json"], event, newer=newer),
        }
        differing = {
            name: value
            for name, value in told.items()
            if value is not None
            and value != contact[name]
            and (newer or contact[name] is None or name == "custom_json")
        }
        if newer:
            contact["told_at"] = event.at
            self._unsaved[contact["id"]] = contact
        if differing:
            self._change(contact, differing)
        return bool(differing)

    def _change(self, contact: Contact, told: dict[str, Any]) -> None:
        contact.update(told, updated_at=self._now)
        self._unsaved[contact["id"]] = contact
        self._counted.changed = True


def _wa_number(person: Person) -> str | None:
    """The digits by which WhatsApp knows the person's number."""
    return person.wa_id or (person.phone.removeprefix("+") if person.phone else None)


def _merged_fields(stored: str, event: ContactUpsert, *, newer: bool) -> str | None:
    if not event.custom_fields:
        return None
    before = json.loads(stored)
    merged = {**before, **event.custom_fields} if newer else {**event.custom_fields, **before}
    return json.dumps(merged, ensure_ascii=False, sort_keys=True)
