"""Customers that the `from:` terms of queries mean, found by number."""

from collections.abc import Collection

from frontdesk.errors import NotFound
from frontdesk.inbox.cached import Cached
from frontdesk.inbox.requests import Steps, ask
from frontdesk.query import Query, QueryNames
from frontdesk.query.language import ID
from frontdesk.query.names import contact_id, is_handle, is_meant
from frontdesk.query.terms import CONTACT
from frontdesk.text.phones import is_possible, phone_pattern
from frontdesk.wire import Contact, PhoneRef


class QueryCustomers:
    """Contacts that queries have named, and the results of looking up their numbers."""

    def __init__(self, cached: Cached) -> None:
        self._cached = cached
        self._contacts: dict[str, PhoneRef] = {}
        # Values of `from:`: those of one customer with its id, those of none, and parts of numbers.
        self._ids: dict[str, str] = {}
        self._unknown: set[str] = set()
        self._parts: set[str] = set()

    @property
    def contacts(self) -> Collection[PhoneRef]:
        """Contacts that were added or found."""
        return self._contacts.values()

    def add(self, contact: PhoneRef) -> None:
        """Make a contact known, so that its number leads to its conversations."""
        self._contacts[contact.id] = contact

    def recognise(self, query: Query) -> bool:
        """Make the customers known that a query names by id; True if there was one to make known.

        They are known by rows on this computer alone.
        """
        known_before = len(self._contacts)
        for term in query.terms:
            id = term.value.removeprefix(ID)
            if term.kind == CONTACT and id != term.value and id not in self._contacts:
                known = self._cached.known_contact(id)
                rows = self._cached.conversations_of(id) if known is None else []
                if known is not None:
                    self.add(known.short)
                elif rows:
                    self.add(rows[0].contact)
        return len(self._contacts) > known_before

    def recognise_here(self, query: Query) -> bool:
        """Make the customer known whose number a query has, by rows on this computer alone."""
        value = query.value(CONTACT) or ""
        number = phone_pattern(value)
        if number is None or not number.whole:
            return False
        rows = self._cached.conversations_found(value)
        found = [row.contact for row in rows if row.contact.phone in number.whole]
        for contact in found:
            self.add(contact)
        return bool(found)

    def with_results(self, names: QueryNames) -> QueryNames:
        """Add the customers that were found by number, and the numbers that nobody has."""
        return names._replace(customers=self._ids, unknown_customers=frozenset(self._unknown))

    def find(self, value: str, names: QueryNames) -> Steps[bool]:
        """Request the customer with the number in a `from:` value; False if there is no need.

        Raises: InboxError.
        """
        number = phone_pattern(value)
        is_whole = is_handle(value) or (number is not None and bool(number.whole))
        if not is_whole or value in self._parts or contact_id(value, names) is not None:
            return False
        if number is None:
            yield from self._find_handle(value)
            return True
        try:
            # The contact may have another number by now, or another spelling of it.
            phone = number.whole[0]
            contact = yield from ask(lambda server: server.contact_by_phone(phone))
        except NotFound:
            yield from self._find_part(value)
        else:
            self._know(value, contact)
        return True

    def _know(self, value: str, contact: Contact) -> None:
        self.add(contact.short)
        self._ids[value] = contact.id
        self._unknown.discard(value)

    def _find_handle(self, value: str) -> Steps[None]:
        """Request the contact with a username or a user id."""
        found = (yield from ask(lambda server: server.search_contacts(value))).data
        meant = [contact for contact in found if is_meant(value, contact)]
        if len(meant) == 1:
            self._know(value, meant[0])
        else:
            self._parts.add(value)

    def _find_part(self, value: str) -> Steps[None]:
        """Request contacts whose number has this part; none has, if the server looks for it."""
        found = (yield from ask(lambda server: server.search_contacts(value))).data
        is_whole = value.startswith("+") and is_possible(value)
        # The server may keep a number as it is written here, which is not its usual form.
        same = next((contact for contact in found if contact.phone == value), None)
        if same is not None:
            self._know(value, same)
        elif found or not is_whole or self._cached.capabilities.lacking("contact_by_phone"):
            self._parts.add(value)
            self._unknown.discard(value)
        else:
            self._unknown.add(value)
