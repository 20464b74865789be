"""How far imports of files have come, kept with what they brought in."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from frontdesk.store.database import Connection

# An import that nobody went on with for so long is forgotten: 90 days.
FORGOTTEN_AFTER = 90 * 24 * 60 * 60 * 1000


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """line: the last of the file that is in. state: whatever else going on needs."""

    line: int
    state: Mapping[str, Any] = field(default_factory=dict)


def checkpoint(connection: Connection, digest: str) -> Checkpoint | None:
    """How far the import of a file came that was interrupted; None if none was."""
    row = connection.row(
        "SELECT line, state_json FROM checkpoint WHERE digest = :digest", {"digest": digest}
    )
    return None if row is None else Checkpoint(row["line"], json.loads(row["state_json"]))


def keep(connection: Connection, digest: str, reached: Checkpoint, now: int) -> None:
    """Remember how far an import came. now: epoch milliseconds."""
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
    """An import is complete; those that were left long ago are forgotten with it."""
    connection.run(
        "DELETE FROM checkpoint WHERE digest = :digest OR updated_at < :long_ago",
        {"digest": digest, "long_ago": now - FORGOTTEN_AFTER},
    )
