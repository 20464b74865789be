"""Feature discovery: probes every endpoint and filter of a server once."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from frontdesk.client.server import FEATURES, Server
from frontdesk.errors import InboxError, Unauthorised, Unreachable
from frontdesk.wire import Conversation, ConversationFilter, Page

FEW = 5
# A search for this text has results only if the server ignores the search.
_NOBODY = "zzqxj"

Question: TypeAlias = Callable[[], Awaitable[object]]


class Askable(Protocol):
    """Methods of the client that discovery calls."""

    @property
    def server(self) -> Server: ...

    def ask_anew(self) -> None: ...

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = ...
    ) -> Page[Conversation]: ...

    async def counts(self) -> object: ...
    async def message_page(self, conversation_id: str, *, limit: int = ...) -> object: ...
    async def note_page(self, conversation_id: str, *, limit: int = ...) -> object: ...
    async def contact_by_phone(self, phone: str) -> object: ...
    async def contact_page(self, q: str | None = ..., *, limit: int = ...) -> object: ...
    async def label_page(self) -> object: ...
    async def custom_field_page(self) -> object: ...
    async def user_page(self) -> object: ...
    async def team_page(self) -> object: ...
    async def channel_page(self) -> object: ...
    async def canned_response_page(self) -> object: ...
    async def template_page(self) -> object: ...
    async def report(self) -> object: ...


async def discover(client: Askable, asking: Callable[[str], None]) -> Server:
    """Probe all features and return what is known of the server.

    `asking` is called with the name of each feature before its request.

    Raises: Unreachable, Unauthorised: further requests are pointless.
    """
    client.ask_anew()
    conversations = await _first_page(client, asking)
    first = conversations[0] if conversations else None
    questions: list[tuple[str, Question]] = [
        ("counts", client.counts),
        *_about(client, first),
        ("contacts", lambda: client.contact_page(limit=FEW)),
        ("search_contacts", lambda: client.contact_page(_NOBODY, limit=FEW)),
        ("labels", client.label_page),
        ("custom_fields", client.custom_field_page),
        ("users", client.user_page),
        ("teams", client.team_page),
        ("channels", client.channel_page),
        ("canned_responses", client.canned_response_page),
        ("templates", client.template_page),
        ("report", client.report),
        # The second of these requests can be answered 304; before the first one, rows may have
        # changed.
        ("unchanged", lambda: client.conversation_page(ConversationFilter(), limit=FEW)),
        ("unchanged", lambda: client.conversation_page(ConversationFilter(), limit=FEW)),
    ]
    for name, question in questions:
        asking(FEATURES[name][0])
        await _asked(question)
    return client.server


async def _first_page(client: Askable, asking: Callable[[str], None]) -> tuple[Conversation, ...]:
    asking(FEATURES["conversations"][0])
    try:
        return (await client.conversation_page(ConversationFilter(), limit=FEW)).data
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return ()


def _about(client: Askable, first: Conversation | None) -> list[tuple[str, Question]]:
    """Requests that need an existing conversation."""

    def filtered(**filter: str) -> Question:
        return lambda: client.conversation_page(ConversationFilter(**filter), limit=FEW)

    questions: list[tuple[str, Question]] = [
        ("me", filtered(assignee="me")),
        ("filter_assignee", filtered(assignee="unassigned")),
        ("filter_assignee", filtered(assignee="assigned")),
        *(("filter_status", filtered(status=status)) for status in ("open", "resolved")),
    ]
    if first is None:
        return questions
    id, phone = first.id, first.contact.phone
    questions += [
        ("messages", lambda: client.message_page(id, limit=FEW)),
        ("notes", lambda: client.note_page(id, limit=FEW)),
        ("filter_channel", filtered(channel=first.channel.id)),
        *(("filter_label", filtered(label=label)) for label in first.labels[:1]),
    ]
    if phone:
        questions.append(("contact_by_phone", lambda: client.contact_by_phone(phone)))
    return questions


async def _asked(question: Question) -> None:
    """Run a request; other errors are recorded in the server's state by the client.

    Raises: Unreachable, Unauthorised.
    """
    try:
        await question()
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return
