"""The selected conversation: when its thread is opened, and when it is read.

Resting on a conversation reads it, if a key or a click selected it and its newest message is
displayed.
"""

from frontdesk.inbox import sentences
from frontdesk.inbox.limits import MOST_ROWS_SEARCHED, PREVIEW_SECONDS
from frontdesk.inbox.requests import Kind
from frontdesk.inbox.state import Inbox, Selected
from frontdesk.inbox.threads import request_thread


def select(inbox: Inbox) -> bool:
    """Another row is under the cursor, or none is; True if no rows are above any more that came.

    Its cached thread is shown at once, unless the cursor is moving on.
    """
    row, before = inbox.window.row, inbox.selection
    if before.id is not None and inbox.window.is_by_input:
        inbox.forget_awaited()
    inbox.tasks.stop(Kind.THREAD)
    inbox.selection = Selected(row.id if row is not None else None)
    inbox.orders.append(lambda panes: panes.show_selected(open_cached=before.opens_at is None))
    begin_rest(inbox)
    if before.id is None or row is None:
        open_selected(inbox)
    else:
        inbox.selection.opens_at = inbox.seconds() + PREVIEW_SECONDS
    return inbox.note_rows_in_view()


def open_selected(inbox: Inbox) -> None:
    """Show and request the thread of the selected conversation, unless that was done."""
    selection, row = inbox.selection, inbox.window.row
    selection.opens_at = None
    inbox.orders.append(lambda panes: panes.open_thread())
    if row is None or selection.opened:
        return
    selection.opened = True
    inbox.note_opened(row)
    inbox.orders.append(lambda panes: panes.draw_ahead())
    request_thread(inbox)
    if inbox.reader.is_entered and inbox.window.is_by_input:
        inbox.orders.append(lambda panes: panes.read_shown(row.id))


def go_to_conversation(inbox: Inbox, conversation_id: str, entry: str = "") -> bool:
    """Select a conversation, and an entry in it; False if it is not in the list."""
    if not inbox.go_to(conversation_id):
        return False
    open_selected(inbox)
    if entry.startswith(("message ", "note ")):
        inbox.orders.append(lambda panes: panes.show_entry(entry))
    return True


def enter_thread(inbox: Inbox) -> None:
    """The reader went to the thread."""
    open_selected(inbox)
    id = inbox.selection.id
    if id is not None:
        inbox.orders.append(lambda panes: panes.read_shown(id))


def read_shown(inbox: Inbox, id: str) -> None:
    """Read a conversation whose thread was shown, if it is still selected."""
    if id == inbox.selection.id:
        read(inbox)


def begin_rest(inbox: Inbox) -> None:
    """Count the seconds after which the selected conversation is read, from now on."""
    rests = inbox.selection.id is not None and inbox.window.is_by_input
    seconds = inbox.settings.mark_read_after
    timed = isinstance(seconds, (int, float)) and rests
    inbox.selection.reads_at = inbox.seconds() + float(seconds) if timed else None


def read_if_shown(inbox: Inbox) -> None:
    """Mark the selected conversation as read if its newest message is displayed.

    One that was marked as unread stays so until it is opened.
    """
    inbox.selection.reads_at = None
    by_hand = inbox.marks.is_marked_unread(inbox.selection.id or "")
    if _shows_newest(inbox) and not inbox.window.is_covered and not by_hand:
        read(inbox)


def _shows_newest(inbox: Inbox) -> bool:
    """True if the newest message of the selected conversation is displayed.

    False for a cached thread that is older than the conversation, until it is refreshed.
    """
    row = inbox.selected
    if row is None or not inbox.reader.shows_end:
        return False
    refreshed = inbox.selection.refreshed_to >= row.last_activity_at
    return refreshed or inbox.cached.has_newest(row)


def read(inbox: Inbox) -> None:
    """Mark the selected conversation as read on this computer."""
    inbox.selection.reads_at = None
    if inbox.settings.mark_read_after != "never" and inbox.selection.id is not None:
        inbox.mark([inbox.selection.id], read=True)


def toggle_read(inbox: Inbox) -> tuple[bool, dict[str, str]] | None:
    """Mark the selected conversation as read on this computer, or a read one as unread.

    Returns whether it is read now, and its mark before, for `Inbox.restore_read_marks`.
    """
    inbox.selection.reads_at = None
    row = inbox.selected
    if row is None:
        return None
    read, marks = inbox.planning.is_unread(row), inbox.marks.stored([row.id])
    inbox.mark(marks, read=read)
    return read, marks


def mark_above_read(inbox: Inbox) -> dict[str, str]:
    """Mark the selected conversation and those above it as read, of the nearest rows.

    Returns their marks before, for `Inbox.restore_read_marks`.
    """
    inbox.selection.reads_at = None
    rows, end = inbox.window.rows, inbox.window.cursor + 1
    above = [rows[at] for at in range(max(0, end - MOST_ROWS_SEARCHED), min(end, len(rows)))]
    marks = inbox.marks.stored(inbox.marks.unread_among(above))
    inbox.mark(marks, read=True)
    if not marks:
        inbox.say(sentences.NOTHING_UNREAD_ABOVE)
    return marks
