"""Texts of the inbox bars, as pure functions of the view, counts and conversations.

Chips of filters, tabs of views, titles of threads, empty lists. `inbox/bars.py` draws them.
"""

from collections.abc import Collection, Sequence

from frontdesk.errors import NOBODY_IS_ME
from frontdesk.message_text import Entry
from frontdesk.phones import contact_name, format_phone, parse_phone
from frontdesk.query import Query, QueryNames, SavedView, Term, parse
from frontdesk.query.language import CONTACT, ID, WORDS
from frontdesk.query.names import contact_id, unknown_name
from frontdesk.text import counted, one_line, shortened
from frontdesk.tui import sentences
from frontdesk.tui.clock import Clock
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.widgets.conversation_row import owner_name, window_left
from frontdesk.tui.widgets.text_layout import Piece, width_of
from frontdesk.wire import Conversation, ConversationFilter, Counts, CountSet, Note, PhoneRef
from frontdesk.wire.values import STATUSES

_SHORT_NAMES = {"Needs a human": "Human", "Waiting >1h": "Waits >1h", "All open": "Open"}
_SHORT_NAME = 10


def chips(query: Query, names: QueryNames) -> list[tuple[Term, str]]:
    """Pairs of term and label; ids are shown as names where those are known."""
    return [(term, chip(term, names)) for term in query.terms]


def chip(term: Term, names: QueryNames) -> str:
    """A term as it is written, with the name of an id or of a customer."""
    if term.kind == CONTACT:
        return _customer_chip(term, names)
    known = {"assignee": names.users, "in": names.channels}.get(term.kind)
    id = term.value.removeprefix(ID)
    if known is None or id == term.value:
        return str(term)
    return str(term._replace(value=one_line(known.get(id, term.value))))


def _customer_chip(term: Term, names: QueryNames) -> str:
    """Name of the customer that a term means, and what no other has: the number, else the id."""
    contact = _customer(term.value, names)
    if contact is None:
        return str(term._replace(value=customer_name(term.value, names) or term.value))
    name, number = contact_name(contact), format_phone(contact.phone)
    written = str(term._replace(value=name))
    return written if name == number else f"{written} {number or ID + contact.id}"


def customer_name(value: str, names: QueryNames) -> str:
    """Name of the customer that a `from:` value means, else the number; "" if it is a part.

    Of customers with the same name, the number is given too.
    """
    contact = _customer(value, names)
    if contact is None:
        return format_phone(value) if parse_phone(value) else ""
    name = contact_name(contact)
    if contact.name and sum(other.name == contact.name for other in names.contacts) > 1:
        return one_line(f"{name} {format_phone(contact.phone)}")
    return name


def _customer(value: str, names: QueryNames) -> PhoneRef | None:
    """The known contact that a `from:` value means."""
    id = contact_id(value, names)
    return next((contact for contact in names.contacts if contact.id == id), None)


def chip_pieces(query: Query, names: QueryNames, partial: Collection[Term] = ()) -> list[Piece]:
    """Pieces of the header for a query; chips have odd indexes.

    partial: terms that are applied to some of the rows so far, marked by ~.
    """
    pieces: list[Piece] = []
    for term, words in chips(query, names):
        mark = "~" if term in partial else ""
        pieces += [("dim", " " if pieces else "  "), ("text@card", f" {mark}{words} ")]
    return pieces or [("dim", "   all conversations")]


# What the number of unread conversations counts, in every view, and what it leads to.
UNREAD = parse("is:open unread")


def unread_words(unread: int | None, width: int, no_counts: str = "") -> list[Piece]:
    """Number of the conversations of `UNREAD`, or why the server counts nothing, if that fits."""
    places = ("the whole inbox", "all") if unread else ()
    number = [f"{unread:,} unread in {place}" for place in places]
    part, words = ("dim", [no_counts, "no counts"]) if no_counts else ("text", number)
    pieces = [(part, f"  {text} ") for text in words]
    return next(([piece] for piece in pieces if width_of([piece]) <= width), [])


def view_tabs(
    views: Sequence[tuple[SavedView, int | None]], current: SavedView | None, width: int, more: str
) -> list[Piece]:
    """Tabs of the views with keys and their counts, of four pieces each: blank, key, name, count.

    With too little width names become short, then the blanks, and then the last tabs are left out,
    but never the current one. more: words at the end.
    """
    tabs = _view_tabs(views, current, more, short=False)
    if width_of(tabs) > width:
        tabs = _view_tabs(views, current, more, short=True)
    if width_of(tabs) > width:
        tabs = _view_tabs(views, current, more, short=True, blank="")
    shown_views = list(views)
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
    """A number in at most four characters: 9999, 27k, 965k, 12M."""
    if number < 10_000:
        return str(number)
    return f"{number // 1000}k" if number < 1_000_000 else f"{number // 1_000_000}M"


