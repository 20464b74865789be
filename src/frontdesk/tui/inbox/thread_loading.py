"""Requests of the thread pane: older messages, a day, an entry, or the whole thread."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from typing import TypeVar

from textual import work

from frontdesk.inbox.limits import MOST_PAGES_LOADED
from frontdesk.mailbox import Listing, Mailbox
from frontdesk.text.messages import Entry
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.driver import fetch_thread
from frontdesk.tui.inbox.thread_view import ALL, DEPTH, ThreadView, file_beside
from frontdesk.wire import Conversation

T = TypeVar("T")

# Worker group of searches and loads that escape cancels.
SEARCH = "search"


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


class ThreadLoading(ThreadView):
    """Loads what the shown thread lacks.

    Requests raise InboxError, and show rows that were fetched before the error.
    """

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
            self._of_shown = self._of_shown._replace(unreadable=unreadable)
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

    async def fetch_file(self) -> bool:
        """Move the cursor to the next message with a file above it; False if there is none.

        Loads older messages as needed.
        """
        below = self.messages.selected_key or ""

        def reached(listing: Listing[Entry]) -> bool:
            return file_beside(listing, listing.find(below) or 0, -1) is not None

        return await self._load_until(reached) and self.step_file(-1)

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
