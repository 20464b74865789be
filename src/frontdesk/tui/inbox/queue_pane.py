"""Conversation list of the inbox: rows of a view, its local filter, counts, paging and search."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import islice, takewhile
from types import MappingProxyType
from typing import ClassVar, TypeVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.timer import Timer
from textual.worker import Worker, WorkerCancelled, WorkerState

from frontdesk.conversation_export import QUEUE_ENDINGS, queue_text
from frontdesk.errors import BadResponse, Forbidden, InboxError, NotFound, NotOffered, Unreachable
from frontdesk.inbox.rows import CachedList, Rows, Scan, StoredRows
from frontdesk.inbox.view import View
from frontdesk.mailbox import Mailbox
from frontdesk.phones import phone_pattern
from frontdesk.query import (
    NEWEST,
    ORDERS,
    Matcher,
    Query,
    QueryNames,
    QueryPlan,
    Term,
    analyse,
    reference,
    sort_key,
)
from frontdesk.query.language import ASSIGNEE, ME, UNREAD, WAITING, WINDOW, is_positive
from frontdesk.query.names import contact_id, unknown_name
from frontdesk.query.plan import SortKey, waiting_since
from frontdesk.text import counted, one_line
from frontdesk.tui import bar_texts, sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.connection import Answer, ConnectionMonitor
from frontdesk.tui.dialogs.save_prompt import ask_for_name, ending, save_text
from frontdesk.tui.filters import offered, query_names, query_plan, store_lacks
from frontdesk.tui.inbox.channel_pane import CHANNEL_KEYS
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.inbox.query_customers import QueryCustomers
from frontdesk.tui.inbox.thread_pane import SEARCH
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.unsupported import ignored_filters, lacking
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.channel_list import ALL_CHANNELS
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.conversation_row import heading, order_of
from frontdesk.tui.widgets.glyphs import symbols_for
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation, ConversationFilter, Counts, PhoneRef
from frontdesk.wire.values import STATUSES

# Every sixth refresh also detects rows further down that no longer match the filter.
REFRESHES_UNTIL_THOROUGH = 6

# Limits of searches for the next unread or longest waiting conversation.
MOST_ROWS_SEARCHED = 1000
# First rows of the list, and rows searched for an unread one, whose threads are prefetched.
_THREAD_PREFETCH_ROWS = 20
FIRST_ROWS = 50
MOST_PAGES_LOADED = 20

# Rows of a complete list among which those of a view are counted.
_MOST_COUNTED = 500

_VIEWS_COUNTED = 20

# Rows whose customers are offered to complete `from:`.
_MOST_COMPLETED = 200

_SCANNED_AT_ONCE, _SCANNED_PER_STEP = 100, 50
# Between two steps. The messages that a key causes follow each other in turns of the event
# loop: after a pause of no length each of them would wait for a step.
SCAN_PAUSE_SECONDS = 0.002
# After a key there is no step until its frame can be there.
_KEY_SECONDS = 0.02

# Rows of an export that are read in one step, and in how many tries while refreshes move them.
_READ_PER_STEP, _TRIES_TO_READ = 20, 3
# An export of more rows than these says that it goes on.
_EXPORTED_AT_ONCE = 1_000

# An answer may tell of a filter that the server lacks, and the next one of another.
_MOST_PLANS = 8

# A search, and a request for the next page, is said to be running after this time.
_PATIENCE_SECONDS = 0.5

# Worker groups: the scan for rows that match the local filter, and that of rows saved anew.
SCAN, RESCAN = "scan", "rescan"


# Names of stored settings.
QUERY_SETTING, CONVERSATION_SETTING = "inbox.query", "inbox.conversation"


T = TypeVar("T")


class QueuePane(Pane):
    """Shows the conversations of a view from the cache, and refreshes them from the server."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *CHANNEL_KEYS,
        Binding("E", "screen.export('list')", "Export list or selection…", id="inbox.export"),
    ]

    class SelectionOpened(Message):
        """The selected conversation was opened; `id`: which one was selected then."""

        def __init__(self, id: str) -> None:
            super().__init__()
            self.id = id

    class MarksChanged(Message):
        """The marked rows, or the rows of a local filter, have changed."""

    class OrderPressed(Message):
        """The heading of a column was clicked that sorts by `order`."""

        def __init__(self, order: str) -> None:
            super().__init__()
            self.order = order

    class ProgressChanged(Message):
        """The progress that the status line says has changed: a scan, a search or a page."""

    # True while a search of the server takes long.
    searching: var[bool] = var(False, init=False)

    def __init__(
        self,
        mailbox: Mailbox,
        clock: Clock,
        connection: ConnectionMonitor,
        keys: KeyNames,
        views: SavedViews,
    ) -> None:
        symbols = symbols_for(os.environ)
        self.list = ConversationList(
            clock, unread_among=mailbox.unread_among, has_left=self._has_left, symbols=symbols
        )
        super().__init__("list", self.list)
        self._mailbox, self._clock = mailbox, clock
        self._connection, self._keys, self._views = connection, keys, views
        # Selected by the last step to who waits longest, and what was selected before the first.
        self._longest_waiting_id: str | None = None
        self._before_waiting: str | None = None
        self._steps: _Steps | None = None
        self._customers = QueryCustomers(mailbox)
        self._names: QueryNames | None = None
        self._counts: dict[object, int | None] = {}
        stored = stored_query(mailbox.get_setting(QUERY_SETTING))
        self._chosen = stored is not None
        self.view = self._view_of(first_query(self.all_counts) if stored is None else stored)
        self._refreshes = self._reloads = 0
        self._input_at = 0.0
        self._rescanning: Worker[None] | None = None
        self.new_ids: Sequence[str] = ()
        # Of the last refresh of one conversation: its id, if it had left, its newest message.
        self._refreshed_for: tuple[str, bool, str | None] | None = None
        self._previous: str | None = None
        self._current: str | None = None
        self._cue_timer: Timer | None = None

    # The view

    @property
    def filter(self) -> ConversationFilter:
        """Server filter of the view."""
        return self.view.shown.filter

    @property
    def counts(self) -> Counts | None:
        """Cached counts for the filter's channel and label."""
        return self._counts_of(self.filter)

    def _counts_of(self, filter: ConversationFilter) -> Counts | None:
        """Cached counts for channel and label; None if the server sends those of all instead."""
        counted = _counted(filter)
        counts = self._mailbox.counts(counted)
        return None if counts == self.all_counts and counted != ConversationFilter() else counts

    @property
    def all_counts(self) -> Counts | None:
        """Cached counts without a filter."""
        return self._mailbox.counts(ConversationFilter())

    @property
    def unread_count(self) -> int | None:
        """Number of unread open conversations: those unread here if all are loaded.

        Otherwise the server's, which does not know what was read on this computer.
        """
        known, counts = self.count_of(bar_texts.UNREAD), self.all_counts
        return known if known is not None else counts.unread if counts is not None else None

    @property
    def label_colours(self) -> dict[str, str]:
        """Colours of labels, by title."""
        return {label.title: label.color for label in self._mailbox.catalogues.labels()}

    @property
    def names(self) -> QueryNames:
        """Names that the query may use; read again after a refresh."""
        if self._names is None or self._names.me != self._mailbox.me:
            names = query_names(self._mailbox, self._customers.contacts)
            self._names = self._customers.with_results(names)
        return self._names

    @property
    def all_names(self) -> QueryNames:
        """Names that the query may use, with the customers of loaded rows for completion."""
        rows = self.view.list
        first = [rows[at].contact for at in range(min(len(rows), _MOST_COMPLETED))]
        return query_names(self._mailbox, (*self._customers.contacts, *first))

    def add_contact(self, contact: PhoneRef) -> None:
        """Make a contact known, so that its number leads to its conversations."""
        self._customers.add(contact)
        self._names = None

    @property
    def filtered_here(self) -> bool:
        """True if the server ignores a filter of `/v1`, and not all rows were looked at here."""
        return not self.view.list.complete and bool(
            ignored_filters(self._mailbox) & self.filter.parameters().keys()
        )

    @property
    def list_query(self) -> Query:
        """The shown query."""
        return self.view.query

    @property
    def plan(self) -> QueryPlan:
        """Plan of the rows that are shown."""
        return self.view.shown

    @property
    def listing(self) -> CachedList:
        """The cached list whose rows are shown."""
        return self.view.list

    @property
    def partial_terms(self) -> Collection[Term]:
        """Terms that are applied to loaded rows while others are missing."""
        return self.view.partial_terms(has_rows=len(self.list.rows) > 0)

    def lacking(self, feature: str) -> str:
        """Message if the server lacks a feature, or empty."""
        return lacking(self._mailbox, feature)

    def show_query(self, query: Query, selected: str | None = None) -> None:
        """Show another query, and store it for the next start.

        A query with another order starts at its top, unless a conversation is to be selected.
        """
        self.workers.cancel_group(self, SCAN)
        self.workers.cancel_group(self, SEARCH)
        reordered = query.order != self.view.query.order
        if self._is_offline:
            self._find_contact_here(query)
        self.view = self._view_of(query)
        self._chosen = True
        self._mailbox.set_setting(QUERY_SETTING, str(query))
        if selected is not None:
            self._mailbox.set_setting(CONVERSATION_SETTING, selected)
        self.show(at_top=reordered and selected is None)
        self.list.selected_by_input = self.list.row is not None

    def show(self, *, at_top: bool = False) -> None:
        """Show the cached rows of the view, with the cursor on the last selected conversation.

        at_top: the cursor goes to the first row, and stays there while the scan finds more.
        """
        last = None if at_top else self._mailbox.get_setting(CONVERSATION_SETTING)
        self._end_rescan()
        self.list.dimmed = self.list.after_gap = frozenset()
        self.view.scan = None if self.view.shown.exact else self._new_local_filter(selected=last)
        rows: Rows[Conversation] = self.view.list
        if self.view.scan is not None:
            self.view.scan.step(_SCANNED_AT_ONCE)
            rows = self.view.scan.rows()
        position = rows.find(f"conversation {last}")
        # Rows that the scan finds may come above those of before, unless the server sorts them.
        stays = at_top or (position is None and not self.view.shown.is_sorted)
        self.view.follows_top = stays and not self.view.is_settled
        self.list.show(rows, cursor=position or 0)

    def _end_rescan(self) -> None:
        """Drop the scan of the rows that were shown so far."""
        self.workers.cancel_group(self, RESCAN)
        self._rescanning = None

    def _view_of(self, query: Query) -> View:
        if self._customers.recognise(query):
            self._names = None
        wanted, shown = self._plans(query)
        rows = self._mailbox.conversations(shown.filter)
        return View(query, wanted, shown, self._matcher(query.terms), rows)

    def _plans(self, query: Query) -> tuple[QueryPlan, QueryPlan]:
        """Plan of a query, and the plan for loaded rows while its own list was never loaded.

        The latter sorts the rows of the list by activity here, or filters those of the status, if
        they are all that was loaded.
        """
        plan = query_plan(query, self.names, self._mailbox)
        unsorted = plan._replace(filter=_unsorted(plan.filter))
        if self._was_loaded(plan) or self._was_loaded(unsorted):
            return plan, plan if self._was_loaded(plan) else unsorted
        of_status = query_plan(query, self.names, self._mailbox, only=("status",))
        here = self._was_loaded(of_status) or self._known_rows(query)
        return plan, of_status if here and not self._lacks_me(of_status) else unsorted

    def _lacks_me(self, plan: QueryPlan) -> bool:
        """True if rows cannot be filtered here, because it is not known who "me" is."""
        return not self.names.me and any(
            term.kind == ASSIGNEE and term.value == ME for term in plan.rest
        )

    def _was_loaded(self, plan: QueryPlan) -> bool:
        return self._mailbox.conversations(plan.filter).fetched_at is not None

    @property
    def _is_offline(self) -> bool:
        return self._connection.failing or not self._mailbox.connected

    def _replan(self) -> bool:
        """Plan the query anew once names or the server's filters are known; True if changed."""
        store_lacks(self._mailbox)
        plans = self._plans(self.view.query)
        if plans == (self.view.wanted, self.view.shown):
            return False
        if plans[0] == self.view.wanted and not self._was_loaded(self.view.wanted):
            # Only the rows that are shown meanwhile would be others.
            return False
        # A reader who waits at the top for the server's order has read nothing yet.
        stay = {} if self.view.follows_top and self.list.cursor == 0 else self._rows_that_stay()
        rows = self._mailbox.conversations(plans[1].filter)
        self.view.replan(*plans, self._matcher(self.view.query.terms), rows)
        self._end_rescan()
        self.view.scan = None if self.view.shown.exact else self._new_local_filter(stay)
        if self.view.scan is not None:
            self.view.scan.step(_SCANNED_AT_ONCE)
            self._show_local(self.view.scan)
        else:
            self._show_merged(stay)
        self.post_message(self.MarksChanged())
        return True

    def status_beside(self, step: int) -> str:
        """Status after (1) or before (-1) that of the filter, with wrap-around."""
        at = STATUSES.index(self.filter.status) if self.filter.status in STATUSES else -1
        return STATUSES[(at + step) % len(STATUSES)]

    def channel_beside(self, step: int) -> str | None:
        """Channel after (1) or before (-1) that of the filter, in the order of the channels pane.

        Wraps around; `ALL_CHANNELS` comes first. None if no channels are known.
        """
        ids = [ALL_CHANNELS, *(channel.id for channel in self._mailbox.catalogues.channels())]
        if len(ids) == 1:
            return None
        at = ids.index(self.filter.channel) if self.filter.channel in ids else 0
        id = ids[(at + step) % len(ids)]
        return reference(id, self.names.channels) if id else id

    # The selection

    def remember(self, conversation: Conversation) -> None:
        """Record that the thread of a conversation was shown."""
        self._previous, self._current = self._current, conversation.id
        self.view.kept.add_opened(conversation)
        self._mailbox.set_setting(CONVERSATION_SETTING, conversation.id)

    def mark_read(self, conversation_id: str) -> None:
        """Mark a conversation as read on this computer; with `unread` its row stays, dimmed."""
        self._mailbox.mark_read(conversation_id)
        if self.view.scan is not None and _shows_unread(self.view.query):
            self.view.kept.read_here.add(conversation_id)
            self._dim_stale(self.view.scan)
        self.list.refresh()

    def mark_unread(self, conversation_id: str) -> None:
        """Mark a conversation as unread on this computer."""
        self._mailbox.mark_unread(conversation_id)
        if self.view.scan is not None and _shows_unread(self.view.query):
            self.view.kept.read_here.discard(conversation_id)
            self.view.scan.stale.discard(conversation_id)
            self._dim_stale(self.view.scan)
        self.list.refresh()

    def _dim_stale(self, local: Scan) -> None:
        """Dim the rows of a local filter that no longer match, and leave them out of its count."""
        local.stale |= self.view.kept.read_here
        self.list.dimmed = frozenset(local.stale)
        self.post_message(self.MarksChanged())

    def go_to(self, conversation_id: str) -> bool:
        """Move the cursor to a conversation; False if it is not in the list."""
        position = self.list.rows.find(f"conversation {conversation_id}")
        if position is not None:
            self.list.go_to(position)
        return position is not None

    @property
    def loaded_position(self) -> int | None:
        """Position of the cursor; None on a row that comes further down than the loaded ones."""
        row = self.list.row
        is_loaded = row is None or self.view.list.position(row.id) is not None
        return self.list.cursor if is_loaded else None

    def go_to_previous(self) -> bool:
        """Go back to the previously opened conversation; False if it is not in the list."""
        if self._previous is None or self._previous == self._current:
            return False
        return self.go_to(self._previous)

    def go_to_unread(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) unread loaded conversation; False if none.

        After steps to who waits longest, the walk goes on from where these began.
        """
        position = self._unread_beside(self._unread_from, step)
        if position is not None:
            self.list.go_to(position)
        return position is not None

    def go_to_longest_loaded(self) -> None:
        """Go to the longest waiting loaded conversation; from there, to the next longest.

        Resolved conversations do not wait. After the last one, the search starts again. Says so if
        others may wait longer.
        """
        self._take_step(self._step_to_longest_loaded)

    async def _step_to_longest_loaded(self) -> bool:
        rows, waiting = self.list.rows, []
        for at in range(self.waiting_rows):
            if at < len(rows) and waiting_since(row := rows[at]):
                waiting.append(row)
            if at % _READ_PER_STEP == _READ_PER_STEP - 1:
                await asyncio.sleep(0)
        following = self._next_waiting(sorted(waiting, key=self._wait_key()))
        if following is None or not self._go_to_waiting(following):
            say(self.screen, sentences.NO_ONE_WAITS)
            return False
        if not self.knows_longest_waiting:
            words = sentences.WAITS_AMONG_LOADED
            say(self.screen, words.format(rows=self.waiting_rows, key=self._keys["inbox.order"]))
        return True

    @property
    def waiting_rows(self) -> int:
        """Number of rows among which `go_to_longest_loaded` searches."""
        return min(len(self.list.rows), MOST_ROWS_SEARCHED)

    @property
    def knows_longest_waiting(self) -> bool:
        """True if the rows that `go_to_longest_loaded` searches have the longest waits."""
        if self.view.shown.is_sorted and self.view.shown.order == WAITING:
            return True
        return self.view.complete and len(self.list.rows) <= MOST_ROWS_SEARCHED

    @property
    def _unread_from(self) -> int:
        """Position from which the next unread row is looked for."""
        before = self._before_waiting if self._last_waiting is not None else None
        position = self.list.rows.find(f"conversation {before}") if before is not None else None
        return self.list.cursor if position is None else position

    def _wait_key(self) -> Callable[[Conversation], SortKey]:
        return sort_key(WAITING, self._clock.server_now())

    def _next_waiting(self, waiting: Sequence[Conversation]) -> Conversation | None:
        """The first of rows by wait; if that is selected, or was by this, the one after it."""
        selected = self.list.row
        if waiting and selected is not None and waiting[0].id == selected.id:
            self._note_waiting(selected)
        row = self._last_waiting
        if row is None:
            return next(iter(waiting), None)
        key = self._wait_key()
        later = (other for other in waiting if key(other) > key(row))
        return next(later, None) or next(iter(waiting), None)

    @property
    def _last_waiting(self) -> Conversation | None:
        """The selected row, if it was selected as the longest waiting."""
        row = self.list.row
        return row if row is not None and row.id == self._longest_waiting_id else None

    def _go_to_waiting(self, row: Conversation) -> bool:
        before, key = self._last_waiting, self._wait_key()
        if before is not None and key(row) <= key(before):
            say(self.screen, sentences.LONGEST_WAIT_AGAIN)
        self._note_waiting(row)
        return self.go_to(row.id)

    def _note_waiting(self, row: Conversation) -> None:
        """Record that a row is, or is about to be, selected as the longest waiting."""
        if self._last_waiting is None:
            self._before_waiting = self.list.row.id if self.list.row is not None else None
        self._longest_waiting_id = row.id

    @property
    def offers_waiting(self) -> bool:
        """True if the server may have the order by wait."""
        return "sort" in offered(self._mailbox)

    def find_longest_waiting(self) -> None:
        """Select the longest waiting conversation of the view, which the server knows.

        From there, the next longest, as often as this was called before the answers. If the
        server cannot answer, as `go_to_longest_loaded`.
        """
        self._take_step(self._step_to_waiting)

    async def _step_to_waiting(self) -> bool:
        answer = await self._search(self._fetch_longest_waiting)
        if answer is None or answer.value is None:
            return await self._step_to_longest_loaded()
        self.view.kept.add_opened(answer.value)
        await self.reload()
        return self._go_to_waiting(answer.value)

    def _take_step(self, step: Callable[[], Awaitable[bool]]) -> None:
        """Take a step that asks the server: after those of the same kind that are being taken."""
        steps = self._steps
        if steps is None or steps.step != step or steps.start != self.list.selected_key:
            steps = self._steps = _Steps(step, self.list.selected_key)
            self._take_steps(steps)
        steps.left += 1

    @work(group=SEARCH, exclusive=True)
    async def _take_steps(self, steps: "_Steps") -> None:
        try:
            while steps.left and await steps.step():
                steps.left -= 1
                steps.start = self.list.selected_key
        finally:
            if steps is self._steps:
                self._steps = None

    async def _search(self, request: Callable[[], Awaitable[T]]) -> Answer[T] | None:
        """Send the request of a search, which the status line shows if it takes long."""
        timer = self.set_timer(_PATIENCE_SECONDS, partial(setattr, self, "searching", True))
        try:
            return await self._connection.ask(request)
        finally:
            timer.stop()
            self.searching = False

    def watch_searching(self) -> None:
        self.post_message(self.ProgressChanged())

    async def _fetch_longest_waiting(self) -> Conversation | None:
        """Load the list by wait until it has the conversation; None if the server has no order."""
        ordered = self.filter.model_copy(update={"sort": WAITING})
        listing = self._mailbox.conversations(ordered)
        matches = self._matcher(self.view.shown.rest)
        try:
            if self._last_waiting is None:
                await self._mailbox.refresh_conversations(ordered)
            for _ in range(MOST_PAGES_LOADED):
                listing.reload()
                every = list(listing)
                waiting = [row for row in takewhile(waiting_since, every) if matches(row)]
                following = self._next_waiting(waiting)
                wrapped = not waiting or (
                    self._last_waiting is not None and following == waiting[0]
                )
                if listing.complete or not wrapped or not all(map(waiting_since, every)):
                    return following
                await self._mailbox.older_conversations(ordered)
        except NotOffered:
            self._replan()
        return None

    # Unread conversations

    def is_unread(self, conversation: Conversation) -> bool:
        """True if a conversation is unread on this computer."""
        return conversation.id in self._mailbox.unread_among((conversation,))

    def unread(self) -> list[Conversation]:
        """Unread conversations among the first `FIRST_ROWS` rows."""
        rows = self.list.rows
        first = [rows[at] for at in range(min(FIRST_ROWS, len(rows)))]
        unread = self._mailbox.unread_among(first)
        return [row for row in first if row.id in unread]

    def ids_ahead(self) -> list[str]:
        """Ids of the conversations that are likely to be opened, the likeliest first."""
        rows, cursor = self.list.rows, self.list.cursor
        unread = self._unread_beside(cursor, 1, most=_THREAD_PREFETCH_ROWS)
        positions = [cursor + 1, unread, *range(_THREAD_PREFETCH_ROWS), *self.list.in_view()]
        ids = (rows[at].id for at in positions if at is not None and at < len(rows))
        return list(dict.fromkeys(ids))

    def _unread_beside(
        self, position: int, step: int, *, most: int = MOST_ROWS_SEARCHED
    ) -> int | None:
        rows = self.list.rows
        end = len(rows) if step > 0 else -1
        for at in islice(range(position + step, end, step), most):
            if at != self.list.cursor and self.is_unread(rows[at]):
                return at
        return None

    def find_unread(self) -> None:
        """Go to the next unread conversation below, loading up to 20 pages to find it.

        As often as this was called before the answers.
        """
        self._take_step(self._step_to_unread)

    async def _step_to_unread(self) -> bool:
        return self.go_to_unread(1) or await self._load_unread()

    async def _load_unread(self) -> bool:
        """Load pages until one has an unread conversation, and go there; False if none has."""
        answer = await self._search(self._fetch_unread)
        if answer is None:
            self.notify(self.no_unread_below, severity="warning", markup=False)
        elif answer.value is None:
            say(self.screen, self.no_unread_below)
        else:
            self.list.go_to(answer.value)
        return answer is not None and answer.value is not None

    @property
    def no_unread_below(self) -> str:
        """Message that no unread conversation was found below, but perhaps there are some above."""
        words = sentences.NO_UNREAD_BELOW if self.view.complete else sentences.NO_UNREAD_LOADED
        if self._unread_beside(self.list.cursor, -1) is None:
            return words
        return sentences.LOOK_ABOVE.format(words=words, key=self._keys["inbox.previous_unread"])

    async def _fetch_unread(self) -> int | None:
        position = self._unread_from
        for _ in range(MOST_PAGES_LOADED):
            held = len(self.view.list)
            if self.view.list.complete or not self.view.shown.exact:
                break
            await self._fetch_older()
            if len(self.view.list) == held:
                break
            row = self._unread_beside(max(position, held - 1), 1)
            if row is not None:
                return row
        return None

    # Requests; they raise InboxError, and show rows that were fetched before the error.

    async def fetch(self) -> None:
        """Refresh counts and the first page; `new_ids` has the rows that moved to the top."""
        self.new_ids, self._names = (), None
        await self._mailbox.refresh_counts(ConversationFilter())
        if not self._chosen and not self.view.list:
            view = self._view_of(first_query(self.all_counts))
            view.bound_for_last, self.view = self.view.bound_for_last, view
            self.show()
        await self._find_contact()
        if any(term.value == ME for term in self.view.shown.rest if term.kind == ASSIGNEE):
            await self._mailbox.find_me()
        if not self.matches_nothing:
            await self._fetch_planned_rows()
        # After the rows, which the reader waits for: there may be many tabs, and a slow server.
        for filter in self._counted_filters():
            await self._mailbox.refresh_counts(filter)
        if not self.matches_nothing and self._replan():
            await self._fetch_planned_rows()

    async def _fetch_planned_rows(self) -> None:
        """Fetch the rows of the query; anew by each plan that the answers lead to."""
        planned = None
        for tries_left in reversed(range(_MOST_PLANS)):
            if planned == self.view.wanted:
                return
            planned = self.view.wanted
            try:
                await self._fetch_rows()
                self._replan()
            except InboxError:
                # The server may have refused a filter that it lacks.
                if not tries_left or not self._replan():
                    raise
                planned = None

    async def _fetch_rows(self) -> None:
        view, chosen = self.view, self.view.wanted.filter
        try:
            thorough = self._must_be_thorough()
            refreshed = await self._mailbox.refresh_conversations(chosen, thorough=thorough)
            if view is self.view and chosen == view.wanted.filter:
                self._replan()
            view.unreadable = refreshed.unreadable
            if thorough:
                view.unreadable_below = 0
            self._count_added(view, chosen, refreshed.added)
        finally:
            await self._reload(chosen)
        view.kept.answered = view.kept.answered or chosen == view.shown.filter

    async def refresh_conversation(self, conversation_id: str) -> bool:
        """Refresh a conversation that left the list, or has newer messages; True if it changed.

        It is requested once for each of these events.
        """
        row = self._mailbox.conversation(conversation_id)
        if row is None:
            return False
        left = row.id in self.list.dimmed and self.view.list.position(row.id) is None
        event = row.id, left, self._mailbox.newer_entry(row)
        if event in (self._refreshed_for, (row.id, False, None)):
            return False
        changed = await self._mailbox.refresh_conversation(row)
        self._refreshed_for = event
        if changed:
            await self.reload()
        return changed

    def _find_contact_here(self, query: Query) -> None:
        """Look up the contact of a `from:` with a number among those of this computer."""
        value = query.value("from") or ""
        number = phone_pattern(value)
        if number is None or not number.whole:
            return
        hits = self._mailbox.search(value, kinds=("conversation",))
        for hit in hits:
            row = self._mailbox.conversation(hit.conversation_id or "")
            if row is not None and row.contact.phone in number.whole:
                self.add_contact(row.contact)

    async def _find_contact(self) -> None:
        """Ask for the contact of a `from:` with a number, unless it is known."""
        value = self.view.query.value("from") or ""
        with suppress(NotFound, Forbidden, BadResponse):
            if await self._customers.find(value, self.names):
                self._names = None
                self._replan()
        if self.matches_nothing:
            self.workers.cancel_group(self, SCAN)

    @property
    def matches_nothing(self) -> bool:
        """True if the query names what there is not, so that nothing can match."""
        return self._has_unknown_name(self.view.query)

    def _has_unknown_name(self, query: Query) -> bool:
        return any(unknown_name(term, self.names) for term in query.terms)

    def _counted_filters(self) -> set[ConversationFilter]:
        """Filters of the counts requests for the list and the tabs, besides that of all counts."""
        tabs = [self._plan_of(tab.query) for tab in self._views.all() if tab.key]
        plans = [self.view.shown, *tabs]
        counted = {_counted(plan.filter) for plan in plans}
        return counted - {ConversationFilter()}

    def _plan_of(self, query: Query) -> QueryPlan:
        return query_plan(query, self.names, self._mailbox)

    def count_of(self, query: Query) -> int | None:
        """Number of conversations of a query: the server's, or that of a complete list."""
        if self._has_unknown_name(query):
            return None
        plan = self._plan_of(query)
        counts = self._counts_of(plan.filter)
        number = None if plan.rest else bar_texts.count_for(counts, plan.filter)
        if number is not None:
            return number
        if self._lacks_me(plan):
            return None
        if self.all_counts is None and not lacking(self._mailbox, "counts"):
            # The server's answer is awaited; rows of an inbox that is being filled are a part.
            return None
        if plan == self.view.wanted and self.view.scan is not None:
            return self.view.scan.matches if self.view.complete else None
        plans = {plan.filter: plan, (other := _unsorted(plan.filter)): plan._replace(filter=other)}
        known = self._known_rows(query)
        counted = (self._count_rows(plan, known) for plan in plans.values())
        return next((number for number in counted if number is not None), None)

    def _count_rows(self, plan: QueryPlan, known: Sequence[Conversation]) -> int | None:
        """Number of the cached rows that match; None if others may match, or they are too many."""
        listing = self._mailbox.conversations(plan.filter)
        total = bar_texts.count_for(self._counts_of(plan.filter), plan.filter)
        complete = listing.complete and total in (None, len(listing))
        if not plan.limits and not (complete and len(listing) <= _MOST_COUNTED):
            return None
        now = self._clock.server_now().replace(second=0, microsecond=0)
        of = (plan, self.names.me, listing.fetched_at, listing.extent, complete, now)
        counted = (*of, *(row.id for row in known))
        if counted not in self._counts:
            self._counts = {key: self._counts[key] for key in list(self._counts)[-_VIEWS_COUNTED:]}
            local = Scan(listing, plan, self._matcher(plan.rest), now, known=known)
            local.step(_MOST_COUNTED)
            whole = local.ended or (complete and local.looked_at == len(listing))
            self._counts[counted] = local.matches if whole else None
        return self._counts[counted]

    def _matcher(self, terms: Iterable[Term]) -> Matcher:
        return Matcher(terms, self.names, self._clock.server_now(), self.is_unread)

    async def fetch_names(self) -> None:
        """Refresh channels, users, labels, custom fields, and who "me" is."""
        await self._mailbox.refresh_catalogues()
        if self.all_counts is not None and self.all_counts.mine:
            await self._mailbox.find_me()
        self._names = None
        self._replan()

    def leave_out_stale(self) -> None:
        """Drop rows that no longer match the view with the next refresh."""
        self.view.kept.leaving_out = True

    async def reload(self) -> None:
        """Show the current rows of the cache."""
        await self._reload(self.filter)

    async def _fetch_older(self) -> None:
        """Load the next page; do nothing if one is being loaded or the list is complete."""
        view, chosen = self.view, self.filter
        if view.loading_page or view.list.complete or not len(view.list):
            return
        view.loading_page, held = True, view.list.extent
        timer = self.set_timer(_PATIENCE_SECONDS, partial(self._say_loading, view))
        try:
            older = await self._mailbox.older_conversations(chosen)
            view.unreadable_below += older.unreadable
        finally:
            timer.stop()
            view.loading_page = view.loads_long = False
            self.post_message(self.ProgressChanged())
            # Reloading an unchanged end would trigger the next request at once, in a loop.
            if self._mailbox.conversations(chosen).extent != held:
                await self._reload(chosen)

    def _say_loading(self, view: View) -> None:
        view.loads_long = True
        self.post_message(self.ProgressChanged())

    @work(group="older conversations")
    async def _load_older(self) -> None:
        with self.list.loading_more():
            self.post_message(self.ProgressChanged())
            await self._connection.ask(self._fetch_older)
        self.post_message(self.ProgressChanged())

    def _must_be_thorough(self) -> bool:
        """True if this refresh has to detect rows further down that left the filter."""
        self._refreshes += 1
        total = bar_texts.count_for(self.counts, self.filter)
        disagree = self.view.list.complete and total is not None and total != len(self.view.list)
        return disagree or self._refreshes % REFRESHES_UNTIL_THOROUGH == 0

    def _count_added(self, view: View, chosen: ConversationFilter, added: Sequence[str]) -> None:
        """Count rows added above the window until its top is visible again, and set `new_ids`.

        `new_ids` stays empty after the first refresh of a filter: the cached rows may be old.
        """
        if view is not self.view:
            return
        if chosen == self.filter and not self.list.at_start:
            view.added_above += len(added)
        self.new_ids = added if chosen == view.refreshed_before else ()
        view.refreshed_before = chosen

    async def _reload(self, chosen: ConversationFilter) -> None:
        """Show the current rows of the cache, unless another filter was selected meanwhile."""
        if chosen != self.filter:
            return
        if self.view.scan is None:
            self._show_merged(self._reload_listing())
        else:
            await self._scan_again()

    def _reload_listing(self) -> Mapping[str, Conversation]:
        """Read the list again; returns the rows that stay."""
        view = self.view
        stay, view.seen_before = self._rows_that_stay(), self.list.keys_in_view()
        self._reloads += 1
        matches = self._matcher(view.query.terms)
        return view.reload(stay, matches, self._mailbox.conversations_by_id)

    def _rows_that_stay(self) -> dict[str, Conversation]:
        return self.view.kept.rows(self._rows_in_view(), self.list.row)

    def _rows_in_view(self) -> list[Conversation]:
        return [self.list.rows[at] for at in self.list.in_view()]

    def _has_left(self, row: Conversation) -> bool:
        return self.view.has_left(row)

    def _show_merged(self, stay: Mapping[str, Conversation]) -> None:
        """Show the list with the rows of `stay` that have left it."""
        now = self._clock.server_now()
        merged = self.view.merged(stay, self._mailbox.conversations_by_id, now)
        self.list.dimmed, self.list.after_gap = merged.dimmed, merged.after_gap
        self._show_rows(merged.rows)

    # The local filter

    def start_scan(self, *, by_hand: bool = False) -> None:
        """Scan cached rows, then the server's, for the local filter, unless that is running."""
        if self.view.scan is not None and not self.scanning:
            self._scan(by_hand=by_hand)

    @property
    def scanning(self) -> bool:
        """True while rows are loaded for the local filter."""
        return any(
            worker.group == SCAN and worker.node is self and worker.state in _RUNNING
            for worker in self.workers
        )

    @property
    def _is_loading_rows(self) -> bool:
        """True while rows are loaded that the view lacks."""
        return self.scanning or (self.view.awaits_order and not self._connection.failing)

    @property
    def scan_is_due(self) -> bool:
        """True if the scan is incomplete, and was neither cancelled nor stopped by an error."""
        return not self.view.scan_ended and not self.view.awaits_order and self._scan_goes_on()

    @work(group=SCAN, exclusive=True)
    async def _scan(self, *, by_hand: bool = False) -> None:
        """Scan to the end of the list or the limit; escape cancels, a failed scan is retried."""
        with self.list.loading_more():
            if self.view.scan is not None:
                await self._scan_cached(self.view.scan)
            if not self.view.awaits_order:
                await self._connection.ask(self._fetch_and_scan, by_hand=by_hand)

    async def _fetch_and_scan(self) -> None:
        """Load pages, and apply the local filter to each; again if the query is planned anew.

        After an error the rows found so far stay, and the next call continues from there.
        """
        planned = None
        while planned != (self.view, self.view.shown):
            planned = self.view, self.view.shown
            await self._scan_pages()

    async def _scan_pages(self) -> None:
        view, plan, ended = self.view, self.view.shown, True
        try:
            while self._scan_goes_on():
                self.post_message(self.ProgressChanged())
                extent = view.list.extent
                await self._mailbox.older_conversations(plan.filter)
                if view is not self.view or view.shown != plan or view.scan is None:
                    break
                view.list.reload()
                await self._scan_cached(view.scan)
                if view.list.extent == extent:
                    break
        except Unreachable:
            ended = False
            raise
        except NotOffered:
            if not self._replan():
                raise
        finally:
            if view.shown == plan:
                view.scan_ended = ended
                view.follows_top = view.follows_top and not ended

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Announce the start and the end of a scan."""
        if event.worker.group == SCAN:
            self.post_message(self.ProgressChanged())

    def _scan_further(self) -> None:
        """Continue an ended scan."""
        if self.view.scan is not None and not self.scanning and not self.view.complete:
            self.view.lengthen_scan()
            self._scan()

    def _scan_goes_on(self) -> bool:
        view = self.view
        if view.scan is None or view.complete or self.matches_nothing:
            return False
        return view.scan.looked_at < view.scan_limit

    def _new_local_filter(
        self,
        stay: Mapping[str, Conversation] = MappingProxyType({}),
        *,
        keeps_shown: bool = True,
        selected: str | None = None,
    ) -> Scan:
        """A new scan. stay: rows that must not vanish; with them stay all that are shown.

        keeps_shown: False to keep no other rows.

        selected: id of a conversation that is shown at once if it matches.
        """
        now = self._clock.server_now()
        key = sort_key(self.view.shown.order, now)
        places = {id: key(row) for id, row in stay.items()}
        keeps_shown = keeps_shown and self.view.kept.keeps_seen
        if stay and keeps_shown and isinstance(self.list.rows, StoredRows):
            places.update(self.list.rows.places)
        return Scan(
            self.view.list,
            self.view.shown,
            self._vouched(self._matcher(self.view.shown.rest)),
            now,
            stay=places,
            current=self._mailbox.conversations_by_id,
            known=self._known_rows(self.view.query, selected),
        )

    def _vouched(self, matches: Matcher) -> Callable[[Conversation], bool]:
        """The test of a local filter, for rows for which the server's list vouches.

        A row that changed since it was listed has to match the whole query.
        """
        whole, listing = self._matcher(self.view.query.terms), self.view.list
        return lambda row: whole(row) or (matches(row) and not listing.has_moved(row))

    def _known_rows(self, query: Query, selected: str | None = None) -> list[Conversation]:
        """Cached rows that match, which may be on no page.

        Those of the query's contact, those marked unread here, and the selected one.
        """
        row = self._mailbox.conversation(selected) if selected else None
        known = [row] if row is not None else []
        contact = contact_id(query.value("from") or "", self.names)
        if contact is not None:
            known += self._mailbox.conversations_of(contact)
        if _shows_unread(query):
            known += self._mailbox.marked_unread()
        return list(filter(self._matcher(query.terms), known))

    async def _scan_again(self) -> None:
        """Scan all cached rows again, and show the result when it is complete."""
        self.view.rescan_due = True
        if self._rescanning is None or self._rescanning.is_finished:
            self._rescanning = self._rescan()
        while self._rescanning is not None and not self._rescanning.is_finished:
            # The request that waits here may be cancelled; the rows are shown all the same.
            await asyncio.shield(_end_of(self._rescanning))

    @work(group=RESCAN, exclusive=True)
    async def _rescan(self) -> None:
        view = self.view
        while view.rescan_due:
            view.rescan_due = False
            leaves_out = view.kept.leaving_out
            stay = self._reload_listing()
            local = self._new_local_filter(stay, keeps_shown=not leaves_out)
            await self._scan_cached(local)
            view.scan = local
            self._show_local(local)

    def record_input(self) -> None:
        """Record user input, for which a running scan pauses."""
        self._input_at = time.monotonic()

    async def _scan_cached(self, local: Scan) -> None:
        """Scan the cached rows in steps, so that keys are handled in between; show the result."""
        more = local.step(_SCANNED_PER_STEP)
        while more:
            # No page can come between the last step and what the caller does next.
            await asyncio.sleep(SCAN_PAUSE_SECONDS)
            await asyncio.sleep(self._input_at + _KEY_SECONDS - time.monotonic())
            more = local.step(_SCANNED_PER_STEP)
        if local is self.view.scan:
            self._show_local(local)

    def _show_local(self, local: Scan) -> None:
        """Show the scan's rows."""
        rows = local.rows()
        self._dim_stale(local)
        self.list.after_gap = frozenset()
        self._show_rows(rows)

    def _show_rows(self, rows: Rows[Conversation]) -> None:
        """Show other rows of the view; keep the cursor at the top unless the user has moved it."""
        if not self.list.is_attached:
            return
        untouched = self.screen.focused is self.list and self.list.cursor == 0
        self.view.follows_top = self.view.follows_top and untouched
        self.list.rows = rows
        self.list.rows_changed(self.view.seen_before)
        if self.view.follows_top:
            same = self.list.cursor == 0
            self.list.go_to(0, by_input=same and self.list.selected_by_input)
        self.view.follows_top = self.view.follows_top and not self.view.is_settled
        if self.view.bound_for_last and len(rows):
            self.view.bound_for_last = self.view.follows_top = False
            self.list.action_last()

    # Title and progress

    def refresh_words(self) -> None:
        """Update title, heading and colours of labels."""
        same_owner = self.filter.assignee not in (None, "assigned")
        order = self.view.query.order
        self.list.set_context(
            self.label_colours,
            same_owner=same_owner,
            me=self.names.me,
            by_window=order == WINDOW,
        )
        assert self.heading is not None
        # Rows have a blank before them and the scroll bar behind.
        self.heading.show_fitted(lambda width: ([("dim", " "), *heading(width - 2, order)], ()))
        number = None if self.filtered_here else self.count_of(self.view.query)
        name = self._title_words() + ("" if number is None else f" {number:,}")
        orders = () if order == NEWEST else (ORDERS[order], order)
        self.title.show_fitted(partial(bar_texts.list_title, name, orders))

    def refresh_empty_words(self) -> None:
        """Update the text of the empty list, with the seconds that the status line says."""
        self.list.say_when_empty(
            bar_texts.empty_words(
                self.view.query,
                self.names,
                self._keys,
                loaded=self.view.is_loaded,
                problem=self._connection.problem,
                looked_through=self._scanned_words(),
                loading=self._is_loading_rows,
                within=self.view.wider_list,
                seconds=self._connection.asking_seconds,
            )
        )

    def _title_words(self) -> str:
        """Name of the view, or of the customer whose conversations are shown."""
        view = self._views.named(self.view.query)
        if view is not None:
            return one_line(view.name)
        customer = bar_texts.customer_name(self.view.query.value("from") or "", self.names)
        if customer:
            return customer if any(map(str.isalpha, customer)) else f"from {customer}"
        filters, status = self.view.query.filters, self.view.query.value("is")
        if not filters:
            return "All"
        return status.capitalize() if status and len(filters) == 1 else "Your filter"

    def _scanned_words(self) -> str:
        """Progress of an incomplete scan, such as 1,100 of 20,000; empty if complete."""
        if self.view.scan is None or self.view.complete:
            return ""
        total = bar_texts.count_for(self.counts, self.filter)
        return f"{self.view.scan.looked_at:,}" + (f" of {total:,}" if total is not None else "")

    def loaded_words(self) -> str:
        """Summary of the loaded rows: marked, unreadable, new above, 50 of 412 loaded."""
        if self.searching:
            searching = f"searching… {self._keys['inbox.back']}: stop"
            if self.view.scan is None or self.view.complete:
                return searching
            scanned = f"{self.view.scan.looked_at:,} sorted"
            found = f"{self.view.scan.matches:,} found" if self.view.shown.rest else scanned
            return f"~{found} · {searching}"
        marked, unreadable = len(self.list.marked), self.view.unreadable_rows
        words = [f"{marked} selected"] if marked else []
        words += [f"{unreadable} unreadable"] if unreadable else []
        added = self.view.added_above
        if added and not self.list.at_start:
            words.append(f"{added} new ▲ {self._keys['list.first']}")
        words.append(self._held_words() if self.view.scan is None else self._found_words())
        return " · ".join(words)

    def _held_words(self) -> str:
        total = bar_texts.count_for(self.counts, self.filter)
        held = len(self.view.list)
        if not self.view.is_loaded:
            return "nothing loaded"
        if self.view.list.complete:
            return f"{held:,} loaded"
        if total is None:
            return f"{held:,} loaded, {self._page_words or 'more below'}"
        return f"{held:,} of {total:,}{f', {self._page_words}' if self._page_words else ' loaded'}"

    @property
    def _page_words(self) -> str:
        """Words while a page takes long, and how to stop on the way to the end; "" if none does."""
        if not self.view.loads_long:
            return ""
        stop = f" {self._keys['inbox.back']}: stop" if self.list.goes_on else ""
        return f"loading…{stop}"

    def _found_words(self) -> str:
        """Progress of the local filter: sorting 350 of 521…; ~ marks incomplete results."""
        assert self.view.scan is not None
        matches, scanned = self.view.scan.matches, self._scanned_words()
        if self.matches_nothing:
            return "no match"
        if self.view.complete and self.view.wider_list:
            return f"{matches:,} from {self.view.wider_list}"
        if self.view.complete:
            whole = self.view.scan.ended or not self.view.shown.rest
            found = f"{matches:,} shown of {self.view.scan.looked_at:,} read"
            stale = len(self.list.rows) - matches
            words = f"{matches:,} loaded" if whole else found
            return f"{words}, {stale} no longer" if stale > 0 else words
        if not self.view.is_loaded:
            return f"~{matches:,} on this computer" if matches else "nothing loaded"
        if self._is_loading_rows:
            words = f"~{matches:,} found in {scanned}, loading…"
            return words if self.view.shown.rest else f"sorting {scanned}…"
        words = f"~{matches:,} found in {scanned}" if self.view.shown.rest else f"~sorted {scanned}"
        paused = self.scan_is_due or self.view.awaits_order or self._connection.refused
        if paused:
            return f"{words}, paused"
        return f"{words}, {self._keys['list.last']}: keep looking" if self.list.has_focus else words

    def highlight_new(self) -> None:
        """Highlight the rows that moved to the top with the last refresh, for a moment."""
        if self.new_ids:
            self.list.cue(self.new_ids)
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
        if self.list.row is None:
            say(self.screen, sentences.NOTHING_TO_EXPORT)
        else:
            ask_for_name(self.screen, "conversations", self._clock, QUEUE_ENDINGS, self._save)

    @work(group=SEARCH, exclusive=True)
    async def _save(self, name: str) -> None:
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
            at, state = 0, self._reloads
            while at < len(self.list.rows):
                row = self.list.rows[at]
                if not self.list.is_dimmed(row):
                    found[row.id] = row
                at += 1
                if at % _READ_PER_STEP == 0:
                    await asyncio.sleep(0)
            if state == self._reloads:
                break
        return list(found.values())

    def save_marked(self, name: str) -> None:
        """Save the marked rows as they are cached."""
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

    @on(VirtualList.Highlighted)
    def _note_place(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        self.view.kept.add_seen(self._rows_in_view())
        self._note_top()

    def _note_top(self) -> None:
        """Count no new rows any more once the first row is in view."""
        if self.view.added_above and self.list.at_start:
            self.view.added_above = 0
            self.post_message(self.ProgressChanged())

    @on(ConversationList.Marked)
    def _count_marked(self, event: ConversationList.Marked) -> None:
        event.stop()
        self.post_message(self.MarksChanged())

    @on(VirtualList.NearEnd)
    def _load_more(self, event: VirtualList.NearEnd) -> None:
        event.stop()
        by_key = event.bound_for > 0
        if event.bound_for:
            self.view.bound_for_last = by_key and not (self.view.is_loaded or len(self.list.rows))
        self._note_top()
        if not event.bottom:
            return
        if self.view.shown.exact and not self.view.list.complete:
            if by_key or self.loaded_position is not None:
                self._load_older()
        elif by_key:
            self._scan_further()

    @on(VirtualList.Stopped)
    def _say_how_far(self, event: VirtualList.Stopped) -> None:
        """Say that the last row is that of a part, unless the status line does."""
        event.stop()
        self.post_message(self.ProgressChanged())
        if self.view.scan is None and not self.view.list.complete:
            total = bar_texts.count_for(self.counts, self.filter)
            rows = f"{len(self.view.list):,}" + ("" if total is None else f" of {total:,}")
            words = sentences.LOADED_SO_FAR.format(rows=rows, key=self._keys["list.last"])
            say(self.screen, words)


class _Steps:
    """Steps to other rows that wait for the server, from the row with the key `start` on.

    step: takes one; False ends them.
    """

    def __init__(self, step: Callable[[], Awaitable[bool]], start: str | None) -> None:
        self.step, self.start = step, start
        self.left = 0


_RUNNING = (WorkerState.PENDING, WorkerState.RUNNING)


def first_query(counts: Counts | None) -> Query:
    """Default query: the first status that has conversations."""
    chosen = (ConversationFilter(status=status) for status in STATUSES)
    first = next((filter for filter in chosen if bar_texts.count_for(counts, filter)), None)
    return Query.of(Term("is", (first and first.status) or STATUSES[0]))


def stored_query(text: str | None) -> Query | None:
    """Parse a stored query; None if it is missing or invalid."""
    if text is None:
        return None
    query, problems = analyse(text)
    return None if problems else query


def _shows_unread(query: Query) -> bool:
    return any(is_positive(term, UNREAD) for term in query.terms)


async def _end_of(worker: Worker[None]) -> None:
    """Wait until a worker has ended or was cancelled."""
    with suppress(WorkerCancelled):
        await worker.wait()


def _unsorted(filter: ConversationFilter) -> ConversationFilter:
    return filter.model_copy(update={"sort": None})


def _counted(filter: ConversationFilter) -> ConversationFilter:
    """Filter of the counts request, whose response has all statuses and assignees."""
    return ConversationFilter(channel=filter.channel, label=filter.label)
