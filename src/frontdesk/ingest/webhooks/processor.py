"""Processes stored webhook bodies in bounded transactions, each event exactly once."""

import json
import logging
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from frontdesk.errors import InboxError, Unreachable
from frontdesk.ingest.admission import ANYTHING, Admission, kind_of, number_of
from frontdesk.ingest.apply.batch import apply_events, wake
from frontdesk.ingest.events import DomainEvent, MessageUpsert
from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.webhooks import redaction
from frontdesk.ingest.webhooks.normalise import body_of, normalise
from frontdesk.ingest.webhooks.redaction import REVOKED_WITHIN
from frontdesk.store import lookups, raw_events
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.raw_events import APPLIED, FAILED, IGNORED
from frontdesk.store.writes import lock_account

# Limits of a transaction.
EVENTS_AT_ONCE = 200
BODIES_AT_ONCE = 50
BYTES_AT_ONCE = 1024 * 1024

LONGEST_REASON = 300

_log = logging.getLogger("frontdesk.ingest")


@dataclass(frozen=True, slots=True)
class StepResult:
    """Result of a step: number of bodies advanced, and of finished ones by state.

    passed_over: skipped elements of unknown channels, by kind as `admission.kind_of` names it.
    revoked: contents of deleted messages were overwritten.
    """

    moved: int = 0
    settled: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    revoked: bool = False

    def __add__(self, other: "StepResult") -> "StepResult":
        return StepResult(
            self.moved + other.moved,
            self.settled + other.settled,
            self.passed_over + other.passed_over,
            self.revoked or other.revoked,
        )


@dataclass(frozen=True, slots=True)
class _ParsedBody:
    """Parsed body. revoked: as `redaction.revoked`.

    reason: why the body or some of its elements are unreadable; it ends as failed even if other
    elements were applied.
    """

    events: Sequence[DomainEvent] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    revoked: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class _Slice:
    """Events `done` to `to` of a body. state: its final state afterwards, None if events remain."""

    row: Row
    body: _ParsedBody
    to: int
    state: str | None
    reason: str | None = None

    @property
    def events(self) -> Sequence[DomainEvent]:
        return self.body.events[self.row["done"] : self.to]


class WebhookProcessor:
    """Applies stored bodies to the inbox. clock: now in epoch milliseconds.

    Several processes may do so concurrently: a claim and its effects are one transaction.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], int],
        *,
        admission: Admission = ANYTHING,
        retain_revoked: bool = False,
    ) -> None:
        self._database = database
        self._clock = clock
        self._admission = admission
        self._retain_revoked = retain_revoked
        # A long body takes several steps but is parsed once.
        self._last: tuple[bytes, _ParsedBody] = (b"", _ParsedBody())

    def step(self, account_id: int) -> StepResult:
        """Apply the next events of an account in one transaction.

        Does nothing if no body is pending, or another process claimed it first.

        Raises: InboxError: the database failed. Nothing was changed; the bodies remain pending.
        """
        slices = list(self._slices(account_id))
        return self._apply_or_fail(account_id, slices) if slices else StepResult()

    def _apply_or_fail(self, account_id: int, slices: Sequence[_Slice]) -> StepResult:
        """Apply slices; if that fails, one by one, so that only the faulty body fails.

        Raises: InboxError: the engine failed, which says nothing about a body.
        """
        try:
            return self._apply_slices(account_id, slices)
        except Exception as error:
            if self._database.is_engine_fault(error):
                if isinstance(error, InboxError):
                    raise
                raise Unreachable(f"The database failed: {_place_of(error)}") from error
            if len(slices) == 1:
                _log.error("A webhook body cannot be applied: %s", _place_of(error))
                return self._apply_slices(account_id, [_failed(slices[0], error)])
        return sum((self._apply_or_fail(account_id, [part]) for part in slices), StepResult())

    def _slices(self, account_id: int) -> Iterator[_Slice]:
        """Yield the slices of bodies for the next transaction."""
        rows = self._database.read_latest(
            lambda connection: raw_events.waiting(
                connection, account_id, BODIES_AT_ONCE, BYTES_AT_ONCE
            )
        )
        room = EVENTS_AT_ONCE
        for row in rows:
            body = self._parsed(row)
            total = len(body.events)
            to = min(total, row["done"] + room)
            yield _Slice(row, body, to, _state(body) if to >= total else None, body.reason)
            room -= to - row["done"]
            if room <= 0:
                return

    def _parsed(self, row: Row) -> _ParsedBody:
        raw, body = self._last
        if raw != row["body"]:
            raw = bytes(row["body"])
            body = _parse(raw, row["received_at"])
            self._last = raw, body
        return body

    def _apply_slices(self, account_id: int, slices: Sequence[_Slice]) -> StepResult:
        now = self._clock()
        deleted_ids = frozenset(wamid for part in slices for wamid in part.body.revoked)
        affected = self._naming(account_id, slices) if deleted_ids else []

        def apply(connection: Connection) -> StepResult:
            lock_account(connection, account_id)
            mine = [part for part in slices if _claim(connection, account_id, part)]
            parts = [self._admission.part(connection, account_id, part.events) for part in mine]
            events = [event for part in parts for event in part.events]
            if events:
                wake(connection, account_id, now)
                placeholders = self._admission.placeholders
                apply_events(
                    connection, account_id, events, now=now, live=True, placeholders=placeholders
                )
            deleted = deleted_ids | _deleted_ids(connection, account_id, events)
            if not self._retain_revoked:
                digests = {*affected, *(part.row["digest"] for part in mine)}
                _blank(connection, account_id, sorted(digests), deleted)
            ends = (
                _settle(connection, account_id, slice_, part.passed_over)
                for slice_, part in zip(mine, parts, strict=True)
            )
            settled = Counter(state for state in ends if state is not None)
            passed_over = sum((part.passed_over for part in parts), Counter[str]())
            return StepResult(len(mine), settled, passed_over, bool(mine and deleted))

        return self._database.write(apply)

    def _naming(self, account_id: int, slices: Sequence[_Slice]) -> list[str]:
        """Return digests of bodies that may contain the messages revoked by these slices."""
        deleted_ids = {
            wamid: at or part.row["received_at"]
            for part in slices
            for wamid, at in part.body.revoked.items()
        }
        since = min(deleted_ids.values()) - REVOKED_WITHIN
        needles = redaction.needles(deleted_ids)
        return self._database.read_latest(
            lambda connection: raw_events.digests_containing(connection, account_id, since, needles)
        )


def _parse(raw: bytes, received_at: int) -> _ParsedBody:
    try:
        body = body_of(raw)
        normalised = normalise(body, live=True, received_at=received_at)
    except Malformed as error:
        return _ParsedBody(reason=str(error)[:LONGEST_REASON])
    refusal = normalised.refusal
    reason = None if refusal is None else refusal[:LONGEST_REASON]
    return _ParsedBody(normalised.events, normalised.ignored, redaction.revoked(body), reason)


def _state(body: _ParsedBody) -> str:
    if body.reason is not None:
        return FAILED
    return APPLIED if body.events else IGNORED


def _failed(slice_: _Slice, error: Exception) -> _Slice:
    """Mark a slice as failed; the error's message is dropped, as it may quote customers."""
    reason = f"it cannot be applied: {_place_of(error)}"[:LONGEST_REASON]
    return _Slice(slice_.row, slice_.body, slice_.row["done"], FAILED, reason)


