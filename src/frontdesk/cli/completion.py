"""Shell completion of names: channels, users, labels, views and queries.

The scripts that a shell loads are printed by `commands/completion.py`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from frontdesk.cli.config import configuration
from frontdesk.cli.options import chosen_target
from frontdesk.cli.target import run_with_client
from frontdesk.errors import InboxError
from frontdesk.query import Query, QueryNames
from frontdesk.query import complete as query_completions
from frontdesk.query.terms import ASSIGNEE, CHANNEL, FIELD, LABEL, TEAM
from frontdesk.selection.names import names_of, query_names
from frontdesk.wire.queries import ASSIGNEE_WORDS

if TYPE_CHECKING:
    from frontdesk.client import InboxClient, RowPages

T = TypeVar("T")

_COMPLETION_SECONDS = 3.0


def complete_view(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    names = (view.name for view in configuration().views)
    return [name for name in names if name.casefold().startswith(start.casefold())]


def complete_query(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    word = start.lstrip("-").lower()
    kinds = [kind for kind in (TEAM, FIELD) if word.startswith(f"{kind}:")]
    work = partial(query_names, query=Query(), kinds=(ASSIGNEE, CHANNEL, LABEL, *kinds))
    names = _answer(context, work) or QueryNames()
    completions = query_completions(start, len(start), names)
    # The shell replaces the whole word, also if only the last of several values is completed.
    return [f"{start[: one.start]}{one.text}" for one in completions]


def complete(
    listing: "Callable[[InboxClient], RowPages[Any]]", *words: str
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return a completion with the names of a list, after some fixed words."""

    def completion(context: click.Context, parameter: click.Parameter, start: str) -> list[str]:
        names = [*words, *_known_names(context, listing)]
        return [name for name in names if name.casefold().startswith(start.casefold())]

    return completion


def _known_names(
    context: click.Context, listing: "Callable[[InboxClient], RowPages[Any]]"
) -> Iterable[str]:
    async def work(client: "InboxClient") -> list[str]:
        return [names_of(row)[0] async for row in listing(client)]

    return _answer(context, work) or ()


def _answer(context: click.Context, work: "Callable[[InboxClient], Awaitable[T]]") -> T | None:
    """Return what the target answers; None if it does not answer soon."""

    async def soon(client: "InboxClient") -> T:
        async with asyncio.timeout(_COMPLETION_SECONDS):
            return await work(client)

    options = {name: context.params.get(name) for name in ("url", "database", "user", "profile")}
    try:
        return run_with_client(chosen_target(context, options), soon)
    except (InboxError, TimeoutError):
        return None


complete_channel = complete(lambda client: client.channels())
complete_label = complete(lambda client: client.labels())
complete_user = complete(lambda client: client.users(), "me")
complete_team = complete(lambda client: client.teams())
complete_assignee = complete(lambda client: client.users(), *ASSIGNEE_WORDS)
