"""Terms of a query as the reader sees them: names for ids, and the customer that is meant."""

from collections.abc import Mapping
from datetime import datetime

from frontdesk.query import Query, QueryNames, Term, dates
from frontdesk.query.language import DATED, DURATIONS, ID
from frontdesk.query.names import contact_id, without_clock
from frontdesk.query.terms import ASSIGNEE, AUTHOR, CHANNEL, CONTACT, HOURS, TEAM
from frontdesk.text.clean import one_line
from frontdesk.text.phones import contact_name, format_phone, parse_phone
from frontdesk.wire import PhoneRef

_NO_HOURS = "this inbox has no business hours"
_CALENDAR_TIME = "calendar time on"


def chips(query: Query, names: QueryNames, now: datetime) -> list[tuple[Term, str]]:
    """Pairs of term and label; ids are shown as names where those are known, times as words."""
    return [(term, chip(term, names, now)) for term in query.terms]


def query_words(query: Query, names: QueryNames, now: datetime) -> str:
    """The labels of all chips, in a line."""
    return " ".join(label for _, label in chips(query, names, now))


def chip(term: Term, names: QueryNames, now: datetime) -> str:
    """A term as it is written, with the name of an id or of a customer; a time in words.

    now: the server's time in the reader's zone.
    """
    if term.kind in (*DATED, *DURATIONS) and dates.instants(term.value) is None:
        # Deferred: no start needs it.
        from frontdesk.query.date_words import time_words

        return time_words(term, now, names.zone)
    if term.kind == CONTACT and not term.others:
        return _customer_chip(term, names)
    if term.kind == HOURS and names.channels and not names.hours:
        return f"{term} – {_NO_HOURS}"
    if term.kind == HOURS and (channels := without_clock(names)):
        return f"{term} – {_CALENDAR_TIME} {', '.join(channels)}"
    known: Mapping[str, str] = {
        **dict.fromkeys((ASSIGNEE, AUTHOR), names.users),
        CHANNEL: names.channels,
        TEAM: {id: team.name for id, team in names.teams.items()},
    }.get(term.kind, {})
    first, *others = (_named(value, known) for value in term.values)
    return str(term._replace(value=first, others=tuple(others)))


def _named(value: str, known: Mapping[str, str]) -> str:
    """A value, or the name of an id."""
    id = value.removeprefix(ID)
    return value if id == value else one_line(known.get(id, value))


def _customer_chip(term: Term, names: QueryNames) -> str:
    """Name of the customer that a term means, and what no other has: the number, else the id."""
    contact = _customer(term.value, names)
    if contact is None:
        return str(term._replace(value=customer_name(term.value, names) or term.value))
    name, number = contact_name(contact), format_phone(contact.phone)
    written = str(term._replace(value=name))
    return written if name == number else f"{written} {number or ID + contact.id}"


def customer_name(value: str, names: QueryNames) -> str:
    """Name of the customer that a `from:` value means, else the number; "" if it is a part.

    Of customers with the same name, the number is given too.
    """
    contact = _customer(value, names)
    if contact is None:
        return format_phone(value) if parse_phone(value) else ""
    name = contact_name(contact)
    if contact.name and sum(other.name == contact.name for other in names.contacts) > 1:
        return one_line(f"{name} {format_phone(contact.phone)}")
    return name


def _customer(value: str, names: QueryNames) -> PhoneRef | None:
    """The known contact that a `from:` value means."""
    id = contact_id(value, names)
    return next((contact for contact in names.contacts if contact.id == id), None)
