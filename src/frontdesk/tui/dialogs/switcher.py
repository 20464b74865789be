"""Quick switcher: go to a view, channel, user, label or contact by a part of its name.

Contacts are searched on the server once typing pauses.
"""

import asyncio
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, TypeAlias

from textual import work
from textual.timer import Timer

from frontdesk import phones
from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.phones import contact_name, format_phone, parse_phone, phone_pattern
from frontdesk.query import Query, QueryNames, SavedView, Term, reference
from frontdesk.text import first_non_blank, one_line
from frontdesk.tui import sentences
from frontdesk.tui.connection import problem_words
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import Picker, containing, match_rank, matching
from frontdesk.tui.dialogs.view_table import VIEWS, View
from frontdesk.tui.widgets.conversation_row import snippet
from frontdesk.wire import Contact, Conversation, Page

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2
LEAST_DIGITS = 6
_MOST_CONVERSATIONS = 8


async def search_contacts(mailbox: Mailbox, typed: str) -> Page[Contact]:
    """Search contacts by name, or by number in any format, after a pause of `PAUSE_SECONDS`.

    Cancel the task to replace the search by a newer one. Raises: InboxError.
    """
    await asyncio.sleep(PAUSE_SECONDS)
    return await mailbox.search_contacts(typed)


def full_name(contact: Contact) -> str:
    """Name of a contact, or else the profile name, the number or the id."""
    return first_non_blank(contact.name, contact.profile_name) or phones.contact_name(contact)


Destination: TypeAlias = View | SavedView | Query | Contact | Conversation


def number_choices(typed: str) -> list[Choice[Any]]:
    """The conversations of a number that was typed, also of a customer never seen here."""
    pattern = phone_pattern(typed)
    if pattern is None or len(pattern.text.lstrip("+")) < LEAST_DIGITS:
        return []
    number = typed.strip()
    if number.startswith(("+", "00")):
        # Others may lack the country code, and are searched as they are.
        number = parse_phone(number) or number
    words = sentences.CONVERSATIONS_OF.format(number=format_phone(number))
    return [Choice(Query.of(Term("from", number)), words, "number")]


