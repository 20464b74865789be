"""The views of the viewer: the inbox at the root, and what can be opened over it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.binding import Binding, BindingType

from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens.menu import Entry
from frontdesk.tui.widgets.glyphs import glyphs_for
from frontdesk.wire import ConversationFilter

if TYPE_CHECKING:
    from frontdesk.tui.screens.view_screen import ViewScreen

INBOX = "inbox"


@dataclass(frozen=True, slots=True)
class View:
    """`letter` opens it after `v`, `function_key` without; `make` is None for the root."""

    letter: str
    name: str
    title: str
    function_key: str | None = None
    make: Callable[[Opening], ViewScreen] | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """What a view is made of. `switch` leaves it for another view, by name."""

    mailbox: Mailbox
    clock: Clock
    title: str
    switch: Callable[[ViewScreen, str], None]


def _reports(opening: Opening) -> ViewScreen:
    from frontdesk.tui.screens.report import ReportScreen

    return ReportScreen(opening, glyphs=glyphs_for(os.environ))


def _library(section: str) -> Callable[[Opening], ViewScreen]:
    def make(opening: Opening) -> ViewScreen:
        from frontdesk.tui.screens.library import LibraryScreen

        return LibraryScreen(opening, section)

    return make


def _directory(opening: Opening) -> ViewScreen:
    from frontdesk.tui.screens.directory import DirectoryScreen

    return DirectoryScreen(opening)


# Their modules are imported when they are first opened: most starts open none.
VIEWS: Sequence[View] = (
    View("i", INBOX, "Inbox", "f2"),
    View("r", "reports", "Reports", "f4", _reports),
    View("t", "templates", "Templates", None, _library("templates")),
    View("q", "replies", "Quick replies", None, _library("canned_responses")),
    View("d", "directory", "Directory", None, _directory),
)


def open_view(
    app: App[Any],
    name: str,
    mailbox: Mailbox,
    clock: Clock,
    *,
    title: str,
    on_chosen: Callable[[ConversationFilter | None], None],
) -> None:
    """Open a view over the inbox; nothing for the inbox itself.

    `title` names the inbox. `on_chosen` gets the filter of the conversations that the reader asked
    for, or None when the view was left, also for another view.
    """
    view = next(view for view in VIEWS if view.name == name)
    if view.make is None:
        return

    def switch(screen: ViewScreen, other: str) -> None:
        # The app outlives the screen that is left, so it is the one to be called back.
        def replace() -> None:
            screen.dismiss(None)
            open_view(app, other, mailbox, clock, title=title, on_chosen=on_chosen)

        app.call_next(replace)

    app.push_screen(view.make(Opening(mailbox, clock, title, switch)), on_chosen)


def view_bindings() -> list[BindingType]:
    """Keys that open views: the menu, and a function key for some."""
    return [
        Binding("v", "views", "Views", id="view.menu"),
        *(
            Binding(view.function_key, f"view('{view.name}')", view.title, id=f"view.{view.name}")
            for view in VIEWS
            if view.function_key
        ),
    ]


def view_entries() -> list[Entry]:
    """The views as a menu shows them."""
    return [
        Entry(
            view.letter,
            view.name,
            view.title + (f"  {view.function_key.upper()}" if view.function_key else ""),
        )
        for view in VIEWS
    ]
