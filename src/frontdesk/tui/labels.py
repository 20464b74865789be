"""Texts of the inbox bars, as pure functions of the view, counts and conversations."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from frontdesk.phones import contact_name, format_phone
from frontdesk.text import one_line
from frontdesk.tui.clock import Clock
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.local_filter import View, sieve_words
from frontdesk.tui.widgets.conversation_row import window_left
from frontdesk.tui.widgets.line_widget import Piece, width_of
from frontdesk.wire import Channel, Conversation, ConversationFilter, Counts, CountSet, User
from frontdesk.wire.values import STATUSES

# A title starts with a one-cell focus mark.
_TITLE_MARK = 1
_HEADER_COUNTS = (
    ("open", "open"),
    ("mine", "mine"),
    ("unassigned", "unassigned"),
    ("awaiting_human", "need a human"),
    ("unread", "unread"),
)
_ASSIGNEES = {"me": "mine", "unassigned": "unassigned", "assigned": "assigned"}


class Names(NamedTuple):
    """Names of channels and users by id, for descriptions of a filter.

    ignored: the members of the server filter that the server ignores and the viewer applies itself.
    """

    channels: Mapping[str, str]
    users: Mapping[str, str]
    ignored: Collection[str] = ()

    @classmethod
    def of(
        cls, channels: Sequence[Channel], users: Sequence[User], ignored: Collection[str] = ()
    ) -> "Names":
        return cls(
            {channel.id: one_line(channel.name) for channel in channels},
            {user.id: one_line(user.name) for user in users},
            ignored,
        )


def chips(view: View, names: Names) -> list[tuple[str, str]]:
    """Pairs of name and label for each part of a view; labels of the local filter begin with ~."""
    parts: list[tuple[str, str]] = []
    chosen = view.filter
    if chosen.status:
        parts.append(("status", one_line(chosen.status)))
    if chosen.assignee:
        name = names.users.get(chosen.assignee, one_line(chosen.assignee))
        parts.append(("assignee", _ASSIGNEES.get(chosen.assignee) or f"@{name}"))
    if chosen.channel:
        parts.append(("channel", names.channels.get(chosen.channel, one_line(chosen.channel))))
    if chosen.label:
        parts.append(("label", f"#{one_line(chosen.label)}"))
    return parts + sieve_words(view.sieve)


def view_words(view: View, names: Names) -> str:
    """Description of a view: open · mine · Support EU · #billing · ~unread."""
    words = [words for _, words in chips(view, names)]
    if not view.filter.channel:
        words.append("all channels")
    return " · ".join(words if view.filter.status else ["any status", *words])


def chip_pieces(view: View, names: Names, *, complete: bool = False) -> list[Piece]:
    """Pieces of the header for a view; chips have odd indexes.

    ~ marks a filter or order that is applied to loaded rows; complete: all rows are loaded.
    """
    pieces: list[Piece] = []
    done_here = False
    for name, words in chips(view, names):
        ignored = name in names.ignored
        done_here = done_here or (ignored and not complete)
        mark = "~" if ignored else ""
        words = words.removeprefix("~") if complete else f"{mark}{words}"
        pieces += [("dim", " · " if pieces else "   "), ("chip", words)]
    rest = ["~ filtered here"] if done_here else []
    rest += [] if view.filter.status else ["any status"]
    rest += [] if view.filter.channel else ["all channels"]
    words = " · ".join(rest)
    return [*pieces, ("dim", f" · {words}" if pieces and words else f"   {words}".rstrip())]


def proved_by(rows: Iterable[Conversation]) -> Counts:
    """Lower bounds of the counts, computed from loaded rows."""
    open_rows = [row for row in rows if row.status == "open"]
    return Counts(
        open=len(open_rows),
        # A missing `assignee` member does not mean unassigned.
        unassigned=sum(
            row.assignee is None and "assignee" in row.model_fields_set for row in open_rows
        ),
        awaiting_human=sum(row.awaiting_human is True for row in open_rows),
        unread=sum(bool(row.unread_count) for row in open_rows),
    )


