"""The theme that fits the terminal, and what kind of terminal that is."""

import os

from frontdesk.system.terminal_background import ask_background
from frontdesk.tui.theme import LIGHT


def draws_on_a_page() -> bool:
    """Check if the viewer was started by `frontdesk web`."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def theme_of_terminal(configured: str | None) -> tuple[str | None, bytes]:
    """Return the theme for the terminal's background, if none is configured, and typed keys.

    None stands for the dark theme, which a terminal that does not answer has too.
    """
    if configured is not None or draws_on_a_page():
        return None, b""
    background = ask_background()
    return LIGHT.name if background.is_light else None, background.typed
