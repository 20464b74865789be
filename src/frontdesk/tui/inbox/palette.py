"""Entries of the palette and of the help that depend on what an inbox shows."""

from functools import partial

from frontdesk.query import ORDERS
from frontdesk.tui import filters
from frontdesk.tui.command_entries import CommandEntry, active_commands, all_commands
from frontdesk.tui.dialogs.view_table import view_commands
from frontdesk.tui.inbox.parts import InboxParts
from frontdesk.tui.inbox.view_actions import (
    ask_remove_view,
    ask_save_view,
    open_overlay,
    show_view,
    sort,
    toggle_filter,
)


def show_help(parts: InboxParts) -> None:
    """Show the keys that work now."""
    from frontdesk.tui.dialogs import help

    commands = _with_view_names(parts, active_commands(parts.screen))
    help.show_help(parts.screen, [*help.SIGNS, *commands, *_own_commands(parts)])


def _own_commands(parts: InboxParts) -> list[CommandEntry]:
    """The user's commands; a page runs no programs of its host."""
    return [] if parts.app.is_web else parts.own_commands.entries()


def _with_view_names(parts: InboxParts, commands: list[CommandEntry]) -> list[CommandEntry]:
    """Commands with the names of the views that have a key."""
    names = {f"View {view.key}": f"View: {view.name}" for view in parts.views.all()}
    return [one._replace(title=names.get(one.title, one.title)) for one in commands]


def entries(parts: InboxParts) -> list[CommandEntry]:
    """Actions, filters, orders, views and screens."""
    orders = [
        CommandEntry(f"Sort: {words}", "", partial(sort, parts, order), "order")
        for order, words in ORDERS.items()
    ]
    queries = [
        CommandEntry(f"Filter: {words}", "", partial(toggle_filter, parts, term), synonyms)
        for term, words, synonyms in filters.filter_terms(
            parts.inbox.planning.names, parts.clock.server_now()
        )
    ]
    views = [
        CommandEntry(f"View: {view.name}", "", partial(show_view, parts, view))
        for view in parts.views.all()
        if not view.key
    ]
    menu = parts.keys["view.menu"]
    save = [
        CommandEntry(
            "Save view…",
            f"{menu} {filters.SAVE}",
            partial(ask_save_view, parts),
            "keep store name key",
        )
    ]
    if parts.views.saved():
        keys = f"{menu} {filters.REMOVE}"
        save.append(CommandEntry("Remove view…", keys, partial(ask_remove_view, parts), "delete"))
    actions = _with_view_names(parts, all_commands(parts.screen))
    screens = view_commands(parts.keys, partial(open_overlay, parts))
    own = _own_commands(parts)
    return [*actions, *own, *orders, *queries, *views, *save, *screens]
