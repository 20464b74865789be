"""Debounced contact search."""

import asyncio

from frontdesk.mailbox import Mailbox
from frontdesk.text import first_said
from frontdesk.wire import Contact, Page

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2


async def search_contacts(mailbox: Mailbox, typed: str) -> Page[Contact]:
    """Search contacts by name, or by number in any format, after a pause of `PAUSE_SECONDS`.

    Cancel the task to replace the search by a newer one. Raises: InboxError.
    """
    await asyncio.sleep(PAUSE_SECONDS)
    return await mailbox.search_contacts(typed)


def contact_name(contact: Contact) -> str:
    """Name of a contact, or else the profile name, the number or the id."""
    return first_said(contact.name, contact.profile_name, contact.phone, f"contact {contact.id}")
