"""Endpoint definition, a request to it, and cursor pagination."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Generic, TypeVar

from frontdesk.service.api_keys import MEDIA_SCOPE, KeyGrant
from frontdesk.service.cursors import CursorCodec, CursorMismatch, InvalidCursor
from frontdesk.service.params import Parameters
from frontdesk.store.accounts import cursor_secret
from frontdesk.store.conversations import Position
from frontdesk.store.database import Connection, Row
from frontdesk.store.rollups import MINUTE
from frontdesk.text.clean import compact_json
from frontdesk.wire import Page, Wire
from frontdesk.wire.queries import MAX_LIMIT

PAGING = ("limit", "cursor")

W = TypeVar("W", bound=Wire)


@dataclass(frozen=True, slots=True)
class JsonBody(Generic[W]):
    """Serialized response body of a wire model; of a page, with the cursor of the next.

    is_news: False if it says that nothing has changed, so that the next change may be awaited.
    """

    json: bytes
    next_cursor: str | None = None
    is_news: bool = True

    @classmethod
    def from_model(cls, value: W) -> "JsonBody[W]":
        """Serialize the members that are set; null ones included."""
        next_cursor = value.next_cursor if isinstance(value, Page) else None
        return cls(value.model_dump_json(exclude_unset=True).encode(), next_cursor)


# Bytes of the texts of a page, as JSON. Clients refuse an answer of twice as much.
PAGE_BYTES = 4 * 1024 * 1024
# A control character, as JSON.
_LONGEST_CHARACTER = 6


def _fitting(rows: Sequence[Row]) -> int:
    """Return how many rows from the first on fit on a page; at least one."""
    texts = [[value for value in row.values() if isinstance(value, str)] for row in rows]
    if sum(len(text) for row in texts for text in row) * _LONGEST_CHARACTER <= PAGE_BYTES:
        return len(rows)
    sizes = accumulate(len(compact_json(row).encode(errors="replace")) for row in texts)
    return max(1, sum(size <= PAGE_BYTES for size in sizes))


@dataclass(frozen=True, slots=True)
class Paging:
    """Page of a list: start position, maximum length, and the cursor codec."""

    after: Position | None
    limit: int
    codec: CursorCodec

    def split(
        self, rows: list[Row], position_of: Callable[[Row], Position]
    ) -> tuple[list[Row], str | None]:
        """Split off the look-ahead row; return the page's rows and the next cursor, if any.

        A page ends early where its texts are longer than `PAGE_BYTES`, but has a row.
        position_of: returns the sort key of a row.
        """
        page = rows[: _fitting(rows[: self.limit])]
        if len(page) == len(rows):
            return page, None
        return page, self.codec.encode(position_of(page[-1]))


@dataclass(frozen=True, slots=True)
class EndpointRequest:
    """Request to an endpoint, on one snapshot of the database. now: epoch milliseconds.

    awake_at: snoozes that end until then count as open; None if none has expired. serves_media:
    files of messages can be fetched from this service. revision: of the account. mark: of the
    database.
    """

    connection: Connection
    grant: KeyGrant
    endpoint: "Endpoint"
    # Hidden from repr: may be a phone number.
    path_value: str = field(repr=False)
    parameters: Parameters
    now: int
    awake_at: int | None = None
    serves_media: bool = False
    revision: int = 0
    mark: str = ""

    @property
    def account(self) -> tuple[Connection, int]:
        """Return the first arguments of every query: the connection and the account's id."""
        return self.connection, self.grant.account_id

    @property
    def reads_files(self) -> bool:
        """True if the key may know what is in files, and what programs read in them."""
        return self.serves_media and MEDIA_SCOPE in self.grant.scopes

    def paging(
        self,
        filters: Mapping[str, str],
        find: Callable[[int | str], Position | None] = lambda row_id: None,
    ) -> Paging:
        """Decode `limit` and `cursor` for the list with these filters.

        A faulty cursor is recorded as a fault. find: looks up the sort key of a row by id.
        """
        endpoint = self.endpoint
        limit = self.parameters.limit(endpoint.page_length)
        secret = cursor_secret(self.connection)
        codec = CursorCodec(secret, self.grant.account_id, endpoint.name, filters)
        cursor = self.parameters.cursor()
        return Paging(None if cursor is None else self._decode(codec, cursor, find), limit, codec)

    def _decode(
        self, codec: CursorCodec, cursor: str, find: Callable[[int | str], Position | None]
    ) -> Position | None:
        try:
            return codec.decode(cursor, find)
        except InvalidCursor:
            self.parameters.add_fault("invalid_cursor", "cursor", "malformed", "it is not a cursor")
        except CursorMismatch:
            self.parameters.add_fault(
                "cursor_mismatch", "cursor", "mismatch", "it belongs to another list"
            )
        return None


def never(query: bytes, now: int = 0) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ApiPath:
    """Path below /v1. path: may have one parameter, as `{name}`. scope: required of the key.

    parameters: of the query.
    """

    name: str
    path: str
    scope: str
    parameters: tuple[str, ...]

    @property
    def path_parameter(self) -> str:
        """Return the name of the path's parameter, "" without one."""
        match = re.search(r"{(\w+)}", self.path)
        return match[1] if match else ""

    @property
    def route(self) -> str:
        """Return the pattern for Starlette's router."""
        return "/v1" + self.path.replace("}", ":segment}")

    @property
    def log_route(self) -> str:
        """Return the path as it is logged, with `{}` for its parameter."""
        return "/v1" + re.sub(r"{\w+}", "{}", self.path)


@dataclass(frozen=True, slots=True)
class Endpoint(ApiPath):
    """Path below /v1 that is answered with JSON, and its handler.

    page_length: default page size. depends_on_minute: checks if the response to a query changes
    with the clock. inline: checks if a query is cheap enough to be tried on the event loop, which a
    search for words is not: full-text indexes have no time limit. extension: it is not in the
    specification. awaits_news: an answer without news may be awaited, also without a tag.
    """

    handler: Callable[[EndpointRequest], Wire | JsonBody[Any]] = field(repr=False)
    page_length: int = MAX_LIMIT
    depends_on_minute: Callable[[bytes, int], bool] = field(default=never, repr=False)
    inline: Callable[[bytes], bool] = field(default=lambda query: b"q=" not in query, repr=False)
    extension: bool = False
    awaits_news: bool = False

    def answer(self, request: EndpointRequest) -> JsonBody[Any]:
        """Raises: ApiError."""
        body = self.handler(request)
        return body if isinstance(body, JsonBody) else JsonBody.from_model(body)

    def minute(self, query: bytes, now: int) -> int | None:
        """Return the start of the current minute if the response depends on the clock."""
        return now - now % MINUTE if self.depends_on_minute(query, now) else None
