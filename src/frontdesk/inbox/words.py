"""Words of the bars for the list, as functions of the inbox."""

from datetime import datetime

from frontdesk.errors import NOBODY_IS_ME
from frontdesk.inbox import sentences
from frontdesk.inbox.chips import customer_name, query_words
from frontdesk.inbox.counting import count_of, total
from frontdesk.inbox.rows import RowsWithout
from frontdesk.inbox.scanning import is_loading_rows
from frontdesk.inbox.state import Inbox, Keys
from frontdesk.query import Query, QueryNames
from frontdesk.query.language import is_positive
from frontdesk.query.names import unknown_name
from frontdesk.query.terms import CHANNEL, CONTACT, FOLLOW_UP, STATUS, WORDS
from frontdesk.text.clean import one_line


def title(inbox: Inbox) -> str:
    """Name of the view, or of the customer, with the number of its conversations.

    Of conversations that are filtered here, the number among those that are loaded, unless that of
    all is known.
    """
    view, scan = inbox.view, inbox.view.scan
    number = None if inbox.filtered_here else count_of(inbox, view.query)
    is_filtered_here = view.is_loaded and view.shown.rest and not view.goes_on
    if number is None and scan is not None and is_filtered_here and scanned(inbox):
        return f"{_name(inbox)} {scan.matches:,} of {scan.looked_at:,} loaded"
    return _name(inbox) + ("" if number is None else f" {number:,}")


def _name(inbox: Inbox) -> str:
    query, names = inbox.view.query, inbox.planning.names
    view = inbox.views.named(query)
    if view is not None:
        return one_line(view.name)
    customer = customer_name(query.value(CONTACT) or "", names)
    if customer:
        return customer if any(map(str.isalpha, customer)) else f"from {customer}"
    if query.value(FOLLOW_UP) is not None:
        return "To follow up"
    filters, status = query.filters, query.value("is")
    if not filters:
        return "All"
    if status and len(filters) == 1:
        return status.capitalize()
    channel = names.channels.get(inbox.view.wanted.filter.channel or "")
    # Of any status, which its chip says.
    is_of_channel = {term.kind for term in filters} <= {CHANNEL, STATUS}
    return channel if channel and is_of_channel else "Your filter"


def loaded(inbox: Inbox, *, in_list: bool) -> str:
    """Summary of the rows: marked, unreadable, hidden, new above, and 50 of 412 loaded.

    "" if all rows are loaded, and nothing else is to be said. in_list: the keys of the list work.
    """
    view = inbox.view
    if inbox.searching:
        return _searching(inbox)
    marked, unreadable = len(inbox.window.marked), view.unreadable_rows
    words = [f"{marked} selected"] if marked else []
    words += [f"{unreadable} unreadable"] if unreadable else []
    rows = inbox.window.rows
    words += [f"{rows.left_out} hidden"] if isinstance(rows, RowsWithout) else []
    if view.added_above and not inbox.window.at_start:
        words.append(f"{view.added_above} new ▲ {inbox.keys['list.first']}")
    if inbox.matches_nothing:
        words.append("no match")
    else:
        is_held = view.scan is None or (view.goes_on and view.is_loaded)
        words.append(_held(inbox) if is_held else _found(inbox, in_list=in_list))
    return " · ".join(filter(None, words))


def _searching(inbox: Inbox) -> str:
    view, searching = inbox.view, f"searching… {inbox.keys['inbox.back']}: stop"
    if view.scan is None or view.complete:
        return searching
    sorted_only = f"{view.scan.looked_at:,} sorted"
    found = f"{view.scan.matches:,} found" if view.shown.rest else sorted_only
    return f"~{found} · {searching}"


def _held(inbox: Inbox) -> str:
    view, page = inbox.view, _page(inbox)
    number = total(inbox) if view.scan is None else count_of(inbox, view.query)
    held = len(view.list) if view.scan is None else view.scan.matches
    if not view.is_loaded:
        return "nothing loaded"
    if view.complete:
        return "" if view.scan is None else _dimmed(len(inbox.window.rows) - held)
    if number is None:
        return f"{held:,} loaded, {page or 'more below'}"
    return f"{held:,} of {number:,}{f', {page}' if page else ' loaded'}"


def _page(inbox: Inbox) -> str:
    """Words while a page takes long, and how to stop on the way to the end; "" if none does."""
    if not inbox.loads_long:
        return ""
    stop = f" {inbox.keys['inbox.back']}: stop" if inbox.window.goes_on else ""
    return f"loading…{stop}"


