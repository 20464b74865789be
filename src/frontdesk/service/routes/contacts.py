"""Contact endpoints: search, and look-up by phone number."""

from operator import itemgetter

from frontdesk.query.masked import BY_STAND_IN
from frontdesk.service import masking, serializers
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import row_id
from frontdesk.service.problems import ApiError
from frontdesk.service.routes import filters
from frontdesk.store import contacts
from frontdesk.text.masking import is_stand_in
from frontdesk.text.phones import is_e164
from frontdesk.text.search import contact_words
from frontdesk.wire import Contact, Page


def contact_list(request: EndpointRequest) -> Page[Contact]:
    """Contacts by name, those without one last; masked ones by id."""
    if request.grant.masked:
        return _masked_list(request)
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


def _masked_list(request: EndpointRequest) -> Page[Contact]:
    """All contacts, or the one of a stand-in: neither search nor order tell names."""
    stand_in = request.parameters.filter_value("q")
    paging = request.paging({"q": stand_in or "", "order": "id"})
    contact_id = masking.mask_of(request).pseudonyms.contact_id(stand_in or "")
    if stand_in is not None and not is_stand_in(stand_in):
        request.parameters.add_fault("invalid_parameter", "q", "unavailable", BY_STAND_IN)
    request.parameters.raise_if_invalid()
    if stand_in is not None:
        rows = contacts.contacts_by_id(*request.account, [row_id(contact_id or "") or 0])
        return Page[Contact].of(map(serializers.contact_body, rows), None)
    after = int(paging.after[0] or 0) if paging.after else 0
    rows, next_cursor = paging.split(
        contacts.contacts_after(*request.account, after, paging.limit + 1),
        lambda row: (row["id"],),
    )
    return Page[Contact].of(map(serializers.contact_body, rows), next_cursor)


def contact_by_phone(request: EndpointRequest) -> Contact:
    """The contact with a number, given with or without its plus."""
    request.parameters.raise_if_invalid()
    if request.grant.masked:
        raise ApiError("contacts_masked", f"{BY_STAND_IN}.")
    # Some HTTP stacks decode a plus as a space, or drop it.
    phone = "+" + request.path_value.removeprefix("+").removeprefix(" ")
    if not is_e164(phone):
        raise ApiError("invalid_phone", "The number must be E.164, such as +16505551234.")
    row = contacts.contact_by_phone(*request.account, phone)
    if row is None:
        raise ApiError("contact_not_found", "No contact has this number.", resource="contact")
    return serializers.contact_body(row)
