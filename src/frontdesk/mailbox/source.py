"""The server as the mailbox needs it, so that opening the mailbox imports no network stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from frontdesk.wire import (
        Channel,
        Contact,
        Conversation,
        ConversationFilter,
        Counts,
        CustomField,
        Label,
        Message,
        Note,
        Page,
        User,
    )


class Source(Protocol):
    """The server, as far as the mailbox asks it. Every method raises InboxError."""

    async def close(self) -> None: ...

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = ..., cursor: str | None = ...
    ) -> Page[Conversation]: ...

    async def counts(self, filter: ConversationFilter | None = ...) -> Counts: ...

    async def message_page(
        self, conversation_id: str, *, limit: int = ..., cursor: str | None = ...
    ) -> Page[Message]: ...

    async def note_page(
        self, conversation_id: str, *, limit: int = ..., cursor: str | None = ...
    ) -> Page[Note]: ...

    async def contact_by_phone(self, phone: str) -> Contact: ...

    async def label_page(self, *, limit: int = ..., cursor: str | None = ...) -> Page[Label]: ...

    async def user_page(self, *, limit: int = ..., cursor: str | None = ...) -> Page[User]: ...

    async def channel_page(
        self, *, limit: int = ..., cursor: str | None = ...
    ) -> Page[Channel]: ...

    async def custom_field_page(
        self, *, limit: int = ..., cursor: str | None = ...
    ) -> Page[CustomField]: ...
