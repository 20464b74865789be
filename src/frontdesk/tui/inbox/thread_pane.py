"""Thread and contact panes of the inbox: shows the selected conversation and refreshes it.

Thread filters: messages of people, notes, or everything but system messages.

Loads a thread back to its start.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Mapping
from datetime import date
from functools import partial

from frontdesk.export import Entry, by_people
from frontdesk.mailbox import Listing, Mailbox
from frontdesk.phones import format_phone
from frontdesk.text import first_said
from frontdesk.tui import labels as say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import moment_words
from frontdesk.tui.inbox.panes import Panes
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.unsupported import lacking
from frontdesk.tui.widgets.contact_panel import ContactPanel, brief_facts, contact_facts
from frontdesk.tui.widgets.line_widget import Piece
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.tui.widgets.virtual_list import FixedRows, Place, Rows
from frontdesk.wire import Conversation, Message, Note

ALL = "all"

# Rows searched before the first paint, and for each further step near the top.
REACH = 500

_KEEPS: Mapping[str, Callable[[Entry], bool]] = {
    "people": by_people,
    "notes": lambda entry: isinstance(entry, Note),
    "no system lines": lambda entry: isinstance(entry, Note) or entry.type != "system",
}

# Names of the filters, each with its letter in the menu.
PART_LETTERS: Mapping[str, str] = dict(zip((ALL, *_KEEPS), "apns", strict=True))


def excerpt(rows: Rows[Entry], part: str, reach: int) -> FixedRows[Entry]:
    """Matching rows among the newest `reach` rows of a thread."""
    keeps = _KEEPS[part]
    kept = []
    for position in range(max(0, len(rows) - reach), len(rows)):
        entry = rows[position]
        if keeps(entry):
            kept.append((rows.key(position), entry))
    return FixedRows(kept)


async def whole_thread(
    mailbox: Mailbox,
    clock: Clock,
    conversation_id: str,
    progress: Callable[[str], None],
    *,
    renew: bool = True,
) -> list[Message | Note]:
    """Load a whole thread and return its entries, oldest first. `progress` gets a description.

    renew: refresh the newest page too, instead of only adding older ones.

    Raises: InboxError; pages loaded before the error stay in the cache.
    """
    listing = mailbox.thread(conversation_id)
    if renew or not len(listing):
        await mailbox.refresh_thread(conversation_id)
        await mailbox.refresh_notes(conversation_id)
        listing.reload()
    while len(listing) and not listing.complete:
        oldest = clock.local(listing[0].created_at)
        progress(f"{len(listing)} messages" + (f", back to {oldest:%Y-%m-%d}" if oldest else ""))
        held = len(listing)
        await mailbox.older_messages(conversation_id)
        listing.reload()
        if len(listing) == held:
            break
    return list(listing)


# Pages loaded at most to fill the window with a thread filter.
MOST_PAGES_LOADED = 20

LOADING = "Loading…"


class Reading:
    """Shows one conversation from the cache and refreshes it from the server.

    part: the thread filter, see `excerpt.PART_LETTERS`. progress: text while older messages are
    loaded on request, otherwise empty.

    Async methods raise InboxError; rows fetched before the error are shown.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        thread: Thread,
        contact: ContactPanel,
        keys: KeyNames,
    ) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._thread = thread
        self._contact = contact
        self._keys = keys
        self.conversation: Conversation | None = None
        self.listing: Listing[Message | Note] | None = None
        self.part = ALL
        self.progress = ""
        self._reach = REACH
        self._loading_older = self._behind = False
        self._unreadable = 0
        self._places: dict[str, Place] = {}

    def select(self, conversation: Conversation | None) -> None:
        """Show the conversation's row data at once; `open` loads the thread."""
        if self._is_selected(conversation):
            return
        self._remember_place()
        self._behind, self._unreadable, self.progress = False, 0, ""
        self.conversation, self.listing = conversation, None
        self._thread.clear(LOADING if conversation else "")
        facts = brief_facts(conversation, self._clock) if conversation else []
        self._contact.show_facts(facts, keep_place=False)

    def open(self) -> Conversation | None:
        """Show the thread of the selected conversation; None if it is shown already."""
        conversation = self.conversation
        if conversation is None or self.listing is not None:
            return None
        self.listing = self._mailbox.thread(conversation.id)
        self._reach = REACH
        self._open_thread(conversation, self.listing)
        self._show_contact(keep_place=False)
        return conversation

    def _is_selected(self, conversation: Conversation | None) -> bool:
        if conversation is None or self.conversation is None:
            return conversation is self.conversation
        return conversation.id == self.conversation.id

    def show_part(self, part: str) -> None:
        """Apply a thread filter, see `excerpt.PART_LETTERS`, to this and all later threads."""
        self.part, self._reach = part, REACH
        self._show_rows()

    async def refresh(self) -> None:
        """Refresh messages, notes and contact of the open conversation."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return
        outcomes = await asyncio.gather(
            self._mailbox.refresh_thread(conversation.id),
            self._mailbox.refresh_notes(conversation.id),
            self._mailbox.refresh_contact(conversation),
            return_exceptions=True,
        )
        if listing is self.listing:
            self._behind = isinstance(outcomes[0], Exception)
            self._unreadable = getattr(outcomes[0], "unreadable", 0)
            # A concurrent request may have loaded rows and let the user move among them: keep the
            # place.
            self._reload(conversation, first_sight=self._thread.row is None)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def older(self) -> None:
        """Load older messages; do nothing if that is running."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None or not len(listing) or self._loading_older:
            return
        self._loading_older = True
        try:
            await self._show_older(conversation, listing)
        finally:
            self._loading_older = False

    async def go_to_day(self, day: date, progress: Callable[[str], None]) -> bool:
        """Move the cursor to the first entry on or after a day; False if there is none.

        Loads older messages as needed. `progress` gets a description of each step.
        """
        if self.listing is not None and not len(self.listing):
            await self.refresh()
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return False
        while len(listing) and not listing.complete and self._day_of(listing, 0) > day:
            progress(f"{len(listing)} messages, back to {self._day_of(listing, 0):%Y-%m-%d}")
            held = len(listing)
            await self._mailbox.older_messages(conversation.id)
            if listing is not self.listing:
                return False
            self._reload(conversation, first_sight=False)
            if len(listing) == held:
                break
        self._reach = max(self._reach, len(listing))
        self._show_rows()
        return self._go_to_first_of(day)

    async def load_all(self, progress: Callable[[str], None]) -> list[Entry]:
        """Load and return the whole open thread, oldest first. `progress`: see `whole_thread`."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return []
        try:
            return await whole_thread(
                self._mailbox, self._clock, conversation.id, progress, renew=False
            )
        finally:
            if listing is self.listing:
                self._reload(conversation, first_sight=self._thread.row is None)

    def step_day(self, step: int) -> bool:
        """Go to the first entry of the next (1) or previous (-1) day; False if there is none."""
        rows = self._thread.rows
        if rows is None or not len(rows):
            return False
        today = self._day_of(rows, self._thread.cursor)
        first = bisect_left(range(len(rows)), today, key=lambda at: self._day_of(rows, at))
        if step < 0:
            if first == 0:
                return False
            return self._go_to_first_of(self._day_of(rows, first - 1))
        later = bisect_left(range(len(rows)), True, key=lambda at: self._day_of(rows, at) > today)
        if later < len(rows):
            self._thread.go_to(later)
        return later < len(rows)

    def say_why_empty(self, problem: str) -> None:
        """Explain in the empty thread pane why it could not be loaded."""
        if problem:
            self._thread.say_when_empty(f"{problem.rstrip('.')}. Nothing of this thread is cached.")

    def renew(self) -> None:
        """Update the panes from the cached state of the conversation."""
        if self.conversation is not None:
            self.conversation = (
                self._mailbox.conversation(self.conversation.id) or self.conversation
            )
        if self.listing is not None:
            self._show_contact(keep_place=True)

    def describe(self, panes: Panes) -> None:
        """Update the title bars and the thread's footer."""
        title, foot = panes["thread"].title, panes["thread"].foot
        panes["contact"].title.show([("strong", "Contact")])
        assert foot is not None
        if self.conversation is None:
            title.show([("dim", "No conversation is open")])
            foot.show([])
            return
        title.show_fitted(partial(say.thread_head, self.conversation))
        below = bool(self.listing) and not self._thread.at_end
        all = f"{self._keys['inbox.filter']} {PART_LETTERS[ALL]} all"
        shown = [("accent", f"showing: {self.part}  {all} ")] if self.part != ALL else []
        no_notes = lacking(self._mailbox, "notes")
        below_key = self._keys["list.last"] if below else ""
        words = say.thread_foot(
            self.conversation, self._clock, below_key=below_key, no_notes=no_notes
        )
        if self.progress:
            words = [("accent", f" loading: {self.progress}   {self._keys['inbox.back']} stops")]
        lost = f"{self._unreadable} unreadable " if self._unreadable else ""
        foot.show(words, [*self._age(), ("warning", lost), *shown])

    def _age(self) -> list[Piece]:
        """Time of the last refresh, if the latest refresh failed."""
        seen = self._clock.here(self.listing.fetched_at) if self.listing else None
        if seen is None or not self._behind:
            return []
        return [("warning", f"as of {moment_words(seen, self._clock.now())} ")]

    async def _show_older(self, conversation: Conversation, listing: Listing[Entry]) -> None:
        """Load one page; with a thread filter enough to fill the window, at most 20."""
        shown = len(self._rows())
        for _ in range(MOST_PAGES_LOADED):
            if self._reach < len(listing) and self.part != ALL:
                self._reach += REACH
                await asyncio.sleep(0)
            elif listing.complete:
                break
            elif not await self._load_page(conversation, listing):
                return
            if listing is not self.listing:
                return
            self._reload(conversation, first_sight=False)
            if self.part == ALL or len(self._rows()) >= shown + self._thread.size.height:
                return

    async def _load_page(self, conversation: Conversation, listing: Listing[Entry]) -> bool:
        """Load one page; False if it was empty, so that it is not requested again."""
        held = listing.extent
        await self._mailbox.older_messages(conversation.id)
        self._reach += REACH
        return self._mailbox.thread(conversation.id).extent != held

    def _rows(self) -> Rows[Entry]:
        assert self.listing is not None
        if self.part == ALL:
            return self.listing
        return excerpt(self.listing, self.part, self._reach)

    def _show_rows(self) -> None:
        """Apply the thread filter; the cursor keeps its row if that matches."""
        if self.listing is not None:
            self._thread.rows = self._rows()
            self._thread.say_when_empty(self._why_empty())
            self._thread.say_at_top(self._top_word())
            self._thread.rows_changed()

    def _go_to_first_of(self, day: date) -> bool:
        rows = self._thread.rows
        if rows is None or not len(rows):
            return False
        first = bisect_left(range(len(rows)), day, key=lambda at: self._day_of(rows, at))
        self._thread.go_to(min(first, len(rows) - 1))
        return first < len(rows)

    def _day_of(self, rows: Rows[Entry], position: int) -> date:
        moment = self._clock.local(rows[position].created_at)
        return moment.date() if moment else date.min

    def _open_thread(self, conversation: Conversation, listing: Listing[Entry]) -> None:
        contact = conversation.contact
        loading = listing.fetched_at is None
        self._thread.say_when_empty(LOADING if loading else self._why_empty())
        self._thread.open(
            self._rows(),
            contact=first_said(contact.name, format_phone(contact.phone), "Customer"),
            unread=conversation.unread_count or 0,
            top_word=self._top_word(),
            place=self._places.get(conversation.id),
        )

    def _why_empty(self) -> str:
        return "no messages" if self.part == ALL else f"{self.part}: nothing of that is loaded"

    def _remember_place(self) -> None:
        """Store the scroll position of the open thread, unless it is at the end."""
        if self.conversation is None or self.listing is None:
            return
        place = self._thread.place
        if place is None or self._thread.at_end:
            self._places.pop(self.conversation.id, None)
        else:
            self._places[self.conversation.id] = place

    def _reload(self, conversation: Conversation, *, first_sight: bool) -> None:
        assert self.listing is not None
        self.listing.reload()
        if first_sight:
            self._open_thread(conversation, self.listing)
        else:
            self._show_rows()
        self._show_contact(keep_place=True)

    def _show_contact(self, *, keep_place: bool) -> None:
        if self.conversation is not None:
            id = self.conversation.id
            facts = contact_facts(
                self.conversation,
                self._mailbox.contact(self.conversation),
                self._mailbox.catalogues.custom_fields(),
                self._mailbox.notes(id) if self._mailbox.has_read_notes(id) else None,
                self._mailbox.conversations_of(self.conversation.contact.id),
                self._clock,
                no_contact=lacking(self._mailbox, "contact_by_phone"),
                no_notes=lacking(self._mailbox, "notes"),
            )
            self._contact.show_facts(facts, keep_place=keep_place)

    def _top_word(self) -> str:
        if self.listing is None:
            return ""
        whole = self.listing.complete and (self.part == ALL or self._reach >= len(self.listing))
        return "start of the conversation" if whole else "older messages above"