def scanned(inbox: Inbox) -> str:
    """Progress of an incomplete scan, such as 1,100 of 20,000; empty if complete."""
    view = inbox.view
    if view.scan is None or view.complete:
        return ""
    number = total(inbox)
    return f"{view.scan.looked_at:,}" + (f" of {number:,}" if number is not None else "")


def _found(inbox: Inbox, *, in_list: bool) -> str:
    """Progress of the local filter: sorting 350 of 521…; ~ marks incomplete results."""
    view = inbox.view
    assert view.scan is not None
    matches, far = view.scan.matches, scanned(inbox)
    if view.complete and view.wider_list:
        return f"{matches:,} from {view.wider_list}"
    if view.complete:
        whole = view.scan.ended or not view.shown.rest
        found = f"{matches:,} shown of {view.scan.looked_at:,} loaded"
        dimmed = _dimmed(len(inbox.window.rows) - matches)
        return ", ".join(filter(None, ["" if whole else found, dimmed]))
    if not view.is_loaded:
        return f"~{matches:,} on this computer" if matches else "nothing loaded"
    if is_loading_rows(inbox):
        words = f"~{matches:,} found in {far}, loading…"
        return words if view.shown.rest else f"sorting {far}…"
    words = f"~{matches:,} found in {far}" if view.shown.rest else f"~sorted {far}"
    if _is_paused(inbox):
        return f"{words}, paused"
    return f"{words}, {inbox.keys['list.last']}: load more" if in_list else words


def _dimmed(rows: int) -> str:
    """Words for the rows of a complete list that no longer match."""
    if rows <= 0:
        return ""
    return f"{rows} no longer {'matches' if rows == 1 else 'match'}"


def _is_paused(inbox: Inbox) -> bool:
    """True if no further rows can be loaded now."""
    connection = inbox.connection
    return inbox.view.awaits_order or connection.failing or connection.refused


def empty(inbox: Inbox) -> str:
    """Explanation of the empty list, with the seconds that the status line says."""
    return empty_words(
        inbox.view.query,
        inbox.planning.names,
        inbox.keys,
        inbox.clock.server_now(),
        loaded=inbox.view.is_loaded,
        problem=inbox.connection.problem,
        looked_through=scanned(inbox),
        loading=is_loading_rows(inbox),
        paused=_is_paused(inbox),
        within=inbox.view.wider_list,
        seconds=inbox.connection.asking_seconds,
        cannot=inbox.planning.cannot(inbox.view.query),
        searched=bool(inbox.view.shown.vouched),
        remark=inbox.remark,
    )


def empty_words(
    query: Query,
    names: QueryNames,
    keys: Keys,
    now: datetime,
    *,
    loaded: bool,
    problem: str,
    looked_through: str = "",
    loading: bool = False,
    paused: bool = False,
    within: str = "",
    seconds: int = 0,
    cannot: str = "",
    searched: bool = False,
    remark: str = "",
) -> str:
    """Explanation of an empty conversation list, with the keys that help.

    looked_through: progress of the local filter, empty when the scan is complete; paused: no key
    loads more. within: name of the list that was filtered here, if it is not the view's own.
    seconds: since its request. cannot: what the server cannot filter by, as a sentence. searched:
    the server has looked for the words, in messages too, unless a `remark` says where not.
    """
    unknown = [words for term in query.terms if (words := unknown_name(term, names))]
    unknown += [cannot] if cannot else []
    if unknown:
        return " ".join([*unknown, f"{keys['inbox.filter_line']}: change the filter"])
    remove = f"{keys['inbox.remove_filter']}: remove filter"
    if loaded and looked_through:
        hints = remove if paused or loading else f"{keys['list.last']}: load more · {remove}"
        return f"No match in the first {looked_through}.  {hints}"
    if loaded and query.filters:
        words = query_words(Query(query.filters), names, now)
        where = f" in {within}" if within else ""
        search = ""
        if not searched and any(is_positive(term, WORDS) for term in query.filters):
            where += " by name, number or label, or in a message that was opened here"
            search = f"{keys['inbox.search']}: search messages · "
        told = f" {remark}" if remark else ""
        return f"No conversation matches {words}{where}.{told}  {search}{remove}"
    if loaded:
        return "There are no conversations yet."
    if problem == NOBODY_IS_ME:
        return f"{problem}."
    if problem:
        return f"{problem.rstrip('.')}. This view has not been loaded yet."
    return f"{sentences.LOADING} {seconds} s" if seconds else sentences.LOADING
