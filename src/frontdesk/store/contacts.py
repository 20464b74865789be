"""Reads contacts: list by name with search, and look-up by phone number.

Contact search: the searched text column and its trigram index on each engine.

The column has every folded word of the names and the e-mail address, each after two blanks, then a
line feed and the digits of the phone number. A substring thus says where it matched, and even a
one-letter prefix of a word has a trigram.

Case-insensitive keys for sorting and matching names and labels.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import Any

from frontdesk.store.conversations import Position, one_of
from frontdesk.store.database import Connection, Dialect, Row
from frontdesk.text.clean import folded
from frontdesk.text.phones import is_user_id, national_variants, phone_pattern
from frontdesk.text.search import search_words
from frontdesk.wire.values import FOUND_BY

LONGEST_NAME_KEY = 200


def name_key(name: str) -> str:
    """Sort key of a name without blanks around it, truncated: index entries are limited in size.

    >>> name_key(" Ångström")
    'angstrom'
    """
    return folded(name).strip()[:LONGEST_NAME_KEY]


def label_key(title: str) -> str:
    """Key that identifies a label: its casefolded title."""
    return title.casefold()


# Words of fewer letters and digits match only at the start of a word: they have no trigram.
LEAST_LETTERS = 3

_LIKE = "contact.search LIKE :{} ESCAPE '\\'"
_TRIGRAM = 3
# Text of a contact with another letter for the first of its name. It is no beginning of a word,
# which is what the second letter would be without it.
_MARK = "ǂ"
_BEHIND = f"(CASE WHEN name_key = '' THEN search ELSE '{_MARK}' || substr(search, 4) END)"
# Row of a contact in the index; none if its text is empty.
_OWN_PLACE = (
    "account_id * 1099511627776 + id, search FROM contact"
    " WHERE account_id = :account AND id = :id AND search <> ''"
)
_QUOTE = '"'
# More trigrams do not narrow the result further; matches are compared in full anyway.
_MOST_TRIGRAMS = 48


@dataclass(frozen=True, slots=True)
class ContactCondition:
    """Fragments of SQL for FROM and WHERE that select matching contacts, with their parameters.

    `condition` alone, on the table contact, is equivalent but uses no full-text index. `beginning`
    selects those that `narrowed` leaves out, "" if it leaves out none.
    """

    source: str
    narrowed: str
    condition: str
    parameters: Mapping[str, object]
    beginning: str = ""


def search_text(contact: Mapping[str, Any]) -> str:
    """Build the search text of a contact.

    >>> search_text({"name": "Zoë Ara", "profile_name": "Zoë", "username": None,
    ...              "email": None, "phone": "+16505551234"})
    '  zoe  ara\\n16505551234'
    """
    texts = [contact[column] for column in FOUND_BY if contact[column]]
    words = dict.fromkeys(word for text in texts for word in search_words(text))
    phone = contact["phone"]
    return "".join(f"  {word}" for word in words) + (
        f"\n{phone.removeprefix('+')}" if phone else ""
    )


def word_search(connection: Connection, account_id: int, words: Sequence[str]) -> ContactCondition:
    """Select contacts that match every one of these folded words; at least one is needed."""
    found = word_condition(connection.dialect, words)
    parameters = {
        **found.parameters,
        "account": account_id,
        "first": account_id << 40,
        "last": (account_id + 1 << 40) - 1,
    }
    return replace(found, parameters=parameters)


def word_condition(dialect: Dialect, words: Sequence[str], suffix: str = "") -> ContactCondition:
    """The same for the account :account. suffix: of the names of all other parameters."""
    spellings = [_spellings(word) for word in words]
    patterns: dict[str, object] = {
        f"word{at}_{other}{suffix}": like_pattern(pieces)
        for at, word in enumerate(spellings)
        for other, pieces in enumerate(word)
    }
    names = iter(patterns)
    likes = " AND ".join(
        "(" + " OR ".join(_LIKE.format(next(names)) for _ in word) + ")" for word in spellings
    )
    # PostgreSQL uses the GIN index for a number only if its type is that of the column.
    own = "contact.account_id = CAST(:account AS BIGINT)"
    condition = f"{own} AND {likes}"
    if dialect == "postgresql":
        if len(words) > 1 or phone_pattern(words[0]) or _MARK in words[0]:
            return ContactCondition("contact", condition, condition, patterns)
        behind = f"{own} AND {_BEHIND} LIKE :word0_0{suffix} ESCAPE '\\'"
        begins = f"{own} AND name_key >= :begin{suffix} AND name_key < :end{suffix}"
        ends = {f"{name}{suffix}": end for name, end in _beginning(words[0]).items()}
        return ContactCondition("contact", behind, condition, patterns | ends, begins)
    return ContactCondition(
        "contact_words CROSS JOIN contact ON contact.id = contact_words.rowid - (:account << 40)",
        f"contact_words MATCH :trigrams{suffix} AND contact_words.rowid"
        f" BETWEEN (:account << 40) AND ((:account + 1) << 40) - 1 AND {condition}",
        condition,
        patterns | {f"trigrams{suffix}": _trigrams_of(spellings)},
    )


def _beginning(word: str) -> dict[str, object]:
    """Return the range of names that begin with a word."""
    return {"begin": word, "end": f"{word}\U0010ffff"}


def remove_from_index(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Remove contacts from the index; must precede a change of their stored text."""
    if connection.dialect == "sqlite":
        connection.run_many(
            "INSERT INTO contact_words(contact_words, rowid, search) "
            f"SELECT 'delete', {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def add_to_index(connection: Connection, account_id: int, contact_ids: Iterable[int]) -> None:
    """Add contacts to the index with their stored text."""
    if connection.dialect == "sqlite":
        connection.run_many(
            f"INSERT INTO contact_words(rowid, search) SELECT {_OWN_PLACE}",
            _each(account_id, contact_ids),
        )


def rebuild_index(connection: Connection) -> None:
    """Rebuild the index after a bulk load."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('rebuild')")


def optimize_index(connection: Connection) -> None:
    """Merge the index into one segment, which removes deleted terms from the file."""
    if connection.dialect == "sqlite":
        connection.run("INSERT INTO contact_words(contact_words) VALUES ('optimize')")


def _spellings(word: str) -> list[tuple[str, ...]]:
    """Return the spellings of a word, each as the substrings that match it, in this order."""
    if number := phone_pattern(word):
        return [
            (part.replace("+", "\n"),) if part.startswith("+") else ("\n", part)
            for part in number.parts
        ]
    # PostgreSQL indexes no punctuation.
    letters = sum(letter.isalnum() or not letter.isascii() for letter in word)
    return [(word if letters >= LEAST_LETTERS else f"  {word}",)]


def like_pattern(parts: Iterable[str]) -> str:
    """Build a LIKE pattern with literal parts."""
    literal = (part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in parts)
    return f"%{'%'.join(literal)}%"


def trigrams(texts: Iterable[str], step: int = 1) -> str:
    """Build an FTS5 expression of the trigrams of the texts; each last one, and others by steps."""
    starts = (
        (text, at) for text in texts for at in (*range(0, len(text) - 3, step), len(text) - 3)
    )
    grams = dict.fromkeys(text[at : at + 3] for text, at in starts)
    quoted = (f'"{gram.replace(_QUOTE, 2 * _QUOTE)}"' for gram in grams)
    return " ".join(islice(quoted, _MOST_TRIGRAMS))


def _trigrams_of(words: Sequence[Sequence[Sequence[str]]]) -> str:
    """Build the expression of words, "" if all are too short for it.

    Every other trigram of numbers is rare enough.
    """
    letters = [word[0][0] for word in words if not _is_number(word)]
    numbers = [[pieces[-1] for pieces in word] for word in words if _is_number(word)]
    conditions = [f"({trigrams(letters)})"] if letters else []
    conditions += [
        "(" + " OR ".join(f"({trigrams((part,), 2)})" for part in parts) + ")"
        for parts in numbers
        if all(len(part) >= _TRIGRAM for part in parts)
    ]
    return " AND ".join(conditions)


def _is_number(word: Sequence[Sequence[str]]) -> bool:
    return word[0][0].startswith("\n")


def _each(account_id: int, contact_ids: Iterable[int]) -> list[dict[str, int]]:
    return [{"account": account_id, "id": contact_id} for contact_id in contact_ids]


# Hits that are sorted; if there seem to be more, so many names are compared in order before.
# SQLite compares names by its index alone, in a twentieth of the time that reading a hit takes.
SORTED_HITS = {"sqlite": 2_000, "postgresql": 3_000}
COMPARED_NAMES = {"sqlite": 25_000, "postgresql": 8_000}

# Names that one query looks for.
_NAMES_AT_ONCE = 500

# The empty name sorts first but is listed last.
_NAMELESS = "CASE WHEN name_key = '' THEN 1 ELSE 0 END AS nameless"


def contact_page(
    connection: Connection,
    account_id: int,
    words: Sequence[str],
    after: Position | None,
    count: int,
    *,
    few: int | None = None,
    near: int | None = None,
) -> list[Row]:
    """Return contacts that match every one of the folded `words`, by `nameless, name_key, id`.

    A phone number is searched as `phone_pattern` says, and alone it is also that of one contact who
    has or had it; any other word in the names, the username and the e-mail address, where one of
    fewer than three letters and digits matches word prefixes only. Up to `few` hits of the index
    are sorted. If there seem to be more, the next `near` names are compared before, as they may
    fill the page.
    """
    if not words:
        everyone: dict[str, object] = {"account": account_id}
        return _walk(connection, "account_id = :account", everyone, after, count)
    number = phone_pattern(words[0]) if len(words) == 1 else None
    if len(words) == 1 and is_user_id(words[0]):
        found = contact_by_user_id(connection, account_id, words[0])
        return [] if found is None else _only(found, after)
    if number and (contact := _first_with_phone(connection, account_id, number.whole)):
        return _only(contact, after)
    search = word_search(connection, account_id, words)
    if not search.parameters.get("trigrams", True):
        return _walk(connection, search.condition, search.parameters, after, count)
    few = SORTED_HITS[connection.dialect] if few is None else few
    if _estimate(connection, search, few) > few:
        near = COMPARED_NAMES[connection.dialect] if near is None else near
        rows = _near(connection, search, after, count, near)
        if len(rows) == count:
            return rows
        if connection.dialect == "sqlite":
            page = _by_beginning(connection, search, words[0], after, count, few)
            if page is None:
                return _walk(connection, search.condition, search.parameters, after, count)
            return _in_order(connection, account_id, page)
    return _in_order(connection, account_id, _sorted_hits(connection, search, after, count))


def _only(contact: Row, after: Position | None) -> list[Row]:
    """Return a page with the only contact, unless it begins behind it."""
    place = int(not contact["name_key"]), contact["name_key"], contact["id"]
    return [{**contact, "nameless": place[0]}] if after is None or place > tuple(after) else []


def contact_position(connection: Connection, account_id: int, contact_id: int) -> Position | None:
    """Return the sort key of a contact, None if it does not exist."""
    row = connection.row(
        "SELECT name_key, id FROM contact WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": contact_id},
    )
    return None if row is None else (int(not row["name_key"]), row["name_key"], row["id"])


def numbers_after(connection: Connection, account_id: int, phone: str, count: int) -> list[Row]:
    """Return (phone, contact_id) of current and former numbers after `phone`, in order."""
    return connection.rows(
        """
        SELECT phone, contact_id FROM (
          SELECT phone, id AS contact_id FROM contact
            WHERE account_id = :account AND phone > :phone
          UNION ALL SELECT phone, contact_id FROM contact_alias
            WHERE account_id = :account AND phone > :phone) AS numbers
        ORDER BY phone LIMIT :count
        """,
        {"account": account_id, "phone": phone, "count": count},
    )


def contact_by_phone(connection: Connection, account_id: int, phone: str) -> Row | None:
    """Find a contact by E.164 number: current, former, or another national spelling."""
    spellings = (phone, *national_variants(phone))
    return _first_with_phone(connection, account_id, spellings)


def contact_by_id(connection: Connection, account_id: int, contact_id: int) -> Row | None:
    return connection.row(
        "SELECT * FROM contact WHERE account_id = :account AND id = :id",
        {"account": account_id, "id": contact_id},
    )


def contacts_by_id(connection: Connection, account_id: int, ids: Sequence[int]) -> list[Row]:
    """Return contacts, in no order."""
    if not ids:
        return []
    placeholders, parameters = one_of("id", ids)
    return connection.rows(
        f"SELECT * FROM contact WHERE account_id = :account AND id IN ({placeholders})",
        {"account": account_id, **parameters},
    )


def contacts_after(
    connection: Connection, account_id: int, contact_id: int, count: int
) -> list[Row]:
    """Return contacts by id, after one."""
    return connection.rows(
        "SELECT * FROM contact WHERE account_id = :account AND id > :id ORDER BY id LIMIT :count",
        {"account": account_id, "id": contact_id, "count": count},
    )


def ids_by_name(connection: Connection, account_id: int, names: Collection[str]) -> dict[str, str]:
    """Return the id on the wire of a contact with each of some folded names, where there is one."""
    found: dict[str, str] = {}
    every = sorted(names)
    for start in range(0, len(every), _NAMES_AT_ONCE):
        placeholders, parameters = one_of("name", every[start : start + _NAMES_AT_ONCE])
        rows = connection.rows(
            "SELECT name_key, MIN(id) AS id FROM contact WHERE account_id = :account"
            f" AND name_key IN ({placeholders}) GROUP BY name_key",
            {"account": account_id, **parameters},
        )
        found |= {row["name_key"]: str(row["id"]) for row in rows}
    return found


def named_contacts(connection: Connection, account_id: int, name: str) -> list[Row]:
    """Return the contacts with a username, after @ or without, or with a name, in any case."""
    words = search_words(name.removeprefix("@"))
    if not words:
        return []
    search = word_search(connection, account_id, words)
    rows = connection.rows(
        f"SELECT * FROM contact WHERE {search.condition} ORDER BY id", search.parameters
    )
    text = folded(name.removeprefix("@"))
    columns = ("username",) if name.startswith("@") else ("username", "name", "profile_name")
    return [row for row in rows if text in [folded(row[column] or "") for column in columns]]


def contact_by_user_id(connection: Connection, account_id: int, user_id: str) -> Row | None:
    """Find a contact by its user id, current or former."""
    parameters = {"account": account_id, "user": user_id}
    return connection.row(
        "SELECT * FROM contact WHERE account_id = :account AND wa_user_id = :user", parameters
    ) or connection.row(
        """
        SELECT contact.* FROM contact_alias AS alias
        JOIN contact ON contact.account_id = alias.account_id AND contact.id = alias.contact_id
        WHERE alias.account_id = :account AND alias.phone = :user
        """,
        parameters,
    )


def _first_with_phone(connection: Connection, account_id: int, phones: Iterable[str]) -> Row | None:
    contacts = (_with_phone(connection, account_id, phone) for phone in phones)
    return next(filter(None, contacts), None)


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
    placeholders, parameters = one_of("id", contact_ids)
    rows = connection.rows(
        f"SELECT contact.*, {_NAMELESS} FROM contact"
        f" WHERE account_id = :account AND id IN ({placeholders})",
        {"account": account_id, **parameters},
    )
    place = {contact_id: number for number, contact_id in enumerate(contact_ids)}
    return sorted(rows, key=lambda row: place[row["id"]])


def _estimate(connection: Connection, search: ContactCondition, few: int) -> int:
    """Return how many contacts match, about; on SQLite those with all trigrams, up to `few` + 1."""
    if connection.dialect == "postgresql":
        plan = connection.row(
            f"EXPLAIN (FORMAT JSON) SELECT 1 FROM contact WHERE {search.narrowed}",
            search.parameters,
        )
        return 0 if plan is None else int(plan["QUERY PLAN"][0]["Plan"]["Plan Rows"])
    row = connection.row(
        "SELECT COUNT(*) AS n FROM (SELECT rowid FROM contact_words"
        f" WHERE contact_words MATCH :trigrams AND rowid BETWEEN :first AND :last LIMIT {few + 1})",
        search.parameters,
    )
    return 0 if row is None else int(row["n"])


def _sorted_hits(
    connection: Connection, search: ContactCondition, after: Position | None, count: int
) -> list[int]:
    """Return the ids of a page of hits."""
    # Not in order: the planner would compare all names.
    parameters = {**search.parameters, **_place(after), "count": count}
    keys = connection.rows(
        f"""
        WITH hits AS MATERIALIZED (
          SELECT {_NAMELESS}, name_key, contact.id FROM {search.source} WHERE {search.narrowed})
        SELECT * FROM hits WHERE (nameless, name_key, id) > (:nameless, :name, :id)
        ORDER BY nameless, name_key, id LIMIT :count
        """,
        parameters,
    )
    if search.beginning:
        keys += connection.rows(
            f"""
            SELECT 0 AS nameless, name_key, id FROM contact
            WHERE {search.beginning} AND (0, name_key, id) > (:nameless, :name, :id)
            ORDER BY name_key, id LIMIT :count
            """,
            parameters,
        )
    return _first(keys, count)


def _first(keys: Iterable[Row], count: int) -> list[int]:
    """Return the first of the ids, each once, in the order of a list."""
    ordered = sorted(keys, key=itemgetter("nameless", "name_key", "id"))
    return list(islice(dict.fromkeys(row["id"] for row in ordered), count))


def _by_beginning(
    connection: Connection,
    search: ContactCondition,
    word: str,
    after: Position | None,
    count: int,
    few: int,
) -> list[int] | None:
    """Return the ids of a page: names that begin with `word`, in order, and up to `few` other hits.

    None if there are more others.
    """
    begins = "account_id = :account AND name_key >= :begin AND name_key < :end"
    parameters = {**search.parameters, **_place(after), "count": count}
    parameters |= _beginning(word)
    others = connection.rows(
        f"""
        SELECT rowid - :first AS id FROM contact_words
        WHERE contact_words MATCH :trigrams AND rowid BETWEEN :first AND :last
          AND rowid - :first NOT IN (SELECT id FROM contact WHERE {begins}) LIMIT {few + 1}
        """,
        parameters,
    )
    if len(others) > few:
        return None
    places, ids = one_of("other", [row["id"] for row in others])
    keys: list[Row] = []
    for nameless, among in (
        ("0 AS nameless", begins),
        (_NAMELESS, f"account_id = :account AND id IN ({places})"),
    ):
        keys += connection.rows(
            f"""
            SELECT * FROM (SELECT {nameless}, name_key, id FROM contact
              WHERE {among} AND {search.condition}) AS hits
            WHERE (nameless, name_key, id) > (:nameless, :name, :id)
            ORDER BY nameless, name_key, id LIMIT :count
            """,
            parameters | ids,
        )
    return _first(keys, count)


def _place(after: Position | None) -> dict[str, object]:
    nameless, name_key, contact_id = after or (0, "", 0)
    return {"nameless": nameless, "name": name_key, "id": contact_id}


def _near(
    connection: Connection,
    search: ContactCondition,
    after: Position | None,
    count: int,
    names: int,
) -> list[Row]:
    """Return matching contacts among so many of the next names."""
    if after and after[0]:
        return []
    ahead = "name_key > '' AND (name_key, id) > (:name, :id)"
    parameters = {**search.parameters, **_place(after), "count": count}
    last = connection.row(
        f"SELECT name_key AS last_name, id AS last_id FROM contact"
        f" WHERE account_id = :account AND {ahead} ORDER BY name_key, id LIMIT 1 OFFSET {names}",
        parameters,
    )
    until = "" if last is None else "AND (name_key, id) <= (:last_name, :last_id)"
    return connection.rows(
        f"SELECT contact.*, {_NAMELESS} FROM contact"
        f" WHERE {search.condition} AND {ahead} {until} ORDER BY name_key, id LIMIT :count",
        {**parameters, **(last or {})},
    )


def _walk(
    connection: Connection,
    condition: str,
    parameters: Mapping[str, object],
    after: Position | None,
    count: int,
) -> list[Row]:
    """Return contacts that satisfy `condition`, scanned in list order."""
    nameless, name_key, contact_id = after or (0, "", 0)
    # Contacts without a name come first in the index, but last in the list.
    ranges = ["name_key = '' AND id > :id"]
    if not nameless:
        ranges.insert(0, "(name_key, id) > (:name, :id)" if after else "name_key > ''")
    rows: list[Row] = []
    for within in ranges:
        rows += connection.rows(
            f"""
            SELECT contact.*, {_NAMELESS} FROM contact WHERE {condition} AND {within}
            ORDER BY name_key, id LIMIT :count
            """,
            {**parameters, "name": name_key, "id": contact_id, "count": count - len(rows)},
        )
        contact_id = 0
        if len(rows) == count:
            break
    return rows
