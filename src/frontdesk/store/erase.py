"""Erasure: deletes all rows of a person. No other module deletes messages."""

from collections.abc import Iterable, Iterator
from typing import Literal

from frontdesk.store import contacts, media, message_search
from frontdesk.store.database import Connection, Row, first_number

# Tables deleted with a conversation; the counts are reported per table.
_OF_A_CONVERSATION = ("metric_event", "conversation_event", "note", "message")


def contact_ids(connection: Connection, account_id: int, spellings: Iterable[str]) -> list[int]:
    """Return ids of contacts that have or had a number or user id. spellings: E.164, or the id."""
    ids: set[int] = set()
    for phone in spellings:
        rows = connection.rows(
            """
            SELECT id FROM contact WHERE account_id = :account AND phone = :phone
            UNION SELECT id FROM contact WHERE account_id = :account AND wa_id = :digits
            UNION SELECT id FROM contact WHERE account_id = :account AND wa_user_id = :phone
            UNION SELECT contact_id FROM contact_alias
              WHERE account_id = :account AND phone = :phone
            """,
            {"account": account_id, "phone": phone, "digits": phone.removeprefix("+")},
        )
        ids |= {row["id"] for row in rows}
    return sorted(ids)


def names_of(connection: Connection, account_id: int, contact_id: int) -> Row | None:
    return connection.row(
        "SELECT phone, wa_id, wa_user_id FROM contact WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": contact_id},
    )


def aliases_of(connection: Connection, account_id: int, contact_id: int) -> list[str]:
    """Return a contact's former phone numbers and user ids."""
    rows = connection.rows(
        "SELECT phone FROM contact_alias WHERE account_id = :account AND contact_id = :id",
        {"account": account_id, "id": contact_id},
    )
    return [row["phone"] for row in rows]


def messages_of(connection: Connection, account_id: int, conversation_id: int) -> list[Row]:
    """Return wamid and all columns that counters and roll-ups depend on."""
    return connection.rows(
        """
        SELECT created_at, direction, author, author_id, type, wamid,
          category, billable, pricing_type, priced_at
        FROM message
        WHERE account_id = :account AND conversation_id = :conversation
        """,
        {"account": account_id, "conversation": conversation_id},
    )


def has_channel(connection: Connection, account_id: int, phone: str) -> bool:
    """Check if this is a number of the business itself."""
    sql = "SELECT COUNT(*) AS n FROM channel WHERE account_id = :account AND phone = :phone"
    return first_number(connection, sql, {"account": account_id, "phone": phone}) > 0


def forget_conversation(
    connection: Connection, account_id: int, conversation: Row
) -> Iterator[tuple[str, int]]:
    """Delete a conversation except its counters; yield (table, number of rows deleted)."""
    place = {"account": account_id, "conversation": conversation["id"]}
    yield (
        "reaction",
        connection.run(
            """
            DELETE FROM reaction WHERE account_id = :account AND channel_id = :channel
              AND target_wamid IN (SELECT wamid FROM message
                WHERE account_id = :account AND conversation_id = :conversation)
            """,
            {**place, "channel": conversation["channel_id"]},
        ),
    )
    message_search.remove_conversation(connection, account_id, conversation["id"])
    yield "media", media.forget_conversation(connection, account_id, conversation["id"])
    for table in _OF_A_CONVERSATION:
        where = "account_id = :account AND conversation_id = :conversation"
        yield table, connection.run(f"DELETE FROM {table} WHERE {where}", place)
    yield (
        "conversation",
        connection.run(
            "DELETE FROM conversation WHERE account_id = :account AND id = :conversation", place
        ),
    )


def forget_each(
    connection: Connection,
    account_id: int,
    table: Literal["reaction", "orphan"],
    column: Literal["person", "target"],
    names: Iterable[str],
) -> int:
    """Delete reactions of persons, or pending updates of messages; return the number deleted."""
    return sum(
        connection.run(
            f"DELETE FROM {table} WHERE account_id = :account AND {column} = :name",
            {"account": account_id, "name": name},
        )
        for name in names
    )


def forget_changes(connection: Connection, account_id: int, names: Iterable[str]) -> None:
    """Delete identity changes from or to these names."""
    for name in names:
        connection.run(
            "DELETE FROM identity_change "
            "WHERE account_id = :account AND (old = :name OR new = :name)",
            {"account": account_id, "name": name},
        )


def forget_contact(connection: Connection, account_id: int, contact_id: int) -> None:
    """Delete a contact without conversations, with its aliases, parts, fields and search words."""
    contact = {"account": account_id, "id": contact_id}
    contacts.remove_from_index(connection, account_id, [contact_id])
    for table in ("contact_alias", "contact_part", "contact_field"):
        connection.run(
            f"DELETE FROM {table} WHERE account_id = :account AND contact_id = :id", contact
        )
    connection.run("DELETE FROM contact WHERE account_id = :account AND id = :id", contact)
