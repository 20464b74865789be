"""`frontdesk counts`: conversation counts by status and channel."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from frontdesk.cli.base import command
from frontdesk.cli.commands.conversations import Select, selection_options
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.progress import Progress, report_unreadable
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound, Refused
from frontdesk.exports.tables import Cell, Column
from frontdesk.query.plan import STANDARD
from frontdesk.selection.conversations import ConversationSelector, ConversationWalk
from frontdesk.wire import (
    ChannelCounts,
    Conversation,
    ConversationFilter,
    Counts,
    CountSet,
    StatusCounts,
)
from frontdesk.wire.values import STATUSES, utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

Row: TypeAlias = dict[str, Cell]

_MEMBERS = ("all", "mine", "assigned", "unassigned", "awaiting_human")
_HEADINGS = ("ALL", "MINE", "ASSIGNED", "UNASSIGNED", "NEED A HUMAN")
_WIDE: tuple[Column[Row], ...] = (
    Column("kind", lambda row: row["kind"]),
    Column("id", lambda row: row.get("id")),
    Column("name", lambda row: row["name"], "CONVERSATIONS", flexible=True),
    *(
        Column(name, lambda row, name=name: row.get(name), heading)  # type: ignore[misc]
        for name, heading in zip(_MEMBERS, _HEADINGS, strict=True)
    ),
    Column("unread", lambda row: row.get("unread"), "UNREAD"),
    Column("open", lambda row: row.get("open"), "OPEN"),
)


@command(
    "counts",
    "frontdesk counts --channel 'Support EU' --json open,mine",
    "frontdesk counts '#vip waiting:>1h'",
)
@target_options
@selection_options
@output_options("table", "json", "csv", "markdown")
def counts_command(target: Target, select: Select, output: Output) -> None:
    """Count conversations by status and by channel.

    QUERY and the filters are those of `conversations list`: with a status, the other statuses
    are 0. Filters that the server cannot count, such as waiting:>1h, are counted locally from the
    whole list.
    """

    async def work(client: "InboxClient") -> tuple[Counts, str | None, dict[str, str]]:
        selected = await select(client)
        chosen = selected.filter.model_copy(update={"sort": None})
        counted_there = STANDARD - {"assignee"} >= chosen.parameters().keys()
        if counted_there and not selected.plan.rest:
            counts = await _request_counts(client, chosen)
        else:
            counts = await _counted_here(client, selected)
        names = {} if output.format == "json" else await _channel_names(client)
        return counts, chosen.status, names

    counts, status, names = run_with_client(target, work, waits=True)
    if output.format == "json":
        output.write_value(counts)
    else:
        output.write(_rows(counts, names, status), _WIDE)


async def _request_counts(client: "InboxClient", filter: ConversationFilter) -> Counts:
    """Request counts. The server counts the conversations of every status, whatever the filter's.

    Of a channel it counts all and the open ones: those of another status are requested one by one.
    """
    counts, status = await client.counts(filter), filter.status
    if status is None:
        return counts
    if status == "open":
        channels = [one.model_copy(update={"all": one.open}) for one in counts.by_channel]
    else:
        channels = [
            await _request_channel_counts(client, filter, status, one.channel)
            for one in counts.by_channel
            if one.all != one.open
        ]
    return _only_status(counts, status, channels)


async def _request_channel_counts(
    client: "InboxClient", filter: ConversationFilter, status: str, channel: str
) -> ChannelCounts:
    counts = await client.counts(filter.model_copy(update={"channel": channel}))
    return ChannelCounts(channel=channel, all=getattr(counts, status), open=0, awaiting_human=0)


def _only_status(counts: Counts, status: str, channels: Sequence[ChannelCounts]) -> Counts:
    """Return counts with 0 for the other statuses. channels: counts of this status alone."""
    number = getattr(counts, status)
    changes: dict[str, object] = {
        **dict.fromkeys(STATUSES, 0),
        status: number,
        "all": number,
        "by_channel": tuple(channel for channel in channels if channel.all != 0),
    }
    if counts.by_status is not None:
        mine = None if counts.mine is None else 0
        none = CountSet(all=0, mine=mine, assigned=0, unassigned=0, awaiting_human=0)
        sets = {**dict.fromkeys(STATUSES, none), status: getattr(counts.by_status, status)}
        changes["by_status"] = StatusCounts(**sets)
    return counts.model_copy(update=changes)


async def _counted_here(client: "InboxClient", selected: ConversationSelector) -> Counts:
    """Count the rows of a list."""
    progress = Progress(shown=True)

    async def show(examined: int) -> None:
        progress.say(f"{examined:,} conversations …")

    walk = ConversationWalk(client, selected, now=utc_now().astimezone(), progress=show)
    try:
        rows = [row async for row, _ in walk]
    finally:
        progress.clear()
    report_unreadable(walk.unreadable)
    me = await _own_id(client)
    sets = {
        status: _count_set([row for row in rows if row.status == status], me) for status in STATUSES
    }
    shown_status = selected.filter.status or "open"
    return Counts(
        **dict(sets[shown_status])
        | {status: counted.all for status, counted in sets.items()}
        | {"all": len(rows)},
        unread=sum(row.is_unread for row in rows if row.status == shown_status),
        by_status=StatusCounts(**sets),
        by_channel=_by_channel(rows),
    )


def _count_set(rows: Sequence[Conversation], me: str | None) -> CountSet:
    assigned = [row.assignee.id for row in rows if row.assignee]
    return CountSet(
        all=len(rows),
        mine=None if me is None else assigned.count(me),
        assigned=len(assigned),
        unassigned=len(rows) - len(assigned),
        awaiting_human=sum(bool(row.awaiting_human) for row in rows),
    )


def _by_channel(rows: Sequence[Conversation]) -> tuple[ChannelCounts, ...]:
    """Count by channel, in the order of their names."""
    channels = sorted({(row.channel.name or "", row.channel.id) for row in rows})
    totals = Counter(row.channel.id for row in rows)
    opened = Counter(row.channel.id for row in rows if row.status == "open")
    waiting = Counter(row.channel.id for row in rows if row.status == "open" and row.awaiting_human)
    return tuple(
        ChannelCounts(channel=id, all=totals[id], open=opened[id], awaiting_human=waiting[id])
        for _, id in channels
    )


async def _own_id(client: "InboxClient") -> str | None:
    """Return the id of the key's user, None without one, or if nothing is assigned to them."""
    with suppress(Refused, Forbidden, NotFound):
        async for row in client.conversations(assignee="me", limit=1):
            return row.assignee.id if row.assignee else None
    return None


async def _channel_names(client: "InboxClient") -> dict[str, str]:
    """Return channel names by id, {} if the key or the server does not provide them."""
    with suppress(Forbidden, NotFound):
        return {channel.id: channel.name async for channel in client.channels()}
    return {}


def _rows(counts: Counts, names: dict[str, str], asked_status: str | None) -> Iterator[Row]:
    """Yield a row per status, one for all, and one per channel."""
    for status in STATUSES:
        row: Row = {"kind": "status", "name": status, "all": getattr(counts, status)}
        flat = status == (asked_status or "open")
        if counts.by_status is not None:
            row |= getattr(counts.by_status, status).model_dump(mode="json")
        elif flat:
            row |= {name: getattr(counts, name) for name in _MEMBERS[1:]}
        if flat:
            row["unread"] = counts.unread
        yield row
    yield {"kind": "all", "name": "all", "all": counts.all, "open": counts.open}
    for count in counts.by_channel:
        name = names.get(count.channel, count.channel)
        counted: Row = {"all": count.all, "open": count.open}
        yield {"kind": "channel", "id": count.channel, "name": name, **counted}
