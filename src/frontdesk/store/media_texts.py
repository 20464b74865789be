"""Words that programs read in stored files: columns of `media`, and rows of the message index.

A file is marked as due when it is stored, or by an operator; one worker claims it, and settles it
with what its program said. Words outlive their file (`media.purge`), and go with their message.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from frontdesk.store import media, message_search
from frontdesk.store.conversations import TEXT_LIMIT, one_of, shortened
from frontdesk.store.database import Connection, Row, first_number
from frontdesk.store.media import Claim
from frontdesk.store.writes import lock_account
from frontdesk.text.clean import clean

DUE, READ, NONE, FAILED = "due", "read", "none", "failed"
CHATWOOT = "chatwoot"
LONGEST = 20_000
_CUT = "… (cut here)"

_DUE = "account_id = :account AND text_state = 'due' AND state = 'stored' AND due_at <= :now"
_FREE = f"{_DUE} AND claimed_until < :now"


@dataclass(frozen=True, slots=True)
class FileText:
    """What was read in a file. text: "" for nothing. by: reader@signature. at: None for now."""

    text: str
    by: str
    language: str | None = None
    at: int | None = None

    @classmethod
    def of(
        cls, output: str, by: str, language: str | None = None, at: int | None = None
    ) -> "FileText":
        """Words of a program's output, as they may be shown."""
        lines = (clean(line).strip() for line in output.split("\n"))
        text = "\n".join(filter(None, lines))
        if len(text) > LONGEST:
            text = f"{text[: LONGEST - len(_CUT) - 1]}\n{_CUT}"
        return cls(text, by, language, at)


def mark(connection: Connection, account_id: int, key: str, is_read: Callable[[Row], bool]) -> bool:
    """Mark a file that was just stored as due, if `is_read` says so of its row."""
    rows = _with_messages(connection, account_id, "media.key = :key", {"key": key})
    if not rows or not is_read(rows[0]):
        return False
    return bool(_again(connection, account_id, "key = :key AND state = 'stored'", {"key": key}))


def mark_again(
    connection: Connection,
    account_id: int,
    *,
    after: int,
    conversation_id: int | None = None,
    message_id: int | None = None,
    states: Collection[str | None] = (None, READ, NONE, FAILED),
) -> int:
    """Mark stored files of messages after a time as due; return how many.

    states: what became of them before.
    """
    condition = f"state = 'stored' AND created_at > :after {media.in_conversation(conversation_id)}"
    if message_id is not None:
        condition += " AND message_id = :message"
    named = ", ".join(f"'{state}'" for state in states if state is not None) or "NULL"
    unset = " OR text_state IS NULL" if None in states else ""
    return _again(
        connection,
        account_id,
        f"{condition} AND (text_state IN ({named}){unset})",
        {"after": after, "conversation": conversation_id, "message": message_id},
    )


def _again(
    connection: Connection, account_id: int, condition: str, parameters: Mapping[str, object]
) -> int:
    return connection.run(
        "UPDATE media SET text_state = 'due', attempts = 0, due_at = 0, reason = NULL,"
        f" claim = NULL, claimed_until = 0 WHERE account_id = :account AND {condition}",
        {"account": account_id, **parameters},
    )


def any_due(connection: Connection, account_id: int, now: int) -> bool:
    """Check if a file is due that nobody reads."""
    sql = f"SELECT 1 AS one FROM media WHERE {_FREE} LIMIT 1"
    return first_number(connection, sql, {"account": account_id, "now": now}) > 0


def candidates(
    connection: Connection, account_id: int, condition: str, now: int, limit: int
) -> list[Row]:
    """Return files that are due and not claimed, the newest first, with what readers select by.

    condition: of columns of `media`.
    """
    return _with_messages(
        connection,
        account_id,
        f"{_FREE.replace('account_id', 'media.account_id', 1)} AND ({condition})",
        {"now": now, "limit": limit},
        "ORDER BY media.created_at DESC LIMIT :limit",
    )


