"""Saves exported text: prompt for a file name, then write the file.

The contents are made by `conversation_export`; `dialogs/save_prompt.py` writes the file, or gives
it to the browser.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.screen import Screen

from frontdesk.conversation_export import file_name
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.dialogs.save_prompt import save, save_prompt


def ending(name: str) -> str:
    """The extension of a file name, which says the format."""
    return Path(name).suffix.lstrip(".")


def ask_for_name(
    screen: Screen[Any],
    stem: str,
    clock: Clock,
    endings: Sequence[str],
    use: Callable[[str], None],
) -> None:
    """Prompt for a file name with one of these extensions, and call `use` with it."""
    suggested = file_name(stem, clock.now().date(), endings[0])
    prompt = save_prompt(screen.app, suggested, endings)
    dialogs.ask(screen.app, prompt, use)


def save_text(screen: Screen[Any], name: str, text: str, sentence: str, **facts: object) -> None:
    """Save a text, and show a sentence with {saved} and facts."""
    warn = partial(screen.notify, severity="warning", timeout=10, markup=False)
    if saved := save(screen.app, name, text, warn):
        say(screen, sentence.format(saved=saved, **facts))
