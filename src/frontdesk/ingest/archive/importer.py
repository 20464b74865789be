"""Imports archives into a database, with a checkpoint in each transaction."""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Protocol, TypeVar

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest.admission import ANYTHING, Admission
from frontdesk.ingest.apply.batch import InitialStatus, apply_events, wake
from frontdesk.ingest.apply.context import ApplyResult
from frontdesk.ingest.archive import native_lines, reader
from frontdesk.ingest.archive.reader import ArchiveLine, NativeLine, RejectedLine
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.json_reader import Malformed
from frontdesk.store import accounts, checkpoints, dump, writes
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.store.checkpoints import Checkpoint
from frontdesk.store.database import Connection

T = TypeVar("T")

# Limits of a transaction.
LINES_AT_ONCE = 400
EVENTS_AT_ONCE = 4_000


class Transactions(Protocol):
    """Subset of Database needed by imports; each call is one transaction."""

    def write(self, work: Callable[[Connection], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """Import options. account: slug; None for the accounts named in the file, else the default.

    channel: default of records of sent messages that name none. clock: now in epoch milliseconds.
    Lines that `admission` rejects are counted, and can be imported again.
    """

    clock: Callable[[], int]
    account: str | None = None
    initial_status: InitialStatus = "auto"
    channel: str | None = None
    admission: Admission = ANYTHING


@dataclass(slots=True)
class ImportResult:
    """Import result so far. ignored: skipped elements by kind.

    lines: imported lines. rejected: lines not imported, completely or in part; partly: the latter
    only.
    """

    applied: ApplyResult = field(default_factory=ApplyResult)
    lines: int = 0
    rejected: int = 0
    partly: int = 0
    ignored: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """File to import. digest: key of its checkpoint, None to use none.

    rejected is called with each rejected line, advance after each transaction.
    """

    stream: io.BufferedReader
    digest: str | None
    rejected: Callable[[RejectedLine], object]
    advance: Callable[[], object]


@dataclass(frozen=True, slots=True)
class _Account:
    """Target account of lines. named: by the file."""

    slug: str
    id: int
    named: bool = False


@dataclass(slots=True)
class _LineBatch:
    """Events of the lines of one transaction."""

    lines: int = 0
    last: int = 0
    events: list[DomainEvent] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)

    @property
    def full(self) -> bool:
        return self.lines >= LINES_AT_ONCE or len(self.events) >= EVENTS_AT_ONCE


def _rejected(line: NativeLine, reason: str) -> RejectedLine:
    text = json.dumps(line.members, ensure_ascii=False).encode()
    return RejectedLine(line.number, reason, text, line=line.line)


def digest_of(path: Path, order: ImportOptions) -> str:
    """Identify a file's contents and its target account."""
    with path.open("rb") as file:
        contents = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{contents} {order.account or ''}".strip()


class Import:
    """Import of one or more files. `outcome` stays valid after an interruption.

    All methods raise Unreachable, and UnusableFile if the target does not accept the lines; `read`
    also NotAnArchive if the file has no lines.
    """

    def __init__(self, database: Transactions, order: ImportOptions) -> None:
        self.outcome = ImportResult()
        self.resumed_after = 0
        self._database = database
        self._order = order
        self._account = self._first_account()

    def read(self, source: ArchiveFile) -> None:
        """Import a file, resuming after the last checkpoint."""
        reached = self._resume(source.digest)
        batch = _LineBatch()
        for line in reader.read(source.stream, channel=self._order.channel, after=reached):
            batch = self._take(source, line, batch)
        self._write(source, batch)
        if source.digest is not None:
            digest, now = source.digest, self._order.clock()
            self._database.write(lambda connection: checkpoints.forget(connection, digest, now))

    def _first_account(self) -> _Account:
        slug = self._order.account or DEFAULT_ACCOUNT
        row = self._database.write(lambda connection: accounts.account_by_slug(connection, slug))
        if row is None:
            raise BadSettings(f"The database has no account {slug!r}")
        return _Account(slug, row["id"])

    def _resume(self, digest: str | None) -> int:
        """Return the last line of an interrupted import, 0 without one."""
        self._account, self.resumed_after = replace(self._account, named=False), 0
        if digest is None:
            return 0
        reached = self._database.write(lambda c: checkpoints.checkpoint(c, digest))
        if reached is None:
            return 0
        self.resumed_after = reached.line
        self._account = _Account(*(reached.state[each.name] for each in fields(_Account)))
        return reached.line

    def _take(
        self, source: ArchiveFile, line: ArchiveLine | NativeLine | RejectedLine, batch: _LineBatch
    ) -> _LineBatch:
        """Add a line to the batch; full batches are written."""
        if isinstance(line, NativeLine) and line.members["kind"] == "account":
            self._write(source, batch)
            batch = _LineBatch()
            self._try(source, line, lambda: self._enter(source, line))
        elif isinstance(line, RejectedLine):
            self._reject(source, line)
        else:
            if isinstance(line, ArchiveLine) and line.rejected is not None:
                self._reject(source, line.rejected)
            self._try(source, line, lambda: self._add_events(batch, line))
        batch.last = line.number
        if batch.full:
            self._write(source, batch)
            return _LineBatch()
        return batch

    def _try(
        self, source: ArchiveFile, line: ArchiveLine | NativeLine, work: Callable[[], None]
    ) -> None:
        try:
            work()
        except Malformed as error:
            assert isinstance(line, NativeLine)
            self._reject(source, _rejected(line, str(error)))

    def _reject(self, source: ArchiveFile, line: RejectedLine) -> None:
        self.outcome.rejected += 1
        self.outcome.partly += line.partly
        source.rejected(line)

    def _add_events(self, batch: _LineBatch, line: ArchiveLine | NativeLine) -> None:
        if isinstance(line, ArchiveLine):
            batch.events += line.events
            batch.ignored.update(line.ignored)
        else:
            batch.events += native_lines.convert(line.members, self._order.clock())
        batch.lines += 1

    def _enter(self, source: ArchiveFile, line: NativeLine) -> None:
        """Switch to the account that a line names, creating it if necessary."""
        slug = line.members.get("slug")
        if not isinstance(slug, str) or not accounts.SLUG.fullmatch(slug):
            raise Malformed("slug is not a name of lower-case letters, digits and hyphens")
        if self._order.account is not None:
            if self._account.named:
                raise UnusableFile(
                    f"The file has the account {slug!r} too: without --account each goes to its own"
                )
            slug = self._order.account

        settings = native_lines.account_settings(line.members)

        def enter(connection: Connection) -> _Account:
            now = self._order.clock()
            account = accounts.account_by_slug(connection, slug)
            number = (
                accounts.add_account(connection, slug, slug, now)
                if account is None
                else account["id"]
            )
            if settings is not None and dump.is_empty(connection, number):
                dump.set_account(connection, number, settings)
                writes.bump_revision(connection, number)
            entered = _Account(slug, number, True)
            self._save_checkpoint(connection, source, line.number, entered)
            return entered

        self._account = self._database.write(enter)
        self.outcome.lines += 1

    def _write(self, source: ArchiveFile, batch: _LineBatch) -> None:
        if not batch.last:
            return
        account, order = self._account, self._order

        def write(connection: Connection) -> tuple[ApplyResult, Counter[str]]:
            now = order.clock()
            wake(connection, account.id, now)
            part = order.admission.part(connection, account.id, batch.events)
            applied = apply_events(
                connection,
                account.id,
                part.events,
                now=now,
                initial_status=order.initial_status,
                placeholders=order.admission.placeholders,
            )
            self._save_checkpoint(connection, source, batch.last, account)
            return applied, part.passed_over

        applied, passed_over = self._database.write(write)
        self.outcome.applied += applied
        self.outcome.lines += batch.lines
        self.outcome.ignored.update(batch.ignored + passed_over)
        source.advance()

    def _save_checkpoint(
        self, connection: Connection, source: ArchiveFile, line: int, account: _Account
    ) -> None:
        if source.digest is not None:
            reached = Checkpoint(line, asdict(account))
            checkpoints.keep(connection, source.digest, reached, self._order.clock())


class RolledBack(Exception):
    """Rolls back the transaction of a dry run."""


def run_import(
    database: Transactions, work: Callable[[Transactions], T], *, dry_run: bool = False
) -> T:
    """Run `work`; for a dry run, in one transaction that is rolled back."""
    if not dry_run:
        return work(database)
    results: list[T] = []

    def whole(connection: Connection) -> None:
        results.append(work(_NestedTransactions(connection)))
        raise RolledBack

    with suppress(RolledBack):
        database.write(whole)
    return results[0]


class _NestedTransactions:
    """Adapter that runs nested transactions within one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def write(self, work: Callable[[Connection], T]) -> T:
        return work(self._connection)
