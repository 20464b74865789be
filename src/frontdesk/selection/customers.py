"""Finds a customer by whatever they are known by: number, user id, @username, contact id, name."""

from contextlib import suppress
from typing import TYPE_CHECKING

from frontdesk.errors import BadSettings, NotFound
from frontdesk.query.language import ID
from frontdesk.query.names import is_contact
from frontdesk.text.clean import folded
from frontdesk.text.phones import contact_name, is_user_id, number_or_username, parse_phone
from frontdesk.wire import Contact, ConversationFilter
from frontdesk.wire.queries import MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

_MOST_NAMED = 8


async def find_customer(client: "InboxClient", name: str) -> Contact:
    """Return the customer of a number (+16505551234), a user id, a @username, an id, or a name.

    A name is a whole one in any case, else a part that only one customer has.

    Raises: NotFound: nobody. BadSettings: several.
    """
    name = name.strip()
    phone = parse_phone(name)
    if phone is not None:
        with suppress(NotFound):
            return await client.contact_by_phone(phone)
        if not name.isdecimal():
            raise NotFound("No contact has this number")
    if name.startswith(ID) or (name.isascii() and name.isdecimal()):
        return await _of_id(client, name.removeprefix(ID))
    if not any(map(str.isalpha, name)):
        raise BadSettings(
            f"{name!r} is not a whole number with its country, such as +16505551234, a user id,"
            " @username, id:ID, or a name"
        )
    found = (await client.contact_page(name, limit=MAX_LIMIT)).data
    if is_user_id(name):
        # The id may be a former one, by which the service finds its contact too.
        rows = [row for row in found if row.wa_user_id == name] or list(found)
    elif name.startswith("@"):
        rows = [row for row in found if is_contact(name, row.short)]
    else:
        whole = [row for row in found if folded(name) in map(folded, _names(row))]
        rows = whole or list(found)
    if len(rows) == 1:
        return rows[0]
    if rows:
        known = ", ".join(_described(row) for row in rows[:_MOST_NAMED])
        raise BadSettings(f"Several customers fit {name!r}, name one by its number or id: {known}")
    raise NotFound(f"No contact is known by {name!r}")


async def _of_id(client: "InboxClient", contact_id: str) -> Contact:
    """Return the contact of an id, which has to have a conversation to be found by."""
    page = await client.conversation_page(ConversationFilter(contact=contact_id), limit=1)
    for row in page.data:
        words = number_or_username(row.contact) or row.contact.name or ""
        contacts = (await client.contact_page(words, limit=MAX_LIMIT)).data
        for contact in contacts:
            if contact.id == contact_id:
                return contact
    raise NotFound(f"No contact with a conversation has the id {contact_id}")


def _names(row: Contact) -> list[str]:
    return [name for name in (row.name, row.profile_name, row.username) if name]


def _described(row: Contact) -> str:
    beside = number_or_username(row)
    name = contact_name(row)
    return f"{name} ({ID}{row.id})" if beside in ("", name) else f"{name} ({beside})"