def header_counts(
    counts: Counts | None, room: int, no_counts: str = "", least: Counts | None = None
) -> list[Piece]:
    """Counts that fit into `room` cells: 41 open · 12 mine · …

    no_counts: why the server has no counts; shown in their place unless empty. least: lower bounds
    for counts that the server leaves out. Unknown counts are left out.
    """
    if no_counts:
        fitting = (words for words in (no_counts, "no counts") if len(words) + 3 <= room)
        return [("dim", f"  {words} ") for words in list(fitting)[:1]]
    if counts is None:
        return []
    words = []
    for name, word in _HEADER_COUNTS:
        number, proved = getattr(counts, name), getattr(least, name, None)
        if number is not None:
            words.append(f"{number} {word}")
        elif proved:
            words.append(f"at least {proved} {word}")
    while words and len(" · ".join(words)) + 3 > room:
        words.pop()
    return [("dim", f"  {' · '.join(words)} ")] if words else []


def list_title(counts: Counts | None, chosen: ConversationFilter, width: int) -> list[Piece]:
    """Name of the list with its status tabs, or with the status alone where they do not fit."""
    name: list[Piece] = [("strong", "Conversations"), ("text", " ")]
    tabs = status_tabs(counts, chosen, width - width_of(name) + _TITLE_MARK)
    if width_of([*name, *tabs]) <= width:
        return [*name, *tabs]
    number = count_for(counts, chosen)
    words = (chosen.status or "any").capitalize() + ("" if number is None else f" {number}")
    return [*name[:1], ("dim", f" · {words}")]


def status_tabs(counts: Counts | None, chosen: ConversationFilter, width: int) -> list[Piece]:
    """Status tabs with counts for the filter's channel, label and assignee: Open 12  Snoozed 1.

    Counts are never truncated. Without room they are abbreviated (965k), and then left out from
    the last tab on, that of the selected status last. A width of 0 is that of a hidden list, which
    has no limit.
    """
    wide = _status_tabs(counts, chosen, " ", str, STATUSES)
    if width >= 40 and _cells(wide) <= width - _TITLE_MARK:
        return wide
    others = [status for status in STATUSES if status != chosen.status]
    by_worth = [*(status for status in STATUSES if status == chosen.status), *others]
    tabs = _status_tabs(counts, chosen, "", str, by_worth)
    for counted in range(len(by_worth), -1, -1):
        if not width or _cells(tabs) <= width - _TITLE_MARK:
            break
        tabs = _status_tabs(counts, chosen, "", rounded, by_worth[:counted])
    return tabs


def _status_tabs(
    counts: Counts | None,
    chosen: ConversationFilter,
    pad: str,
    written: Callable[[int], str],
    counted: Collection[str],
) -> list[Piece]:
    """counted: the statuses whose tabs have a number."""
    pieces: list[Piece] = []
    for status in STATUSES:
        told = counts if status in counted else None
        number = count_for(told, chosen.model_copy(update={"status": status}))
        words = status.capitalize() + ("" if number is None else f" {written(number)}")
        part = "chip" if status == chosen.status else "dim"
        pieces += [("text", " " if pieces or pad else ""), (part, f"{pad}{words}{pad}")]
    if chosen.status is None:
        pieces += [("text", " "), ("chip", f"{pad}Any{pad}")]
    return pieces


def _cells(pieces: Sequence[Piece]) -> int:
    """Width in cells; the texts have no wide characters."""
    return sum(len(words) for _, words in pieces)


def rounded(number: int) -> str:
    """A number in at most four characters: 9999, 27k, 965k, 12M."""
    if number < 10_000:
        return str(number)
    return f"{number // 1000}k" if number < 1_000_000 else f"{number // 1_000_000}M"


def count_for(counts: Counts | None, chosen: ConversationFilter) -> int | None:
    """Number of conversations of a filter; None if the counts do not contain it."""
    if counts is None:
        return None
    if counts.by_status is None:
        return getattr(counts, _flat_count(chosen), None)
    sets = [getattr(counts.by_status, chosen.status)] if chosen.status in STATUSES else None
    if sets is None:
        sets = [getattr(counts.by_status, status) for status in STATUSES]
    numbers = [_count_in(count_set, chosen.assignee) for count_set in sets]
    return None if None in numbers else sum(number or 0 for number in numbers)


def _flat_count(chosen: ConversationFilter) -> str:
    """Name of the count in a response without counts by assignee; "" if there is none."""
    if chosen.assignee is not None:
        return ""
    return chosen.status or "all"


def _count_in(counts: CountSet, assignee: str | None) -> int | None:
    match assignee:
        case None:
            return counts.all
        case "me":
            return counts.mine
        case "unassigned":
            return counts.unassigned
        case "assigned":
            return counts.assigned
    return None


