"""Full-text search over messages: a trigram index, and pages of conversations from it.

message_text has the searched text of every message that can be found, and in rows of their own the
words that were read in files (store/media_texts.py); see message_search.sql.
SQLite indexes it by an external-content FTS5 table, PostgreSQL by a GIN index. A database on
PostgreSQL without the extensions has none, and one of an older frontdesk only after `db upgrade`.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from frontdesk.store.contacts import like_pattern
from frontdesk.store.conversation_walks import few_ids, matching_ids
from frontdesk.store.conversations import ConversationSelection, one_of
from frontdesk.store.database import Connection, Database, Row, first_number
from frontdesk.store.lookups import has_message_index, message_index_state
from frontdesk.store.rows import FILE, MESSAGE_ORDER, OWN, statements
from frontdesk.store.trigrams import add_extensions, create_contact_indexes, missing_extensions
from frontdesk.text.clean import clean
from frontdesk.text.messages import found_pieces_of
from frontdesk.text.search import Terms, members_of, message_pieces, searched_text
from frontdesk.wire.values import DIRECTIONS

# Messages indexed in one transaction of `build`.
CHUNK = 10_000
_MANY = 500


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of the work for a page.

    hits: matching messages read for a page that has a row; most: for one without. few:
    conversations of a filter that are looked through one by one if words are frequent. newest:
    messages that PostgreSQL compares before it asks the index, which finds all or nothing; it does
    not if so many as `few` match, or are found sooner among further ones. Words that no index has
    are looked for in so many messages for a page, on both engines.
    """

    hits: int = 1_000
    most: int = 20_000
    few: int = 200
    newest: int = 20_000


LIMITS = Limits()

_STATE = "message_search"
_READY = "ready"
# Messages are indexed in this order. State before the first, and before the last is reached.
_POSITION = ("account_id", "created_at", "conversation_id", "id")
_START = "[0,0,0,0]"
_MOST_ACCOUNTS = 2**15
_MOST_SECONDS = 2**32
_PER_SECOND = 2**16

# Pages of the FTS5 index merged in one transaction.
_MERGED_PAGES = 2_000
# Hits read for each row of a page at first.
_SPARE = 4
# Messages that PostgreSQL compares in order in the time of one hit of its GIN index.
_COST_OF_HIT = 20
# Further messages compared at most, as a multiple of `newest`.
_FARTHER = 50
_CONTENTS = ("content", "media", "referral")
# Columns of a message that `text_of` reads.
_SEARCHED = ("text", "deleted_at", *(f"{name}_json" for name in _CONTENTS))
# Columns that decide how a message is shown, besides.
SHOWN = ("direction", "author", "type", "source")
_OF_ACCOUNT = "t.account_id = CAST(:account AS BIGINT) AND t.number BETWEEN :first AND :last"
_OF_CONVERSATION = "account_id = :account AND conversation_id = :conversation"


def is_ready(connection: Connection, account_id: int) -> bool:
    """Check for a complete index of the account."""
    return account_id < _MOST_ACCOUNTS and message_index_state(connection) == _READY


def lack(connection: Connection, account_id: int = 1) -> str | None:
    """Return why the messages of an account are not searched, and who can change that; None if so.

    A clause without a full stop.
    """
    if is_ready(connection, account_id):
        return None
    if account_id >= _MOST_ACCOUNTS:
        return f"messages are searched in the first {_MOST_ACCOUNTS - 1:,} accounts of a database"
    if missing := missing_extensions(connection):
        orders = " ".join(f"CREATE EXTENSION {name};" for name in missing)
        return (
            f"messages are not searched: PostgreSQL lacks {' and '.join(missing)}; an administrator"
            f" has to run `{orders}` in the database, and then `frontdesk db upgrade`"
        )
    return "messages are not searched before `frontdesk db upgrade` has built their index"


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text in which the words of a stored message are looked for."""
    if message["deleted_at"] is not None:
        return ""
    return searched_text(tuple(map(clean, message_pieces(_members(message)))))


def shown_pieces(
    message: Mapping[str, Any],
    changed: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> tuple[str, ...]:
    """Return the texts of a stored message, as search shows them; none if it is deleted.

    message: with the columns `SHOWN` too. changed: is given its members, as on the wire.
    """
    if message["deleted_at"] is not None:
        return ()
    direction = DIRECTIONS[message["direction"]]
    names = ("author", "type", "source")
    told = {"direction": direction, **{name: message[name] for name in names}}
    return tuple(map(clean, found_pieces_of(changed({**told, **_members(message)}))))


def _members(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a stored message that are searched."""
    members = {"text": message["text"]}
    for name in _CONTENTS:
        if stored := message[f"{name}_json"]:
            # Lone surrogates cannot be encoded.
            members[name] = members_of(stored.encode(errors="replace"))
    return members


