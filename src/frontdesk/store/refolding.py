"""Folds stored texts again whose letters `text.clean.folded` has come to take for others.

Messages follow by `message_search.build`, which leaves what has not changed.
"""

from typing import Any

from frontdesk.store import contact_fields, message_search, writes
from frontdesk.store.contacts import name_key
from frontdesk.store.database import Connection
from frontdesk.text.clean import FOLDED_APART

_NAMED = ("channel", "app_user", "team")


def fold_again(connection: Connection) -> None:
    """Fold names, search texts and custom fields, and let the index of messages be built anew."""
    for account in connection.rows("SELECT id FROM account"):
        account_id = account["id"]
        for table in _NAMED:
            _fold_names(connection, account_id, table)
        _fold_contacts(connection, account_id)
        contact_fields.fill_again(connection, account_id)
    message_search.build_again(connection)


def _fold_names(connection: Connection, account_id: int, table: str) -> None:
    rows = connection.rows(
        f"SELECT id, name, name_key FROM {table} WHERE account_id = :account",
        {"account": account_id},
    )
    connection.run_many(
        f"UPDATE {table} SET name_key = :key WHERE account_id = :account AND id = :id",
        [
            {"account": account_id, "id": row["id"], "key": key}
            for row in rows
            if (key := name_key(row["name"])) != row["name_key"]
        ],
    )


def _fold_contacts(connection: Connection, account_id: int) -> None:
    marks = {f"letter{number}": f"%{letter}%" for number, letter in enumerate(FOLDED_APART)}
    columns = ("name", "profile_name", "username", "email")
    likes = " OR ".join(f"{column} LIKE :{mark}" for column in columns for mark in marks)
    rows = connection.rows(
        f"SELECT * FROM contact WHERE account_id = :account AND ({likes})",
        {"account": account_id, **marks},
    )
    contacts: Any = [{**row, "name_key": name_key(row["name"] or "")} for row in rows]
    writes.save_contacts(connection, account_id, contacts)
