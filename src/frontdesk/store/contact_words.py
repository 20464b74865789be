"""Contact search: the searched text column and its trigram index on each engine.

The column has every folded word of the names and the e-mail address, each after two blanks, then a
line feed and the digits of the phone number. A substring thus says where it matched, and even a
one-letter prefix of a word has a trigram.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from frontdesk.store.database import Connection
from frontdesk.store.folding import folded

LEAST_DIGITS = 3
# Shorter words match only at the start of a word: they contain no trigram.
LEAST_LETTERS = 3

_SEARCHED = ("name", "profile_name", "username", "email")
# Row of a contact in the index; none if its text is empty.
_OWN_PLACE = (
    "account_id * 1099511627776 + id, search FROM contact"
    " WHERE account_id = :account AND id = :id AND search <> ''"
)
_QUOTE = '"'
_WRITTEN_AROUND_DIGITS = str.maketrans("", "", "+-().")
# More trigrams do not narrow the result further; matches are compared in full anyway.
_MOST_TRIGRAMS = 48


@dataclass(frozen=True, slots=True)
class Found:
    """Fragments of SQL for FROM and WHERE that select matching contacts, with their parameters.

    `condition` alone, on the table contact, is equivalent but uses no full-text index.
    """

    source: str
    narrowed: str
    condition: str
    parameters: Mapping[str, object]


def search_text(contact: Mapping[str, Any]) -> str:
    """Build the search text of a contact.

    >>> search_text({"name": "Zoë Ara", "profile_name": "Zoë", "username": None,
    ...              "email": None, "phone": "+16505551234"})
    '  zoe  ara\\n16505551234'
    """
    told = [contact[column] for column in _SEARCHED if contact[column]]
    words = dict.fromkeys(word for text in told for word in search_words(text))
    phone = contact["phone"]
    return "".join(f"  {word}" for word in words) + (
        f"\n{phone.removeprefix('+')}" if phone else ""
    )


def search_words(text: str) -> list[str]:
    """Split a text into folded words."""
    return folded(text.replace("\0", " ")).split()


def found(connection: Connection, account_id: int, words: Sequence[str]) -> Found:
    """Select contacts that match every one of these folded words; at least one is needed."""
    parts = [_parts(word) for word in words]
    patterns = {f"word{number}": _pattern(told) for number, told in enumerate(parts)}
    likes = " AND ".join(f"contact.search LIKE :{name} ESCAPE '\\'" for name in patterns)
    # PostgreSQL uses the GIN index for a number only if its type is that of the column.
    condition = f"contact.account_id = CAST(:account AS BIGINT) AND {likes}"
    parameters: dict[str, object] = {"account": account_id, **patterns}
    if connection.dialect == "postgresql":
        return Found("contact", condition, condition, parameters)
    return Found(
        "contact_words CROSS JOIN contact ON contact.id = contact_words.rowid - :first",
        f"contact_words MATCH :trigrams AND contact_words.rowid BETWEEN :first AND :last"
        f" AND {condition}",
        condition,
        parameters | _place_range(account_id) | {"trigrams": _trigrams(told[-1] for told in parts)},
    )


def forget(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Remove contacts from the index; must precede a change of their stored text."""
    if connection.dialect == "sqlite":
        connection.run_many(
            "INSERT INTO contact_words(contact_words, rowid, search) "
            f"SELECT 'delete', {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def remember(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Add contacts to the index with their stored text."""
    if connection.dialect == "sqlite":
        connection.run_many(
            f"INSERT INTO contact_words(rowid, search) SELECT {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def remember_all(connection: Connection) -> None:
    """Rebuild the index after a bulk load."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('rebuild')")


def merge(connection: Connection) -> None:
    """Merge the index into one segment, which removes deleted terms from the file."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('optimize')")


def _parts(word: str) -> tuple[str, ...]:
    """Return the substrings that match a word, in this order."""
    digits = word.translate(_WRITTEN_AROUND_DIGITS)
    if len(digits) >= LEAST_DIGITS and digits.isascii() and digits.isdigit():
        return ("\n", digits)
    return (word if len(word) >= LEAST_LETTERS else f"  {word}",)


def _pattern(parts: Iterable[str]) -> str:
    """Build a LIKE pattern with literal parts."""
    literal = (part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in parts)
    return f"%{'%'.join(literal)}%"


def _trigrams(texts: Iterable[str]) -> str:
    """Build an FTS5 expression of all trigrams of the texts."""
    grams = dict.fromkeys(text[at : at + 3] for text in texts for at in range(len(text) - 2))
    quoted = (f'"{gram.replace(_QUOTE, 2 * _QUOTE)}"' for gram in grams)
    return " ".join(islice(quoted, _MOST_TRIGRAMS))


def _place_range(account_id: int) -> dict[str, int]:
    return {"first": account_id << 40, "last": (account_id + 1 << 40) - 1}


def _each(account_id: int, contact_ids: Iterable[int]) -> list[dict[str, int]]:
    return [{"account": account_id, "id": contact_id} for contact_id in contact_ids]
