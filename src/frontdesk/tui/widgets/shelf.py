"""Widgets of the catalogue views: list of entries, and details of the selected one."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from rich.cells import cell_len
from rich.style import Style

from frontdesk.tui.widgets.cells import Piece, fit, spread, wrap
from frontdesk.tui.widgets.rows import FixedRows
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import ConversationFilter

# A function that draws lines of exactly the given width.
Block = Callable[[int], list[list[Piece]]]

_HEX = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)
_LABEL_WIDTH = 18
SWATCH = "██"


@dataclass(frozen=True, slots=True)
class Entry:
    """List row. `aside` follows the name; `count` and `hint` are right-aligned.

    words: further text for searching. swatch: a colour from `colour_of`. copied: text for the copy
    action. chosen: filter for its conversations, if `/v1` has one.
    """

    id: str
    name: str
    aside: str = ""
    count: str = ""
    hint: str = ""
    hint_part: str = "dim"
    swatch: str | None = None
    words: str = ""
    copied: str = ""
    chosen: ConversationFilter | None = None


def colour_of(text: str) -> str | None:
    """The text if it is a colour #rrggbb, otherwise None."""
    return text if _HEX.fullmatch(text) else None


R = TypeVar("R")


class ColouredList(VirtualList[R]):
    """List whose parts may also be colours, as #rrggbb."""

    def part(self, name: str) -> Style:
        if name.startswith("#"):
            return Style(color=name, bgcolor=super().part("text").bgcolor)
        return super().part(name)


class EntryList(ColouredList[Entry]):
    """List with one line per entry."""

    _longest = 0

    def put(self, entries: Sequence[Entry]) -> None:
        """Show these entries; the cursor stays on its entry by id."""
        first = self.rows is None
        self.rows = FixedRows([(entry.id, entry) for entry in entries])
        longest = max((cell_len(entry.name) for entry in entries), default=0)
        if longest != self._longest:
            self._longest = longest
            self.forget_drawn()
        if first:
            self.show(self.rows)
        else:
            self.rows_changed()

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        entry = self.rows[position]
        return f"{entry.name} {entry.aside} {entry.words}"

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        entry = self.rows[position]
        name = fit(entry.name, min(self._longest, width // 2)) if entry.aside else entry.name
        left: list[Piece] = [("text", name)]
        if entry.swatch is not None:
            left.insert(0, (entry.swatch, f"{SWATCH} "))
        if entry.aside:
            left.append(("dim", f"  {entry.aside}"))
        right: list[Piece] = [("dim", f" {entry.count}")] if entry.count else []
        if entry.hint:
            right.append((entry.hint_part, f" {entry.hint}"))
        return [spread(left, right, width)]


class Details(ColouredList[Block]):
    """Scrollable blocks of lines."""

    HALF_PAGE_AT_EDGE = False

    def put(self, blocks: Sequence[Block], *, keep_place: bool) -> None:
        """Show these blocks; `keep_place` if they describe the same entry as before."""
        self.rows = FixedRows([(f"{at}", block) for at, block in enumerate(blocks)])
        if keep_place:
            self.rows_changed()
        else:
            self.show(self.rows)

    def words_at(self, position: int) -> str:
        assert self.rows is not None
        lines = self.rows[position](max(1, self.size.width - 2))
        return " ".join(text for line in lines for _, text in line)

    def draw(self, position: int, width: int) -> list[list[Piece]]:
        assert self.rows is not None
        return self.rows[position](width)


def title(text: str, *after: Piece) -> Block:
    """A name in bold, with further pieces on the same line."""
    return lambda width: [spread([("strong", text), *after], (), width)]


def heading(text: str) -> Block:
    """A heading below a blank line."""
    return lambda width: [[("text", fit("", width))], [("dim", fit(text, width))]]


def fact(label: str, value: str, part: str = "text", *, swatch: str | None = None) -> Block:
    """A named value, wrapped beside its name; a dash if it is empty."""

    def draw(width: int) -> list[list[Piece]]:
        beside = min(_LABEL_WIDTH, width // 2)
        room = max(1, width - beside)
        lines: list[list[Piece]] = []
        for at, line in enumerate(wrap(value or "–", room - (3 if swatch else 0))):
            pieces: list[Piece] = [("dim", fit("" if at else label, beside))]
            if swatch:
                pieces.append((swatch, f"{SWATCH} " if not at else "   "))
            pieces.append((part, fit(line, room - (3 if swatch else 0))))
            lines.append(pieces)
        return lines

    return draw


def paragraph(text: str, part: str = "text") -> Block:
    """Wrapped text."""
    return lambda width: [[(part, fit(line, width))] for line in wrap(text, width)]


def entry_line(left: Sequence[Piece], right: Sequence[Piece] = ()) -> Block:
    """Pieces on one line."""
    return lambda width: [spread(left, right, width)]
