"""The queue side of the inbox: which conversations, how many, and where the reader is in them."""

from itertools import islice

from frontdesk.mailbox import Listing, Mailbox
from frontdesk.tui.screens import inbox_words as say
from frontdesk.tui.screens.filters import first_filter, stored_filter
from frontdesk.tui.screens.panes import Panes
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.cells import width_of
from frontdesk.tui.widgets.channel_list import (
    ChannelList,
    ChannelRow,
    channel_rows,
    channel_tabs,
)
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.wire import Conversation, ConversationFilter, Counts
from frontdesk.wire.queries import STATUSES

# Only a thorough refresh sees rows further down that left the filter.
REFRESHES_UNTIL_THOROUGH = 6

# The next unread conversation is looked for in this many rows.
MOST_ROWS_LOOKED_AT = 1000

_FILTER, _CONVERSATION = "inbox.filter", "inbox.conversation"


class Queue:
    """Shows one filter's conversations from the cache and brings them up to date.

    Its async methods raise InboxError; what they fetched before that is shown.
    """

    def __init__(
        self, mailbox: Mailbox, conversations: ConversationList, channels: ChannelList
    ) -> None:
        self._mailbox = mailbox
        self._list = conversations
        self._channels = channels
        self._remembered = stored_filter(mailbox.recall(_FILTER))
        self.filter = self._remembered or first_filter(self._all_counts())
        self.listing: Listing[Conversation] = mailbox.conversations(self.filter)
        self._loading_older = False
        self._refreshes = 0
        self.added_above = 0
        self._before: str | None = None
        self._now: str | None = None

    @property
    def counts(self) -> Counts | None:
        """The last known counts of the filter's channel and label."""
        return self._mailbox.counts(self._counted)

    @property
    def names(self) -> say.Names:
        """Names for words about filters."""
        return say.Names.of(self._mailbox.catalogues.channels(), self._mailbox.catalogues.users())

    def show(self) -> None:
        """Show what is held of the filter, with the cursor on the conversation it was on."""
        last = self._mailbox.recall(_CONVERSATION)
        self.listing = self._mailbox.conversations(self.filter)
        self.added_above = 0
        position = self.listing.position(last) if last else None
        self._list.show(self.listing, cursor=position or 0)

    def choose(self, chosen: ConversationFilter) -> None:
        """Show another filter's conversations, and remember it for the next start."""
        self.filter = self._remembered = chosen
        self._mailbox.remember(_FILTER, chosen.model_dump_json())
        self.show()

    def remember(self, conversation: Conversation) -> None:
        """The reader is at this conversation."""
        self._before, self._now = self._now, conversation.id
        self._mailbox.remember(_CONVERSATION, conversation.id)

    def unread_beside(self, position: int, step: int) -> int | None:
        """Where the next (1) or previous (-1) unread conversation stands, within 20 pages."""
        end = len(self.listing) if step > 0 else -1
        for at in islice(range(position + step, end, step), MOST_ROWS_LOOKED_AT):
            if self.listing[at].unread_count:
                return at
        return None

    def position_before(self, open_now: Conversation | None) -> int | None:
        """Where the conversation stands that was open before this one."""
        if self._before is None or open_now is None or self._before == open_now.id:
            return None
        return self.listing.position(self._before)

    def status_beside(self, step: int) -> str:
        """The status before (-1) or after (1) the filter's own."""
        at = STATUSES.index(self.filter.status) if self.filter.status in STATUSES else -1
        return STATUSES[(at + step) % len(STATUSES)]

    async def refresh(self) -> None:
        """Counts and the head of the list from the server."""
        chosen = self.filter
        await self._mailbox.refresh_counts(ConversationFilter())
        if self._remembered is None and not self.listing:
            self.filter = chosen = first_filter(self._all_counts())
            self.show()
        if self._counted != ConversationFilter():
            await self._mailbox.refresh_counts(self._counted)
        try:
            refreshed = await self._mailbox.refresh_conversations(
                chosen, thorough=self._must_be_thorough()
            )
            self._count_added(chosen, len(refreshed.added))
        finally:
            self._reload(chosen)

    def _must_be_thorough(self) -> bool:
        """Whether rows that left the filter further down are to be looked for this time."""
        self._refreshes += 1
        total = say.count_for(self.counts, self.filter)
        disagree = self.listing.complete and total is not None and total != len(self.listing)
        return disagree or self._refreshes % REFRESHES_UNTIL_THOROUGH == 0

    def _count_added(self, chosen: ConversationFilter, added: int) -> None:
        """Remember how many rows came above the window, until its top is seen again."""
        if chosen == self.filter and not self._list.at_start:
            self.added_above += added

    async def refresh_names(self) -> None:
        """Channels, users, labels and custom fields from the server."""
        await self._mailbox.refresh_catalogues()

    async def older(self) -> None:
        """The next page below what is held; nothing while one is on its way or at the end."""
        chosen = self.filter
        if self._loading_older or self.listing.complete or not self.listing:
            return
        self._loading_older = True
        try:
            await self._mailbox.older_conversations(chosen)
        finally:
            self._loading_older = False
            self._reload(chosen)

    def current(self, conversation_id: str) -> Conversation | None:
        """The newest state that is held of a conversation."""
        return self._mailbox.conversation(conversation_id)

    def describe(self, header: Bar, tabs: Bar, panes: Panes, *, title: str, problem: str) -> None:
        """Say the filter and the counts in every bar; `problem`: why nothing can be loaded."""
        counts, names = self.counts, self.names
        rows = self._channel_rows()
        self._channels.show_channels(rows)
        panes["channels"].title.show([("strong", "CHANNELS")])
        words = say.filter_words(self.filter, names)
        left = [("accent", " INBOX "), ("strong", title), ("text", f"   {words}")]
        room = header.size.width - width_of(left)
        header.show(left, say.header_counts(self._all_counts(), room))
        tabs.show(channel_tabs(rows), [("dim", " f filters ")])
        title_bar = panes["list"].title
        title_bar.show(say.status_tabs(counts, self.filter, title_bar.size.width))
        loaded = self.listing.fetched_at is not None
        words = say.empty_words(self.filter, names, loaded=loaded, problem=problem)
        self._list.say_when_empty(words)

    def loaded_words(self) -> str:
        """How much of the list is held: 50 of 412; and what came above the window."""
        if self._list.at_start:
            self.added_above = 0
        new = f"{self.added_above} new ▲ g · " if self.added_above else ""
        return new + self._held_words()

    def _held_words(self) -> str:
        total = say.count_for(self.counts, self.filter)
        held = len(self.listing)
        if self.listing.fetched_at is None:
            return "nothing loaded"
        if self.listing.complete:
            return f"{held} loaded"
        return f"{held} of {total} loaded" if total is not None else f"{held} loaded, more below"

    @property
    def _counted(self) -> ConversationFilter:
        """The part of the filter that counts are asked for: they tell every status and assignee."""
        return ConversationFilter(channel=self.filter.channel, label=self.filter.label)

    def _all_counts(self) -> Counts | None:
        return self._mailbox.counts(ConversationFilter())

    def _channel_rows(self) -> list[ChannelRow]:
        return channel_rows(
            self._mailbox.catalogues.channels(), self._all_counts(), self.filter.channel
        )

    def _reload(self, chosen: ConversationFilter) -> None:
        """Show what the cache holds now, unless another filter was chosen meanwhile."""
        if chosen == self.filter:
            self.listing.reload()
            self._list.rows_changed()
