"""Rules of fetching a file: what a failure means for it, for its number and for all (pure).

A provider blocks a number after some failed requests in an hour, so failures are budgeted: a number
rests before that, and no attempt is counted while it does.
"""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from frontdesk.errors import (
    FileTooLarge,
    Forbidden,
    InboxError,
    NoRoom,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.store.incoming_files import FilesUnusable, IncomingFile
from frontdesk.store.media import EXPIRED, FAILED, REFUSED

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000

# Pauses before the second and later attempts; the last failure after them is final.
RETRY_MILLISECONDS = (30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR)
TOKEN_REST = 15 * MINUTE
ROOM_REST = MINUTE
BUDGET_REST = 30 * MINUTE
# Failed attempts of one number within an hour, after which it rests.
ERROR_BUDGET = 10

TOKEN, RATE, ROOM, BUDGET = "token", "rate", "room", "budget"


class FileSource(Protocol):
    """A provider that gives out files by their ids."""

    async def save(self, remote: str, file: IncomingFile) -> None:
        """Write a file.

        Raises: NotFound: it has it no more. FileTooLarge. Unauthorised, Forbidden: the credentials
        are refused. Unreachable: try again, after `retry_after` if there were too many requests.
        BadResponse: an answer that breaks the rules.
        """


class FileSources(Protocol):
    """Providers by the slug of the account."""

    def of_account(self, slug: str) -> FileSource | None:
        """The provider of an account; None without credentials for it."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A pause of one number, or of all fetching. why: token, rate, room or budget."""

    milliseconds: int
    why: str
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """What becomes of a file that could not be fetched.

    state: a final one, or None: it is tried again at `due_at`. counted: the attempt counts.
    """

    reason: str
    state: str | None = None
    due_at: int = 0
    counted: bool = True
    rest: Rest | None = None


def failure(error: InboxError, attempts: int, now: int, chance: float) -> Failure:
    """What a failed attempt means. attempts: with this one. chance: 0 to 1, of the retry's time."""
    reason = str(error)
    match error:
        case NotFound():
            return Failure(reason, EXPIRED)
        case FileTooLarge():
            return Failure(reason, REFUSED)
        case Unauthorised() | Forbidden():
            return _resting(reason, now, Rest(TOKEN_REST, TOKEN))
        case NoRoom() | FilesUnusable():
            return _resting(reason, now, Rest(ROOM_REST, ROOM, everywhere=True))
        case Unreachable(retry_after=float() | int() as seconds):
            return _resting(reason, now, Rest(round(seconds * SECOND), RATE))
    # Also after an answer that breaks the rules: a maintenance page is one.
    if attempts > len(RETRY_MILLISECONDS):
        return Failure(reason, FAILED)
    pause = RETRY_MILLISECONDS[max(attempts, 1) - 1] * (0.8 + 0.4 * chance)
    return Failure(reason, due_at=now + round(pause))


def _resting(reason: str, now: int, rest: Rest) -> Failure:
    return Failure(reason, due_at=now + rest.milliseconds, counted=False, rest=rest)


# An account and the id of a channel; None stands for all.
Number = tuple[int, int] | None


class Rests:
    """Numbers that rest, and their budgets of errors; of one process."""

    def __init__(self, budget: int = ERROR_BUDGET) -> None:
        """budget: failed attempts of a number within an hour, after which it rests."""
        self._budget = budget
        self._until: dict[Number, tuple[int, str]] = {}
        self._errors: dict[tuple[int, int], deque[int]] = {}

    def failed(self, number: tuple[int, int], result: Failure, now: int) -> None:
        """Note a failed attempt."""
        if result.rest is not None:
            self._rest(None if result.rest.everywhere else number, result.rest, now)
            if result.rest.everywhere:
                return
        errors = self._errors.setdefault(number, deque())
        errors.append(now)
        while errors and errors[0] <= now - HOUR:
            errors.popleft()
        if len(errors) >= self._budget:
            errors.clear()
            self._rest(number, Rest(BUDGET_REST, BUDGET), now)

    def is_resting(self, now: int) -> bool:
        """Check if all fetching rests."""
        return self._until.get(None, (0, ""))[0] > now

    def resting(self, account_id: int, now: int) -> Collection[int]:
        """Return the channels of an account that rest."""
        return {
            number[1]
            for number, (until, _) in self._until.items()
            if number is not None and number[0] == account_id and until > now
        }

    def reasons(self, now: int) -> list[str]:
        """Return why each number rests, and all fetching if it does."""
        return [why for until, why in self._until.values() if until > now]

    def _rest(self, number: Number, rest: Rest, now: int) -> None:
        until, _ = self._until.get(number, (0, ""))
        if now + rest.milliseconds > until:
            self._until[number] = now + rest.milliseconds, rest.why
