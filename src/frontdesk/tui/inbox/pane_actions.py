"""Actions of the inbox on its panes: which is focused, how wide they are, and the way back."""

from frontdesk.inbox import finding, refreshing
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import APPLICATION, MOVE, READ, InboxKey
from frontdesk.tui.inbox.panes import split_setting
from frontdesk.tui.inbox.parts import InboxParts
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.inbox.view_actions import step_channel, step_history

# Cells by which the keys for a wider and a narrower list move the line between the panes.
_SPLIT_STEP = 4


def enter_pane(parts: InboxParts, name: str) -> None:
    parts.panes.enter(name)


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


def show_help(parts: InboxParts) -> None:
    # Deferred, as for the palette: the first paint does not need it.
    from frontdesk.tui.inbox import palette

    palette.show_help(parts)


def refresh(parts: InboxParts) -> None:
    """Refresh without regard to a back-off, and drop rows that no longer match the filter."""
    parts.do(refreshing.refresh_by_hand, parts.inbox)


def redraw(parts: InboxParts) -> None:
    """Repaint every cell, after another program wrote to the terminal."""
    parts.screen.refresh(layout=True)


KEYS: tuple[InboxKey, ...] = (
    InboxKey("1", enter_pane, "Go to channels", "pane.channels", MOVE("numbers"), ("channels",)),
    InboxKey("2", enter_pane, "Go to conversations", "pane.list", MOVE("list inbox"), ("list",)),
    InboxKey("3", enter_pane, "Go to thread", "pane.thread", MOVE("messages chat"), ("thread",)),
    InboxKey("4", enter_pane, "Go to contact", "pane.contact", MOVE("customer"), ("contact",)),
    InboxKey("tab", "app.focus_next", "Next pane", "pane.next", MOVE("focus tab")),
    InboxKey("shift+tab", "app.focus_previous", "Previous pane", "pane.before", MOVE("focus tab")),
    InboxKey("h,left", step_pane, "Pane to the left", "pane.left", MOVE("focus"), (-1,)),
    InboxKey("l,right", step_pane, "Pane to the right", "pane.right", MOVE("focus"), (1,)),
    InboxKey(
        "less_than_sign",
        move_split,
        "Narrower list",
        "inbox.narrower",
        MOVE("split resize width thread"),
        (-_SPLIT_STEP,),
    ),
    InboxKey(
        "greater_than_sign",
        move_split,
        "Wider list",
        "inbox.wider",
        MOVE("split resize width thread"),
        (_SPLIT_STEP,),
    ),
    InboxKey(
        "plus,underscore",
        toggle_zoom,
        "Zoom this pane",
        "inbox.zoom",
        MOVE("maximize alone full table"),
    ),
    InboxKey(
        "escape", go_back, "Back, or stop searching", "inbox.back", MOVE("escape cancel stop close")
    ),
    InboxKey(
        "i",
        toggle_contact,
        "Show or hide contact",
        "inbox.contact",
        READ("customer details info sidebar"),
    ),
    InboxKey("question_mark,f1", show_help, "Help", "inbox.help", APPLICATION("keys shortcuts")),
    InboxKey(
        "colon", "app.commands", "Commands…", "inbox.commands", APPLICATION("palette actions")
    ),
    InboxKey("ctrl+r,f5", refresh, "Refresh", "inbox.refresh", APPLICATION("reload update fetch")),
    InboxKey("ctrl+l", redraw, "Redraw", "inbox.redraw", APPLICATION("repaint screen")),
    InboxKey(
        "ctrl+z", "app.suspend_process", "Suspend", "inbox.suspend", APPLICATION("background shell")
    ),
    InboxKey(
        "q",
        leave,
        "Back; press twice in the list to quit",
        "inbox.leave",
        APPLICATION("exit close"),
    ),
)
