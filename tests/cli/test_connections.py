"""Idle, slow and many connections."""

import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.patience import HANG_SECONDS

from frontdesk.client import transport
from frontdesk.service import server

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
BEGUN = b"GET /v1/labels HTTP/1.1\r\nHost: a"

IMPATIENT = """
from frontdesk.cli.main import frontdesk
from frontdesk.service import server
server.HEAD_MILLISECONDS = 100
frontdesk()
"""

Address = Callable[..., str]


@pytest.fixture(scope="module")
def impatient(served_path: Path) -> Iterator[int]:
    """The port of a server that waits less for a request than usual."""
    command = [sys.executable, "-c", IMPATIENT, "serve", "--database", str(served_path)]
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield port_of(process.stdout.readline())
        process.terminate()


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def connected(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(HANG_SECONDS)
    return connection


def said(connection: socket.socket) -> bytes:
    """All that comes until the other side has said all."""
    return b"".join(iter(lambda: connection.recv(65536), b""))


def is_answered(connection: socket.socket, request: bytes = HEALTH) -> bool:
    connection.sendall(request)
    with connection.makefile("rb") as reading:
        status, *fields = iter(reading.readline, b"\r\n")
        length = dict(field.lower().split(b": ") for field in fields)[b"content-length"]
        assert len(reading.read(int(length))) == int(length)
    return status.startswith(b"HTTP/1.1 200 ")


def test_the_service_keeps_idle_connections_longer_than_the_client_does():
    assert server.HEAD_MILLISECONDS > transport.KEPT_SECONDS * 1000


def test_a_connection_without_a_request_is_closed(impatient: int):
    with closing(connected(impatient)) as connection:
        assert said(connection) == b""


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_head_that_does_not_end_closes_the_connection(impatient: int, before: int):
    with closing(connected(impatient)) as connection:
        assert [is_answered(connection) for _ in range(before)] == [True] * before
        connection.sendall(BEGUN)
        assert said(connection) == b""


def test_a_body_without_an_end_that_nobody_reads_holds_no_connection(impatient: int):
    with closing(connected(impatient)) as connection:
        begun = HEALTH.replace(b"\r\n\r\n", b"\r\nContent-Length: 99999\r\n\r\n")
        assert is_answered(connection, begun)
        assert said(connection) == b""


def test_those_who_are_gone_before_they_are_answered_are_no_trouble(served: Address):
    port = port_of(served())
    reset = struct.pack("ii", 1, 0)
    for _ in range(300):
        with closing(connected(port)) as connection:
            connection.sendall(2 * HEALTH)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    with closing(connected(port)) as connection:
        assert is_answered(connection)


@pytest.mark.slow
def test_the_health_check_is_answered_beside_900_slow_heads(served: Address):
    port = port_of(served())
    with ExitStack() as open_ones:
        for _ in range(900):
            slow = open_ones.enter_context(closing(connected(port)))
            slow.sendall(BEGUN)
        with closing(connected(port)) as checking:
            assert is_answered(checking)
