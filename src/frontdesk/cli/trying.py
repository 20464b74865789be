"""Tests the connection to a server or database before a profile is saved."""

import asyncio
from contextlib import ExitStack

from frontdesk.errors import InboxError, NotOffered, Unauthorised, Unreachable


def tried(url: str, key: str) -> str:
    """Connect to a server and describe its inbox in a few words.

    Raises: BadSettings: invalid URL or key. Unreachable, Unauthorised, Forbidden, NotFound,
    BadResponse: no inbox is available.
    """
    return asyncio.run(found_at(url, key))


async def found_at(url: str, key: str) -> str:
    """See `tried`."""
    from frontdesk.cli.places import network
    from frontdesk.client import InboxClient
    from frontdesk.wire import ConversationFilter

    async with InboxClient(url, key, network=network()) as client:
        try:
            counts = await client.counts()
        except (Unreachable, Unauthorised):
            raise
        except InboxError:
            try:
                page = await client.conversation_page(ConversationFilter(), limit=1)
            except NotOffered as error:
                raise NotOffered("There is no inbox at this address: it lists none") from error
            return "conversations are there" if page.data else "no conversations yet"
    mine = "" if counts.mine is None else f", {counts.mine} of them yours"
    return f"{counts.open} open conversations{mine}"


def found_in(database: str, user: str | None) -> str:
    """Open a database and describe its inbox in a few words.

    Raises: UnusableFile: not a frontdesk database. BadSettings: unknown user. Unreachable.
    """
    from frontdesk.cli.databases import opened
    from frontdesk.cli.in_process import in_process, user_of

    async def ask() -> str:
        async with client:
            return f"{(await client.counts()).open} open conversations"

    with ExitStack() as ending:
        store = ending.enter_context(opened(database))
        row = user_of(store, user)
        client = in_process(store, int(row["id"]) if row else None, ending)
        return asyncio.run(ask())
