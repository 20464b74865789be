"""Factories of the inbox dialogs, each of which is imported on first use to shorten start-up."""

from collections.abc import Callable, Sequence

from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.choices import Choice, MenuEntry
from frontdesk.wire import Wire

Asking = Screen[str | None]


def menu(title: str, entries: Sequence[MenuEntry], *, current: str | None = None) -> Asking:
    """Select one of a few entries by a letter."""
    from frontdesk.tui.dialogs.menu import Menu

    return Menu(title, entries, current=current)


def picker(
    title: str, choices: Sequence[Choice], *, current: str | None, remark: str = ""
) -> Asking:
    """Select one of many entries by typing a part of the label."""
    from frontdesk.tui.dialogs.picker import Picker

    return Picker(title, choices, current=current, remark=remark)


def prompt(
    mark: str,
    *,
    value: str = "",
    placeholder: str = "",
    check: Callable[[str], str | None] = lambda answer: None,
) -> Asking:
    """Enter a line of text; `check` returns an error message, or None for valid text."""
    from frontdesk.tui.dialogs.prompt import Prompt

    return Prompt(mark, value=value, placeholder=placeholder, check=check)


def search(mailbox: Mailbox, clock: Clock) -> Asking:
    """Full-text search over cached messages; returns the selected place."""
    from frontdesk.tui.dialogs.search import SearchScreen

    return SearchScreen(mailbox, clock, "")


def switcher(mailbox: Mailbox) -> Asking:
    """Go to a contact, channel, label or other destination."""
    from frontdesk.tui.dialogs.switcher import Switcher

    return Switcher(mailbox)


def received(title: str, value: Wire) -> Screen[None]:
    """Show a value as JSON, as it was received."""
    from frontdesk.tui.dialogs.raw_row import Received

    return Received(title, value)
