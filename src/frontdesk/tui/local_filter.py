"""Local filter and sort order, applied to loaded conversations."""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

from pydantic_core import ValidationError

from frontdesk.text import one_line
from frontdesk.tui.widgets.conversation_row import findable
from frontdesk.tui.widgets.virtual_list import FixedRows, Rows
from frontdesk.wire import Conversation, ConversationFilter, Wire, instant

NEWEST, OLDEST, WAITING, WINDOW = "newest", "oldest", "waiting", "window"
ORDERS = {
    NEWEST: "newest activity",
    OLDEST: "oldest activity",
    WAITING: "longest waiting",
    WINDOW: "window closes soon",
}

_NEVER = datetime.max.replace(tzinfo=UTC)


class Sieve(Wire):
    """Filter and order that `/v1` does not have; the default matches every row.

    order: newest, oldest, waiting (longest first), window (closes soonest first). contact: id of
    the only matching contact, on any channel; contact_name is for display.
    """

    unread: bool = False
    awaiting_human: bool = False
    text: str = ""
    order: str = NEWEST
    contact: str = ""
    contact_name: str = ""

    @property
    def idle(self) -> bool:
        """True if it neither filters nor reorders rows."""
        return self.order == NEWEST and not self.filters

    @property
    def filters(self) -> bool:
        """True if it filters rows, regardless of the order."""
        return self.unread or self.awaiting_human or bool(self.text.strip() or self.contact)

    def keeps(self, conversation: Conversation, *, unread: bool) -> bool:
        """True if a conversation matches; `unread`: see `Queue.is_unread`."""
        if self.unread and not unread:
            return False
        if self.awaiting_human and not conversation.awaiting_human:
            return False
        if self.contact and conversation.contact.id != self.contact:
            return False
        wanted = self.text.casefold().split()
        if not wanted:
            return True
        text = findable(conversation).casefold()
        return all(word in text for word in wanted)


class View(Wire):
    """View of the conversation list: server filter and local filter."""

    filter: ConversationFilter = ConversationFilter()
    sieve: Sieve = Sieve()


def stored_view(text: str | None) -> View | None:
    """Parse a view stored as JSON; None if it is missing or invalid."""
    try:
        return View.model_validate_json(text) if text else None
    except ValidationError:
        return None


def sieve_words(sieve: Sieve) -> list[tuple[str, str]]:
    """Pairs of member and label for each part of a local filter; ~ marks local filtering."""
    words = []
    if sieve.unread:
        words.append(("unread", "~unread"))
    if sieve.awaiting_human:
        words.append(("awaiting_human", "~needs a human"))
    if sieve.text.strip():
        words.append(("text", f"~“{one_line(sieve.text)}”"))
    if sieve.contact:
        words.append(("contact", f"~{one_line(sieve.contact_name) or sieve.contact}"))
    if sieve.order != NEWEST:
        words.append(("order", f"~{ORDERS.get(sieve.order, sieve.order)} first"))
    return words


def is_within(conversation: Conversation, filter: ConversationFilter) -> bool:
    """True if a conversation matches a server filter; never for the assignee "me"."""
    assignee = conversation.assignee.id if conversation.assignee else "unassigned"
    wanted = filter.assignee
    return (
        filter.status in (None, conversation.status)
        and filter.channel in (None, conversation.channel.id)
        and (filter.label is None or filter.label in conversation.labels)
        and (wanted in (None, assignee) or (wanted == "assigned" and assignee != "unassigned"))
    )


class Sifting:
    """Incremental scan of a list for the rows that match a local filter.

    stay: rows by id that keep their place even if they no longer match. current: the cached state
    of a conversation, or None. stale: ids of kept rows that do not match. known: cached rows
    to match as well, also from pages that are not loaded.
    """

    def __init__(
        self,
        rows: Rows[Conversation],
        sieve: Sieve,
        is_unread: Callable[[Conversation], bool],
        now: datetime,
        *,
        stay: Mapping[str, Conversation] = MappingProxyType({}),
        current: Callable[[str], Conversation | None] = lambda id: None,
        known: Iterable[Conversation] = (),
    ) -> None:
        self._rows = rows
        self._sieve = sieve
        self._is_unread = is_unread
        self._now = now
        self._known = {one.id: one for one in known if sieve.keeps(one, unread=is_unread(one))}
        self._stay = {id: row for id, row in stay.items() if id not in self._known}
        self._current = current
        # Pairs of the row used for sorting and the row to show.
        self._kept: list[tuple[Conversation, Conversation]] = []
        self._met: set[str] = set()
        self.stale: set[str] = set()
        self.looked_at = 0

    @property
    def matches(self) -> int:
        """Number of matching rows found so far."""
        kept = sum(row.id not in self.stale for _, row in self._kept)
        return kept + len(self._known.keys() - self._met)

    def step(self, count: int) -> bool:
        """Scan the next `count` rows; False when all were scanned."""
        end = min(self.looked_at + count, len(self._rows))
        for position in range(self.looked_at, end):
            if self._rows[position].id not in self._met:
                self._look_at(self._rows[position])
        self.looked_at = end
        return end < len(self._rows)

    def _look_at(self, conversation: Conversation) -> None:
        matches = self._sieve.keeps(conversation, unread=self._is_unread(conversation))
        before = None if matches else self._stay.get(conversation.id)
        if before is not None:
            self.stale.add(conversation.id)
        if matches or before is not None:
            self._kept.append((before or conversation, conversation))
        self._met.add(conversation.id)

    def rows(self) -> FixedRows[Conversation]:
        """Rows found so far, in the filter's order."""
        unmet = self._unmet()
        kept = [*self._kept, *unmet]
        if self._sieve.order == OLDEST:
            kept.sort(key=lambda one: _time(one[0].last_activity_at))
        elif self._sieve.order == WAITING:
            kept.sort(key=lambda one: _waiting_since(one[0]))
        elif self._sieve.order == WINDOW:
            kept.sort(key=lambda one: self._window_left(one[0]))
        elif unmet or self.stale:
            kept.sort(key=lambda one: _time(one[0].last_activity_at), reverse=True)
        return FixedRows([(f"conversation {one.id}", one) for _, one in kept])

    def _unmet(self) -> list[tuple[Conversation, Conversation]]:
        """Rows to keep that the scan has not met: they left the list, or come further down."""
        states = [(row, self._current(id)) for id, row in self._stay.items() if id not in self._met]
        unmet = [(row, state) for row, state in states if state is not None]
        if self.looked_at == len(self._rows):
            self.stale.update(state.id for _, state in unmet)
        return unmet + [(row, row) for id, row in self._known.items() if id not in self._met]

    def _window_left(self, conversation: Conversation) -> datetime:
        ends = _time(conversation.service_window_expires_at)
        return _NEVER if ends <= self._now else ends


def _waiting_since(conversation: Conversation) -> datetime:
    waits = conversation.waiting_since if conversation.status != "resolved" else None
    return _time(waits)


def _time(moment: str | None) -> datetime:
    """Parse a time of the server; missing or invalid times sort last."""
    return instant(moment) or _NEVER
