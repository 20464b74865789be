"""If and how this terminal shows pictures: from its environment, without asking it anything."""

from collections.abc import Mapping
from typing import NamedTuple

from frontdesk.pictures import is_available
from frontdesk.settings import ViewerSettings
from frontdesk.text.clean import is_ascii_terminal, is_kitty_terminal

_LINES = 10
# A terminal that draws pictures itself takes far fewer bytes for each line.
_LINES_OF_KITTY = 14
# Each line of blocks costs as much as four of text.
_LINES_OVER_SSH = 6
_WITHOUT_BLOCKS = ("dumb", "linux")
_MULTIPLEXERS = ("TMUX", "STY", "ZELLIJ")


class PictureDisplay(NamedTuple):
    """lines: height of pictures in a thread, at most; 0: none there. large: there is the dialog.

    by_terminal: the terminal draws them; else they are blocks. in_tmux: it is behind tmux.
    why: what decides that, for `frontdesk doctor`.
    """

    lines: int
    large: bool
    why: str
    by_terminal: bool = False
    in_tmux: bool = False


def picture_display(
    settings: ViewerSettings,
    environment: Mapping[str, str],
    *,
    keeps_files: bool = True,
    sixteen_colours: bool = False,
    is_direct: bool = True,
) -> PictureDisplay:
    """What the terminal of an environment shows.

    keeps_files: on this computer. sixteen_colours: the theme has no others. is_direct: it gets
    colours and control sequences unchanged, as a page and one without colours do not.
    """
    reason = _obstacle(
        settings, environment, keeps_files=keeps_files, sixteen_colours=sixteen_colours
    )
    if reason:
        return PictureDisplay(0, False, reason)
    by_terminal = is_direct and _is_drawn_by_terminal(settings, environment)
    in_tmux = by_terminal and bool(environment.get("TMUX"))
    if settings.pictures == "large":
        why = "only large: the configuration says so"
        return PictureDisplay(0, True, why, by_terminal, in_tmux)
    over_ssh = any(environment.get(name) for name in ("SSH_CONNECTION", "SSH_TTY"))
    usual = _LINES_OF_KITTY if by_terminal else _LINES
    lines = settings.picture_lines or (_LINES_OVER_SSH if over_ssh else usual)
    way = "drawn by the terminal" if by_terminal else "blocks"
    why = f"{way}, {lines} lines{' over ssh' if over_ssh else ''}"
    return PictureDisplay(lines, True, why, by_terminal, in_tmux)


def _is_drawn_by_terminal(settings: ViewerSettings, environment: Mapping[str, str]) -> bool:
    """Whether the terminal has kitty's placeholders: others answer a question, and have none."""
    if settings.pictures == "kitty":
        return True
    if settings.pictures == "blocks" or any(environment.get(name) for name in _MULTIPLEXERS):
        return False
    return is_kitty_terminal(environment)


def _obstacle(
    settings: ViewerSettings,
    environment: Mapping[str, str],
    *,
    keeps_files: bool,
    sixteen_colours: bool,
) -> str:
    """Why no picture is shown; "" if they are."""
    term = environment.get("TERM", "")
    if settings.pictures == "off":
        return "off: the configuration says so"
    if not keeps_files:
        return "off: no files are kept"
    if not is_available():
        return "off: Pillow is not installed"
    if settings.pictures == "auto" and (term in _WITHOUT_BLOCKS or is_ascii_terminal(environment)):
        return f"off: the terminal {term} may lack the characters".replace("  ", " ")
    return "off: the theme has sixteen colours" if sixteen_colours else ""