def is_reworded(message: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Check if an update changes the text or its place in the index; a delivery status does not."""
    return any(message[name] != stored[name] for name in ("created_at", *_SEARCHED))


def add(connection: Connection, account_id: int, messages: Iterable[Mapping[str, Any]]) -> None:
    """Index messages that are not in the index, with the words of their files."""
    if account_id < _MOST_ACCOUNTS:
        _insert(connection, account_id, _parts(connection, account_id, list(messages)))


def set_file(
    connection: Connection, account_id: int, message: Mapping[str, Any], text: str | None
) -> None:
    """Index other words of a message's file; None: it has none."""
    if account_id < _MOST_ACCOUNTS and has_message_index(connection):
        remove(connection, account_id, [message], part=FILE)
        texts = [(message, FILE, searched_text((text,)))] if text else []
        _insert(connection, account_id, texts)


def _parts(
    connection: Connection, account_id: int, messages: Sequence[Mapping[str, Any]]
) -> list[tuple[Mapping[str, Any], int, str]]:
    """Return (message, part, text) of all that is to be found of messages."""
    with_file = (row["id"] for row in messages if row["media_json"] and row["deleted_at"] is None)
    read = _file_texts(connection, account_id, sorted(with_file))
    found = [(row, OWN, text) for row in messages if (text := text_of(row))]
    return found + [
        (row, FILE, searched_text((read[row["id"]],))) for row in messages if row["id"] in read
    ]


def _file_texts(
    connection: Connection, account_id: int, message_ids: Sequence[int]
) -> dict[int, str]:
    """Return the words of files by the id of their message."""
    found: dict[int, str] = {}
    for start in range(0, len(message_ids), _MANY):
        placeholders, ids = one_of("message_id", message_ids[start : start + _MANY])
        rows = connection.rows(
            "SELECT message_id, text FROM media WHERE account_id = :account"
            f" AND text IS NOT NULL AND message_id IN ({placeholders})",
            {"account": account_id, **ids},
        )
        found |= {row["message_id"]: row["text"] for row in rows}
    return found


def _insert(
    connection: Connection, account_id: int, texts: Iterable[tuple[Mapping[str, Any], int, str]]
) -> None:
    texts = sorted(texts, key=lambda text: (*map(text[0].__getitem__, MESSAGE_ORDER), text[1]))
    lasts = _last_numbers(connection, account_id, (message for message, *_ in texts))
    rows: list[dict[str, Any]] = []
    for message, part, text in texts:
        low = _second(account_id, message)
        number = lasts[low] = lasts.get(low, low - 1) + 1
        # More messages of an account in one second than the counter has numbers are not found.
        if number - low < _PER_SECOND:
            rows.append(
                {
                    "account": account_id,
                    "number": number,
                    "conversation": message["conversation_id"],
                    "id": message["id"],
                    "created_at": message["created_at"],
                    "text": text,
                    "part": part,
                }
            )
    connection.run_many(
        """
        INSERT INTO message_text(account_id, number, conversation_id, message_id, created_at, text,
          part)
        VALUES (:account, :number, :conversation, :id, :created_at, :text, :part)
        """,
        rows,
    )
    if connection.dialect == "sqlite":
        connection.run_many("INSERT INTO message_words(rowid, text) VALUES (:number, :text)", rows)


def remove(
    connection: Connection,
    account_id: int,
    messages: Iterable[Mapping[str, Any]],
    part: int | None = None,
) -> None:
    """Remove messages, given by their stored `created_at` and `id`, or a part of them."""
    removed = list(messages)
    ids = {message["id"] for message in removed}
    rows = _of_seconds(
        connection,
        account_id,
        removed,
        "SELECT t.number, t.message_id, t.part FROM {seconds} CROSS JOIN message_text AS t"
        " WHERE t.account_id = :account AND t.number BETWEEN s.value AND s.value + :width",
    )
    numbers = [
        row["number"]
        for row in rows
        if row["message_id"] in ids and (part is None or row["part"] == part)
    ]
    named = [{"account": account_id, "number": number} for number in numbers]
    _delete(connection, "account_id = :account AND number = :number", named)


def _last_numbers(
    connection: Connection, account_id: int, messages: Iterable[Mapping[str, Any]]
) -> dict[int, int]:
    """Return the last number of each second of the messages, by its first; unused ones miss."""
    rows = _of_seconds(
        connection,
        account_id,
        messages,
        "SELECT s.value AS low, (SELECT number FROM message_text AS t"
        " WHERE t.account_id = :account AND t.number BETWEEN s.value AND s.value + :width"
        " ORDER BY number DESC LIMIT 1) AS last FROM {seconds}",
    )
    return {row["low"]: row["last"] for row in rows if row["last"] is not None}


def _of_seconds(
    connection: Connection, account_id: int, messages: Iterable[Mapping[str, Any]], sql: str
) -> list[Row]:
    """Query by the seconds of messages, each once: {seconds} is a table `s` of first numbers."""
    lows = sorted({_second(account_id, message) for message in messages})
    if not lows:
        return []
    parameters = {"account": account_id, "width": _PER_SECOND - 1}
    if connection.dialect == "postgresql":
        seconds = "unnest(CAST(:lows AS BIGINT[])) AS s(value)"
        return connection.rows(sql.format(seconds=seconds), {**parameters, "lows": lows})
    seconds = "json_each(:lows) AS s"
    return connection.rows(sql.format(seconds=seconds), {**parameters, "lows": json.dumps(lows)})


def remove_conversation(connection: Connection, account_id: int, conversation_id: int) -> None:
    """Remove all messages of a conversation from the index, if there is one."""
    if has_message_index(connection):
        thread = {"account": account_id, "conversation": conversation_id}
        _delete(connection, _OF_CONVERSATION, [thread])


def move(connection: Connection, condition: str, parameters: Mapping[str, object]) -> None:
    """Move the messages that satisfy `condition` to the conversation :target.

    Must precede the same update of the messages.
    """
    if has_message_index(connection):
        connection.run(
            "UPDATE message_text SET conversation_id = :target"
            " WHERE account_id = :account_id AND conversation_id = :source"
            f" AND message_id IN (SELECT id FROM message WHERE {condition})",
            parameters,
        )


def build(database: Database, advance: Callable[[int], object]) -> None:
    """Build the index in many transactions; an interrupted run goes on where it ended.

    `advance` is called with the number of messages since its last call.
    """
    database.write(create)
    while number := database.write(fill):
        advance(number)
    database.write(finish)
    # In small transactions, for the sake of other writers. The first, of a negative number of
    # pages, begins a merge of all segments.
    pages = -_MERGED_PAGES
    while database.write(partial(_merge, pages=pages)):
        pages = _MERGED_PAGES


def build_at_once(connection: Connection) -> None:
    """Build the index in the transaction of a bulk load."""
    create(connection)
    while fill(connection):
        pass
    finish(connection)
    optimize(connection)


def build_again(connection: Connection) -> None:
    """Let `build` read all messages again; those whose text is the same keep their place."""
    if not has_message_index(connection):
        return
    if connection.dialect == "postgresql":
        # The build ends with them.
        connection.run(
            "DROP INDEX IF EXISTS message_text_thread, message_text_files, message_text_words"
        )
    _set_state(connection, _START)


def create(connection: Connection) -> None:
    """Create the empty index, unless there is one or PostgreSQL cannot. Writers keep it then."""
    if has_message_index(connection) or not add_extensions(connection):
        return
    create_contact_indexes(connection)
    for statement in _statements(connection):
        connection.run(statement)
    connection.run(
        "INSERT INTO meta(name, value) VALUES (:name, :state)", {"name": _STATE, "state": _START}
    )


def fill(connection: Connection) -> int:
    """Index the next messages, by time; return their number, 0 at the end.

    Those that are in the index already, with the same text, are left as they are.
    """
    state = message_index_state(connection)
    if state is None or state == _READY:
        return 0
    rows = _next_messages(connection, json.loads(state))
    for account_id in sorted({row["account_id"] for row in rows}):
        own = [row for row in rows if row["account_id"] == account_id]
        stored, wanted = _compared(connection, account_id, own)
        changed = [row for row in own if stored.get(row["id"]) != wanted.get(row["id"])]
        # A new index has none of them, and PostgreSQL no statistics by which to look for them.
        remove(connection, account_id, (row for row in changed if row["id"] in stored))
        add(connection, account_id, changed)
    if rows:
        _set_state(connection, json.dumps(_position(rows[-1])))
    return len(rows)


def _next_messages(connection: Connection, after: Sequence[int]) -> list[Row]:
    """Return messages in the order of a build, after a position."""
    return connection.rows(
        f"""
        SELECT {", ".join((*_POSITION, "direction", *_SEARCHED))} FROM message
        WHERE (account_id, created_at) >= (:account_id, :created_at)
          AND ({", ".join(_POSITION)}) > ({", ".join(f":{name}" for name in _POSITION)})
        ORDER BY {", ".join(_POSITION)} LIMIT {CHUNK}
        """,
        dict(zip(_POSITION, after, strict=True)),
    )


def _position(row: Row) -> list[int]:
    return [row[name] for name in _POSITION]


_Texts = Mapping[int, Mapping[int, str]]


def _compared(
    connection: Connection, account_id: int, messages: Sequence[Row]
) -> tuple[_Texts, _Texts]:
    """Return the texts in the index from the first to the last second of messages, and those of
    the messages, by message id and part."""
    rows = connection.rows(
        "SELECT message_id, part, text FROM message_text"
        " WHERE account_id = :account AND number BETWEEN :low AND :high",
        {
            "account": account_id,
            "low": _second(account_id, messages[0]),
            "high": _second(account_id, messages[-1]) + _PER_SECOND - 1,
        },
    )
    stored: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for row in rows:
        stored[row["message_id"]][row["part"]] = row["text"]
    wanted: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for message, part, text in _parts(connection, account_id, messages):
        wanted[message["id"]][part] = text
    return stored, wanted


def finish(connection: Connection) -> None:
    """Mark the index as complete."""
    if has_message_index(connection) and message_index_state(connection) != _READY:
        for statement in _statements(connection, last=True):
            connection.run(statement)
        _set_state(connection, _READY)


def optimize(connection: Connection) -> None:
    """Merge the index into one segment, which removes deleted terms from the file."""
    if connection.dialect == "sqlite" and has_message_index(connection):
        connection.run("INSERT INTO message_words(message_words) VALUES ('optimize')")


def _merge(connection: Connection, pages: int) -> bool:
    """Merge about so many pages of the FTS5 index; False if there is nothing to merge."""
    if connection.dialect != "sqlite":
        return False
    before = _changes(connection)
    connection.run(
        "INSERT INTO message_words(message_words, rank) VALUES ('merge', :pages)", {"pages": pages}
    )
    # The statement itself is one change.
    return _changes(connection) - before > 1


def _changes(connection: Connection) -> int:
    return first_number(connection, "SELECT total_changes() AS n")


def messages_left(connection: Connection) -> int:
    """Return how many messages `build` has to read, about."""
    if message_index_state(connection) == _READY:
        return 0
    return first_number(connection, "SELECT COUNT(*) AS n FROM message")


def database_bytes(connection: Connection) -> int:
    """Return the size of the database, with all that is in it."""
    return first_number(
        connection,
        "SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()"
        if connection.dialect == "sqlite"
        else "SELECT pg_database_size(current_database()) AS n",
    )


def search_index_differences(connection: Connection, account_id: int) -> Iterator[str]:
    """Yield a line for each message whose words in the index are wrong or missing."""
    if not is_ready(connection, account_id):
        return
    left = first_number(
        connection,
        f"SELECT COUNT(*) AS n FROM message_text AS t WHERE {_OF_ACCOUNT}",
        {"account": account_id, **_numbers(account_id)},
    )
    after = [account_id, 0, 0, 0]
    while rows := _next_messages(connection, after):
        own = [row for row in rows if row["account_id"] == account_id]
        stored, wanted = _compared(connection, account_id, own) if own else ({}, {})
        for row in own:
            left -= len(stored.get(row["id"], ()))
            if stored.get(row["id"]) != wanted.get(row["id"]):
                yield f"message {row['id']}: not found by its words alone"
        if len(own) < len(rows):
            break
        after = _position(rows[-1])
    if left:
        yield f"texts in the index of messages that do not exist: {left}"


def rekey(connection: Connection) -> None:
    """Give the table of texts the key of today, which begins with the account."""
    if not has_message_index(connection):
        return
    if connection.dialect == "postgresql":
        connection.run(
            "ALTER TABLE message_text DROP CONSTRAINT message_text_pkey,"
            " ADD PRIMARY KEY(account_id, number)"
        )
        return
    table, thread, files, _ = statements(connection.dialect, "message_search.sql")
    connection.run("DROP INDEX message_text_thread")
    connection.run("ALTER TABLE message_text RENAME TO text_before")
    connection.run(table)
    columns = "account_id, number, conversation_id, message_id, created_at, text"
    # By number, which has the account in front: each row is appended.
    connection.run(
        f"INSERT INTO message_text({columns}) SELECT {columns} FROM text_before ORDER BY number"
    )
    connection.run("DROP TABLE text_before")
    connection.run(thread)
    connection.run(files)


def add_parts(connection: Connection) -> None:
    """Add the part that a text is of; all are of messages themselves."""
    if has_message_index(connection):
        connection.run("ALTER TABLE message_text ADD COLUMN part SMALLINT NOT NULL DEFAULT 0")
        if connection.dialect == "sqlite":
            # On PostgreSQL a build ends with it.
            connection.run(statements(connection.dialect, "message_search.sql")[2])


def drop(connection: Connection) -> bool:
    """Remove the index, so that it is built again; False if there is none."""
    if not has_message_index(connection):
        return False
    for table in ("message_words", "message_text"):
        connection.run(f"DROP TABLE IF EXISTS {table}")
    connection.run("DELETE FROM meta WHERE name = :name", {"name": _STATE})
    return True


def check_index(connection: Connection) -> None:
    """Compare the FTS5 index with the texts, in a write transaction.

    Raises: UnusableFile: they differ.
    """
    if connection.dialect == "sqlite" and has_message_index(connection):
        connection.run(
            "INSERT INTO message_words(message_words, rank) VALUES ('integrity-check', 1)"
        )


@dataclass(frozen=True, slots=True)
class MatchPage:
    """Newest matching message of each conversation on a page, the newest first.

    next_number: where the next page begins, None at the end. total: matching conversations, on
    the first page; at least so many if `capped`.
    """

    matches: tuple[Row, ...]
    next_number: int | None = None
    total: int | None = None
    capped: bool = False


def match_page(
    connection: Connection,
    account_id: int,
    selection: ConversationSelection,
    terms: Terms,
    after: int | None,
    count: int,
    limits: Limits = LIMITS,
    *,
    files: bool = False,
) -> MatchPage:
    """Return up to `count` conversations of a selection with a message that has every term.

    Matches have number, conversation_id and created_at. terms: at least one. files: also one whose
    file has every term. A page may be shorter, or empty: the messages read for it are limited.
    """
    search = _Search(connection, account_id, selection, terms, limits, files)
    if search.is_unindexed:
        return search.scan(after, count)
    hits, more = search.hits(after, search.batch(count), limits.few)
    if more and not selection.is_everything:
        few = few_ids(connection, account_id, selection, limits.few)
        if few is not None:
            return search.page_of(few, after, count)
    return search.page(hits, more, after, count)


def newest_matches(
    connection: Connection,
    account_id: int,
    conversation_ids: Sequence[int],
    terms: Terms,
    *,
    files: bool = False,
) -> list[Row]:
    """Return (conversation_id, number) of the newest matching message, where there is one.

    files: as of `match_page`.
    """
    search = _Search(connection, account_id, ConversationSelection(()), terms, LIMITS, files)
    return search.newest_of(conversation_ids)


def matching_messages(
    connection: Connection, account_id: int, numbers: Sequence[int]
) -> dict[int, Row]:
    """Return id, created_at, and the searched and shown columns of messages by their numbers.

    file_text: the words of its file, if the number is theirs.
    """
    placeholders, parameters = one_of("number", numbers)
    columns = ", ".join(f"m.{name}" for name in ("id", "created_at", *SHOWN, *_SEARCHED))
    rows = connection.rows(
        f"""
        SELECT t.number, {columns}, media.text AS file_text FROM message_text AS t
        JOIN message AS m ON m.account_id = :account AND m.conversation_id = t.conversation_id
          AND m.created_at = t.created_at AND m.direction IN (0, 1) AND m.id = t.message_id
        LEFT JOIN media ON t.part = {FILE} AND media.account_id = :account
          AND media.message_id = t.message_id
        WHERE t.account_id = :account AND t.number IN ({placeholders})
        """,
        {"account": account_id, **parameters},
    )
    return {row["number"]: row for row in rows}


@dataclass(frozen=True, slots=True)
class _Search:
    """Search for messages with every word in the conversations of a selection."""

    connection: Connection
    account_id: int
    selection: ConversationSelection
    terms: Terms
    limits: Limits
    files: bool

    @property
    def is_unindexed(self) -> bool:
        """True if the index has none of the terms: 東京, C++, 50%."""
        if self.connection.dialect == "postgresql":
            return not self.terms.is_indexed
        return self.terms.match is None

    def scan(self, after: int | None, count: int) -> MatchPage:
        """Compare messages from a place on, at most `newest`: the next page goes on behind them."""
        if not self.selection.is_everything:
            few = few_ids(self.connection, self.account_id, self.selection, self.limits.few)
            if few is not None:
                return self.page_of(few, after, count)
        last = {} if after is None else {"last": after - 1}
        parameters = self._parameters | _numbers(self.account_id) | last
        hits = self._in_order(parameters | {"count": self.limits.hits}, self.limits.newest)
        end = hits[-1]["number"] if len(hits) == self.limits.hits else self._end(parameters)
        matches = tuple(self._newest(hits, set(), after))
        next_number = matches[count - 1]["number"] if len(matches) > count else end
        total = len(matches) if after is None else None
        return MatchPage(matches[:count], next_number, total, total is not None and end is not None)

    def _end(self, parameters: Mapping[str, object]) -> int | None:
        """Return the last number of the messages that are compared; None if there are no more."""
        row = self.connection.row(
            f"""
            SELECT number FROM message_text AS t WHERE {_OF_ACCOUNT}
            ORDER BY number DESC LIMIT 1 OFFSET {self.limits.newest - 1}
            """,
            parameters,
        )
        return None if row is None else int(row["number"])

    def batch(self, count: int) -> int:
        """Return how many hits to read first."""
        if self.connection.dialect == "postgresql":
            return self.limits.hits
        return min(_SPARE * count, self.limits.hits)

    def hits(
        self, before: int | None, count: int, enough: int | None = None
    ) -> tuple[list[Row], bool]:
        """Return the newest matching messages before a number, and if there may be more.

        (number, conversation_id, created_at). enough: how many suffice where PostgreSQL compares
        messages in order; `count` if unsaid.
        """
        last = {} if before is None else {"last": before - 1}
        parameters = self._parameters | _numbers(self.account_id) | last | {"count": count}
        if self.connection.dialect == "sqlite":
            rows = self.connection.rows(
                f"""
                SELECT t.number, t.conversation_id, t.created_at
                FROM message_words CROSS JOIN message_text AS t
                  ON t.account_id = :account AND t.number = message_words.rowid
                WHERE message_words MATCH :trigrams
                  AND message_words.rowid BETWEEN :first AND :last AND {self._has_words}
                ORDER BY message_words.rowid DESC LIMIT :count
                """,
                {**parameters, "trigrams": self.terms.match},
            )
            return rows, len(rows) == count
        rows = self._in_order(parameters, self.limits.newest)
        if len(rows) > self.limits.few:
            return rows, True
        enough = enough or count
        if self._is_frequent(len(rows), enough):
            parameters["count"] = enough
            return self._in_order(parameters, _FARTHER * self.limits.newest), True
        rows = self._indexed(parameters)
        return rows, len(rows) == count

    def _in_order(self, parameters: dict[str, object], most: int) -> list[Row]:
        """Compare messages from the newest on, at most so many."""
        return self.connection.rows(
            f"""
            SELECT number, conversation_id, created_at FROM (
              SELECT * FROM message_text AS t WHERE {_OF_ACCOUNT}
              ORDER BY number DESC LIMIT {most}) AS t
            WHERE {self._has_words} ORDER BY number DESC LIMIT :count
            """,
            parameters,
        )

    def _indexed(self, parameters: dict[str, object]) -> list[Row]:
        """Find all matching messages in the GIN index, and sort them."""
        # Not in order: the planner would compare all messages from the newest on.
        return self.connection.rows(
            f"""
            WITH hits AS MATERIALIZED (
              SELECT number, conversation_id, created_at FROM message_text AS t
              WHERE {_OF_ACCOUNT} AND {self._has_words})
            SELECT * FROM hits ORDER BY number DESC LIMIT :count
            """,
            parameters,
        )

    def _is_frequent(self, count: int, enough: int) -> bool:
        """Check if `enough` hits are found sooner in order: so many `count` of the newest match."""
        row = self.connection.row(
            "SELECT reltuples AS n FROM pg_class WHERE oid = 'message_text'::regclass"
        )
        share = count / self.limits.newest
        return row is not None and enough < share * row["n"] * share * _COST_OF_HIT

    def page(self, hits: list[Row], more: bool, after: int | None, count: int) -> MatchPage:
        """Walk from the newest hits on until the page is full."""
        matches: dict[int, Row] = {}
        seen: set[int] = set()
        read = 0
        while True:
            for hit in self._newest(hits, seen, after):
                matches[hit["conversation_id"]] = hit
                if after is not None and len(matches) > count:
                    break
            read += len(hits)
            if (
                len(matches) > count
                or not more
                or read >= (self.limits.hits if matches else self.limits.most)
            ):
                break
            # Twice what the rest of the page takes if as many of them are selected as so far.
            rest = 2 * read * (count + 1 - len(matches)) // (len(matches) or 1)
            hits, more = self.hits(hits[-1]["number"], min(rest, self.limits.hits))
        page = tuple(matches.values())
        next_number = hits[-1]["number"] if more else None
        if len(page) > count:
            next_number = page[count - 1]["number"]
        total = len(page) if after is None else None
        return MatchPage(page[:count], next_number, total, total is not None and more)

    def page_of(self, conversation_ids: Iterable[int], after: int | None, count: int) -> MatchPage:
        """Look through the threads of a few conversations."""
        hits = (self._newest_in(conversation_id) for conversation_id in conversation_ids)
        matches = sorted(filter(None, hits), key=lambda row: row["number"], reverse=True)
        page = [row for row in matches if after is None or row["number"] < after]
        next_number = page[count - 1]["number"] if len(page) > count else None
        return MatchPage(tuple(page[:count]), next_number, len(matches) if after is None else None)

    def _newest(self, hits: Iterable[Row], seen: set[int], after: int | None) -> Iterator[Row]:
        """Yield the hits that are the newest of a selected conversation; notes them in `seen`."""
        first: dict[int, Row] = {}
        for hit in hits:
            if hit["conversation_id"] not in seen:
                seen.add(hit["conversation_id"])
                first[hit["conversation_id"]] = hit
        for conversation_id in self._selected(tuple(first)):
            # One with a newer match was on an earlier page.
            if after is None or self._newest_in(conversation_id, since=after) is None:
                yield first[conversation_id]

    def _selected(self, conversation_ids: tuple[int, ...]) -> Iterator[int]:
        """Yield those of the conversations that are in the selection, in the same order."""
        if self.selection.is_everything:
            yield from conversation_ids
            return
        found = matching_ids(self.connection, self.account_id, self.selection, conversation_ids)
        selected = set(found)
        yield from (id for id in conversation_ids if id in selected)

    def _newest_in(self, conversation_id: int, since: int = 0) -> Row | None:
        """Return the newest hit in a conversation, if its number is at least `since`."""
        return self.connection.row(
            f"""
            SELECT number, conversation_id, created_at FROM message_text AS t
            WHERE {_OF_CONVERSATION} AND number >= :since AND {self._has_words}
            ORDER BY number DESC LIMIT 1
            """,
            self._parameters | {"conversation": conversation_id, "since": since},
        )

    def newest_of(self, conversation_ids: Sequence[int]) -> list[Row]:
        """Return (conversation_id, number) of the newest hit in each that has one."""
        some = "json_each(:some) AS c"
        parameters: dict[str, object] = {**self._parameters, "some": json.dumps(conversation_ids)}
        if self.connection.dialect == "postgresql":
            some = "unnest(CAST(:some AS BIGINT[])) AS c(value)"
            parameters["some"] = [*conversation_ids]
        rows = self.connection.rows(
            f"""
            SELECT c.value AS conversation_id, (
              SELECT t.number FROM message_text AS t
              WHERE t.account_id = :account AND t.conversation_id = c.value AND {self._has_words}
              ORDER BY t.number DESC LIMIT 1) AS number
            FROM {some}
            """,
            parameters,
        )
        return [row for row in rows if row["number"] is not None]

    @property
    def _has_words(self) -> str:
        names = iter(self._patterns)
        terms = (
            " OR ".join(f"t.text LIKE :{next(names)} ESCAPE '\\'" for _ in spellings)
            for spellings in self.terms.spellings
        )
        own = () if self.files else (f"t.part = {OWN}",)
        return " AND ".join((*(f"({term})" for term in terms), *own))

    @property
    def _patterns(self) -> dict[str, str]:
        return {f"word{n}": like_pattern([word]) for n, word in enumerate(self.terms.words)}

    @property
    def _parameters(self) -> dict[str, object]:
        return {"account": self.account_id, **self._patterns}


def _delete(connection: Connection, condition: str, rows: list[dict[str, Any]]) -> None:
    if connection.dialect == "sqlite":
        connection.run_many(
            "INSERT INTO message_words(message_words, rowid, text)"
            f" SELECT 'delete', number, text FROM message_text WHERE {condition}",
            rows,
        )
    connection.run_many(f"DELETE FROM message_text WHERE {condition}", rows)


def _second(account_id: int, message: Mapping[str, Any]) -> int:
    """Return the first number of the message's second."""
    second: int = min(max(message["created_at"] // 1000, 0), _MOST_SECONDS - 1)
    return _numbers(account_id)["first"] + second * _PER_SECOND


def time_of(account_id: int, number: int) -> int:
    """Return the second of a message by its number, in epoch milliseconds."""
    return (number - _numbers(account_id)["first"]) // _PER_SECOND * 1000


def _numbers(account_id: int) -> dict[str, int]:
    """Return the first and the last number of an account."""
    first = account_id * _MOST_SECONDS * _PER_SECOND
    return {"first": first, "last": first + _MOST_SECONDS * _PER_SECOND - 1}


def _statements(connection: Connection, *, last: bool = False) -> list[str]:
    """Return the statements that make the index; on PostgreSQL, `last` those for a filled table."""
    table, *indexes = statements(connection.dialect, "message_search.sql")
    if connection.dialect == "sqlite":
        return [] if last else [table, *indexes]
    return [*indexes, "ANALYZE message_text"] if last else [table]


def _set_state(connection: Connection, state: str) -> None:
    connection.run("UPDATE meta SET value = :state WHERE name = 'message_search'", {"state": state})
