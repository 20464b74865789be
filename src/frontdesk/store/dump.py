"""Reads an account's tables, page by page within one transaction."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from frontdesk.store.database import Connection, Row, first_number
from frontdesk.store.rows import table_of

PAGE = 500

# Tables computed from others, which are not dumped.
DERIVED = frozenset(
    (
        "metric_event",
        "entry",
        "cell",
        "rollup",
        "conversation_rollup",
        "user_rollup",
        "duration_rollup",
        "user_duration_rollup",
        "label_rollup",
        "pricing_rollup",
    )
)
DERIVED_TABLES = DERIVED | {"contact_words", "contact_field"}
# Tables that are not dumped: secrets, database metadata, ids, raw webhooks, where files are, and
# the revisions of changes.
TABLES_NOT_EXPORTED = frozenset(
    ("meta", "last_id", "api_key", "raw_event", "checkpoint", "media", "media_garbage", "change")
)

# Link tables: the owning column and the linked column.
LINKS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"team_channel": ("team_id", "channel_id"), "team_member": ("team_id", "user_id")}
)


def accounts(connection: Connection, slug: str | None = None) -> list[Row]:
    """Return all columns of all accounts or one, oldest first."""
    chosen = "" if slug is None else "WHERE slug = :slug"
    parameters = {} if slug is None else {"slug": slug}
    return connection.rows(f"SELECT * FROM account {chosen} ORDER BY id", parameters)


def is_empty(connection: Connection, account_id: int) -> bool:
    """Check if no row of an account was ever made."""
    sql = "SELECT 1 FROM last_id WHERE account_id = :account LIMIT 1"
    return connection.row(sql, {"account": account_id}) is None


def rows_of(connection: Connection, account_id: int, kind: str) -> Iterator[Row]:
    """Yield all rows of a kind in key order."""
    table = table_of(kind)
    yield from _paged(connection, account_id, f"SELECT * FROM {table.name} AS t", table.key[1:])


def conversations(connection: Connection, account_id: int) -> Iterator[Row]:
    """Yield conversations by id, with their contact's identifiers in columns contact_phone etc."""
    source = """
        SELECT t.*, p.phone AS contact_phone, p.wa_id AS contact_wa_id,
          p.wa_user_id AS contact_wa_user_id, p.name AS contact_name
        FROM conversation AS t
        JOIN contact AS p ON p.account_id = t.account_id AND p.id = t.contact_id
    """
    yield from _paged(connection, account_id, source, ("id",))


def count(connection: Connection, account_id: int, kind: str) -> int:
    sql = f"SELECT COUNT(*) AS n FROM {table_of(kind).name} WHERE account_id = :account"
    return first_number(connection, sql, {"account": account_id})


def links(connection: Connection, account_id: int, table: str) -> dict[int, list[Any]]:
    """Return a link table as {owner id: [linked ids]}."""
    owner, linked = LINKS[table]
    links: dict[int, list[Any]] = {}
    for row in connection.rows(
        f"SELECT {owner}, {linked} FROM {table} WHERE account_id = :account "
        f"ORDER BY {owner}, {linked}",
        {"account": account_id},
    ):
        links.setdefault(row[owner], []).append(row[linked])
    return links


def set_account(connection: Connection, account_id: int, settings: Mapping[str, Any]) -> None:
    """Set an account's name, zone, creation time, state, retention and business hours."""
    names = (
        *("name", "timezone", "created_at", "disabled", "messages_keep_days"),
        "business_hours_json",
    )
    connection.run(
        f"UPDATE account SET {', '.join(f'{name} = :{name}' for name in names)} WHERE id = :id",
        {"id": account_id, **{name: settings[name] for name in names}},
    )


def columns(kind: str) -> tuple[str, ...]:
    return tuple(table_of(kind).types)


def _paged(
    connection: Connection, account_id: int, source: str, key: tuple[str, ...]
) -> Iterator[Row]:
    """Yield the rows of `source`, whose table is aliased t, in the order of `key`, page by page."""
    columns = ", ".join(f"t.{name}" for name in key)
    order = f"ORDER BY {columns} LIMIT {PAGE}"
    page = connection.rows(
        f"{source} WHERE t.account_id = :account {order}", {"account": account_id}
    )
    places = ", ".join(f":{name}" for name in key)
    following = f"{source} WHERE t.account_id = :account AND ({columns}) > ({places}) {order}"
    while page:
        yield from page
        if len(page) < PAGE:
            return
        last = {name: page[-1][name] for name in key}
        page = connection.rows(following, {"account": account_id, **last})
