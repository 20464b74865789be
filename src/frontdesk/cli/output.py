"""Output of commands: tables of Rich, and the formats of `tables.py`."""

import io
import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import pairwise
from typing import Any, TextIO, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console
from rich.table import Table
from rich.text import Text

from frontdesk.cli.base import JSON_OPTION
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import (
    BYTE_ORDER_MARK,
    Cell,
    Column,
    Csv,
    JsonArray,
    JsonLines,
    Markdown,
    Writer,
    json_line,
)
from frontdesk.text.clean import clean, one_line, width_safe
from frontdesk.wire import Wire, timestamp

# Width of a table that no terminal limits, and the least of a column that is truncated.
_UNLIMITED, _LEAST = 1_000_000, 8
# The least of the first column of a table that is split.
_LEAST_NAME = 24

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


JSON_FORMATS = ("json", "jsonl")

# Names and values of one thing.
FACTS: tuple[Column[tuple[str, Cell]], ...] = (
    Column("member", lambda fact: fact[0], "NAME"),
    Column("value", lambda fact: fact[1], "VALUE", flexible=True),
)


@dataclass(frozen=True, slots=True)
class Output:
    """Output of a command. fields: members of JSON, all if empty; with a dot, of nested values.

    bom: CSV begins with a byte order mark; None: if it is written to a file.
    """

    format: str
    fields: tuple[str, ...] = ()
    bom: bool | None = None

    def as_one_of(self, option: str, *formats: str) -> "Output":
        """Return this output in one of the formats that an option needs, by default the first.

        Raises: UsageError: another format was chosen.
        """
        return replace(self, format=_format_for(option, self.format, formats))

    def writer(
        self,
        columns: Sequence[Column[T]] = (),
        out: TextIO | None = None,
        kind: "type[Writer[T]] | None" = None,
    ) -> "Writer[T]":
        """Return a writer in the format, or of a kind; by default to standard output."""
        out = out or standard_output()
        if self.format == "csv" and (is_empty_file(out) if self.bom is None else self.bom):
            out.write(BYTE_ORDER_MARK)
        members = partial(_members, fields=self.fields)
        return (kind or _WRITERS[self.format])(out, columns, members)

    def write(self, rows: Iterable[T], columns: Sequence[Column[T]] = ()) -> None:
        writer = self.writer(columns)
        for row in rows:
            writer.add(row)
        writer.end()

    def write_value(self, value: object) -> None:
        """Write one value as JSON."""
        out = standard_output()
        out.write(json_of(value, self.fields) + "\n")
        out.flush()


def output_options(
    *formats: str, default: str = "table", members: Collection[str] = ()
) -> Callable[[F], F]:
    """Add `--format` and `--json`, which make up the argument `output`.

    members: of the JSON, for commands that must not fail once they have done their work.
    """

    def with_options(command: F) -> Any:
        @wraps(command)
        def writing(
            *values: Any, style: str, fields: str | None, bom: bool | None = None, **others: Any
        ) -> object:
            names = tuple(name.strip() for name in (fields or "").split(",") if name.strip())
            for name in names if members else ():
                _member(dict.fromkeys(members), name)
            if fields is not None:
                style = _format_for(JSON_OPTION, style, JSON_FORMATS)
            if bom is not None and style != "csv":
                raise click.UsageError("--bom and --no-bom go with --format csv only")
            return command(*values, output=Output(style, names, bom), **others)

        choice = click.option(
            "--format",
            "style",
            type=click.Choice(formats or tuple(_WRITERS)),
            default=default,
            show_default=True,
            help="Output format.",
        )
        json_fields = click.option(
            JSON_OPTION,
            "fields",
            is_flag=False,
            flag_value="",
            metavar="[FIELDS]",
            help="Print JSON; with FIELDS, such as id,contact.phone, only these members.",
        )
        mark = click.option(
            "--bom/--no-bom",
            default=None,
            help="Begin CSV with a byte order mark, for spreadsheets.  [default: in a file]",
        )
        has_csv = not formats or "csv" in formats
        return choice(json_fields(mark(writing) if has_csv else writing))

    return with_options


def _format_for(option: str, style: str, formats: Sequence[str]) -> str:
    """Return the format of an option that goes with these only, by default the first."""
    if style in formats:
        return style
    source = click.get_current_context().get_parameter_source("style")
    if source is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"{option} does not go with --format {style}")
    return formats[0]


def standard_output() -> TextIO:
    """Return standard output; characters missing in its encoding become question marks."""
    out = sys.stdout
    encoding = (out.encoding or "").lower().replace("-", "")
    if encoding != "utf8" and hasattr(out, "reconfigure"):
        out.reconfigure(errors="replace")
    return out


