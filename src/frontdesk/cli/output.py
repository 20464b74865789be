"""Output of rows: tables of Rich, Markdown, JSON, JSON lines and CSV.

JSON has the server's data. CSV has ISO 8601 times and a column per member; cells that a spreadsheet
would take for formulas are prefixed with an apostrophe.
"""

import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Generic, Protocol, TextIO, TypeVar

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from frontdesk.export import Cell, csv_cell, local_time, markdown_cell, markdown_row
from frontdesk.phones import format_phone
from frontdesk.text import clean, one_line, steady
from frontdesk.wire import Wire, timestamp

# Width of a table that no terminal limits.
_UNLIMITED = 1_000_000

FORMATS = ("table", "json", "jsonl", "csv", "markdown")

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
F = TypeVar("F", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Output column. `heading`: title in tables; columns without one appear only in CSV.

    moment, phone: tables show the local time, and a number with its digits grouped.
    """

    name: str
    read: Callable[[T], Cell]
    heading: str = ""
    moment: bool = False
    phone: bool = False


class Writer(Protocol[T_contra]):
    """Row writer; formats that need all rows first write them in `end`."""

    def add(self, row: T_contra) -> None: ...

    def end(self) -> None: ...


def format_option(*formats: str, default: str = "table") -> Callable[[F], F]:
    """Add the option `--format`."""
    return click.option(
        "--format",
        "style",
        type=click.Choice(formats or FORMATS),
        default=default,
        show_default=True,
        help="How to write it.",
    )


def writer_of(
    style: str,
    columns: Sequence[Column[T]],
    *,
    zone: tzinfo | None = None,
    out: TextIO | None = None,
) -> Writer[T]:
    """Return a writer for a format. zone: of times in tables, None for the local zone."""
    out = out or output()
    match style:
        case "json":
            return _JsonArray(out)
        case "jsonl":
            return _JsonLines(out)
        case "csv":
            return _Csv(out, columns)
        case "markdown":
            return _Markdown(out, columns, zone)
    return _Table(out, columns, zone)


def write_rows(writer: Writer[T], rows: Iterable[T]) -> None:
    for row in rows:
        writer.add(row)
    writer.end()


def output() -> TextIO:
    """Return standard output; characters missing in its encoding become question marks."""
    out = sys.stdout
    encoding = (out.encoding or "").lower().replace("-", "")
    if encoding != "utf8" and hasattr(out, "reconfigure"):
        out.reconfigure(errors="replace")
    return out


def terminal_width(out: TextIO) -> int | None:
    """Return the terminal's width, None if `out` is no terminal."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    out: TextIO | None = None,
    width: int | None = None,
    rigid: Collection[int] = (),
) -> str:
    """Format aligned columns, headings first; control characters are removed from cells.

    out: a terminal there limits the width and has colours. The widest columns are truncated first,
    `rigid` ones never.
    """
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, heading in enumerate(headings):
        grid.add_column(_cell(heading), no_wrap=at in rigid)
    for row in rows:
        grid.add_row(*map(_cell, row))
    terminal = out is not None and out.isatty()
    drawn = io.StringIO()
    console = Console(
        file=drawn,
        width=width or (out and terminal_width(out)) or _UNLIMITED,
        force_terminal=terminal,
        legacy_windows=False,
    )
    console.print(grid)
    return "\n".join(line.rstrip() for line in drawn.getvalue().split("\n")[:-1])


def _cell(text: str) -> Text:
    return Text(plain(text), no_wrap=True, overflow="ellipsis")


def plain(text: str) -> str:
    """Make a text safe for terminals: one line, no control characters, stable width."""
    return text if text.isalnum() and text.isascii() else steady(one_line(clean(text)))


def cut(text: str, width: int) -> str:
    """Truncate a plain text to `width` cells, with an ellipsis."""
    cell = Text(text)
    cell.truncate(width, overflow="ellipsis")
    return cell.plain


def moment(milliseconds: int | None) -> str:
    """Format epoch milliseconds to the minute in UTC; "-" for None."""
    if milliseconds is None:
        return "-"
    return timestamp(milliseconds)[:16].replace("T", " ") + "Z"


def json_of(row: object) -> str:
    """Encode a row as JSON; of a wire value only the members that the server sent."""
    if isinstance(row, Wire):
        return row.model_dump_json(exclude_unset=True)
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def shown(cell: Cell) -> str:
    """Format a cell for tables; "-" if empty."""
    if cell is None or cell == "":
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(cell)


class _JsonLines:
    def __init__(self, out: TextIO) -> None:
        self._out = out

    def add(self, row: object) -> None:
        self._out.write(json_of(row) + "\n")

    def end(self) -> None:
        self._out.flush()


class _JsonArray:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._before = "[\n"

    def add(self, row: object) -> None:
        self._out.write(self._before + json_of(row))
        self._before = ",\n"

    def end(self) -> None:
        self._out.write("[]\n" if self._before == "[\n" else "\n]\n")
        self._out.flush()


class _Csv(Generic[T]):
    def __init__(self, out: TextIO, columns: Sequence[Column[T]]) -> None:
        self._out = out
        self._columns = columns
        self._csv = csv.writer(out)
        self._csv.writerow([column.name for column in columns])

    def add(self, row: T) -> None:
        self._csv.writerow([csv_cell(column.read(row)) for column in self._columns])

    def end(self) -> None:
        self._out.flush()


class _Shown(Generic[T]):
    """Base of table writers: columns with a heading."""

    def __init__(self, out: TextIO, columns: Sequence[Column[T]], zone: tzinfo | None) -> None:
        self._out = out
        self._columns = [column for column in columns if column.heading]
        self._zone = zone

    def _texts(self, row: T) -> list[str]:
        return [self._text(column, column.read(row)) for column in self._columns]

    def _text(self, column: Column[T], cell: Cell) -> str:
        if column.moment and isinstance(cell, str):
            return local_time(cell, self._zone)
        if column.phone and isinstance(cell, str):
            return format_phone(cell) or "-"
        return shown(cell)


class _Table(_Shown[T]):
    def __init__(self, out: TextIO, columns: Sequence[Column[T]], zone: tzinfo | None) -> None:
        super().__init__(out, columns, zone)
        self._rows: list[list[str]] = []

    def add(self, row: T) -> None:
        self._rows.append(self._texts(row))

    def end(self) -> None:
        headings = [column.heading for column in self._columns]
        rigid = [at for at, column in enumerate(self._columns) if column.moment]
        self._out.write(table(headings, self._rows, out=self._out, rigid=rigid) + "\n")
        self._out.flush()


class _Markdown(_Shown[T]):
    def __init__(self, out: TextIO, columns: Sequence[Column[T]], zone: tzinfo | None) -> None:
        super().__init__(out, columns, zone)
        self._line([column.heading.capitalize() for column in self._columns])
        self._line(["---"] * len(self._columns))

    def add(self, row: T) -> None:
        self._line([markdown_cell(text) for text in self._texts(row)])

    def end(self) -> None:
        self._out.flush()

    def _line(self, cells: Sequence[str]) -> None:
        self._out.write(markdown_row(cells) + "\n")
