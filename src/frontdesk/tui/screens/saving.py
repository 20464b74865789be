"""Saving something to a file that the reader names."""

from collections.abc import Callable, Sequence
from pathlib import Path

from textual.screen import Screen

from frontdesk import private
from frontdesk.tui.screens.key_names import ENTER


class SaveCheck:
    """Whether a file can be written: its ending must be known, one that is there is asked about."""

    def __init__(self, endings: Sequence[str]) -> None:
        self._endings = endings
        self._warned: str | None = None

    def __call__(self, typed: str) -> str | None:
        path = Path(typed).expanduser()
        if path.suffix.lstrip(".") not in self._endings:
            allowed = ", ".join(f".{ending}" for ending in self._endings)
            return f"The name must end in one of {allowed}"
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


def save_prompt(name: str, endings: Sequence[str]) -> Screen[str | None]:
    """Asks for the name of a file; its ending says the format."""
    # Not needed for a first paint.
    from frontdesk.tui.screens.prompt import Prompt

    allowed = ", ".join(f".{ending}" for ending in endings)
    return Prompt(f"save as ({allowed}): ", value=name, check=SaveCheck(endings))


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
