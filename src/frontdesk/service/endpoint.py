"""Endpoint definition, a request to it, and cursor pagination."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk.service.auth import Grant
from frontdesk.service.cursors import CursorBook, CursorOfAnotherList, CursorUnreadable
from frontdesk.service.http import Written
from frontdesk.service.params import Parameters
from frontdesk.store.accounts import cursor_secret
from frontdesk.store.conversations import Position
from frontdesk.store.database import Connection, Row
from frontdesk.store.rollups import MINUTE
from frontdesk.wire import Wire
from frontdesk.wire.queries import MAX_LIMIT

PAGING = ("limit", "cursor")


@dataclass(frozen=True, slots=True)
class Place:
    """Page of a list: start position, maximum length, and the cursor codec."""

    after: Position | None
    limit: int
    book: CursorBook

    def cut(self, rows: list[Row], key: Sequence[str]) -> tuple[list[Row], str | None]:
        """Split off the look-ahead row; return the page's rows and the next cursor, if any."""
        page = rows[: self.limit]
        if len(rows) <= self.limit:
            return page, None
        return page, self.book.seal([page[-1][column] for column in key])


@dataclass(frozen=True, slots=True)
class Call:
    """Request to an endpoint, on one snapshot of the database. now: epoch milliseconds.

    awake_at: snoozes that end until then count as open; None if none has expired.
    """

    connection: Connection
    grant: Grant
    endpoint: "Endpoint"
    path_value: str
    parameters: Parameters
    now: int
    awake_at: int | None = None

    @property
    def account_id(self) -> int:
        return self.grant.account_id

    def place(
        self,
        filters: Mapping[str, str],
        find: Callable[[int | str], Position | None] = lambda row_id: None,
    ) -> Place:
        """Decode `limit` and `cursor` for the list with these filters.

        A faulty cursor is recorded as a fault. find: looks up the sort key of a row by id.
        """
        endpoint = self.endpoint
        limit = self.parameters.limit(endpoint.page_length)
        secret = cursor_secret(self.connection)
        book = CursorBook(secret, self.account_id, endpoint.name, filters)
        cursor = self.parameters.cursor()
        return Place(None if cursor is None else self._opened(book, cursor, find), limit, book)

    def _opened(
        self, book: CursorBook, cursor: str, find: Callable[[int | str], Position | None]
    ) -> Position | None:
        try:
            return book.open(cursor, find)
        except CursorUnreadable:
            self.parameters.refuse("invalid_cursor", "cursor", "malformed", "it is not a cursor")
        except CursorOfAnotherList:
            self.parameters.refuse(
                "cursor_mismatch", "cursor", "mismatch", "it belongs to another list"
            )
        return None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Route below /v1 and its handler. A `{}` in a path matches a value.

    scope: required of the key. page_length: default page size. until: parameter that ends the
    period; without it in the query, the response depends on the current minute. at_once: cheap
    enough to be tried inline on the event loop.
    """

    name: str
    path: tuple[str, ...]
    scope: str
    parameters: tuple[str, ...]
    answer: Callable[[Call], Wire | Written[Any]] = field(repr=False)
    page_length: int = MAX_LIMIT
    until: str = ""
    at_once: bool = True

    @property
    def route(self) -> str:
        """Return the path with `{}` for its value, safe to log."""
        return "/".join(("/v1", *self.path))

    def minute(self, query: bytes, now: int) -> int | None:
        """Return the start of the current minute if the response depends on the clock."""
        if not self.until or re.search(rf"(^|&){self.until}=".encode(), query):
            return None
        return now - now % MINUTE
