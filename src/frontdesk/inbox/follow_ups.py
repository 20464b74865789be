"""Follow-ups: conversations that are hidden on this computer until a time, and come back unread.

One whose customer writes comes back at once. The server is not informed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from frontdesk.inbox import sentences
from frontdesk.inbox.counting import note_tallies
from frontdesk.inbox.limits import CLOCK_CHECK_SECONDS, LEAST_CHECK_SECONDS, MOST_NAMES_SAID
from frontdesk.inbox.scanning import reload
from frontdesk.inbox.state import Inbox
from frontdesk.text.clean import counted
from frontdesk.text.phones import contact_name
from frontdesk.wire import Conversation


def hide(inbox: Inbox, rows: Sequence[Conversation], until: datetime) -> dict[str, str]:
    """Hide conversations until a time; returns what `restore` takes back."""
    before = inbox.marks.follow_ups.hide(rows, until)
    _show(inbox)
    return before


def restore(inbox: Inbox, before: Mapping[str, str]) -> None:
    """Take back that conversations were hidden."""
    inbox.marks.follow_ups.restore(before)
    _show(inbox)


def bring_back_due(inbox: Inbox) -> None:
    """Bring conversations back whose time has come, or whose customer has written."""
    due = inbox.marks.follow_ups.due(inbox.clock.now())
    if due:
        rows = inbox.cached.conversations_by_id(due)
        inbox.marks.follow_ups.bring_back(due)
        inbox.warn(sentences.FOLLOW_UPS_DUE.format(names=_names([*rows.values()], len(due))))
        inbox.orders.append(lambda panes: panes.ring())
    _show(inbox, changed=bool(due))


def _names(rows: Sequence[Conversation], count: int) -> str:
    if not rows:
        return counted(count, "conversation")
    names = ", ".join(contact_name(row.contact) for row in rows[:MOST_NAMES_SAID])
    more = count - min(len(rows), MOST_NAMES_SAID)
    return sentences.AND_OTHERS.format(names=names, count=more) if more else names


def _show(inbox: Inbox, *, changed: bool = True) -> None:
    """Show what is hidden by now, and look at the clock again in time."""
    inbox.planning.read_hidden()
    if changed:
        inbox.show_hidden()
        reload(inbox)
        note_tallies(inbox)
    inbox.due.follow_ups_at = _check_at(inbox)


def _check_at(inbox: Inbox) -> float | None:
    """When the clock is looked at next; not by the first time alone, as the clock may be set."""
    times = inbox.planning.hidden.values()
    if not times:
        return None
    left = (min(times) - inbox.clock.now()) / timedelta(seconds=1)
    return inbox.seconds() + min(max(left, LEAST_CHECK_SECONDS), CLOCK_CHECK_SECONDS)
