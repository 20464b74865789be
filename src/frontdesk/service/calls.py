"""One request to one endpoint: who asks for what, and where its page starts (contract 1.2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from frontdesk.service.auth import Grant
from frontdesk.service.cursors import CursorBook, CursorOfAnotherList, CursorUnreadable
from frontdesk.service.exchange import Written
from frontdesk.service.parameters import Parameters
from frontdesk.store.database import Connection, Row
from frontdesk.store.keys import cursor_secret
from frontdesk.store.queries import Position
from frontdesk.store.rollups import MINUTE
from frontdesk.wire import Wire
from frontdesk.wire.queries import MAX_LIMIT

PAGING = ("limit", "cursor")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page starts, how long it may be, and how the cursor after it is made."""

    after: Position | None
    limit: int
    book: CursorBook

    def cut(self, rows: list[Row], key: Sequence[str]) -> tuple[list[Row], str | None]:
        """The page's own rows, and the cursor after them if one more row was read."""
        page = rows[: self.limit]
        if len(rows) <= self.limit:
            return page, None
        return page, self.book.seal([page[-1][column] for column in key])


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one endpoint, on one snapshot of the database. now: epoch milliseconds.

    awake_at: conversations snoozed until then or before are open; None if all that are stored as
    snoozed are.
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
        """The place that `limit` and `cursor` name in the list with these filters."""
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
    """A path below /v1, what it needs and takes, and what answers. `{}` stands for a value.

    page_length: how many rows a page has if the caller does not say. until: the parameter that says
    until when; without it the answer goes up to the minute that it is given in. at_once: whether it
    is worth trying to answer while everyone else waits.
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
        """The path with `{}` for the value in it: what may be told without telling who."""
        return "/".join(("/v1", *self.path))

    def minute(self, query: bytes, now: int) -> int | None:
        """The minute that an answer goes up to, None if the clock does not change it."""
        if not self.until or re.search(rf"(^|&){self.until}=".encode(), query):
            return None
        return now - now % MINUTE
