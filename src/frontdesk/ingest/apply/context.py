"""Context of a batch: connection, account, time, row ids, counts, and parked updates."""

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from frontdesk.store import lookups, writes
from frontdesk.store.database import Connection
from frontdesk.store.rows import PendingRow, packed
from frontdesk.store.writes import Ids

# Kinds of parked updates.
EDIT, REVOKE, READ, NUMBER = "edit", "revoke", "read", "number"
# Prefix of the name of a delivery step.
STATUS = "status:"


@dataclass(frozen=True, slots=True)
class Tally:
    """Events of one kind that created a row, changed one, or had no effect."""

    new: int = 0
    changed: int = 0
    known: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.new + other.new, self.changed + other.changed, self.known + other.known)


@dataclass(frozen=True, slots=True)
class ApplyResult:
    """Tallies by kind.

    catalogue: users, teams, labels, custom fields, canned responses and templates. amendments:
    edits and revocations. ignored: events without effect, such as a status of an inbound message.
    """

    channels: Tally = field(default_factory=Tally)
    contacts: Tally = field(default_factory=Tally)
    conversations: Tally = field(default_factory=Tally)
    messages: Tally = field(default_factory=Tally)
    statuses: Tally = field(default_factory=Tally)
    reactions: Tally = field(default_factory=Tally)
    amendments: Tally = field(default_factory=Tally)
    notes: Tally = field(default_factory=Tally)
    events: Tally = field(default_factory=Tally)
    catalogue: Tally = field(default_factory=Tally)
    ignored: int = 0

    def __add__(self, other: "ApplyResult") -> "ApplyResult":
        return ApplyResult(
            **{
                each.name: getattr(self, each.name) + getattr(other, each.name)
                for each in fields(self)
            }
        )


class BatchCounts:
    """Mutable counters of a batch; `changed` is set if readers can see a difference."""

    def __init__(self) -> None:
        self.changed = False
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, how: Literal["new", "changed", "known"]) -> None:
        self.changed = self.changed or how != "known"
        self._counts[kind, how] += 1

    def discount(self, kind: str) -> None:
        """Take back a "new"."""
        self._counts[kind, "new"] -= 1

    def ignore(self) -> None:
        self._counts["ignored", "known"] += 1

    def result(self) -> ApplyResult:
        tallies = {
            each.name: Tally(*(self._counts[each.name, how] for how in ("new", "changed", "known")))
            for each in fields(ApplyResult)
            if each.name != "ignored"
        }
        return ApplyResult(**tallies, ignored=self._counts["ignored", "known"])


@dataclass(frozen=True, slots=True)
class BatchContext:
    """State shared by the parts of a batch. now: time of the change, epoch milliseconds."""

    connection: Connection
    account_id: int
    now: int
    ids: Ids
    counts: BatchCounts = field(default_factory=BatchCounts)

    @property
    def account(self) -> tuple[Connection, int]:
        """The first two arguments of lookups and writes."""
        return self.connection, self.account_id


_Place = tuple[int, str, str]


class PendingUpdates:
    """Edits, revocations, statuses and number facts that are parked until their target is known.

    Call `load` with the batch's targets first.
    """

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
        removed_rows = [row for place, row in self._stored.items() if place not in self._rows]
        writes.drop(self._context.connection, "orphan", removed_rows)
        writes.save(
            self._context.connection,
            "orphan",
            [self._rows[place] for place in sorted(self._unsaved)],
        )
