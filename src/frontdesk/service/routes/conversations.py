"""Conversation list and counts endpoints."""

from collections.abc import Sequence
from typing import TypedDict
from urllib.parse import unquote_to_bytes

from frontdesk.service import serializers
from frontdesk.service.auth import KeyGrant
from frontdesk.service.endpoint import EndpointRequest, JsonBody
from frontdesk.service.routes import filters
from frontdesk.store import conversations as queries
from frontdesk.store.database import Row
from frontdesk.store.rollups import MINUTE
from frontdesk.wire import (
    ChannelCounts,
    Conversation,
    Counts,
    CountSet,
    Page,
    StatusCounts,
    timestamp,
)
from frontdesk.wire.queries import CONVERSATION_ORDERS
from frontdesk.wire.values import STATUSES


def conversations(request: EndpointRequest) -> JsonBody[Page[Conversation]]:
    """Conversations, the latest activity first or in the order of `sort`."""
    parameters = request.parameters
    status = parameters.filter_value("status", STATUSES)
    label_id, channel_id, values = filters.label_and_channel(request)
    assigned, assignee_id = filters.assignee(request, values)
    narrowed = _extensions(request, values)
    sort = parameters.filter_value("sort", CONVERSATION_ORDERS) or CONVERSATION_ORDERS[0]
    if sort != CONVERSATION_ORDERS[0]:
        values["sort"] = sort
    if status is not None:
        values["status"] = status
    paging = request.paging(values)
    parameters.raise_if_invalid()
    began_at = request.now
    if "sort" in values and paging.after is not None:
        began_at = int(paging.after[1] or 0)
    selection = queries.ConversationSelection(
        queries.states_of(_statuses(status), assigned=assigned),
        label_id,
        channel_id,
        assignee_id,
        awake_at=request.awake_at,
        sort=sort,
        closed_until=began_at - began_at % MINUTE - serializers.SERVICE_WINDOW,
        began_at=began_at,
        **narrowed,
    )
    rows, next_cursor = paging.split(
        queries.conversation_page(
            request.connection, request.account_id, selection, paging.after, paging.limit + 1
        ),
        lambda row: queries.position_of(row, selection),
    )
    labels = serializers.grouped(
        queries.labels_of(request.connection, request.account_id, [row["id"] for row in rows]),
        "conversation_id",
    )
    with_preview = "messages:read" in request.grant.scopes
    return serializers.conversation_page(rows, labels, next_cursor, with_preview=with_preview)


def depends_on_minute(query: bytes) -> bool:
    """Check for a `sort`: by reply windows, the order changes when one closes."""
    return b"sort=" in unquote_to_bytes(query)


def counts(request: EndpointRequest) -> Counts:
    """Number of conversations, from the counter cells alone."""
    status = request.parameters.filter_value("status", STATUSES)
    label_id, channel_id, values = filters.label_and_channel(request)
    narrowed = _extensions(request, values)
    request.parameters.raise_if_invalid()
    cells = queries.counts(
        request.connection,
        request.account_id,
        label_id=label_id,
        channel_id=channel_id,
        user_id=request.grant.user_id,
        awake_at=request.awake_at,
        **narrowed,
    )
    sets = {
        name: _count_set([cell for cell in cells if cell["status"] == number], request.grant)
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
        as_of=timestamp(request.now),
    )


class _Extensions(TypedDict):
    contact_id: int | None
    awaiting: bool | None
    unread: bool | None


def _extensions(request: EndpointRequest, values: dict[str, str]) -> _Extensions:
    """Parse the filters that the specification does not name, and record them in `values`."""
    return {
        "contact_id": filters.contact(request, values),
        "awaiting": filters.flag(request, "awaiting_human", values),
        "unread": filters.flag(request, "unread", values),
    }


def _statuses(status: str | None) -> Sequence[int]:
    return range(3) if status is None else (STATUSES.index(status),)


def _total(cells: Sequence[Row]) -> int:
    return sum(cell["n"] for cell in cells)


def _count_set(cells: Sequence[Row], grant: KeyGrant) -> CountSet:
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
