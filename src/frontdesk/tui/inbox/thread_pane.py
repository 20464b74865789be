"""Thread pane of the inbox: messages and notes of the selected conversation, newest at the end.

A thread filter shows only the messages of people, only notes, or everything but system messages.
"""

import asyncio
import os
from bisect import bisect_left, bisect_right
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import ClassVar, TypeVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message as WidgetMessage
from textual.reactive import var

from frontdesk.conversation_export import THREAD_ENDINGS, by_people, thread_text, threads_text
from frontdesk.inbox.connection import moment_words
from frontdesk.inbox.rows import FixedRows, Rows
from frontdesk.inbox.sentences import LOADED_SO_FAR, LOADING
from frontdesk.mailbox import Listing, Mailbox
from frontdesk.message_text import Entry
from frontdesk.phones import name_or_phone
from frontdesk.text import first_non_blank
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import copy, links_in, open_outside, say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice, MenuEntry
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending, save_text
from frontdesk.tui.inbox.driver import fetch_thread
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.unsupported import lacking
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.glyphs import symbols_for
from frontdesk.tui.widgets.message_list import Thread, ThreadContents
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.tui.widgets.virtual_list import Place, VirtualList
from frontdesk.wire import Conversation, Note

T = TypeVar("T")

ALL = "all"

# Rows that a thread filter searches before the first paint, and for each further step at the top.
DEPTH = 500

# Pages loaded at most to fill the window with a thread filter.
MOST_PAGES_LOADED = 20

# Worker group of searches and loads that escape cancels.
SEARCH = "search"

_MATCHES: Mapping[str, Callable[[Entry], bool]] = {
    "people": by_people,
    "notes": lambda entry: isinstance(entry, Note),
    "no system lines": lambda entry: isinstance(entry, Note) or entry.type != "system",
}

FILTER_MENU = (
    MenuEntry("a", ALL, "all"),
    MenuEntry("p", "people", "people only"),
    MenuEntry("n", "notes", "notes only"),
    MenuEntry("s", "no system lines", "without system lines"),
)

COPY_MENU = (
    MenuEntry("m", "message", "the selected message"),
    MenuEntry("p", "phone", "the customer's number"),
    MenuEntry("n", "name", "the customer's name"),
    MenuEntry("l", "link", "a link in the message"),
    MenuEntry("t", "thread", "the whole thread as text"),
    MenuEntry("i", "id", "the conversation's id"),
)


def filtered(rows: Rows[Entry], filter: str, depth: int) -> Rows[Entry]:
    """Rows that match a thread filter among the newest `depth` rows."""
    if filter == ALL:
        return rows
    positions = range(max(0, len(rows) - depth), len(rows))
    return FixedRows([(rows.key(at), rows[at]) for at in positions if _MATCHES[filter](rows[at])])


def _nearest(rows: Rows[Entry], row: Entry) -> int:
    """Position of the last entry that is not newer than `row`; 0 if there is none."""
    later = bisect_right(range(len(rows)), row.created_at, key=lambda at: rows[at].created_at)
    return max(0, later - 1)


async def whole_thread(
    mailbox: Mailbox,
    clock: Clock,
    conversation_id: str,
    progress: Callable[[str], None],
    *,
    renew: bool = True,
) -> list[Entry]:
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


