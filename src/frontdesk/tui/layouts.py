"""Keys of keyboards without Latin letters, as the Latin keys at the same place.

Only letters that no Latin layout has are known: whoever types them meant the key, not the letter.
"""

from collections.abc import Iterator
from types import MappingProxyType

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


def latin_key(character: str) -> str | None:
    """The character that the same key has on a Latin keyboard; None: it is none of those."""
    return _LATIN_OF.get(character)
