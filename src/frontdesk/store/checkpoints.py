"""Progress of file imports, written in the same transaction as the imported rows."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frontdesk.store.database import Connection

# 90 days in milliseconds: older checkpoints of abandoned imports are deleted.
FORGOTTEN_AFTER = 90 * 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Import progress. line: last line imported. state: JSON values needed to resume."""

    line: int
    state: Mapping[str, Any] = field(default_factory=dict)


def checkpoint(connection: Connection, digest: str) -> Checkpoint | None:
    """Return the progress of an interrupted import by the file's digest, None without one."""
    row = connection.row(
        "SELECT line, state_json FROM checkpoint WHERE digest = :digest", {"digest": digest}
    )
    return None if row is None else Checkpoint(row["line"], json.loads(row["state_json"]))


def keep(connection: Connection, digest: str, reached: Checkpoint, now: int) -> None:
    """Store the progress of an import. now: epoch milliseconds."""
    connection.run(
        """
        INSERT INTO checkpoint(digest, line, state_json, updated_at)
        VALUES (:digest, :line, :state, :now)
        ON CONFLICT(digest) DO UPDATE SET
          line = excluded.line, state_json = excluded.state_json, updated_at = excluded.updated_at
        """,
        {
            "digest": digest,
            "line": reached.line,
            "state": json.dumps(dict(reached.state)),
            "now": now,
        },
    )


def forget(connection: Connection, digest: str, now: int) -> None:
    """Delete the checkpoint of a finished import, and expired ones."""
    connection.run(
        "DELETE FROM checkpoint WHERE digest = :digest OR updated_at < :long_ago",
        {"digest": digest, "long_ago": now - FORGOTTEN_AFTER},
    )
