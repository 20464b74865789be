"""The dialogs of the inbox, each imported when it is first opened: most starts open none."""

from collections.abc import Callable, Sequence

from textual.screen import Screen

from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens.choices import Choice, Entry
from frontdesk.wire import Wire

Asking = Screen[str | None]


def menu(title: str, entries: Sequence[Entry], *, current: str | None = None) -> Asking:
    """Asks for one of a few by a letter."""
    from frontdesk.tui.screens.menu import Menu

    return Menu(title, entries, current=current)


def picker(
    title: str, choices: Sequence[Choice], *, current: str | None, remark: str = ""
) -> Asking:
    """Asks for one of many by a part of its words."""
    from frontdesk.tui.screens.picker import Picker

    return Picker(title, choices, current=current, remark=remark)


def prompt(
    mark: str,
    *,
    value: str = "",
    placeholder: str = "",
    check: Callable[[str], str | None] = lambda answer: None,
) -> Asking:
    """Asks for words; `check` says what is wrong with them."""
    from frontdesk.tui.screens.prompt import Prompt

    return Prompt(mark, value=value, placeholder=placeholder, check=check)


def search(mailbox: Mailbox, clock: Clock) -> Asking:
    """Asks for words that were said, and for one of the places where they were."""
    from frontdesk.tui.screens.search import SearchScreen

    return SearchScreen(mailbox, clock, "")


def switcher(mailbox: Mailbox) -> Asking:
    """Asks where to go."""
    from frontdesk.tui.screens.switcher import Switcher

    return Switcher(mailbox)


def received(title: str, value: Wire) -> Screen[None]:
    """Shows a value as it was received."""
    from frontdesk.tui.screens.received import Received

    return Received(title, value)
