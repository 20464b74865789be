"""The tools over HTTP: one server for all keys, and for each request a client with its key.

Nothing is kept between requests, so that any process answers any of them.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from typing import Any
from zoneinfo import ZoneInfo

from mcp.server.transport_security import TransportSecuritySettings

from frontdesk.client import InboxClient, Network
from frontdesk.mcp.inbox import InboxReader
from frontdesk.mcp.server import build

# Never resolved: the interface is in this process.
_BASE_URL = "http://localhost"


class McpApplication:
    """Answers requests of MCP by `/v1`, an ASGI application in this process.

    Tools wait as long as the rate limit of their key asks them to. The service checks keys, hosts
    and origins before.
    """

    def __init__(self, interface: Callable[..., Awaitable[None]]) -> None:
        self._interface = interface
        self._reader: ContextVar[InboxReader] = ContextVar("reader")
        self._server = build(self._reader.get)
        self._server.streamable_http_app(
            json_response=True,
            stateless_http=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Answer requests within this block; once for each object."""
        async with self._server.session_manager.run():
            yield

    async def answer(
        self,
        key: str,
        zone: ZoneInfo | None,
        masked: bool,
        scope: Any,
        receive: Any,
        send: Any,
    ) -> None:
        """Answer one request (ASGI).

        key: of /v1, for which customers may be `masked`. zone: of all times, None for the
        computer's.
        """
        client = InboxClient(
            _BASE_URL, key, app=self._interface, network=Network(), waiting=nullcontext
        )
        async with client:
            token = self._reader.set(InboxReader(client, zone, masked=masked))
            try:
                await self._server.session_manager.handle_request(scope, receive, send)
            finally:
                self._reader.reset(token)
