"""An expired snooze reads the same before and after it is written."""

from itertools import product

import pytest

from frontdesk.ingest.apply.batch import apply_events, wake
from frontdesk.ingest.events import Author, ConversationEvent, DomainEvent, MessageUpsert, Person
from frontdesk.store import conversations
from frontdesk.store.conversations import ConversationSelection, states_of
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection, Database
from frontdesk.store.query_conditions import counted_cells

pytestmark = pytest.mark.both_engines

NOW = 1_773_480_600_000
CHANNELS = ("101", "102")


def rows_in(number: int) -> list[DomainEvent]:
    """A conversation: snoozed to before, at or after now, resolved or open; some with labels."""
    channel, who, at = CHANNELS[number % 2], Person(phone=f"+1650555{number:04}"), number // 4
    until = NOW + (number % 5 - 2) * 1000

    def happens(name: str, **value: object) -> ConversationEvent:
        return ConversationEvent(channel, who, f"{name}-{number}", at + 1, name, value)

    events: list[DomainEvent] = [
        MessageUpsert(channel, who, f"w{number}", at, False, Author("contact"), "text", "webhook"),
        happens("read_marker", until=at - number % 2),
        happens("resolved") if number % 7 == 0 else happens("snoozed", until=until),
    ]
    if number % 3:
        events.append(happens("assigned", user="ana" if number % 2 else "bo"))
    if number % 4 < 2:
        events.append(happens("labelled", title="vip", on=True))
    return events


@pytest.fixture
def inbox(database: Database) -> Database:
    events = [event for number in range(60) for event in rows_in(number)]
    database.write(lambda connection: apply_events(connection, 1, events, now=NOW - 100_000))
    return database


def seen(connection: Connection, awake_at: int | None) -> list[object]:
    """Every list, page by page, and every count."""
    found: list[object] = []
    for statuses, assigned, label, channel, user in product(
        ((0,), (1,), (2,), (0, 1, 2)), (None, True, False), (0, 1), (None, 1), (None, 1)
    ):
        states = states_of(statuses, assigned=assigned)
        selection = ConversationSelection(states, label, channel, user, awake_at)
        found.append(walked(connection, selection))
    for label, channel, user in product((0, 1), (None, 1), (None, 1)):
        selection = ConversationSelection(states_of(range(3)), label, channel, awake_at=awake_at)
        of = counted_cells(selection)
        assert of is not None
        counts = conversations.counts(connection, 1, of, user)
        found.append(sorted(tuple(row[name] for name in row.keys()) for row in counts))  # noqa: SIM118
        for count_by in (conversations.counts_by_assignee, conversations.counts_by_label):
            found.append([tuple(row.values()) for row in map(dict, count_by(connection, 1, of))])
    return found


def walked(connection: Connection, selection: ConversationSelection) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    after: tuple[int, int] | None = None
    while page := conversations.conversation_page(connection, 1, selection, after, 7):
        rows += [(row["id"], row["status"], row["snoozed_until"]) for row in page]
        after = (page[-1]["last_activity_at"], page[-1]["id"])
    assert len(set(rows)) == len(rows)
    return rows


def test_expired_snoozes_read_the_same_before_and_after_they_are_written(inbox: Database) -> None:
    ends = inbox.read(lambda connection: conversations.snooze_ends(connection, 1, NOW))
    over = ends.last
    assert over == NOW
    before = inbox.read(lambda connection: seen(connection, over))
    inbox.write(lambda connection: wake(connection, 1, NOW))
    later = inbox.read(lambda connection: conversations.snooze_ends(connection, 1, NOW))
    assert later == (None, ends.next)
    assert inbox.read(lambda connection: seen(connection, None)) == before


def test_conversations_with_an_unexpired_snooze_stay_snoozed(inbox: Database) -> None:
    before = inbox.read(lambda connection: conversations.snooze_ends(connection, 1, NOW - 2001))
    assert before.last is None
    asleep = ConversationSelection(states_of((1,)), awake_at=NOW)
    rows = inbox.read(lambda c: conversations.conversation_page(c, 1, asleep, None, 100))
    assert rows
    assert all(row["snoozed_until"] > NOW for row in rows)


def test_waking_keeps_the_counters_true(inbox: Database) -> None:
    inbox.write(lambda connection: wake(connection, 1, NOW))
    inbox.read(check)


def check(connection: Connection) -> None:
    assert counters(connection, 1) == recount(connection, 1)
    assert not misplaced_entries(connection, 1)
