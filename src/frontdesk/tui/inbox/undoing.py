"""The last change of marks, follow-ups or views, and how it is taken back."""

from collections.abc import Callable
from typing import Any, NamedTuple

from textual.screen import Screen

from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.key_names import KeyNames


class Undo(NamedTuple):
    """How a change is taken back, and what is said afterwards."""

    take_back: Callable[[], object]
    done: str


class LastChange:
    """The change that the key of undo takes back; each is taken back once."""

    def __init__(
        self, screen: Screen[Any], keys: KeyNames, refresh_bars: Callable[[], object]
    ) -> None:
        self._screen, self._keys, self._refresh_bars = screen, keys, refresh_bars
        self._undo: Undo | None = None

    def offer(self, words: str, undo: Undo) -> None:
        """Say what was changed, and by which key it is taken back."""
        self._undo = undo
        key = self._keys["inbox.undo"]
        say(self._screen, sentences.CAN_BE_UNDONE.format(done=words, key=key))
        self._refresh_bars()

    def take_back(self) -> None:
        """Take back the last change."""
        undo, self._undo = self._undo, None
        if undo is None:
            say(self._screen, sentences.NOTHING_TO_UNDO)
        else:
            undo.take_back()
            say(self._screen, undo.done)
            self._refresh_bars()
