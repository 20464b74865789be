"""Writes rows as CSV, Markdown, JSON and JSON lines: the one place that knows these formats.

JSON has the server's data. CSV has ISO 8601 times and a column per member; cells that a spreadsheet
would take for formulas are prefixed with an apostrophe. Tables on a terminal: `cli/output.py`.
"""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Generic, TextIO, TypeAlias, TypeVar

from frontdesk.phones import format_phone
from frontdesk.text import clean, compact_json, escape_formula, one_line
from frontdesk.time_format import in_zone
from frontdesk.wire import Wire, instant

Cell: TypeAlias = str | int | float | bool | None

# Begins CSV files: without it, Excel takes UTF-8 for the code page of the computer.
BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Output column. `heading`: title in tables; columns without one appear only in CSV.

    moment, phone: tables show the local time, and a number with its digits grouped. flexible: long
    values are truncated to the terminal. styles: Rich styles of values on a terminal.
    """

    name: str
    read: Callable[[T], Cell]
    heading: str = ""
    moment: bool = False
    phone: bool = False
    flexible: bool = False
    styles: Mapping[Cell, str] = field(default_factory=dict)

    def readable(self, row: T) -> str:
        """Format the cell of a row for people; "-" if it is empty."""
        cell = self.read(row)
        if self.moment and isinstance(cell, str):
            return local_time(cell)
        if self.phone and isinstance(cell, str):
            return format_phone(cell) or "-"
        return cell_text(cell)


def local_time(text: str | None, zone: tzinfo | None = None) -> str:
    """Format a timestamp to the minute; unreadable ones are unchanged, "-" for none."""
    if not text:
        return "-"
    moment = instant(text)
    return f"{in_zone(moment, zone):%Y-%m-%d %H:%M}" if moment else text


def cell_text(cell: Cell) -> str:
    """Format a cell for tables; "-" if empty."""
    if cell is None or cell == "":
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(cell)


class Writer(Generic[T]):
    """Writes rows in a format; one that needs all rows first writes them in `end`.

    member_row: what JSON has of a row.
    """

    def __init__(
        self,
        out: TextIO,
        columns: Sequence[Column[T]] = (),
        member_row: Callable[[T], object] = lambda row: row,
    ) -> None:
        self.out = out
        self.columns = columns
        self.headed = [column for column in columns if column.heading]
        self.member_row = member_row
        self.begin()

    def begin(self) -> None:
        """Write what comes before the rows."""

    def add(self, row: T) -> None:
        raise NotImplementedError

    def end(self) -> None:
        self.out.flush()


class JsonLines(Writer[T]):
    """A line of JSON per row."""

    def add(self, row: T) -> None:
        self.out.write(json_line(self.member_row(row)) + "\n")


class JsonArray(Writer[T]):
    """An array with a line per row."""

    def begin(self) -> None:
        self._before = "[\n"

    def add(self, row: T) -> None:
        self.out.write(self._before + json_line(self.member_row(row)))
        self._before = ",\n"

    def end(self) -> None:
        self.out.write("[]\n" if self._before == "[\n" else "\n]\n")
        super().end()


class Csv(Writer[T]):
    """All columns, below their names."""

    def __init__(
        self,
        out: TextIO,
        columns: Sequence[Column[T]] = (),
        member_row: Callable[[T], object] = lambda row: row,
        line_end: str = "\r\n",
    ) -> None:
        # Deferred: the first paint does not need it.
        import csv

        self._csv = csv.writer(out, lineterminator=line_end)
        super().__init__(out, columns, member_row)

    def begin(self) -> None:
        self._csv.writerow([column.name for column in self.columns])

    def add(self, row: T) -> None:
        self._csv.writerow([_csv_cell(column.read(row)) for column in self.columns])


class Markdown(Writer[T]):
    """A table of the columns with headings."""

    def begin(self) -> None:
        headings = [column.heading.capitalize() for column in self.headed]
        for cells in (headings, ["---"] * len(headings)):
            self.out.write(_markdown_row(cells) + "\n")

    def add(self, row: T) -> None:
        cells = (markdown_cell(column.readable(row)) for column in self.headed)
        self.out.write(_markdown_row(cells) + "\n")


def csv_text(rows: Iterable[T], columns: Sequence[Column[T]], line_end: str = "\r\n") -> str:
    """Return the contents of a CSV file, which begins with a byte order mark."""
    out = io.StringIO()
    out.write(BYTE_ORDER_MARK)
    writer = Csv(out, columns, line_end=line_end)
    for row in rows:
        writer.add(row)
    return out.getvalue()


def json_line(row: object) -> str:
    """Encode a row on one line; of a wire value the members that the server sent."""
    return row.model_dump_json(exclude_unset=True) if isinstance(row, Wire) else compact_json(row)


def json_text(value: Wire | Sequence[Wire]) -> str:
    """Return the contents of a JSON file: indented, with what the server sent."""
    # Deferred: the first paint does not need it.
    import json

    body: Any
    if isinstance(value, Wire):
        body = value.model_dump(mode="json", exclude_unset=True)
    else:
        body = [row.model_dump(mode="json", exclude_unset=True) for row in value]
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def nested_json(value: Mapping[str, Any] | Sequence[Any]) -> str:
    """Encode nested members in one cell, "" if empty."""
    return compact_json(value) if value else ""


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; all columns but the first are aligned to the right."""
    marks = ("---", *("---:" for _ in headings[1:]))
    cells = [map(markdown_cell, row) for row in (headings, *rows)]
    return "\n".join(map(_markdown_row, (cells[0], marks, *cells[1:])))


def markdown_cell(text: str) -> str:
    """Text of a table's cell with Markdown syntax escaped, on one line."""
    return escape_markdown(one_line(clean(text)))


def escape_markdown(text: str) -> str:
    """Escape Markdown syntax in a text that stands inside of a line."""
    return _MARKDOWN.sub(r"\\\1", text)


def _csv_cell(cell: Cell) -> Cell:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return escape_formula(cell) if isinstance(cell, str) else cell


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