def _place_of(error: Exception) -> str:
    """Return an error's type and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "frontdesk" in frame.filename] or frames
    where = f" in {ours[-1].name}, line {ours[-1].lineno}" if ours else ""
    return f"{type(error).__name__}{where}"


def _claim(connection: Connection, account_id: int, slice_: _Slice) -> bool:
    """Claim a slice; False if the body has changed or was claimed before."""
    row = slice_.row
    size = len(row["body"])
    return raw_events.advance(
        connection, account_id, row["digest"], row["done"], slice_.to, size=size
    )


def _settle(
    connection: Connection, account_id: int, slice_: _Slice, passed_over: Counter[str]
) -> str | None:
    """Store the final state of a body and return it, or store what was skipped so far."""
    digest = slice_.row["digest"]
    ignored = json.loads(slice_.row["ignored_json"] or "{}")
    ignored |= {kind: count + ignored.get(kind, 0) for kind, count in passed_over.items()}
    if slice_.state is None:
        if passed_over:
            raw_events.pass_over(connection, account_id, digest, json.dumps(ignored))
        return None
    state = slice_.state
    if state == APPLIED and all(
        number is not None and kind_of(number) in ignored
        for number in map(number_of, slice_.body.events)
    ):
        state = IGNORED
    ignored |= slice_.body.ignored
    settled = raw_events.set_final_state(
        connection,
        account_id,
        digest,
        state,
        reason=slice_.reason,
        ignored_json=json.dumps(ignored, sort_keys=True) if ignored else None,
        done=slice_.to,
    )
    return state if settled else None


def _blank(
    connection: Connection, account_id: int, digests: Sequence[str], wamids: Collection[str]
) -> None:
    """Remove contents of messages from the bodies that contain them."""
    for digest in digests if wamids else ():
        body = raw_events.body(connection, account_id, digest)
        after = None if body is None else redaction.blanked(body, wamids)
        if after is not None:
            raw_events.rewrite(connection, account_id, digest, after)


def _deleted_ids(
    connection: Connection, account_id: int, events: Sequence[DomainEvent]
) -> set[str]:
    """Return the wamids of those messages that are stored as deleted."""
    by_channel: dict[str, set[str]] = {}
    for event in events:
        if isinstance(event, MessageUpsert) and event.wamid is not None:
            by_channel.setdefault(event.channel, set()).add(event.wamid)
    deleted: set[str] = set()
    for number, wamids in by_channel.items():
        channel = lookups.catalogue_row(
            connection, account_id, "channel", "phone_number_id", number
        )
        if channel is not None:
            rows = lookups.messages(connection, account_id, channel["id"], wamids)
            deleted |= {
                row["wamid"]
                for row in rows
                if row["wamid"] is not None and row["deleted_at"] is not None
            }
    return deleted
