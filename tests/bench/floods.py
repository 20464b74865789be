"""Memory of `frontdesk serve` under hostile requests without a key: `python -m tests.bench floods`.

Each flood is sent over loopback to a service of its own and is bounded in size, so that a service
without limits survives it too. Reported is the growth of the largest resident size.
"""

import argparse
import re
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path

from frontdesk.store.connect import open_database
from tests.bench.load import served
from tests.bench.ratios import table

MEBIBYTE = 2**20
CONNECTIONS = 40
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
SEND_SECONDS = 2.0

# Sends to a port what floods it, and holds the connections.
Flood = Callable[[int], AbstractContextManager[None]]


@contextmanager
def pipelined_requests(port: int) -> Iterator[None]:
    """40 connections with 14,000 requests in one segment each, whose answers are not read."""
    with _sent(port, b"GET / HTTP/1.1\r\n\r\n" * 14_000, CONNECTIONS):
        yield


@contextmanager
def trailers(port: int) -> Iterator[None]:
    """One connection with 64 MiB of trailer fields."""
    with _sent(port, CHUNKED + b"0\r\n" + b"a:\r\n" * (16 * MEBIBYTE), 1):
        yield


@contextmanager
def one_long_trailer(port: int) -> Iterator[None]:
    """One connection with a trailer field of 16 MiB."""
    with _sent(port, CHUNKED + b"0\r\na:" + b"x" * (16 * MEBIBYTE), 1):
        yield


@contextmanager
def unfinished_heads(port: int) -> Iterator[None]:
    """40 connections with 250 KB of short header fields each, without an end."""
    with _sent(port, b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 62_500, CONNECTIONS):
        yield


FLOODS: tuple[Flood, ...] = (pipelined_requests, trailers, one_long_trailer, unfinished_heads)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: none."""


def run(options: argparse.Namespace) -> None:
    """Print a line for each flood."""
    lines = [["flood", "before, MB", "at most, MB"]]
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        target = str(Path(name) / "inbox.db")
        open_database(target, create=True).close()
        for flood in FLOODS:
            before, after = peaks(target, flood)
            lines.append([str(flood.__doc__), f"{before:,.0f}", f"{after:,.0f}"])
    print(table(lines))  # noqa: T201


def peaks(target: str, flood: Flood) -> tuple[float, float]:
    """The largest resident size, in MB, before a flood and once all of it is parsed."""
    with served(target, 1) as (process, port):
        answered(port)
        before = peak_megabytes(process.pid)
        with flood(port):
            answered(port)
            return before, peak_megabytes(process.pid)


def answered(port: int) -> bytes:
    """The answer to a health check, which comes after what was sent before is parsed."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(HEALTH)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def peak_megabytes(pid: int) -> float:
    """The largest resident size that a process had so far."""
    found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


@contextmanager
def _sent(port: int, data: bytes, connections: int) -> Iterator[None]:
    """Connections to which all of `data` was sent, as far as the service takes it."""
    with ExitStack() as stack:
        for _ in range(connections):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.settimeout(SEND_SECONDS)
            with suppress(OSError):
                connection.sendall(data)
        yield
