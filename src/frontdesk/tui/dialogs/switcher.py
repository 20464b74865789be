"""Quick switcher: go to a view, channel, user, label or contact by a part of its name.

Contacts are searched on the server once typing pauses.
"""

import asyncio
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from textual import work
from textual.timer import Timer

from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.inbox.link import problem_words
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query, QueryNames, SavedView, Term, reference
from frontdesk.text import phones
from frontdesk.text.clean import first_non_blank, one_line
from frontdesk.text.phones import (
    contact_name,
    format_phone,
    number_or_username,
    parse_phone,
    phone_pattern,
)
from frontdesk.tui import sentences
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.picker import Picker, containing, has_whole_words, match_rank, matching
from frontdesk.tui.dialogs.view_table import VIEWS, OverlayView
from frontdesk.tui.unsupported import refusal_words
from frontdesk.tui.widgets.conversation_row import snippet
from frontdesk.wire import Contact, Conversation, Page

PAUSE_SECONDS = 0.15
LEAST_LETTERS = 2
LEAST_DIGITS = 6
# Conversations, and of other matches each kind, at first and with each "more…".
_AT_ONCE = 8
# Value of the choice that shows more of them.
_MORE = "more"


async def search_contacts(mailbox: Mailbox, typed: str) -> Page[Contact]:
    """Search contacts by name, or by number in any format, after a pause of `PAUSE_SECONDS`.

    Cancel the task to replace the search by a newer one. Raises: InboxError.
    """
    await asyncio.sleep(PAUSE_SECONDS)
    return await mailbox.search_contacts(typed)


def full_name(contact: Contact) -> str:
    """Name of a contact, or else the profile name, the number or the id."""
    return first_non_blank(contact.name, contact.profile_name) or phones.contact_name(contact)


Destination: TypeAlias = OverlayView | SavedView | Query | Contact | Conversation