def destinations(names: QueryNames, views: Sequence[SavedView]) -> list[Choice[Destination]]:
    """Destinations known without a request."""
    choices: list[Choice[Destination]] = [Choice(view, view.name, "view") for view in views]
    choices += [Choice(view, view.title, "view") for view in VIEWS]
    kinds = (("in", names.channels, "channel"), ("assignee", names.users, "assignee"))
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
    """Returns a screen, view, contact or conversation, or the query of a channel, user or label."""

    PLACEHOLDER = sentences.GO_TO_HINT

    def __init__(self, mailbox: Mailbox, names: QueryNames, views: Sequence[SavedView]) -> None:
        super().__init__(sentences.GO_TO, destinations(names, views), current=None)
        self._mailbox = mailbox
        self._searching = self._entered = False
        self._seconds = 0
        self._counting: Timer | None = None

    def narrow(self, typed: str) -> None:
        """Show local matches at once; request contacts once typing pauses."""
        typed = typed.strip()
        self.offer([*matching(self._choices, typed)[:50], *number_choices(typed)])
        self.workers.cancel_group(self, "contacts")
        self._end_search(sentences.NO_MATCH)
        if len(typed) >= LEAST_LETTERS and self._mailbox.connected:
            self._searching = True
            self._search(typed)
        elif len(typed) >= LEAST_LETTERS:
            self.say_when_empty(sentences.NOT_CONNECTED_YET)
            self._offer_seen(typed)
        self._entered = False

    def is_ready(self) -> bool:
        """False while customers are searched for who may match better than the first choice."""
        best = containing(self._choices, self._looked_for)[:1]
        is_best = bool(best) and match_rank(best[0], self._looked_for) == 0
        self._entered = self._searching and not is_best and not self.list.selected_by_input
        if self._entered:
            self._show_seconds()
        return not self._entered

    @property
    def enter_waits(self) -> bool:
        return self._entered

    @work(group="contacts", exclusive=True)
    async def _search(self, typed: str) -> None:
        """Search customers; an enter that waits takes the first choice even if that fails."""
        self._begin_search()
        try:
            contacts = await search_contacts(self._mailbox, typed)
        except InboxError as error:
            failed = sentences.CUSTOMERS_FAILED
            self._end_search(sentences.NO_MATCH_HERE.format(problem=failed), failed)
            self._offer_seen(typed)
            self.notify(problem_words(error), severity="warning", markup=False)
        else:
            self._end_search(sentences.NO_MATCH)
            self._offer_people(
                typed, [*map(_choice, contacts.data), *self._conversations(contacts.data)]
            )
        if self._entered:
            self.take_row()
            self._entered = False
            self.end_wait()

    def _begin_search(self) -> None:
        """Show in the empty list, or after a second in the title, that customers are searched."""
        self.say_when_empty(sentences.SEARCHING_CUSTOMERS)
        self._seconds = 0
        self._counting = self.set_interval(1.0, self._count_second)

    def _end_search(self, when_empty: str, problem: str = "") -> None:
        self._searching = False
        if self._counting is not None:
            self._counting.stop()
        self.say_when_empty(when_empty)
        self._show_state(problem)

    def _count_second(self) -> None:
        self._seconds += 1
        self._show_seconds()

    def _show_seconds(self) -> None:
        seconds = f" {self._seconds} s" if self._seconds else ""
        # An empty list says so itself.
        if self.list.row is not None:
            self._show_state(f"{sentences.SEARCHING_CUSTOMERS}{seconds}")

    def _show_state(self, words: str) -> None:
        """Show the state of the search of customers beside the title."""
        self.show_title(" · ".join(filter(None, [sentences.GO_TO, words])))

    def _conversations(self, contacts: Sequence[Contact]) -> list[Choice[Destination]]:
        """Conversations of contacts that were seen on this computer."""
        rows = chain.from_iterable(
            self._mailbox.conversations_of(contact.id) for contact in contacts
        )
        return [*map(_conversation_choice, islice(rows, _MOST_CONVERSATIONS))]

    def _offer_seen(self, typed: str) -> None:
        """Without a server, add conversations on this computer whose customer has these words."""
        hits = self._mailbox.search(typed, limit=_MOST_CONVERSATIONS, kinds=("conversation",))
        rows = [self._mailbox.conversation(hit.conversation_id or "") for hit in hits]
        self._offer_people(typed, [_conversation_choice(row) for row in rows if row is not None])

    def _offer_people(self, typed: str, people: Sequence[Choice[Destination]]) -> None:
        """Show people among the local choices that contain the text, above similar ones.

        Better matches come first, and people before local choices that match as well.
        """
        exact = containing(self._choices, typed)[:8]
        similar = [choice for choice in matching(self._choices, typed)[:16] if choice not in exact][
            :8
        ]
        ranked = sorted([*people, *exact], key=lambda choice: _rank(choice, typed))
        self._offer_more([*ranked, *number_choices(typed), *similar])

    def _offer_more(self, choices: Sequence[Choice[Destination]]) -> None:
        """Show these choices; the cursor stays on a choice to which it was moved."""
        moved_to = self.list.row if self.list.cursor else None
        if moved_to is None:
            self.offer(choices)
            return
        values = [choice.value for choice in choices]
        if moved_to.value not in values:
            choices, values = [*choices, moved_to], [*values, moved_to.value]
        self.offer(choices, cursor=values.index(moved_to.value))


def _rank(choice: Choice[Destination], typed: str) -> int:
    """Rank of a match; a conversation's is that of its customer, whatever the last message says."""
    if isinstance(choice.value, Conversation):
        choice = choice._replace(words=contact_name(choice.value.contact))
    return match_rank(choice, typed)


def preview(conversation: Conversation) -> str:
    """The last message in a line."""
    message = conversation.last_message
    return snippet(message) if message is not None else "no messages"


def _conversation_choice(row: Conversation) -> Choice[Destination]:
    words = f"{contact_name(row.contact)}: {preview(row)}"
    return Choice(row, words, f"{row.status} · {one_line(row.channel.name or '')}")


def _choice(contact: Contact) -> Choice[Destination]:
    number = contact.phone or contact.username or ""
    return Choice(contact, full_name(contact), format_phone(number))
