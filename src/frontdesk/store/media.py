"""Rows of the files of messages: what is to be fetched, what is stored, what may be deleted.

A row is written in the transaction of its message, and settled by the worker that claimed it. A
file is deleted by `collect_garbage` alone, when no row of its account names its digest any more:
rows that go leave their digests in `media_garbage`, so that a crash in between loses nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from frontdesk.store.database import Connection, Row, first_number
from frontdesk.store.rows import MessageRow
from frontdesk.store.writes import lock_account

PENDING, STORED, EXPIRED = "pending", "stored", "expired"
FAILED, REFUSED, REMOVED = "failed", "refused", "removed"
STATES = (PENDING, STORED, EXPIRED, FAILED, REFUSED, REMOVED)

# How long WhatsApp gives out the file of a webhook.
PROVIDER_DAYS = 7
PROVIDER_MILLISECONDS = PROVIDER_DAYS * 24 * 60 * 60 * 1000

WHATSAPP, CHATWOOT, IMPORT = "whatsapp", "chatwoot", "import"

_SERVED = "key, message_id, state, name, kind, digest, size, mime, width, height, duration_ms"
_TEXT = "text, text_state, text_by, text_at, text_language"
_MANY = 500


@dataclass(frozen=True, slots=True)
class MediaRequest:
    """File of a message that is to be fetched. remote: its id or address at the source.

    expected: SHA-256 in hex, if the source says it. created_at: time of the message.
    """

    key: str
    message_id: int
    channel_id: int
    kind: str
    source: str
    remote: str | None
    created_at: int
    expected: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What is known of a stored file. mime: by its bytes."""

    digest: str
    size: int
    mime: str
    width: int | None = None
    height: int | None = None
    duration_ms: int | None = None
    preview: bool = False

    def columns(self) -> dict[str, Any]:
        return {
            "digest": self.digest,
            "size": self.size,
            "mime": self.mime,
            "width": self.width,
            "height": self.height,
            "duration_ms": self.duration_ms,
            "preview": int(self.preview),
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of one worker: a random token, and when it ends, in epoch milliseconds."""

    token: str
    now: int
    until: int


def add(
    connection: Connection,
    account_id: int,
    requests: Iterable[MediaRequest],
    state: str = PENDING,
) -> None:
    """Add files; a message that has one keeps it. state: other than pending, nobody fetches it."""
    connection.run_many(
        """
        INSERT INTO media(account_id, key, message_id, channel_id, kind, source, remote, expected,
          name, state, created_at)
        VALUES (:account, :key, :message, :channel, :kind, :source, :remote, :expected, :name,
          :state, :created)
        ON CONFLICT(account_id, message_id) DO NOTHING
        """,
        [{**_columns(account_id, request), "state": state} for request in requests],
    )


def add_stored(
    connection: Connection,
    account_id: int,
    request: MediaRequest,
    file: StoredFile,
    now: int,
    is_there: Callable[[], bool],
) -> bool:
    """Add a file that is stored already, or settle what the message has; False if it has one.

    is_there: as of `settle_stored`.
    """
    lock_account(connection, account_id)
    if not is_there():
        return False
    add(connection, account_id, [request])
    return bool(
        connection.run(
            f"""
            UPDATE media SET {_assignments(file.columns())}, state = 'stored', stored_at = :now,
              reason = NULL, claim = NULL, claimed_until = 0
            WHERE account_id = :account AND message_id = :message
              AND state NOT IN ('stored', 'removed')
            """,
            {
                "account": account_id,
                "message": request.message_id,
                "now": now,
                **file.columns(),
            },
        )
    )


def of_messages(
    connection: Connection, account_id: int, message_ids: Collection[int]
) -> dict[int, Row]:
    """Return files by the id of their message."""
    found: dict[int, Row] = {}
    ids = sorted(message_ids)
    for start in range(0, len(ids), _MANY):
        chunk = {f"id{place}": id for place, id in enumerate(ids[start : start + _MANY])}
        names = ", ".join(f":{name}" for name in chunk)
        rows = connection.rows(
            f"SELECT {_SERVED}, {_TEXT}, remote, source FROM media "
            f"WHERE account_id = :account AND message_id IN ({names})",
            {"account": account_id, **chunk},
        )
        found |= {row["message_id"]: row for row in rows}
    return found


def messages_without_file(
    connection: Connection,
    account_id: int,
    after: int,
    conversation_id: int | None,
    *,
    requested: bool,
) -> list[MessageRow]:
    """Return messages after a time that name a file and have none, newest first.

    requested: also those whose file waits, or could not be fetched.
    """
    place = "" if conversation_id is None else "AND conversation_id = :conversation"
    final = "AND media.state IN ('stored', 'removed')" if requested else ""
    return cast(
        list[MessageRow],
        connection.rows(
            f"""
            SELECT * FROM message AS m
            WHERE account_id = :account AND created_at > :after {place}
              AND media_json IS NOT NULL AND deleted_at IS NULL
              AND NOT EXISTS (SELECT 1 FROM media WHERE media.account_id = m.account_id
                AND media.message_id = m.id {final})
            ORDER BY created_at DESC
            """,
            {"account": account_id, "after": after, "conversation": conversation_id},
        ),
    )


def by_key(connection: Connection, account_id: int, key: str) -> Row | None:
    return connection.row(
        f"SELECT {_SERVED}, preview, due_at, text FROM media"
        " WHERE account_id = :account AND key = :key",
        {"account": account_id, "key": key},
    )


def any_due(connection: Connection, account_id: int, now: int) -> bool:
    """Check if a file waits that nobody fetches."""
    sql = f"SELECT 1 AS one FROM media WHERE {_DUE} LIMIT 1"
    return first_number(connection, sql, {"account": account_id, "now": now}) > 0


def claim(
    connection: Connection,
    account_id: int,
    claim: Claim,
    limit: int,
    resting: Collection[int] = (),
) -> list[Row]:
    """Claim pending files, newest first, and count an attempt of each.

    resting: ids of channels that are left out.
    """
    left_out = "".join(f" AND channel_id <> {int(channel)}" for channel in sorted(resting))
    skip = " FOR UPDATE SKIP LOCKED" if connection.dialect == "postgresql" else ""
    rows = connection.rows(
        f"""
        SELECT key, message_id, channel_id, kind, source, remote, expected, attempts, created_at
        FROM media WHERE {_DUE}{left_out} ORDER BY created_at DESC LIMIT :limit{skip}
        """,
        {"account": account_id, "now": claim.now, "limit": limit},
    )
    connection.run_many(
        """
        UPDATE media SET claim = :token, claimed_until = :until, attempts = attempts + 1
        WHERE account_id = :account AND key = :key
        """,
        [
            {"account": account_id, "key": row["key"], "token": claim.token, "until": claim.until}
            for row in rows
        ],
    )
    return rows


_DUE = """account_id = :account AND state = 'pending' AND due_at <= :now AND claimed_until < :now"""


def settle(
    connection: Connection, account_id: int, key: str, token: str, state: str, reason: str | None
) -> bool:
    """End a claim with a final state other than stored; False if the claim was lost."""
    return end_claim(connection, account_id, key, token, {"state": state, "reason": reason})


def postpone(
    connection: Connection,
    account_id: int,
    key: str,
    token: str,
    *,
    due_at: int,
    reason: str,
    counted: bool,
    text: bool = False,
) -> bool:
    """End a claim until `due_at`, as `end_claim` does. counted: False to take the attempt back."""
    changes = {"due_at": due_at, "reason": reason}
    return end_claim(connection, account_id, key, token, changes, uncounted=not counted, text=text)


def settle_stored(
    connection: Connection,
    account_id: int,
    key: str,
    token: str,
    file: StoredFile,
    now: int,
    is_there: Callable[[], bool],
) -> bool:
    """End a claim with a stored file; False if the claim was lost, or the file deleted meanwhile.

    Serialised with `collect_garbage` by the lock of the account: it looks, under the lock, if the
    file is there.
    """
    lock_account(connection, account_id)
    if not is_there():
        return False
    changes = {**file.columns(), "state": STORED, "reason": None, "stored_at": now}
    return end_claim(connection, account_id, key, token, changes)


def end_claim(
    connection: Connection,
    account_id: int,
    key: str,
    token: str,
    changes: Mapping[str, Any],
    *,
    uncounted: bool = False,
    text: bool = False,
) -> bool:
    """End a claim of a file that is fetched, or read if `text`; False if the claim was lost."""
    state = "state = 'stored' AND text_state = 'due'" if text else "state = 'pending'"
    count = ", attempts = attempts - 1" if uncounted else ""
    return bool(
        connection.run(
            f"""
            UPDATE media SET {_assignments(changes)}, claim = NULL, claimed_until = 0{count}
            WHERE account_id = :account AND key = :key AND claim = :token AND {state}
            """,
            {**changes, "account": account_id, "key": key, "token": token},
        )
    )


def replace_remote(connection: Connection, account_id: int, request: MediaRequest) -> None:
    """Fetch another file for a message, whose contents have changed."""
    _discard(connection, account_id, "message_id = :message", {"message": request.message_id})
    connection.run(
        "DELETE FROM media WHERE account_id = :account AND message_id = :message",
        {"account": account_id, "message": request.message_id},
    )
    add(connection, account_id, [request])


def move(
    connection: Connection, account_id: int, moves: Mapping[int, int], times: Mapping[int, int]
) -> None:
    """Give files to other messages: {old message id: new message id}; two can be exchanged.

    times: of messages by their id, where they are other ones now. Precedes the change of the
    messages, which indexes the words of their files.
    """
    parameters = [
        {"account": account_id, "old": old, "new": new} for old, new in sorted(moves.items())
    ]
    statement = "UPDATE media SET message_id = {} WHERE account_id = :account AND message_id = {}"
    connection.run_many(statement.format("-:new", ":old"), parameters)
    connection.run_many(statement.format(":new", "-:new"), parameters)
    connection.run_many(
        "UPDATE media SET created_at = :at WHERE account_id = :account AND message_id = :message",
        [{"account": account_id, "message": id, "at": at} for id, at in sorted(times.items())],
    )


def remove(connection: Connection, account_id: int, message_ids: Iterable[int]) -> None:
    """Mark files of deleted messages as removed, and forget what was known of them."""
    for message_id in message_ids:
        place = {"account": account_id, "message": message_id}
        _remove(connection, account_id, "message_id = :message", place)
        connection.run(
            """
            UPDATE media SET text = NULL, text_state = NULL, text_by = NULL, text_at = NULL,
              text_language = NULL
            WHERE account_id = :account AND message_id = :message AND text_state IS NOT NULL
            """,
            place,
        )


def conversations_with(
    connection: Connection, account_id: int, message_ids: Collection[int]
) -> set[int]:
    """Return the ids of the conversations whose messages have these files."""
    found: set[int] = set()
    ids = sorted(message_ids)
    for start in range(0, len(ids), _MANY):
        chunk = {f"id{place}": id for place, id in enumerate(ids[start : start + _MANY])}
        names = ", ".join(f":{name}" for name in chunk)
        # Messages have an index by time, and none by id.
        rows = connection.rows(
            f"""
            SELECT DISTINCT m.conversation_id FROM media
            JOIN message AS m ON m.account_id = media.account_id
              AND m.created_at = media.created_at AND m.id = media.message_id
            WHERE media.account_id = :account AND media.message_id IN ({names})
            """,
            {"account": account_id, **chunk},
        )
        found |= {row["conversation_id"] for row in rows}
    return found


def purge(
    connection: Connection, account_id: int, *, before: int | None = None, kind: str | None = None
) -> set[int]:
    """Remove stored files of messages before a time, or of one kind; return the messages' ids.

    What was read in them stays.
    """
    condition = "state = 'stored'"
    if before is not None:
        condition += " AND created_at < :before"
    if kind is not None:
        condition += " AND kind = :kind"
    return _remove(connection, account_id, condition, {"before": before, "kind": kind})


def purge_to(
    connection: Connection, account_id: int, most_bytes: int, limit: int = 100
) -> set[int]:
    """Remove the files that were stored first, until the rest has at most `most_bytes`.

    At most `limit` of them; returns the ids of their messages.
    """
    excess = stored_bytes(connection, account_id) - most_bytes
    if excess <= 0:
        return set()
    oldest = connection.rows(
        """
        SELECT key, size FROM media WHERE account_id = :account AND state = 'stored'
        ORDER BY stored_at, message_id LIMIT :limit
        """,
        {"account": account_id, "limit": limit},
    )
    removed: set[int] = set()
    for row in oldest:
        if excess <= 0:
            break
        removed |= _remove(connection, account_id, "key = :key", {"key": row["key"]})
        excess -= row["size"]
    return removed


def forget_conversation(connection: Connection, account_id: int, conversation_id: int) -> int:
    """Delete the files of a conversation's messages; call before the messages are deleted."""
    condition = """message_id IN (SELECT id FROM message
        WHERE account_id = :account AND conversation_id = :conversation)"""
    place = {"account": account_id, "conversation": conversation_id}
    _discard(connection, account_id, condition, place)
    return connection.run(f"DELETE FROM media WHERE account_id = :account AND {condition}", place)


def _remove(
    connection: Connection, account_id: int, condition: str, parameters: Mapping[str, object]
) -> set[int]:
    _discard(connection, account_id, condition, parameters)
    place = {"account": account_id, **parameters}
    condition = f"account_id = :account AND {condition} AND state <> 'removed'"
    removed = _messages_with(connection, condition, place)
    connection.run(
        f"""
        UPDATE media SET state = 'removed', reason = NULL, remote = NULL, expected = NULL,
          name = NULL, claim = NULL, claimed_until = 0, digest = NULL, size = NULL, mime = NULL,
          width = NULL, height = NULL, duration_ms = NULL, preview = 0, stored_at = NULL,
          text_state = CASE WHEN text_state = 'due' THEN
            CASE WHEN text IS NULL THEN 'failed' ELSE 'read' END ELSE text_state END
        WHERE {condition}
        """,
        place,
    )
    return removed


def _messages_with(
    connection: Connection, condition: str, parameters: Mapping[str, object]
) -> set[int]:
    """Return the ids of the messages whose files meet a condition."""
    rows = connection.rows(f"SELECT message_id FROM media WHERE {condition}", parameters)
    return {row["message_id"] for row in rows}


def _discard(
    connection: Connection, account_id: int, condition: str, parameters: Mapping[str, object]
) -> None:
    """Note the digests of rows that are about to go."""
    lock_account(connection, account_id)
    discard(
        connection,
        account_id,
        [
            row["digest"]
            for row in connection.rows(
                f"""
                SELECT DISTINCT digest FROM media
                WHERE account_id = :account AND digest IS NOT NULL AND {condition}
                """,
                {"account": account_id, **parameters},
            )
        ],
    )


def discard(connection: Connection, account_id: int, digests: Iterable[str]) -> None:
    """Note files that may have to be deleted."""
    connection.run_many(
        """
        INSERT INTO media_garbage(account_id, digest) VALUES (:account, :digest)
        ON CONFLICT(account_id, digest) DO NOTHING
        """,
        [{"account": account_id, "digest": digest} for digest in digests],
    )


def any_garbage(connection: Connection, account_id: int) -> bool:
    sql = "SELECT 1 AS one FROM media_garbage WHERE account_id = :account LIMIT 1"
    return first_number(connection, sql, {"account": account_id}) > 0


def collect_garbage(
    connection: Connection, account_id: int, delete: Callable[[str], object], limit: int = 100
) -> int:
    """Delete discarded files that no row names; return their number.

    `delete` takes a digest; it may be called again for the same one.
    """
    lock_account(connection, account_id)
    rows = connection.rows(
        "SELECT digest FROM media_garbage WHERE account_id = :account LIMIT :limit",
        {"account": account_id, "limit": limit},
    )
    count = 0
    for row in rows:
        place = {"account": account_id, "digest": row["digest"]}
        if not is_used(connection, account_id, row["digest"]):
            delete(row["digest"])
            count += 1
        connection.run(
            "DELETE FROM media_garbage WHERE account_id = :account AND digest = :digest", place
        )
    return count


def is_used(connection: Connection, account_id: int, digest: str) -> bool:
    """Check if a row names a file."""
    sql = "SELECT 1 AS one FROM media WHERE account_id = :account AND digest = :digest LIMIT 1"
    return first_number(connection, sql, {"account": account_id, "digest": digest}) > 0


def expire(connection: Connection, account_id: int, before: int) -> set[int]:
    """Give up files of WhatsApp messages before a time; return the ids of the messages."""
    condition = """account_id = :account AND state = 'pending' AND source = 'whatsapp'
        AND created_at < :before AND claimed_until = 0"""
    place = {"account": account_id, "before": before}
    expired = _messages_with(connection, condition, place)
    connection.run(
        f"""
        UPDATE media SET state = 'expired', reason = 'the provider gives it out no more'
        WHERE {condition}
        """,
        place,
    )
    return expired


def any_before(connection: Connection, account_id: int, state: str, before: int) -> bool:
    """Check for files in a state of messages before a time."""
    sql = """SELECT 1 AS one FROM media WHERE account_id = :account AND state = :state
      AND created_at < :before LIMIT 1"""
    parameters = {"account": account_id, "state": state, "before": before}
    return first_number(connection, sql, parameters) > 0


def stored_bytes(connection: Connection, account_id: int) -> int:
    """Return the size of all stored files; a file of several messages counts once."""
    sql = """SELECT SUM(size) AS bytes FROM (SELECT DISTINCT digest, size FROM media
      WHERE account_id = :account AND digest IS NOT NULL) AS files"""
    return first_number(connection, sql, {"account": account_id})


def retry(
    connection: Connection, account_id: int, *, after: int, conversation_id: int | None = None
) -> int:
    """Fetch failed and refused files of messages after a time again; return their number."""
    return connection.run(
        f"""
        UPDATE media SET state = 'pending', attempts = 0, due_at = 0
        WHERE account_id = :account AND state IN ('failed', 'refused') AND created_at > :after
          {in_conversation(conversation_id)}
        """,
        {"account": account_id, "after": after, "conversation": conversation_id},
    )


def hurry(connection: Connection, account_id: int, conversation_id: int | None = None) -> int:
    """Make all pending files due now; return their number."""
    return connection.run(
        f"""
        UPDATE media SET due_at = 0 WHERE account_id = :account AND state = 'pending'
          {in_conversation(conversation_id)}
        """,
        {"account": account_id, "conversation": conversation_id},
    )


def in_conversation(conversation_id: int | None) -> str:
    if conversation_id is None:
        return ""
    return """AND message_id IN (SELECT id FROM message
        WHERE account_id = :account AND conversation_id = :conversation)"""


def tallies(connection: Connection, account_id: int) -> list[Row]:
    """Return (state, n, bytes) for each state that there is; bytes of shared files count once."""
    rows = connection.rows(
        "SELECT state, COUNT(*) AS n FROM media WHERE account_id = :account GROUP BY state",
        {"account": account_id},
    )
    used = stored_bytes(connection, account_id)
    return [{**row, "bytes": used if row["state"] == STORED else 0} for row in rows]


def oldest_pending(connection: Connection, account_id: int) -> int | None:
    """Return the time of the message whose file has waited longest."""
    row = connection.row(
        "SELECT MIN(created_at) AS at FROM media WHERE account_id = :account AND state = 'pending'",
        {"account": account_id},
    )
    return None if row is None else row["at"]


def failures(connection: Connection, account_id: int, limit: int) -> list[Row]:
    """Return (reason, state, n) of what was not fetched or read, or waits; the most frequent first.

    state: of the file, or of its text if it is stored.
    """
    return connection.rows(
        """
        SELECT reason, COUNT(*) AS n,
          CASE WHEN state = 'stored' THEN 'text ' || text_state ELSE state END AS state FROM media
        WHERE account_id = :account AND reason IS NOT NULL
          AND (state <> 'stored' OR text_state IS NOT NULL)
        GROUP BY 1, 3 ORDER BY n DESC, reason LIMIT :limit
        """,
        {"account": account_id, "limit": limit},
    )


def stored_digests(connection: Connection, account_id: int) -> dict[str, int]:
    """Return all digests that rows name, with the size of each file."""
    rows = connection.rows(
        """
        SELECT DISTINCT digest, size FROM media
        WHERE account_id = :account AND digest IS NOT NULL
        """,
        {"account": account_id},
    )
    return {row["digest"]: row["size"] for row in rows}


def _columns(account_id: int, request: MediaRequest) -> dict[str, Any]:
    return {
        "account": account_id,
        "key": request.key,
        "message": request.message_id,
        "channel": request.channel_id,
        "kind": request.kind,
        "source": request.source,
        "remote": request.remote,
        "expected": request.expected,
        "name": request.name,
        "created": request.created_at,
    }


def _assignments(columns: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = :{name}" for name in columns)
