"""Context of a batch: connection, account, time, row ids and counts of what was applied."""

from collections import Counter
from dataclasses import dataclass, field, fields

from frontdesk.store.database import Connection
from frontdesk.store.writes import Ids


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

    def new(self, kind: str) -> None:
        self.changed = True
        self._counts[kind, "new"] += 1

    def change(self, kind: str) -> None:
        self.changed = True
        self._counts[kind, "changed"] += 1

    def known(self, kind: str) -> None:
        self._counts[kind, "known"] += 1

    def discount(self, kind: str) -> None:
        """Take back a `new`."""
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
    """What all parts of a batch share. now: time of the change, epoch milliseconds."""

    connection: Connection
    account_id: int
    now: int
    ids: Ids
    counts: BatchCounts = field(default_factory=BatchCounts)

    @property
    def account(self) -> tuple[Connection, int]:
        """The first two arguments of lookups and writes."""
        return self.connection, self.account_id
