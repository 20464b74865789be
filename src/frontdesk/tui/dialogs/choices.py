"""Value types for the entries of menus and pickers."""

from collections.abc import Sequence
from typing import NamedTuple


class MenuEntry(NamedTuple):
    """Menu entry: the letter that selects it, the result, and the label."""

    letter: str
    value: str
    words: str


class Choice(NamedTuple):
    """Picker entry: `value` is the result, `words` the label, `hint` is right-aligned.

    `spans` are (start, end) offsets of the highlighted parts of `words`.
    """

    value: str
    words: str
    hint: str = ""
    spans: Sequence[tuple[int, int]] = ()
