"""Invariants of every frame of the inbox."""

import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime

from textual.app import App
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from frontdesk.inbox.requests import Kind
from frontdesk.mailbox import Mailbox
from frontdesk.query import Term
from frontdesk.query.dates import moments
from frontdesk.query.language import DURATIONS, ID
from frontdesk.query.terms import CREATED, OLDEST, WAITING, WINDOW
from frontdesk.text.clean import one_line
from frontdesk.text.phones import contact_name
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.widgets.bar import Bar
from frontdesk.wire import Conversation, Message, instant
from tests.tui.screen_text import parts_in_view, strips

_RETRY = re.compile(r"\b(?:in|of) (\d+) (?:s\b|seconds)")
# A chip that says that a filter or order is applied to a part of the rows.
_PARTIAL_CHIP = re.compile("~(unread|needs a human|longest|oldest|window)")
_LOADING = re.compile(r"Loading… (\d+) s")
_ASKING = re.compile(r"… (\d+) s\b")
_NEVER = datetime.max.replace(tzinfo=UTC)
# Texts without marks, line breaks and words that do not fit on a line.
_PLAIN = re.compile(r"([A-Za-z0-9,.]{1,15} )*[A-Za-z0-9,.]{1,15}")
# Length of texts that always fit on a line.
_SHORT = 20
# Below this width the status line has no room for all of its words.
_ROOM = 100
_SMALLEST = (40, 10)
# What m and M say, as far as a narrow line has it.
_MARKED = re.compile(r"Marked (.* )?as read")
# Actions that mark conversations as read, or take back that they were marked as unread.
_MARKING = ("'toggle_read'", "'mark_above_read'", "'undo'")
# Seconds after which a conversation is read; the clock adds fractions.
_REST = 2.99
# Seconds in which the bars follow the rows: a frame may be drawn in between.
_FOLLOWS = 0.1
# Seconds until the list is asked for again, and answered slowly.
_NEXT_ANSWER = 60.0
# Seconds for which a viewer may have run before its first frame that is checked.
_BEFORE = 1.1


