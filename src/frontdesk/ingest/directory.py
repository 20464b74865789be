"""In-memory index of a batch's contacts by phone, wa_id, user id and alias."""

from collections.abc import Iterator
from typing import Any

from frontdesk.ingest.events import Person
from frontdesk.ingest.portraits import Contact


class Directory:
    """Finds contacts by phone number, wa_id, user id or alias."""

    def __init__(self) -> None:
        self._by_user: dict[str, Contact] = {}
        self._by_phone: dict[str, Contact] = {}
        self._by_wa: dict[str, Contact] = {}
        self._by_alias: dict[str, Contact] = {}
        # Stored contact id to the contact that it now belongs to.
        self.stored: dict[int, Contact] = {}

    def found(self, person: Person) -> Iterator[Contact]:
        """Yield the contacts of a person's identifiers; that of the phone first."""
        phone, number, user = person.phone, wa_number(person), person.wa_user_id
        if phone and (contact := self._by_phone.get(phone) or self._by_alias.get(phone)):
            yield contact
        if number and (contact := self._by_wa.get(number) or self._by_alias.get(f"+{number}")):
            yield contact
        if user and (contact := self._by_user.get(user) or self._by_alias.get(user)):
            yield contact

    def called(self, name: str) -> Contact | None:
        """Return the contact of a name in the format of `principal_name`."""
        person = Person(name) if name.startswith("+") else Person(wa_user_id=name)
        return next(self.found(person), None)

    def enter(self, contact: Contact) -> None:
        """Index a contact by its identifiers."""
        if contact["wa_user_id"]:
            self._by_user[contact["wa_user_id"]] = contact
        if contact["phone"]:
            self._by_phone[contact["phone"]] = contact
        if contact["wa_id"]:
            self._by_wa.setdefault(contact["wa_id"], contact)

    def lead(self, name: str, contact: Contact) -> bool:
        """Add an alias; returns False if it existed."""
        if self._by_alias.get(name) is contact:
            return False
        self._by_alias[name] = contact
        return True

    def drop(self, name: str) -> bool:
        """Remove an alias; returns False if it did not exist."""
        return self._by_alias.pop(name, None) is not None

    def other_names(self, contact: Contact) -> set[str]:
        """Return the indexed aliases of a contact."""
        return {name for name, one in self._by_alias.items() if one is contact}

    def replace(self, old: Contact, new: Contact) -> None:
        """Repoint all identifiers of one contact to another."""
        for index in (self._by_user, self._by_phone, self._by_wa, self._by_alias, self.stored):
            replace(index, old, new)


def replace(index: dict[Any, Contact], old: Contact, new: Contact) -> None:
    for name in [name for name, contact in index.items() if contact is old]:
        index[name] = new


def wa_number(person: Person) -> str | None:
    """Return the digits of the person's WhatsApp number."""
    return person.wa_id or (person.phone.removeprefix("+") if person.phone else None)


def principal_name(person: Person) -> str:
    """Return the name used in identity changes: a number with +, or a user id."""
    number = f"+{person.wa_id}" if person.wa_id else None
    return person.phone or number or person.wa_user_id or ""
