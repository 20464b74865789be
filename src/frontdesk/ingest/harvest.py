"""Whole conversations made into the rows that applying them to an empty account would leave."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from frontdesk.ingest import rules
from frontdesk.ingest.applied import Counted
from frontdesk.ingest.catalogue import Catalogue, CatalogueUpsert
from frontdesk.ingest.conversations import conversation_row
from frontdesk.ingest.events import ChannelUpsert, DomainEvent
from frontdesk.ingest.reckoning import Reckoning
from frontdesk.ingest.rules import Standing
from frontdesk.ingest.telling import Telling, by_kind
from frontdesk.ingest.threads import Thread
from frontdesk.store.contact_words import search_text
from frontdesk.store.counters import Cell, Listed, cells_of, entries_of
from frontdesk.store.database import Dialect, Row
from frontdesk.store.ids import Ids
from frontdesk.store.loading import Packed, packed


class Harvest:
    """Takes an account's events, portion by portion, without a database to look anything up in.

    So everything about one person must come in one portion, and what is named must be in the
    catalogue. The events of the catalogue are to be applied to the database besides.
    """

    def __init__(
        self, account_id: int, named: Sequence[ChannelUpsert | CatalogueUpsert], now: int
    ) -> None:
        self._account_id = account_id
        self._now = now
        self._blank = _Blank()
        self._ids = Ids(self._blank, account_id)
        self._counted = Counted()
        self._catalogue = Catalogue(self._blank, account_id, self._ids, self._counted)
        self._reckoning = Reckoning(self._blank, account_id, self._ids)
        self._cells: Counter[Cell] = Counter()
        for event in named:
            if isinstance(event, ChannelUpsert):
                self._catalogue.tell_channel(event)
            else:
                self._catalogue.tell(event)

    def take(self, events: Iterable[DomainEvent]) -> Iterator[Packed]:
        """The rows of a portion: all about some people of whom nothing came before."""
        telling = Telling(
            self._blank, self._account_id, self._now, self._ids, self._counted, self._catalogue
        )
        kinds = by_kind(events)
        telling.load(kinds)
        telling.tell(kinds)
        conversations, entries = self._settle(telling.threads.touched())
        contacts = telling.people.unsaved()
        for contact in contacts:
            contact["search"] = search_text(contact)
        yield packed("contact", contacts)
        yield packed("conversation", conversations)
        yield packed("entry", entries)
        yield packed("message", telling.correspondence.added())
        yield packed("conversation_event", telling.asides.added())
        for kind, rows in telling.asides.put():
            yield packed(kind, rows)
        yield packed("metric_event", self._reckoning.taken())

    def sums(self) -> Iterator[Packed]:
        """The rows of what is counted over all portions."""
        cells = (
            {"account_id": self._account_id, **cell._asdict(), "n": n}
            for cell, n in sorted(self._cells.items())
        )
        yield packed("cell", cells)
        yield packed("rollup", self._reckoning.rollups.rows(self._account_id))

    def last_ids(self) -> Mapping[str, int]:
        """The last id that was given out, by kind of row."""
        return self._ids.last()

    def _settle(
        self, threads: Iterable[Thread]
    ) -> tuple[list[dict[str, Any]], list[dict[str, object]]]:
        """The rows of conversations, and of the filter table."""
        conversations: list[dict[str, Any]] = []
        entries: list[dict[str, object]] = []
        for thread in threads:
            self._reckoning.count(thread)
            standing = rules.fold(Standing(), thread.messages, thread.happenings)
            self._reckoning.append(thread, standing.measures)
            row = conversation_row(self._account_id, thread, standing, "auto", self._now)
            listed = Listed(row, standing.labels)
            conversations.append(row)
            entries += (entry for _, entry in sorted(entries_of(self._account_id, listed).items()))
            self._cells.update(cells_of(listed))
        return conversations, entries


class _Blank:
    """The Connection of an account in which there is nothing yet."""

    dialect: Dialect = "sqlite"

    def rows(self, sql: str, parameters: Mapping[str, object] | None = None) -> list[Row]:
        return []

    def row(self, sql: str, parameters: Mapping[str, object] | None = None) -> Row | None:
        return None

    def run(self, sql: str, parameters: Mapping[str, object] | None = None) -> int:
        raise AssertionError("Nothing is written here")

    def run_many(self, sql: str, parameters: Iterable[Mapping[str, object]]) -> None:
        raise AssertionError("Nothing is written here")
