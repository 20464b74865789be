"""Conversation list and counts endpoints."""

from collections.abc import Sequence

from frontdesk.service import filters, serializers
from frontdesk.service.auth import Grant
from frontdesk.service.endpoint import Call
from frontdesk.service.http import Written
from frontdesk.store import conversations as queries
from frontdesk.store.database import Row
from frontdesk.wire import (
    ChannelCounts,
    Conversation,
    Counts,
    CountSet,
    Page,
    StatusCounts,
    timestamp,
)
from frontdesk.wire.values import STATUSES


def conversations(call: Call) -> Written[Page[Conversation]]:
    """Conversations, the latest activity first."""
    parameters = call.parameters
    status = parameters.filter_value("status", STATUSES)
    label_id, channel_id, asked = filters.label_and_channel(call)
    assigned, assignee_id = filters.assignee(call, asked)
    if status is not None:
        asked["status"] = status
    place = call.place(asked)
    parameters.settle()
    selection = queries.ConversationSelection(
        queries.states_of(_statuses(status), assigned=assigned),
        label_id,
        channel_id,
        assignee_id,
        awake_at=call.awake_at,
    )
    rows, next_cursor = place.cut(
        queries.conversation_page(
            call.connection, call.account_id, selection, place.after, place.limit + 1
        ),
        ("last_activity_at", "id"),
    )
    labels = serializers.grouped(
        queries.labels_of(call.connection, call.account_id, [row["id"] for row in rows]),
        "conversation_id",
    )
    with_preview = "messages:read" in call.grant.scopes
    return serializers.conversation_page(rows, labels, next_cursor, with_preview=with_preview)


def counts(call: Call) -> Counts:
    """How many conversations there are, from the counter cells alone."""
    status = call.parameters.filter_value("status", STATUSES)
    label_id, channel_id, _ = filters.label_and_channel(call)
    call.parameters.settle()
    cells = queries.counts(
        call.connection,
        call.account_id,
        label_id=label_id,
        channel_id=channel_id,
        user_id=call.grant.user_id,
        awake_at=call.awake_at,
    )
    sets = {
        name: _count_set([cell for cell in cells if cell["status"] == number], call.grant)
        for number, name in enumerate(STATUSES)
    }
    flat = sets[status or "open"]
    return Counts(
        all=_total(cells),
        open=sets["open"].all,
        snoozed=sets["snoozed"].all,
        resolved=sets["resolved"].all,
        mine=flat.mine,
        assigned=flat.assigned,
        unassigned=flat.unassigned,
        awaiting_human=flat.awaiting_human,
        unread=_unread(cells, STATUSES.index(status or "open")),
        by_status=StatusCounts(**sets),
        by_channel=_by_channel(cells),
        as_of=timestamp(call.now),
    )


def _statuses(status: str | None) -> Sequence[int]:
    return range(3) if status is None else (STATUSES.index(status),)


def _total(cells: Sequence[Row]) -> int:
    return sum(cell["n"] for cell in cells)


def _count_set(cells: Sequence[Row], grant: Grant) -> CountSet:
    return CountSet(
        all=_total(cells),
        mine=None if grant.user_id is None else _total([cell for cell in cells if cell["mine"]]),
        assigned=_total([cell for cell in cells if cell["assigned"]]),
        unassigned=_total([cell for cell in cells if not cell["assigned"]]),
        awaiting_human=_total([cell for cell in cells if cell["awaiting"]]),
    )


def _unread(cells: Sequence[Row], status: int) -> int | None:
    """Count unread conversations of a status; None if no cell has a read marker."""
    if all(cell["unread"] == queries.NO_MARKER for cell in cells):
        return None
    return _total(
        [cell for cell in cells if cell["unread"] == queries.UNREAD and cell["status"] == status]
    )


def _by_channel(cells: Sequence[Row]) -> tuple[ChannelCounts, ...]:
    channels = serializers.grouped(cells, "phone_number_id")
    return tuple(
        ChannelCounts(
            channel=number,
            all=_total(own),
            open=_total([cell for cell in own if cell["status"] == queries.OPEN]),
        )
        for number, own in channels.items()
    )
