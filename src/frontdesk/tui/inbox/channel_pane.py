"""Channel pane of the inbox: the channels, with the numbers of their open conversations."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from frontdesk.mailbox import Mailbox
from frontdesk.query import QueryPlan
from frontdesk.tui.action_groups import TRIAGE
from frontdesk.tui.filters import counts_channels
from frontdesk.tui.inbox.panes import Pane
from frontdesk.tui.widgets.channel_list import ChannelItem, ChannelList, channel_rows
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation, ConversationFilter

# Bindings of the panes beside the thread; elsewhere these keys go to the next conversation.
CHANNEL_KEYS: list[BindingType] = [
    Binding(
        "J",
        "screen.run('step_channel', 1)",
        "Next channel",
        id="inbox.next",
        group=TRIAGE("customer channel"),
    ),
    Binding(
        "K",
        "screen.run('step_channel', -1)",
        "Previous channel",
        id="inbox.previous",
        group=TRIAGE("customer channel"),
    ),
]


class ChannelPane(Pane):
    """The channels, with their open conversations."""

    BINDINGS: ClassVar[list[BindingType]] = CHANNEL_KEYS

    class ChannelChosen(Message):
        """A channel was chosen; None means all channels."""

        def __init__(self, channel: str | None) -> None:
            super().__init__()
            self.channel = channel

    def __init__(self, mailbox: Mailbox) -> None:
        self.list = ChannelList()
        super().__init__("channels", self.list)
        self._mailbox = mailbox

    def show(self, plan: QueryPlan, hidden: Sequence[Conversation]) -> Sequence[ChannelItem]:
        """Show the channels, that of the view marked; returns the rows. hidden: see `channel_rows`.

        The server counts only the open conversations of a channel, so other views have no counts.
        """
        known = self._mailbox.counts(ConversationFilter())
        counts = known if counts_channels(plan.filter) and not plan.rest else None
        channels = self._mailbox.catalogues.channels()
        rows = channel_rows(channels, counts, plan.filter.channel, hidden)
        self.list.show_channels(rows)
        no_list = self._mailbox.capabilities.lacking("channels")
        unlisted = [("dim", "not listed ")] if no_list else []
        self.title.show([("strong", "Channels")], unlisted)
        return rows

    @on(VirtualList.Opened)
    def _choose(self, event: VirtualList.Opened) -> None:
        event.stop()
        self.post_message(self.ChannelChosen(event.row.id or None))
