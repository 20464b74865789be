"""Consistency check: recounts cells, metric events, roll-ups and custom fields from the facts."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from frontdesk.ingest.apply import conversation_rules
from frontdesk.ingest.apply.conversation_rules import ConversationState, MetricEvent, StateEvent
from frontdesk.store import contact_fields, lookups, message_search, rollups
from frontdesk.store.counters import counters, misplaced_entries, recount
from frontdesk.store.database import Connection, Row

# Number of conversations read at once.
_AT_ONCE = 500
_ROLLUP_NAMES = {"rollup": "roll-up", "pricing_rollup": "pricing"}


def differences(connection: Connection, account_id: int) -> Iterator[str]:
    """Yield a line for each stored value, or text of the index, that is wrong or missing."""
    yield from count_differences(connection, account_id)
    yield from contact_fields.differences(connection, account_id)
    yield from message_search.search_index_differences(connection, account_id)


def count_differences(connection: Connection, account_id: int) -> Iterator[str]:
    """Yield a line for each stored value that is superfluous, missing or wrong."""
    stored, recounted = counters(connection, account_id), recount(connection, account_id)
    for cell in sorted(stored.keys() | recounted.keys()):
        if stored.get(cell) != recounted.get(cell):
            counts = f"{stored.get(cell, 0)} stored, {recounted.get(cell, 0)} counted"
            yield f"cell of {_listing(cell._asdict())}: {counts}"
    for conversation_id in misplaced_entries(connection, account_id):
        yield f"conversation {conversation_id}: listed elsewhere than it belongs"
    yield from _metric_event_differences(connection, account_id)
    for table, row in rollups.rollup_differences(connection, account_id):
        figure = dict(row)
        name = _ROLLUP_NAMES.get(table, "part")
        yield f"{name} {figure.pop('side')}: {_listing(figure)}"


def _metric_event_differences(connection: Connection, account_id: int) -> Iterator[str]:
    """Yield differences between stored and recomputed metric events."""
    ids = lookups.conversation_ids(connection, account_id)
    users = lookups.user_ids(connection, account_id)
    for start in range(0, len(ids), _AT_ONCE):
        chunk = ids[start : start + _AT_ONCE]
        within = (connection, account_id)
        stored = lookups.facts_between(*within, "metric_event", chunk[0], chunk[-1])
        messages = lookups.facts_between(*within, "message", chunk[0], chunk[-1])
        events = lookups.facts_between(*within, "conversation_event", chunk[0], chunk[-1])
        for id in chunk:
            measured = _measured(messages.get(id, ()), events.get(id, ()), users)
            yield from _unlike(id, map(_measure, stored.get(id, ())), measured)


def _unlike(
    conversation_id: int, stored: Iterable[MetricEvent], measured: Iterable[MetricEvent]
) -> Iterator[str]:
    stored_counts, counted = Counter(stored), Counter(measured)
    if stored_counts == counted:
        return
    for side, surplus in (
        ("stored", stored_counts - counted),
        ("counted", counted - stored_counts),
    ):
        for measure in sorted(surplus.elements(), key=lambda event: (event.ended_at, event.name)):
            yield (
                f"measure {side} of conversation {conversation_id}: {measure.name}"
                f" from {measure.started_at} to {measure.ended_at}, user {measure.user_id}"
            )


def metric_events(
    connection: Connection, account_id: int, conversation_id: int, users: Mapping[str, int]
) -> list[MetricEvent]:
    """Compute a conversation's metric events from all its facts. users: ids by key."""
    messages = lookups.messages_of(connection, account_id, conversation_id)
    return _measured(messages, lookups.events_of(connection, account_id, conversation_id), users)


def _measured(
    messages: Iterable[Row], events: Iterable[Row], users: Mapping[str, int]
) -> list[MetricEvent]:
    state_events = (_state_event(row, users) for row in events)
    return conversation_rules.fold(ConversationState(), messages, state_events).metrics


def _measure(row: Row) -> MetricEvent:
    return MetricEvent(row["name"], row["ended_at"], row["started_at"], row["user_id"])


def _state_event(row: Row, users: Mapping[str, int]) -> StateEvent:
    """Convert only what metrics depend on; labels are irrelevant."""
    value, key = json.loads(row["value_json"]), row["external_id"] or ""
    user_id = users.get(value.get("user"), 0)
    return StateEvent(
        row["created_at"], row["id"], row["name"], value.get("until"), user_id, key=key
    )


def _listing(members: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in members.items())
