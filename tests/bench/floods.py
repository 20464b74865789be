"""Memory of `frontdesk serve` under hostile requests without a key.

Each flood is sent over loopback to a service of its own and is bounded in size, so that a service
without limits survives it too.
"""

import re
import socket
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from tests.bench.inboxes import served

MEBIBYTE = 2**20
CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
SEND_SECONDS = 2.0


class Flood(NamedTuple):
    """What is sent on each of some connections: a head, and one piece again and again."""

    name: str
    connections: int
    head: bytes
    piece: bytes
    pieces: int


FLOODS = (
    # Whose answers are not read.
    Flood("pipelined requests", 40, b"", b"GET / HTTP/1.1\r\n\r\n", 14_000),
    # Of 64 MiB.
    Flood("trailers", 1, CHUNKED + b"0\r\n", b"a:\r\n", 16 * MEBIBYTE),
    Flood("one long trailer", 1, CHUNKED + b"0\r\na:", b"x", 16 * MEBIBYTE),
    # Of 250 KB each.
    Flood("unfinished heads", 40, b"GET / HTTP/1.1\r\n", b"a:\r\n", 62_500),
)


def peaks(target: str, flood: Flood) -> tuple[float, float]:
    """The largest resident size, in MB, before a flood and once all of it is parsed."""
    with served(target, 1) as (process, port):
        _ask(port)
        before = resident_megabytes(process.pid, "VmHWM")
        with ExitStack() as connections:
            data = flood.head + flood.piece * flood.pieces
            for _ in range(flood.connections):
                connection = connections.enter_context(
                    socket.create_connection(("127.0.0.1", port))
                )
                connection.settimeout(SEND_SECONDS)
                # As far as the service takes it.
                with suppress(OSError):
                    connection.sendall(data)
            _ask(port)
            return before, resident_megabytes(process.pid, "VmHWM")


def _ask(port: int) -> None:
    """Wait for an answer, which comes after what was sent before is parsed."""
    httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=None)


def resident_megabytes(pid: int, field: str = "VmRSS") -> float:
    """Of a process and those that it has forked; what they share counts for each.

    field: VmHWM for the largest so far.
    """
    everyone = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        everyone += [int(child) for child in task.read_text().split()]
    status = "".join(Path(f"/proc/{one}/status").read_text() for one in everyone)
    return sum(map(int, re.findall(rf"{field}:\s+(\d+)", status))) / 1024
