"""Parks edits, revocations, statuses and number facts until their target is known."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from frontdesk.ingest.apply.context import BatchContext
from frontdesk.store import lookups, writes
from frontdesk.store.rows import PendingRow, packed

EDIT, REVOKE, NUMBER = "edit", "revoke", "number"
# Prefix of the name of a delivery step.
STATUS = "status:"

_Place = tuple[int, str, str]


class PendingUpdates:
    """Parked updates of a batch's targets. Call `load` first."""

    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._any = lookups.any_pending(*context.account)
        self._rows: dict[_Place, PendingRow] = {}
        self._stored: dict[_Place, PendingRow] = {}
        self._unsaved: set[_Place] = set()
        self._targets: set[tuple[int, str]] = set()

    def load(self, channel_id: int, targets: Collection[str]) -> None:
        """Read the updates parked for messages of a channel, or with channel 0 for phone
        numbers."""
        if not self._any:
            return
        for row in lookups.pending_updates(*self._context.account, channel_id, targets):
            place = (channel_id, row["target"], row["kind"])
            self._stored[place], self._rows[place] = row, row.copy()
            self._targets.add(place[:2])

    def has_any(self, channel_id: int, target: str) -> bool:
        """Check if any update of a target may be parked."""
        return (channel_id, target) in self._targets

    def take(self, channel_id: int, target: str, kind: str) -> tuple[int, dict[str, Any]] | None:
        """Remove and return a parked update, with its time."""
        place = (channel_id, target, kind)
        self._unsaved.discard(place)
        row = self._rows.pop(place, None)
        return None if row is None else (row["created_at"], json.loads(row["detail_json"]))

    def parked(self, channel_id: int, target: str, kind: str) -> tuple[int, dict[str, Any]] | None:
        """Return a parked update, with its time."""
        row = self._rows.get((channel_id, target, kind))
        return None if row is None else (row["created_at"], json.loads(row["detail_json"]))

    def park(
        self, channel_id: int, target: str, kind: str, at: int, detail: Mapping[str, Any]
    ) -> None:
        """Park an update, replacing the previous one."""
        place = (channel_id, target, kind)
        self._rows[place] = {
            "account_id": self._context.account_id,
            "channel_id": channel_id,
            "target": target,
            "kind": kind,
            "created_at": at,
            "detail_json": packed(dict(detail)) or "{}",
        }
        self._unsaved.add(place)
        self._targets.add(place[:2])

    def save(self) -> None:
        gone = [row for place, row in self._stored.items() if place not in self._rows]
        writes.drop(self._context.connection, "orphan", gone)
        writes.save(
            self._context.connection,
            "orphan",
            [self._rows[place] for place in sorted(self._unsaved)],
        )
