"""Feature discovery: probes every endpoint and filter of a server once."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from frontdesk.client.client import InboxClient
from frontdesk.client.server_info import FEATURES, Server
from frontdesk.errors import InboxError, Unauthorised, Unreachable
from frontdesk.wire import CATALOGUES, Conversation, ConversationFilter

PROBE_ROWS = 5
# A search for this text has results only if the server ignores the search.
_NOBODY = "zzqxj"

Request: TypeAlias = Callable[[], Awaitable[object]]


async def discover(client: InboxClient, progress: Callable[[str], None]) -> Server:
    """Probe all features and return what is known of the server.

    `progress` is called with the name of each feature before its request.

    Raises: Unreachable, Unauthorised: further requests are pointless.
    """
    client.forget_missing_features()
    conversations = await _first_page(client, progress)
    first = conversations[0] if conversations else None
    requests: list[tuple[str, Request]] = [
        ("counts", client.counts),
        *_about(client, first),
        ("contacts", lambda: client.contact_page(limit=PROBE_ROWS)),
        ("search_contacts", lambda: client.contact_page(_NOBODY, limit=PROBE_ROWS)),
        (
            "search_messages",
            lambda: client.search_page(_NOBODY, ConversationFilter(), limit=PROBE_ROWS),
        ),
        *((name, partial(client.catalogue_page, row)) for name, row in CATALOGUES.items()),
        ("report", client.report),
        # The second of these requests can be answered 304; before the first one, rows may have
        # changed.
        ("unchanged", lambda: client.conversation_page(ConversationFilter(), limit=PROBE_ROWS)),
        ("unchanged", lambda: client.conversation_page(ConversationFilter(), limit=PROBE_ROWS)),
    ]
    for name, request in requests:
        progress(FEATURES[name][0])
        await _run(request)
    return client.server


async def _first_page(
    client: InboxClient, progress: Callable[[str], None]
) -> tuple[Conversation, ...]:
    progress(FEATURES["conversations"][0])
    try:
        return (await client.conversation_page(ConversationFilter(), limit=PROBE_ROWS)).data
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return ()


def _about(client: InboxClient, first: Conversation | None) -> list[tuple[str, Request]]:
    """Requests that need an existing conversation."""

    def filtered(**filter: str) -> Request:
        return lambda: client.conversation_page(
            ConversationFilter.model_validate(filter), limit=PROBE_ROWS
        )

    requests: list[tuple[str, Request]] = [
        ("me", filtered(assignee="me")),
        ("filter_assignee", filtered(assignee="unassigned")),
        ("filter_assignee", filtered(assignee="assigned")),
        *(("filter_status", filtered(status=status)) for status in ("open", "resolved")),
    ]
    if first is None:
        return requests
    id, phone = first.id, first.contact.phone
    requests += [
        ("messages", lambda: client.message_page(id, limit=PROBE_ROWS)),
        ("notes", lambda: client.note_page(id, limit=PROBE_ROWS)),
        ("filter_channel", filtered(channel=first.channel.id)),
        *(("filter_label", filtered(label=label)) for label in first.labels[:1]),
    ]
    if phone:
        requests.append(("contact_by_phone", lambda: client.contact_by_phone(phone)))
    return requests


async def _run(request: Request) -> None:
    """Run a request; other errors are recorded in the server's state by the client.

    Raises: Unreachable, Unauthorised.
    """
    try:
        await request()
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return
