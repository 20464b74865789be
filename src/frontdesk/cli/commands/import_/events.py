"""`frontdesk import events`: imports archives of webhooks, sent messages and native lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.import_.files import (
    Rejects,
    check,
    digest,
    named,
    position,
    progress,
    refuse_foreign,
    stream,
    summary,
    unread,
)
from frontdesk.cli.commands.import_.source import ImportSource, import_from
from frontdesk.cli.exit_codes import ERROR
from frontdesk.cli.media import (
    file_target,
    files_option,
    media_option,
    named_files,
)
from frontdesk.cli.options import admission_options, database_option
from frontdesk.cli.progress import progress as count_progress
from frontdesk.errors import BadSettings, NothingRead
from frontdesk.text.clean import counted
from frontdesk.wire.values import CHANNEL_ID, epoch_milliseconds

if TYPE_CHECKING:
    from frontdesk.cli.commands.import_.files import Advance
    from frontdesk.ingest.admission import Admission
    from frontdesk.ingest.apply.batch import InitialStatus
    from frontdesk.ingest.archive.importer import ArchiveFile, Import, ImportOptions, Transactions
    from frontdesk.ingest.archive.reader import RejectedLine
    from frontdesk.store.database import Database
    from frontdesk.store.media_files import MediaFiles


@command(
    "events",
    "frontdesk import events archive.ndjson.gz --database inbox.db",
    "frontdesk export events --database old.db | frontdesk import events - --database new.db",
    short_help="Import webhook archives and exports.",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@database_option("Database to import into; created if missing.")
@media_option
@files_option("Also store the files of messages that `export events` copied there.")
@click.option("--account", help="Account to import into.  [default: as named in the file]")
@click.option(
    "--initial-status",
    type=click.Choice(["auto", "open", "resolved"]),
    default="auto",
    show_default=True,
    help="Status of new conversations; auto: resolved if inactive for more than a week.",
)
@click.option(
    "--channel",
    metavar="ID",
    callback=lambda context, option, text: _channel(text),
    help="Channel of sent messages that name none.",
)
@click.option("--dry-run", is_flag=True, help="Report the result without changing anything.")
@click.option("--strict", is_flag=True, help="Exit with status 1 if a line was rejected.")
@admission_options
def events_command(
    files: tuple[str, ...],
    database: str,
    media: str | None,
    with_files: str | None,
    account: str | None,
    initial_status: "InitialStatus",
    channel: str | None,
    dry_run: bool,
    strict: bool,
    admission: "Admission",
) -> None:
    """Import archives, one JSON value a line.

    A line is a WhatsApp webhook body, plain or wrapped, a record of a sent message, or a native
    line as written by `frontdesk export events`. A JSON array of these and values of several lines
    are accepted too. FILE is plain or gzip; - is standard input. Known messages are skipped. After
    an interruption, import the file again to continue. Invalid lines are written to
    FILE.rejects.ndjson; the exit status is 1 if all lines of a file are invalid.
    """
    from frontdesk.ingest.archive.importer import ImportOptions

    order = ImportOptions(epoch_milliseconds, account, initial_status, channel, admission)
    archives = Archives(files, order, dry_run, strict)
    if with_files is not None:
        if not Path(with_files).is_dir():
            raise BadSettings(f"{with_files} is not a directory: name the one of `export events`")
        archives.attach = partial(_attach, Path(with_files), partial(named_files, media, database))
    import_from(archives, database, dry_run=dry_run)


@dataclass
class Archives(ImportSource):
    """Files of lines. attach: stores the files of their messages, if they are wanted."""

    consequence = "what the summary counts is in"

    names: tuple[str, ...]
    order: "ImportOptions"
    dry_run: bool = False
    strict: bool = False
    attach: "Callable[[Database], Counter[str]] | None" = None
    # Messages about files of which nothing could be read.
    unread: list[str] = field(default_factory=list)
    resumed: dict[str, int] = field(default_factory=dict)
    imported: "Import | None" = None

    def __post_init__(self) -> None:
        self.rejects = Rejects(keep=not self.dry_run)

    def prepare(self) -> None:
        check(self.names)
        refuse_foreign(self.names)

    def events(self, database: "Transactions") -> None:
        try:
            with progress(self.names) as advance:
                self._read(database, advance)
        finally:
            self.rejects.close()

    def files(self, store: "Database") -> Counter[str] | None:
        return None if self.attach is None else self.attach(store)

    def summary(self) -> Iterator[str]:
        self.rejects.report()
        if self.imported is None:
            return
        for name, line in self.resumed.items():
            yield f"{named(name)}: gone on behind line {line:,}, where it was interrupted"
        outcome = self.imported.outcome
        verb = "would be read" if self.dry_run else "read"
        lines, files = counted(outcome.lines, "line"), counted(len(self.names), "file")
        yield f"{lines} of {files} {verb}"
        yield from summary(outcome)

    def finish(self) -> None:
        if self.unread:
            raise NothingRead("; ".join(self.unread))
        if self.strict and self.imported is not None and self.imported.outcome.rejected:
            raise click.exceptions.Exit(ERROR)

    def _read(self, database: "Transactions", advance: "Advance") -> None:
        from frontdesk.ingest.archive.importer import ArchiveFile, Import

        self.imported = Import(database, self.order)
        for name in self.names:
            with stream(name) as opened_stream:
                key = None if self.dry_run else digest(name, self.order)
                source = ArchiveFile(
                    opened_stream,
                    key,
                    partial(self._reject, name),
                    partial(self._report, advance, name, opened_stream),
                )
                self._read_one(self.imported, name, source)

    def _read_one(self, into: "Import", name: str, source: "ArchiveFile") -> None:
        from frontdesk.ingest.archive.reader import NotAnArchive

        lines, rejected = into.outcome.lines, into.outcome.rejected
        try:
            into.read(source)
        except NotAnArchive as error:
            self.unread.append(unread(name, error))
            return
        if into.resumed_after:
            self.resumed[name] = into.resumed_after
        elif into.outcome.lines == lines and into.outcome.rejected > rejected:
            rejects = counted(into.outcome.rejected - rejected, "line")
            what = "webhook body, record of a sent message or native line"
            self.unread.append(unread(name, f"it has no {what} ({rejects} rejected)"))

    def _report(self, advance: "Advance", name: str, opened: BufferedReader) -> None:
        assert self.imported is not None
        advance(position(name, opened), self.imported.outcome.lines)

    def _reject(self, name: str, line: "RejectedLine") -> None:
        assert self.imported is not None
        self.rejects.take(name, line, more=self.imported.resumed_after > 0)


def _attach(directory: Path, place: "Callable[[], MediaFiles]", store: "Database") -> Counter[str]:
    """Store the files of an export with the messages of all accounts."""
    from frontdesk.ingest.archive.attachments import FileArchive, attach_files
    from frontdesk.store.accounts import all_accounts

    ids = store.read_latest(lambda connection: [row["id"] for row in all_accounts(connection, 0)])
    outcome: Counter[str] = Counter()
    with file_target(place(), store) as target, count_progress("Storing files", 0) as advance:
        for account_id in ids:
            outcome += attach_files(target, account_id, FileArchive(directory), advance)
    return outcome


def _channel(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(CHANNEL_ID, text):
        raise click.BadParameter("give the phone_number_id of the number, of at most 20 digits")
    return text
