"""Conversation list of the inbox: its rows, title and progress, marks and exports."""

import asyncio
import os
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer

from frontdesk.inbox import words
from frontdesk.inbox.cached import ThreadWindow
from frontdesk.inbox.finding import say_how_far, unread_beside
from frontdesk.inbox.orders import Order
from frontdesk.inbox.refreshing import near_end
from frontdesk.inbox.state import Inbox
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.prefetch import THREAD_PREFETCH_ROWS
from frontdesk.query import NEWEST, ORDERS, reference
from frontdesk.settings import ViewerSettings
from frontdesk.text.clean import counted
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.action_groups import EXPORT
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending, save_text
from frontdesk.tui.inbox.channel_pane import CHANNEL_KEYS
from frontdesk.tui.inbox.driver import Driver
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.channel_list import ALL_CHANNELS
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.conversation_row import heading, order_of
from frontdesk.tui.widgets.glyphs import symbols_for
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation
from frontdesk.wire.values import STATUSES

# Rows of an export that are read in one step, and in how many tries while refreshes move them.
_READ_PER_STEP, _TRIES_TO_READ = 20, 3
# An export of more rows than these says that it goes on.
_EXPORTED_AT_ONCE = 1_000


class QueuePane(Pane):
    """Shows the conversations of the inbox.

    inbox: what it shows. driver: events of the inbox go through it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *CHANNEL_KEYS,
        Binding(
            "E",
            "screen.run('export_pane', 'list')",
            "Export list or selection…",
            id="inbox.export",
            group=EXPORT("save download file csv json markdown thread list"),
        ),
    ]

    class SelectionOpened(Message):
        """The selected conversation was opened; `id`: which one was selected then."""

        def __init__(self, id: str) -> None:
            super().__init__()
            self.id = id

    class MarksChanged(Message):
        """The marked rows have changed."""

    class OrderPressed(Message):
        """The heading of a column was clicked that sorts by `order`."""

        def __init__(self, order: str) -> None:
            super().__init__()
            self.order = order

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        keys: KeyNames,
        views: SavedViews,
        reader: ThreadWindow,
        carry_out: Callable[[Order], None],
        draw: Callable[[], None],
        *,
        settings: ViewerSettings,
    ) -> None:
        self.list = ConversationList(
            clock,
            unread_among=lambda rows: self.inbox.marks.unread_among(rows),
            follow_ups_among=lambda rows: self.inbox.marks.follow_ups.among(rows),
            excerpts=lambda: mailbox.excerpts(self.inbox.view.shown.filter),
            has_left=lambda row: self.inbox.view.has_left(row),
            symbols=symbols_for(os.environ),
        )
        super().__init__("list", self.list)
        self._mailbox, self._clock, self._keys = mailbox, clock, keys
        seconds = asyncio.get_running_loop().time
        self.inbox = Inbox(
            mailbox,
            self.list,
            reader,
            connection,
            clock,
            views,
            keys,
            seconds,
            settings=settings,
        )
        self.driver = Driver(self, mailbox, self.inbox, carry_out, draw)
        self._cue_timer: Timer | None = None

    def status_beside(self, step: int) -> str:
        """Status after (1) or before (-1) that of the filter, with wrap-around."""
        status = self.inbox.view.shown.filter.status
        at = STATUSES.index(status) if status in STATUSES else -1
        return STATUSES[(at + step) % len(STATUSES)]

    def channel_beside(self, step: int) -> str | None:
        """Channel after (1) or before (-1) that of the filter, in the order of the channels pane.

        Wraps around; `ALL_CHANNELS` comes first. None if no channels are known.
        """
        ids = [ALL_CHANNELS, *(channel.id for channel in self._mailbox.catalogues.channels())]
        if len(ids) == 1:
            return None
        channel = self.inbox.view.shown.filter.channel
        at = ids.index(channel) if channel in ids else 0
        id = ids[(at + step) % len(ids)]
        return reference(id, self.inbox.planning.names.channels) if id else id

    @property
    def label_colours(self) -> dict[str, str]:
        """Colours of labels, by title."""
        return {label.title: label.color for label in self._mailbox.catalogues.labels()}

    def ids_ahead(self) -> list[str]:
        """Ids of the conversations that are likely to be opened, the likeliest first."""
        rows, cursor = self.list.rows, self.list.cursor
        unread = unread_beside(self.inbox, cursor, 1, most=THREAD_PREFETCH_ROWS)
        positions = [cursor + 1, unread, *range(THREAD_PREFETCH_ROWS), *self.list.in_view()]
        ids = (rows[at].id for at in positions if at is not None and at < len(rows))
        return list(dict.fromkeys(ids))

    # Title and progress

    def refresh_words(self) -> None:
        """Update title, heading and colours of labels."""
        view, me = self.inbox.view, self.inbox.planning.names.me
        same_owner = view.shown.filter.assignee not in (None, "assigned")
        order = view.query.order
        self.list.set_context(self.label_colours, same_owner=same_owner, me=me, order=order)
        assert self.heading is not None
        # Rows have a blank before them and the scroll bar behind.
        self.heading.show_fitted(lambda width: ([("dim", " "), *heading(width - 2, order)], ()))
        orders = () if order == NEWEST else (ORDERS[order], order)
        name = words.title(self.inbox)
        self.title.show_fitted(partial(bar_texts.list_title, name, orders))

    def refresh_empty_words(self) -> None:
        """Update the text of the empty list, with the seconds that the status line says."""
        self.list.say_when_empty(words.empty(self.inbox))

    def loaded_words(self) -> str:
        """Summary of the loaded rows, for the status line."""
        return words.loaded(self.inbox, in_list=self.list.has_focus)

    def highlight_new(self) -> None:
        """Highlight the rows that moved to the top with the last refresh, for a moment."""
        if self.inbox.refresh.new_ids:
            self.list.cue(self.inbox.refresh.new_ids)
            self._end_cues()

    def _end_cues(self) -> None:
        rest = self.list.end_cues()
        if self._cue_timer is not None:
            self._cue_timer.stop()
        seconds = rest / timedelta(seconds=1) if rest else None
        self._cue_timer = self.set_timer(seconds, self._end_cues) if seconds else None

    # Export

    def export(self) -> None:
        """Ask for a file name, and save the rows as they are cached."""
        from frontdesk.exports.conversations import QUEUE_ENDINGS

        if self.list.row is None:
            say(self.screen, sentences.NOTHING_TO_EXPORT)
        else:
            ask_for_name(self.screen, "conversations", self._clock, QUEUE_ENDINGS, self._save)

    @work(group=SEARCH, exclusive=True)
    async def _save(self, name: str) -> None:
        from frontdesk.exports.conversations import queue_text

        count = len(self.list.rows)
        if count > _EXPORTED_AT_ONCE:
            key = self._keys["inbox.back"]
            say(self.screen, sentences.EXPORTING.format(count=count, key=key))
        rows = await self._read_rows()
        words = counted(len(rows), "loaded conversation")
        text = await asyncio.to_thread(queue_text, rows, ending(name))
        save_text(self.screen, name, text, sentences.LIST_EXPORTED, conversations=words)

    async def _read_rows(self) -> list[Conversation]:
        """All rows that match, read in steps; anew if a refresh moves them meanwhile."""
        for _ in range(_TRIES_TO_READ):
            found: dict[str, Conversation] = {}
            at, state = 0, self.inbox.refresh.reloads
            while at < len(self.list.rows):
                row = self.list.rows[at]
                if not self.list.is_dimmed(row):
                    found[row.id] = row
                at += 1
                if at % _READ_PER_STEP == 0:
                    await asyncio.sleep(0)
            if state == self.inbox.refresh.reloads:
                break
        return list(found.values())

    def save_marked(self, name: str) -> None:
        """Save the marked rows as they are cached."""
        from frontdesk.exports.conversations import queue_text

        marked = self.marked
        count = bar_texts.selection_words(len(marked))
        text = queue_text(marked, ending(name))
        save_text(self.screen, name, text, sentences.SELECTION_EXPORTED, selection=count)

    @property
    def marked(self) -> list[Conversation]:
        """The marked conversations that are cached, in the order of marking."""
        known = [self._mailbox.conversation(id) for id in self.list.marked]
        return [conversation for conversation in known if conversation is not None]

    # Messages of the list

    @on(VirtualList.Opened)
    def _open(self, event: VirtualList.Opened) -> None:
        event.stop()
        self.post_message(self.SelectionOpened(event.row.id))

    @on(Bar.Pressed, "#list-heading")
    def _press_heading(self, event: Bar.Pressed) -> None:
        event.stop()
        if order := order_of(event.text):
            self.post_message(self.OrderPressed(order))

    @on(ConversationList.Marked)
    def _count_marked(self, event: ConversationList.Marked) -> None:
        event.stop()
        self.post_message(self.MarksChanged())

    @on(VirtualList.NearEnd)
    def _load_more(self, event: VirtualList.NearEnd) -> None:
        event.stop()
        self.driver.note(near_end, self.inbox, bound_for=event.bound_for, bottom=event.bottom)

    @on(VirtualList.Stopped)
    def _say_how_far(self, event: VirtualList.Stopped) -> None:
        event.stop()
        self.driver.do(say_how_far, self.inbox)
