"""Reads contacts: list by name with search, and look-up by phone number."""

from collections.abc import Mapping, Sequence

from frontdesk.store import contact_words
from frontdesk.store.database import Connection, Row
from frontdesk.store.phones import national_variants
from frontdesk.store.queries import Position, one_of

FEW = 1000

# The empty name sorts first but is listed last.
_NAMELESS = "CASE WHEN name_key = '' THEN 1 ELSE 0 END AS nameless"


def contact_page(
    connection: Connection,
    account_id: int,
    words: Sequence[str],
    after: Position | None,
    count: int,
    *,
    few: int = FEW,
) -> list[Row]:
    """Return contacts that match every one of the folded `words`, by `nameless, name_key, id`.

    A word with three digits or more is searched in the number; any other in the names, the username
    and the e-mail address, where one of fewer than three letters matches word prefixes only. A
    search with at most `few` hits sorts them; one with more scans the names until the page is full.
    """
    if not words:
        everyone: dict[str, object] = {"account": account_id}
        return _walk(connection, "account_id = :account", everyone, after, count)
    found = contact_words.found(connection, account_id, words)
    hits = connection.rows(
        f"SELECT {_NAMELESS}, name_key, id FROM {found.source} WHERE {found.narrowed}"
        f" LIMIT {few + 1}",
        found.parameters,
    )
    if len(hits) > few:
        return _walk(connection, found.condition, found.parameters, after, count)
    keys = sorted((hit["nameless"], hit["name_key"], hit["id"]) for hit in hits)
    page = [key for key in keys if after is None or key > tuple(after)][:count]
    return _in_order(connection, account_id, [contact_id for _, _, contact_id in page])


def contact_position(connection: Connection, account_id: int, contact_id: int) -> Position | None:
    """Return the sort key of a contact, None if it does not exist."""
    row = connection.row(
        "SELECT name_key, id FROM contact WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": contact_id},
    )
    return None if row is None else (int(not row["name_key"]), row["name_key"], row["id"])


def contact_by_phone(connection: Connection, account_id: int, phone: str) -> Row | None:
    """Find a contact by E.164 number: current, former, or another national spelling."""
    for spelling in (phone, *national_variants(phone)):
        found = _with_phone(connection, account_id, spelling)
        if found is not None:
            return found
    return None


def _with_phone(connection: Connection, account_id: int, phone: str) -> Row | None:
    parameters = {"account": account_id, "phone": phone}
    return connection.row(
        "SELECT * FROM contact WHERE account_id = :account AND phone = :phone", parameters
    ) or connection.row(
        """
        SELECT contact.* FROM contact_alias AS alias
        JOIN contact ON contact.account_id = alias.account_id AND contact.id = alias.contact_id
        WHERE alias.account_id = :account AND alias.phone = :phone
        """,
        parameters,
    )


def _in_order(connection: Connection, account_id: int, contact_ids: Sequence[int]) -> list[Row]:
    """Return contacts by id, in the given order."""
    if not contact_ids:
        return []
    wanted, parameters = one_of("id", contact_ids)
    rows = connection.rows(
        f"SELECT contact.*, {_NAMELESS} FROM contact"
        f" WHERE account_id = :account AND id IN ({wanted})",
        {"account": account_id, **parameters},
    )
    place = {contact_id: number for number, contact_id in enumerate(contact_ids)}
    return sorted(rows, key=lambda row: place[row["id"]])


def _walk(
    connection: Connection,
    condition: str,
    parameters: Mapping[str, object],
    after: Position | None,
    count: int,
) -> list[Row]:
    """Return contacts that satisfy `condition`, scanned in list order."""
    nameless, name_key, contact_id = after or (0, "", 0)
    # Contacts without a name come first in the index, so each group is a range of its own.
    ranges = ["name_key = '' AND id > :id" if nameless else "name_key = ''"]
    if not nameless:
        ranges.append("(name_key, id) > (:name, :id)" if after else "name_key > ''")
    arms = " UNION ALL ".join(
        f"""
        SELECT * FROM (
          SELECT contact.*, {_NAMELESS}
          FROM contact WHERE {condition} AND {within}
          ORDER BY name_key, id LIMIT :count) AS range{number}
        """
        for number, within in enumerate(ranges)
    )
    return connection.rows(
        f"SELECT * FROM ({arms}) AS ranges ORDER BY nameless, name_key, id LIMIT :count",
        {**parameters, "name": name_key, "id": contact_id, "count": count},
    )
