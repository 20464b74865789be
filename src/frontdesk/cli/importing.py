"""`frontdesk import`: brings what is known elsewhere into a database."""

import io
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from frontdesk.cli.commands import INTERRUPTED, Group
from frontdesk.cli.databases import account_named, database_option, opened
from frontdesk.errors import UnusableFile
from frontdesk.text import clean, one_line

if TYPE_CHECKING:
    from frontdesk.ingest.apply import Applied, InitialStatus
    from frontdesk.ingest.archive import Line, Rejected
    from frontdesk.ingest.events import DomainEvent
    from frontdesk.store.database import Connection, Database

# A transaction takes this many lines, or the events of fewer if they hold more than so many.
LINES_AT_ONCE = 400
EVENTS_AT_ONCE = 4_000
REJECTED_SHOWN = 20

_STANDARD_INPUT = "-"


@click.group("import", cls=Group)
def import_group() -> None:
    """Bring in what is known elsewhere."""


@import_group.command("events")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@database_option("The database to import into; made if it does not exist.")
@click.option("--account", default="default", show_default=True, help="The account they are of.")
@click.option(
    "--initial-status",
    type=click.Choice(["auto", "open", "resolved"]),
    default="auto",
    show_default=True,
    help="How conversations start; auto: resolved if silent for more than a week.",
)
@click.pass_context
def events_command(
    context: click.Context,
    files: tuple[str, ...],
    database: str,
    account: str,
    initial_status: "InitialStatus",
) -> None:
    """Import WhatsApp Cloud API webhook bodies, one JSON value a line.

    FILE is plain or gzip, - is standard input. What is known already changes nothing; lines that
    cannot be read are reported and the rest goes in.
    """
    _check(files)
    with opened(database, create=True) as store:
        account_id = store.read(lambda connection: account_named(connection, account)["id"])
        imported = _Import(store, account_id, initial_status)
        finished = imported.read(files)
    imported.report(files)
    if not finished:
        click.echo("frontdesk: interrupted; what the summary counts is in", err=True)
        context.exit(INTERRUPTED)


@dataclass(slots=True)
class _Import:
    """One run of `import events`."""

    database: "Database"
    account_id: int
    initial_status: "InitialStatus"
    applied: "Applied | None" = None
    lines: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    rejected: int = 0
    shown: list[str] = field(default_factory=list)

    def read(self, files: tuple[str, ...]) -> bool:
        """Import every file; returns False if the user interrupted, between two transactions."""
        try:
            with _progress(files) as advance:
                for name in files:
                    self._read_file(name, advance)
        except KeyboardInterrupt:
            return False
        return True

    def report(self, files: tuple[str, ...]) -> None:
        """Rejected lines on standard error, the summary on standard output."""
        for line in self.shown:
            click.echo(line, err=True)
        if self.rejected > len(self.shown):
            click.echo(f"… and {self.rejected - len(self.shown):,} more", err=True)
        click.echo(f"{_counted(self.lines, 'line')} of {_counted(len(files), 'file')} read")
        for row in self._summary():
            click.echo(row)

    def _read_file(self, name: str, advance: Callable[[int], object]) -> None:
        from frontdesk.ingest import archive

        with _stream(name) as stream:
            batch: list[Line] = []
            for line in archive.read(stream):
                self._take(name, line, batch)
                if len(batch) >= LINES_AT_ONCE or _size(batch) >= EVENTS_AT_ONCE:
                    self._apply(batch)
                    batch = []
                    advance(_position(name, stream))
            self._apply(batch)
            advance(_position(name, stream))

    def _take(self, name: str, line: "Line | Rejected", batch: "list[Line]") -> None:
        from frontdesk.ingest.archive import Rejected

        if not isinstance(line, Rejected):
            batch.append(line)
            return
        self.rejected += 1
        if len(self.shown) < REJECTED_SHOWN:
            place = f"{_shown_name(name)}, line {line.number}"
            self.shown.append(one_line(clean(f"{place}: {line.reason}")))

    def _apply(self, batch: "list[Line]") -> None:
        """Put some lines in, all of them or, when interrupted, none."""
        from frontdesk.ingest.apply import apply_events
        from frontdesk.ingest.snoozes import wake

        events: list[DomainEvent] = [event for line in batch for event in line.events]
        now = time.time_ns() // 1_000_000

        def put_in(connection: "Connection") -> "Applied":
            wake(connection, self.account_id, now)
            return apply_events(
                connection, self.account_id, events, now=now, initial_status=self.initial_status
            )

        applied = self.database.write(put_in)
        self.applied = applied if self.applied is None else self.applied + applied
        self.lines += len(batch)
        for line in batch:
            self.ignored.update(line.ignored)

    def _summary(self) -> Iterator[str]:
        if self.applied is not None:
            for name in ("messages", "statuses", "conversations", "contacts", "channels"):
                tally = getattr(self.applied, name)
                changed = f", {tally.changed:,} completed" if tally.changed else ""
                # People and channels are named in every line: only new ones say something.
                told = name in ("messages", "statuses")
                known = f", {tally.known:,} already known" if told else ""
                yield f"{name}: {tally.new:,} new{changed}{known}"
            if self.applied.ignored:
                self.ignored["status of no known message"] += self.applied.ignored
        if self.ignored:
            kinds = (f"{count:,} {clean(kind)}" for kind, count in sorted(self.ignored.items()))
            yield f"ignored: {', '.join(kinds)}"
        yield f"rejected: {_counted(self.rejected, 'line')}"


def _check(files: tuple[str, ...]) -> None:
    """Refuse before anything is touched if a file cannot be opened."""
    for name in files:
        if name != _STANDARD_INPUT:
            path = Path(name)
            reason = None
            if not path.exists():
                reason = "there is no such file"
            elif path.is_dir():
                reason = "it is a directory"
            elif not os.access(path, os.R_OK):
                reason = "it may not be read"
            if reason:
                raise UnusableFile(clean(f"Cannot read {name}: {reason}"))


@contextmanager
def _stream(name: str) -> Iterator[io.BufferedReader]:
    """A file, or standard input, which stays open."""
    if name == _STANDARD_INPUT:
        yield cast(io.BufferedReader, sys.stdin.buffer)
        return
    try:
        stream = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise UnusableFile(clean(f"Cannot read {name}: {error.strerror}")) from error
    with stream:
        yield stream


@contextmanager
def _progress(files: tuple[str, ...]) -> Iterator[Callable[[int], object]]:
    """A bar over the bytes of all files, on a terminal only; told the bytes read of each."""
    total = sum(os.path.getsize(name) for name in files if name != _STANDARD_INPUT)
    shown = total > 0 and sys.stderr.isatty()
    bar: AbstractContextManager[Any] = (
        click.progressbar(length=total, label="Importing", file=sys.stderr)
        if shown
        else nullcontext()
    )
    with bar as running:
        before = 0

        def advance(position: int) -> None:
            nonlocal before
            if running is not None:
                running.update(max(position - before, 0))
            before = position

        yield advance


def _position(name: str, stream: io.BufferedReader) -> int:
    return 0 if name == _STANDARD_INPUT else stream.tell()


def _size(batch: "list[Line]") -> int:
    return sum(len(line.events) for line in batch)


def _shown_name(name: str) -> str:
    return "standard input" if name == _STANDARD_INPUT else name


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
