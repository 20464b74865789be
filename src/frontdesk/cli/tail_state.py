"""State file of `frontdesk tail`: the messages that were printed last, so that none is repeated."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeVar

from frontdesk.errors import BadSettings
from frontdesk.system import private_files
from frontdesk.text.clean import compact_json
from frontdesk.wire import instant

# Messages may arrive later than others that were sent after them.
LATE = timedelta(minutes=5)
_VERSION = 1


class Printable(Protocol):
    """What is printed once. key: identifies it. at: its time, None if unknown."""

    @property
    def key(self) -> str: ...
    @property
    def at(self) -> datetime | None: ...


P = TypeVar("P", bound=Printable)


@dataclass(slots=True)
class TailState:
    """State of one tail. of: identifies its inbox and filters. begin: time from which it prints.

    newest: time of what was printed last. printed: keys with the times of what was printed within
    `LATE` of that.
    """

    path: Path
    of: str
    begin: datetime
    newest: datetime
    printed: dict[str, datetime] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path, of: str, begin: datetime) -> "TailState":
        """Read the file, or begin one that has nothing printed, at `begin`.

        Raises: BadSettings: the file is of another tail, or no state. UnusableFile: not writable.
        """
        if not path.exists():
            state = cls(path, of, begin, begin)
            state._save()
            return state
        try:
            members = json.loads(path.read_bytes())
            began, newest = instant(members["begin"]), instant(members["newest"])
            printed = {key: instant(text) for key, text in members["printed"].items()}
            known = {key: moment for key, moment in printed.items() if moment is not None}
            valid = members["version"] == _VERSION
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            valid, began, newest, known, members = False, None, None, {}, {}
        if not valid or began is None or newest is None:
            raise BadSettings(f"{path} is no state of frontdesk tail: give another file")
        if members["of"] != of:
            raise BadSettings(f"{path} is of another inbox or other filters: give another file")
        return cls(path, of, began, newest, known)

    @property
    def since(self) -> datetime:
        """Time from which messages may not have been printed yet."""
        return max(self.begin, self.newest - LATE)

    def unprinted(self, rows: Sequence[P]) -> list[P]:
        return [row for row in rows if row.key not in self.printed]

    def record(self, row: Printable, now: datetime) -> None:
        """Write down that a row was printed. One that is dated in the future moves nothing."""
        at = row.at or now
        self.newest = max(self.newest, min(at, now))
        kept = {key: moment for key, moment in self.printed.items() if moment >= self.since}
        self.printed = {**kept, row.key: at}
        self._save()

    def _save(self) -> None:
        printed = {key: moment.isoformat() for key, moment in self.printed.items()}
        times = {"begin": self.begin.isoformat(), "newest": self.newest.isoformat()}
        members = {"version": _VERSION, "of": self.of, **times, "printed": printed}
        private_files.save_text(self.path, compact_json(members) + "\n")


def printing_once(
    show: Callable[[Sequence[P]], None], state: TailState, clock: Callable[[], datetime]
) -> Callable[[Sequence[P]], None]:
    """Return a printer that leaves out what was printed, and writes down each row after it."""

    def show_new(rows: Sequence[P]) -> None:
        for row in state.unprinted(rows):
            show([row])
            state.record(row, clock())

    return show_new
