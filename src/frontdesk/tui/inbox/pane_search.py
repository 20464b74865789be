"""Finds text in the focused pane, row after row; a long list is searched in steps."""

import asyncio
from typing import Any

from textual.screen import Screen

from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.dialogs import factories as dialogs
from frontdesk.tui.inbox.panes import Panes
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.widgets.virtual_list import RowSearch

# Rows searched synchronously on a find, then per step of the worker.
_ROWS_AT_ONCE, _ROWS_PER_STEP = 1_000, 200


class PaneSearch:
    """The last text that was searched for, and the search for it."""

    def __init__(self, screen: Screen[Any], panes: Panes, keys: KeyNames) -> None:
        self._screen, self._panes, self._keys, self._text = screen, panes, keys, ""

    def ask(self) -> None:
        """Ask for text, and go to the next matching row."""
        words = sentences.FIND_IN_PANE
        prompt = dialogs.prompt("/ ", value=self._text, placeholder=words)
        dialogs.ask(self._screen.app, prompt, self._find_first)

    def _find_first(self, text: str) -> None:
        self._text = text
        self._find(1)

    def find_next(self, step: int) -> None:
        """Go to the next or previous match of the last text."""
        if self._text:
            self._find(step)
        else:
            key, find = self._keys["inbox.find"], sentences.FIND_IN_PANE
            say(self._screen, sentences.NOTHING_TO_FIND_AGAIN.format(key=key, find=find))

    def _find(self, step: int) -> None:
        """Search for the text, and say which of the matches was found."""
        search = self._panes.search(self._text, step)
        if search.run(_ROWS_AT_ONCE):
            key = self._keys["inbox.back"]
            say(self._screen, sentences.SEARCHING.format(text=self._text, key=key))
            self._screen.run_worker(self._go_on(search), group=SEARCH, exclusive=True)
        else:
            self._say_result(search)

    async def _go_on(self, search: RowSearch) -> None:
        """Search a long list in steps, so that keys are handled in between."""
        more = True
        while more:
            await asyncio.sleep(0)
            more = search.run(_ROWS_PER_STEP)
        self._say_result(search)

    def _say_result(self, search: RowSearch) -> None:
        """Say which match was found, and of how many unless the list is long."""
        if not search.found:
            say(self._screen, sentences.NO_MATCH_IN_PANE.format(text=search.text))
        elif search.count(_ROWS_AT_ONCE):
            self._say_found(sentences.FOUND_OF, number=search.number, total=search.total)
        else:
            self._say_found(sentences.FOUND)

    def _say_found(self, words: str, **numbers: int) -> None:
        keys = self._keys
        after, before = keys["inbox.next_match"], keys["inbox.previous_match"]
        text = words.format(text=self._text, next=after, previous=before, **numbers)
        say(self._screen, text)
