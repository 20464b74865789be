"""The last answers with their tags, so that the server can say that nothing changed."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, TypeAlias

Question: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

MOST_ANSWERS = 64
LARGEST_BODY = 512 * 1024
# After so many answers of "unchanged" the whole is asked for once, to see whether that is true.
TRUSTED = 20
_LONGEST_TAG = 512


@dataclass
class Kept:
    """A value, the tag it came with, and how often in a row it was still what the server has."""

    tag: str
    value: Any
    unchanged: int = 0


class Shelf:
    """Values by the question they answered; the ones used least lately go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Question, Kept] = OrderedDict()
        self._trusted = True

    def offer(self, question: Question) -> Kept | None:
        """What the server may call unchanged; None when it is to answer in full."""
        kept = self._kept.get(question)
        return kept if kept and self._trusted and kept.unchanged < TRUSTED else None

    def keep(self, question: Question, tag: str, value: Any, length: int) -> bool:
        """Put an answer on the shelf.

        False when it shows that the server's tags mean nothing: other rows, and the same tag.
        """
        before = self._kept.pop(question, None)
        if before and before.tag == tag and _rows(before.value) != _rows(value):
            self._trusted = False
            self._kept.clear()
        if self._trusted and _sendable(tag) and length <= LARGEST_BODY:
            self._kept[question] = Kept(tag, value)
            if len(self._kept) > MOST_ANSWERS:
                self._kept.popitem(last=False)
        return self._trusted

    def unchanged(self, question: Question, kept: Kept) -> Any:
        """The value that was offered, which is still what the server has."""
        kept.unchanged += 1
        if question in self._kept:
            self._kept.move_to_end(question)
        return kept.value


def _rows(value: Any) -> Any:
    """The rows of a page. What is not a page may say when it was made, without a new tag."""
    return getattr(value, "data", None)


def _sendable(tag: str) -> bool:
    return 0 < len(tag) <= _LONGEST_TAG and tag.isascii() and tag.isprintable()
