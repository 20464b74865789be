"""Saving text to a file: prompt for a name, then write it; in a browser as a download.

The contents are made by `exports`.
"""

import io
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePath, PureWindowsPath
from typing import Any

from textual.app import App
from textual.screen import Screen

from frontdesk.system import private_files
from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.key_names import key_label

# Bytes of a file name that every file system accepts.
_LONGEST_NAME = 200

# Characters of a directory that are shown.
_SHOWN_DIRECTORY = 40


class SaveCheck:
    """Validates a path: known extension, existing directory; warns once before overwriting."""

    def __init__(self, endings: Sequence[str]) -> None:
        self._endings = endings
        self._warned: str | None = None

    def __call__(self, typed: str) -> str | None:
        path = Path(typed).expanduser()
        if path.suffix.lstrip(".") not in self._endings:
            return _wrong_ending(self._endings)
        try:
            if path.is_dir():
                return sentences.IS_DIRECTORY
            if not path.parent.is_dir():
                return sentences.NO_DIRECTORY.format(path=path.parent)
            if path.exists() and self._warned != typed:
                self._warned = typed
                return sentences.FILE_EXISTS.format(key=key_label("enter"))
        except (OSError, ValueError) as error:
            return sentences.BAD_NAME.format(error=error)
        return None


def check_download(endings: Sequence[str], typed: str) -> str | None:
    """Validate the file name of a download; does not access the file system."""
    if PurePath(typed).suffix.lstrip(".") not in endings:
        return _wrong_ending(endings)
    if PureWindowsPath(typed).name != typed or not typed.isprintable():
        return sentences.NO_DIRECTORY_IN_BROWSER
    if len(typed.encode(errors="replace")) > _LONGEST_NAME:
        return sentences.NAME_TOO_LONG.format(most=_LONGEST_NAME)
    return None


def _wrong_ending(endings: Sequence[str]) -> str:
    allowed = ", ".join(f".{ending}" for ending in endings)
    return sentences.WRONG_ENDING.format(allowed=allowed)


def save_prompt(
    app: App[Any], name: str, endings: Sequence[str], *, why: str = ""
) -> Screen[str | None]:
    """Prompt for a file name, whose extension selects the format. why: what else was not done."""
    allowed = ", ".join(f".{ending}" for ending in endings)
    check = partial(check_download, endings) if app.is_web else SaveCheck(endings)
    words = f"{why}; save as ({allowed}): " if why else f"save as ({allowed}): "
    return dialogs.prompt(words, value=name, check=check)


def save(app: App[Any], name: str, text: str, warn: Callable[[str], None]) -> str | None:
    """Save `text` to a file, or deliver it to the browser.

    Returns a description of the result, or None on failure, after reporting the error with `warn`.
    """
    if not app.is_web:
        if not written(name, text, warn):
            return None
        return saved_as(name)
    app.deliver_text(
        io.StringIO(text, newline=""),
        save_filename=name,
        encoding="utf-8",
        mime_type="application/octet-stream",
    )
    return sentences.DOWNLOADED_AS.format(name=name)


def saved_as(name: str) -> str:
    """Description of a file that was saved under a name, which may begin with ~."""
    path = Path(name).expanduser()
    return sentences.SAVED_AS.format(name=path.name, directory=directory_words(path))


def directory_words(path: Path) -> str:
    """The directory of a file, with ~ for the home directory; of a long one the end."""
    directory = Path(os.path.abspath(path)).parent
    home = os.path.expanduser("~")
    if directory.is_relative_to(home):
        directory = Path("~", directory.relative_to(home))
    words = str(directory)
    return words if len(words) <= _SHOWN_DIRECTORY else f"…{words[1 - _SHOWN_DIRECTORY :]}"


def written(name: str, text: str, warn: Callable[[str], None]) -> bool:
    """Write `text` to a file; False on failure, after reporting the error with `warn`.

    A new file is readable by its owner only, since it contains customer messages.
    """
    path = Path(name).expanduser()
    try:
        with open(path, "w", encoding="utf-8", newline="", opener=private_files.opener) as file:
            file.write(text)
    except OSError as error:
        warn(sentences.CANNOT_WRITE.format(path=path, error=error.strerror or error))
        return False
    return True


def ending(name: str) -> str:
    """The extension of a file name, which says the format."""
    return Path(name).suffix.lstrip(".")


def ask_for_name(
    screen: Screen[Any],
    stem: str,
    clock: Clock,
    endings: Sequence[str],
    use: Callable[[str], object],
) -> None:
    """Prompt for a file name with one of these extensions, and call `use` with it."""
    from frontdesk.exports.conversations import file_name

    suggested = file_name(stem, clock.now().date(), endings[0])
    prompt = save_prompt(screen.app, suggested, endings)
    dialogs.ask(screen.app, prompt, use)


def save_text(screen: Screen[Any], name: str, text: str, sentence: str, **facts: object) -> None:
    """Save a text, and show a sentence with {saved} and facts."""
    warn = partial(screen.notify, severity="warning", timeout=10, markup=False)
    if saved := save(screen.app, name, text, warn):
        say(screen, sentence.format(saved=saved, **facts))
