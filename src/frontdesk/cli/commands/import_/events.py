"""`frontdesk import events`: imports archives of webhooks, sent messages and native lines."""

import re
from collections import Counter
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
    importable,
    named,
    position,
    progress,
    refuse_foreign,
    stream,
    summary,
    unread,
)
from frontdesk.cli.exit_codes import ERROR, INTERRUPTED
from frontdesk.cli.media import (
    file_target,
    files_option,
    media_option,
    named_files,
    stored_words,
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
@click.pass_context
def events_command(
    context: click.Context,
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

    check(files)
    if with_files is not None and not Path(with_files).is_dir():
        raise BadSettings(f"{with_files} is not a directory: name the one of `export events`")
    refuse_foreign(files)
    order = ImportOptions(epoch_milliseconds, account, initial_status, channel, admission)
    run = Run(files, order, dry_run)
    with importable(database, dry_run=dry_run) as store:
        finished = run.over(store)
        attached = None
        if with_files is not None and finished and not dry_run:
            attached = _attached(store, named_files(media, database), Path(with_files))
    run.report()
    if attached is not None:
        click.echo(f"files: {stored_words(attached) or 'none'}")
    if not finished:
        consequence = "nothing was changed" if dry_run else "what the summary counts is in"
        click.echo(f"frontdesk: interrupted; {consequence}", err=True)
        context.exit(INTERRUPTED)
    if run.unread:
        raise NothingRead("; ".join(run.unread))
    if strict and run.rejected:
        context.exit(ERROR)


class Run:
    """One import of several files, with its summary."""

    def __init__(self, files: tuple[str, ...], order: "ImportOptions", dry_run: bool) -> None:
        self._files = files
        self._order = order
        self._dry_run = dry_run
        self._import: Import | None = None
        self._rejects = Rejects(keep=not dry_run)
        self._resumed: dict[str, int] = {}
        # Messages about files of which nothing could be read.
        self.unread: list[str] = []

    def over(self, store: "Database") -> bool:
        """Import every file; return False if interrupted, which happens between transactions."""
        from frontdesk.ingest.archive.importer import run_import

        try:
            with progress(self._files) as advance:
                run_import(store, lambda all: self._read(all, advance), dry_run=self._dry_run)
        except KeyboardInterrupt:
            return False
        finally:
            self._rejects.close()
        return True

    @property
    def rejected(self) -> int:
        return 0 if self._import is None else self._import.outcome.rejected

    def report(self) -> None:
        """Print rejected lines to standard error, and the summary to standard output."""
        self._rejects.report()
        if self._import is None:
            return
        for name, line in self._resumed.items():
            click.echo(f"{named(name)}: gone on behind line {line:,}, where it was interrupted")
        outcome = self._import.outcome
        verb = "would be read" if self._dry_run else "read"
        lines, files = counted(outcome.lines, "line"), counted(len(self._files), "file")
        click.echo(f"{lines} of {files} {verb}")
        for row in summary(outcome):
            click.echo(row)

    def _read(self, database: "Transactions", advance: "Advance") -> None:
        from frontdesk.ingest.archive.importer import ArchiveFile, Import

        self._import = Import(database, self._order)
        for name in self._files:
            with stream(name) as opened_stream:
                key = None if self._dry_run else digest(name, self._order)
                source = ArchiveFile(
                    opened_stream,
                    key,
                    partial(self._reject, name),
                    partial(self._report, advance, name, opened_stream),
                )
                self._read_one(self._import, name, source)

    def _read_one(self, into: "Import", name: str, source: "ArchiveFile") -> None:
        from frontdesk.ingest.archive.reader import NotAnArchive

        lines, rejected = into.outcome.lines, into.outcome.rejected
        try:
            into.read(source)
        except NotAnArchive as error:
            self.unread.append(unread(name, error))
            return
        if into.resumed_after:
            self._resumed[name] = into.resumed_after
        elif into.outcome.lines == lines and into.outcome.rejected > rejected:
            rejects = counted(into.outcome.rejected - rejected, "line")
            what = "webhook body, record of a sent message or native line"
            self.unread.append(unread(name, f"it has no {what} ({rejects} rejected)"))

    def _report(self, advance: "Advance", name: str, opened: BufferedReader) -> None:
        assert self._import is not None
        advance(position(name, opened), self._import.outcome.lines)

    def _reject(self, name: str, line: "RejectedLine") -> None:
        assert self._import is not None
        self._rejects.take(name, line, more=self._import.resumed_after > 0)


def _attached(store: "Database", files: "MediaFiles", source: Path) -> Counter[str]:
    """Store the files of an export with the messages of all accounts."""
    from frontdesk.ingest.archive.attachments import FileArchive, attach_files
    from frontdesk.store.accounts import all_accounts

    ids = store.read_latest(lambda connection: [row["id"] for row in all_accounts(connection, 0)])
    outcome: Counter[str] = Counter()
    with file_target(files, store) as target, count_progress("Storing files", 0) as advance:
        for account_id in ids:
            outcome += attach_files(target, account_id, FileArchive(source), advance)
    return outcome


def _channel(text: str | None) -> str | None:
    if text is not None and not re.fullmatch(CHANNEL_ID, text):
        raise click.BadParameter("give the phone_number_id of the number, of at most 20 digits")
    return text
