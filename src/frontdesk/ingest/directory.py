"""The contacts of one batch by everything that they are called."""

from collections.abc import Iterator
from typing import Any

from frontdesk.ingest.events import Person
from frontdesk.ingest.portraits import Contact


class Directory:
    """Finds contacts by number, by WhatsApp's id for it, by user id, by alias and by their id."""

    def __init__(self) -> None:
        self._by_user: dict[str, Contact] = {}
        self._by_phone: dict[str, Contact] = {}
        self._by_wa: dict[str, Contact] = {}
        self._by_alias: dict[str, Contact] = {}
        # Which contact a stored one is by now.
        self.stored: dict[int, Contact] = {}

    def found(self, person: Person) -> Iterator[Contact]:
        """Whom each of a person's names leads to; the phone's contact first."""
        phone, number, user = person.phone, wa_number(person), person.wa_user_id
        if phone and (contact := self._by_phone.get(phone) or self._by_alias.get(phone)):
            yield contact
        if number and (contact := self._by_wa.get(number) or self._by_alias.get(f"+{number}")):
            yield contact
        if user and (contact := self._by_user.get(user) or self._by_alias.get(user)):
            yield contact

    def called(self, name: str) -> Contact | None:
        """Whom one name leads to, as `principal_name` has it."""
        person = Person(name) if name.startswith("+") else Person(wa_user_id=name)
        return next(self.found(person), None)

    def enter(self, contact: Contact) -> None:
        """Have a contact found by what it is called."""
        if contact["wa_user_id"]:
            self._by_user[contact["wa_user_id"]] = contact
        if contact["phone"]:
            self._by_phone[contact["phone"]] = contact
        if contact["wa_id"]:
            self._by_wa.setdefault(contact["wa_id"], contact)

    def lead(self, name: str, contact: Contact) -> bool:
        """Have a contact found by another name; returns whether it was not yet."""
        if self._by_alias.get(name) is contact:
            return False
        self._by_alias[name] = contact
        return True

    def drop(self, name: str) -> bool:
        """A name is no alias any more; returns whether it was one."""
        return self._by_alias.pop(name, None) is not None

    def other_names(self, contact: Contact) -> set[str]:
        """The aliases that are known here to lead to a contact."""
        return {name for name, one in self._by_alias.items() if one is contact}

    def replace(self, old: Contact, new: Contact) -> None:
        """Whatever led to one contact leads to another."""
        for index in (self._by_user, self._by_phone, self._by_wa, self._by_alias, self.stored):
            replace(index, old, new)


def replace(index: dict[Any, Contact], old: Contact, new: Contact) -> None:
    """Put one contact in the places of another."""
    for name in [name for name, contact in index.items() if contact is old]:
        index[name] = new


def wa_number(person: Person) -> str | None:
    """The digits by which WhatsApp knows the person's number."""
    return person.wa_id or (person.phone.removeprefix("+") if person.phone else None)


def principal_name(person: Person) -> str:
    """The one name by which a change of names is remembered: a number with +, or a user id."""
    number = f"+{person.wa_id}" if person.wa_id else None
    return person.phone or number or person.wa_user_id or ""
