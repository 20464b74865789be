"""A server of raw sockets, for every way in which a connection can fail."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(talk: Talk, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server on this machine; gives its address."""
    talks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await talk(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    scheme = "https" if tls else "http"
    try:
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


def http(body: bytes, *, head: str = "", length: int | None = None) -> Talk:
    """Answers one request and closes."""
    announced = len(body) if length is None else length

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        lines = f"HTTP/1.1 200 OK\r\nContent-Length: {announced}\r\nConnection: close\r\n{head}\r\n"
        writer.write(lines.encode() + body)
        await writer.drain()

    return talk


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends a byte at a time, for ever."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.001)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the request and says nothing."""
    await reader.readuntil(b"\r\n\r\n")
    await reader.read()


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the request and hangs up."""
    await reader.readuntil(b"\r\n\r\n")
    writer.transport.abort()


async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Does not speak HTTP."""
    writer.write(b"220 mail.example ESMTP\r\n")
    await writer.drain()


async def half_a_chunk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Stops in the middle of a chunk."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{")
    await writer.drain()


async def old_and_short(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ends an answer of unknown length too early."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b'HTTP/1.0 200 OK\r\n\r\n{"data": [')
    await writer.drain()


def raw(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """An answer as it goes over the wire; with its Content-Length by default."""
    named = {"content_length": str(len(body)), **headers}
    lines = "".join(
        f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items() if value
    )
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


class Scripted:
    """Answers each request with the next of some raw answers, the last one for ever.

    An answer may be followed by HANG_UP, which closes the connection, or by ABORT, which breaks it.
    """

    HANG_UP, ABORT = "hang up", "abort"

    def __init__(self, *answers: bytes | tuple[bytes, str]) -> None:
        self._answers = list(answers)
        self.requests: list[bytes] = []
        self.connections = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while True:
            self.requests.append(await reader.readuntil(b"\r\n\r\n"))
            given = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
            answer, then = given if isinstance(given, tuple) else (given, "")
            writer.write(answer)
            await writer.drain()
            if then == self.ABORT:
                writer.transport.abort()
            if then:
                return