def _with_messages(
    connection: Connection,
    account_id: int,
    condition: str,
    parameters: Mapping[str, object],
    rest: str = "",
) -> list[Row]:
    return connection.rows(
        f"""
        SELECT media.key, media.kind, media.mime, media.size, media.digest, media.width,
          media.height, media.duration_ms, media.attempts, media.text_by, media.message_id,
          channel.phone_number_id, (
            SELECT m.direction FROM message AS m WHERE m.account_id = media.account_id
              AND m.created_at = media.created_at AND m.id = media.message_id LIMIT 1) AS direction
        FROM media LEFT JOIN channel ON channel.account_id = media.account_id
          AND channel.id = media.channel_id
        WHERE media.account_id = :account AND {condition} {rest}
        """,
        {"account": account_id, **parameters},
    )


def claim(connection: Connection, account_id: int, key: str, claim: Claim) -> bool:
    """Claim a file that is due, and count the attempt; False if another worker has it."""
    return bool(
        connection.run(
            "UPDATE media SET claim = :token, claimed_until = :until, attempts = attempts + 1"
            f" WHERE key = :key AND {_FREE}",
            {
                "account": account_id,
                "key": key,
                "now": claim.now,
                "token": claim.token,
                "until": claim.until,
            },
        )
    )


def release(connection: Connection, tokens: Iterable[str]) -> None:
    """Give back the claims of workers that were killed; their attempts count."""
    connection.run_many(
        "UPDATE media SET claim = NULL, claimed_until = 0"
        " WHERE text_state = 'due' AND claim = :token",
        [{"token": token} for token in tokens],
    )


def forgo(connection: Connection, account_id: int, keys: Iterable[str], now: int) -> None:
    """Unmark files that are due: nobody reads them."""
    connection.run_many(
        """
        UPDATE media SET text_state = CASE WHEN text IS NOT NULL THEN 'read'
          WHEN text_by IS NOT NULL THEN 'none' END
        WHERE account_id = :account AND key = :key AND text_state = 'due' AND claimed_until < :now
        """,
        [{"account": account_id, "key": key, "now": now} for key in keys],
    )


def settle(
    connection: Connection,
    account_id: int,
    key: str,
    token: str,
    result: FileText | None,
    now: int,
    reason: str | None = None,
) -> int | None:
    """End a claim with what was read, None if that failed; words of before are not replaced by
    nothing.

    Returns the id of the message that has the file now; None if the claim was lost, or the file
    removed meanwhile.
    """
    changes: dict[str, object] = {"reason": reason}
    row = _of_claim(connection, account_id, key, token)
    if row is None:
        return None
    if result is not None and (result.text or row["text"] is None):
        changes |= _columns(result, now)
    else:
        changes["text_state"] = READ if row["text"] is not None else FAILED
    if not media.end_claim(connection, account_id, key, token, changes, text=True):
        return None
    if result is not None and result.text:
        _index(connection, account_id, row["message_id"], result.text)
    message_id: int = row["message_id"]
    return message_id


def _of_claim(connection: Connection, account_id: int, key: str, token: str) -> Row | None:
    lock_account(connection, account_id)
    return connection.row(
        "SELECT message_id, text FROM media WHERE account_id = :account AND key = :key"
        " AND claim = :token AND text_state = 'due' AND state = 'stored'",
        {"account": account_id, "key": key, "token": token},
    )


def copy_of(connection: Connection, account_id: int, digest: str, by: str) -> FileText | None:
    """Return what the same reader has read in the same bytes."""
    row = connection.row(
        "SELECT text, text_language FROM media WHERE account_id = :account AND digest = :digest"
        " AND text_by = :by AND text_state IN ('read', 'none') LIMIT 1",
        {"account": account_id, "digest": digest, "by": by},
    )
    return None if row is None else FileText(row["text"] or "", by, row["text_language"])


