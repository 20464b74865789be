"""Quick switcher: go to a view, channel, user, label or contact by a part of its name.

Debounced contact search.
"""

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

from textual import work

from frontdesk import phones
from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.phones import format_phone
from frontdesk.query import Query, QueryNames, SavedView, Term, reference
from frontdesk.text import first_said
from frontdesk.tui.connection import problem_words
from frontdesk.tui.dialogs.choices import Choice
from frontdesk.tui.dialogs.picker import Picker, containing, matching
from frontdesk.tui.dialogs.view_table import VIEWS, View
from frontdesk.wire import Contact, Page

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2


async def search_contacts(mailbox: Mailbox, typed: str) -> Page[Contact]:
    """Search contacts by name, or by number in any format, after a pause of `PAUSE_SECONDS`.

    Cancel the task to replace the search by a newer one. Raises: InboxError.
    """
    await asyncio.sleep(PAUSE_SECONDS)
    return await mailbox.search_contacts(typed)


def full_name(contact: Contact) -> str:
    """Name of a contact, or else the profile name, the number or the id."""
    return first_said(contact.name, contact.profile_name) or phones.contact_name(contact)


Destination: TypeAlias = View | Query | Contact


def destinations(
    mailbox: Mailbox, names: QueryNames, views: Sequence[SavedView]
) -> list[Choice[Destination]]:
    """Destinations known without a request."""
    choices: list[Choice[Destination]] = [Choice(one.query, one.name, "view") for one in views]
    choices += [Choice(view, view.title, "view") for view in VIEWS]
    kinds = (("in", names.channels, "channel"), ("assignee", names.users, "assigned"))
    choices += [
        Choice(Query.of(Term(kind, reference(id, named))), name, hint)
        for kind, named, hint in kinds
        for id, name in named.items()
    ]
    choices += [
        Choice(Query.of(Term("label", title)), f"#{title}", "label") for title in names.labels
    ]
    return choices


class Switcher(Picker[Destination]):
    """Returns a screen, the query of a view, channel, assignee or label, or a contact."""

    PLACEHOLDER = "customer, number, channel, label, colleague, view"

    def __init__(self, mailbox: Mailbox, names: QueryNames, views: Sequence[SavedView]) -> None:
        super().__init__("Go to", destinations(mailbox, names, views), current=None)
        self._mailbox = mailbox
        self._searching = self._entered = False

    def narrow(self, typed: str) -> None:
        """Show local matches at once; request contacts once typing pauses."""
        typed = typed.strip()
        self.offer(matching(self._choices, typed)[:50])
        self.workers.cancel_group(self, "contacts")
        self.say_when_empty("nothing matches")
        self._searching = len(typed) >= LEAST_LETTERS and self._mailbox.connected
        self._entered = False
        if self._searching:
            self._search(typed)
        elif len(typed) >= LEAST_LETTERS:
            self.say_when_empty("customers cannot be asked for yet")

    def is_ready(self) -> bool:
        """False while customers are searched for and no local choice contains the text."""
        self._entered = self._searching and not containing(self._choices, self._looked_for)
        return not self._entered

    @work(group="contacts", exclusive=True)
    async def _search(self, typed: str) -> None:
        self.say_when_empty("asking for customers…")
        try:
            found = await search_contacts(self._mailbox, typed)
        except InboxError as error:
            self._searching = False
            self.say_when_empty("customers could not be asked for")
            self.notify(problem_words(error), severity="warning", markup=False)
            return
        self._searching = False
        self.say_when_empty("nothing matches")
        exact = containing(self._choices, typed)[:8]
        similar = [one for one in matching(self._choices, typed)[:16] if one not in exact][:8]
        self.offer([*exact, *map(_choice, found.data), *similar])
        if self._entered:
            self.take_row()


def _choice(contact: Contact) -> Choice[Destination]:
    number = contact.phone or contact.username or ""
    return Choice(contact, full_name(contact), format_phone(number))
