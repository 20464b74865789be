"""Thread pane of the inbox: messages and notes of the selected conversation, newest at the end.

A thread filter shows only the messages of people, only notes, or everything but system messages.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType

from frontdesk.errors import InboxError
from frontdesk.inbox.limits import MOST_PAGES_LOADED
from frontdesk.inbox.sentences import LOADED_SO_FAR
from frontdesk.text.messages import Entry
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.action_groups import EXPORT, READ, TRIAGE
from frontdesk.tui.clipboard import say
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.inbox.thread_view import (
    ALL,
    DEPTH,
    FILTER_MENU,
    ThreadRows,
    ThreadView,
    file_beside,
    load_older,
    nearest,
)
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation

if TYPE_CHECKING:
    from frontdesk.mailbox.story import Story
    from frontdesk.tui.inbox.thread_exports import ThreadExports


class ThreadPane(ThreadView):
    """Shows one conversation from the cache and refreshes it from the server.

    Requests raise InboxError, and show rows that were fetched before the error.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "f",
            "filter",
            "Filter messages…",
            id="inbox.filter",
            group=TRIAGE("narrow status assignee label channel"),
        ),
        Binding(
            "left_square_bracket,comma",
            "day(-1)",
            "Previous day",
            id="inbox.before",
            group=TRIAGE("open snoozed resolved"),
        ),
        Binding(
            "right_square_bracket,full_stop",
            "day(1)",
            "Next day",
            id="inbox.after",
            group=TRIAGE("open snoozed resolved"),
        ),
        Binding(
            "E",
            "export",
            "Export thread…",
            id="inbox.export",
            group=EXPORT("save download file csv json markdown thread list"),
        ),
        Binding(
            "d",
            "save_file",
            "Save the file…",
            id="inbox.save_file",
            group=READ("download photo picture document voice attachment"),
        ),
    ]

    def on_mount(self) -> None:
        self.watch(self.messages, "selected_key", self._show_end, init=False)

    def on_unmount(self) -> None:
        if "exports" in self.__dict__:
            self.exports.close()

    @cached_property
    def exports(self) -> "ThreadExports":
        """Copies, files and links of the shown thread."""
        # Deferred: the first paint does not need it.
        from frontdesk.tui.inbox.thread_exports import ThreadExports

        return ThreadExports(self, self._mailbox, self._clock, self._preferences)

    # Keys

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
            unfiltered = None if messages.at_end else messages.place
            self._of_shown = self._of_shown._replace(unfiltered=unfiltered)
        # Other rows: what of them was seen is not known.
        self._of_shown = self._of_shown._replace(seen_to=None)
        before = self._of_shown.unfiltered
        moved = messages.selected_key != self._of_shown.filtered_at
        self.filter, self._depth = filter, DEPTH
        if self.listing is not None:
            self._show_rows()
            rows = self._rows()
            if row is not None and (filter != ALL or moved):
                messages.show_end(rows, cursor=nearest(rows, row))
            elif before is None or not messages.return_to(rows, before):
                messages.show_end(rows)
            self._of_shown = self._of_shown._replace(filtered_at=messages.selected_key)
        self.refresh_bars()

    def toggle_story(self) -> None:
        """Show all conversations of the customer as one thread, or the selected one alone."""
        conversation = self.conversation
        if conversation is None or self.listing is None:
            say(self.screen, sentences.NO_CONVERSATION)
        elif self.story is not None:
            self.leave_story(conversation)
        else:
            # Deferred: the first paint does not need it.
            from frontdesk.mailbox.story import Story

            story = Story(self._mailbox, conversation)
            self.load_then(partial(self._begin_story, story), self._show_begun)

    async def _begin_story(self, story: "Story") -> "Story":
        self.progress = "all conversations of the customer"
        await story.refresh()
        return story

    def _show_begun(self, story: "Story") -> None:
        """Show a story, unless another conversation was selected meanwhile."""
        conversation = self.conversation
        if conversation is None or all(row.id != conversation.id for row in story.conversations):
            return
        if len(story.conversations) == 1:
            say(self.screen, sentences.ONLY_CONVERSATION)
        else:
            self.show_story(story)

    def refresh_stale_story(self) -> None:
        """Request what is new of the other conversations of a story that is shown."""
        story = self.story
        if story is not None and story.stale:
            self._refresh_story(story)

    @work(group="story")
    async def _refresh_story(self, story: "Story") -> None:
        """Request what is new of the customer's conversations."""
        if self._refreshed_story is not None:
            return
        self._refreshed_story = story
        try:
            with suppress(InboxError):
                await story.refresh()
        finally:
            self._refreshed_story = None
        if story is self.story and self.conversation is not None:
            self._reload(self.conversation, first_sight=False)

    def action_export(self) -> None:
        """Ask for a file name, and save the whole thread."""
        self.exports.export()

    def action_save_file(self) -> None:
        """Save the file of the message."""
        if not self.exports.save_file():
            say(self.screen, sentences.NO_FILE)

    @on(VirtualList.Opened)
    def _show_file(self, event: VirtualList.Opened) -> None:
        event.stop()
        if not self.exports.show_file():
            say(self.screen, sentences.NO_FILE)

    @on(Thread.PicturesWanted)
    def _load_pictures(self, event: Thread.PicturesWanted) -> None:
        event.stop()
        if self.exports.files is not None:
            self.exports.files.load_pictures()

    def go_to_file(self, step: int, *, from_end: bool) -> None:
        """Go to the next (1) or previous (-1) file; older messages are loaded as needed.

        from_end: look from below the last message.
        """
        if self.conversation is None:
            say(self.screen, sentences.NO_CONVERSATION)
        elif not self.step_file(step, from_end=from_end):
            if step > 0:
                say(self.screen, sentences.NO_LATER_FILE)
            else:
                self.load_then(self.fetch_file, self._say_if_no_file)

    def _say_if_no_file(self, found: bool) -> None:
        if not found:
            say(self.screen, sentences.NO_EARLIER_FILE)

    def action_day(self, step: int) -> None:
        """Go to the first entry of the next or previous day."""
        if self.conversation is None:
            say(self.screen, sentences.NO_CONVERSATION)
        elif not self._step_day(step):
            earlier = sentences.NO_EARLIER_DAY.format(key=self._keys["inbox.date"])
            say(self.screen, sentences.NO_LATER_DAY if step > 0 else earlier)

    @on(Bar.Pressed, "#thread-foot")
    def _press_foot(self, event: Bar.Pressed) -> None:
        """Go to the newest message, if some are below."""
        event.stop()
        if event.piece == -1 and not self.messages.at_end:
            self.messages.action_last()

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
            rows, key = bar_texts.entry_words(self._loaded()), self._keys["list.first"]
            say(self.screen, LOADED_SO_FAR.format(rows=rows, key=key))

    def _loaded(self) -> list[Entry]:
        return [self.listing[at] for at in range(len(self.listing))] if self.listing else []

    # Requests

    async def fetch(self) -> None:
        """Refresh messages, notes and contact of the open conversation."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return
        fetched = await self._mailbox.refresh_open_thread(conversation)
        self.show_fetched(conversation, fetched.unreadable)
        if fetched.error is not None:
            raise fetched.error

    def show_fetched(self, conversation: Conversation, unreadable: int) -> None:
        """Show the present entries of a thread that was requested, if it is still open."""
        is_open = self.conversation is not None and self.conversation.id == conversation.id
        if is_open and self.listing is not None:
            self._of_shown = self._of_shown._replace(unreadable=unreadable)
            # A concurrent request may have loaded rows and let the user move among them: keep the
            # place.
            self._reload(conversation, first_sight=self.messages.row is None)
            if self.story is not None:
                self.story.ask_again()
                self._refresh_story(self.story)

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

    async def _fetch_page(self, conversation: Conversation, listing: ThreadRows) -> bool:
        """Search or load one more page; False if there is none, or another thread is shown."""
        if self._depth < len(listing) and self.filter != ALL:
            await asyncio.sleep(0)
        elif listing.complete:
            return False
        else:
            if not await load_older(self._mailbox, conversation.id, listing):
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

    async def fetch_file(self) -> bool:
        """Move the cursor to the next message with a file above it; False if there is none.

        Loads older messages as needed.
        """
        below = self.messages.selected_key or ""

        def reached(listing: ThreadRows) -> bool:
            return file_beside(listing, listing.find(below) or 0, -1) is not None

        return await self._load_until(reached) and self.step_file(-1)

    async def _load_until(self, reached: Callable[[ThreadRows], bool]) -> bool:
        """Load older messages and show all; False if another conversation was opened meanwhile."""
        if self.listing is not None and not len(self.listing):
            await self.fetch()
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return False
        while len(listing) and not listing.complete and not reached(listing):
            self.progress = f"{len(listing)} messages, back to {self._day_of(listing, 0):%Y-%m-%d}"
            has_more = await load_older(self._mailbox, conversation.id, listing)
            if listing is not self.listing:
                return False
            self._reload(conversation, first_sight=False)
            if not has_more:
                break
        self._depth = max(self._depth, len(listing))
        self._show_rows()
        return True

    @work(group="older messages")
    async def _load_older(self) -> None:
        with self.messages.loading_more():
            await self._connection.ask(self.fetch_older, beside=True)
