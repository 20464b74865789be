"""Texts of the inbox bars, as pure functions of the view, counts and conversations.

Chips of filters, tabs of views, titles of threads, empty lists. `inbox/bars.py` draws them.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from frontdesk.inbox.chips import chips
from frontdesk.inbox.counting import UnreadCount
from frontdesk.query import Query, QueryNames, SavedView, Term
from frontdesk.text.clean import AtLeast, counted, one_line, shortened
from frontdesk.text.messages import Entry
from frontdesk.text.phones import contact_name, number_or_username
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.conversation_row import owner_name, wait, window_left
from frontdesk.tui.widgets.text_layout import Piece, width_of
from frontdesk.wire import Conversation, Note

_SHORT_NAMES = {"Needs a human": "Human", "Waiting >1h": "Waits >1h", "All open": "Open"}
_SHORT_NAME = 10


def chip_pieces(
    query: Query, names: QueryNames, now: datetime, partial: Collection[Term] = ()
) -> list[Piece]:
    """Pieces of the header for a query; chips have odd indexes.

    partial: terms that are applied to some of the rows so far, marked by ~.
    """
    pieces: list[Piece] = []
    for term, words in chips(query, names, now):
        mark = "~" if term in partial else ""
        pieces += [("dim", " " if pieces else "  "), ("text@card", f" {mark}{words} ")]
    return pieces or [("dim", "   all conversations")]


def unread_words(unread: UnreadCount, width: int, no_counts: str = "") -> list[Piece]:
    """Number of the conversations of `UNREAD`, or why the server counts nothing, if that fits."""
    places = ("in the whole inbox", "in all")
    if unread.of_server:
        places = ("on the server, whatever was read here", "on the server")
    number = [f"{unread.number:,} unread {place}" for place in places if unread.number]
    part, words = ("dim", [no_counts, "no counts"]) if no_counts else ("text", number)
    pieces = [(part, f"  {text} ") for text in words]
    return next(([piece] for piece in pieces if width_of([piece]) <= width), [])


def view_tabs(
    views: Sequence[tuple[SavedView, int | None]], current: SavedView | None, width: int, more: str
) -> list[Piece]:
    """Tabs of the views with keys and their counts, of four pieces each: blank, key, name, count.

    With too little width names become short, then the blanks, then counts are left out, that of the
    current one last, and then the last tabs, but never the current one. more: words at the end.
    """
    tabs = _view_tabs(views, current, more, short=False)
    if width_of(tabs) > width:
        tabs = _view_tabs(views, current, more, short=True)
    if width_of(tabs) > width:
        tabs = _view_tabs(views, current, more, short=True, blank="")
    shown_views = list(views)
    for counted_view in (current, None):
        if width_of(tabs) > width:
            shown_views = [(view, count if view == counted_view else None) for view, count in views]
            tabs = _view_tabs(shown_views, current, more, short=True, blank="")
    while width_of(tabs) > width and len(shown_views) > 1:
        last = next(n for n in reversed(range(len(shown_views))) if shown_views[n][0] != current)
        del shown_views[last]
        tabs = _view_tabs(shown_views, current, more, short=True, blank="")
    return tabs


def _view_tabs(
    views: Sequence[tuple[SavedView, int | None]],
    current: SavedView | None,
    more: str,
    *,
    short: bool,
    blank: str = " ",
) -> list[Piece]:
    pieces: list[Piece] = []
    for view, count in views:
        name = (
            _SHORT_NAMES.get(view.name, shortened(view.name, _SHORT_NAME)) if short else view.name
        )
        # A count in parentheses is not taken for a key.
        number = blank if count is None else f" ({rounded(count)}){blank}"
        quiet, loud = ("chip", "chip") if view == current else ("dim", "text")
        pieces += [("dim", blank), (quiet, f" {view.key} ")]
        pieces += [(loud, one_line(name)), (quiet, number)]
    return [*pieces, ("dim", f"  {more}")]


def rounded(number: int) -> str:
    """A number in at most four characters, and a plus for `AtLeast`: 9999, 27k, 965k, 12M, 10k+."""
    plus = "+" if isinstance(number, AtLeast) else ""
    if number < 10_000:
        return f"{int(number)}{plus}"
    short = f"{number // 1000}k" if number < 1_000_000 else f"{number // 1_000_000}M"
    return f"{short}{plus}"


def list_title(name: str, orders: Sequence[str], width: int) -> tuple[list[Piece], list[Piece]]:
    """Left and right pieces of the list's title that fit into `width` cells: view and order.

    orders: words for the order, the longest first. The word "Conversations" is dropped before the
    longest words, and all words for the order before the name.
    """
    whole: list[Piece] = [("strong", "Conversations"), ("dim", f" · {name}")]
    left: list[Piece] = [("strong", name)]
    rights: list[list[Piece]] = [[("dim", order)] for order in orders]
    fitting = [(whole, rights[0] if rights else []), *((left, right) for right in rights)]
    # A blank is on each side of the order.
    return next(
        (pair for pair in fitting if width_of([*pair[0], *pair[1]]) + 2 * bool(pair[1]) <= width),
        (left, []),
    )


def thread_head(
    conversation: Conversation, clock: Clock, width: int, *, me: str = ""
) -> tuple[list[Piece], list[Piece]]:
    """Left and right pieces of a thread's title that fit into `width` cells: contact and state.

    Dropped first is the channel, then the assignee's last name, the words at the "!" of a
    conversation that needs a human, the assignee, the number, the wait, the "!", and the status.
    The name is always shown, truncated only if it alone exceeds the width. me: id of the own user.
    """
    contact = conversation.contact
    name, phone = contact_name(contact), number_or_username(contact)
    phone = "" if phone == name else phone
    channel = one_line(conversation.channel.name or "")
    status = one_line(conversation.status) if conversation.status != "open" else ""
    owner = owner_name(conversation, me) or "unassigned"
    needs = "needs a human" if conversation.awaiting_human else ""
    waits = wait(conversation, clock)
    parts = ["status", "needs", "waits", "phone", "owner", "needs words", "last name", "channel"]
    while True:
        owner = owner if "last name" in parts else owner.split(" ")[0]
        left: list[Piece] = [("strong", name)]
        left += [("dim", f"  {phone}")] if phone and "phone" in parts else []
        left += [("dim", f" · {channel}")] if channel and "channel" in parts else []
        needs = needs if "needs words" in parts else needs and "!"
        state: list[Piece] = [("warning", needs)] if needs and "needs" in parts else []
        state += [waits] if waits is not None and "waits" in parts else []
        state += [("dim", status)] if status and "status" in parts else []
        state += [("text", owner)] if "owner" in parts else []
        right = [piece for part in state for piece in (("dim", " · "), part)][1:]
        if not parts or width_of([*left, *right]) + 2 <= width:
            return left, right
        parts.pop()


def thread_foot(conversation: Conversation, clock: Clock, *, no_notes: str = "") -> list[Piece]:
    """Time left in the reply window. no_notes: why the thread has no notes, or empty."""
    window = window_left(conversation, clock)
    pieces: list[Piece] = [("dim", " Reply window: "), window] if window else [("dim", " ")]
    return [*pieces, ("dim", f"   {no_notes}")] if no_notes else pieces


def thread_foot_fitted(
    left: Sequence[Piece], said: Sequence[Piece], hints: Sequence[tuple[str, str]], width: int
) -> tuple[Sequence[Piece], list[Piece]]:
    """Left and right pieces of a thread's footer that fit into `width` cells.

    Dropped first is what is on the left, then the longer words of hints. said: what is always on
    the right. hints: each whole and short.
    """
    for shown, at in ((left, 0), ((), 0), ((), 1)):
        pieces = [piece for hint in hints for piece in (("dim", "·"), ("accent", f" {hint[at]} "))]
        right = [*said, *pieces[1:]]
        if width_of([*shown, *right]) + 2 <= width:
            break
    return shown, right


def story_words(shown: int, lacking: int) -> str:
    """How many of a customer's conversations are shown as one, and how many are not loaded."""
    words = counted(shown, "conversation")
    return f"{words} of {shown + lacking}, the others are not loaded" if lacking else words


def selection_words(count: int) -> str:
    """Number of selected conversations."""
    return counted(count, "selected conversation")


def entry_words(entries: Collection[Entry]) -> str:
    """Numbers of messages and notes."""
    notes = sum(isinstance(entry, Note) for entry in entries)
    words = [counted(len(entries) - notes, "message"), counted(notes, "note")]
    return " and ".join(words if notes else words[:1])
