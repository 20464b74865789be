"""Writes rows: INSERT, UPDATE and DELETE statements; allocates row ids."""

from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Any

from frontdesk.store import contact_fields, message_search
from frontdesk.store import contacts as contact_words
from frontdesk.store.changes import NAMES
from frontdesk.store.database import Connection
from frontdesk.store.lookups import has_message_index
from frontdesk.store.rows import ContactRow, MessageRow, RowTable, table_of

# Tables whose rows belong to a conversation and to a contact part.
_FACTS = ("message", "note", "conversation_event")


def note_probe(connection: Connection, *, now: int) -> None:
    """Write the time at which it was tried if the database takes writes."""
    connection.run(
        """
        INSERT INTO meta(name, value) VALUES ('probed_at', :now)
        ON CONFLICT(name) DO UPDATE SET value = excluded.value
        """,
        {"now": str(now)},
    )


def add(connection: Connection, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert new rows."""
    connection.run_many(_insert(table_of(kind)), rows)


def save(connection: Connection, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows, or update those with the same key."""
    table = table_of(kind)
    changes = (f"{name}=excluded.{name}" for name in table.columns if name not in table.key)
    connection.run_many(
        f"{_insert(table)} ON CONFLICT({', '.join(table.key)}) DO UPDATE SET {', '.join(changes)}",
        rows,
    )


def drop(connection: Connection, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Delete rows by their keys."""
    table = table_of(kind)
    connection.run_many(f"DELETE FROM {table.name} WHERE {_key(table)}", rows)


def add_sums(connection: Connection, kind: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add `rows` to rows of sums; those whose `n` becomes 0 are deleted.

    Sorted by key, so that concurrent writers cannot deadlock.
    """
    table = table_of(kind)
    deltas = sorted(rows, key=itemgetter(*table.key))
    sums = (name for name in table.columns if name not in table.key)
    changes = ", ".join(f"{name} = {table.name}.{name} + excluded.{name}" for name in sums)
    connection.run_many(
        f"{_insert(table)} ON CONFLICT({', '.join(table.key)}) DO UPDATE SET {changes}", deltas
    )
    connection.run_many(
        f"DELETE FROM {table.name} WHERE {_key(table)} AND n=0",
        [row for row in deltas if row["n"] < 0],
    )


def save_contacts(connection: Connection, account_id: int, contacts: Iterable[ContactRow]) -> None:
    """Upsert contacts, and update the search index and the table of custom fields.

    `search` must have its stored value, "" for a new contact; it is replaced by the new one.
    """
    rows = list(contacts)
    changed: list[int] = []
    for contact in rows:
        text = contact_words.search_text(contact)
        if text != contact["search"]:
            contact["search"] = text
            changed.append(contact["id"])
    contact_words.remove_from_index(connection, account_id, changed)
    save(connection, "contact", rows)
    contact_fields.save(connection, account_id, rows)
    contact_words.add_to_index(connection, account_id, changed)


def drop_contacts(connection: Connection, account_id: int, contact_ids: Collection[int]) -> None:
    """Delete merged contacts; aliases must have been moved before."""
    contact_words.remove_from_index(connection, account_id, contact_ids)
    contact_fields.drop(connection, account_id, contact_ids)
    delete_rows(connection, account_id, "contact", "id", contact_ids)


def clear_unique_names(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Null unique columns of contacts about to be saved, so that contacts can exchange numbers."""
    connection.run_many(
        "UPDATE contact SET phone=NULL, wa_user_id=NULL WHERE account_id=:account_id AND id=:id",
        [{"account_id": account_id, "id": contact_id} for contact_id in contact_ids],
    )


def move_aliases(connection: Connection, account_id: int, moves: Mapping[int, int]) -> None:
    """Repoint aliases: {old contact id: new contact id}."""
    connection.run_many(
        "UPDATE contact_alias SET contact_id=:target "
        "WHERE account_id=:account_id AND contact_id=:source",
        [
            {"account_id": account_id, "source": source, "target": target}
            for source, target in moves.items()
        ],
    )


def delete_rows(
    connection: Connection,
    account_id: int,
    table: str,
    column: str,
    keys: Iterable[int] | Iterable[str],
) -> None:
    """Delete rows of `table` whose `column` is one of `keys`."""
    connection.run_many(
        f"DELETE FROM {table} WHERE account_id=:account_id AND {column}=:key",
        [{"account_id": account_id, "key": key} for key in keys],
    )


def move_facts(
    connection: Connection,
    account_id: int,
    source: tuple[int, int | None],
    target: tuple[int, int | None],
) -> None:
    """Move messages, notes and events from one conversation and part to another.

    source, target: (conversation id, part id or None).
    """
    part = "part IS NULL" if source[1] is None else "part=:part"
    ids = {"account_id": account_id, "source": source[0], "target": target[0], "as_part": target[1]}
    if source[1] is not None:
        ids["part"] = source[1]
    moved = f"account_id=:account_id AND conversation_id=:source AND {part}"
    message_search.move(connection, moved, ids)
    for table in _FACTS:
        connection.run(
            f"UPDATE {table} SET conversation_id=:target, part=:as_part WHERE {moved}", ids
        )


def release_contact(connection: Connection, account_id: int, conversation_id: int) -> None:
    """Release a conversation's contact before it is saved, so that contacts can swap
    conversations."""
    connection.run(
        "UPDATE conversation SET contact_id=-id WHERE account_id=:account_id AND id=:id",
        {"account_id": account_id, "id": conversation_id},
    )


def merge_conversation(
    connection: Connection, account_id: int, source_id: int, target_id: int
) -> None:
    """Move the facts of a conversation into another and delete it; its filter entries remain."""
    ids = {"account_id": account_id, "source": source_id, "target": target_id}
    moved = "account_id=:account_id AND conversation_id=:source"
    message_search.move(connection, moved, ids)
    for table in (*_FACTS, "metric_event"):
        connection.run(f"UPDATE {table} SET conversation_id=:target WHERE {moved}", ids)
    connection.run("DELETE FROM conversation WHERE account_id=:account_id AND id=:source", ids)


def save_last_assigned(connection: Connection, account_id: int, turns: Mapping[int, int]) -> None:
    """Store the user that each team assigned last: {team id: user id}."""
    connection.run_many(
        "UPDATE team SET last_assigned=:user_id WHERE account_id=:account_id AND id=:id",
        [
            {"account_id": account_id, "id": team_id, "user_id": user_id}
            for team_id, user_id in sorted(turns.items())
        ],
    )


def add_messages(connection: Connection, account_id: int, messages: Collection[MessageRow]) -> None:
    """Insert new messages, and index them for the message search."""
    add(connection, "message", messages)
    if messages:
        # Those of a time whose messages were emptied already are still to be.
        connection.run(
            "UPDATE account SET expired_until = :at WHERE id = :account AND expired_until > :at",
            {"account": account_id, "at": min(row["created_at"] for row in messages)},
        )
    if messages and has_message_index(connection):
        message_search.add(connection, account_id, messages)


def update_messages(
    connection: Connection, account_id: int, changes: Collection[tuple[MessageRow, MessageRow]]
) -> None:
    """Update stored messages and their index for the message search.

    changes: (row, row as it is stored).
    """
    fixed = ("account_id", "conversation_id", "id")
    columns = (f"{name}=:{name}" for name in table_of("message").columns if name not in fixed)
    connection.run_many(
        f"UPDATE message SET {', '.join(columns)} WHERE account_id=:account_id "
        "AND conversation_id=:conversation_id AND created_at=:stored_at"
        " AND direction=:stored_direction AND id=:id",
        [
            {**row, "stored_at": before["created_at"], "stored_direction": before["direction"]}
            for row, before in changes
        ],
    )
    reworded = [pair for pair in changes if message_search.is_reworded(*pair)]
    if reworded and has_message_index(connection):
        message_search.remove(connection, account_id, (before for _, before in reworded))
        message_search.add(connection, account_id, (row for row, _ in reworded))


def link_team(
    connection: Connection,
    account_id: int,
    team_id: int,
    channel_ids: Iterable[int],
    user_ids: Iterable[int],
) -> None:
    """Replace the channels and members of a team."""
    for table, column, ids in (
        ("team_channel", "channel_id", channel_ids),
        ("team_member", "user_id", user_ids),
    ):
        team = {"account_id": account_id, "team_id": team_id}
        connection.run(
            f"DELETE FROM {table} WHERE account_id=:account_id AND team_id=:team_id", team
        )
        connection.run_many(
            f"INSERT INTO {table}(account_id, team_id, {column}) "
            "VALUES (:account_id, :team_id, :linked)",
            [{**team, "linked": linked} for linked in sorted(ids)],
        )


def lock_account(connection: Connection, account_id: int) -> None:
    """Lock the account's row until the end of the transaction, so that its writers are serialised.

    No-op on SQLite, which has a single writer.
    """
    if connection.dialect == "postgresql":
        connection.run(
            "SELECT id FROM account WHERE id = :account FOR NO KEY UPDATE", {"account": account_id}
        )


def bump_revision(
    connection: Connection, account_id: int, conversation_ids: Iterable[int] = ()
) -> None:
    """Increment the account's revision, which ETags are computed from, and store what changed.

    conversation_ids: none, or `NAMES` among them, if the change belongs to no one conversation. The
    account's row is locked from here to the end of the transaction, so that revisions are committed
    in their order.
    """
    connection.run(
        "UPDATE account SET revision = revision + 1 WHERE id=:account_id",
        {"account_id": account_id},
    )
    connection.run_many(
        """
        INSERT INTO change(account_id, conversation_id, revision)
        SELECT id, :id, revision FROM account WHERE id = :account_id
        ON CONFLICT(account_id, conversation_id) DO UPDATE SET revision = excluded.revision
        """,
        [{"account_id": account_id, "id": id} for id in sorted({*conversation_ids} or {NAMES})],
    )


def _insert(table: RowTable) -> str:
    values = ", ".join(f":{name}" for name in table.columns)
    return f"INSERT INTO {table.name}({', '.join(table.columns)}) VALUES ({values})"


def _key(table: RowTable) -> str:
    return " AND ".join(f"{name}=:{name}" for name in table.key)


class Ids:
    """Allocates ids within one write transaction; they take effect with `save`.

    The account's row is locked, so that no concurrent transaction allocates the same ids.
    """

    def __init__(self, connection: Connection, account_id: int) -> None:
        self._connection = connection
        self._account_id = account_id
        lock_account(connection, account_id)
        rows = connection.rows(
            "SELECT kind, value FROM last_id WHERE account_id=:account_id",
            {"account_id": account_id},
        )
        self._last: dict[str, int] = {row["kind"]: row["value"] for row in rows}
        self._saved = dict(self._last)

    def next(self, kind: str) -> int:
        """Allocate the next id of a kind; the first is 1."""
        value = self._last[kind] = self._last.get(kind, 0) + 1
        return value

    def any(self, kind: str) -> bool:
        """Check if an id of that kind was ever saved."""
        return kind in self._saved

    def last(self) -> dict[str, int]:
        """Return the last id of each kind, allocated ones included."""
        return dict(self._last)

    def skip(self, kind: str, value: int) -> None:
        """Reserve ids up to `value`."""
        self._last[kind] = max(value, self._last.get(kind, 0))

    def save(self) -> None:
        self._connection.run_many(
            """
            INSERT INTO last_id(account_id, kind, value) VALUES (:account_id, :kind, :value)
            ON CONFLICT(account_id, kind) DO UPDATE SET value = excluded.value
            """,
            [
                {"account_id": self._account_id, "kind": kind, "value": value}
                for kind, value in sorted(self._last.items())
                if self._saved.get(kind) != value
            ],
        )
