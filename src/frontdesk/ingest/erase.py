"""Erases a person: contact, conversations, messages and raw webhooks."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from frontdesk.ingest.apply.metrics import figures, part_figures
from frontdesk.ingest.webhooks import redaction
from frontdesk.ingest.webhooks.redaction import Mention
from frontdesk.store import contacts, counters, lookups, message_search, raw_events, writes
from frontdesk.store import erase as erasing
from frontdesk.store.changes import NAMES
from frontdesk.store.counters import LabelledConversation
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.raw_events import BodyPosition
from frontdesk.store.rollups import LabelRollups, PartRollups, PricingRollups, Rollups, label_facts
from frontdesk.store.writes import lock_account
from frontdesk.text.phones import national_variants

BODIES_AT_ONCE = 100

# Called with the number of raw webhooks processed since the last call.
Advance = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class ErasureResult:
    """Numbers of erased rows, by table.

    raw_events: deleted webhook bodies; cut_events: bodies that also concern others, and lost only
    this person's elements.
    """

    rows: Counter[str] = field(default_factory=Counter)
    raw_events: int = 0
    cut_events: int = 0

    def __bool__(self) -> bool:
        return bool(self.rows.total() or self.raw_events or self.cut_events)


@dataclass(frozen=True, slots=True)
class _ErasedPerson:
    contact_ids: tuple[int, ...]
    conversations: tuple[Row, ...]
    mention: Mention
    names: frozenset[str]


def is_of_the_business(connection: Connection, account_id: int, phone: str) -> bool:
    """Check if a number belongs to a channel, and thus to no customer."""
    return any(
        erasing.has_channel(connection, account_id, spelling) for spelling in _spellings(phone)
    )


def matching_rows(connection: Connection, account_id: int, phone: str) -> Counter[str]:
    """Count the contacts, conversations and messages that `erase` would delete."""
    person = _person(connection, account_id, phone)
    messages = sum(
        len(erasing.messages_of(connection, account_id, row["id"])) for row in person.conversations
    )
    return Counter(
        contact=len(person.contact_ids), conversation=len(person.conversations), message=messages
    )


def is_mentioned(database: Database, account_id: int, phone: str) -> bool:
    """Check if an account has somebody with this number or user id, or a body that mentions it.

    False for a number of the account's own channels.
    """

    def look(connection: Connection) -> tuple[bool, _ErasedPerson]:
        ours = is_of_the_business(connection, account_id, phone)
        return ours, _person(connection, account_id, phone)

    ours, person = database.read_latest(look)
    if ours or person.contact_ids:
        return not ours
    last: BodyPosition | None = None
    while some := _next(database, account_id, last):
        if database.read_latest(partial(_mentions, account_id, some, person.mention)):
            return True
        last = some[-1]
    return False


def _mentions(
    account_id: int, places: Sequence[BodyPosition], mention: Mention, connection: Connection
) -> bool:
    bodies = (raw_events.body(connection, account_id, place.digest) for place in places)
    return any(body is not None and redaction.pruned(body, mention) is not None for body in bodies)


def erase(database: Database, account_id: int, phone: str, advance: Advance) -> ErasureResult:
    """Erase everybody who has or had this number (E.164) or user id.

    Webhook bodies are processed first in batches, the rest in one transaction; an interrupted run
    can be repeated. Counters, metrics and roll-ups are updated.
    """
    person = database.read_latest(lambda connection: _person(connection, account_id, phone))
    bodies: Counter[str] = Counter()
    last: BodyPosition | None = None
    while some := _next(database, account_id, last):
        bodies += database.write(_pruning(account_id, some, person.mention))
        last = some[-1]
        advance(len(some))

    def finish(connection: Connection) -> ErasureResult:
        lock_account(connection, account_id)
        latest = _person(connection, account_id, phone)
        # Bodies received in the meantime.
        behind = raw_events.positions_after(connection, account_id, last, 1_000_000)
        pruned = bodies + _pruning(account_id, behind, latest.mention)(connection)
        rows = _remove(connection, account_id, latest) + Counter(orphan=pruned["orphan"])
        return ErasureResult(rows, pruned["dropped"], pruned["cut"])

    return database.write(finish)


def purge(database: Database, *, patience_seconds: float) -> bool:
    """Overwrite the bytes of erased rows in all files of the database.

    False if readers kept copies in the write-ahead log for `patience_seconds`.

    Raises: Unreachable: not possible now.
    """
    database.write(contacts.optimize_index)
    database.write(message_search.optimize)
    database.rewrite()
    return database.truncate_log(patience_seconds=patience_seconds)


def _next(database: Database, account_id: int, last: BodyPosition | None) -> list[BodyPosition]:
    return database.read_latest(
        lambda connection: raw_events.positions_after(connection, account_id, last, BODIES_AT_ONCE)
    )


def _person(connection: Connection, account_id: int, phone: str) -> _ErasedPerson:
    spellings = _spellings(phone)
    contact_ids = erasing.contact_ids(connection, account_id, spellings)
    conversations = lookups.conversations_of(connection, account_id, contact_ids)
    # Lookups may return a contact's rows twice; each conversation counts once.
    conversations = list({row["id"]: row for row in conversations}.values())
    numbers = {spelling.removeprefix("+") for spelling in spellings if spelling.startswith("+")}
    ids = {spelling for spelling in spellings if not spelling.startswith("+")}
    for contact_id in contact_ids:
        identifiers = erasing.names_of(connection, account_id, contact_id)
        if identifiers is not None:
            numbers |= {
                number.removeprefix("+")
                for number in (identifiers["phone"], identifiers["wa_id"])
                if number
            }
            ids |= {identifiers["wa_user_id"]} - {None}
        for alias in erasing.aliases_of(connection, account_id, contact_id):
            digits = alias.removeprefix("+")
            (numbers if digits.isdigit() else ids).add(digits)
    wamids: set[str] = set()
    for row in conversations:
        messages = erasing.messages_of(connection, account_id, row["id"])
        wamids |= {message["wamid"] for message in messages} - {None}
    mention = Mention(frozenset(numbers), frozenset(ids | wamids))
    names = frozenset((*numbers, *(f"+{number}" for number in numbers), *ids))
    return _ErasedPerson(tuple(contact_ids), tuple(conversations), mention, names)


def _spellings(phone: str) -> tuple[str, ...]:
    return (phone, *national_variants(phone)) if phone.startswith("+") else (phone,)


def _pruning(
    account_id: int, places: Sequence[BodyPosition], mention: Mention
) -> Callable[[Connection], Counter[str]]:
    """Return a function that removes a person from bodies and counts the results."""

    def prune(connection: Connection) -> Counter[str]:
        became: Counter[str] = Counter()
        lock_account(connection, account_id)
        for place in places:
            body = raw_events.body(connection, account_id, place.digest)
            after = None if body is None else redaction.pruned(body, mention)
            if body is not None and after is not None:
                targets = redaction.targets(body, mention)
                became["orphan"] += erasing.forget_each(
                    connection, account_id, "orphan", "target", targets
                )
            if after:
                raw_events.rewrite(connection, account_id, place.digest, after, fewer_events=True)
                became["cut"] += 1
            elif after is not None:
                raw_events.drop(connection, account_id, place.digest)
                became["dropped"] += 1
        return became

    return prune


def _remove(connection: Connection, account_id: int, person: _ErasedPerson) -> Counter[str]:
    """Delete rows and discount them from counters and roll-ups."""
    counts: Counter[str] = Counter()
    rollups, pricing, parts = Rollups(), PricingRollups(), PartRollups()
    by_label = LabelRollups()
    ids = [row["id"] for row in person.conversations]
    labels = lookups.labels_of(connection, account_id, ids)
    moves = [
        (LabelledConversation(row, frozenset(labels.get(row["id"], ()))), None)
        for row in person.conversations
    ]
    counters.move(connection, account_id, moves)
    for row in person.conversations:
        messages = erasing.messages_of(connection, account_id, row["id"])
        rollups.add_messages(figures(row["channel_id"], messages), -1)
        pricing.add(row["channel_id"], messages, -1)
        parts.add_messages(part_figures(row["id"], row["channel_id"], messages), -1)
        facts = label_facts(connection, account_id, row["id"])
        by_label.add(labels.get(row["id"], ()), facts, -1)
        for measure in lookups.metric_events_of(connection, account_id, row["id"]):
            rollups.add_metric(measure, -1)
            parts.add_metric(measure, -1)
        for table, count in erasing.forget_conversation(connection, account_id, row):
            counts[table] += count
    rollups.save(connection, account_id)
    pricing.save(connection, account_id)
    by_label.save(connection, account_id)
    for kind, rows in parts.rows(account_id):
        writes.add_sums(connection, kind, rows)
    counts["reaction"] += erasing.forget_each(
        connection, account_id, "reaction", "person", sorted(person.names)
    )
    erasing.forget_changes(connection, account_id, sorted(person.names))
    for contact_id in person.contact_ids:
        erasing.forget_contact(connection, account_id, contact_id)
        counts["contact"] += 1
    if counts.total():
        writes.bump_revision(connection, account_id, (NAMES, *ids))
    return +counts
