"""Servers that always fail, or fail half way."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from frontdesk.client import InboxClient
from frontdesk.errors import InboxError, Unreachable
from frontdesk.wire import Conversation, ConversationFilter, Message, Page


class Failing:
    """A server that answers everything with one failure, and of which nothing is known."""

    server = None

    def __init__(self, error: InboxError) -> None:
        self._error = error
        self.asked = 0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        async def fail(*arguments: object, **options: object) -> None:
            self.asked += 1
            if name != "close":
                raise self._error

        return fail


class Faltering:
    """The real client; while `fails`, the server does not answer for conversations."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.fails = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        if self.fails:
            raise Unreachable("The server does not answer")
        return await self._client.conversation_page(filter, limit=limit, cursor=cursor)


class Offline:
    """The real client; while `is_away`, the server does not answer for messages."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.is_away = False

    def __getattr__(self, name: str) -> Any:
        if self.is_away and name == "message_page":
            raise Unreachable("The server does not answer")
        return getattr(self._client, name)


class Halting:
    """The real client; while `halted`, pages of conversations do not come.

    `only_further`: the first page comes even then. While `halts_threads`, no messages come.
    """

    def __init__(self, client: InboxClient, *, only_further: bool = True) -> None:
        self._client = client
        self._only_further = only_further
        self.halted = self.halts_threads = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        if self.halted and (cursor is not None or not self._only_further):
            await asyncio.Event().wait()
        return await self._client.conversation_page(filter, limit=limit, cursor=cursor)

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        if self.halts_threads:
            await asyncio.Event().wait()
        return await self._client.message_page(conversation_id, limit=limit, cursor=cursor)


class Lasting:
    """A client that is not closed with the viewer that it was lent to."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def close(self) -> None:
        """Not yet."""
