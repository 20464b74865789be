"""Maps keys of non-Latin keyboard layouts to the Latin key at the same position.

Contains only letters that no Latin layout has, so that typing one means the key.
"""

import unicodedata
from collections.abc import Iterator
from types import MappingProxyType

from textual.keys import ASCII_KEY_NAMES, KEY_NAME_REPLACEMENTS

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