def count_for(counts: Counts | None, filter: ConversationFilter) -> int | None:
    """Number of conversations of a filter; None if the counts do not contain it."""
    if counts is None or filter.contact is not None or filter.unread is not None:
        return None
    if counts.by_status is None:
        return getattr(counts, _flat_count(filter), None)
    sets = [getattr(counts.by_status, filter.status)] if filter.status in STATUSES else None
    if sets is None:
        sets = [getattr(counts.by_status, status) for status in STATUSES]
    numbers = [_count_in(count_set, filter) for count_set in sets]
    return None if None in numbers else sum(number or 0 for number in numbers)


def _flat_count(filter: ConversationFilter) -> str:
    """Name of the count in a response without counts by assignee; "" if there is none."""
    if filter.assignee is not None or filter.awaiting_human is not None:
        return ""
    return filter.status or "all"


def _count_in(counts: CountSet, filter: ConversationFilter) -> int | None:
    if filter.awaiting_human is not None:
        alone = filter.awaiting_human and filter.assignee is None
        return counts.awaiting_human if alone else None
    match filter.assignee:
        case None:
            return counts.all
        case "me":
            return counts.mine
        case "unassigned":
            return counts.unassigned
        case "assigned":
            return counts.assigned
    return None


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
    conversation: Conversation, width: int, *, me: str = ""
) -> tuple[list[Piece], list[Piece]]:
    """Left and right pieces of a thread's title that fit into `width` cells: contact and state.

    Dropped first is the channel, then the assignee's last name, the words at the "!" of a
    conversation that needs a human, the assignee, the number, the "!", and the status. The name is
    always shown, truncated only if it alone exceeds the width. me: id of the own user.
    """
    contact = conversation.contact
    name, phone = contact_name(contact), format_phone(contact.phone)
    phone = "" if phone == name else phone
    channel = one_line(conversation.channel.name or "")
    status = one_line(conversation.status) if conversation.status != "open" else ""
    owner = owner_name(conversation, me) or "unassigned"
    needs = "needs a human" if conversation.awaiting_human else ""
    parts = ["status", "needs", "phone", "owner", "needs words", "last name", "channel"]
    while True:
        owner = owner if "last name" in parts else owner.split(" ")[0]
        left: list[Piece] = [("strong", name)]
        left += [("dim", f"  {phone}")] if phone and "phone" in parts else []
        left += [("dim", f" · {channel}")] if channel and "channel" in parts else []
        needs = needs if "needs words" in parts else needs and "!"
        state: list[Piece] = [("warning", needs)] if needs and "needs" in parts else []
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


def empty_words(
    query: Query,
    names: QueryNames,
    keys: KeyNames,
    *,
    loaded: bool,
    problem: str,
    looked_through: str = "",
    loading: bool = False,
    within: str = "",
    seconds: int = 0,
) -> str:
    """Explanation of an empty conversation list, with the keys that help.

    looked_through: progress of the local filter, empty when the scan is complete. within: name of
    the list that was filtered here, if it is not the view's own. seconds: since its request.
    """
    unknown = [words for term in query.terms if (words := unknown_name(term, names))]
    if unknown:
        return " ".join([*unknown, f"{keys['inbox.filter_line']}: change the filter"])
    remove = f"{keys['inbox.remove_filter']}: remove filter"
    if loaded and looked_through:
        goes_on = f"{keys['inbox.back']}: stop" if loading else f"{keys['list.last']}: keep looking"
        return f"No match in the first {looked_through}.  {goes_on} · {remove}"
    if loaded and query.filters:
        words = " ".join(chip(term, names) for term in query.filters)
        where = f" in {within}" if within else ""
        search = ""
        if any(term.kind == WORDS and not term.negated for term in query.filters):
            where += " by name, number, label or last message"
            search = f"{keys['inbox.search']}: search messages · "
        return f"No conversation matches {words}{where}.  {search}{remove}"
    if loaded:
        return "There are no conversations yet."
    if problem == NOBODY_IS_ME:
        return f"{problem}."
    if problem:
        return f"{problem.rstrip('.')}. This view has not been loaded yet."
    return f"{sentences.LOADING} {seconds} s" if seconds else sentences.LOADING


def selection_words(count: int) -> str:
    """Number of selected conversations."""
    return counted(count, "selected conversation")


def entry_words(entries: Collection[Entry]) -> str:
    """Numbers of messages and notes."""
    notes = sum(isinstance(entry, Note) for entry in entries)
    words = [counted(len(entries) - notes, "message"), counted(notes, "note")]
    return " and ".join(words if notes else words[:1])
