"""Short notices of screens, and copying to the clipboard."""

from functools import partial
from typing import Any

from textual.screen import Screen

from frontdesk.tui import clipboard
from frontdesk.tui.watched import WatchedApp


def say(screen: Screen[Any], sentence: str) -> None:
    """Show a short notice, unless the same one is still shown."""
    if isinstance(screen.app, WatchedApp):
        screen.app.notify_once(sentence)
    else:
        screen.notify(sentence, markup=False)


def copy(screen: Screen[Any], text: str) -> None:
    """Hand a text to the terminal's clipboard and this machine's (OSC 52 has no answer)."""
    if not text:
        say(screen, "There is nothing to copy here")
        return
    screen.app.copy_to_clipboard(text)
    say(screen, "Sent to the clipboard")
    if screen.app.is_web:
        # The browser has it; the machine that serves is somebody else's, perhaps.
        return
    natively = partial(clipboard.copy_natively, text)
    # The screen may be left before the program has taken it.
    screen.app.run_worker(natively, thread=True, group="copying")
