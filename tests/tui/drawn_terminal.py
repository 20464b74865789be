"""A terminal that shows what an app draws, update by update."""

from typing import Any

import pyte
from rich.cells import cell_len
from textual.app import App

from tests.tui.textual_private import rendered_anew

SIZE = (120, 40)


class Terminal:
    """Shows what the viewer draws. frames: how many characters each update took."""

    def __init__(self) -> None:
        self._canvas = pyte.Screen(*SIZE)
        self._stream = pyte.Stream(self._canvas)
        self.frames: list[int] = []

    def draw(self, app: App[Any], renderable: Any) -> None:
        """What a driver would write."""
        if renderable is not None:
            columns, rows = app.size
            self._canvas.resize(rows, columns)
            sequence = renderable.render_segments(app.console)
            self.frames.append(len(sequence))
            self._stream.feed(sequence)

    @property
    def lines(self) -> list[str]:
        """Line by line."""
        for cells in self._canvas.buffer.values():
            for x, cell in list(cells.items()):
                # What covers the first half of a wide character clears the second.
                if not cell.data and (not x or cell_len(cells[x - 1].data[:1] or " ") != 2):
                    cells[x] = cell._replace(data=" ")
        return [line.rstrip() for line in self._canvas.display]

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        """Every cell with the colours that are seen of it."""
        columns, lines = range(self._canvas.columns), range(self._canvas.lines)
        return [[_seen(self._canvas.buffer[y][x]) for x in columns] for y in lines]


def _seen(cell: pyte.screens.Char) -> pyte.screens.Char:
    lines = cell.underscore or cell.strikethrough or cell.reverse
    return cell if cell.data != " " or lines else pyte.screens.Char(" ", bg=cell.bg)


def drawn_anew(app: App[Any]) -> Terminal:
    """What all there is to see looks like, when nothing of it is kept."""
    terminal = Terminal()
    terminal.draw(app, rendered_anew(app))
    return terminal
