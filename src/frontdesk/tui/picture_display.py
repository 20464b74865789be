"""If and how this terminal shows pictures: from its environment, without asking it anything."""

from collections.abc import Mapping
from typing import NamedTuple

from frontdesk.pictures import is_available
from frontdesk.text.clean import is_ascii_terminal
from frontdesk.tui.preferences import MediaSettings

_LINES = 10
# Each line of a picture costs as much as four of text.
_LINES_OVER_SSH = 6
_WITHOUT_BLOCKS = ("dumb", "linux")


class PictureDisplay(NamedTuple):
    """lines: height of pictures in a thread, at most; 0: none there. large: there is the dialog.

    why: what decides that, for `frontdesk doctor`.
    """

    lines: int
    large: bool
    why: str


def picture_display(
    settings: MediaSettings, environment: Mapping[str, str], *, sixteen_colours: bool = False
) -> PictureDisplay:
    """What the terminal of an environment shows. sixteen_colours: the theme has no others."""
    reason = _obstacle(settings, environment, sixteen_colours=sixteen_colours)
    if reason:
        return PictureDisplay(0, False, reason)
    over_ssh = any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY"))
    if settings.pictures == "large":
        return PictureDisplay(0, True, "only large: the configuration says so")
    lines = settings.lines or (_LINES_OVER_SSH if over_ssh else _LINES)
    return PictureDisplay(lines, True, f"blocks, {lines} lines{' over ssh' if over_ssh else ''}")


def _obstacle(
    settings: MediaSettings, environment: Mapping[str, str], *, sixteen_colours: bool
) -> str:
    """Why no picture is shown; "" if they are."""
    term = environment.get("TERM", "")
    if settings.pictures == "off":
        return "off: the configuration says so"
    if settings.directory is None:
        return "off: no files are kept"
    if not is_available():
        return "off: Pillow is not installed"
    if settings.pictures == "auto" and (term in _WITHOUT_BLOCKS or is_ascii_terminal(environment)):
        return f"off: the terminal {term} may lack the characters".replace("  ", " ")
    return "off: the theme has sixteen colours" if sixteen_colours else ""
