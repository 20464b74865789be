"""What the service reads of contacts: the list in order of names, and one by its number."""

from collections.abc import Sequence

from frontdesk.store.database import Connection, Row
from frontdesk.store.queries import Position


def contact_page(
    connection: Connection,
    account_id: int,
    words: Sequence[str],
    after: Position | None,
    count: int,
) -> list[Row]:
    """Contacts with every one of `words`; those with a name first, by `nameless, name_key, id`.

    A word with three digits or more is looked for in the number, any other, which must be folded
    like `name_key`, in name, e-mail address and username.
    """
    nameless, name_key, contact_id = after or (0, "", 0)
    parameters: dict[str, object] = {
        "account": account_id,
        "count": count,
        "name": name_key,
        "id": contact_id,
    }
    found = ""
    for number, word in enumerate(words):
        condition, pattern = _containing(word, f"word{number}")
        found += f" AND {condition}"
        parameters[f"word{number}"] = pattern
    # The empty key sorts first but belongs last, so each kind of contact is a range of its own.
    ranges = ["name_key = '' AND id > :id" if nameless else "name_key = ''"]
    if not nameless:
        ranges.append(
            "name_key <> '' AND (name_key, id) > (:name, :id)" if after else "name_key <> ''"
        )
    arms = " UNION ALL ".join(
        f"""
        SELECT * FROM (
          SELECT contact.*, CASE WHEN name_key = '' THEN 1 ELSE 0 END AS nameless
          FROM contact WHERE account_id = :account AND {condition}{found}
          ORDER BY name_key, id LIMIT :count) AS range{number}
        """
        for number, condition in enumerate(ranges)
    )
    return connection.rows(
        f"SELECT * FROM ({arms}) AS ranges ORDER BY nameless, name_key, id LIMIT :count",
        parameters,
    )


def contact_position(connection: Connection, account_id: int, contact_id: int) -> Position | None:
    """The sort key of one contact, None if it is gone."""
    row = connection.row(
        "SELECT name_key, id FROM contact WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": contact_id},
    )
    return None if row is None else (int(not row["name_key"]), row["name_key"], row["id"])


def contact_by_phone(connection: Connection, account_id: int, phone: str) -> Row | None:
    """The contact with this number, or the one that had it before."""
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


def _containing(word: str, name: str) -> tuple[str, str]:
    """A condition on a contact, and the pattern for its parameter `name`."""
    digits = word.translate(str.maketrans("", "", "+-()."))
    if len(digits) >= 3 and digits.isascii() and digits.isdigit():
        return f"phone LIKE :{name}", f"%{digits}%"
    literal = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    columns = ("name_key", "lower(email)", "lower(username)")
    return (
        "(" + " OR ".join(f"{column} LIKE :{name} ESCAPE '\\'" for column in columns) + ")",
        f"%{literal}%",
    )
