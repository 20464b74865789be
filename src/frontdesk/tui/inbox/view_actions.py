"""Actions of the inbox on its view: filters, orders, saved views and their history.

They also open the views over the inbox screen: reports, contacts, catalogues, server.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App
from textual.screen import Screen

from frontdesk.inbox import navigating
from frontdesk.inbox.chips import query_words
from frontdesk.inbox.counting import count_with
from frontdesk.query import NEWEST, VIEW_KEYS, Query, SavedView, Term, reference
from frontdesk.tui import filters, sentences
from frontdesk.tui.action_groups import TRIAGE, VIEWS, InboxKey
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.view_table import (
    INBOX,
    Opening,
    OverlayView,
    view_entries,
)
from frontdesk.tui.inbox.parts import InboxParts, Undo
from frontdesk.tui.key_names import changed_keys
from frontdesk.tui.saved_views import QueryHistory
from frontdesk.wire import Contact, Conversation, PhoneRef

ViewResult = Query | PhoneRef | None


def open_view(
    app: App[Any], name: str, opening: Opening, on_chosen: Callable[[ViewResult], None]
) -> None:
    """Open a view over the inbox; do nothing for the inbox itself.

    `on_chosen` gets the selected view of conversations, or None if the view was closed or replaced.
    """
    if name != INBOX:

        def switch(other: str) -> None:
            open_view(app, other, opening, on_chosen)

        opened = opening._replace(switch=switch, keys=changed_keys(app))
        app.push_screen(_view(name, opened), on_chosen)


def _view(name: str, opening: Opening) -> Screen[ViewResult]:
    """A view by its name, imported on first use to shorten start-up."""
    match name:
        case "contacts":
            from frontdesk.tui.views.contacts import ContactsScreen

            return ContactsScreen(opening)
        case "reports":
            from frontdesk.reports.metrics import glyphs_for
            from frontdesk.tui.reports.screen import ReportScreen

            return ReportScreen(opening, glyphs=glyphs_for(os.environ))
        case "server":
            from frontdesk.tui.views.server import ServerScreen

            return ServerScreen(opening)
    from frontdesk.tui.views.catalogue_screen import CatalogueScreen
    from frontdesk.tui.views.resources import DIRECTORY, LIBRARY

    if name == "directory":
        return CatalogueScreen(opening, DIRECTORY)
    return CatalogueScreen(opening, LIBRARY, "canned_responses" if name == "replies" else None)


def show_view_of_key(parts: InboxParts, key: str) -> None:
    view = parts.views.of(key)
    if view is not None:
        show_view(parts, view)


def show_view(parts: InboxParts, view: SavedView) -> None:
    parts.views.choose(view)
    parts.do(navigating.show_folder, parts.inbox, view.query)
    parts.panes.enter("list")


def step_history(parts: InboxParts, step: int) -> None:
    """Go back (-1) or forward (1) through the views, to where they were left."""
    parts.do(navigating.step_history, parts.inbox, step)


def remove_last_filter(parts: InboxParts) -> None:
    """Remove the last chip of the view."""
    chip = parts.bars.last_chip()
    if chip is not None:
        parts.show_query(parts.inbox.view.query.without(chip))
    else:
        key = parts.keys["inbox.filter"]
        parts.say(sentences.NO_FILTER.format(key=key))


def step_status(parts: InboxParts, step: int) -> None:
    """Select the next or previous status."""
    _change_filter(parts, "is", parts.queue.status_beside(step))


def step_channel(parts: InboxParts, step: int) -> None:
    """Select the next or previous channel; all channels come before the first."""
    channel = parts.queue.channel_beside(step)
    if channel is None:
        parts.say(parts.inbox.cached.capabilities.lacking("channels") or sentences.NO_CHANNEL)
    else:
        _show_channel(parts, channel)


def ask_order(parts: InboxParts) -> None:
    """Open the menu of sort orders."""
    menu = dialogs.menu("Sort", filters.ORDER_MENU, current=parts.inbox.view.query.order)
    dialogs.ask(parts.app, menu, partial(sort, parts))


def sort(parts: InboxParts, order: str) -> None:
    _change_filter(parts, "sort", None if order == NEWEST else order)


def edit_filter(parts: InboxParts) -> None:
    """Edit the query as text."""
    from frontdesk.tui.dialogs.filter_line import FilterLine

    history = QueryHistory(parts.mailbox)
    line = FilterLine(parts.inbox.view.query, parts.inbox.all_names, history.all())

    def use(query: Query) -> None:
        history.add(str(query))
        parts.show_query(query)

    dialogs.ask(parts.app, line, use)


def ask_filter(parts: InboxParts) -> None:
    """Open the filter menu, then a picker of values."""
    has_me = not parts.inbox.cached.capabilities.lacking("me")
    menu = dialogs.menu("Filter by", filters.filter_menu(parts.inbox.view.query, has_me=has_me))
    dialogs.ask(parts.app, menu, partial(_filter, parts))


def _filter(parts: InboxParts, name: str) -> None:
    """Apply an entry of the filter menu; open a picker if it needs a value.

    The picker is pushed synchronously, so that the next key goes to it.
    """
    no_me = parts.inbox.cached.capabilities.lacking("me") if name == "@me" else ""
    query = filters.apply_entry(parts.inbox.view.query, name)
    if no_me:
        parts.say(no_me)
    elif query is not None:
        parts.show_query(query)
    elif name == "save":
        ask_save_view(parts)
    elif name == "line":
        edit_filter(parts)
    elif name == "words":
        text = parts.inbox.view.query.value("words") or ""
        prompt = dialogs.prompt("text ", value=text, placeholder="words of the row")
        dialogs.ask(parts.app, prompt, partial(_change_filter, parts, "words"))
    else:
        _pick_filter(parts, name)


def _pick_filter(parts: InboxParts, kind: str) -> None:
    """Open a picker of values for a kind of filter."""
    # Deferred: the first paint does not need it.
    from frontdesk.tui.unsupported import remark_on

    query = parts.inbox.view.query
    picker = dialogs.filter_picker(
        filters.KIND_NAMES[kind],
        filters.choices_for(kind, parts.mailbox, partial(count_with, parts.inbox, kind)),
        current=filters.values_of(query, kind),
        remark=remark_on(parts.mailbox.capabilities, filters.KIND_NAMES[kind]),
    )
    dialogs.ask(parts.app, picker, partial(_change_values, parts, kind))


def _change_values(parts: InboxParts, kind: str, values: tuple[str, ...]) -> None:
    """Set the values of a kind, of which one has to match; or one, see `_change_filter`."""
    if len(values) > 1:
        parts.show_query(filters.with_any_of(parts.inbox.view.query, kind, values))
    else:
        _change_filter(parts, kind, values[0])


def _change_filter(parts: InboxParts, kind: str, value: str | None) -> None:
    """Set a term of a kind, or remove all of it; a label comes to those that are there."""
    query = parts.inbox.view.query
    if kind == "label" and value:
        parts.show_query(query.toggled(Term(kind, value)))
    else:
        parts.show_query(query.with_value(kind, value or None))


def change_channel(parts: InboxParts, id: str | None) -> None:
    channel = reference(id, parts.inbox.planning.names.channels) if id else None
    _show_channel(parts, channel)


def _show_channel(parts: InboxParts, channel: str | None) -> None:
    query = parts.inbox.view.query.with_value("in", channel or None)
    parts.do(navigating.show_folder, parts.inbox, query)


def toggle_filter(parts: InboxParts, term: Term) -> None:
    query = parts.inbox.view.query
    replaces = term.kind in ("is", "assignee", "in")
    parts.show_query(query.with_term(term) if replaces else query.toggled(term))


def ask_save_view(parts: InboxParts) -> None:
    """Ask for a name and a key, and save the query as a view."""
    query = parts.inbox.view.query
    view = parts.views.named(query)

    def ask_for_key(name: str) -> None:
        # What enter chooses replaces no other view.
        is_same = view is not None and view.name == name
        current = view.key if view and view.key and is_same else filters.NO_KEY
        menu = dialogs.menu(f"Save “{name}” as", filters.key_menu(parts.views), current=current)
        dialogs.ask(parts.app, menu, lambda key: _save_view(parts, query, key, name))

    _ask_for_view_name(parts, view.name if view else "", ask_for_key)


def _ask_for_view_name(
    parts: InboxParts, name: str, use: Callable[[str], object], problem: str = ""
) -> None:
    prompt = dialogs.prompt("name of the view ", value=name, problem=problem)
    dialogs.ask(parts.app, prompt, use)


def _save_view(parts: InboxParts, query: Query, key: str, name: str) -> None:
    """Save a view; ask for another name while a view that it does not replace has this one."""
    view = SavedView(name, query, "" if key == filters.NO_KEY else key)
    namesake = parts.views.namesake(view)
    if namesake is not None:
        words = sentences.VIEW_NAME_TAKEN if namesake.key else sentences.MENU_NAME_TAKEN
        problem = words.format(key=namesake.key, name=name)
        _ask_for_view_name(parts, name, partial(_save_view, parts, query, key), problem)
        return
    replaced = parts.views.of(view.key) if view.key else None
    undo = _undo_of_views(parts)
    parts.views.save(view)
    saved = sentences.VIEW_SAVED.format(key=key)
    words = saved if view.key else sentences.VIEW_SAVED_IN_MENU
    if replaced is not None:
        words = sentences.VIEW_REPLACES.format(saved=words, name=replaced.name)
    if parts.preferences.is_demo:
        words = sentences.VIEW_OF_DEMO.format(saved=words)
    parts.undoing.offer(words, undo)


def ask_remove_view(parts: InboxParts) -> None:
    """Ask which of the views saved here to remove."""
    names, now = parts.inbox.planning.names, parts.clock.server_now()
    choices = [
        Choice(view, view.name, query_words(view.query, names, now)) for view in parts.views.saved()
    ]
    dialogs.ask(
        parts.app, dialogs.picker("Remove", choices, current=None), partial(_remove_view, parts)
    )


def _remove_view(parts: InboxParts, view: SavedView) -> None:
    undo = _undo_of_views(parts)
    parts.views.remove(view)
    parts.undoing.offer(sentences.VIEW_REMOVED.format(name=view.name), undo)


def _undo_of_views(parts: InboxParts) -> Undo:
    return Undo(partial(parts.views.restore, parts.views.snapshot()), sentences.VIEWS_RESTORED)


def open_views(parts: InboxParts) -> None:
    """Open the menu of saved views and screens."""
    entries = filters.view_menu(parts.views, view_entries(parts.keys))
    dialogs.ask(parts.app, dialogs.menu("Views", entries), partial(_open_view_entry, parts))


def _open_view_entry(parts: InboxParts, entry: SavedView | str) -> None:
    if isinstance(entry, SavedView):
        show_view(parts, entry)
    elif entry == filters.SAVE:
        ask_save_view(parts)
    elif entry == filters.REMOVE:
        ask_remove_view(parts)
    else:
        open_overlay(parts, entry)


def open_overlay(parts: InboxParts, name: str) -> None:
    """Open a view over the inbox."""
    opening = Opening(
        parts.mailbox,
        parts.clock,
        parts.title,
        contact=parts.thread.conversation.contact if parts.thread.conversation else None,
        preferences=parts.preferences,
    )
    open_view(parts.app, name, opening, partial(go_to, parts))


def go_to(
    parts: InboxParts,
    destination: OverlayView | SavedView | Query | Contact | Conversation | PhoneRef | None,
) -> None:
    match destination:
        case Conversation():
            parts.show_conversation(destination.id)
        case OverlayView():
            open_overlay(parts, destination.name)
        case SavedView():
            show_view(parts, destination)
        case Contact() | PhoneRef():
            parts.show_contact(destination)
        case Query():
            parts.show_query(destination)
            parts.panes.enter("list")


KEYS: tuple[InboxKey, ...] = (
    InboxKey(
        "left_square_bracket,comma",
        step_status,
        "Previous status",
        "inbox.before",
        TRIAGE("open snoozed resolved"),
        (-1,),
    ),
    InboxKey(
        "right_square_bracket,full_stop",
        step_status,
        "Next status",
        "inbox.after",
        TRIAGE("open snoozed resolved"),
        (1,),
    ),
    InboxKey(
        "f", ask_filter, "Filter…", "inbox.filter", TRIAGE("narrow status assignee label channel")
    ),
    InboxKey(
        "F", edit_filter, "Edit filter as text…", "inbox.filter_line", TRIAGE("query language text")
    ),
    InboxKey(
        "backspace",
        remove_last_filter,
        "Remove last filter",
        "inbox.remove_filter",
        TRIAGE("clear chip undo"),
    ),
    InboxKey("S", ask_order, "Sort…", "inbox.order", TRIAGE("order newest oldest waiting window")),
    *(
        InboxKey(
            digit,
            show_view_of_key,
            f"View {digit}",
            f"inbox.view_{digit}",
            VIEWS("saved tab"),
            (digit,),
        )
        for digit in VIEW_KEYS
    ),
    InboxKey(
        "H",
        step_history,
        "Back to the previous view",
        "inbox.view_back",
        VIEWS("history previous"),
        (-1,),
    ),
    InboxKey(
        "L",
        step_history,
        "Forward to the next view",
        "inbox.view_forward",
        VIEWS("history next"),
        (1,),
    ),
)
# Run by keys of the pane of channels.
PANE_ACTIONS = (step_channel,)
