"""One-line bars around the inbox panes: header, channel tabs, status line."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from frontdesk.inbox.counting import UnreadCount, count_of, hidden_rows, unread_count
from frontdesk.query import SavedView, Term
from frontdesk.tui import bar_texts
from frontdesk.tui.inbox.channel_pane import ChannelPane
from frontdesk.tui.inbox.queue_pane import QueuePane
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.saved_views import SavedViews
from frontdesk.tui.widgets.bar import Bar, StatusBar
from frontdesk.tui.widgets.channel_list import ChannelItem, ChannelTabs, channel_tabs, tabs_in
from frontdesk.tui.widgets.text_layout import Piece, width_of

_KEYS: Mapping[str, Sequence[str]] = MappingProxyType(
    {
        "channels": (
            "{list.next}/{list.previous} move",
            "{list.open} choose",
            "{inbox.filter} filter",
            "{pane.list} conversations",
        ),
        "list": (
            "{list.open} open",
            "{inbox.next_unread} next unread",
            "{inbox.next_waiting} longest wait",
            "{inbox.filter} filter",
            "{inbox.find} find",
            "{inbox.contact} contact",
            "{inbox.order} sort",
            "{inbox.zoom} zoom",
            "{view.menu} views",
            "{queue.mark} select",
        ),
        "thread": (
            "{inbox.back} back",
            "{inbox.next} next conversation",
            "{inbox.find} find",
            "{inbox.filter} filter",
            "{inbox.copy} copy",
            "{inbox.date} date",
            "{inbox.contact} contact",
            "{inbox.zoom} zoom",
        ),
        "contact": (
            "{inbox.back} back",
            "{inbox.before} {inbox.after} group",
            "{inbox.copy} copy",
            "{inbox.contact} hide",
        ),
    }
)

# Number of pieces in the header before its chips.
_BEFORE_CHIPS = 2


class Bars:
    """Renders the bars of the inbox screen that belong to no pane."""

    def __init__(
        self,
        queue: QueuePane,
        channels: ChannelPane,
        views: SavedViews,
        title: str,
        keys: KeyNames,
    ) -> None:
        self.header = Bar(id="header", ground="bar")
        self.views = Bar(id="views")
        self.channel_tabs = Bar(id="channel-tabs")
        self.status = StatusBar(id="status")
        self._queue = queue
        self._channel_pane = channels
        self._saved_views = views
        self._title = title
        self._keys = keys
        self._channels: Sequence[ChannelItem] = ()
        # Keys of the tabs that are shown.
        self._tabs: Sequence[str] = ()

    @property
    def are_attached(self) -> bool:
        """True while all bars are mounted."""
        bars = (self.header, self.views, self.channel_tabs, self.status)
        return all(bar.is_attached for bar in bars)

    def refresh(self) -> None:
        """Render header, channel tabs, and the words of the list panes."""
        queue, inbox = self._queue, self._queue.inbox
        tabs, filters = self.channel_tabs, self._keys.fill(" {inbox.filter} filters ")
        hidden = hidden_rows(inbox, inbox.view.query)
        rows = self._channel_pane.show(inbox.view.shown, hidden)
        if width_of(channel_tabs(ChannelTabs(rows))) + len(filters) > tabs.size.width:
            # The status line has this hint too.
            filters = ""
        channels = tabs_in(rows, tabs.size.width - len(filters))
        self._channels = channels.rows
        left: list[Piece] = [("accent", " INBOX "), ("strong", self._title)]
        left += bar_texts.chip_pieces(
            inbox.view.query,
            inbox.planning.names,
            inbox.clock.server_now(),
            inbox.partial_terms,
        )
        if inbox.filtered_here or inbox.partial_terms:
            left.append(("dim", "   ~ loaded rows only"))
        elif remark := inbox.remark:
            left.append(("warning", f"   {remark}"))
        left += [("accent", self._keys.fill("   {inbox.filter_line}")), ("text", " edit")]
        # Open conversations are counted, also where others are shown.
        is_open = inbox.view.shown.filter.status == "open"
        unread = unread_count(inbox) if is_open else UnreadCount(None)
        no_counts = inbox.cached.capabilities.lacking("counts")
        self.header.show_fitted(
            lambda width: (left, bar_texts.unread_words(unread, width - width_of(left), no_counts))
        )
        self._show_views()
        tabs.show(channel_tabs(channels), [("dim", filters)])
        queue.refresh_words()

    def show_status(self, pane: str, state: list[Piece], *, zoomed: bool, skips_wait: bool) -> None:
        """Render the status line: keys of the focused pane, connection state, loaded rows.

        The text of the empty list follows, which says the same seconds.

        skips_wait: with the key that refreshes now, where it fits.
        """
        words = self._queue.loaded_words()
        loaded: Piece = ("dim", f" · {words} " if words else " ")
        now: list[Piece] = [
            ("dim", " · "),
            ("accent", self._keys["inbox.refresh"]),
            ("dim", " now"),
        ]
        fits = width_of([*state, *now, loaded]) <= self.status.size.width
        right = [*state, *now, loaded] if skips_wait and fits else [*state, loaded]
        hints = [self._keys.hint(words) for words in _KEYS[pane]]
        if zoomed:
            hints = [
                hint._replace(words="all panes") if hint.action == "inbox.zoom" else hint
                for hint in hints
            ]
        leads_back = hints[0].action == "inbox.back"
        help = self._keys.hint("{inbox.help} help")
        # What is being asked is said beside the rows that are loaded, and takes no hint away.
        kept = width_of([loaded]) if words else 0
        self.status.show_hints(hints, help, right, first_stays=leads_back, kept=kept)
        self._queue.refresh_empty_words()

    def _show_views(self) -> None:
        """Render the tabs of the views that have a key, with their counts."""
        inbox = self._queue.inbox
        shown = self._saved_views.named(inbox.view.query)
        views = [
            (view, count_of(inbox, view.query)) for view in self._saved_views.all() if view.key
        ]
        more = self._keys.fill("{view.menu} more")
        tabs = bar_texts.view_tabs(views, shown, self.views.size.width, more)
        self._tabs = [key.strip() for _, key in tabs[1::4]]
        self.views.show(tabs)

    def view_at(self, piece: int) -> SavedView | None:
        """View at an index of the tabs' pieces."""
        at = piece // 4
        is_tab = piece % 4 and 0 <= at < len(self._tabs)
        return self._saved_views.of(self._tabs[at]) if is_tab else None

    def chip_at(self, piece: int) -> Term | None:
        """Term of the chip at an index of the header's pieces."""
        terms = self._queue.inbox.view.query.terms
        at = piece - _BEFORE_CHIPS
        return terms[at // 2] if at % 2 and 0 <= at // 2 < len(terms) else None

    @property
    def edit_piece(self) -> int:
        """Index of the hint after the chips in the header's pieces."""
        return _BEFORE_CHIPS + 2 * len(self._queue.inbox.view.query.terms)

    def last_chip(self) -> Term | None:
        """Term of the rightmost chip; the status comes first, so it is removed last."""
        return next(reversed(self._queue.inbox.view.query.terms), None)

    def channel_at(self, piece: int) -> ChannelItem | None:
        """Channel at an index of the channel tabs' pieces."""
        at = piece // 3
        return self._channels[at] if piece % 3 and 0 <= at < len(self._channels) else None
