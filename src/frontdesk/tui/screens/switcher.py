"""Go anywhere by a part of its name: views, filters, and customers as the server finds them."""

import asyncio
from collections.abc import Sequence

from textual import on, work
from textual.widgets import Input

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.text import first_said
from frontdesk.tui.screens.picker import Choice, Picker, matching
from frontdesk.tui.screens.views import VIEWS
from frontdesk.wire import Contact

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2


def places(mailbox: Mailbox) -> list[Choice]:
    """What can be gone to without asking the server; values are a kind and an id."""
    catalogues = mailbox.catalogues
    choices = [Choice(f"view {view.name}", view.title, "view") for view in VIEWS]
    choices += [Choice(f"channel {one.id}", one.name, "channel") for one in catalogues.channels()]
    choices += [Choice(f"assignee {one.id}", one.name, "assigned") for one in catalogues.users()]
    choices += [
        Choice(f"label {one.title}", f"#{one.title}", "label") for one in catalogues.labels()
    ]
    return choices


class Switcher(Picker):
    """Answers with a kind and an id: view, channel, assignee, label or contact."""

    PLACEHOLDER = "customer, number, channel, label, colleague, view"

    def __init__(self, mailbox: Mailbox) -> None:
        super().__init__("Go to", places(mailbox), current=None)
        self._mailbox = mailbox

    @on(Input.Changed)
    def narrow(self, event: Input.Changed) -> None:
        """Show what matches here at once, and customers as soon as typing pauses."""
        event.prevent_default()
        typed = event.value.strip()
        self.offer(matching(self._choices, typed)[:50])
        self.workers.cancel_group(self, "contacts")
        if len(typed) >= LEAST_LETTERS:
            self._look(typed)

    @work(group="contacts", exclusive=True)
    async def _look(self, typed: str) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        if not self._mailbox.connected:
            return
        try:
            found = await self._contacts(typed)
        except InboxError as error:
            self.notify(str(error), severity="warning", markup=False)
            return
        customers = [_choice(contact) for contact in found]
        self.offer([*matching(self._choices, typed)[:8], *customers])

    async def _contacts(self, typed: str) -> Sequence[Contact]:
        """Customers by words of the name, or by their number in any spelling."""
        return (await self._mailbox.search_contacts(typed)).data


def _choice(contact: Contact) -> Choice:
    name = first_said(contact.name, contact.profile_name, contact.phone, f"contact {contact.id}")
    return Choice(f"contact {contact.id}", name, contact.phone or contact.username or "")
