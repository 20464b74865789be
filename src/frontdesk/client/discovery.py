"""Feature discovery: probes every endpoint and filter of a server once."""

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from io import BytesIO
from typing import TypeVar

from frontdesk.client.client import InboxClient
from frontdesk.client.server_info import FEATURES, Server
from frontdesk.errors import InboxError, Unauthorised, Unreachable
from frontdesk.wire import CATALOGUES, Conversation, ConversationFilter, ReportQuery

T = TypeVar("T")
Probe = tuple[str, Callable[[], Awaitable[object]]]

PROBE_ROWS = 5
# A search for this text has results only if the server ignores the search.
_NOBODY = "zzqxj"
_ALL = ConversationFilter()


async def discover(client: InboxClient, progress: Callable[[str], None]) -> Server:
    """Probe all features and return what is known of the server.

    `progress` is called with the name of each feature before its request.

    Raises: Unreachable, Unauthorised: further requests are pointless.
    """
    client.forget_missing_features()
    progress(FEATURES["conversations"][0])
    page = await _answer(lambda: client.conversation_page(_ALL, limit=PROBE_ROWS))
    for name, request in _probes(client, page.data[0] if page and page.data else None):
        progress(FEATURES[name][0])
        await _answer(request)
    return client.server


async def _answer(request: Callable[[], Awaitable[T]]) -> T | None:
    """The answer; None for other errors than those raised, which the client has recorded.

    Raises: Unreachable, Unauthorised.
    """
    try:
        return await request()
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return None


def _probes(client: InboxClient, first: Conversation | None) -> Iterator[Probe]:
    """Requests by the feature that they show; some need an existing conversation."""

    def filtered(**filter: str) -> Callable[[], Awaitable[object]]:
        asked = ConversationFilter.model_validate(filter)
        return lambda: client.conversation_page(asked, limit=PROBE_ROWS)

    yield "counts", client.counts
    yield "changes", client.changes
    yield "me", filtered(assignee="me")
    yield "filter_assignee", filtered(assignee="unassigned")
    yield "filter_assignee", filtered(assignee="assigned")
    yield "filter_status", filtered(status="open")
    yield "filter_status", filtered(status="resolved")
    if first is not None:
        yield "conversation", lambda: client.conversation(first.id)
        yield "messages", lambda: client.message_page(first.id, limit=PROBE_ROWS)
        yield "notes", lambda: client.note_page(first.id, limit=PROBE_ROWS)
        yield "filter_channel", filtered(channel=first.channel.id)
        for label in first.labels[:1]:
            yield "filter_label", filtered(label=label)
        if first.contact.phone:
            yield "contact_by_phone", partial(client.contact_by_phone, first.contact.phone)
    yield "contacts", lambda: client.contact_page(limit=PROBE_ROWS)
    yield "search_contacts", lambda: client.contact_page(_NOBODY, limit=PROBE_ROWS)
    yield "search_messages", lambda: client.search_page(_NOBODY, _ALL, limit=PROBE_ROWS)
    for name, row in CATALOGUES.items():
        yield name, partial(client.catalogue_page, row)
    # A file that nobody has: the answer shows if there are files at all.
    yield "media", partial(client.save_media, "0", BytesIO(), most_bytes=0)
    yield "report", client.report
    day = ReportQuery(from_="2026-01-01", to="2026-01-02")
    yield "conversation_reports", client.conversation_reports(day, limit=1).page
    # The second can be answered 304; before the first, rows may have changed.
    yield "unchanged", filtered()
    yield "unchanged", filtered()
