"""Registry of the views and their key bindings."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from textual.binding import Binding, BindingType

from frontdesk.mailbox import Mailbox
from frontdesk.tui import action_groups
from frontdesk.tui.clock import Clock
from frontdesk.tui.command_entries import CommandEntry
from frontdesk.tui.dialogs.base import MenuEntry
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.preferences import PLAIN, Preferences
from frontdesk.wire import PhoneRef

INBOX = "inbox"


class OverlayView(NamedTuple):
    """A view; `letter` selects it in the menu, `function_key` opens it directly."""

    letter: str
    name: str
    title: str
    function_key: str | None = None

    @property
    def command(self) -> str:
        """Title of the action that opens it."""
        return f"Open {self.title.lower()}"


VIEWS: Sequence[OverlayView] = (
    OverlayView("i", INBOX, "Inbox", "f2"),
    OverlayView("c", "contacts", "Contacts", "f3"),
    OverlayView("r", "reports", "Reports", "f4"),
    OverlayView("t", "templates", "Templates"),
    OverlayView("q", "replies", "Quick replies"),
    OverlayView("d", "directory", "Directory"),
    OverlayView("s", "server", "Server"),
)


class Opening(NamedTuple):
    """Constructor arguments of a view. `switch` opens another view in its place, by name.

    keys: keys from the configuration by binding id. contact: customer of the selected conversation.
    """

    mailbox: Mailbox
    clock: Clock
    title: str
    switch: Callable[[str], object] = lambda name: None
    keys: Mapping[str, str] = MappingProxyType({})
    contact: PhoneRef | None = None
    preferences: Preferences = PLAIN


def view_bindings() -> list[BindingType]:
    """Bindings of the view menu and of the function keys."""
    return [
        Binding(
            "v", "views", "Views…", id="view.menu", group=action_groups.VIEWS("saved save screens")
        ),
        *(
            Binding(
                view.function_key,
                f"view('{view.name}')",
                view.command,
                id=f"view.{view.name}",
                group=action_groups.VIEWS,
            )
            for view in VIEWS
            if view.function_key
        ),
    ]


def view_commands(keys: KeyNames, open_view: Callable[[str], object]) -> list[CommandEntry]:
    """Entries of the palette for the views without a key of their own."""
    menu = keys["view.menu"]
    return [
        CommandEntry(view.command, f"{menu} {view.letter}", partial(open_view, view.name))
        for view in VIEWS
        if not view.function_key
    ]


def view_entries(keys: KeyNames) -> list[MenuEntry[str]]:
    return [
        MenuEntry(
            view.letter,
            view.name,
            view.title + (f"  {keys[f'view.{view.name}'].upper()}" if view.function_key else ""),
        )
        for view in VIEWS
    ]
