"""Table of custom fields: values by which contacts are filtered, kept with every saved contact."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from frontdesk.store.database import Connection, Row
from frontdesk.text.custom_fields import entries
from frontdesk.wire.queries import MOST_FIELD_CHARACTERS

_AT_ONCE = 2_000

# Contact id, key and value of a row.
_Entry = tuple[int, str, str]


def rows_of(contacts: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the rows of contacts, without the keys that are too long."""
    for contact in contacts:
        if contact["custom_json"] == "{}":
            continue
        fields: Mapping[str, Any] = json.loads(contact["custom_json"])
        for key, value in fields.items():
            if len(key) > MOST_FIELD_CHARACTERS:
                continue
            for entry in sorted({*entries(value)}):
                yield {
                    "account_id": contact["account_id"],
                    "contact_id": contact["id"],
                    "key": key.replace("\0", " "),
                    "value": entry,
                }


def save(connection: Connection, account_id: int, contacts: Collection[Mapping[str, Any]]) -> None:
    """Replace the rows of contacts by those of their custom fields now."""
    wanted = {_entry(row) for row in rows_of(contacts)}
    stored = {_entry(row) for row in _stored(connection, account_id, [c["id"] for c in contacts])}
    _delete(connection, account_id, stored - wanted)
    _insert(connection, account_id, wanted - stored)


def drop(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Delete the rows of contacts."""
    connection.run_many(
        "DELETE FROM contact_field WHERE account_id = :account AND contact_id = :id",
        [{"account": account_id, "id": contact_id} for contact_id in contact_ids],
    )


def fill(connection: Connection, account_id: int) -> None:
    """Fill the empty table of an account."""
    for contacts in _pages(connection, account_id):
        _insert(connection, account_id, {_entry(row) for row in rows_of(contacts)})


def fill_again(connection: Connection, account_id: int) -> None:
    """Replace all rows of an account."""
    connection.run("DELETE FROM contact_field WHERE account_id = :account", {"account": account_id})
    fill(connection, account_id)


def differences(connection: Connection, account_id: int) -> Iterator[str]:
    """Yield a line for each row that is superfluous or missing."""
    last = 0
    for contacts in _pages(connection, account_id):
        wanted = {_entry(row) for row in rows_of(contacts)}
        end = contacts[-1]["id"]
        stored = {_entry(row) for row in _between(connection, account_id, last, end)}
        yield from _lines("stored", stored - wanted)
        yield from _lines("missing", wanted - stored)
        last = end
    yield from _lines("stored", {_entry(row) for row in _between(connection, account_id, last)})


def _lines(side: str, entries: Collection[_Entry]) -> Iterator[str]:
    for contact_id, key, _ in sorted(entries):
        yield f"custom field {side}: {key!r} of contact {contact_id}"


def _entry(row: Mapping[str, Any]) -> _Entry:
    return row["contact_id"], row["key"], row["value"]


def _stored(connection: Connection, account_id: int, contact_ids: Collection[int]) -> list[Row]:
    if not contact_ids:
        return []
    names = {f"id{number}": contact_id for number, contact_id in enumerate(contact_ids)}
    return connection.rows(
        "SELECT contact_id, key, value FROM contact_field WHERE account_id = :account"
        f" AND contact_id IN ({', '.join(f':{name}' for name in names)})",
        {"account": account_id, **names},
    )


def _between(
    connection: Connection, account_id: int, after: int, until: int | None = None
) -> list[Row]:
    """Return the rows of the contacts with ids after one, and until another."""
    end = "" if until is None else "AND contact_id <= :until"
    return connection.rows(
        "SELECT contact_id, key, value FROM contact_field"
        f" WHERE account_id = :account AND contact_id > :after {end}",
        {"account": account_id, "after": after, "until": until},
    )


def _pages(connection: Connection, account_id: int) -> Iterator[list[Row]]:
    """Yield all contacts of an account by id, as far as their custom fields need them."""
    last = 0
    while contacts := connection.rows(
        "SELECT account_id, id, custom_json FROM contact"
        f" WHERE account_id = :account AND id > :last ORDER BY id LIMIT {_AT_ONCE}",
        {"account": account_id, "last": last},
    ):
        yield contacts
        last = contacts[-1]["id"]


def _insert(connection: Connection, account_id: int, entries: Collection[_Entry]) -> None:
    connection.run_many(
        "INSERT INTO contact_field(account_id, contact_id, key, value)"
        " VALUES (:account, :contact, :key, :value)",
        _parameters(account_id, entries),
    )


def _delete(connection: Connection, account_id: int, entries: Collection[_Entry]) -> None:
    connection.run_many(
        "DELETE FROM contact_field WHERE account_id = :account AND contact_id = :contact"
        " AND key = :key AND value = :value",
        _parameters(account_id, entries),
    )


def _parameters(account_id: int, entries: Collection[_Entry]) -> list[dict[str, object]]:
    return [
        {"account": account_id, "contact": contact_id, "key": key, "value": value}
        for contact_id, key, value in sorted(entries)
    ]
