"""Contact pane of the inbox: facts of the customer of the selected conversation."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message

from frontdesk.errors import InboxError
from frontdesk.inbox.connection import moment_words
from frontdesk.mailbox import Mailbox
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import TRIAGE
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.widgets.contact_panel import (
    ContactPanel,
    FactContext,
    brief_facts,
    contact_facts,
)
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation, ConversationFilter, Note


def _of_customer(conversation: Conversation) -> ConversationFilter:
    return ConversationFilter(contact=conversation.contact.id)


class ContactPane(Pane):
    """Facts of the selected conversation's contact.

    While the pane is hidden, as it is on most terminals, they are not read from the cache.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_square_bracket,comma",
            "group(-1)",
            "Previous group",
            id="inbox.before",
            group=TRIAGE("open snoozed resolved"),
        ),
        Binding(
            "right_square_bracket,full_stop",
            "group(1)",
            "Next group",
            id="inbox.after",
            group=TRIAGE("open snoozed resolved"),
        ),
    ]

    class ConversationOpened(Message):
        """Another conversation of the contact was opened."""

        def __init__(self, conversation_id: str) -> None:
            super().__init__()
            self.conversation_id = conversation_id

    def __init__(self, mailbox: Mailbox, clock: Clock) -> None:
        self.facts = ContactPanel()
        super().__init__("contact", self.facts)
        self._mailbox = mailbox
        self._clock, self._fact_context = clock, FactContext(clock)
        self._shown: str | None = None
        # The conversation whose customer's others were requested.
        self._requested: str | None = None
        # The conversation for which that succeeded last.
        self._current: str | None = None
        self._deferred: Callable[[], None] | None = None

    def on_mount(self) -> None:
        self.title.show([("strong", "Contact")])
        self.watch(self.facts, "selected_key", self._explain, init=False)

    def _explain(self) -> None:
        """Say what the fact under the cursor means, if that is not said by its name."""
        fact = self.facts.row
        if self.facts.has_focus and fact is not None and fact.about:
            say(self.screen, fact.about)

    def set_context(self, me: str, colours: Mapping[str, str]) -> None:
        """Set the own user's id or "", and the colours of labels by title."""
        self._fact_context = self._fact_context._replace(me=me, colours=colours)

    def select(self, conversation: Conversation | None) -> None:
        """Show the facts of a conversation's row at once; `show` adds those of the cache."""
        id = conversation.id if conversation else None
        if id != self._shown:
            self._shown = id
            self._show_or_defer(partial(self._show_row, conversation))

    def show(self, conversation: Conversation, *, keep_place: bool = True) -> None:
        """Show all cached facts of a conversation."""
        self._shown = conversation.id
        self._show_or_defer(partial(self._show_all, conversation, keep_place=keep_place))

    def _show_or_defer(self, show: Callable[[], None]) -> None:
        if self.display:
            self._deferred = None
            show()
        else:
            if self._deferred is None:
                self.facts.show_facts([], keep_place=False)
            self._deferred = show

    def show_deferred(self) -> None:
        """Show the facts that were deferred while the pane was hidden."""
        show, self._deferred = self._deferred, None
        if show is not None:
            show()

    def on_show(self) -> None:
        self.show_deferred()

    def _show_row(self, conversation: Conversation | None) -> None:
        facts = brief_facts(conversation, self._fact_context) if conversation else []
        self.facts.show_facts(facts, keep_place=False)

    def _show_all(self, conversation: Conversation, *, keep_place: bool) -> None:
        if conversation.id != self._requested and self._mailbox.connected:
            self._requested = conversation.id
            self._request_others(conversation)
        facts = contact_facts(
            conversation,
            self._mailbox.contact(conversation),
            self._mailbox.catalogues.custom_fields(),
            self._notes(conversation.id),
            self._mailbox.conversations_of(conversation.contact.id),
            self._fact_context,
            head=self._conversations_head(conversation),
            no_contact=self._mailbox.capabilities.lacking("contact_by_phone"),
            no_notes=self._mailbox.capabilities.lacking("notes"),
        )
        self.facts.show_facts(facts, keep_place=keep_place)

    def _conversations_head(self, conversation: Conversation) -> str:
        """Heading of the customer's conversations: whether they are all, and as of when."""
        known = self._mailbox.conversations(_of_customer(conversation))
        seen = self._clock.here(known.fetched_at)
        if seen is None or not known.complete:
            return "Conversations on this computer"
        is_current = conversation.id == self._current
        age = "" if is_current else f", as of {moment_words(seen, self._clock.now())}"
        return f"Conversations{age}"

    @work(group="customer", exclusive=True)
    async def _request_others(self, conversation: Conversation) -> None:
        """Request the customer's conversations, of any status and channel, and show them."""
        with suppress(InboxError):
            await self._mailbox.refresh_conversations(_of_customer(conversation))
            self._current = conversation.id
            if self._shown == conversation.id:
                self.show(conversation)

    def _notes(self, conversation_id: str) -> list[Note] | None:
        known = self._mailbox.has_read_notes(conversation_id)
        return self._mailbox.notes(conversation_id) if known else None

    def action_group(self, step: int) -> None:
        if not self.facts.step_group(step):
            say(self.screen, sentences.NO_LATER_GROUP if step > 0 else sentences.NO_EARLIER_GROUP)

    @on(VirtualList.Opened)
    def _open(self, event: VirtualList.Opened) -> None:
        event.stop()
        if event.row.conversation_id:
            self.post_message(self.ConversationOpened(event.row.conversation_id))
