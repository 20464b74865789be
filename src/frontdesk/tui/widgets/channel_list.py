"""List of channels with their open conversations: as a pane, or as a line of tabs."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.clean import one_line
from frontdesk.tui.widgets.text_layout import Piece, cut, spread, width_of
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Channel, Conversation, Counts

ALL_CHANNELS = ""


class ChannelItem(NamedTuple):
    """A channel, or all of them (channel None); `open` is None if unknown.

    awaiting: some of its open conversations need a human.
    """

    channel: Channel | None
    open: int | None
    chosen: bool
    awaiting: int = 0

    @property
    def id(self) -> str:
        return self.channel.id if self.channel else ALL_CHANNELS

    @property
    def name(self) -> str:
        return one_line(self.channel.name) if self.channel else "All channels"


def channel_rows(
    channels: Sequence[Channel],
    counts: Counts | None,
    current: str | None,
    hidden: Sequence[Conversation] = (),
) -> list[ChannelItem]:
    """All channels first, then each in the server's order, with its open conversations.

    hidden: conversations that lists leave out on this computer, which are not counted.
    """
    by_channel = counts.by_channel if counts else ()
    left_out = [row for row in hidden if row.status == "open"]
    hidden_in = Counter(row.channel.id for row in left_out)
    in_need = Counter(row.channel.id for row in left_out if row.awaiting_human)
    open_in = {
        entry.channel: entry.open and entry.open - hidden_in[entry.channel] for entry in by_channel
    }
    awaiting = {
        entry.channel: (entry.awaiting_human or 0) - in_need[entry.channel] for entry in by_channel
    }
    every = counts.open if counts else None
    rows = [ChannelItem(None, every and every - len(left_out), current is None)]
    for channel in channels:
        # A server that counts no channel at all does not mean that they are empty.
        count = open_in.get(channel.id, 0) if open_in else None
        rows.append(ChannelItem(channel, count, channel.id == current, awaiting.get(channel.id, 0)))
    return rows


class ChannelTabs(NamedTuple):
    """Channels in a line, and the number of those that have no room in it."""

    rows: Sequence[ChannelItem]
    left_out: int = 0


def tabs_in(rows: Sequence[ChannelItem], width: int) -> ChannelTabs:
    """Channels to show as tabs in `width` cells.

    If not all fit, those come first in which most conversations need a human, then those with most
    open ones; the chosen one has room in any case.
    """
    if width_of(channel_tabs(ChannelTabs(rows))) <= width:
        return ChannelTabs(rows)
    every, *channels = rows
    channels.sort(key=lambda row: (-row.awaiting, -(row.open or 0)))
    shown = [row for row in channels if row.chosen]
    for row in channels:
        more = [one for one in channels if one in shown or one is row]
        tabs = ChannelTabs([every, *more], len(channels) - len(more))
        if width_of(channel_tabs(tabs)) <= width:
            shown = more
    return ChannelTabs([every, *shown], len(channels) - len(shown))


def channel_tabs(tabs: ChannelTabs) -> list[Piece]:
    """Channels in one line, of three pieces each: separator, name with count, mark."""
    pieces: list[Piece] = []
    for row in tabs.rows:
        count = "" if row.open is None else f" {row.open}"
        name = "All" if row.channel is None else cut(row.name, 24)
        pieces.append(("dim", "│" if pieces else ""))
        pieces.append(("strong" if row.chosen else "dim", f" {name}{count} "))
        pieces.append(("warning", f"!{row.awaiting} " if row.awaiting else ""))
    if tabs.left_out:
        pieces += [("dim", "│"), ("dim", f" +{tabs.left_out} ")]
    return pieces


class ChannelList(VirtualList[ChannelItem]):
    """Pane of channels: name, and number of open conversations."""

    # As in the line of channels.
    CLICKS_TO_OPEN = 1

    _items: Sequence[ChannelItem] = ()
    _current_id = ALL_CHANNELS

    def show_channels(self, rows: Sequence[ChannelItem]) -> None:
        """Show these rows; the cursor moves only if another channel was selected."""
        if rows == self._items:
            return
        chosen = next((at for at, row in enumerate(rows) if row.chosen), 0)
        again = bool(self._items) and rows[chosen].id == self._current_id
        self._items, self._current_id = rows, rows[chosen].id
        self.rows = FixedRows([(row.id, row) for row in rows])
        if again:
            self.rows_changed()
        else:
            self.show(self.rows, cursor=chosen)

    def copied(self) -> str:
        """Phone number of the channel."""
        channel = self.row.channel if self.row else None
        return (channel.phone or channel.id) if channel else ""

    def words_at(self, position: int) -> str:
        return self.rows[position].name

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        row = self.rows[position]
        part = "accent" if row.chosen else "text"
        count = "" if row.open is None else f"{row.open:>4} "
        counted: list[Piece] = [("warning", f" !{row.awaiting}")] if row.awaiting else []
        counted += [("accent" if row.chosen else "dim", count)] if count else []
        return [spread([(part, row.name)], counted, width)]
