"""Asks for customers while somebody types."""

import asyncio

from frontdesk.mailbox import Mailbox
from frontdesk.text import first_said
from frontdesk.wire import Contact, Page

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2


async def search_contacts(mailbox: Mailbox, typed: str) -> Page[Contact]:
    """Customers by words of the name, or by their number in any spelling, once typing pauses.

    A newer search ends this one by cancelling its task. Raises: InboxError.
    """
    await asyncio.sleep(PAUSE_SECONDS)
    return await mailbox.search_contacts(typed)


def contact_name(contact: Contact) -> str:
    """What a customer is called here."""
    return first_said(contact.name, contact.profile_name, contact.phone, f"contact {contact.id}")