def thread_head(conversation: Conversation, width: int) -> tuple[list[Piece], list[Piece]]:
    """Left and right pieces of a thread's title that fit into `width` cells: contact and state.

    Dropped first is the channel, then the status, "needs a human", the assignee and the number. The
    name is always shown, truncated only if it alone exceeds the width.
    """
    contact = conversation.contact
    name, phone = contact_name(contact), format_phone(contact.phone)
    phone = "" if phone == name else phone
    channel = one_line(conversation.channel.name or "")
    status = one_line(conversation.status) if conversation.status != "open" else ""
    assignee = conversation.assignee
    owner = one_line(assignee.name) if assignee else "unassigned"
    needs = ("needs a human" if width >= 60 else "!") if conversation.awaiting_human else ""
    parts = ["phone", "owner", "needs", "status", "channel"]
    while True:
        left: list[Piece] = [("strong", name)]
        left += [("dim", f"  {phone}")] if phone and "phone" in parts else []
        left += [("dim", f" · {channel}")] if channel and "channel" in parts else []
        state: list[Piece] = [("warning", needs)] if needs and "needs" in parts else []
        state += [("dim", status)] if status and "status" in parts else []
        state += [("text", owner)] if "owner" in parts else []
        right = [piece for one in state for piece in (("dim", " · "), one)][1:]
        if not parts or width_of([*left, *right]) + 2 <= width:
            return left, right
        parts.pop()


def thread_foot(
    conversation: Conversation, clock: Clock, *, below_key: str, no_notes: str = ""
) -> list[Piece]:
    """Time left in the reply window; `below_key` leads to newer messages that are out of view.

    no_notes: why the thread has no notes, or empty.
    """
    left = window_left(conversation, clock)
    pieces: list[Piece] = [("dim", " Reply window: "), ("text", left)] if left else [("dim", " ")]
    if below_key:
        pieces.append(("accent", f"   more below ▼ {below_key}"))
    return [*pieces, ("dim", f"   {no_notes}")] if no_notes else pieces


def hint_pieces(hints: Sequence[tuple[str, str]], width: int, last: tuple[str, str]) -> list[Piece]:
    """Hints (keys and what they do) as buttons that fit into `width`, and always the last one."""
    shown = _button(last)
    for number in range(1, len(hints) + 1):
        pieces = [piece for hint in (*hints[:number], last) for piece in _button(hint)]
        if width_of(pieces) > width:
            break
        shown = pieces
    return [("dim", " "), *shown]


def _button(hint: tuple[str, str]) -> list[Piece]:
    keys, words = hint
    said = [("accent@card", f" {keys}")] if keys else []
    return [*said, ("text@card", f" {words} "), ("dim", " ")]


def empty_words(
    view: View,
    names: Names,
    keys: KeyNames,
    *,
    loaded: bool,
    problem: str,
    looked_through: str = "",
    looking: bool = False,
    complete: bool = False,
) -> str:
    """Explanation of an empty conversation list, with the keys that help.

    looked_through: progress of the local filter, empty when the scan is complete. complete: all
    conversations of the server filter are loaded.
    """
    take_off = keys["inbox.take_off"]
    if loaded and looked_through:
        goes_on = f"{keys['inbox.back']}: stop" if looking else f"{keys['list.last']}: keep looking"
        return f"No match in the first {looked_through}.  {goes_on} · {take_off}: remove filter"
    if loaded and not view.sieve.idle:
        nothing = _nothing_of(view, names, complete)
        return f"{nothing}.  {take_off} takes off the last filter."
    if loaded:
        filter_key = keys["inbox.filter"]
        return f"No conversation is {view_words(view, names)}.  {filter_key} changes the filter."
    return f"{problem.rstrip('.')}. Nothing of this filter is cached." if problem else "loading…"


def _nothing_of(view: View, names: Names, complete: bool) -> str:
    """First part of the explanation; for a contact's view it names the other filters."""
    if not view.sieve.contact:
        nothing = "No conversation is" if complete else "Nothing loaded so far is"
        return f"{nothing} {view_words(view, names)}"
    customer = one_line(view.sieve.contact_name) or view.sieve.contact
    others = [words for name, words in chips(view, names) if name not in ("contact", "order")]
    if others:
        return f"No conversation of {customer} is {' · '.join(others)}"
    return f"{customer} has no conversations"
