"""Memory of `frontdesk serve` under hostile requests without a key.

Each flood is sent over loopback to a service of its own and is bounded in size, so that a service
without limits survives it too.
"""

import re
import socket
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection
from pathlib import Path

from tests.bench.inboxes import served

MEBIBYTE = 2**20
CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
SEND_SECONDS = 2.0

# Sends to a port what floods it; the connections are open until they are closed.
Flood = Callable[[int], ExitStack]


def pipelined_requests(port: int) -> ExitStack:
    """40 connections with 14,000 requests in one segment each, whose answers are not read."""
    return _sent(port, b"GET / HTTP/1.1\r\n\r\n" * 14_000, 40)


def trailers(port: int) -> ExitStack:
    """One connection with 64 MiB of trailer fields."""
    return _sent(port, CHUNKED + b"0\r\n" + b"a:\r\n" * (16 * MEBIBYTE), 1)


def one_long_trailer(port: int) -> ExitStack:
    """One connection with a trailer field of 16 MiB."""
    return _sent(port, CHUNKED + b"0\r\na:" + b"x" * (16 * MEBIBYTE), 1)


def unfinished_heads(port: int) -> ExitStack:
    """40 connections with 250 KB of short header fields each, without an end."""
    return _sent(port, b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 62_500, 40)


FLOODS: tuple[Flood, ...] = (pipelined_requests, trailers, one_long_trailer, unfinished_heads)


def peaks(target: str, flood: Flood) -> tuple[float, float]:
    """The largest resident size, in MB, before a flood and once all of it is parsed."""
    with served(target, 1) as (process, port):
        _ask(port)
        before = resident_megabytes(process.pid, "VmHWM")
        with flood(port):
            _ask(port)
            return before, resident_megabytes(process.pid, "VmHWM")


def _ask(port: int) -> None:
    """Wait for an answer, which comes after what was sent before is parsed."""
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/healthz")
        connection.getresponse().read()


def resident_megabytes(pid: int, field: str = "VmRSS") -> float:
    """Of a process and those that it has forked; what they share counts for each.

    field: VmHWM for the largest so far.
    """
    everyone = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        everyone += [int(child) for child in task.read_text().split()]
    status = "".join(Path(f"/proc/{one}/status").read_text() for one in everyone)
    return sum(map(int, re.findall(rf"{field}:\s+(\d+)", status))) / 1024


def _sent(port: int, data: bytes, connections: int) -> ExitStack:
    """Connections to which all of `data` was sent, as far as the service takes it."""
    with ExitStack() as stack:
        for _ in range(connections):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.settimeout(SEND_SECONDS)
            with suppress(OSError):
                connection.sendall(data)
        return stack.pop_all()
