"""Short notifications, and copying to the clipboard."""

from functools import partial
from typing import Any

from textual.screen import Screen

from frontdesk.tui import clipboard
from frontdesk.tui.watched import WatchedApp


def say(screen: Screen[Any], sentence: str) -> None:
    """Show a notification, unless the same one is still visible."""
    if isinstance(screen.app, WatchedApp):
        screen.app.notify_once(sentence)
    else:
        screen.notify(sentence, markup=False)


def copy(screen: Screen[Any], text: str) -> None:
    """Copy by OSC 52 and by a clipboard program, since OSC 52 reports no success."""
    if not text:
        say(screen, "There is nothing to copy here")
        return
    screen.app.copy_to_clipboard(text)
    say(screen, "Sent to the clipboard")
    if screen.app.is_web:
        # The clipboard of the serving machine may be another person's.
        return
    natively = partial(clipboard.copy_natively, text)
    # A worker of the application survives the dismissal of the screen.
    screen.app.run_worker(natively, thread=True, group="copying")
