"""Writes a bulk inbox into a new database: one process makes the rows, the other inserts them.

The rows are those that applying the events to an empty account would leave, made without a
database to look anything up in.
"""

import gc
import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection as Pipe

from frontdesk.errors import UnusableFile
from frontdesk.ingest.apply import conversation_rules
from frontdesk.ingest.apply.batch import Batch, apply_events
from frontdesk.ingest.apply.catalogue import Catalogue
from frontdesk.ingest.apply.context import BatchContext
from frontdesk.ingest.apply.conversation_rules import ConversationState
from frontdesk.ingest.apply.conversations import BatchConversation, conversation_row
from frontdesk.ingest.apply.metrics import MetricDeltas
from frontdesk.ingest.events import ChannelUpsert, DomainEvent
from frontdesk.sample.bulk import Size, bulk_events
from frontdesk.sample.catalogue import CatalogueEvent, large_catalogue
from frontdesk.store import contact_fields, rollups, writes
from frontdesk.store.bulk_load import Packed, filled, packed, put
from frontdesk.store.contacts import search_text
from frontdesk.store.counters import Cell, LabelledConversation, cell_rows, cells_of, entries_of
from frontdesk.store.database import Dialect, FillingConnection, Row
from frontdesk.store.rows import ConversationRow, EntryRow
from frontdesk.store.writes import Ids

ACCOUNT = 1

# Rows of several tables, and after the last of them the last ids by kind.
_Portion = list[Packed] | dict[str, int]


def fill(
    target: str,
    size: Size,
    advance: Callable[[int], object],
    stage: Callable[[str], None],
) -> None:
    """Create a database at `target` with an inbox of this size in the account "default".

    `advance` is called with the number of conversations that were inserted since its last call,
    `stage` with the name of each step that follows them.

    Raises: BadSettings: there is something already. UnusableFile, Unreachable.
    """
    with filled(target, stage) as connection, _generated(size) as portions:
        apply_events(connection, ACCOUNT, list(large_catalogue(size.until)), now=size.until)
        for portion in portions:
            if isinstance(portion, dict):
                _keep_ids(connection, portion)
                continue
            for packed in portion:
                put(connection, packed)
                if packed[0] == "conversation":
                    advance(len(packed[1]))
        rollups.fill_parts(connection, ACCOUNT, "label_rollup")
        writes.bump_revision(connection, ACCOUNT)


def _portions(size: Size) -> Iterator[list[Packed] | dict[str, int]]:
    """All rows but those of the catalogue, in portions, and after them the last ids by kind."""
    rows = _RowGenerator(ACCOUNT, list(large_catalogue(size.until)), size.until)
    for events in bulk_events(size):
        yield list(rows.of(events))
    yield list(rows.totals())
    yield dict(rows.last_ids())


def _keep_ids(connection: FillingConnection, last: dict[str, int]) -> None:
    ids = Ids(connection, ACCOUNT)
    for kind, value in last.items():
        ids.skip(kind, value)
    ids.save()


@contextmanager
def _generated(size: Size) -> Iterator[Iterator[_Portion]]:
    """The portions, generated in another process that ends with the context."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_all, args=(sender, size), daemon=True)
    process.start()
    sender.close()
    try:
        yield _received(receiver)
    finally:
        receiver.close()
        process.terminate()
        process.join()
        process.close()


def _received(receiver: Pipe) -> Iterator[_Portion]:
    """Receives portions up to the last.

    Raises: UnusableFile: the other process ended too early.
    """
    try:
        while True:
            portion: _Portion = receiver.recv()
            yield portion
            if isinstance(portion, dict):
                return
    except EOFError as error:
        raise UnusableFile("The sample could not be made: its process ended early") from error


def _send_all(sender: Pipe, size: Size) -> None:
    """Runs in the other process, which the first one ends when the program is interrupted."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The rows have no cycles, and are dropped once they are sent.
    gc.disable()
    for portion in _portions(size):
        sender.send(portion)


class _RowGenerator:
    """Makes the rows of an account from its events, portion by portion.

    All events of a person must be in one portion, and everything that they refer to by name in
    the catalogue, whose own rows are written separately.
    """

    def __init__(self, account_id: int, catalogue: Sequence[CatalogueEvent], now: int) -> None:
        connection = _EmptyAccount()
        self._context = BatchContext(connection, account_id, now, Ids(connection, account_id))
        self._catalogue = Catalogue(self._context)
        self._metrics = MetricDeltas(self._context)
        self._cells: Counter[Cell] = Counter()
        for event in catalogue:
            if isinstance(event, ChannelUpsert):
                self._catalogue.apply_channel(event)
            else:
                self._catalogue.apply(event)

    def of(self, events: Iterable[DomainEvent]) -> Iterator[Packed]:
        """The rows of one portion."""
        batch = Batch(self._context, self._catalogue)
        batch.load_and_apply(events)
        conversations, entries = self._fold(batch.conversations.touched())
        contacts = batch.contacts.unsaved()
        for contact in contacts:
            contact["search"] = search_text(contact)
        yield packed("contact", contacts)
        yield packed("contact_field", contact_fields.rows_of(contacts))
        yield packed("conversation", conversations)
        yield packed("entry", entries)
        yield packed("message", batch.messages.added())
        yield packed("conversation_event", batch.annotations.added())
        for kind, rows in batch.annotations.changed():
            yield packed(kind, rows)
        yield packed("metric_event", self._metrics.drain())

    def totals(self) -> Iterator[Packed]:
        """The rows of counters and roll-ups over all portions."""
        yield packed("cell", cell_rows(self._context.account_id, dict(sorted(self._cells.items()))))
        yield packed("rollup", self._metrics.rollups.rows(self._context.account_id))
        for kind, rows in self._metrics.parts.rows(self._context.account_id):
            yield packed(kind, rows)
        yield packed("pricing_rollup", self._metrics.pricing.rows(self._context.account_id))

    def last_ids(self) -> Mapping[str, int]:
        """The last id in use, by kind of row."""
        return self._context.ids.last()

    def _fold(
        self, batch_conversations: Iterable[BatchConversation]
    ) -> tuple[list[ConversationRow], list[EntryRow]]:
        """The rows of conversations and of the filter table."""
        conversations: list[ConversationRow] = []
        entries: list[EntryRow] = []
        for conversation in batch_conversations:
            self._metrics.count(conversation)
            state = conversation_rules.fold(
                ConversationState(), conversation.messages, conversation.events
            )
            self._metrics.append(conversation, state.metrics)
            row = conversation_row(self._context, conversation, state, "auto")
            labelled = LabelledConversation(row, state.labels)
            conversations.append(row)
            by_label = entries_of(self._context.account_id, labelled)
            entries += (entry for _, entry in sorted(by_label.items()))
            self._cells.update(cells_of(labelled))
        return conversations, entries


class _EmptyAccount:
    """A connection to an account in which every query finds nothing."""

    dialect: Dialect = "sqlite"

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        return []

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return None

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        raise AssertionError("Nothing is written here")

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        raise AssertionError("Nothing is written here")
