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
from frontdesk.query import NEWEST, Query, SavedView, Term, reference
from frontdesk.tui import filters, sentences
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.dialogs.view_table import (
    INBOX,
    Opening,
    OverlayView,
    view_entries,
)
from frontdesk.tui.inbox.inbox_base import InboxBase, Undo
from frontdesk.tui.key_names import changed_keys
from frontdesk.tui.saved_views import QueryHistory
from frontdesk.tui.unsupported import remark_on
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


class ViewActions(InboxBase):
    """Keys and menus that lead to other views."""

    def action_saved_view(self, key: str) -> None:
        view = self._views.of(key)
        if view is not None:
            self._show_view(view)

    def _show_view(self, view: SavedView) -> None:
        self._views.choose(view)
        self._do(navigating.show_folder, self.inbox, view.query)
        self.panes.enter("list")

    def action_history(self, step: int) -> None:
        """Go back (-1) or forward (1) through the views, to where they were left."""
        self._do(navigating.step_history, self.inbox, step)

    def action_remove_filter(self) -> None:
        """Remove the last chip of the view."""
        chip = self._bars.last_chip()
        if chip is not None:
            self.show_query(self.inbox.view.query.without(chip))
        else:
            key = self._keys["inbox.filter"]
            self._notify(sentences.NO_FILTER.format(key=key))

    def action_status(self, step: int) -> None:
        """Select the next or previous status."""
        self._change_filter("is", self.queue.status_beside(step))

    def action_channel(self, step: int) -> None:
        """Select the next or previous channel; all channels come before the first."""
        channel = self.queue.channel_beside(step)
        if channel is None:
            self._notify(self.inbox.cached.capabilities.lacking("channels") or sentences.NO_CHANNEL)
        else:
            self._show_channel(channel)

    def action_order(self) -> None:
        """Open the menu of sort orders."""
        menu = dialogs.menu("Sort", filters.ORDER_MENU, current=self.inbox.view.query.order)
        dialogs.ask(self.app, menu, self._sort)

    def _sort(self, order: str) -> None:
        self._change_filter("sort", None if order == NEWEST else order)

    def action_filter_line(self) -> None:
        """Edit the query as text."""
        from frontdesk.tui.dialogs.filter_line import FilterLine

        history = QueryHistory(self._mailbox)
        line = FilterLine(self.inbox.view.query, self.inbox.all_names, history.all())

        def use(query: Query) -> None:
            history.add(str(query))
            self.show_query(query)

        dialogs.ask(self.app, line, use)

    def action_filter(self) -> None:
        """Open the filter menu, then a picker of values."""
        has_me = not self.inbox.cached.capabilities.lacking("me")
        menu = dialogs.menu("Filter by", filters.filter_menu(self.inbox.view.query, has_me=has_me))
        dialogs.ask(self.app, menu, self._filter)

    def _filter(self, name: str) -> None:
        """Apply an entry of the filter menu; open a picker if it needs a value.

        The picker is pushed synchronously, so that the next key goes to it.
        """
        no_me = self.inbox.cached.capabilities.lacking("me") if name == "@me" else ""
        query = filters.apply_entry(self.inbox.view.query, name)
        if no_me:
            self._notify(no_me)
        elif query is not None:
            self.show_query(query)
        elif name == "save":
            self.action_save_view()
        elif name == "line":
            self.action_filter_line()
        elif name == "words":
            text = self.inbox.view.query.value("words") or ""
            prompt = dialogs.prompt("text ", value=text, placeholder="words of the row")
            dialogs.ask(self.app, prompt, partial(self._change_filter, "words"))
        else:
            self._pick_filter(name)

    def _pick_filter(self, kind: str) -> None:
        """Open a picker of values for a kind of filter."""
        query = self.inbox.view.query
        picker = dialogs.filter_picker(
            filters.KIND_NAMES[kind],
            filters.choices_for(kind, self._mailbox, partial(count_with, self.inbox, kind)),
            current=filters.values_of(query, kind),
            remark=remark_on(self._mailbox.capabilities, filters.KIND_NAMES[kind]),
        )
        dialogs.ask(self.app, picker, partial(self._change_values, kind))

    def _change_values(self, kind: str, values: tuple[str, ...]) -> None:
        """Set the values of a kind, of which one has to match; or one, see `_change_filter`."""
        if len(values) > 1:
            self.show_query(filters.with_any_of(self.inbox.view.query, kind, values))
        else:
            self._change_filter(kind, values[0])

    def _change_filter(self, kind: str, value: str | None) -> None:
        """Set a term of a kind, or remove all of it; a label comes to those that are there."""
        query = self.inbox.view.query
        if kind == "label" and value:
            self.show_query(query.toggled(Term(kind, value)))
        else:
            self.show_query(query.with_value(kind, value or None))

    def _change_channel(self, id: str | None) -> None:
        channel = reference(id, self.inbox.planning.names.channels) if id else None
        self._show_channel(channel)

    def _show_channel(self, channel: str | None) -> None:
        query = self.inbox.view.query.with_value("in", channel or None)
        self._do(navigating.show_folder, self.inbox, query)

    def _toggle_filter(self, term: Term) -> None:
        query = self.inbox.view.query
        replaces = term.kind in ("is", "assignee", "in")
        self.show_query(query.with_term(term) if replaces else query.toggled(term))

    def action_save_view(self) -> None:
        """Ask for a name and a key, and save the query as a view."""
        query = self.inbox.view.query
        view = self._views.named(query)

        def ask_for_key(name: str) -> None:
            # What enter chooses replaces no other view.
            is_same = view is not None and view.name == name
            current = view.key if view and view.key and is_same else filters.NO_KEY
            menu = dialogs.menu(f"Save “{name}” as", filters.key_menu(self._views), current=current)
            dialogs.ask(self.app, menu, lambda key: self._save_view(query, key, name))

        self._ask_for_view_name(view.name if view else "", ask_for_key)

    def _ask_for_view_name(
        self, name: str, use: Callable[[str], object], problem: str = ""
    ) -> None:
        prompt = dialogs.prompt("name of the view ", value=name, problem=problem)
        dialogs.ask(self.app, prompt, use)

    def _save_view(self, query: Query, key: str, name: str) -> None:
        """Save a view; ask for another name while a view that it does not replace has this one."""
        view = SavedView(name, query, "" if key == filters.NO_KEY else key)
        namesake = self._views.namesake(view)
        if namesake is not None:
            words = sentences.VIEW_NAME_TAKEN if namesake.key else sentences.MENU_NAME_TAKEN
            problem = words.format(key=namesake.key, name=name)
            self._ask_for_view_name(name, partial(self._save_view, query, key), problem)
            return
        replaced = self._views.of(view.key) if view.key else None
        undo = self._undo_of_views()
        self._views.save(view)
        saved = sentences.VIEW_SAVED.format(key=key)
        words = saved if view.key else sentences.VIEW_SAVED_IN_MENU
        if replaced is not None:
            words = sentences.VIEW_REPLACES.format(saved=words, name=replaced.name)
        if self._preferences.is_demo:
            words = sentences.VIEW_OF_DEMO.format(saved=words)
        self._say_undoable(words, undo)

    def _say_undoable(self, words: str, undo: Undo) -> None:
        """Say what was changed, and by which key it is taken back."""
        self._undo = undo
        key = self._keys["inbox.undo"]
        self._notify(sentences.CAN_BE_UNDONE.format(done=words, key=key))
        self._display.refresh_bars()

    def action_remove_view(self) -> None:
        """Ask which of the views saved here to remove."""
        names, now = self.inbox.planning.names, self._clock.server_now()
        choices = [
            Choice(view, view.name, query_words(view.query, names, now))
            for view in self._views.saved()
        ]
        dialogs.ask(self.app, dialogs.picker("Remove", choices, current=None), self._remove_view)

    def _remove_view(self, view: SavedView) -> None:
        undo = self._undo_of_views()
        self._views.remove(view)
        self._say_undoable(sentences.VIEW_REMOVED.format(name=view.name), undo)

    def _undo_of_views(self) -> Undo:
        return Undo(partial(self._views.restore, self._views.snapshot()), sentences.VIEWS_RESTORED)

    def action_undo(self) -> None:
        """Take back the last change of marks, follow-ups or views."""
        undo, self._undo = self._undo, None
        if undo is None:
            self._notify(sentences.NOTHING_TO_UNDO)
        else:
            undo.take_back()
            self._notify(undo.done)
            self._display.refresh_bars()

    def action_views(self) -> None:
        """Open the menu of saved views and screens."""
        entries = filters.view_menu(self._views, view_entries(self._keys))
        dialogs.ask(self.app, dialogs.menu("Views", entries), self._open_view_entry)

    def _open_view_entry(self, entry: SavedView | str) -> None:
        if isinstance(entry, SavedView):
            self._show_view(entry)
        elif entry == filters.SAVE:
            self.action_save_view()
        elif entry == filters.REMOVE:
            self.action_remove_view()
        else:
            self.action_view(entry)

    def action_view(self, name: str) -> None:
        """Open a view over the inbox."""
        opening = Opening(
            self._mailbox,
            self._clock,
            self._title,
            contact=self.thread.conversation.contact if self.thread.conversation else None,
            targets=self._preferences.targets,
            commands=self._preferences.commands,
            profile=self._preferences.profile,
        )
        # Deferred: the first paint does not need it.

        open_view(self.app, name, opening, self._go_to)

    def _go_to(
        self,
        destination: OverlayView | SavedView | Query | Contact | Conversation | PhoneRef | None,
    ) -> None:
        match destination:
            case Conversation():
                self.show_conversation(destination.id)
            case OverlayView():
                self.action_view(destination.name)
            case SavedView():
                self._show_view(destination)
            case Contact() | PhoneRef():
                self._show_contact(destination)
            case Query():
                self.show_query(destination)
                self.panes.enter("list")
