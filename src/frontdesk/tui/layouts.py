"""Keys of keyboards without Latin letters, as the Latin keys at the same place.

Only letters that no Latin layout has are known: whoever types them meant the key, not the letter.
"""

import unicodedata
from collections.abc import Iterator
from types import MappingProxyType

from textual.keys import ASCII_KEY_NAMES, KEY_NAME_REPLACEMENTS

_LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./`"
_SHIFTED = 'QWERTYUIOP{}ASDFGHJKL:"ZXCVBNM<>?~'

# What the keys of _LATIN have on other keyboards; a space where it is no letter of the script.
# The first layout that has a letter says where it is.
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
            # A final sigma has no capital of its own.
            if upper != other and upper.lower() == other:
                yield upper, shifted


_LATIN_OF = MappingProxyType(dict(reversed(list(_places()))))


def key_of(character: str) -> str:
    """The name of the key of a character, as Textual names it: "a", "comma", "question_mark"."""
    key = character
    if not character.isalnum():
        try:
            key = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
        except ValueError:
            key = ASCII_KEY_NAMES.get(character, character)
    return KEY_NAME_REPLACEMENTS.get(key, key)


def latin_key(character: str) -> str | None:
    """The character that the same key has on a Latin keyboard; None: it is none of those."""
    return _LATIN_OF.get(character)
