"""A small CONNECT proxy that records all bytes it receives."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.client.sockets import serving


@dataclass
class Proxy:
    """`heads`: the requests; `seen`: all bytes of clients, tunnels too. `answer`: to CONNECT."""

    backend: str
    answer: bytes = b"HTTP/1.1 200 Connection established\r\n\r\n"
    heads: list[bytes] = field(default_factory=list)
    seen: bytearray = field(default_factory=bytearray)
    url: str = ""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        self.seen += head
        writer.write(self.answer)
        await writer.drain()
        if not self.answer.startswith(b"HTTP/1.1 200"):
            return
        parts = urlsplit(self.backend)
        # Whatever the host is called, there is one server behind it.
        inner, outer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            await asyncio.gather(self._pump(reader, outer, note=True), self._pump(inner, writer))
        finally:
            outer.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, note: bool = False
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65536):
                if note:
                    self.seen += piece
                writer.write(piece)
                await writer.drain()
            writer.close()


@contextlib.asynccontextmanager
async def proxying(
    backend: str, tls: ssl.SSLContext | None = None, **options: bytes
) -> AsyncIterator[Proxy]:
    """A proxy in front of one server."""
    proxy = Proxy(backend, **options)
    async with serving(proxy, tls) as url:
        proxy.url = url
        yield proxy
