"""Opens the views over the inbox screen: reports, contacts, catalogues, server.

They are registered in `dialogs/view_table.py`. Dialogs are made by `dialogs/factories.py`.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.query import Query
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import (
    INBOX,
    VIEWS,
    Opening,
    view_bindings,
    view_commands,
    view_entries,
)
from frontdesk.tui.key_names import changed_keys
from frontdesk.tui.preferences import PLAIN, Targets
from frontdesk.wire import PhoneRef

__all__ = ["INBOX", "VIEWS", "open_view", "view_bindings", "view_commands", "view_entries"]

Made = Screen[Query | PhoneRef | None]


# Imported on first use to shorten start-up.
def _reports(opening: Opening) -> Made:
    from frontdesk.reports.metrics import glyphs_for
    from frontdesk.tui.reports.screen import ReportScreen

    return ReportScreen(opening, glyphs=glyphs_for(os.environ))


def _library(section: str, opening: Opening) -> Made:
    from frontdesk.tui.views.templates import TemplatesScreen

    return TemplatesScreen(opening, section)


def _directory(opening: Opening) -> Made:
    from frontdesk.tui.views.directory import DirectoryScreen

    return DirectoryScreen(opening)


def _contacts(opening: Opening) -> Made:
    from frontdesk.tui.views.contacts import ContactsScreen

    return ContactsScreen(opening)


def _server(opening: Opening) -> Made:
    from frontdesk.tui.views.server import ServerScreen

    return ServerScreen(opening)


_MAKERS: Mapping[str, Callable[[Opening], Made]] = MappingProxyType(
    {
        "contacts": _contacts,
        "reports": _reports,
        "templates": partial(_library, "templates"),
        "replies": partial(_library, "canned_responses"),
        "directory": _directory,
        "server": _server,
    }
)


def open_view(
    app: App[Any],
    name: str,
    mailbox: Mailbox,
    clock: Clock,
    *,
    title: str,
    on_chosen: Callable[[Query | PhoneRef | None], None],
    contact: PhoneRef | None = None,
    targets: Targets = PLAIN.targets,
) -> None:
    """Open a view over the inbox; do nothing for the inbox itself.

    `title` names the inbox. `on_chosen` gets the selected view of conversations, or None if the
    view was closed or replaced. contact: customer of the selected conversation.
    """
    if name == INBOX:
        return

    def switch(screen: Screen[Any], other: str) -> None:
        if app.screen is screen:
            screen.dismiss(None)
            open_view(
                app,
                other,
                mailbox,
                clock,
                title=title,
                on_chosen=on_chosen,
                contact=contact,
                targets=targets,
            )

    opening = Opening(mailbox, clock, title, switch, changed_keys(app), contact, targets)
    app.push_screen(_MAKERS[name](opening), on_chosen)
