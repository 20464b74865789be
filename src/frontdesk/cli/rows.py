"""Prints the rows of a list: how many, where they begin, and what is left."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from frontdesk.cli.exit_codes import say
from frontdesk.cli.output import Output
from frontdesk.cli.progress import Progress, counted_page, report_unreadable, walked
from frontdesk.cli.target import Target, run_with_client
from frontdesk.exports.tables import Column, Writer
from frontdesk.wire.queries import MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

F = TypeVar("F", bound=Callable[..., object])
# Requests a list in pages of a size, from a cursor on.
Request: TypeAlias = "Callable[[int, str | None], RowPages[Any]]"
Prepare: TypeAlias = "Callable[[InboxClient], Awaitable[Request | Selection]]"

DEFAULT_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Extent:
    """Range of rows: `limit` of them, None for all, from `cursor` on."""

    limit: int | None
    cursor: str | None = None


def extent_options(command: F) -> Callable[..., object]:
    """Add `--limit`, `--all` and `--cursor`, which make up the argument `extent`."""

    @wraps(command)
    def limited(
        *values: Any, limit: int | None, all_rows: bool, cursor: str | None, **others: Any
    ) -> object:
        if all_rows and limit:
            raise click.UsageError("--all does not go with --limit")
        extent = Extent(None if all_rows else limit or DEFAULT_LIMIT, cursor)
        return command(*values, extent=extent, **others)

    options = (
        click.option(
            "--limit",
            type=click.IntRange(1),
            metavar="N",
            help=f"Maximum number of rows.  [default: {DEFAULT_LIMIT}]",
        ),
        click.option("--all", "all_rows", is_flag=True, help="Print all rows."),
        click.option("--cursor", help="Continue where an earlier list ended."),
    )
    for option in reversed(options):
        limited = option(limited)
    return limited


@dataclass(frozen=True, slots=True)
class Selection:
    """Rows of a list that are selected and ordered here. key: of their order, None for the list's.

    An order needs every row of the list.
    """

    request: Request
    keep: Callable[[Any], bool]
    key: Callable[[Any], Any] | None = None


def print_list(
    target: Target,
    output: Output,
    noun: str,
    columns: Sequence[Column[Any]],
    extent: Extent,
    prepare: Prepare,
) -> None:
    """Print a list of the target. noun: what the rows are, in the plural."""

    async def work(client: "InboxClient") -> None:
        writer = output.writer(columns)
        # RowPages and progress on the same terminal would mix.
        progress = Progress(shown=output.format == "table" or not sys.stdout.isatty())
        request = await prepare(client)
        if isinstance(request, Selection):
            await _print_selection(request, writer, noun, extent, progress)
            return
        left, unreadable = extent.limit, 0
        rows = request(MAX_LIMIT if left is None else min(left, MAX_LIMIT), extent.cursor)
        while not rows.ended and left != 0:
            data = (await counted_page(rows, noun, progress)).data[:left]
            for row in data:
                writer.add(row)
            left = None if left is None else left - len(data)
            if left and left < MAX_LIMIT and not rows.ended:
                # The last page ends where the limit does, so that its cursor continues there.
                unreadable += rows.unreadable
                rows = request(left, rows.cursor)
        progress.clear()
        writer.end()
        report_unreadable(unreadable + rows.unreadable)
        if rows.cursor is not None and extent.limit is not None:
            _hint(noun, rows.cursor if output.format != "table" else None, extent.limit)

    run_with_client(target, work, waits=True)


async def _print_selection(
    selection: Selection, writer: Writer[Any], noun: str, extent: Extent, progress: Progress
) -> None:
    rows = selection.request(MAX_LIMIT, extent.cursor)
    rows_read: list[Any] = []
    async for row in walked(rows, noun, progress):
        if selection.keep(row):
            rows_read.append(row)
        if selection.key is None and extent.limit is not None and len(rows_read) > extent.limit:
            break
    progress.clear()
    if selection.key is not None:
        rows_read.sort(key=selection.key)
    for row in rows_read[: extent.limit]:
        writer.add(row)
    writer.end()
    report_unreadable(rows.unreadable)
    if extent.limit is not None and len(rows_read) > extent.limit:
        _hint(noun, None, extent.limit)


def _hint(noun: str, cursor: str | None, limit: int) -> None:
    """Say that there are more rows, and how to get them: to a program by the cursor, if any."""
    printable = cursor and cursor.isascii() and cursor.isprintable() and " " not in cursor
    by_cursor = printable and not sys.stderr.isatty()
    say(f"more {noun}: --all, or {f'--cursor {cursor}' if by_cursor else f'--limit {2 * limit}'}")
