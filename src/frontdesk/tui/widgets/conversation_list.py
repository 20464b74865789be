"""Conversation list with one, two or three lines per row, or as a table."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from datetime import datetime, timedelta
from typing import ClassVar, TypeAlias

from textual.binding import Binding, BindingType

from frontdesk.query import searchable
from frontdesk.tui.action_groups import EXPORT
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets import virtual_list
from frontdesk.tui.widgets.conversation_row import (
    LEAST_TABLE_WIDTH,
    Line,
    RowContext,
    RowState,
    row_lines,
    table_row,
)
from frontdesk.tui.widgets.glyphs import EMOJI, MessageSymbols
from frontdesk.tui.widgets.text_layout import fit
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation

UnreadAmong = Callable[[Sequence[Conversation]], Mapping[str, int]]
FollowUpsAmong = Callable[[Sequence[Conversation]], Mapping[str, datetime | None]]

_GAP = "   ── rows between are not loaded ──"

# Time for which the age of a row with new activity is highlighted.
CUE = timedelta(seconds=5)


def _unread_among(conversations: Sequence[Conversation]) -> dict[str, int]:
    return {row.id: row.unread_count or 0 for row in conversations if row.is_unread}


class ConversationList(VirtualList[Conversation]):
    """Draws conversations in `density` lines each; ages are relative to `clock`.

    dimmed: ids of rows that no longer match the view. after_gap: ids of rows below a line that says
    that rows are missing there. Set both before `rows_changed`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Select for export", id="queue.mark", group=EXPORT("mark choose")),
    ]
    COUNTS_SECONDS = False

    Marked: TypeAlias = virtual_list.Marked

    def __init__(
        self,
        clock: Clock,
        *,
        unread_among: UnreadAmong = _unread_among,
        follow_ups_among: FollowUpsAmong = lambda conversations: {},
        excerpts: Callable[[], Mapping[str, str]] = dict,
        has_left: Callable[[Conversation], bool] = lambda conversation: False,
        symbols: MessageSymbols = EMOJI,
        id: str | None = None,
    ) -> None:
        """`unread_among`: returns the numbers of new messages by id; others show no number.

        follow_ups_among: returns times until which conversations are hidden, or None, by id.
        excerpts: returns texts to show in place of last messages, by id. has_left: True for rows to
        dim, besides those in `dimmed`.
        """
        super().__init__(id=id)
        self._unread_among = unread_among
        self._unread: Mapping[str, int] = {}
        self._follow_ups_among = follow_ups_among
        self._follow_ups: Mapping[str, datetime | None] = {}
        self._excerpts_now = excerpts
        self._excerpts: Mapping[str, str] = {}
        self._clock = clock
        self._row_context = RowContext(clock, clock.shown_now(), symbols=symbols)
        self._density, self._is_table = 2, False
        self._marked: dict[str, None] = {}
        self._highlighted_until: dict[str, datetime] = {}
        self._has_left = has_left
        self.dimmed: Set[str] = frozenset()
        self.after_gap: Set[str] = frozenset()

    @property
    def marked(self) -> Sequence[str]:
        """Ids of the marked conversations, in the order of marking."""
        return tuple(self._marked)

    @property
    def is_shown(self) -> bool:
        """False while the application ends."""
        return self.is_attached

    @property
    def is_entered(self) -> bool:
        """True if keys go to the list once no dialog is open."""
        return self.screen.focused is self

    @property
    def selected_id(self) -> str | None:
        """Id of the conversation under the cursor as it was announced last."""
        key = self.selected_key
        return None if key is None else key.removeprefix("conversation ")

    @property
    def is_by_input(self) -> bool:
        """True if a key or a click selected that conversation."""
        return self.selected_by_input

    @property
    def is_covered(self) -> bool:
        """True while a dialog or another screen is open."""
        return not self.screen.is_active

    def take_for_input(self, *, also_none: bool = False) -> None:
        """Take the selected row for one that a key selected. also_none: the next one, without."""
        self.selected_by_input = also_none or self.row is not None

    def go_to_last(self) -> None:
        """Go to the last row, and on over those that this loads."""
        self.action_last()

    def refresh_rows(self) -> None:
        """Draw the rows anew."""
        self.refresh()

    def is_dimmed(self, conversation: Conversation) -> bool:
        """True for a row that no longer matches the view."""
        return conversation.id in self.dimmed or self._has_left(conversation)

    def labels_of(self, position: int) -> Sequence[str]:
        return self.rows[position].labels

    def action_mark(self) -> None:
        """Toggle the mark of the conversation under the cursor."""
        if self.row is not None:
            if self.row.id in self._marked:
                del self._marked[self.row.id]
            else:
                self._marked[self.row.id] = None
            self.refresh_row(self.cursor)
            self.post_message(self.Marked(self, row=self.row))

    def mark_only(self, conversation_ids: Sequence[str]) -> None:
        """Mark these conversations and no others."""
        self._marked = dict.fromkeys(conversation_ids)
        self.refresh()

    def set_density(self, lines: int) -> None:
        """Set the number of lines (1 to 3) per conversation."""
        if lines != self._density:
            self._density = lines
            self.forget_drawn()
            self.rows_changed()

    def set_table(self, is_table: bool) -> None:
        """Draw one line per conversation in columns, where there is room for them."""
        if is_table != self._is_table:
            self._is_table = is_table
            self.forget_drawn()
            self.rows_changed()

    @property
    def draws_table(self) -> bool:
        return self._is_table and self.size.width - 2 >= LEAST_TABLE_WIDTH

    def set_context(
        self,
        colours: Mapping[str, str],
        *,
        same_owner: bool,
        me: str = "",
        order: str = "",
    ) -> None:
        """Set what rows depend on, see `RowContext`."""
        before = self._row_context
        self._row_context = before._replace(
            colours=colours, same_owner=same_owner, me=me, order=order
        )
        if self._row_context != before:
            self.update_ages()

    def update_ages(self) -> None:
        """Redraw the ages; rows that look the same are not repainted."""
        self.forget_drawn()
        self.rows_changed()

    def cue(self, ids: Iterable[str]) -> None:
        """Highlight conversations with new activity for `CUE`."""
        until = self._clock.now() + CUE
        self._highlighted_until.update(dict.fromkeys(ids, until))
        self._refresh_rows(self._highlighted_until.keys())

    def end_cues(self) -> timedelta | None:
        """End expired highlights; returns the time until the next one expires, or None."""
        now = self._clock.now()
        over = {id for id, until in self._highlighted_until.items() if until <= now}
        for id in over:
            del self._highlighted_until[id]
        self._refresh_rows(over)
        return min(self._highlighted_until.values()) - now if self._highlighted_until else None

    def _refresh_rows(self, ids: Container[str]) -> None:
        for position in self.in_view():
            if self.rows[position].id in ids:
                self.refresh_row(position)

    def copied(self) -> str:
        """Phone number of the contact."""
        return (self.row.contact.phone or "") if self.row else ""

    def words_at(self, position: int) -> str:
        return searchable(self.rows[position])

    def height_of(self, position: int) -> int:
        height = 1 if self.draws_table else self._density
        return height + self._is_after_gap(position)

    def _is_after_gap(self, position: int) -> bool:
        return bool(self.after_gap) and self.rows[position].id in self.after_gap

    def sources(self, position: int) -> tuple[object, ...]:
        conversation = self.rows[position]
        marked, highlighted = (
            conversation.id in self._marked,
            conversation.id in self._highlighted_until,
        )
        dimmed = self.is_dimmed(conversation)
        after_gap = self._is_after_gap(position)
        unread = self._unread.get(conversation.id)
        follow_up = self._follow_ups.get(conversation.id, "")
        excerpt = self._excerpts.get(conversation.id)
        return conversation, unread, follow_up, marked, highlighted, dimmed, after_gap, excerpt

    def begin(self, positions: Sequence[int]) -> None:
        """Fetch the unread state of the rows together, and fix the time."""
        rows = [self.rows[at] for at in positions]
        self._unread, self._follow_ups = self._unread_among(rows), self._follow_ups_among(rows)
        self._excerpts = self._excerpts_now()
        plain = self.is_attached and self.plain_labels
        self._row_context = self._row_context._replace(now=self._clock.shown_now(), plain=plain)

    def draw(self, position: int, width: int) -> list[Line]:
        conversation = self.rows[position]
        id = conversation.id
        marked, highlighted = id in self._marked, id in self._highlighted_until
        until = self._follow_ups.get(id)
        state = RowState(
            id in self._unread,
            marked,
            highlighted,
            self._unread.get(id, 0),
            follow_up=id in self._follow_ups,
            hidden_until=until,
            excerpt=self._excerpts.get(id, ""),
        )
        if self.draws_table:
            lines = [table_row(conversation, self._row_context, state, width)]
        else:
            lines = row_lines(conversation, self._row_context, state, width, self._density)
        if self.is_dimmed(conversation):
            lines = [[("dim", text) for _, text in line] for line in lines]
        gap = [[("dim@ground", fit(_GAP, width))]] if self._is_after_gap(position) else []
        return [*gap, *lines]
