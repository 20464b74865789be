"""The reading side of the inbox: the open conversation's thread and its contact."""

import asyncio

from frontdesk.mailbox import Listing, Mailbox
from frontdesk.text import first_said
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens import inbox_words as say
from frontdesk.tui.screens.panes import Panes
from frontdesk.tui.widgets.contact_panel import ContactPanel, contact_facts
from frontdesk.tui.widgets.rows import Place
from frontdesk.tui.widgets.thread import Thread
from frontdesk.wire import Conversation, Message, Note


class Reading:
    """Shows one conversation from the cache and brings it up to date.

    Its async methods raise InboxError; what they fetched before that is shown.
    """

    def __init__(
        self, mailbox: Mailbox, clock: Clock, thread: Thread, contact: ContactPanel
    ) -> None:
        self._mailbox = mailbox
        self._clock = clock
        self._thread = thread
        self._contact = contact
        self.conversation: Conversation | None = None
        self.listing: Listing[Message | Note] | None = None
        self._loading_older = False
        self._places: dict[str, Place] = {}

    def open(self, conversation: Conversation) -> bool:
        """Show a conversation; False if it is the one that is open already."""
        if self.conversation is not None and self.conversation.id == conversation.id:
            return False
        self._remember_place()
        self.conversation = conversation
        self.listing = self._mailbox.thread(conversation.id)
        self._open_thread(conversation, self.listing)
        self._show_contact(keep_place=False)
        return True

    def close(self) -> None:
        """Show no conversation."""
        self._remember_place()
        self.conversation = self.listing = None
        self._thread.say_when_empty("")
        self._thread.show(None)
        self._contact.show_facts([], keep_place=False)

    def _open_thread(self, conversation: Conversation, listing: Listing[Message | Note]) -> None:
        contact = conversation.contact
        self._thread.say_when_empty("loading…" if listing.fetched_at is None else "no messages")
        self._thread.open(
            listing,
            contact=first_said(contact.name, contact.phone, "Customer"),
            unread=conversation.unread_count or 0,
            top_word=self._top_word(),
            place=self._places.get(conversation.id),
        )

    async def refresh(self) -> None:
        """Messages, notes and contact of the open conversation from the server."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None:
            return
        first_sight = not len(listing)
        outcomes = await asyncio.gather(
            self._mailbox.refresh_thread(conversation.id),
            self._mailbox.refresh_notes(conversation.id),
            self._mailbox.refresh_contact(conversation),
            return_exceptions=True,
        )
        if listing is self.listing:
            self._reload(conversation, first_sight=first_sight)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def older(self) -> None:
        """The page of messages before what is held; nothing while one is on its way."""
        conversation, listing = self.conversation, self.listing
        if conversation is None or listing is None or not len(listing) or listing.complete:
            return
        if self._loading_older:
            return
        self._loading_older = True
        try:
            await self._mailbox.older_messages(conversation.id)
        finally:
            self._loading_older = False
            if listing is self.listing:
                self._reload(conversation, first_sight=False)

    def say_why_empty(self, problem: str) -> None:
        """The thread could not be loaded: say so where it would stand."""
        if problem:
            self._thread.say_when_empty(f"{problem.rstrip('.')}. Nothing of this thread is cached.")

    def renew(self) -> None:
        """The conversation itself may have changed: show its newest state."""
        if self.conversation is not None:
            self.conversation = (
                self._mailbox.conversation(self.conversation.id) or self.conversation
            )
            self._show_contact(keep_place=True)

    def describe(self, panes: Panes) -> None:
        """Say who this is and what is out of view."""
        title, foot = panes["thread"].title, panes["thread"].foot
        panes["contact"].title.show([("strong", "CONTACT")])
        if self.conversation is None:
            title.show([("dim", " no conversation is open")])
            if foot is not None:
                foot.show([])
            return
        title.show(*say.thread_head(self.conversation, title.size.width))
        if foot is not None:
            below = bool(self.listing) and not self._thread.at_end
            foot.show(say.thread_foot(self.conversation, self._clock, below=below))

    def _remember_place(self) -> None:
        """Keep where the reader is in the open thread; at its end, new messages are to be seen."""
        if self.conversation is None:
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
            self._thread.say_at_top(self._top_word())
            self._thread.rows_changed()
        self._show_contact(keep_place=True)

    def _show_contact(self, *, keep_place: bool) -> None:
        if self.conversation is not None:
            facts = contact_facts(
                self.conversation,
                self._mailbox.contact(self.conversation),
                self._mailbox.catalogues.custom_fields(),
                self._mailbox.notes(self.conversation.id),
                self._clock,
            )
            self._contact.show_facts(facts, keep_place=keep_place)

    def _top_word(self) -> str:
        if self.listing is None:
            return ""
        return "start of the conversation" if self.listing.complete else "older messages above"
