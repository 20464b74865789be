"""What dialogs offer."""

from collections.abc import Sequence
from typing import NamedTuple


class Entry(NamedTuple):
    """A letter of a menu, what it answers, and what stands beside it."""

    letter: str
    value: str
    words: str


class Choice(NamedTuple):
    """What can be chosen: `value` goes back, `words` are shown, `hint` stands at the right.

    Each of `spans` is the start and the end of a part of the words that stands out.
    """

    value: str
    words: str
    hint: str = ""
    spans: Sequence[tuple[int, int]] = ()
