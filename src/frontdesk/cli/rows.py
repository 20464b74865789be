"""Prints the rows of a list: how many, where they begin, and what is left."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import click

from frontdesk.cli.base import WholeNumber
from frontdesk.cli.exit_codes import say
from frontdesk.cli.output import Output
from frontdesk.cli.progress import Progress, counted_page, report_unreadable
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import BadSettings
from frontdesk.exports.tables import Column, Writer, json_line
from frontdesk.reports.sheets import SortValue, in_order, parse_order
from frontdesk.selection.conversations import ConversationWalk, ListPlace
from frontdesk.wire.queries import MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T")
# Requests a list in pages of a size, from a cursor on.
Request: TypeAlias = "Callable[[int, str | None], RowPages[Any]]"
Prepare: TypeAlias = "Callable[[InboxClient], Awaitable[Request | Selection]]"
Complete: TypeAlias = "Callable[[InboxClient, Any], Awaitable[Any]]"
Add: TypeAlias = Callable[[Any], Awaitable[None]]

DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Extent:
    """Range of rows: `limit` of them, None for all, from `cursor` on.

    page: written as one JSON object, with the cursor of what follows.
    """

    limit: int | None
    cursor: str | None = None
    page: bool = False


def extent_options(command: F) -> Callable[..., object]:
    """Add `--limit`, `--all`, `--cursor` and `--page`, which make up the argument `extent`."""

    @wraps(command)
    def limited(
        *values: Any,
        limit: int | None,
        all_rows: bool,
        cursor: str | None,
        page: bool,
        **others: Any,
    ) -> object:
        for option in [name for name, value in (("--limit", limit), ("--page", page)) if value]:
            if all_rows:
                raise click.UsageError(f"--all does not go with {option}")
        extent = Extent(None if all_rows else limit or DEFAULT_LIMIT, cursor, page)
        return command(*values, extent=extent, **others)

    options = (
        click.option(
            "--limit",
            type=WholeNumber(1),
            metavar="N",
            help=f"Maximum number of rows.  [default: {DEFAULT_LIMIT}]",
        ),
        click.option("--all", "all_rows", is_flag=True, help="Print all rows."),
        click.option("--cursor", help="Continue where an earlier list ended."),
        click.option(
            "--page",
            is_flag=True,
            help="Print one JSON object: the rows as data, and next_cursor, null at the end.",
        ),
    )
    for option in reversed(options):
        limited = option(limited)
    return limited


def sort_option(command: F) -> F:
    """Add `--sort`, the argument `order`."""
    return click.option(
        "--sort",
        "order",
        metavar="COLUMN",
        help="Sort by a column of the CSV: words and ids from the first, numbers from the highest, "
        "times from the newest, and with - before it the other way round.",
    )(command)


def sorted_rows(rows: Sequence[T], columns: Sequence[Column[T]], text: str) -> list[T]:
    """Sort rows by a column, as tables of reports are.

    Raises: BadSettings: there is no such column.
    """
    order = parse_order(text)
    column = next((column for column in columns if column.name == order.key), None)
    if column is None:
        there = ", ".join(column.name for column in columns)
        raise BadSettings(f"There is no column {order.key!r} in this list: there is {there}")
    cells = [cell for row in rows if (cell := column.read(row)) not in (None, "")]
    has_words = any(isinstance(cell, str) and not cell.isdecimal() for cell in cells)

    def value(row: T) -> SortValue | None:
        cell = column.read(row)
        if cell is None or cell == "":
            return None
        # Ids are numbers, and a number among words is one of them.
        return str(cell) if has_words else int(cell) if isinstance(cell, str) else cell

    ascending = not column.moment and any(isinstance(cell, str) for cell in cells)
    return in_order(rows, value, descending=ascending == order.reverse)


class Selection(NamedTuple):
    """Rows that are selected here. walk: makes the walk, with a function that takes its progress.

    cursor_of: returns the text of a place in it.
    """

    walk: Callable[[Callable[[int], Awaitable[object]]], ConversationWalk]
    cursor_of: Callable[[ListPlace], Awaitable[str]]


class _CursorPage(Writer[Any]):
    """A JSON object with the rows and the cursor of what follows, null for none."""

    next_cursor: str | None = None

    def begin(self) -> None:
        self._rows: list[str] = []

    def add(self, row: Any) -> None:
        self._rows.append(json_line(self.member_row(row)))

    def end(self) -> None:
        data, cursor = ",\n".join(self._rows), json_line(self.next_cursor)
        self.out.write(f'{{"data":[{data}],"next_cursor":{cursor}}}\n')
        super().end()


async def as_it_is(client: "InboxClient", row: Any) -> Any:
    return row


def print_list(
    target: Target,
    output: Output,
    noun: str,
    columns: Sequence[Column[Any]],
    extent: Extent,
    prepare: Prepare,
    *,
    order: str | None = None,
    complete: Complete = as_it_is,
    writers: Mapping[str, type[Writer[Any]]] = MappingProxyType({}),
) -> None:
    """Print a list of the target. noun: what the rows are, in the plural.

    order: a column to sort by, of a list of the server. complete: returns what is written of a row.
    writers: of formats that only this list has.
    """
    if order is not None and (extent.page or extent.cursor is not None):
        raise click.UsageError(
            "--sort needs the whole list: it does not go with --page or --cursor"
        )
    if extent.page:
        output = output.as_one_of("--page", "json")

    async def work(client: "InboxClient") -> None:
        writer: Writer[Any]
        if extent.page:
            writer = output.writer(columns, kind=_CursorPage)
        else:
            writer = output.writer(columns, kind=writers.get(output.format))
        # Rows and progress on the same terminal would mix.
        progress = Progress(shown=output.format == "table" or not sys.stdout.isatty())
        request = await prepare(client)

        async def add(row: Any) -> None:
            writer.add(await complete(client, row))

        try:
            if order is not None and not isinstance(request, Selection):
                cursor = await _print_sorted(request, add, noun, extent, progress, columns, order)
            elif isinstance(request, Selection):
                cursor = await _print_selection(request, add, noun, extent, progress)
            else:
                cursor = await _print_request(request, add, noun, extent, progress)
        finally:
            progress.clear()
        if isinstance(writer, _CursorPage):
            writer.next_cursor = cursor
        writer.end()
        if cursor is not None and extent.limit is not None and not extent.page:
            is_text = output.format == "table" or order is not None
            _hint(noun, None if is_text else cursor, extent.limit)

    run_with_client(target, work, waits=True)


async def _print_request(
    request: Request, add: Add, noun: str, extent: Extent, progress: Progress
) -> str | None:
    """Print rows of a list of the server; return the cursor of what follows."""
    left, unreadable = extent.limit, 0
    rows = request(MAX_LIMIT if left is None else min(left, MAX_LIMIT), extent.cursor)
    while not rows.ended and left != 0:
        data = (await counted_page(rows, noun, progress)).data[:left]
        for row in data:
            await add(row)
        left = None if left is None else left - len(data)
        if left and left < MAX_LIMIT and not rows.ended:
            # The last page ends where the limit does, so that its cursor continues there.
            unreadable += rows.unreadable
            rows = request(left, rows.cursor)
    progress.clear()
    report_unreadable(unreadable + rows.unreadable)
    _report_remark(rows.remark)
    return rows.cursor


async def _print_sorted(
    request: Request,
    add: Add,
    noun: str,
    extent: Extent,
    progress: Progress,
    columns: Sequence[Column[Any]],
    order: str,
) -> str | None:
    """Print the first rows in an order; return "" if more follow, which have no cursor."""
    found: list[Any] = []

    async def collect(row: Any) -> None:
        found.append(row)

    await _print_request(request, collect, noun, Extent(None), progress)
    rows = sorted_rows(found, columns, order)
    for row in rows[: extent.limit]:
        await add(row)
    return "" if extent.limit is not None and extent.limit < len(rows) else None


async def _print_selection(
    selection: Selection, add: Add, noun: str, extent: Extent, progress: Progress
) -> str | None:
    """Print rows that are selected here; return the cursor of what follows."""

    async def show(examined: int) -> None:
        progress.say(f"{examined:,} {noun} …")

    walk = selection.walk(show)
    left, behind = extent.limit, None
    async for row, place in walk:
        if left == 0:
            break
        await add(row)
        left, behind = None if left is None else left - 1, place
    else:
        behind = None
    progress.clear()
    report_unreadable(walk.unreadable)
    _report_remark(walk.remark)
    return None if behind is None else await selection.cursor_of(behind)


def _report_remark(remark: str) -> None:
    if remark:
        say(remark)


def _hint(noun: str, cursor: str | None, limit: int) -> None:
    """Say that there are more rows, and how to get them: to a program by the cursor, if any."""
    printable = cursor and cursor.isascii() and cursor.isprintable() and " " not in cursor
    by_cursor = printable and not sys.stderr.isatty()
    say(f"more {noun}: --all, or {f'--cursor {cursor}' if by_cursor else f'--limit {2 * limit}'}")
