"""Contacts view: incremental search on the server, with details of each contact."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from textual import on, work
from textual.widgets import Input

from frontdesk.cache import CONTACT, CONVERSATION, Hit
from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.inbox.rows import FixedRows
from frontdesk.query import Query
from frontdesk.text.clean import one_line
from frontdesk.text.phones import contact_name, number_or_username, username
from frontdesk.tui import sentences
from frontdesk.tui.dialogs.base import BufferedKeys
from frontdesk.tui.dialogs.switcher import LEAST_LETTERS, full_name, search_contacts
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.key_names import key_label
from frontdesk.tui.views.catalogue_screen import (
    Block,
    CatalogueEntry,
    CatalogueList,
    CatalogueScreen,
    CatalogueView,
    Resource,
    heading,
    paragraph,
)
from frontdesk.tui.widgets.contact_panel import fact_lines, person_facts
from frontdesk.wire import Contact, Page, PhoneRef
from frontdesk.wire.values import FOUND_BY

_ALL, _SEEN = "contacts", "seen"
_HERE = "on this computer"
CONTACTS = CatalogueView(
    "CONTACTS",
    (
        Resource[Contact](_ALL, "All", "contact", "contacts"),
        Resource[Contact](_SEEN, "On this computer", f"contact {_HERE}", f"contacts {_HERE}"),
    ),
    keys=(),
    reads=("custom_fields",),
)
_MOST_SEEN = 50
# In place of the number of a selected contact above the results, which its order is not.
_BELOW, _ABSENT = "further below", "not in this list"


class ContactsScreen(CatalogueScreen, BufferedKeys[Query | PhoneRef | None]):
    """Enter shows a contact's conversations, by a local filter over the whole list."""

    view_name = "contacts"
    SEARCHES_AT_ONCE = True

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening, CONTACTS)
        self._results: Sequence[Contact] = ()
        self._found_for: str | None = None
        self._further: str | None = None
        # A contact that was selected when results without it arrived, shown above them.
        self._kept_entry: CatalogueEntry | None = None
        # Text for which enter was pressed before there was any match.
        self._entered = ""

    @property
    def keys(self) -> Sequence[str]:
        if not isinstance(self.focused, Input):
            return (
                "{view.back} back",
                "{list.next}/{list.previous} move",
                "{list.open} conversations",
                "{catalogue.search} find",
                "{catalogue.before} {catalogue.after} section",
                "{view.copy} copy number",
                "{view.menu} views",
            )
        return (
            "{view.back} back",
            f"{key_label('enter')} conversations",
            "type to search",
            f"{key_label('arrows')} move",
        )

    @property
    def last_key(self) -> str:
        return "{catalogue.pane} list" if isinstance(self.focused, Input) else super().last_key

    # Contents

    def entries(self, section: str) -> list[CatalogueEntry]:
        """The server's results for the search text; until they arrive, matches in the cache."""
        if section == _SEEN:
            return self._cached_contacts()
        if self._found_for == self._search_words():
            entries = [_entry(contact) for contact in self._results]
            if self._kept_entry is None or self._filters_loaded:
                return entries
            place = _BELOW if self._further else _ABSENT
            return [replace(self._kept_entry, hint=place), *entries]
        words = self._search_words()
        return self._search_cache(words) if words else self._cached_contacts()

    def blocks(self, section: str, entry: CatalogueEntry) -> list[Block]:
        contact = self.mailbox.known_contact(entry.id)
        seen = self.mailbox.conversations_of(entry.id)
        fields = self.mailbox.catalogues.custom_fields()
        # The cache may have evicted what is still in the list.
        named = seen[0].contact if seen else PhoneRef(id=entry.id, name=entry.name)
        facts = person_facts(contact or named, contact, fields, seen, self.clock)
        blocks: list[Block] = [partial(fact_lines, fact) for fact in facts]
        if not seen:
            blocks += [heading("CONVERSATIONS"), paragraph("none on this computer", "dim")]
        return blocks

    def matching(
        self, entries: Sequence[CatalogueEntry], typed: Sequence[str]
    ) -> Sequence[CatalogueEntry]:
        """Do not filter server results again: they may match on fields that are not shown.

        Too short a text is not searched by the server, and filters the loaded contacts.
        """
        is_searched = self.section.name == _ALL and self._search_words()
        return entries if is_searched else super().matching(entries, typed)

    def heading_count(self) -> str:
        """Number of contacts, without a selected one that is shown above the results."""
        words = super().heading_count()
        if self.section.name == _SEEN:
            return words
        if self._found_for != self._search_words():
            return f"~{words} on this computer"
        loaded = len(self._results)
        things = self.section.noun(loaded)
        if self._filters_loaded:
            return f"{len(self.list.rows)} of {loaded} loaded {things}"
        return f"{loaded} {things}, more below" if self._further else f"{loaded} {things}"

    def empty_words(self) -> str:
        words = self._search_words()
        if self._filters_loaded and self._entries:
            return sentences.NO_LOADED_CONTACT.format(text=one_line(self.typed().strip()))
        if not words or self._refused or self.section.name == _SEEN:
            return super().empty_words()
        here = self._found_for != words
        sentence = sentences.NO_CUSTOMER_HERE if here else sentences.NO_CUSTOMER
        return sentence.format(text=one_line(words), key=self.key_names["view.back"])

    def _search_words(self) -> str:
        typed = self.typed().strip()
        return typed if len(typed) >= LEAST_LETTERS else ""

    @property
    def _filters_loaded(self) -> bool:
        """True if the text is too short for the server, and filters the loaded contacts."""
        is_short = bool(self.typed().strip()) and not self._search_words()
        return is_short and self.section.name == _ALL

    def _cached_contacts(self) -> list[CatalogueEntry]:
        """Contacts of the cached conversations, most recently active first."""
        seen = (conversation.contact for conversation in self.mailbox.seen_conversations())
        return _first_of_each(map(_entry_of_row, seen))

    def _search_cache(self, words: str) -> list[CatalogueEntry]:
        """Contacts that were opened, and those of cached conversations, latest activity first."""
        hits = self.mailbox.search(words, limit=_MOST_SEEN, kinds=(CONTACT, CONVERSATION))
        return _first_of_each(entry for hit in hits if (entry := self._entry_of(hit)) is not None)

    def _entry_of(self, hit: Hit) -> CatalogueEntry | None:
        if hit.kind == CONVERSATION:
            row = self.mailbox.conversation(hit.id)
            return None if row is None else _entry_of_row(row.contact)
        contact = self.mailbox.known_contact(hit.id)
        return None if contact is None else _entry(contact)

    # Requests

    async def read(self) -> None:
        await super().read()
        await self.ask(partial(self._find, self._search_words()))

    def search_changed(self) -> None:
        """Show local matches at once; request the server's once typing pauses."""
        self.workers.cancel_group(self, "contacts")
        self._kept_entry = None
        self.list.show(FixedRows())
        self.show_saved()
        words = self._search_words()
        if self.section.name == _ALL and self._found_for != words:
            self._look(words)

    @work(group="contacts", exclusive=True)
    async def _look(self, words: str) -> None:
        await self.ask(partial(self._find, words, pause=True))
        if self._entered == words:
            # The search has failed, so that the enter that waited for it opens nothing.
            self._entered = ""
            self.end_wait()

    async def _find(self, words: str, *, pause: bool = False) -> None:
        ask = partial(search_contacts, self.mailbox) if pause else self.mailbox.search_contacts
        try:
            page = await ask(words)
        except (Forbidden, NotFound) as error:
            self._refuse(error)
            return
        self._take(words, page, ())

    @on(CatalogueList.NearEnd)
    def _near_end(self, event: CatalogueList.NearEnd) -> None:
        event.stop()
        has_more = self._further and self._found_for == self._search_words()
        # Few rows of a filter are always near the end, and would load all pages.
        has_more = has_more and not self._filters_loaded
        if event.widget is self.list and event.bottom and self.section.name == _ALL and has_more:
            self._read_further(self._search_words(), self._further or "")

    @work(group="further", exclusive=True)
    async def _read_further(self, words: str, cursor: str) -> None:
        async def further() -> None:
            page = await self.mailbox.search_contacts(words, cursor=cursor)
            if (words, cursor) == (self._found_for, self._further):
                self._take(words, page, self._results)

        with self.list.loading_more():
            await self.ask(further)

    def _take(self, words: str, page: Page[Contact], before: Sequence[Contact]) -> None:
        """Show a page of results below the previous ones, without duplicates.

        The selected contact stays, unless results of a new search replace the local matches.
        """
        if words == self._search_words():
            new_search = bool(words) and self._found_for != words
            met = {contact.id for contact in before}
            self._results = [*before, *(row for row in page.data if row.id not in met)]
            self._found_for, self._further = words, page.next_cursor
            self.note_read(_ALL)
            if not new_search:
                self._keep_selected()
            if not before:
                # Ends a move to the last row, which would go on over the new rows.
                self.list.go_to(self.list.cursor, by_input=self.list.selected_by_input)
            self.show_saved(new_search=new_search)
            if self._entered:
                if words == self._entered and self.list.row is not None:
                    self.open_entry(self.section.name, self.list.row)
                self._entered = ""
                self.end_wait()

    def _keep_selected(self) -> None:
        """Keep the selected contact in the list if it is not among the results."""
        ids = {contact.id for contact in self._results}
        if self._kept_entry is not None and self._kept_entry.id in ids:
            self._kept_entry = None
        entry = self.list.row if self.section.name == _ALL else None
        if entry is not None and entry.id not in ids:
            self._kept_entry = entry

    def _refuse(self, error: InboxError) -> None:
        self._refused = {_ALL: error}
        self._found_for = self._search_words()
        self.show_saved()

    # Keys

    @property
    def enter_waits(self) -> bool:
        return bool(self._entered)

    def open_entry(self, section: str, entry: CatalogueEntry) -> None:
        contact = self.mailbox.known_contact(entry.id)
        seen = self.mailbox.conversations_of(entry.id)
        phone = contact.phone if contact else seen[0].contact.phone if seen else None
        self.end(PhoneRef(id=entry.id, name=entry.name, phone=phone))

    @on(Input.Submitted)
    def _take_first(self, event: Input.Submitted) -> None:
        """Enter opens the contact under the cursor, also from the search field."""
        event.prevent_default()
        if self._found_for != self._search_words() and self.section.name == _ALL:
            self._entered = self._search_words()
        if self.list.row is not None:
            self._entered = ""
            self.open_entry(self.section.name, self.list.row)

    def leave(self) -> None:
        """From details to list; clear the search text; then close the view."""
        field = self.focused
        if isinstance(field, Input) and field.value:
            field.value = ""
        elif isinstance(field, Input):
            self.end()
        else:
            super().leave()


def _entry(contact: Contact) -> CatalogueEntry:
    number = contact.phone or username(contact)
    facts = [*(getattr(contact, name) for name in FOUND_BY), contact.phone]
    words = " ".join(one_line(fact or "") for fact in facts)
    name, hint = full_name(contact), number_or_username(contact)
    return CatalogueEntry(contact.id, name, hint=hint, words=words, copied=number)


def _entry_of_row(contact: PhoneRef) -> CatalogueEntry:
    """The contact of a conversation."""
    number, name = contact.phone or "", contact_name(contact)
    hint = number_or_username(contact)
    return CatalogueEntry(
        contact.id, name, hint=hint, words=f"{number} {contact.username or ''}", copied=number
    )


def _first_of_each(entries: Iterable[CatalogueEntry]) -> list[CatalogueEntry]:
    """Entries without those whose contact has come before."""
    first: dict[str, CatalogueEntry] = {}
    for entry in entries:
        first.setdefault(entry.id, entry)
    return list(first.values())
