"""Raw webhook bodies: stored before the acknowledgement, processed later, deleted by age."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from frontdesk.store.database import Connection, Row, first_number

STORED, APPLIED, FAILED, IGNORED = "stored", "applied", "failed", "ignored"
STATES = (STORED, APPLIED, FAILED, IGNORED)

# A condition on one body by its digest. No index has the expression: without statistics, PostgreSQL
# takes the index of states for the better one, and walks through all that wait for each of them.
_IS_STORED = "state || '' = 'stored'"


class BodyPosition(NamedTuple):
    """Position of a raw event in the order of receipt."""

    received_at: int
    digest: str


@dataclass(frozen=True, slots=True)
class ReceivedBody:
    """Received body, with the time (epoch milliseconds) and the retained headers as JSON."""

    account_id: int
    body: bytes
    received_at: int
    headers_json: str = "{}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


# Milliseconds ahead of which a body is still said to be received.
_SOON = 1_000


def keep(connection: Connection, arrival: ReceivedBody) -> bool:
    """Store a body; False if the same bytes are stored already.

    One that is stored after others of its millisecond gets the next, so that their order is kept.
    """
    return bool(
        connection.run(
            """
            INSERT INTO raw_event(account_id, digest, received_at, headers_json, body)
            VALUES (:account, :digest, (
              SELECT COALESCE(MAX(received_at) + 1, :received) FROM raw_event
              WHERE account_id = :account AND received_at BETWEEN :received AND :soon
            ), :headers, :body)
            ON CONFLICT(account_id, digest) DO NOTHING
            """,
            {
                "account": arrival.account_id,
                "digest": arrival.digest,
                "received": arrival.received_at,
                "soon": arrival.received_at + _SOON,
                "headers": arrival.headers_json,
                "body": arrival.body,
            },
        )
    )


def waiting(connection: Connection, account_id: int, count: int, size: int) -> list[Row]:
    """Return pending bodies in order of receipt.

    (digest, received_at, done, body, ignored_json): ignored_json counts what was skipped so far.

    At most `count` bodies and `size` bytes, but always the first one.
    """
    heads = connection.rows(
        """
        SELECT digest, length(body) AS size FROM raw_event
        WHERE account_id = :account AND state = 'stored'
        ORDER BY received_at, digest LIMIT :count
        """,
        {"account": account_id, "count": count},
    )
    chosen: list[str] = []
    for head in heads:
        size -= head["size"]
        if chosen and size < 0:
            break
        chosen.append(head["digest"])
    return [row for digest in chosen if (row := _whole(connection, account_id, digest)) is not None]


def any_waiting(connection: Connection, account_id: int) -> bool:
    """Check for pending bodies."""
    sql = "SELECT 1 AS one FROM raw_event WHERE account_id = :account AND state = 'stored' LIMIT 1"
    return first_number(connection, sql, {"account": account_id}) > 0


def backlog(connection: Connection, account_id: int) -> Row:
    """Count bodies: (pending, oldest, failed). oldest: receipt of the oldest pending one."""
    row = connection.row(
        """
        SELECT COUNT(*) AS pending, MIN(received_at) AS oldest,
          (SELECT COUNT(*) FROM raw_event
           WHERE account_id = :account AND state = 'failed') AS failed
        FROM raw_event WHERE account_id = :account AND state = 'stored'
        """,
        {"account": account_id},
    )
    assert row is not None
    return row


def advance(
    connection: Connection, account_id: int, digest: str, done: int, to: int, *, size: int
) -> bool:
    """Claim the events of a pending body from `done` to `to` for this transaction.

    Returns False if they were claimed before, or the body's size is no longer `size`. The row stays
    locked until the end of the transaction.
    """
    return bool(
        connection.run(
            f"""
            UPDATE raw_event SET done = :to
            WHERE account_id = :account AND digest = :digest AND {_IS_STORED} AND done = :done
              AND length(body) = :size
            """,
            {"account": account_id, "digest": digest, "done": done, "to": to, "size": size},
        )
    )


def set_final_state(
    connection: Connection,
    account_id: int,
    digest: str,
    state: str,
    *,
    reason: str | None = None,
    ignored_json: str | None = None,
    done: int,
) -> bool:
    """Mark a pending body, of which `done` events were applied, with its final state.

    Returns False if it was reset to be applied again from its first event.
    """
    return bool(
        connection.run(
            f"""
            UPDATE raw_event SET state = :state, done = 0, reason = :reason, ignored_json = :ignored
            WHERE account_id = :account AND digest = :digest AND {_IS_STORED} AND done = :done
            """,
            {
                "account": account_id,
                "digest": digest,
                "state": state,
                "reason": reason,
                "ignored": ignored_json,
                "done": done,
            },
        )
    )


def pass_over(connection: Connection, account_id: int, digest: str, ignored_json: str) -> None:
    """Store the counts of what was skipped so far in a pending body."""
    connection.run(
        f"""
        UPDATE raw_event SET ignored_json = :ignored
        WHERE account_id = :account AND digest = :digest AND {_IS_STORED}
        """,
        {"account": account_id, "digest": digest, "ignored": ignored_json},
    )


def positions_after(
    connection: Connection,
    account_id: int,
    after: BodyPosition | None,
    count: int,
    *,
    state: str | None = None,
    since: int = 0,
) -> list[BodyPosition]:
    """Return the positions of events after `after` and received at `since` or later, in order."""
    # "g" sorts after every hexadecimal digest, which excludes the millisecond before `since`.
    received_at, digest = after or BodyPosition(since - 1, "g")
    rows = connection.rows(
        f"""
        SELECT received_at, digest FROM raw_event
        WHERE account_id = :account {"" if state is None else "AND state = :state"}
          AND (received_at, digest) > (:received, :digest)
        ORDER BY received_at, digest LIMIT :count
        """,
        {"account": account_id, "received": received_at, "digest": digest, "count": count}
        | ({} if state is None else {"state": state}),
    )
    return [BodyPosition(row["received_at"], row["digest"]) for row in rows]


def body(connection: Connection, account_id: int, digest: str) -> bytes | None:
    """Return a raw event's body, None if it is deleted."""
    row = _whole(connection, account_id, digest)
    return None if row is None else bytes(row["body"])


