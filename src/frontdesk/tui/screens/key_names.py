"""What keys are called in words that name them: as the reader has them, not as they come."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode
from textual.keys import format_key
from textual.screen import Screen

from frontdesk.tui.watched import WatchedApp
from frontdesk.tui.widgets.virtual_list import VirtualList

UNCHANGED: Mapping[str, str] = MappingProxyType({})

# Keys of fields, which are the same for everybody.
ENTER, ARROWS = "↵", "↑↓"

_NAMED = re.compile(r"\{([a-z_]+\.[a-z_0-9]+)\}")


class KeyNames:
    """The first key of every action of some classes, by the action's id.

    changed: the keys that actions have instead of their own, see `checked_keymap`.
    """

    def __init__(
        self, owners: Iterable[type[DOMNode]], changed: Mapping[str, str] = UNCHANGED
    ) -> None:
        own: dict[str, str] = {}
        for owner in owners:
            for key, binding in bindings_of(owner):
                own.setdefault(binding.id or "", key)
        self._keys = {action: changed.get(action, key) for action, key in own.items()}

    def __getitem__(self, action: str) -> str:
        return _shown(self._keys[action])

    def told(self, words: str) -> str:
        """Words in which {inbox.filter} stands for a key; not for words that came from elsewhere.

        Raises: KeyError: there is no such action here.
        """
        return _NAMED.sub(lambda found: self[found[1]], words)

    def all_told(self, words: Iterable[str]) -> Sequence[str]:
        """The same, of several."""
        return [self.told(one) for one in words]


def bindings_of(owner: type[DOMNode]) -> Iterator[tuple[str, Binding]]:
    """The keys of a class and of those that it derives from, each with what it is bound to."""
    merged: dict[str, list[Binding]] = {}
    for base in reversed(owner.__mro__):
        if issubclass(base, DOMNode):
            merged |= BindingsMap(base.__dict__.get("BINDINGS", [])).key_to_bindings
    for key, bindings in merged.items():
        yield from ((key, binding) for binding in bindings)


def changed_keys(app: App[Any]) -> Mapping[str, str]:
    """The keys that actions have in an application instead of their own, by the actions' ids."""
    return app.changed_keys if isinstance(app, WatchedApp) else UNCHANGED


def named(screen: Screen[Any], words: str) -> str:
    """Words that name keys of a screen by {action.id}, as they are there."""
    return KeyNames((type(screen), VirtualList), changed_keys(screen.app)).told(words)


def _shown(keys: str) -> str:
    """The first of an action's keys, as help shows it."""
    *modifiers, key = keys.partition(",")[0].split("+")
    ctrl = "^" if "ctrl" in modifiers else ""
    rest = [modifier for modifier in modifiers if modifier != "ctrl"]
    shown = ENTER if key == "enter" else format_key(key)
    return "+".join([*rest, f"{ctrl}{shown}"])