def is_empty_file(out: TextIO) -> bool:
    """Check if this is a file in UTF-8 that nothing was written to; False for pipes, terminals."""
    if (out.encoding or "").lower().replace("-", "") != "utf8":
        return False
    try:
        status = os.fstat(out.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == 0


def terminal_width(out: TextIO) -> int | None:
    """Return the terminal's width, None if `out` is no terminal."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    *,
    out: TextIO | None = None,
    width: int | None = None,
    rigid: Collection[int] = (),
    whole: Collection[int] = (),
    split: Collection[int] = (),
) -> str:
    """Format aligned columns, headings first; control characters are removed from cells.

    out: a terminal there limits the width and has colours. The widest columns are truncated first,
    then the last are left out; `rigid` ones never, for which lines may be longer, and `whole` ones
    are left out but not truncated. split: columns from which a table that is too wide is continued
    below, beside the first column again.
    """
    cells = [[table_cell(text) for text in row] for row in (headings, *rows)]
    widths = [max(cell.cell_len for cell in column) for column in zip(*cells, strict=True)]
    uncut = {*rigid, *whole}
    least = [width if at in uncut else min(width, _LEAST) for at, width in enumerate(widths)]
    width = width or (out and terminal_width(out)) or _UNLIMITED
    if split:
        least[0] = min(widths[0], _LEAST_NAME)
        parts = _split(least, width, split)
    else:
        parts = [_fitting(least, width, rigid)]
    drawn = io.StringIO()
    console = Console(
        file=drawn,
        width=max(width, *(_width_of(least, part) for part in parts)),
        force_terminal=out is not None and out.isatty(),
        legacy_windows=False,
    )
    for part in parts:
        grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for at in part:
            grid.add_column(cells[0][at], no_wrap=at in uncut)
        for row in cells[1:]:
            grid.add_row(*(row[at] for at in part))
        console.print(grid)
        console.line()
    return "\n".join(line.rstrip() for line in drawn.getvalue().split("\n")[:-2])


def _width_of(least: Sequence[int], columns: Sequence[int]) -> int:
    return sum(least[at] + 2 for at in columns) - 2


def _fitting(least: Sequence[int], width: int, rigid: Collection[int]) -> list[int]:
    """Return the columns that fit, all but the last that are not rigid."""
    columns = list(range(len(least)))
    for at in reversed(columns[1:]):
        if at not in rigid and _width_of(least, columns) > width:
            columns.remove(at)
    return columns


def _split(least: Sequence[int], width: int, starts: Collection[int]) -> list[list[int]]:
    """Return the columns of each part; each has the first column and at least another."""
    parts = [[0]]
    edges = [1, *(at for at in range(2, len(least)) if at in starts), len(least)]
    for start, end in pairwise(edges):
        group = range(start, end)
        if len(parts[-1]) > 1 and _width_of(least, [*parts[-1], *group]) > width:
            parts.append([0])
        parts[-1] += group
    return parts


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table to standard output; no cell is truncated."""
    out = standard_output()
    out.write(table(headings, rows, out=out, rigid=range(len(headings))) + "\n")
    out.flush()


def table_cell(text: str | Text, style: str = "") -> Text:
    """Make a cell of a plain text. style: a Rich style, for terminals."""
    if isinstance(text, Text):
        return text
    return Text(plain(text), style, no_wrap=True, overflow="ellipsis")


def plain(text: str) -> str:
    """Make a text safe for terminals: one line, no control characters, stable width."""
    return text if text.isalnum() and text.isascii() else width_safe(one_line(clean(text)))


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


def json_of(row: object, fields: Sequence[str] = ()) -> str:
    """Encode a row as JSON; of a wire value only the members that the server sent.

    Raises: BadSettings: a field does not exist.
    """
    return json_line(_members(row, fields))


def _members(row: object, fields: Sequence[str]) -> object:
    """Return the row, or a mapping of some of its members. Raises: BadSettings."""
    if not fields:
        return row
    if isinstance(row, Wire):
        row = row.model_dump(mode="json")
    return {name: _member(row, name) for name in fields}


def _member(value: object, name: str) -> object:
    """Return a member, or that of a nested value by a path with dots."""
    for part in name.split("."):
        if value is None:
            return None
        if not isinstance(value, Mapping) or part not in value:
            known = f"there is {', '.join(value)}" if isinstance(value, Mapping) else "it has none"
            hint = "before an argument write --json="
            raise BadSettings(f"--json: no member {name!r}; {known}; {hint}")
        value = value[part]
    return value


class _Table(Writer[T]):
    def begin(self) -> None:
        self._rows: list[list[Text]] = []

    def add(self, row: T) -> None:
        self._rows.append(
            [
                table_cell(column.readable(row), column.styles.get(column.read(row), ""))
                for column in self.headed
            ]
        )

    def end(self) -> None:
        headings = [column.heading for column in self.headed]
        whole = [at for at, column in enumerate(self.headed) if column.whole]
        flexible = [at for at, column in enumerate(self.headed) if column.flexible]
        rigid = {*range(len(headings))} - {*whole, *flexible}
        text = table(headings, self._rows, out=self.out, rigid=rigid, whole=whole)
        self.out.write(f"{text}\n")
        super().end()


_WRITERS: Mapping[str, type[Writer[Any]]] = {
    "table": _Table,
    "json": JsonArray,
    "jsonl": JsonLines,
    "csv": Csv,
    "markdown": Markdown,
}
