"""Asking a server once for everything, to see what it has (contract 4.3)."""

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeAlias

from frontdesk.client.server import FEATURES, Server
from frontdesk.errors import InboxError, Unauthorised, Unreachable
from frontdesk.wire import Conversation, ConversationFilter, Page

FEW = 5
# A search for this finds somebody only where nothing is searched.
_NOBODY = "zzqxj"

Question: TypeAlias = Callable[[], Awaitable[object]]


class Askable(Protocol):
    """What of the client is needed here."""

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
    """What the server has. `asking` is told the name of each feature before it is asked for.

    Raises: Unreachable, Unauthorised: nothing more can be learnt.
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
        # Asked again, a server may say that nothing changed; the first time something may have.
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
    """What can only be asked of a conversation that is there."""

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
    """Ask; a failure stands in what is known of the server.

    Raises: Unreachable, Unauthorised.
    """
    try:
        await question()
    except (Unreachable, Unauthorised):
        raise
    except InboxError:
        return
