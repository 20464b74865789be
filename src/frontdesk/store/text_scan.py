"""Chunked reads for text search, one transaction per chunk: table scans, and the message index."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from frontdesk.search_text import Terms
from frontdesk.store import message_search
from frontdesk.store.conversations import one_of
from frontdesk.store.database import Connection, Database, Row, first_number

CHUNK = 500


@dataclass(frozen=True, slots=True)
class _TableScan:
    """Scan of a table `t`. select: statement up to FROM. key: unique columns."""

    select: str
    key: tuple[str, ...]


_LAST_CONVERSATION = """(
  SELECT c.id FROM conversation AS c WHERE c.account_id = t.account_id AND c.contact_id = t.id
  ORDER BY c.last_activity_at DESC, c.id DESC LIMIT 1)"""

_SOURCES: Mapping[str, _TableScan] = MappingProxyType(
    {
        "message": _TableScan(
            "SELECT t.conversation_id, t.created_at, t.id, t.direction, t.author, t.type, t.source,"
            " t.deleted_at, t.text, t.content_json, t.media_json, t.referral_json"
            " FROM message AS t",
            ("created_at", "conversation_id", "id"),
        ),
        "note": _TableScan(
            "SELECT t.conversation_id, t.created_at, t.id, t.text FROM note AS t",
            ("conversation_id", "created_at", "id"),
        ),
        "conversation": _TableScan(
            "SELECT t.id, t.id AS conversation_id, t.last_activity_at AS created_at,"
            " p.name, p.phone FROM conversation AS t"
            " JOIN contact AS p ON p.account_id = t.account_id AND p.id = t.contact_id",
            ("id",),
        ),
        "contact": _TableScan(
            f"SELECT t.id, {_LAST_CONVERSATION} AS conversation_id,"
            " t.last_activity_at AS created_at, t.name, t.profile_name, t.phone, t.email,"
            " t.username, t.custom_json FROM contact AS t",
            ("id",),
        ),
    }
)


def chunks(
    database: Database,
    account_id: int,
    kind: str,
    *,
    conversation_id: int | None = None,
    size: int = CHUNK,
) -> Iterator[list[Row]]:
    """Yield all rows of a kind (message, note, conversation or contact), up to `size` at a time.

    Messages are sorted by time, the others by key, in descending order. created_at: of
    conversations and contacts, the last activity. conversation_id: restricts messages or notes.
    Rows written during the scan may or may not be included.
    """
    condition = _condition(conversation_id)
    parameters = {"account": account_id, "conversation": conversation_id, "size": size}
    after: Row | None = None
    while True:

        def read(connection: Connection, after: Row | None = after) -> list[Row]:
            return _chunk(connection, _SOURCES[kind], condition, parameters, after)

        rows = database.read(read)
        if rows:
            yield rows
        if len(rows) < size:
            return
        after = rows[-1]


def indexed_chunks(
    database: Database, account_id: int, terms: Terms, size: int = CHUNK
) -> Iterator[list[Row]]:
    """Yield messages with every term from the message index, newest first by second.

    terms: as for `message_search.match_page`.
    """
    before: int | None = None
    while True:

        def read(
            connection: Connection, before: int | None = before
        ) -> tuple[list[Row], int | None]:
            hits = message_search.newest_messages(connection, account_id, terms, before, size)
            last = hits[-1]["number"] if len(hits) == size else None
            return _messages(connection, account_id, [hit["number"] for hit in hits]), last

        rows, before = database.read(read)
        if rows:
            yield rows
        if before is None:
            return


def _messages(connection: Connection, account_id: int, numbers: Sequence[int]) -> list[Row]:
    """Return messages by their numbers in the index."""
    places, parameters = one_of("number", numbers)
    return connection.rows(
        f"""
        {_SOURCES["message"].select} JOIN message_text AS i ON i.account_id = t.account_id
          AND i.conversation_id = t.conversation_id AND i.created_at = t.created_at
          AND i.message_id = t.id
        WHERE i.number IN ({places}) AND t.account_id = :account
        ORDER BY i.number DESC
        """,
        {"account": account_id, **parameters},
    )


def row_count(
    connection: Connection, account_id: int, kind: str, conversation_id: int | None = None
) -> int:
    sql = f"SELECT COUNT(*) AS n FROM {kind} AS t WHERE {_condition(conversation_id)}"
    return first_number(connection, sql, {"account": account_id, "conversation": conversation_id})


def _chunk(
    connection: Connection,
    source: _TableScan,
    condition: str,
    parameters: Mapping[str, object],
    after: Row | None,
) -> list[Row]:
    columns = ", ".join(f"t.{name}" for name in source.key)
    order = ", ".join(f"t.{name} DESC" for name in source.key)
    if after is not None:
        condition += f" AND ({columns}) < ({', '.join(f':after_{name}' for name in source.key)})"
        parameters = {**parameters, **{f"after_{name}": after[name] for name in source.key}}
    return connection.rows(
        f"{source.select} WHERE {condition} ORDER BY {order} LIMIT :size", parameters
    )


def _condition(conversation_id: int | None) -> str:
    only = "" if conversation_id is None else " AND t.conversation_id = :conversation"
    return f"t.account_id = :account{only}"
