"""One-line bars around the inbox panes: header, channel tabs, status line."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from textual.widget import Widget

from frontdesk.tui import labels as say
from frontdesk.tui.inbox.queue_pane import ChannelPane, QueuePane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.channel_list import ChannelRow, channel_tabs, tabs_in
from frontdesk.tui.widgets.line_widget import Piece, width_of

_KEYS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "channels": (
            "{list.next}/{list.previous} move",
            "{list.open} choose",
            "{inbox.filter} filter",
            "{pane.list} list",
        ),
        "list": (
            "{list.open} open",
            "{inbox.next_unread} next unread",
            "{inbox.next_waiting} longest wait",
            "{inbox.filter} filter",
            "{inbox.find} find",
            "{inbox.contact} contact",
            "{inbox.order} sort",
            "{inbox.zoom} table",
            "{view.menu} views",
            "{queue.mark} mark",
        ),
        "thread": (
            "{inbox.back} back",
            "{inbox.next} next conversation",
            "{inbox.find} find",
            "{inbox.filter} show",
            "{inbox.copy} copy",
            "{inbox.date} date",
            "{inbox.contact} contact",
            "{inbox.zoom} alone",
        ),
        "contact": (
            "{inbox.back} back",
            "{inbox.before} {inbox.after} group",
            "{inbox.copy} copy",
            "{inbox.contact} close",
        ),
    }
)

# Number of pieces in the header before its chips.
_BEFORE_CHIPS = 2


class Bars:
    """Renders the bars of the inbox screen that belong to no pane."""

    def __init__(
        self, screen: Widget, queue: QueuePane, channels: ChannelPane, title: str, keys: KeyNames
    ) -> None:
        self._screen = screen
        self._queue = queue
        self._channel_pane = channels
        self._title = title
        self._keys = keys
        self._channels: Sequence[ChannelRow] = ()

    def refresh(self) -> None:
        """Render header, channel tabs, and the words of the list panes."""
        queue = self._queue
        tabs, filters = self._bar("#channel-tabs"), self._keys.told(" {inbox.filter} filters ")
        rows = self._channel_pane.show(queue.view)
        self._channels = tabs_in(rows, tabs.size.width - len(filters))
        header = self._bar("#header")
        left: list[Piece] = [("accent", " INBOX "), ("strong", self._title)]
        left += say.chip_pieces(queue.view, queue.names, complete=queue.listing.complete)
        counts, lacking, least = queue.all_counts, queue.lacking("counts"), queue.least_counts
        room = width_of(left)
        header.show_fitted(
            lambda width: (left, say.header_counts(counts, width - room, lacking, least))
        )
        tabs.show(channel_tabs(self._channels), [("dim", filters)])
        queue.refresh_words()

    def show_status(self, pane: str, state: list[Piece]) -> None:
        """Render the status line: keys of the focused pane, connection state, loaded rows."""
        right: list[Piece] = [*state, ("dim", f" · {self._queue.loaded_words()} ")]
        bar = self._bar("#status")
        room = bar.size.width - width_of(right) - 2
        hints = [self._keys.hint(words) for words in _KEYS[pane]]
        bar.show(say.hint_pieces(hints, room, self._keys.hint("{inbox.help} help")), right)

    def chip_at(self, piece: int) -> str | None:
        """Name of the chip at an index of the header's pieces."""
        chips = say.chips(self._queue.view, self._queue.names)
        at = piece - _BEFORE_CHIPS
        return chips[at // 2][0] if at % 2 and 0 <= at // 2 < len(chips) else None

    def last_chip(self) -> str | None:
        """Name of the rightmost chip; the status comes first, so it is removed last."""
        names = [name for name, _ in say.chips(self._queue.view, self._queue.names)]
        return names[-1] if names else None

    def channel_at(self, piece: int) -> ChannelRow | None:
        """Channel at an index of the channel tabs' pieces."""
        at = piece // 2
        return self._channels[at] if piece % 2 and at < len(self._channels) else None

    def _bar(self, selector: str) -> Bar:
        return self._screen.query_one(selector, Bar)
