"""Imports: lines of archives put into a database, with how far they came in each transaction."""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from frontdesk.errors import BadSettings, UnusableFile
from frontdesk.ingest import archive, native, restoring
from frontdesk.ingest.admission import ANYTHING, Admission
from frontdesk.ingest.applied import Applied, Tally
from frontdesk.ingest.apply import InitialStatus, apply_events
from frontdesk.ingest.archive import Line, Native, Reading, Rejected
from frontdesk.ingest.events import DomainEvent
from frontdesk.ingest.shapes import Malformed
from frontdesk.ingest.snoozes import wake
from frontdesk.store import accounts, checkpoints
from frontdesk.store.accounts import DEFAULT_ACCOUNT
from frontdesk.store.checkpoints import Checkpoint
from frontdesk.store.database import Connection

T = TypeVar("T")

# A transaction takes this many lines, or the events of fewer if they hold more than so many.
LINES_AT_ONCE = 400
EVENTS_AT_ONCE = 4_000
# So many copies wait in memory for the line of their conversation; those of a longer one are put
# in before it.
COPIES_HELD = 50_000


class Transactions(Protocol):
    """The part of a database that imports need; each call is one transaction."""

    def write(self, work: Callable[[Connection], T]) -> T: ...


@dataclass(frozen=True, slots=True)
class Order:
    """How to import. account: its slug; None for those that the lines name, else the default one.

    channel: the number of records of sent messages that do not tell theirs. clock: now in epoch
    milliseconds. Lines that `admission` has no place for are counted, and can be imported again.
    """

    clock: Callable[[], int]
    account: str | None = None
    initial_status: InitialStatus = "auto"
    channel: str | None = None
    admission: Admission = ANYTHING