def wait_again(connection: Connection, account_id: int, digests: Iterable[str]) -> None:
    """Reset raw events to pending."""
    connection.run_many(
        """
        UPDATE raw_event SET state = 'stored', done = 0, reason = NULL, ignored_json = NULL
        WHERE account_id = :account AND digest = :digest AND state <> 'stored'
        """,
        [{"account": account_id, "digest": digest} for digest in digests],
    )


def wait_for(connection: Connection, account_id: int, kinds: Iterable[str]) -> None:
    """Reset raw events that skipped elements of one of these kinds to pending."""
    held = "strpos" if connection.dialect == "postgresql" else "instr"
    connection.run_many(
        f"""
        UPDATE raw_event SET state = 'stored', done = 0, reason = NULL, ignored_json = NULL
        WHERE account_id = :account AND ignored_json IS NOT NULL
          AND {held}(ignored_json, :kind) > 0
        """,
        [{"account": account_id, "kind": json.dumps(kind)} for kind in kinds],
    )


def digests_containing(
    connection: Connection, account_id: int, since: int, needles: Sequence[bytes]
) -> list[str]:
    """Return digests of events since `since` whose body contains one of the `needles`."""
    held = (
        "position(:n{0} in body) > 0"
        if connection.dialect == "postgresql"
        else "instr(body, :n{0}) > 0"
    )
    conditions = " OR ".join(held.format(number) for number in range(len(needles)))
    rows = connection.rows(
        f"""
        SELECT digest FROM raw_event
        WHERE account_id = :account AND received_at >= :since AND ({conditions})
        ORDER BY digest
        """,
        {"account": account_id, "since": since}
        | {f"n{number}": needle for number, needle in enumerate(needles)},
    )
    return [row["digest"] for row in rows]


def rewrite(
    connection: Connection,
    account_id: int,
    digest: str,
    changed: bytes,
    *,
    fewer_events: bool = False,
) -> None:
    """Replace a body; its digest remains that of the received bytes.

    A pending body keeps its number of events; with `fewer_events`, none of them is applied yet.
    """
    done = ", done = 0" if fewer_events else ""
    connection.run(
        f"UPDATE raw_event SET body = :body{done} WHERE account_id = :account AND digest = :digest",
        {"account": account_id, "digest": digest, "body": changed},
    )


def drop(connection: Connection, account_id: int, digest: str) -> None:
    connection.run(
        "DELETE FROM raw_event WHERE account_id = :account AND digest = :digest",
        {"account": account_id, "digest": digest},
    )


def any_older(connection: Connection, account_id: int, before: int) -> bool:
    """Check for processed events received before `before`."""
    sql = """
        SELECT 1 AS one FROM raw_event
        WHERE account_id = :account AND received_at < :before AND state <> 'stored' LIMIT 1
        """
    return first_number(connection, sql, {"account": account_id, "before": before}) > 0


def drop_older(connection: Connection, account_id: int, before: int, count: int) -> int:
    """Delete up to `count` processed events received before `before`; return the number."""
    return connection.run(
        """
        DELETE FROM raw_event WHERE account_id = :account AND digest IN (
          SELECT digest FROM raw_event
          WHERE account_id = :account AND received_at < :before AND state <> 'stored'
          ORDER BY received_at, digest LIMIT :count)
        """,
        {"account": account_id, "before": before, "count": count},
    )


def tallies(connection: Connection, account_id: int) -> list[Row]:
    """Return (state, n, first, last) per state; first and last are times of receipt."""
    return connection.rows(
        """
        SELECT state, COUNT(*) AS n, MIN(received_at) AS first, MAX(received_at) AS last
        FROM raw_event WHERE account_id = :account GROUP BY state ORDER BY state
        """,
        {"account": account_id},
    )


def ignored(connection: Connection, account_id: int) -> list[Row]:
    """Return (ignored_json, n): skipped elements, and the number of bodies with just these."""
    return connection.rows(
        """
        SELECT ignored_json, COUNT(*) AS n FROM raw_event
        WHERE account_id = :account AND ignored_json IS NOT NULL GROUP BY ignored_json
        """,
        {"account": account_id},
    )


def failures(connection: Connection, account_id: int, count: int) -> list[Row]:
    """Return (digest, received_at, reason) of failed bodies, latest first."""
    return connection.rows(
        """
        SELECT digest, received_at, reason FROM raw_event
        WHERE account_id = :account AND state = 'failed'
        ORDER BY received_at DESC, digest DESC LIMIT :count
        """,
        {"account": account_id, "count": count},
    )


def _whole(connection: Connection, account_id: int, digest: str) -> Row | None:
    return connection.row(
        """
        SELECT digest, received_at, done, body, ignored_json FROM raw_event
        WHERE account_id = :account AND digest = :digest
        """,
        {"account": account_id, "digest": digest},
    )