class _People(NamedTuple):
    """Customers and conversations of a text, best first.

    cursor: of further customers on the server. most: number of conversations to show at most.
    """

    contacts: tuple[Contact, ...] = ()
    conversations: tuple[Conversation, ...] = ()
    cursor: str | None = None
    most: int = _AT_ONCE

    def choices(self) -> list[Choice[Any]]:
        shown = self.conversations[: self.most]
        return [*map(_choice, self.contacts), *map(_conversation_choice, shown)]

    @property
    def has_more(self) -> bool:
        return self.cursor is not None or len(self.conversations) > self.most


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
        self._seconds, self._people = 0, _People()
        self._counting: Timer | None = None

    def narrow(self, typed: str) -> None:
        """Show local matches at once; request contacts once typing pauses."""
        typed = typed.strip()
        self._people = _People()
        self.offer([*matching(self._choices, typed), *number_choices(typed)])
        self.workers.cancel_group(self, "contacts")
        self._end_search(sentences.NO_MATCH)
        if len(typed) >= LEAST_LETTERS:
            self._searching = True
            self._search(typed)
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

    def take_row(self) -> None:
        """Return the selected choice; "more…" shows more."""
        choice = self.list.row
        if choice is not None and choice.value == _MORE:
            self._search(self._looked_for.strip(), goes_on=True)
        else:
            super().take_row()

    @work(group="contacts", exclusive=True)
    async def _search(self, typed: str, *, goes_on: bool = False) -> None:
        """Search customers, or more of them; an enter that waits takes the first choice anyway."""
        self._begin_search()
        when_empty, problem = sentences.NO_MATCH, ""
        if not self._mailbox.connected:
            when_empty = sentences.NOT_CONNECTED_YET
        try:
            await self._find(typed, goes_on=goes_on)
        except (Forbidden, NotFound) as error:
            problem = refusal_words("contacts", error)
        except InboxError as error:
            problem = sentences.CUSTOMERS_FAILED
            self.notify(problem_words(error), severity="warning", markup=False)
        if problem:
            when_empty = sentences.NO_MATCH_HERE.format(problem=problem)
        self._offer_people(typed, goes_on=goes_on)
        self._end_search(when_empty, problem)
        if self._entered:
            self.take_row()
            self._entered = False
            self.end_wait()

    async def _find(self, typed: str, *, goes_on: bool) -> None:
        """Find conversations on this computer, and show them; then customers on the server.

        Raises: InboxError: from the server, after what is here was found.
        """
        contacts, _, cursor, most = self._people
        most += _AT_ONCE if goes_on else 0
        here = await self._mailbox.conversations_with(typed, limit=most + 1)
        self._people = self._ranked(typed, here, contacts, cursor, most)
        if not self._mailbox.connected or (goes_on and cursor is None):
            return
        if here:
            self._offer_people(typed, goes_on=goes_on)
        if cursor is None:
            page = await search_contacts(self._mailbox, typed)
        else:
            page = await self._mailbox.search_contacts(typed, cursor=cursor)
        contacts = (*contacts, *page.data)
        self._people = self._ranked(typed, here, contacts, page.next_cursor, most)

    def _ranked(
        self,
        typed: str,
        here: Sequence[Conversation],
        contacts: tuple[Contact, ...],
        cursor: str | None,
        most: int,
    ) -> _People:
        """People with the conversations `here` and those of the contacts, who may have the text
        elsewhere than in the name or number."""
        of_contacts = (self._mailbox.conversations_of(contact.id) for contact in contacts)
        rows = {row.id: row for row in chain(here, *of_contacts)}
        newest = sorted(rows.values(), key=lambda row: row.last_activity_at, reverse=True)
        ranked = sorted(newest, key=lambda row: _rank(_conversation_choice(row), typed))
        return _People(contacts, tuple(ranked), cursor, most)

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
        # An empty list says so itself.
        self._show_state(problem if self.list.row is not None else "")

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

    def _offer_people(self, typed: str, *, goes_on: bool) -> None:
        """Show people among the local choices that contain the text, above similar ones.

        Better matches come first, and people before local choices that match as well.
        """
        most = self._people.most
        exact = containing(self._choices, typed)
        similar = [choice for choice in matching(self._choices, typed) if choice not in exact]
        both = [*self._people.choices(), *exact[:most]]
        ranked = sorted(both, key=lambda choice: _rank(choice, typed))
        has_more = self._people.has_more or len(exact) > most
        more = [Choice[Any](_MORE, sentences.MORE_MATCHES)] if has_more else []
        choices = [*ranked, *more, *number_choices(typed), *similar[:_AT_ONCE]]
        if goes_on:
            self.offer(choices, cursor=min(self.list.cursor, len(choices) - 1))
        else:
            self._offer_more(choices)

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


# Of choices that match alike: customers, their conversations by status, then all others.
_OPEN, _SNOOZED, _RESOLVED, _OTHERS = 1, 2, 3, 4
_STATUS_RANKS = {"open": _OPEN, "snoozed": _SNOOZED}


def _rank(choice: Choice[Any], typed: str) -> tuple[bool, int, int]:
    """Rank of a match, the best first: of whole words, by its place, by what it is.

    A conversation's is that of its customer, whatever the last message says.
    """
    group = 0 if isinstance(choice.value, Contact) else _OTHERS
    if isinstance(choice.value, Conversation):
        group = _STATUS_RANKS.get(choice.value.status, _RESOLVED)
        choice = choice._replace(words=contact_name(choice.value.contact))
    return not has_whole_words(choice.words, typed), match_rank(choice, typed), group


def _conversation_choice(row: Conversation) -> Choice[Destination]:
    """A conversation with its last message, unless there is none or the key may not read it."""
    name, message = contact_name(row.contact), row.last_message
    words = f"{name}: {snippet(message)}" if message is not None else name
    return Choice(row, words, f"{row.status} · {one_line(row.channel.name or '')}")


def _choice(contact: Contact) -> Choice[Destination]:
    return Choice(contact, full_name(contact), number_or_username(contact))
