"""Display names of key bindings, with the user's changes applied.

Maps keys of non-Latin keyboard layouts to the Latin key at the same position.

Contains only letters that no Latin layout has, so that typing one means the key.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode
from textual.keys import ASCII_KEY_NAMES, KEY_NAME_REPLACEMENTS, format_key
from textual.screen import Screen

from frontdesk.tui.app_base import WatchedApp
from frontdesk.tui.widgets.bar import Hint
from frontdesk.tui.widgets.virtual_list import VirtualList

UNCHANGED: Mapping[str, str] = MappingProxyType({})

# Keys of input fields, which cannot be changed.
ENTER, ARROWS = "↵", "↑↓"

_NAMED = re.compile(r"\{([a-z_]+\.[a-z_0-9]+)\}")


class KeyNames:
    """First key of each action of some classes, by binding id.

    changed: keys from the configuration by binding id, see `checked_keymap`.
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

    def fill(self, words: str) -> str:
        """Replace each {binding.id} by the name of its key; only for texts of this program.

        Raises: KeyError: unknown binding id.
        """
        return _NAMED.sub(lambda found: self[found[1]], words)

    def hint(self, words: str) -> Hint:
        """The keys at the beginning of a text with {binding.id}, and what they do."""
        end = words.rfind("}") + 1
        parts = _NAMED.split(words[:end])
        keys = [(self[text], text) if at % 2 else (text, "") for at, text in enumerate(parts)]
        return Hint(tuple(key for key in keys if key[0]), words[end:].strip())


def bindings_of(owner: type[DOMNode]) -> Iterator[tuple[str, Binding]]:
    """Pairs of key and binding of a class, including inherited ones."""
    merged: dict[str, list[Binding]] = {}
    for base in reversed(owner.__mro__):
        if issubclass(base, DOMNode):
            merged |= BindingsMap(base.__dict__.get("BINDINGS", [])).key_to_bindings
    for key, bindings in merged.items():
        yield from ((key, binding) for binding in bindings)


def changed_keys(app: App[Any]) -> Mapping[str, str]:
    """Keys changed by the configuration, by binding id."""
    return app.changed_keys if isinstance(app, WatchedApp) else UNCHANGED


def named(screen: Screen[Any], words: str) -> str:
    """Replace each {binding.id} in a text by the key that it has on a screen."""
    return KeyNames((type(screen), VirtualList), changed_keys(screen.app)).fill(words)


def _shown(keys: str) -> str:
    """Display name of the first of an action's comma-separated keys."""
    *modifiers, key = keys.partition(",")[0].split("+")
    ctrl = "^" if "ctrl" in modifiers else ""
    rest = [modifier for modifier in modifiers if modifier != "ctrl"]
    shown = ENTER if key == "enter" else format_key(key)
    return "+".join([*rest, f"{ctrl}{shown}"])


_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./`"
_SHIFTED = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?~'

# Characters at the positions of _LATIN; a space where there is no letter of the script. The first
# layout that contains a letter determines its position.
_LAYOUTS = (
    "йцукенгшщзхъфывапролджэячсмитьбю ё",
    "йцукенгшщзхїфівапролджєячсмитьбю  ",
    "        ў                         ",
    " ςερτυθιοπ  ασδφγηξκλ  ζχψωβνμ    ",
    "  קראטוןםפ  שדגכעיחלךף זסבהנמצתץ  ",
    "ضصثقفغعهخحجدشسيبلاتنمكطئءؤر ىةوزظذ",
    "ضصثقفغعهخحجچشسیبلاتنمکگ   ر  پ    ",
)


def _places() -> Iterator[tuple[str, str]]:
    for layout in _LAYOUTS:
        for other, latin, shifted in zip(layout, _LATIN, _SHIFTED, strict=True):
            if other == " ":
                continue
            yield other, latin
            upper = other.upper()
            # The final sigma has no upper-case form of its own.
            if upper != other and upper.lower() == other:
                yield upper, shifted


_LATIN_OF = MappingProxyType(dict(reversed(list(_places()))))


def key_of(character: str) -> str:
    """Textual's name for the key of a character: "a", "comma", "question_mark"."""
    key = character
    if not character.isalnum():
        try:
            key = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
        except ValueError:
            key = ASCII_KEY_NAMES.get(character, character)
    return KEY_NAME_REPLACEMENTS.get(key, key)


def latin_key(character: str) -> str | None:
    """Character of the same key on a Latin keyboard; None for other characters."""
    return _LATIN_OF.get(character)