@dataclass(slots=True)
class Outcome:
    """What was done so far. ignored: elements that have no place here, by kind.

    lines: those that are in. rejected: those that are not, or of which some elements are not; how
    many of the latter kind is in `partly`.
    """

    applied: Applied = field(default_factory=Applied)
    lines: int = 0
    rejected: int = 0
    partly: int = 0
    ignored: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import. digest: by which its checkpoint is found, None where it has none.

    rejected is told of each line that is passed over, advance that a transaction is done.
    """

    stream: io.BufferedReader
    digest: str | None
    rejected: Callable[[Rejected], object]
    advance: Callable[[], object]


@dataclass(frozen=True, slots=True)
class _Account:
    """Where lines go. copying: the revision that the account has while it is a copy in the making;
    None while lines are told to it as events."""

    slug: str
    id: int
    named: bool = False
    copying: int | None = None


class _Copy(NamedTuple):
    """A line that is a copy of a row, and the row."""

    line: Native
    row: dict[str, Any]

    @property
    def conversation_id(self) -> int | None:
        """The conversation that must be restored with it, None for what belongs to none."""
        if self.line.members["kind"] == "conversation":
            return int(self.row["id"])
        return self.row["conversation_id"] if self.is_fact else None

    @property
    def is_fact(self) -> bool:
        """Whether it comes before the line of the conversation that it belongs to."""
        return self.line.members["kind"] in restoring.FACTS


@dataclass(slots=True)
class _Batch:
    """Lines of one transaction: as events, or as copies of rows.

    held: copies that wait for the line of their conversation, and are not in the transaction.
    """

    lines: int = 0
    last: int = 0
    events: list[DomainEvent] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    copies: list[_Copy] = field(default_factory=list)
    held: list[_Copy] = field(default_factory=list)

    @property
    def full(self) -> bool:
        return self.lines >= LINES_AT_ONCE or len(self.events) >= EVENTS_AT_ONCE

    def reach(self, number: int) -> None:
        """Note the last line, behind which a later import goes on: no copy that waits is lost."""
        if not self.held:
            self.last = number

    def copy(self, copy: _Copy) -> None:
        """Add a copy to the transaction, or to those that wait for their conversation."""
        self.held.append(copy)
        if not copy.is_fact or len(self.held) >= COPIES_HELD:
            self.copies += self.held
            self.lines += len(self.held)
            self.held = []

    def stray(self, conversation_id: int | None) -> list[_Copy]:
        """Take out the copies that wait for another conversation than this one."""
        if not self.held or self.held[-1].conversation_id == conversation_id:
            return []
        stray, self.held = self.held, []
        return stray


class _Done(NamedTuple):
    """What a transaction did, the account after it, and what of it was passed over, by kind.

    unplaced: copies whose conversation is of a contact or a channel that is not there.
    """

    applied: Applied
    account: _Account
    passed_over: Counter[str]
    unplaced: Sequence[_Copy] = ()


def _pairs(copies: Iterable[_Copy]) -> list[tuple[Mapping[str, Any], dict[str, Any]]]:
    return [(copy.line.members, copy.row) for copy in copies]


def digest_of(path: Path, order: Order) -> str:
    """What tells this file apart from every other, for this account."""
    with path.open("rb") as file:
        contents = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{contents} {order.account or ''}".strip()


class Import:
    """One import of one or more files. `outcome` tells what is in, also after an interruption.

    Raises, all methods: Unreachable, and UnusableFile: the lines cannot go where they must. `read`
    besides: archive.Foreign: the file has no lines.
    """

    def __init__(self, database: Transactions, order: Order) -> None:
        self.outcome = Outcome()
        self.resumed_after = 0
        self._database = database
        self._order = order
        self._account = self._first_account()

    def read(self, source: Source) -> None:
        """Put in every line of a file, behind those that an interrupted import put in."""
        reached = self._resume(source.digest)
        reading = Reading(channel=self._order.channel, after=reached)
        batch = _Batch()
        for line in archive.read(source.stream, reading):
            batch = self._take(source, line, batch)
        self._finish(source, batch)
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
        """The line after which to go on."""
        self._account, self.resumed_after = replace(self._account, named=False), 0
        if digest is None:
            return 0
        reached = self._database.write(lambda c: checkpoints.checkpoint(c, digest))
        if reached is None:
            return 0
        self.resumed_after = reached.line
        self._account = _Account(**reached.state)
        return reached.line

    def _take(self, source: Source, line: Line | Native | Rejected, batch: _Batch) -> _Batch:
        """Add a line to the batch, which is put in before it grows too long."""
        if isinstance(line, Native) and line.members["kind"] == "account":
            self._finish(source, batch)
            batch = _Batch()
            self._try(source, line, lambda: self._enter(source, line))
        elif isinstance(line, Native) and self._account.copying is not None:
            if not restoring.is_copy(line.members):
                self._finish(source, batch)
                batch = _Batch()
                self._account = replace(self._account, copying=None)
                return self._take(source, line, batch)
            self._try(source, line, lambda: self._copy(source, batch, line))
        elif isinstance(line, Rejected):
            self._reject(source, line)
        else:
            if isinstance(line, Line) and line.rejected is not None:
                self._reject(source, line.rejected)
            self._try(source, line, lambda: self._tell(batch, line))
        batch.reach(line.number)
        if batch.full:
            self._put_in(source, batch)
            return _Batch(held=batch.held)
        return batch

    def _try(self, source: Source, line: Line | Native, work: Callable[[], None]) -> None:
        try:
            work()
        except Malformed as error:
            assert isinstance(line, Native)
            text = json.dumps(line.members, ensure_ascii=False).encode()
            self._reject(source, Rejected(line.number, str(error), text, place=line.place))

    def _reject(self, source: Source, line: Rejected) -> None:
        self.outcome.rejected += 1
        self.outcome.partly += line.partly
        source.rejected(line)

    def _tell(self, batch: _Batch, line: Line | Native) -> None:
        if isinstance(line, Line):
            batch.events += line.events
            batch.ignored.update(line.ignored)
        else:
            batch.events += native.told(line.members, self._order.clock())
        batch.lines += 1

    def _copy(self, source: Source, batch: _Batch, line: Native) -> None:
        copy = _Copy(line, restoring.row(line.members, self._account.id))
        self._reject_stray(source, batch, copy.conversation_id)
        batch.copy(copy)

    def _finish(self, source: Source, batch: _Batch) -> None:
        """Put in the last lines of a file or of an account."""
        self._reject_stray(source, batch, None)
        self._put_in(source, batch)

    def _reject_stray(self, source: Source, batch: _Batch, conversation_id: int | None) -> None:
        """Reject copies whose conversation has no line behind them."""
        self._reject_copies(source, batch.stray(conversation_id), "the line of its conversation")

    def _reject_copies(self, source: Source, copies: Iterable[_Copy], missing: str) -> None:
        """Reject copies that cannot be restored alone. Imported again, they are told as events."""
        reason = (
            f"{missing} is missing, as in a file that is cut off or damaged: import the whole"
            " file, or what was rejected, to bring it in"
        )
        for line, _ in copies:
            text = json.dumps(line.members, ensure_ascii=False).encode()
            self._reject(source, Rejected(line.number, reason, text, place=line.place))

    def _enter(self, source: Source, line: Native) -> None:
        """From now on lines are of this account, which is made if there is none."""
        slug = line.members.get("slug")
        if not isinstance(slug, str) or not accounts.SLUG.fullmatch(slug):
            raise Malformed("slug is not a name of lower-case letters, digits and hyphens")
        if self._order.account is not None:
            if self._account.named:
                raise UnusableFile(
                    f"The file has the account {slug!r} too: without --account each goes to its own"
                )
            slug = self._order.account

        def enter(connection: Connection) -> _Account:
            now = self._order.clock()
            found = accounts.account_by_slug(connection, slug)
            number = (
                accounts.add_account(connection, slug, slug, now) if found is None else found["id"]
            )
            copied = restoring.begin(connection, number, line.members)
            copying = accounts.revision(connection, number) if copied else None
            entered = _Account(slug, number, True, copying)
            self._keep(connection, source, line.number, entered)
            return entered

        self._account = self._database.write(enter)
        self.outcome.lines += 1

    def _put_in(self, source: Source, batch: _Batch) -> None:
        """Put some lines in, all of them or, when interrupted, none."""
        if not batch.last:
            return
        account = self._account
        put_in = self._apply if account.copying is None else self._restore

        def put_in_and_keep(connection: Connection) -> _Done:
            done = put_in(connection, account, batch)
            self._keep(connection, source, batch.last, done.account)
            return done

        done = self._database.write(put_in_and_keep)
        self._account = done.account
        self.outcome.applied += done.applied
        self.outcome.lines += batch.lines - len(done.unplaced)
        self._reject_copies(source, done.unplaced, "the contact or the channel of its conversation")
        self.outcome.ignored.update(batch.ignored + done.passed_over)
        source.advance()

    def _apply(self, connection: Connection, account: _Account, batch: _Batch) -> _Done:
        now, admission = self._order.clock(), self._order.admission
        wake(connection, account.id, now)
        part = admission.part(connection, account.id, batch.events)
        applied = apply_events(
            connection,
            account.id,
            part.events,
            now=now,
            initial_status=self._order.initial_status,
            placeholders=admission.placeholders,
        )
        return _Done(applied, account, part.passed_over)

    def _restore(self, connection: Connection, account: _Account, batch: _Batch) -> _Done:
        """Put copies in; the account must be as this import left it."""
        accounts.take_turn(connection, account.id)
        if accounts.revision(connection, account.id) != account.copying:
            raise UnusableFile(
                f"The account {account.slug!r} was changed by something else while it was restored:"
                " restore it into an empty database"
            )
        without = restoring.unplaced(connection, account.id, _pairs(batch.copies))
        unplaced = [copy for copy in batch.copies if copy.conversation_id in without]
        pairs = _pairs(copy for copy in batch.copies if copy.conversation_id not in without)
        if pairs:
            restoring.restore(connection, account.id, pairs)
        after = replace(account, copying=accounts.revision(connection, account.id))
        kinds = Counter(restoring.TALLIES[line["kind"]] for line, _ in pairs)
        tallies: dict[str, Any] = {name: Tally(new=count) for name, count in kinds.items() if name}
        return _Done(Applied(**tallies), after, Counter(), unplaced)

    def _keep(self, connection: Connection, source: Source, line: int, account: _Account) -> None:
        if source.digest is not None:
            reached = Checkpoint(line, asdict(account))
            checkpoints.keep(connection, source.digest, reached, self._order.clock())


class Undone(Exception):
    """Ends the transaction of a rehearsal, so that nothing of it stays."""


def rehearse(database: Transactions, work: Callable[[Transactions], None]) -> None:
    """Do some work in one transaction that is given up: it sees what it does, and nobody else."""

    def whole(connection: Connection) -> None:
        work(_Within(connection))
        raise Undone

    with suppress(Undone):
        database.write(whole)


class _Within:
    """Transactions that are all part of one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def write(self, work: Callable[[Connection], T]) -> T:
        return work(self._connection)
