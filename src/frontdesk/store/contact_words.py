"""Contacts found by words: the column that is searched, and its index on each engine (contract E5).

The column has every word of the names and the e-mail address, folded, each behind two blanks, and
after a line feed the digits of the number. So one substring says where a word may be found, and
a trigram is there even for the beginning of a word of one letter.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from frontdesk.store.database import Connection
from frontdesk.store.folding import folded

LEAST_DIGITS = 3
# Shorter words are found at the beginning of a word only: no trigram is inside them.
LEAST_LETTERS = 3

_SEARCHED = ("name", "profile_name", "username", "email")
# One contact's row of the index, none if there is nothing to find it by.
_OWN_PLACE = (
    "account_id * 1099511627776 + id, search FROM contact"
    " WHERE account_id = :account AND id = :id AND search <> ''"
)
_QUOTE = '"'
_WRITTEN_AROUND_DIGITS = str.maketrans("", "", "+-().")
# More than these narrow nothing down any further; what is found is compared in full anyway.
_MOST_TRIGRAMS = 48


@dataclass(frozen=True, slots=True)
class Found:
    """Where the contacts with some words are: the inside of FROM and WHERE, and its parameters.

    `condition` alone, on the table contact, says the same as both but uses no index.
    """

    source: str
    narrowed: str
    condition: str
    parameters: Mapping[str, object]


def search_text(contact: Mapping[str, Any]) -> str:
    """What a contact's `search` is to be.

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
    """The words of a text as they are compared."""
    return folded(text.replace("\0", " ")).split()


def found(connection: Connection, account_id: int, words: Sequence[str]) -> Found:
    """Where contacts with every one of these folded words are; there must be one."""
    parts = [_parts(word) for word in words]
    patterns = {f"word{number}": _pattern(told) for number, told in enumerate(parts)}
    likes = " AND ".join(f"contact.search LIKE :{name} ESCAPE '\\'" for name in patterns)
    # A GIN index finds a number only by one of exactly the column's type.
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
    """Take contacts out of the index, before what is stored of them changes."""
    if connection.dialect == "sqlite":
        connection.run_many(
            "INSERT INTO contact_words(contact_words, rowid, search) "
            f"SELECT 'delete', {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def remember(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Put contacts into the index that are not in it, as they are stored."""
    if connection.dialect == "sqlite":
        connection.run_many(
            f"INSERT INTO contact_words(rowid, search) SELECT {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def remember_all(connection: Connection) -> None:
    """Make the index anew from all contacts, for whoever wrote many without it."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('rebuild')")


def merge(connection: Connection) -> None:
    """Merge the index into one segment: until then it also has what contacts were called before."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('optimize')")


def _parts(word: str) -> tuple[str, ...]:
    """What must be in `search`, in this order, where a contact has the word."""
    digits = word.translate(_WRITTEN_AROUND_DIGITS)
    if len(digits) >= LEAST_DIGITS and digits.isascii() and digits.isdigit():
        return ("\n", digits)
    return (word if len(word) >= LEAST_LETTERS else f"  {word}",)


def _pattern(parts: Iterable[str]) -> str:
    """The parts for LIKE, each taken literally."""
    literal = (part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in parts)
    return f"%{'%'.join(literal)}%"


def _trigrams(texts: Iterable[str]) -> str:
    """An expression of FTS5: every three letters in a row of every text."""
    grams = dict.fromkeys(text[at : at + 3] for text in texts for at in range(len(text) - 2))
    quoted = (f'"{gram.replace(_QUOTE, 2 * _QUOTE)}"' for gram in grams)
    return " ".join(islice(quoted, _MOST_TRIGRAMS))


def _place_range(account_id: int) -> dict[str, int]:
    return {"first": account_id << 40, "last": (account_id + 1 << 40) - 1}


def _each(account_id: int, contact_ids: Iterable[int]) -> list[dict[str, int]]:
    return [{"account": account_id, "id": contact_id} for contact_id in contact_ids]
