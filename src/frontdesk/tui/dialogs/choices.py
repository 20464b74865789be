"""Value types for the entries of menus and pickers."""

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

V = TypeVar("V")


class MenuEntry(NamedTuple, Generic[V]):
    """Menu entry: the letter that selects it, the result, and the label."""

    letter: str
    value: V
    words: str


class Choice(NamedTuple, Generic[V]):
    """Picker entry: `value` is the result, `words` the label, `hint` is right-aligned.

    `spans` are (start, end) offsets of the highlighted parts of `words`. synonyms: words that find
    it too. heading: of a group that begins here.
    """

    value: V
    words: str
    hint: str = ""
    spans: Sequence[tuple[int, int]] = ()
    synonyms: str = ""
    heading: str = ""
