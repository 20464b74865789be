"""Finds channels, users and labels by names that people type."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from frontdesk.errors import BadSettings, Forbidden, InboxError, NotFound
from frontdesk.query import Query, QueryNames
from frontdesk.query.language import ME, WORDS_OF, Term
from frontdesk.query.names import meaning, with_customers
from frontdesk.query.terms import ASSIGNEE, AUTHOR, CHANNEL, FIELD, HOURS, LABEL, TEAM
from frontdesk.text.phones import parse_phone
from frontdesk.wire import ConversationFilter, Wire
from frontdesk.wire.queries import ASSIGNEE_WORDS, MAX_LIMIT

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

W = TypeVar("W", bound=Wire)

_MOST_NAMED = 12
# Lists of the names that terms of queries mean.
_LISTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((ASSIGNEE, AUTHOR), "users"),
        **dict.fromkeys((CHANNEL, HOURS), "channels"),
        TEAM: "teams",
        LABEL: "labels",
        FIELD: "custom_fields",
    }
)


def names_of(row: Wire) -> tuple[str, ...]:
    """Return the names that find a row, the one to show first; the id is among them."""
    values = [getattr(row, name, None) for name in ("title", "short_code", "key", "name")]
    values += [getattr(row, name, None) for name in ("email", "phone", "id")]
    return tuple(str(value) for value in values if value)


async def find(
    rows: "RowPages[W]",
    name: str,
    noun: str,
    missing: type[InboxError] = BadSettings,
    *,
    kind: str = "",
) -> W:
    """Return the row that has a name, in any case, or an id.

    kind: of terms in queries, such as "assignee"; if no whole name fits, the row is the one that
    such a term means.

    Raises: missing: there is none. BadSettings: there are several. InboxError.
    """
    every: list[W] = []
    phone = parse_phone(name)
    async for row in rows:
        if name == getattr(row, "id", None):
            return row
        every.append(row)
    matches = [
        row
        for row in every
        if name.casefold() in map(str.casefold, names_of(row)) or (phone and phone in names_of(row))
    ]
    if not matches and kind and name.strip():
        matches = _meant(every, kind, name)
    if len(matches) == 1:
        return matches[0]
    if matches:
        known = [f"{names_of(row)[0]} ({getattr(row, 'id', '')})" for row in matches]
        advice = "give a longer name or an id"
        raise BadSettings(f"Several {noun}s fit {name!r}, {advice}{listed(known)}")
    raise missing(f"There is no {noun} {name!r}{listed([names_of(row)[0] for row in every])}")


def _meant(rows: Sequence[W], kind: str, name: str) -> list[W]:
    """The rows that a term of a query means."""
    known: dict[str, Any] = {_LISTS[kind]: rows}
    ids = meaning(Term(kind, name), QueryNames.of(**known)) or frozenset()
    return [row for row in rows if getattr(row, "title" if kind == LABEL else "id") in ids]


def listed(names: Sequence[str]) -> str:
    """End of a sentence on an unknown name: those that there are."""
    if not names:
        return ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f": there is {', '.join(names[:_MOST_NAMED])}{more}"


async def filter_ids(
    client: "InboxClient",
    *,
    channel: str | None = None,
    assignee: str | None = None,
    label: str | None = None,
    **others: str | None,
) -> dict[str, Any]:
    """Return filters as the interface takes them: ids of a channel and a user, a label's title.

    A part of a name is enough where it is in queries. What the key may not list is passed on as it
    is. Raises: BadSettings: a name of none, or of several. InboxError.
    """
    if channel is not None:
        channel = await _id(client.channels, channel, CHANNEL)
    if assignee is not None and assignee not in ASSIGNEE_WORDS:
        assignee = await _id(client.users, assignee, ASSIGNEE)
    if label is not None:
        label = await _id(client.labels, label, LABEL)
    return {"channel": channel, "assignee": assignee, "label": label, **others}


async def report_filter_ids(
    client: "InboxClient",
    *,
    channel: str | None = None,
    user: str | None = None,
    team: str | None = None,
    label: str | None = None,
) -> dict[str, str | None]:
    """Return the filters of a report as the interface takes them. Raises: as `filter_ids`."""
    found = await filter_ids(client, channel=channel, label=label)
    if user is not None and user != ME:
        user = await _id(client.users, user, ASSIGNEE)
    if team is not None:
        team = await _id(client.teams, team, TEAM)
    return {"channel": found["channel"], "user": user, "team": team, "label": found["label"]}


async def _id(listing: "Callable[[], RowPages[Any]]", name: str, kind: str) -> str:
    try:
        row = await find(listing(), name, _LISTS[kind].removesuffix("s"), kind=kind)
    except (Forbidden, NotFound):
        return name
    return str(row.title if kind == LABEL else row.id)


async def query_names(client: "InboxClient", query: Query, kinds: Iterable[str] = ()) -> QueryNames:
    """Return the names that the terms of a query may mean; none of what the key may not list.

    kinds: of terms besides.

    Raises: InboxError: the query has "me", and nobody is.
    """
    kinds = {*kinds, *(term.kind for term in query.terms if _has_name(term))}
    has_me = any(term.kind == ASSIGNEE and term.value == ME for term in query.terms)
    lists = {_LISTS[kind] for kind in kinds & _LISTS.keys()}
    rows: dict[str, Any] = dict(
        zip(lists, await asyncio.gather(*(_rows_of(client, name) for name in lists)), strict=True)
    )
    names = QueryNames.of(
        *(rows.get(name, ()) for name in ("channels", "users", "labels")),
        me=await _me(client) if has_me else "",
        teams=rows.get("teams", ()),
        fields=rows.get("custom_fields", ()),
    )
    with suppress(Forbidden, NotFound):
        names = await with_customers(names, query, partial(client.contact_page, limit=MAX_LIMIT))
    return names


def _has_name(term: Term) -> bool:
    return not {*term.values} <= {*WORDS_OF.get(term.kind, ())}


async def _me(client: "InboxClient") -> str:
    """Return the id of the user that "me" means; "" if no conversation is theirs."""
    page = await client.conversation_page(ConversationFilter(assignee=ME))
    return next((row.assignee.id for row in page.data if row.assignee is not None), "")


async def _rows_of(client: "InboxClient", name: str) -> list[Wire]:
    rows: RowPages[Wire] = getattr(client, name)()
    with suppress(Forbidden, NotFound):
        return [row async for row in rows]
    return []
