"""The key that leaves the list quits when it is pressed twice within two seconds."""

from datetime import datetime, timedelta
from typing import Any

from textual import events
from textual.screen import Screen

from frontdesk.tui import sentences
from frontdesk.tui.clipboard import say
from frontdesk.tui.clock import Clock
from frontdesk.tui.key_names import KeyNames

_QUIT_WITHIN = timedelta(seconds=2)
_ID = "inbox.leave"


class QuitKey:
    """When quitting was asked for, until another key is pressed."""

    def __init__(self, screen: Screen[Any], keys: KeyNames, clock: Clock) -> None:
        self._screen, self._keys, self._clock = screen, keys, clock
        self._asked: datetime | None = None

    def ask(self) -> None:
        """Quit if that was asked for just now; else say that it takes a second time."""
        if self._is_asked:
            self._screen.app.call_later(self._screen.app.run_action, "quit")
        else:
            self._asked = self._clock.now()
            say(self._screen, sentences.PRESS_AGAIN_TO_QUIT.format(key=self._keys[_ID]))

    def withdraw(self, event: events.Event) -> None:
        """Forget that it was asked for, unless this is the key that asks again."""
        if self._is_asked:
            key = event.key if isinstance(event, events.Key) else ""
            bound = self._screen.active_bindings.get(key)
            if bound is None or bound.binding.id != _ID:
                self._asked = None

    @property
    def _is_asked(self) -> bool:
        return self._asked is not None and self._clock.now() - self._asked < _QUIT_WITHIN
