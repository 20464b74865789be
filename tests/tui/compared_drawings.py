"""The texts in drawings/ are what widgets draw: `--update-screenshots` rewrites them."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len

from frontdesk.tui.widgets.text_layout import Piece

DRAWINGS = Path(__file__).parent / "drawings"

# Letters of frequent inks, and of those that follow; a legend explains them.
_LETTERS = {"text": ".", "strong": "s", "dim": "d", "accent": "a", "warning": "w", "line": "-"}
_FURTHER = "0123456789bcefghijklmnopqrtuvxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Drawing:
    """Drawn lines under titles, each above a line that has a letter for the ink of each cell."""

    def __init__(self) -> None:
        self._letters = dict(_LETTERS)
        self._lines: list[str] = []

    def add(self, title: str, lines: Iterable[Sequence[Piece]]) -> None:
        """Add the lines of a row or a whole part of the screen."""
        self._lines += ["", f"== {title}"]
        for line in lines:
            self._lines.append("".join(text for _, text in line).rstrip())
            inks = (self._letter(part) * cell_len(text) for part, text in line)
            self._lines.append("".join(inks))

    def add_text(self, title: str, lines: Iterable[str]) -> None:
        """Add lines without their inks."""
        self._lines += ["", f"== {title}", *(line.rstrip() for line in lines)]

    def _letter(self, part: str) -> str:
        return self._letters.setdefault(part, _FURTHER[len(self._letters) - len(_LETTERS)])

    def compare(self, config: pytest.Config, name: str) -> None:
        """Compare with the text of this name; with --update-screenshots, write that."""
        legend = [f"{letter} {part}" for part, letter in self._letters.items()]
        text = "\n".join([*legend, *self._lines]) + "\n"
        path = DRAWINGS / f"{name}.txt"
        if config.getoption("--update-screenshots"):
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8"), "run with --update-screenshots"
