"""Contact endpoints: search, and look-up by phone number."""

from operator import itemgetter

from frontdesk.service import serializers
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.problems import ApiError
from frontdesk.service.routes import filters
from frontdesk.store import contacts
from frontdesk.text.phones import is_e164
from frontdesk.text.search import contact_words
from frontdesk.wire import Contact, Page


def contact_list(request: EndpointRequest) -> Page[Contact]:
    """Contacts by name, those without one last."""
    words = filters.words(request, contact_words)
    paging = request.paging(
        {"q": " ".join(words)},
        lambda row_id: contacts.contact_position(*request.account, int(row_id)),
    )
    request.parameters.raise_if_invalid()
    rows, next_cursor = paging.split(
        contacts.contact_page(*request.account, words, paging.after, paging.limit + 1),
        itemgetter("nameless", "name_key", "id"),
    )
    return Page[Contact].of((serializers.contact_body(row) for row in rows), next_cursor)


def contact_by_phone(request: EndpointRequest) -> Contact:
    """The contact with a number, given with or without its plus."""
    request.parameters.raise_if_invalid()
    # Some HTTP stacks decode a plus as a space, or drop it.
    phone = "+" + request.path_value.removeprefix("+").removeprefix(" ")
    if not is_e164(phone):
        raise ApiError("invalid_phone", "The number must be E.164, such as +16505551234.")
    row = contacts.contact_by_phone(*request.account, phone)
    if row is None:
        raise ApiError("contact_not_found", "No contact has this number.", resource="contact")
    return serializers.contact_body(row)