def set_text(
    connection: Connection, account_id: int, message_id: int, result: FileText, now: int
) -> bool:
    """Give the file of a message its words, whoever read them; False if it was removed by deletion.

    Raise the revision afterwards (`writes.bump_revision`) if a client may have seen the message.
    """
    changes = _columns(result, now)
    assignments = ", ".join(f"{name} = :{name}" for name in changes)
    done = connection.run(
        f"UPDATE media SET {assignments}, claim = NULL, claimed_until = 0"
        " WHERE account_id = :account AND message_id = :message"
        " AND (state <> 'removed' OR text IS NOT NULL)",
        {**changes, "account": account_id, "message": message_id},
    )
    if done:
        _index(connection, account_id, message_id, result.text or None)
    return bool(done)


def read_messages(connection: Connection, account_id: int) -> set[int]:
    """Return the ids of the messages whose file has words."""
    sql = "SELECT message_id FROM media WHERE account_id = :account AND text IS NOT NULL"
    return {row["message_id"] for row in connection.rows(sql, {"account": account_id})}


def set_for_digest(
    connection: Connection, account_id: int, digest: str, result: FileText, now: int
) -> set[int]:
    """Give all files of these bytes their words; return the ids of their messages."""
    rows = connection.rows(
        "SELECT message_id FROM media WHERE account_id = :account AND digest = :digest"
        " AND state = 'stored'",
        {"account": account_id, "digest": digest},
    )
    ids = [row["message_id"] for row in rows]
    return {id for id in ids if set_text(connection, account_id, id, result, now)}


def texts(connection: Connection, account_id: int, after: str) -> list[Row]:
    """Return (digest, text, text_by, text_language) of read files after a digest, in order."""
    return connection.rows(
        """
        SELECT digest, MIN(text) AS text, MIN(text_by) AS text_by,
          MIN(text_language) AS text_language
        FROM media WHERE account_id = :account AND digest > :after AND text IS NOT NULL
        GROUP BY digest ORDER BY digest LIMIT 500
        """,
        {"account": account_id, "after": after},
    )


def beginnings(
    connection: Connection, account_id: int, message_ids: Sequence[int]
) -> dict[int, str]:
    """Return what begins the words of files, by the id of their message, as previews have it."""
    if not message_ids:
        return {}
    placeholders, ids = one_of("message", message_ids)
    rows = connection.rows(
        f"SELECT message_id, SUBSTR(text, 1, {2 * TEXT_LIMIT}) AS text FROM media"
        f" WHERE account_id = :account AND message_id IN ({placeholders}) AND text IS NOT NULL",
        {"account": account_id, **ids},
    )
    return {row["message_id"]: shortened(row["text"], TEXT_LIMIT) for row in rows}


def _columns(result: FileText, now: int) -> dict[str, object]:
    return {
        "text": result.text or None,
        "text_state": READ if result.text else NONE,
        "text_by": result.by,
        "text_at": now if result.at is None else result.at,
        "text_language": result.language,
    }


def _index(connection: Connection, account_id: int, message_id: int, text: str | None) -> None:
    row = connection.row(
        """
        SELECT m.id, m.conversation_id, m.created_at, m.direction FROM media
        JOIN message AS m ON m.account_id = media.account_id
          AND m.created_at = media.created_at AND m.id = media.message_id
        WHERE media.account_id = :account AND media.message_id = :message
        """,
        {"account": account_id, "message": message_id},
    )
    if row is not None:
        message_search.set_file(connection, account_id, row, text)


def tallies(connection: Connection, account_id: int) -> list[Row]:
    """Return (state, n) for each state of reading that there is."""
    return connection.rows(
        "SELECT text_state AS state, COUNT(*) AS n FROM media WHERE account_id = :account"
        " AND text_state IS NOT NULL GROUP BY text_state ORDER BY text_state",
        {"account": account_id},
    )


def backlog(connection: Connection, account_id: int) -> Row:
    """Return (n, at) of the files that are due: how many, and the time of the oldest message."""
    row = connection.row(
        "SELECT COUNT(*) AS n, MIN(created_at) AS at FROM media"
        " WHERE account_id = :account AND text_state = 'due'",
        {"account": account_id},
    )
    assert row is not None
    return row