class ThreadPane(Pane):
    """Shows one conversation from the cache and refreshes it from the server.

    filter: the thread filter, which stays for other conversations. progress: text in the footer
    while a search or a load runs that escape cancels.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter messages…", id="inbox.filter"),
        Binding("left_square_bracket,comma", "day(-1)", "Previous day", id="inbox.before"),
        Binding("right_square_bracket,full_stop", "day(1)", "Next day", id="inbox.after"),
        Binding("E", "export", "Export thread…", id="inbox.export"),
    ]

    progress: var[str] = var("", init=False)

    class Loaded(WidgetMessage):
        """Messages or notes of the shown conversation were loaded."""

    def __init__(
        self, mailbox: Mailbox, clock: Clock, connection: ConnectionMonitor, keys: KeyNames
    ) -> None:
        symbols = symbols_for(os.environ, no_color=self.app.no_color)
        self.messages = Thread(clock, open_key=keys["inbox.open_link"], symbols=symbols)
        super().__init__("thread", self.messages)
        self._mailbox = mailbox
        self._clock = clock
        self._connection = connection
        self._keys = keys
        self.conversation: Conversation | None = None
        self.listing: Listing[Entry] | None = None
        self.filter = ALL
        self._me = ""
        self._depth = DEPTH
        # The thread whose older entries are being loaded.
        self._loading_older: Listing[Entry] | None = None
        self._unreadable = 0
        self._places: dict[str, Place] = {}
        # The place before a thread filter, None at the end, and the row that the filter went to.
        self._unfiltered: Place | None = None
        self._filtered_at: str | None = None
        self._shown_at_end = True
        # The conversation was unread when it was shown first; None before that.
        # Unread messages that were read here before, None if all were; known once it is shown.
        self._read_before: int | None = None
        self._knows_read = False

    def set_me(self, me: str) -> None:
        """Set the id of the own user, or ""."""
        self._me = me
        self.messages.set_me(me)

    # Contents

    def select(self, conversation: Conversation | None, *, open_cached: bool = False) -> None:
        """Show the data of a conversation's row at once; `open` shows its thread.

        open_cached: show the thread at once too if it is cached.
        """
        if (conversation and conversation.id) != (self.conversation and self.conversation.id):
            self._remember_place()
            self._unreadable = 0
            self._unfiltered = self._filtered_at = None
            self.conversation, self.listing = conversation, None
            self._knows_read = False
            thread = self._mailbox.thread(conversation.id) if conversation and open_cached else None
            if conversation is None or thread is None or thread.fetched_at is None:
                self.messages.clear(LOADING if conversation else "")
                self.refresh_bars()
            else:
                self._open(conversation, thread)

    def open(self) -> Conversation | None:
        """Show the thread of the selected conversation; None if it is shown already."""
        conversation = self.conversation
        if conversation is None or self.listing is not None:
            return None
        self._open(conversation, self._mailbox.thread(conversation.id))
        return conversation

    def _open(self, conversation: Conversation, listing: Listing[Entry]) -> None:
        self.listing = listing
        self._depth = DEPTH
        self._show_thread(conversation, listing)
        self.refresh_bars()

    @property
    def is_entered(self) -> bool:
        """True if keys go to the thread once no dialog is open."""
        return self.screen.focused is self.messages

    @property
    def shows_end(self) -> bool:
        """True if the last entry that passes the thread filter is displayed."""
        return self.display and self.messages.row is not None and self.messages.at_end

    def draw_ahead(self, conversation: Conversation) -> None:
        """Draw the end of the cached thread of a conversation that may be selected next."""
        listing = self._mailbox.thread(conversation.id)
        if listing.fetched_at is not None:
            before = self._count_read(conversation)
            contents = self._contents(conversation, listing, DEPTH, read_before=before)
            self.messages.draw_ahead(contents)

    def renew(self) -> None:
        """Show the cached state of the conversation."""
        if self.conversation is not None:
            known = self._mailbox.conversation(self.conversation.id)
            self.conversation = known or self.conversation
        self.refresh_bars()

    def show_problem(self, problem: str) -> None:
        """Explain in the empty pane why the thread of a conversation could not be loaded."""
        if problem and self.conversation is not None:
            words = sentences.NO_THREAD.format(problem=problem.rstrip("."))
            self.messages.say_when_empty(words)

    def go_to(self, key: str) -> bool:
        """Move the cursor to the entry with a key; False if it is not shown."""
        position = self.messages.rows.find(key)
        if position is not None:
            self.messages.go_to(position)
        return position is not None

    # Requests; they raise InboxError, and show rows that were fetched before the error.

    async def fetch(self) -> None:
        """Refresh messages, notes and contact of the open conversation."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return
        fetched = await fetch_thread(self._mailbox, conversation)
        self.show_fetched(conversation, fetched.unreadable)
        if fetched.error is not None:
            raise fetched.error

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None:
        """Show the present entries of a thread that was requested, if it is still open."""
        is_open = self.conversation is not None and self.conversation.id == conversation.id
        if is_open and self.listing is not None:
            self._unreadable = unreadable
            # A concurrent request may have loaded rows and let the user move among them: keep the
            # place.
            self._reload(conversation, first_sight=self.messages.row is None)

    @property
    def _has_older(self) -> bool:
        """True if there are older entries than those that were loaded or searched."""
        if self.listing is None:
            return False
        return not self.listing.complete or (self.filter != ALL and self._depth < len(self.listing))

    async def fetch_older(self) -> None:
        """Load one page; with a thread filter enough to fill the window, at most 20."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None or not len(listing):
            return
        if self._loading_older is listing:
            return
        shown = len(self._rows())
        self._loading_older = listing
        try:
            for _ in range(MOST_PAGES_LOADED):
                if not await self._fetch_page(conversation, listing):
                    return
                self._reload(conversation, first_sight=False)
                full = len(self._rows()) >= shown + self.messages.size.height
                if self.filter == ALL or full:
                    return
        finally:
            if self._loading_older is listing:
                self._loading_older = None

    async def _fetch_page(self, conversation: Conversation, listing: Listing[Entry]) -> bool:
        """Search or load one more page; False if there is none, or another thread is shown."""
        if self._depth < len(listing) and self.filter != ALL:
            await asyncio.sleep(0)
        elif listing.complete:
            return False
        else:
            held = listing.extent
            await self._mailbox.older_messages(conversation.id)
            if self._mailbox.thread(conversation.id).extent == held:
                return False
        if listing is not self.listing:
            return False
        self._depth += DEPTH
        return True

    async def fetch_day(self, day: date) -> date | None:
        """Move the cursor to the first entry on or after a day; its day, None if there is none.

        Loads older messages as needed.
        """
        reached = await self._load_until(lambda listing: self._day_of(listing, 0) < day)
        if not reached or not self._go_to_first_of(day):
            return None
        return self._day_of(self.messages.rows, self.messages.cursor)

    async def fetch_entry(self, key: str) -> bool:
        """Move the cursor to the entry with a key, with the ones around it; False if it is gone.

        Loads older messages as needed.
        """
        reached = await self._load_until(lambda listing: listing.find(key) is not None)
        return reached and self.go_to(key)

    async def _load_until(self, reached: Callable[[Listing[Entry]], bool]) -> bool:
        """Load older messages and show all; False if another conversation was opened meanwhile."""
        if self.listing is not None and not len(self.listing):
            await self.fetch()
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return False
        while len(listing) and not listing.complete and not reached(listing):
            self.progress = f"{len(listing)} messages, back to {self._day_of(listing, 0):%Y-%m-%d}"
            held = len(listing)
            await self._mailbox.older_messages(conversation.id)
            if listing is not self.listing:
                return False
            self._reload(conversation, first_sight=False)
            if len(listing) == held:
                break
        self._depth = max(self._depth, len(listing))
        self._show_rows()
        return True

    async def fetch_all(self) -> list[Entry]:
        """Load and return the whole open thread, oldest first."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return []
        try:
            return await whole_thread(
                self._mailbox, self._clock, conversation.id, self.show_progress, renew=False
            )
        finally:
            if listing is self.listing:
                self._reload(conversation, first_sight=self.messages.row is None)

    @work(group=SEARCH, exclusive=True)
    async def load_then(self, load: Callable[[], Awaitable[T]], use: Callable[[T], object]) -> None:
        """Run a long request, whose progress the footer shows, and use the result.

        Escape cancels it.
        """
        try:
            answer = await self._connection.ask(load, beside=True)
        finally:
            self.progress = ""
        if answer is not None:
            use(answer.value)

    def show_progress(self, words: str) -> None:
        """Show the progress of `load_then`."""
        self.progress = words

    @work(group="older messages")
    async def _load_older(self) -> None:
        with self.messages.loading_more():
            await self._connection.ask(self.fetch_older, beside=True)

    # Actions

    def action_filter(self) -> None:
        """Open the menu of thread filters."""
        menu = dialogs.menu("Show", FILTER_MENU, current=self.filter)
        dialogs.ask(self.app, menu, self._set_filter)

    def _set_filter(self, filter: str) -> None:
        """Apply a thread filter at the row under the cursor, or the one before it.

        Without a filter, the reader who has not moved returns to the place before it.
        """
        messages, row = self.messages, self.messages.row
        if filter == self.filter:
            return
        if self.filter == ALL:
            self._unfiltered = None if messages.at_end else messages.place
        moved = messages.selected_key != self._filtered_at
        self.filter, self._depth = filter, DEPTH
        if self.listing is not None:
            self._show_rows()
            rows = self._rows()
            if row is not None and (filter != ALL or moved):
                messages.show_end(rows, cursor=_nearest(rows, row))
            elif self._unfiltered is None or not messages.return_to(rows, self._unfiltered):
                messages.show_end(rows)
            self._filtered_at = messages.selected_key
        self.refresh_bars()

    def action_day(self, step: int) -> None:
        """Go to the first entry of the next or previous day."""
        if not self._step_day(step):
            earlier = sentences.NO_EARLIER_DAY.format(key=self._keys["inbox.date"])
            say(self.screen, sentences.NO_LATER_DAY if step > 0 else earlier)

    def copy_from_menu(self) -> None:
        """Open the menu of the parts of a conversation that can be copied."""
        if self.conversation is None:
            self._copy("")
            return
        entries = [entry for entry in COPY_MENU if entry.value != "link" or self.links]
        dialogs.ask(self.app, dialogs.menu("Copy", entries), self._copy_part)

    @property
    def links(self) -> list[str]:
        """Links of the message under the cursor."""
        row = self.messages.row
        return links_in(row) if row is not None else []

    def open_link(self) -> None:
        """Open the link or the media of the message under the cursor."""
        self._with_link(self.open_address)

    def action_export(self) -> None:
        """Ask for a file name, and save the whole thread."""
        if self.conversation is None:
            return
        contact = self.conversation.contact
        name = first_non_blank(contact.name, contact.phone, contact.id)
        ask_for_name(self.screen, name, self._clock, THREAD_ENDINGS, self._save)

    def _save(self, name: str) -> None:
        if self.conversation is not None:
            use = partial(self._save_entries, name, self.conversation)
            self.load_then(self.fetch_all, use)

    def _save_entries(self, name: str, conversation: Conversation, entries: list[Entry]) -> None:
        text = thread_text(conversation, entries, ending(name), self._clock.zone)
        words = bar_texts.entry_words(entries)
        save_text(self.screen, name, text, sentences.THREAD_EXPORTED, entries=words)

    def save_threads(self, name: str, conversations: Sequence[Conversation]) -> None:
        """Load the threads of conversations from their start, and save them."""
        count = bar_texts.selection_words(len(conversations))

        def write(threads: list[tuple[Conversation, list[Entry]]]) -> None:
            text = threads_text(threads, ending(name), self._clock.zone)
            words = bar_texts.entry_words([entry for _, entries in threads for entry in entries])
            sentence = sentences.THREADS_EXPORTED
            save_text(self.screen, name, text, sentence, selection=count, entries=words)

        self.load_then(partial(self._fetch_threads, conversations), write)

    async def _fetch_threads(
        self, conversations: Sequence[Conversation]
    ) -> list[tuple[Conversation, list[Entry]]]:
        threads = []
        for number, one in enumerate(conversations, 1):
            which = f"{number} of {len(conversations)}"
            self.progress = which

            def show(words: str, which: str = which) -> None:
                self.progress = f"{which}: {words}"

            threads.append((one, await whole_thread(self._mailbox, self._clock, one.id, show)))
        return threads

    def _copy(self, text: str) -> None:
        copy(self.screen, text)

    def _copy_part(self, part: str) -> None:
        conversation = self.conversation
        if conversation is None:
            return
        match part:
            case "message":
                self._copy(self.messages.copied())
            case "phone":
                self._copy(conversation.contact.phone or "")
            case "name":
                self._copy(conversation.contact.name or "")
            case "link":
                self._with_link(self._copy)
            case "thread":
                self.load_then(self.fetch_all, partial(self._copy_entries, conversation))
            case "id":
                self._copy(conversation.id)

    def _copy_entries(self, conversation: Conversation, entries: list[Entry]) -> None:
        self._copy(thread_text(conversation, entries, "txt", self._clock.zone))

    def _with_link(self, use: Callable[[str], None]) -> None:
        """Call `use` with the link of the message under the cursor; ask if it has several."""
        links = self.links
        if len(links) == 1:
            use(links[0])
        else:
            choices = [Choice(link, link) for link in links]
            dialogs.ask(self.app, dialogs.picker("Which link", choices, current=None), use)

    def open_address(self, link: str) -> None:
        """Open a web address in the browser; without one, copy it and show it."""
        if self.app.is_web:
            self.app.open_url(link)
        else:
            self._open_in_browser(link)

    @work(thread=True, group="opening")
    def _open_in_browser(self, link: str) -> None:
        if not open_outside(link):
            self.app.call_from_thread(self._show_link, link)

    def _show_link(self, link: str) -> None:
        self._copy(link)
        self.app.push_screen(dialogs.prompt(sentences.NO_BROWSER, value=link))

    # Messages of the list and of the footer

    @on(Bar.Pressed, "#thread-foot")
    def _press_foot(self, event: Bar.Pressed) -> None:
        """Go to the newest message, if some are below."""
        event.stop()
        if event.piece == -1 and not self.messages.at_end:
            self.messages.action_last()

    @on(VirtualList.Highlighted)
    def _update_foot(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        self._show_end()

    @on(VirtualList.NearEnd)
    def _load_at_top(self, event: VirtualList.NearEnd) -> None:
        event.stop()
        if event.top and self._has_older:
            self._load_older()
        self._show_end()

    @on(VirtualList.Stopped)
    def _say_how_far(self, event: VirtualList.Stopped) -> None:
        """Say that the first row is not that of the thread."""
        event.stop()
        if self._has_older:
            rows, key = bar_texts.entry_words([*(self.listing or ())]), self._keys["list.first"]
            say(self.screen, LOADED_SO_FAR.format(rows=rows, key=key))

    def _show_end(self) -> None:
        """Update the bars if the end of the thread has come into view, or has left it."""
        if self.messages.at_end != self._shown_at_end:
            self.refresh_bars()

    # Title and footer

    def watch_progress(self) -> None:
        self.refresh_bars()

    def refresh_bars(self) -> None:
        """Update the title and the footer."""
        assert self.foot is not None
        conversation = self.conversation
        if conversation is None:
            self.title.show([("dim", sentences.NO_CONVERSATION)])
            self.foot.show([])
            return
        self.title.show_fitted(partial(bar_texts.thread_head, conversation, me=self._me))
        words = bar_texts.thread_foot(
            conversation,
            self._clock,
            no_notes=lacking(self._mailbox, "notes"),
        )
        if self.progress:
            words = [("accent", f" loading: {self.progress}   {self._keys['inbox.back']} stops")]
        all = f"{self._keys['inbox.filter']} {FILTER_MENU[0].letter} all"
        shown = [("accent", f"showing: {self.filter}  {all} ")] if self.filter != ALL else []
        lost = f"{self._unreadable} unreadable " if self._unreadable else ""
        below: list[Piece] = []
        self._shown_at_end = self.messages.at_end
        if self.listing and not self._shown_at_end:
            below = [("accent", f" ▼ more below  {self._keys['list.last']} ")]
        self.foot.show(words, [*self._age(), ("warning", lost), *shown, *below])

    def _age(self) -> list[Piece]:
        """Time of the last refresh, if the latest refresh failed."""
        seen = self._clock.here(self.listing.fetched_at) if self.listing else None
        conversation = self.conversation
        if (
            seen is None
            or conversation is None
            or not self._mailbox.has_failed_thread(conversation.id)
        ):
            return []
        return [("warning", f"as of {moment_words(seen, self._clock.now())} ")]

    # Rows

    def _rows(self) -> Rows[Entry]:
        assert self.listing is not None
        return filtered(self.listing, self.filter, self._depth)

    def _show_rows(self) -> None:
        """Apply the thread filter; the cursor keeps its row if that matches."""
        if self.listing is not None:
            self.messages.rows = self._rows()
            self.messages.say_when_empty(self._empty_words())
            self.messages.say_at_top(self._top_words(self.listing, self._depth))
            self.messages.rows_changed()

    def _show_thread(self, conversation: Conversation, listing: Listing[Entry]) -> None:
        if not self._knows_read:
            self._read_before, self._knows_read = self._count_read(conversation), True
        before = self._read_before
        contents = self._contents(conversation, listing, self._depth, read_before=before)
        self.messages.open(contents, place=self._places.get(conversation.id))
        loading = listing.fetched_at is None
        self.messages.say_when_empty(LOADING if loading else self._empty_words())

    def _count_read(self, conversation: Conversation) -> int | None:
        """Number of unread messages of the server that were read here; None if all were."""
        new = self._mailbox.unread_among((conversation,)).get(conversation.id)
        return None if new is None else (conversation.unread_count or 0) - new

    def _contents(
        self,
        conversation: Conversation,
        listing: Listing[Entry],
        depth: int,
        *,
        read_before: int | None,
    ) -> ThreadContents:
        unread = conversation.unread_count or 0
        return ThreadContents(
            filtered(listing, self.filter, depth),
            contact=name_or_phone(conversation.contact) or "Customer",
            unread=0 if read_before is None else max(0, unread - read_before),
            top_words=self._top_words(listing, depth),
        )

    def _reload(self, conversation: Conversation, *, first_sight: bool) -> None:
        assert self.listing is not None
        self.listing.reload()
        if first_sight:
            self._show_thread(conversation, self.listing)
        else:
            self._show_rows()
        self.refresh_bars()
        self.post_message(self.Loaded())

    def _empty_words(self) -> str:
        words = sentences.NO_MESSAGES[self.filter]
        whole = self.listing is not None and self.listing.complete
        return words if whole else sentences.AMONG_LOADED.format(words=words)

    def _top_words(self, listing: Listing[Entry], depth: int) -> str:
        whole = listing.complete and (self.filter == ALL or depth >= len(listing))
        return "start of the conversation" if whole else "older messages above"

    def _remember_place(self) -> None:
        """Store the scroll position of the open thread, unless it is at the end."""
        if self.conversation is None or self.listing is None:
            return
        place = self.messages.place
        if place is None or self.messages.at_end:
            self._places.pop(self.conversation.id, None)
        else:
            self._places[self.conversation.id] = place

    # Days

    def _step_day(self, step: int) -> bool:
        """Go to the first entry of the next (1) or previous (-1) day; False if there is none."""
        rows = self.messages.rows
        if not len(rows):
            return False
        today = self._day_of(rows, self.messages.cursor)
        first = bisect_left(range(len(rows)), today, key=lambda at: self._day_of(rows, at))
        if step < 0:
            return first > 0 and self._go_to_first_of(self._day_of(rows, first - 1))
        later = bisect_left(range(len(rows)), True, key=lambda at: self._day_of(rows, at) > today)
        if later < len(rows):
            self.messages.go_to(later)
        return later < len(rows)

    def _go_to_first_of(self, day: date) -> bool:
        rows = self.messages.rows
        if not len(rows):
            return False
        first = bisect_left(range(len(rows)), day, key=lambda at: self._day_of(rows, at))
        self.messages.go_to(min(first, len(rows) - 1))
        return first < len(rows)

    def _day_of(self, rows: Rows[Entry], position: int) -> date:
        moment = self._clock.local(rows[position].created_at)
        return moment.date() if moment else date.min
