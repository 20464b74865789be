"""Where a command asks: a server, or a database served in this process."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar

import click

from frontdesk import settings
from frontdesk.cli.origins import database_origin, origin_of

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """What the options say. user: who "me" is, in a database."""

    url: str | None = None
    database: str | None = None
    user: str | None = None


def place_options(command: Callable[..., object]) -> Callable[..., object]:
    """The options `--url`, `--database` and `--as`; the command gets a `place`."""

    def placed(
        *values: Any, url: str | None, database: str | None, user: str | None, **others: Any
    ) -> object:
        return command(*values, place=Place(url, database, user), **others)

    placed = update_wrapper(placed, command)
    for option in reversed(_options()):
        placed = option(placed)
    return placed


def _options() -> tuple[Callable[[Callable[..., object]], Callable[..., object]], ...]:
    return (
        click.option("--url", help="Ask this server; the key is in FRONTDESK_API_KEY."),
        click.option(
            "--database",
            metavar="PATH|ADDRESS",
            type=click.Path(),
            help="Read this database: a file, or a PostgreSQL database as postgresql://…",
        ),
        click.option(
            "--as",
            "user",
            metavar="USER",
            help="Who “me” is in a database: an e-mail address, name or id.",
        ),
    )


def asked(place: Place, work: Callable[["InboxClient"], Awaitable[T]]) -> T:
    """What some work finds out at a place; its client is closed afterwards.

    Raises: InboxError.
    """
    with ExitStack() as ending:
        client = client_of(place, ending)
        return asyncio.run(_closing(client, work))


def client_of(place: Place, ending: ExitStack) -> "InboxClient":
    """A client of the place; what it stands on is put away with `ending`.

    Raises: BadSettings: there is no such place. UnusableFile: it is no database of ours.
    """
    _check(place)
    if place.url:
        from frontdesk.client import InboxClient

        return InboxClient(place.url, settings.api_key())
    return _served_here(place.database or "", place.user, ending)


def kept_under(place: Place) -> str:
    """The name that the viewer keeps the pages of a place under.

    Raises: BadSettings: there is no such place. UnusableFile: it is no database of ours.
    """
    _check(place)
    if place.url:
        return origin_of(place.url, settings.api_key())
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import user_of

    target = place.database or ""
    if not place.user:
        return database_origin(target, None)
    with opened(target) as database:
        row = user_of(database, place.user)
    return database_origin(target, int(row["id"]) if row else None)


def _check(place: Place) -> None:
    """Where to ask must be said, and once."""
    if place.url and (place.database or place.user):
        raise click.UsageError("--url does not go with --database or --as")
    if not place.url and not place.database:
        raise click.UsageError("Nowhere to ask: give --url URL or --database PATH")


def _served_here(target: str, user: str | None, ending: ExitStack) -> "InboxClient":
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import in_process, user_of

    database = ending.enter_context(opened(target))
    row = user_of(database, user)
    return in_process(database, int(row["id"]) if row else None, ending)


async def _closing(client: "InboxClient", work: Callable[["InboxClient"], Awaitable[T]]) -> T:
    async with client:
        return await work(client)
