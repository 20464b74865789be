"""Display names of key bindings, with the user's changes applied.

Maps keys of non-Latin keyboard layouts to the Latin key at the same position.

Contains only letters that no Latin layout has, so that typing one means the key.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from textual.app import App
from textual.binding import Binding, BindingsMap
from textual.content import Content
from textual.dom import DOMNode
from textual.keys import ASCII_KEY_NAMES, KEY_NAME_REPLACEMENTS, format_key
from textual.style import Style
from textual.widgets import Static

from frontdesk.text.clean import is_ascii_terminal
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.widgets.bar import Hint
from frontdesk.tui.widgets.virtual_list import VirtualList

UNCHANGED: Mapping[str, str] = MappingProxyType({})

# Symbols that differ from Textual's, and that of the arrows in a list below an input field.
_SYMBOLS = {"enter": "↵", "arrows": "↑↓"}

_NAMED = re.compile(r"\{([a-z_]+\.[a-z_0-9]+|enter)\}")


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
        self._keys["enter"] = "enter"

    def __getitem__(self, action: str) -> str:
        return key_label(self._keys[action])

    def fill(self, words: str) -> str:
        """Replace each {binding.id} by the name of its key; only for texts of this program.

        Raises: KeyError: unknown binding id.
        """
        return _NAMED.sub(lambda found: self[found[1]], words)

    def links(self, words: str) -> Content:
        """A text with {binding.id} and {enter}, whose groups press their key when clicked.

        Three blanks separate groups. In one with several keys, each is a link of its own.
        """
        links: list[Content] = []
        for group in words.split("   "):
            parts = _NAMED.split(group)
            keys = [self._keys[id] for id in parts[1::2]]
            linked = [(text, keys[at // 2] if at % 2 else "") for at, text in enumerate(parts)]
            shown = [(key_label(key) if key else text, key) for text, key in linked]
            if len(keys) == 1:
                shown = [("".join(text for text, _ in shown), keys[0])]
            links += [_link(text, key) for text, key in [*shown, ("   ", "")] if text]
        return Content.assemble(*links[:-1])

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
    return app.changed_keys if isinstance(app, CrashReportingApp) else UNCHANGED


def _link(text: str, keys: str) -> Content:
    """A text that presses the first of the comma-separated keys when clicked, if there is one."""
    if not keys:
        return Content(text)
    press = f"app.simulate_key({keys.partition(',')[0]!r})"
    return Content.styled(text, Style.from_meta({"@click": press}))


class HintLine(Static):
    """Keys of a dialog and what they do, as links."""

    def __init__(self, words: str, *, id: str) -> None:
        """words: with {binding.id} for keys of the dialog, and {enter}."""
        super().__init__(id=id, classes="hints")
        self._hints = words

    def on_mount(self) -> None:
        keys = KeyNames((type(self.screen), VirtualList), changed_keys(self.app))
        self.update(keys.links(self._hints))


def key_label(keys: str) -> str:
    """Display name of the first of an action's comma-separated keys, or of the "arrows".

    A symbol that the terminal's font lacks is replaced by the name of its key.
    """
    *modifiers, key = keys.partition(",")[0].split("+")
    ctrl = "^" if "ctrl" in modifiers else ""
    rest = [modifier for modifier in modifiers if modifier != "ctrl"]
    symbol = _SYMBOLS.get(key) or format_key(key)
    shown = symbol if symbol.isascii() or not is_ascii_terminal(os.environ) else key
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
