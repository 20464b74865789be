"""Actions of the inbox on its panes: which is focused, how wide they are, and the way back."""

from collections.abc import Callable

from frontdesk.inbox import finding, refreshing
from frontdesk.tui import sentences
from frontdesk.tui.inbox.panes import split_setting
from frontdesk.tui.inbox.parts import InboxParts
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.inbox.view_actions import step_channel, step_history


def step_pane(parts: InboxParts, direction: int) -> None:
    """Focus the pane beside; from channels that are shown in a line, select the next one."""
    if parts.panes.at == "channels" and parts.bars.channel_tabs.display:
        step_channel(parts, direction)
    else:
        parts.panes.step(direction)


def toggle_contact(parts: InboxParts) -> None:
    """Show or hide the contact pane; focus it if it replaces another pane."""
    shown = parts.contact.display
    parts.panes.show_contact(not shown)
    if shown and parts.panes.at == "contact":
        parts.panes.enter(parts.panes.before_contact)
    elif not shown and (parts.screen.has_class("-single") or parts.panes.replaces_list):
        parts.panes.enter("contact")


def move_split(parts: InboxParts, cells: int) -> None:
    """Move the line between list and thread, and remember where it is."""
    if not parts.panes.shows_split:
        parts.say(sentences.NOT_SIDE_BY_SIDE)
    elif parts.panes.move_split(cells):
        name = split_setting(parts.panes.least_width)
        parts.mailbox.set_setting(name, str(parts.panes.split))
    else:
        parts.say(sentences.SPLIT_AT_END)


def toggle_zoom(parts: InboxParts) -> None:
    parts.panes.toggle_zoom()
    parts.shown.refresh_bars()


def go_back(parts: InboxParts) -> None:
    """Cancel running searches; else leave contact, then thread, and unmark rows in the list."""
    stopped = [rows.stop() for rows in (parts.queue.list, parts.thread.messages)]
    stopped.append(parts.do(finding.stop, parts.inbox))
    searches = (parts.screen, parts.queue, parts.thread)
    cancelled = [parts.screen.workers.cancel_group(node, SEARCH) for node in searches]
    if any([*stopped, *cancelled]):
        return
    match parts.panes.at:
        case "contact":
            parts.panes.show_contact(parts.panes.has_contact_column)
            parts.panes.enter(parts.panes.before_contact)
        case "thread" | "channels":
            parts.panes.enter("list")
        case _ if parts.queue.list.marked:
            parts.queue.list.mark_only(())
            parts.shown.refresh_bars()
        case _ if parts.inbox.view.query.value("from") and parts.inbox.history.has_before:
            step_history(parts, -1)


def leave(parts: InboxParts) -> None:
    """Go back one level; in the list, twice within two seconds quits."""
    if parts.panes.at != "list":
        go_back(parts)
    else:
        parts.quitting.ask()


def refresh(parts: InboxParts) -> None:
    """Refresh without regard to a back-off, and drop rows that no longer match the filter."""
    parts.do(refreshing.refresh_by_hand, parts.inbox)


def redraw(parts: InboxParts) -> None:
    """Repaint every cell, after another program wrote to the terminal."""
    parts.screen.refresh(layout=True)


# Those that keys run.
ACTIONS: tuple[Callable[..., object], ...] = (
    step_pane,
    toggle_contact,
    move_split,
    toggle_zoom,
    go_back,
    leave,
    refresh,
    redraw,
)
