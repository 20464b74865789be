"""`frontdesk export`: writes a database as native lines (NDJSON)."""

import gzip
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import click

from frontdesk.cli.base import group
from frontdesk.cli.database import account_named, opened
from frontdesk.cli.media import files_option, media_option, named_files
from frontdesk.cli.options import database_option
from frontdesk.cli.progress import interruptible, progress
from frontdesk.errors import Unreachable, UnusableFile
from frontdesk.system import private_files
from frontdesk.text.clean import clean, compact_json

if TYPE_CHECKING:
    from frontdesk.ingest.archive.export import ExportFile
    from frontdesk.store.database import Connection, Database

_STANDARD_OUTPUT = "-"


@group(
    "export",
    "frontdesk export events --database inbox.db -o backup.ndjson.gz",
    "frontdesk export events --database inbox.db --account default > lines.ndjson",
)
def export_group() -> None:
    """Export a database for backups and moves."""


@export_group.subcommand(
    "events",
    "frontdesk export events --database inbox.db -o backup.ndjson.gz",
    "frontdesk export events --database old.db | frontdesk import events - --database new.db",
)
@database_option("Database to export.")
@media_option
@files_option("Also copy the files of messages there.")
@click.option("--account", help="Export only this account.  [default: all]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default=_STANDARD_OUTPUT,
    help="Output file; compressed if its name ends in .gz.  [default: standard output]",
)
def events_command(
    database: str, media: str | None, with_files: str | None, account: str | None, output: str
) -> None:
    """Export a database as lines of JSON.

    The export has everything but the API keys, as of one moment. `frontdesk import events` makes
    the same inbox of it in an empty database, with other ids: for backups, and to move between
    SQLite and PostgreSQL. Files that the directory of --with-files has already are not copied
    again.
    """
    from frontdesk.ingest.archive.attachments import FileArchive

    export_file = None
    if with_files is not None:
        archive, stored = FileArchive(Path(with_files).absolute()), named_files(media, database)
        export_file = partial(archive.add, stored)
    piped = output == _STANDARD_OUTPUT
    with opened(database) as store:
        if account is not None:
            store.read(lambda connection: account_named(connection, account))
        with (
            interruptible("what was written is not whole" if piped else "no file was written"),
            _written(output) as put,
            progress("Exporting", _steps(store, account, output)) as advance,
        ):
            count = store.read(_export(account, put, advance, export_file))
    if not piped:
        click.echo(f"{count:,} lines written to {clean(output)}")


def _export(
    account: str | None,
    put: Callable[[str], object],
    advance: Callable[[int], object],
    export_file: "ExportFile | None",
) -> "Callable[[Connection], int]":
    """Return a function that writes all lines of one snapshot, and returns their number."""
    from frontdesk.ingest.archive.export import lines

    begun = False

    def export(connection: "Connection") -> int:
        nonlocal begun
        if begun:
            # Written lines cannot be taken back, and a retry would read another snapshot.
            raise Unreachable("The database went away in the middle of it: try again")
        begun = True
        count = 0
        for line in lines(connection, account, advance, export_file):
            put(compact_json(line) + "\n")
            count += 1
        return count

    return export


@contextmanager
def _written(output: str) -> Iterator[Callable[[str], object]]:
    """Yield a write function; a file is replaced atomically at the end."""
    if output == _STANDARD_OUTPUT:
        stream = cast(IO[bytes], sys.stdout.buffer)
        yield lambda text: stream.write(text.encode())
        stream.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with _device(path) as stream:
            yield lambda text: stream.write(text.encode())
        return
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        with open(partial, "wb", opener=private_files.opener) as file:
            if path.suffix == ".gz":
                with gzip.open(file, "wb", 6) as packed:
                    yield lambda text: packed.write(text.encode())
            else:
                yield lambda text: file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise UnusableFile(clean(f"Cannot write {output}: {error.strerror}")) from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _device(path: Path) -> Iterator[IO[bytes]]:
    """Open a pipe or device for writing, without replacing it. Raises: UnusableFile."""
    try:
        with path.open("wb") as stream:
            yield stream
    except OSError as error:
        raise UnusableFile(clean(f"Cannot write {path}: {error.strerror}")) from error


def _steps(store: "Database", account: str | None, output: str) -> int:
    """Return the number of conversations; 0 if nothing shows progress, or a terminal the lines."""
    from frontdesk.store import dump

    if not sys.stderr.isatty() or (output == _STANDARD_OUTPUT and sys.stdout.isatty()):
        return 0

    def count(connection: "Connection") -> int:
        accounts = dump.accounts(connection, account)
        return sum(dump.count(connection, each["id"], "conversation") for each in accounts)

    return store.read(count)
