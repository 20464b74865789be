"""The HTTP protocol on an event loop of uvloop, as `serve` runs it."""

import asyncio
import socket
import struct
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from frontdesk.service.server.protocol import BoundedProtocol, OpenConnections

uvloop = pytest.importorskip("uvloop", reason="Windows has no uvloop")

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
RESET = struct.pack("ii", 1, 0)


def test_an_answer_to_a_client_that_has_reset_its_connection_is_dropped_without_a_word(caplog):
    ended: list[str] = []

    async def scenario() -> None:
        class Protocol(BoundedProtocol):
            open_connections = OpenConnections()

            def connection_lost(self, exc: Exception | None) -> None:
                super().connection_lost(exc)
                lost.set()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            asked.set()
            await gone.wait()
            # The first write after the reset fails, and ends the connection.
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await lost.wait()
            try:
                await send({"type": "http.response.body", "body": b"words"})
                ended.append("answered")
            finally:
                server.should_exit = True

        gone, lost = asyncio.Event(), asyncio.Event()
        asked = asyncio.Event()
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http=Protocol, log_config=None, lifespan="off", ws="none")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listening]))
        client = socket.create_connection(listening.getsockname())
        client.sendall(2 * REQUEST)
        await asked.wait()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        client.close()
        gone.set()
        await serving

    with caplog.at_level("ERROR"), suppress(SystemExit):
        uvloop.run(scenario())
    assert ended == ["answered"]
    assert [record.getMessage() for record in caplog.records] == []
