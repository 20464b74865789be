"""Plot characters: Unicode blocks, or ASCII for terminals without them."""

from collections.abc import Mapping
from dataclasses import dataclass

# Terminals whose fonts lack the block elements.
_PLAIN_TERMINALS = ("linux", "dumb", "vt")
_CHARSET_NAMES = ("LC_ALL", "LC_CTYPE", "LANG")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """levels: bars from lowest to highest, evenly spaced. gap: no value. zero: value zero.

    stem: full cell below the top of a bar.
    """

    levels: str
    zero: str
    gap: str
    stem: str
    before: str
    up: str
    down: str
    about: str
    axis: str
    corner: str
    floor: str
    bar: str


BLOCKS = Glyphs("▁▂▃▄▅▆▇█", "▁", "·", "█", "░", "▲", "▼", "≈", "┤", "┼", "─", "█")
ASCII = Glyphs("123456789", "0", ".", "#", ":", "+", "-", "~", "|", "+", "-", "#")


def glyphs_for(environment: Mapping[str, str]) -> Glyphs:
    """Blocks, unless the terminal or the locale is known not to support them."""
    if environment.get("TERM", "").startswith(_PLAIN_TERMINALS):
        return ASCII
    locale = next((environment[name] for name in _CHARSET_NAMES if environment.get(name)), "")
    charset = locale.partition(".")[2].partition("@")[0].lower().replace("-", "")
    return BLOCKS if charset in ("", "utf8") else ASCII
