"""`frontdesk counts`: conversation counts by status and channel."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click

from frontdesk.cli.base import command
from frontdesk.cli.commands.conversations import Select, selection_options
from frontdesk.cli.options import target_options
from frontdesk.cli.output import Output, output_options
from frontdesk.cli.progress import Progress, report_unreadable
from frontdesk.cli.target import Target, run_with_client
from frontdesk.errors import Forbidden, NotFound, NotOffered, Refused
from frontdesk.exports.tables import Cell, Column
from frontdesk.selection.conversations import ConversationSelector, ConversationWalk
from frontdesk.wire import (
    AssigneeCounts,
    ChannelCounts,
    Conversation,
    ConversationFilter,
    Counts,
    CountSet,
    LabelCounts,
    StatusCounts,
)
from frontdesk.wire.values import STATUSES, utc_now

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

Row: TypeAlias = dict[str, Cell]
# Names by kind of row and id.
Names: TypeAlias = dict[tuple[str, str], str]
PartCounts = TypeVar("PartCounts", AssigneeCounts, ChannelCounts, LabelCounts)
Value = TypeVar("Value")

# Parts of counts, by the values of --by.
_PARTS = {"assignee": "assignees", "label": "labels"}
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
    "frontdesk counts is:open --by assignee --by label",
)
@target_options
@selection_options
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(tuple(_PARTS)),
    help="Count by assignee or by label too; may be given twice.",
)
@output_options("table", "json", "csv", "markdown")
def counts_command(target: Target, select: Select, by: tuple[str, ...], output: Output) -> None:
    """Count conversations by status and by channel.

    QUERY and the filters are those of `conversations list`: with a status, the other statuses
    are 0. What the server cannot count, such as waiting:>1h, is counted locally from the whole
    list. A dash is a number that is not counted there, not 0: UNREAD is of open conversations,
    or of the one status that is asked for.
    """
    parts = frozenset(_PARTS[name] for name in by)

    async def work(
        client: "InboxClient",
    ) -> tuple[Counts, str | None, Names]:
        selected = await select(client, counted=True)
        counts = None
        if selected.is_counted:
            counts = await _request_counts(client, selected.filter, parts)
            # What it lists by is not known yet.
            selected = await select(client) if counts is None else selected
        if counts is None:
            counts = await _counted_here(client, selected, parts)
        names = {} if output.format == "json" else await _names(client, parts)
        return counts, selected.filter.status, names

    counts, status, names = run_with_client(target, work, waits=True)
    if output.format == "json":
        output.write_value(counts)
    else:
        output.write(_rows(counts, names, status), _WIDE)


async def _request_counts(
    client: "InboxClient", filter: ConversationFilter, parts: Collection[str]
) -> Counts | None:
    """Request counts; None if the server does not have them, or not all parts.

    Beside a filter of one status the server counts the conversations of every one.
    """
    try:
        counts = await client.counts(filter, by=sorted(parts))
    except NotOffered:
        return None
    had = {"assignees": counts.by_assignee, "labels": counts.by_label}
    if any(had[part] is None for part in parts):
        return None
    if filter.status is None:
        return counts
    channels = [await _of_channel(client, filter, one) for one in counts.by_channel]
    return _only_status(counts, filter.status, channels)


async def _of_channel(
    client: "InboxClient", filter: ConversationFilter, counts: ChannelCounts
) -> ChannelCounts:
    """Return counts of a channel with 0 for other statuses than the filter's.

    A server may count only the open conversations of a channel.
    """
    status = filter.status or ""
    if getattr(counts, status) is None:
        one = await client.counts(filter.model_copy(update={"channel": counts.channel}))
        return ChannelCounts(
            channel=counts.channel, all=getattr(one, status), open=0, awaiting_human=0
        )
    return _of_status(counts, status)


def _only_status(counts: Counts, status: str, channels: Sequence[ChannelCounts]) -> Counts:
    """Return counts with 0 for the other statuses. channels: counts of this status alone."""
    changes: dict[str, object] = {
        **{other: getattr(counts, other) if other == status else 0 for other in STATUSES},
        "all": getattr(counts, status),
        "by_channel": tuple(channel for channel in channels if channel.all != 0),
    }
    mine = None if counts.mine is None else 0
    none = CountSet(all=0, mine=mine, assigned=0, unassigned=0, awaiting_human=0)
    if counts.by_status is not None:
        sets = dict.fromkeys(STATUSES, none) | {status: getattr(counts.by_status, status)}
        changes["by_status"] = StatusCounts(**sets)
    for name in ("by_assignee", "by_label"):
        rows = getattr(counts, name)
        if rows is not None:
            narrowed = (_of_status(row, status) for row in rows)
            changes[name] = tuple(row for row in narrowed if row.all)
    return counts.model_copy(update=changes)


def _of_status(row: PartCounts, status: str) -> PartCounts:
    """Return counts of a value with 0 for the other statuses."""
    numbers = {
        other: getattr(row, other) if other == status else 0
        for other in STATUSES
        if getattr(row, other) is not None
    }
    changes = {**numbers, "all": sum(numbers.values())}
    if isinstance(row, ChannelCounts) and status != "open":
        changes["awaiting_human"] = 0
    return row.model_copy(update=changes)


async def _counted_here(
    client: "InboxClient", selected: ConversationSelector, parts: Collection[str]
) -> Counts:
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
    counted_by: dict[str, Any] = {}
    if "assignees" in parts:
        counted_by["by_assignee"] = _by_assignee(rows)
    if "labels" in parts:
        counted_by["by_label"] = _by_label(rows)
    return Counts(
        **dict(sets[shown_status])
        | {status: counted.all for status, counted in sets.items()}
        | {"all": len(rows)},
        unread=sum(row.is_unread for row in rows if row.status == shown_status),
        by_status=StatusCounts(**sets),
        by_channel=_by_channel(rows),
        **counted_by,
    )


def _by_assignee(rows: Sequence[Conversation]) -> tuple[AssigneeCounts, ...]:
    """Count by assignee, those without one first, the others in the order of numbers."""
    counted = _by_status((row.assignee.id if row.assignee else None, row.status) for row in rows)
    ids = sorted(counted, key=lambda id: (id is not None, len(id or ""), id or ""))
    return tuple(AssigneeCounts(assignee=id, **counted[id]) for id in ids)


def _by_label(rows: Sequence[Conversation]) -> tuple[LabelCounts, ...]:
    """Count by label, in the order of their titles."""
    counted = _by_status((label, row.status) for row in rows for label in {*row.labels})
    return tuple(LabelCounts(label=title, **counted[title]) for title in sorted(counted))


def _by_status(found: Iterable[tuple[Value, str]]) -> dict[Value, dict[str, int]]:
    """Numbers of values with a status, by value: of each status, and of all."""
    numbers: dict[Value, dict[str, int]] = {}
    for value, status in found:
        own = numbers.setdefault(value, dict.fromkeys(("all", *STATUSES), 0))
        own["all"] += 1
        if status in own:
            own[status] += 1
    return numbers


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
    by_status = _by_status((row.channel.id, row.status) for row in rows)
    waiting = Counter(row.channel.id for row in rows if row.status == "open" and row.awaiting_human)
    return tuple(
        ChannelCounts(channel=id, **by_status[id], awaiting_human=waiting[id]) for _, id in channels
    )


async def _own_id(client: "InboxClient") -> str | None:
    """Return the id of the key's user, None without one, or if nothing is assigned to them."""
    with suppress(Refused, Forbidden, NotFound):
        async for row in client.conversations(assignee="me", limit=1):
            return row.assignee.id if row.assignee else None
    return None


