"""Contact endpoints: search, and look-up by phone number."""

import re

from frontdesk.service import serializers
from frontdesk.service.endpoint import Call
from frontdesk.service.problems import Refusal
from frontdesk.store import contacts
from frontdesk.store.contacts import search_words
from frontdesk.wire import Contact, Page
from frontdesk.wire.values import PHONE_DIGITS

MAX_QUERY_LENGTH = 100

_E164 = re.compile(rf"\+{PHONE_DIGITS}")


def contact_list(call: Call) -> Page[Contact]:
    """Contacts by name, those without one last."""
    text = call.parameters.get("q") or ""
    if len(text) > MAX_QUERY_LENGTH:
        call.parameters.refuse(
            "invalid_parameter",
            "q",
            "too_long",
            f"it may have {MAX_QUERY_LENGTH} characters",
            bounds=(0, MAX_QUERY_LENGTH),
        )
    words = search_words(text)
    place = call.place(
        {"q": " ".join(words)},
        lambda row_id: contacts.contact_position(call.connection, call.account_id, int(row_id)),
    )
    call.parameters.settle()
    rows, next_cursor = place.cut(
        contacts.contact_page(
            call.connection, call.account_id, words, place.after, place.limit + 1
        ),
        ("nameless", "name_key", "id"),
    )
    return Page[Contact].of((serializers.contact_body(row) for row in rows), next_cursor)


def contact_by_phone(call: Call) -> Contact:
    """The contact with a number, given with or without its plus."""
    call.parameters.settle()
    # Some HTTP stacks decode a plus as a space, or drop it.
    phone = "+" + call.path_value.removeprefix("+").removeprefix(" ")
    if not _E164.fullmatch(phone):
        raise Refusal("invalid_phone", "The number must be E.164, such as +16505551234.")
    row = contacts.contact_by_phone(call.connection, call.account_id, phone)
    if row is None:
        raise Refusal("contact_not_found", "No contact has this number.", resource="contact")
    return serializers.contact_body(row)
