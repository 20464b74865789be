"""Opens the views over the inbox screen: reports, contacts, catalogues, server.

They are registered in `dialogs/view_table.py`. Dialogs are made by `dialogs/factories.py`.
"""

import os
from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.screen import Screen

from frontdesk.query import Query
from frontdesk.tui.dialogs.view_table import INBOX, Opening
from frontdesk.tui.key_names import changed_keys
from frontdesk.wire import PhoneRef

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
        case "directory":
            from frontdesk.tui.views.directory import DirectoryScreen

            return DirectoryScreen(opening)
        case "server":
            from frontdesk.tui.views.server import ServerScreen

            return ServerScreen(opening)
    from frontdesk.tui.views.templates import TemplatesScreen

    return TemplatesScreen(opening, "canned_responses" if name == "replies" else "templates")