async def _names(client: "InboxClient", parts: Collection[str]) -> Names:
    """Return names by kind of row and id, as far as the key and the server provide them."""
    names: Names = {}
    with suppress(Forbidden, NotFound):
        names |= {("channel", one.id): one.name async for one in client.channels()}
    if "assignees" in parts:
        with suppress(Forbidden, NotFound):
            names |= {("assignee", one.id): one.name async for one in client.users()}
    return names


def _rows(counts: Counts, names: Names, asked_status: str | None) -> Iterator[Row]:
    """Yield a row per status, one for all, and one per channel, assignee and label."""
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
        name = names.get(("channel", count.channel), count.channel)
        counted: Row = {"all": count.all, "open": count.open}
        yield {"kind": "channel", "id": count.channel, "name": name, **counted}
    yield from sorted(_assignee_rows(counts, names), key=_place)
    for with_label in counts.by_label or ():
        counted = {"all": with_label.all, "open": with_label.open}
        yield {"kind": "label", "name": f"#{with_label.label}", **counted}


def _assignee_rows(counts: Counts, names: Names) -> Iterator[Row]:
    for own in counts.by_assignee or ():
        id = own.assignee
        name = "unassigned" if id is None else names.get(("assignee", id), id)
        yield {"kind": "assignee", "id": id, "name": name, "all": own.all, "open": own.open}


def _place(row: Row) -> tuple[bool, str, str]:
    """Sort key: by name, those without an id first."""
    return row["id"] is not None, str(row["name"]).casefold(), str(row["id"])
