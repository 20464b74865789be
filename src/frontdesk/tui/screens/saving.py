"""Saving to a file that the reader names; on a page, as a download of the browser."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any

from textual.app import App
from textual.screen import Screen

from frontdesk import private
from frontdesk.tui.screens.key_names import ENTER

# What every file system takes.
_LONGEST_NAME = 200


class SaveCheck:
    """Whether a file can be written: its ending must be known, one that is there is asked about."""

    def __init__(self, endings: Sequence[str]) -> None:
        self._endings = endings
        self._warned: str | None = None

    def __call__(self, typed: str) -> str | None:
        path = Path(typed).expanduser()
        if path.suffix.lstrip(".") not in self._endings:
            return _wrong_ending(self._endings)
        try:
            if path.is_dir():
                return "That is a directory"
            if not path.parent.is_dir():
                return f"There is no directory {path.parent}"
            if path.exists() and self._warned != typed:
                self._warned = typed
                return f"This file is there already: {ENTER} again writes over it"
        except (OSError, ValueError) as error:
            return f"That name cannot be used: {error}"
        return None


class DownloadCheck:
    """Whether a browser can be given a file of that name; nothing of this machine is looked at."""

    def __init__(self, endings: Sequence[str]) -> None:
        self._endings = endings

    def __call__(self, typed: str) -> str | None:
        if PurePath(typed).suffix.lstrip(".") not in self._endings:
            return _wrong_ending(self._endings)
        if PureWindowsPath(typed).name != typed or not typed.isprintable():
            return "Say a name without a directory: the browser knows where it goes"
        if len(typed.encode(errors="replace")) > _LONGEST_NAME:
            return f"The name may have {_LONGEST_NAME} bytes"
        return None


def _wrong_ending(endings: Sequence[str]) -> str:
    allowed = ", ".join(f".{ending}" for ending in endings)
    return f"The name must end in one of {allowed}"


def save_prompt(app: App[Any], name: str, endings: Sequence[str]) -> Screen[str | None]:
    """Asks for the name of a file; its ending says the format."""
    # Not needed for a first paint.
    from frontdesk.tui.screens.prompt import Prompt

    allowed = ", ".join(f".{ending}" for ending in endings)
    check = DownloadCheck(endings) if app.is_web else SaveCheck(endings)
    return Prompt(f"save as ({allowed}): ", value=name, check=check)


def save(app: App[Any], name: str, text: str, tell: Callable[[str], None]) -> str | None:
    """Save `text` under a name; how that was done in words, None after telling why it was not."""
    if not app.is_web:
        return f"saved as {name}" if written(name, text, tell) else None
    app.deliver_text(
        io.StringIO(text, newline=""),
        save_filename=name,
        encoding="utf-8",
        mime_type="application/octet-stream",
    )
    return f"given to the browser as {name}"


def written(name: str, text: str, tell: Callable[[str], None]) -> bool:
    """Write `text` to the file with this name; False after telling why that cannot be done.

    A new file is its owner's alone: customers' words are in it.
    """
    path = Path(name).expanduser()
    try:
        with open(path, "w", encoding="utf-8", newline="", opener=private.opener) as file:
            file.write(text)
    except OSError as error:
        tell(f"{path} cannot be written: {error.strerror or error}")
        return False
    return True