class TrueScreen:
    """Checks each frame of an app.

    `me` is the id of the user that the key belongs to; `clock` gives seconds.
    """

    def __init__(
        self, app: App[object], mailbox: Mailbox, me: str | None, clock: Callable[[], float]
    ) -> None:
        self._app = app
        self._mailbox = mailbox
        self._me = me
        self._clock = clock
        self._listing: object = None
        self._seen: set[str] = set()
        self._refreshing = self._marking = False
        self._strips: list[Strip] = []
        self._lines: list[str] = []
        self._unread: dict[str, Conversation] = {}
        self._selected: tuple[str | None, float] = (None, 0.0)
        self._entered = False
        self._rested: set[str] = set()
        # Since when rows are newer than their places.
        self._moved: dict[str, float] = {}
        # When the bars began to say something else than the rows.
        self._behind_since: float | None = None
        app.watch(self.inbox.queue.list, "selected_key", self._select)
        app.watch(self.inbox, "focused", self._focus)

    def _focus(self, widget: Widget | None) -> None:
        self._entered = self._entered or widget is self.inbox.thread.messages

    def _select(self) -> None:
        before, since = self._selected
        if before is not None and self._clock() - since >= _REST:
            self._rested.add(before)
        self._selected = self.inbox.queue.list.selected_id, self._clock()

    @property
    def inbox(self) -> InboxScreen:
        screen = self._app.screen_stack[0]
        assert isinstance(screen, InboxScreen)
        return screen

    def check(self) -> None:
        """Raise AssertionError if the frame says something untrue."""
        self._strips = strips(self.inbox)
        self._lines = [strip.text for strip in self._strips]
        self._one_selection()
        self._rows_stay()
        self._reading()
        if self._is_live:
            self._chips_and_rows()
            self._order()
        self._progress()
        self._live()
        self._loading()
        self._one_wait()
        self._messages_are_whole()

    def acts(self, action: object) -> None:
        """A key does something that lets rows leave, or become read."""
        words = str(action)
        self._refreshing = self._refreshing or "'refresh'" in words
        self._marking = self._marking or any(name in words for name in _MARKING)

    def words(self, selector: str) -> str:
        return self.inbox.query_one(selector, Bar).words

    def rows(self) -> list[Conversation]:
        """The rows in view that are not dimmed."""
        listed = self.inbox.queue.list
        shown = [listed.rows[at] for at in listed.in_view()]
        return [row for row in shown if not listed.is_dimmed(row)]

    def _one_selection(self) -> None:
        """The row under the cursor, the thread and the contact are the same conversation."""
        inbox = self.inbox
        row = inbox.queue.list.row
        selected = row.id if row is not None else None
        assert inbox.inbox.selection.id == selected
        thread = inbox.thread.conversation
        assert (thread.id if thread else None) == selected, f"{selected} and {thread}"
        if row is not None and inbox.query_one("#thread-title").is_on_screen:
            name = one_line(contact_name(row.contact))
            title = self.words("#thread-title")
            assert name[:4] in title, f"the title {title!r} does not name {name!r}"

    def _rows_stay(self) -> None:
        """A row that was in view while the list was live stays until the view is left, or the row
        is hidden by a key.
        """
        queue = self.inbox.queue
        rows = queue.list.rows
        if queue.inbox.view.list is not self._listing:
            self._listing = queue.inbox.view.list
            self._seen.clear()
        if self._refreshing:
            self._seen.clear()
            tasks = queue.inbox.tasks
            self._refreshing = Kind.REFRESH in tasks or Kind.RESCAN in tasks
        here = {rows[at].id for at in range(len(rows))}
        gone = {id for id in self._seen - here if self._mailbox.conversation(id) is not None}
        gone -= queue.inbox.planning.hidden.keys()
        assert not gone, f"{gone} left the list"
        self._seen &= here
        if self._is_live:
            self._seen.update(rows[at].id for at in queue.list.in_view())

    def _reading(self) -> None:
        """A conversation becomes read by `m`, `M`, `U`, where it is entered, or after 3 seconds."""
        if not self._lines[-1].strip():
            # The frame that says why is not drawn yet.
            return
        inbox, now = self.inbox, self._clock()
        is_unread = inbox.inbox.planning.is_unread
        selected, since = self._selected
        unread = {row.id: row for row in self._loaded() if is_unread(row)}
        for id, row in self._unread.items():
            current = self._mailbox.conversation(id)
            if current is None or not current.unread_count or is_unread(current):
                continue
            rested = id in self._rested or (id == selected and now - since >= _REST)
            # With the focus in the thread, keys open one conversation after the other.
            entered = self._entered or inbox.focused is inbox.thread.messages
            by_hand = self._marking or _MARKED.search(self._lines[-1]) is not None
            assert rested or entered or by_hand, f"{row.contact.name} was passed by, and is read"
        self._unread, self._rested, self._marking = unread, set(), False
        self._entered = inbox.focused is inbox.thread.messages

    def _loaded(self) -> list[Conversation]:
        rows = self.inbox.queue.list.rows
        return [rows[at] for at in range(len(rows))]

    def _chips_and_rows(self) -> None:
        """Each row that is not dimmed is what the chips say."""
        query = self.inbox.queue.inbox.view.query
        for row in self.rows():
            assert self._matches(row), f"{row.contact.name} {row.status} is not {query}"

    def _matches(self, row: Conversation) -> bool:
        query = self.inbox.queue.inbox.view.query
        return all(self._has(row, term) != term.negated for term in query.filters)

    def _has(self, row: Conversation, term: Term) -> bool:
        """True if a conversation has what a term names, whether it is negated or not."""
        if term in self.inbox.queue.inbox.view.shown.vouched:
            # Rows do not show all of it: the server has said so.
            return not term.negated
        owner, contact = row.assignee, row.contact
        assigned = {
            "me": owner is not None and owner.id == self._me,
            "unassigned": owner is None,
            "assigned": owner is not None,
        }
        values: dict[str, Collection[str | None]] = {
            "is": (row.status,),
            "assignee": (*(word for word in assigned if assigned[word]), owner and owner.name),
            "in": (row.channel.name, f"{ID}{row.channel.id}"),
            "label": row.labels,
            "from": (contact.phone, f"{ID}{contact.id}"),
            "needs": ("human",) if row.awaiting_human else (),
            "unread": ("",) if self.inbox.inbox.planning.is_unread(row) else (),
        }
        if term.kind == "words":
            return term.value.casefold() in _words(row)
        if term.kind == CREATED:
            now = self.inbox.inbox.clock.server_now()
            return _is_within(instant(row.created_at), *moments(term.value, now))
        return term.kind in DURATIONS or term.value in values[term.kind]

    def _order(self) -> None:
        """The rows in view are in the order that the view says.

        A row that another request brought newer moves with the next answer for the list.
        """
        view, now = self.inbox.queue.inbox.view, self._clock()
        order, rows = view.query.order, self.rows()
        moved = {row.id for row in rows if view.list.has_moved(row)}
        self._moved = {id: self._moved.get(id, now) for id in moved}
        assert all(now - since <= _NEXT_ANSWER for since in self._moved.values()), self._moved
        keys = [_sort_key(row, order) for row in rows if row.id not in moved]
        if order == WINDOW:
            # A window that has just closed moves to the end with the next refresh.
            return
        expected = sorted(keys, reverse=order not in (OLDEST, WAITING))
        assert keys == expected, f"not {order}: {[row.contact.name for row in self.rows()]}"

    def _progress(self) -> None:
        """A filter or order over a part of the rows says how far it is; a complete one does not."""
        queue = self.inbox.queue
        behind_since, self._behind_since = self._behind_since, None
        view = queue.inbox.view
        if (
            view.shown.exact
            or (view.goes_on and view.is_loaded)
            or self._app.size.width < _ROOM
            or self._tiny
        ):
            return
        status = self.words("#status")
        partial = any(words in status for words in ("~", "sorting", "nothing loaded"))
        if partial == queue.inbox.view.complete:
            now = self._clock()
            self._behind_since = now if behind_since is None else behind_since
            assert now - self._behind_since <= _FOLLOWS, f"{queue.inbox.view.complete}: {status}"
            return
        if queue.inbox.view.complete:
            header = self.words("#header")
            assert not _PARTIAL_CHIP.search(header), f"{header} although {status}"

    def _live(self) -> None:
        """Live is said after an answer only; all countdowns agree."""
        status = self.words("#status")
        if self._is_live:
            inbox = self.inbox.queue.inbox
            # No rows are asked for where nothing can match, but their counts are.
            assert inbox.view.list.fetched_at is not None or inbox.matches_nothing, status
        lines = [line.strip() for line in self._lines if _RETRY.search(line)]
        waits = set(_RETRY.findall("\n".join(lines)))
        assert len(waits) <= 1, f"two clocks: {lines}"

    def _loading(self) -> None:
        """The seconds of a thread that is loading are those since its row was selected."""
        notices = self._loading_seconds(self.inbox.thread.messages)
        waited = self._clock() - self._selected[1]
        assert notices is None or int(notices[1]) <= waited + _BEFORE, f"{notices} after {waited} s"

    def _loading_seconds(self, widget: Widget) -> re.Match[str] | None:
        """The seconds that an empty list says."""
        seen = parts_in_view(self.inbox).get(widget)
        if seen is None or self._tiny:
            return None
        return _LOADING.search(self._words_in(seen))

    def _one_wait(self) -> None:
        """The list and the status line say the same seconds of the request for the view."""
        listed = self._loading_seconds(self.inbox.queue.list)
        said = _ASKING.search(self.words("#status"))
        if said and listed:
            assert said[1] == listed[1], f"two clocks: {said} {listed}"

    def _messages_are_whole(self) -> None:
        """Messages between the first and the last row in view are drawn with all their lines.

        At the end of a thread the last one too.
        """
        messages = self.inbox.thread.messages
        seen = parts_in_view(self.inbox).get(messages)
        if seen is None or self._tiny:
            return
        drawn, at = self._words_in(seen), messages.in_view()
        for position in at[1:] if messages.at_end else at[1:-1]:
            entry = messages.rows[position]
            words = _last_words(entry) if isinstance(entry, Message) else ""
            assert words in drawn, f"{words!r} is not drawn:\n{drawn}"

    def _words_in(self, region: Region) -> str:
        """What the frame shows in a region."""
        strips = self._strips[region.y : region.bottom]
        return "\n".join(strip.crop(region.x, region.right).text for strip in strips)

    @property
    def _is_live(self) -> bool:
        return re.search(r"\blive\b", self.words("#status")) is not None

    @property
    def _tiny(self) -> bool:
        return self._app.size.width < _SMALLEST[0] or self._app.size.height < _SMALLEST[1]

    def focused(self) -> None:
        """A key works: a visible widget has the focus."""
        inbox = self.inbox
        if self._app.screen is inbox and not self._tiny:
            assert inbox.focused is not None, "nothing has the focus"
            assert inbox.focused in inbox.focus_chain, f"hidden: {inbox.focused}"


def _last_words(message: Message) -> str:
    """The end of a plain text, which stands on one line; "" if it may be drawn otherwise."""
    text = message.text or ""
    if message.type != "text" or message.deleted_at or not _PLAIN.fullmatch(text):
        return ""
    return text if len(text) <= _SHORT else text.rpartition(" ")[2]


def _is_within(time: datetime | None, first: datetime | None, end: datetime | None) -> bool:
    return time is not None and (first or time) <= time < (end or _NEVER)


def _words(row: Conversation) -> str:
    said = row.last_message.text if row.last_message else ""
    return " ".join(
        [row.contact.name or "", row.contact.phone or "", said or "", *row.labels]
    ).casefold()


def _sort_key(row: Conversation, order: str) -> datetime:
    if order == CREATED:
        return instant(row.created_at) or _NEVER
    if order == WAITING:
        return (instant(row.waiting_since) if row.status != "resolved" else None) or _NEVER
    return instant(row.last_activity_at) or _NEVER
