"""State of the inbox: what is shown, what it is planned by, and what is asked for.

Procedures and keys change it, see `refreshing`, `scanning` and `finding`; panes read it, and carry
out its orders.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Protocol

from frontdesk.inbox.cached import Cached, ServerClock, ThreadWindow, Views, Window
from frontdesk.inbox.connection import LinkKeeper
from frontdesk.inbox.limits import PATIENCE_SECONDS
from frontdesk.inbox.local_scan import Scan, StoredRows
from frontdesk.inbox.marks import ReadMarks
from frontdesk.inbox.orders import Order
from frontdesk.inbox.planning import Planning, first_query, stored_query
from frontdesk.inbox.requests import Kind, Steps
from frontdesk.inbox.rows import Rows, RowsWithout, place_of
from frontdesk.inbox.tasks import Asked, Stop, Tasks
from frontdesk.inbox.view import ViewHistory
from frontdesk.query import QueryNames, Term, sort_key
from frontdesk.query.plan import Test
from frontdesk.query.terms import UNREAD
from frontdesk.settings import ViewerSettings
from frontdesk.wire import Conversation, ConversationFilter, Counts


class Bell:
    """Keeps the newest activity time of unread conversations; the first call is the baseline."""

    def __init__(self) -> None:
        self._latest: str | None = None

    def rings(self, unread: Iterable[Conversation]) -> bool:
        """True if a conversation was active later than all conversations of earlier calls."""
        latest = max((row.last_activity_at for row in unread), default="")
        before, self._latest = self._latest, max(latest, self._latest or "")
        return before is not None and latest > before


# Names of stored settings.
QUERY_SETTING, CONVERSATION_SETTING = "inbox.query", "inbox.conversation"

# Seconds of rest after which a conversation is read; or only when it is opened, or never.

EVERY = ConversationFilter()

_SCANNED_AT_ONCE = 100


class Keys(Protocol):
    """Names of the keys of actions."""

    def __getitem__(self, action: str, /) -> str: ...


class Awaited(NamedTuple):
    """What a key does once the rows of the view are known, as often as it was pressed."""

    action: Callable[..., object]
    arguments: tuple[object, ...]
    times: int


class Walk:
    """Steps to other rows that wait for the server, from the row with the id `start` on.

    step: takes one; False ends them. left: how many are to be taken.
    """

    def __init__(self, step: Callable[["Inbox"], Steps[bool]], start: str | None) -> None:
        self.step, self.start = step, start
        self.left = 1


@dataclass(slots=True)
class Selected:
    """The selected conversation; it ends with another one.

    opens_at: when its thread is opened, if the cursor rests; opened: that was done. reads_at: when
    it is read by resting on it. refreshed_to: its last activity when its thread was requested with
    success; "": never. failed: the last request for it did.
    """

    id: str | None = None
    opens_at: float | None = None
    opened: bool = False
    reads_at: float | None = None
    refreshed_to: str = ""
    failed: bool = False


@dataclass(slots=True)
class SearchState:
    """What leads to other rows while it waits. since: when the running search began.

    awaited: a key that waits for the rows; walk: steps that wait for the server.
    longest_waiting_id: selected by the last step to who waits longest; before_waiting: selected
    before the first.
    """

    since: float | None = None
    awaited: Awaited | None = None
    walk: Walk | None = None
    longest_waiting_id: str | None = None
    before_waiting: str | None = None


class RefreshState:
    """What refreshes leave for the next one, and for the panes.

    has_begun: the first was asked for; opened_unconnected: what was open before there was a
    connection. by_hand_since: when the running one began, if by hand. new_ids: of the rows that
    moved to the top with the last. reloads: how often the list was read again. counted: numbers
    that were told last; counted_at: when counts were asked for. read_otherwise: conversations that
    are read here and unread on the server, or the reverse, as of a reload. gone_over_at: when lists
    were that are not followed. refreshed_for: of the last conversation by itself: its id, if it had
    left, its newest message. is_chosen: the query is not the default of an empty inbox.
    """

    def __init__(self) -> None:
        self.has_begun = False
        self.opened_unconnected: Selected | None = None
        self.by_hand_since: float | None = None
        self.new_ids: Sequence[str] = ()
        self.reloads = 0
        self.counted: dict[object, int | None] = {}
        self.counted_at: float | None = None
        self.read_otherwise: dict[int, list[Conversation] | None] = {}
        self.gone_over_at: dict[ConversationFilter, float] = {}
        self.refreshed_for: tuple[str, bool, str | None] | None = None
        self.is_chosen = False
        self.bell = Bell()


@dataclass(slots=True)
class DueTimes:
    """When something is due by itself; None: it is not.

    poll_at: the request for the list. follow_ups_at: a look at hidden conversations that may come
    back. connection_at: the status line counts on.
    """

    poll_at: float | None = None
    follow_ups_at: float | None = None
    connection_at: float | None = None


class Inbox:
    """What the inbox shows and does; nothing here waits.

    seconds: a clock that never goes back. orders: what the panes have to do.
    input_at: time of the last input.
    """

    def __init__(
        self,
        cached: Cached,
        window: Window,
        reader: ThreadWindow,
        connection: LinkKeeper,
        clock: ServerClock,
        views: Views,
        keys: Keys,
        seconds: Callable[[], float],
        *,
        settings: ViewerSettings,
    ) -> None:
        self.cached, self.connection = cached, connection
        self.window, self.reader, self.settings = window, reader, settings
        self.clock, self.views, self.keys, self.seconds = clock, views, keys, seconds
        self.tasks = Tasks(seconds)
        self.marks = ReadMarks(cached, clock.now)
        self.planning = Planning(cached, clock, self.marks)
        self.orders: list[Order] = []
        self.selection, self.history = Selected(), ViewHistory()
        self.refresh, self.search = RefreshState(), SearchState()
        self.due = DueTimes(follow_ups_at=seconds() if self.planning.hidden else None)
        self.input_at = 0.0
        self._opened_before: str | None = None
        self._opened: str | None = None
        stored = stored_query(cached.get_setting(QUERY_SETTING))
        self.refresh.is_chosen = stored is not None
        self.view = self.planning.view_of(
            first_query(self.all_counts) if stored is None else stored
        )

    # Orders and time

    def take(self) -> tuple[list[Order], list[Asked | Stop]]:
        """What is to be done after an event: orders, then requests to send and to give up."""
        orders, self.orders = self.orders, []
        return orders, self.tasks.take()

    def say(self, words: str) -> None:
        """Tell the reader something."""
        self.orders.append(lambda panes: panes.say(words))

    def warn(self, words: str) -> None:
        """Warn the reader."""
        self.orders.append(lambda panes: panes.warn(words))

    @property
    def wake_at(self) -> float | None:
        """When procedures go on, or words change, while something is going on."""
        since = [self.search.since, self.view.page_since]
        words = [begun + PATIENCE_SECONDS for begun in since if begun is not None]
        times = [time for time in words if time > self.seconds()]
        work = self.tasks.wake_at
        return min(times if work is None else [*times, work], default=None)

    @property
    def searching(self) -> bool:
        """True while a search of the server takes long."""
        return self._is_long(self.search.since)

    @property
    def loads_long(self) -> bool:
        """True while the next page takes long."""
        return self._is_long(self.view.page_since)

    def _is_long(self, since: float | None) -> bool:
        return since is not None and self.seconds() >= since + PATIENCE_SECONDS

    # The shown view

    @property
    def all_names(self) -> QueryNames:
        """Names that queries may use, with the customers of loaded rows for completion."""
        return self.planning.names_for(self.view)

    @property
    def matches_nothing(self) -> bool:
        """True if the shown query names what there is not."""
        return bool(self.planning.why_nothing(self.view.query))

    @property
    def filtered_here(self) -> bool:
        """True if the server ignores a filter of `/v1`, and not all rows were looked at here."""
        ignored = self.cached.capabilities.ignored & self.view.shown.filter.parameters().keys()
        return bool(ignored) and not self.view.list.complete

    @property
    def remark(self) -> str:
        """Sentence of the server on where it did not look for the shown query; "" without one."""
        return self.cached.remark(self.view.shown.filter)

    @property
    def partial_terms(self) -> Collection[Term]:
        """Terms that are applied to loaded rows while others are missing."""
        return self.view.partial_terms(has_rows=len(self.window.rows) > 0)

    @property
    def all_counts(self) -> Counts | None:
        """Cached counts without a filter."""
        return self.cached.counts(EVERY)

    def show(self, *, at_top: bool = False) -> None:
        """Show the cached rows of the view, with the cursor on the last selected conversation.

        at_top: the cursor goes to the first row, and stays there while the scan finds more.
        """
        view, window = self.view, self.window
        last = None if at_top else self.cached.get_setting(CONVERSATION_SETTING)
        self.tasks.stop(Kind.RESCAN)
        window.dimmed = window.after_gap = frozenset()
        view.scan = None if view.shown.exact else self.new_scan(selected=last)
        rows: Rows[Conversation] = view.list
        if view.scan is not None:
            view.scan.step(_SCANNED_AT_ONCE)
            rows = view.scan.rows()
        rows = self._visible(rows)
        position = rows.find(f"conversation {last}")
        # Rows that the scan finds may come above those of before, unless the server sorts them.
        stays = at_top or (position is None and not view.shown.is_sorted)
        view.follows_top = stays and not view.is_settled
        window.show(rows, cursor=position or 0)

    def replan(self) -> bool:
        """Plan the query anew once names or the server's filters are known; True if changed.

        Rows that were never loaded are requested next.
        """
        view = self.view
        self.cached.capabilities.store_lacks()
        plans = self.planning.plans_of(view.query)
        if plans == (view.wanted, view.shown):
            return False
        if plans[0] == view.wanted and not self.planning.was_loaded(view.wanted):
            # Only the rows that are shown meanwhile would be others.
            return False
        # A reader who waits at the top for the server's order has read nothing yet.
        stay = {} if view.follows_top and self.window.cursor == 0 else self.rows_that_stay()
        rows = self.cached.conversations(plans[1].filter)
        view.replan(*plans, self.planning.matcher_of(view.query, plans[1]), rows)
        self.tasks.stop(Kind.RESCAN)
        view.scan = None if view.shown.exact else self.new_scan(stay)
        if view.scan is not None:
            view.scan.step(_SCANNED_AT_ONCE)
            self.show_scan(view.scan)
        else:
            self.show_merged(stay)
        if not view.is_loaded and not self.matches_nothing:
            self.connection.loses_rows()
            self.due.poll_at = self.seconds()
        return True

    def reread(self) -> Mapping[str, Conversation]:
        """Read the list again; returns the rows that stay."""
        view = self.view
        self.planning.read_hidden()
        stay, view.seen_before = self.rows_that_stay(), self.window.keys_in_view()
        self.refresh.reloads += 1
        matches = self.planning.matcher_of(view.query, view.shown)
        return view.reload(stay, matches, self.cached.conversations_by_id)

    def rows_that_stay(self) -> dict[str, Conversation]:
        """Rows of the view that must not vanish by themselves, by id."""
        return self.view.kept.rows(self._rows_in_view(), self.window.row)

    def note_rows_in_view(self) -> bool:
        """Keep the rows that are in view, once those that were stay; see `note_top`."""
        if self.view.kept.keeps_seen:
            self.view.kept.add_seen(self._rows_in_view())
        return self.note_top()

    def note_top(self) -> bool:
        """Count no rows above any more once the first row is in view; True if some were."""
        reached = self.view.added_above > 0 and self.window.at_start
        if reached:
            self.view.added_above = 0
        return reached

    def _rows_in_view(self) -> list[Conversation]:
        return [self.window.rows[at] for at in self.window.in_view()]

    def show_merged(self, stay: Mapping[str, Conversation]) -> None:
        """Show the list with the rows of `stay` that have left it."""
        now = self.clock.server_now()
        merged = self.view.merged(stay, self.cached.conversations_by_id, now)
        self.window.dimmed, self.window.after_gap = merged.dimmed, merged.after_gap
        self._show_rows(merged.rows)

    def show_scan(self, scan: Scan) -> None:
        """Show the rows that a scan has found."""
        rows = scan.rows()
        self._dim_stale(scan)
        self.window.after_gap = frozenset()
        self._show_rows(rows)

    def _dim_stale(self, scan: Scan) -> None:
        """Dim the rows of a scan that no longer match, and leave them out of its count."""
        scan.stale |= self.view.kept.marked_here
        self.window.dimmed = frozenset(scan.stale)

    def _show_rows(self, rows: Rows[Conversation]) -> None:
        """Show other rows of the view; keep the cursor at the top unless the user has moved it."""
        view, window = self.view, self.window
        if not window.is_shown:
            return
        rows = self._visible(rows)
        view.follows_top = view.follows_top and window.is_entered and window.cursor == 0
        selected = None if self.selection.id is None else f"conversation {self.selection.id}"
        cursor = 0 if view.follows_top else place_of(rows, selected, view.seen_before)
        window.rows = rows
        window.rows_changed(view.seen_before, cursor=cursor)
        if view.follows_top:
            same = window.cursor == 0
            window.go_to(0, by_input=same and window.is_by_input)
        view.follows_top = view.follows_top and not view.is_settled
        if view.bound_for_last and len(rows):
            view.bound_for_last = view.follows_top = False
            window.go_to_last()

    def _visible(self, rows: Rows[Conversation]) -> Rows[Conversation]:
        """Rows of the view without those that are hidden until a time."""
        hidden = self.planning.hidden_in(self.view.query.terms)
        found = [rows.find(f"conversation {id}") for id in hidden]
        positions = sorted(position for position in found if position is not None)
        return RowsWithout(rows, positions) if positions else rows

    def show_hidden(self) -> None:
        """Show the rows without what is hidden by now, and with what has come back."""
        self.view.seen_before = self.window.keys_in_view()
        if self.view.scan is not None:
            self.show_scan(self.view.scan)

    def new_scan(
        self,
        stay: Mapping[str, Conversation] = MappingProxyType({}),
        *,
        keeps_shown: bool = True,
        selected: str | None = None,
    ) -> Scan:
        """A scan from the first row. stay: rows that must not vanish; with them all that are shown.

        keeps_shown: False to keep no other rows. selected: id of a conversation that is shown at
        once if it matches.
        """
        now, view = self.clock.server_now(), self.view
        key = sort_key(view.shown.order, now)
        places = {id: key(row) for id, row in stay.items()}
        shown = self.window.rows
        if isinstance(shown, RowsWithout):
            shown = shown.rows
        if stay and keeps_shown and view.kept.keeps_seen and isinstance(shown, StoredRows):
            places.update(shown.places)
        return Scan(
            view.list,
            view.shown,
            self._vouched(self.planning.matcher(view.shown.rest)),
            now,
            stay=places,
            current=self.cached.conversations_by_id,
            known=[
                *self.planning.known_rows(view.query, selected),
                *self.planning.found(view.shown),
            ],
        )

    def _vouched(self, matches: Test) -> Test:
        """The test of a scan, for rows for which the server's list vouches.

        A row that changed since it was listed has to match the whole query.
        """
        view = self.view
        whole, listing = self.planning.matcher_of(view.query, view.shown), view.list
        return lambda row: whole(row) or (matches(row) and not listing.has_moved(row))

    # The selection, and what was read

    def forget_awaited(self) -> None:
        """End what waits for the rows of the view: the reader has moved, or opened a dialog."""
        if self.tasks.waits_for_rows(Kind.FIND):
            self.tasks.stop(Kind.FIND)

    @property
    def rows_are_known(self) -> bool:
        """True if the rows of the view are known, and not only by an earlier start."""
        return self.cached.connected and (self.view.is_loaded or self.matches_nothing)

    @property
    def selected(self) -> Conversation | None:
        """The selected conversation, as it is cached."""
        row = self.window.row
        return self.cached.conversation(row.id) or row if row is not None else None

    @property
    def loaded_position(self) -> int | None:
        """Position of the cursor; None on a row that comes further down than the loaded ones."""
        row = self.window.row
        is_loaded = row is None or self.view.list.position(row.id) is not None
        return self.window.cursor if is_loaded else None

    def go_to(self, conversation_id: str) -> bool:
        """Move the cursor to a conversation; False if it is not in the list."""
        position = self.window.rows.find(f"conversation {conversation_id}")
        if position is not None:
            self.window.go_to(position)
        return position is not None

    def go_to_last_opened(self) -> bool:
        """Go back to the conversation that was opened before; False if it is not in the list."""
        before = self._opened_before
        return before is not None and before != self._opened and self.go_to(before)

    def note_opened(self, conversation: Conversation) -> None:
        """Record that the thread of a conversation was shown."""
        self._opened_before, self._opened = self._opened, conversation.id
        self.view.kept.add_opened(conversation)
        self.cached.set_setting(CONVERSATION_SETTING, conversation.id)

    def _take_back(self, scan: Scan, row: Conversation) -> None:
        """Dim a row no more, if it matches all of the query again."""
        if self.planning.matcher_of(self.view.query, self.view.shown)(row):
            scan.stale.discard(row.id)

    def mark(self, conversation_ids: Collection[str], *, read: bool) -> None:
        """Mark conversations here as read or unread; one that no longer matches stays, dimmed."""
        store = self.marks.mark_read if read else self.marks.mark_unread
        for id in conversation_ids:
            store(id)
        self._show_marks(conversation_ids)

    def restore_read_marks(self, marks: Mapping[str, str]) -> None:
        """Take back that conversations were marked as read."""
        self.marks.restore(marks)
        self._show_marks(marks)

    def _show_marks(self, conversation_ids: Collection[str]) -> None:
        scan, marked_here = self.view.scan, self.view.kept.marked_here
        terms = [term for term in self.view.query.terms if term.kind == UNREAD]
        self.refresh.counted.clear()
        self.refresh.read_otherwise.clear()
        if scan is not None and terms:
            matches = self.planning.test(terms)
            for row in self.cached.conversations_by_id(conversation_ids).values():
                if matches(row):
                    marked_here.discard(row.id)
                    self._take_back(scan, row)
                else:
                    marked_here.add(row.id)
            self._dim_stale(scan)
        self.window.refresh_rows()
