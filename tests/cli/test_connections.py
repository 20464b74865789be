"""Connection limits: too many, idle, and slow connections."""

import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from servers import kill

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

OPENAPI = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"

PATIENCE_SECONDS = 30

SERVERS = """
import os, pathlib, socket, sys
from contextlib import closing
from frontdesk.service.server.protocol import BoundedProtocol
from frontdesk.service.server.sockets import network_of
from frontdesk.service.server.worker import answer
from frontdesk.service.app import create_app
from frontdesk.store.sqlite import SQLiteDatabase

def serve(**options):
    address = options.pop("socket", None)
    proxy = options.pop("proxy", None)
    if address:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(address)
        listening.listen()
    else:
        listening = socket.create_server(("127.0.0.1", 0))
        address = listening.getsockname()[1]
    if "send_buffer" in options:
        size = int(options.pop("send_buffer"))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
    for name, value in options.items():
        setattr(BoundedProtocol, name, float(value))
    proxies = (network_of(proxy),) if proxy else ()
    with closing(SQLiteDatabase(pathlib.Path(sys.argv[1]))) as database:
        app = create_app(database)
        with closing(app):
            answer(app, [listening], lambda: print(address, flush=True), proxies=proxies)

for line in sys.stdin:
    if os.fork() == 0:
        serve(**dict(option.split("=") for option in line.split()))
        break
"""

Start = Callable[..., int]


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the servers write to standard error."""
    return tmp_path_factory.mktemp("servers") / "errors"


@pytest.fixture(scope="module")
def start(served_path: Path, errors: Path) -> Iterator[Start]:
    """Starts a server with other bounds than the usual; gives its port.

    The servers are forks of one process, which has imported what they need.
    """
    with (
        errors.open("w") as written,
        subprocess.Popen(
            [sys.executable, "-c", SERVERS, str(served_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def started(*options: str) -> int:
            asked.write(" ".join(options) + "\n")
            asked.flush()
            address = answers.readline().strip()
            return int(address) if address.isdecimal() else 0

        yield started
        kill(process)


def connected(port: int, source: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), source_address=(source, 0))
    connection.settimeout(60)
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


def wait_for_room(port: int) -> None:
    """Ask again and again until a new connection is served."""
    until = time.monotonic() + PATIENCE_SECONDS
    answered = False
    while not answered:
        assert time.monotonic() < until, "No connection was served in time"
        with closing(connected(port)) as connection:
            answered = is_answered(connection, OPENAPI)


def test_one_connection_too_many_is_asked_to_retry_and_one_that_leaves_makes_room(
    start: Start,
):
    port = start("most=20")
    with ExitStack() as open_ones:
        inside = [open_ones.enter_context(closing(connected(port))) for _ in range(20)]
        with closing(connected(port)) as one_more:
            head, _, body = said(one_more).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 ")
        assert b"retry-after: 1" in head
        assert b"content-type: application/problem+json" in head
        assert json.loads(body)["code"] == "service_unavailable"
        assert is_answered(inside[0])
    wait_for_room(port)


def test_where_half_are_taken_one_ends_with_its_answer_so_that_others_have_a_turn(start: Start):
    port = start("most=4")
    with ExitStack() as open_ones:
        first, second, third = (open_ones.enter_context(closing(connected(port))) for _ in "123")
        assert [is_answered(third), said(third)] == [True, b""]
        assert [is_answered(each) for each in (first, second, first, second)] == [True] * 4


def test_a_server_that_is_leaving_answers_once_whom_it_still_let_in(start: Start):
    port = start("leaving=1")
    with closing(connected(port)) as silent, closing(connected(port)) as connection:
        assert [is_answered(connection), said(connection)] == [True, b""]
        assert said(silent) == b""


def test_one_client_has_a_share_of_the_connections_and_others_are_answered(start: Start):
    port = start("most=20", "most_for_one=5", "head_seconds=60")
    with ExitStack() as open_ones:
        held = [open_ones.enter_context(closing(connected(port))) for _ in range(30)]
        with closing(connected(port)) as one_more:
            assert not is_answered(one_more, OPENAPI)
        for source in ("127.0.0.2", "127.0.0.3"):
            with closing(connected(port, source)) as other:
                assert is_answered(other, OPENAPI)
        assert [is_answered(each, OPENAPI) for each in held[:5]] == [True] * 5


def test_the_share_of_a_client_is_free_again_once_its_connections_end(start: Start):
    port = start("most_for_one=1")
    for _ in range(3):
        wait_for_room(port)


def test_the_health_check_is_answered_where_no_connection_is_left(start: Start):
    port = start("most=2", "words_for=5", "head_seconds=60")
    with ExitStack() as open_ones:
        for _ in range(50):
            open_ones.enter_context(closing(connected(port)))
        for _ in range(10):
            with closing(connected(port)) as checking:
                assert [is_answered(checking), said(checking)] == [True, b""]
            with closing(connected(port)) as another:
                assert not is_answered(another, OPENAPI)


def test_a_proxy_that_is_named_speaks_for_more_clients_than_one(start: Start):
    ports = [start("most_for_one=5"), start("most_for_one=5", "proxy=127.0.0.1")]
    with ExitStack() as open_ones:
        for port in ports:
            for _ in range(5):
                open_ones.enter_context(closing(connected(port)))
        last = [open_ones.enter_context(closing(connected(port))) for port in ports]
        assert [is_answered(each, OPENAPI) for each in last] == [False, True]


def test_connections_over_a_unix_socket_have_no_share(start: Start, tmp_path: Path):
    path = str(tmp_path / "socket")
    start(f"socket={path}", "most_for_one=1")
    with ExitStack() as open_ones:
        for _ in range(3):
            connection = open_ones.enter_context(closing(socket.socket(socket.AF_UNIX)))
            connection.settimeout(60)
            connection.connect(path)
            assert is_answered(connection, OPENAPI)


def test_an_answer_that_is_not_taken_holds_no_connection_that_is_closing(start: Start):
    port = start("most_for_one=1", "taking_seconds=0.1", "send_buffer=4096")
    with closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        # Less than what stops the server from writing, and more than lies between.
        request = b"GET /nope HTTP/1.1\r\nHost: a\r\n"
        connection.sendall((request + b"\r\n") * 32 + request + b"Connection: close\r\n\r\n")
        wait_for_room(port)


def test_a_flood_of_them_gets_no_words(start: Start):
    port = start("most=0", "words_for=20")
    with ExitStack() as open_ones:
        turned_away = [open_ones.enter_context(closing(connected(port))) for _ in range(20)]
        for each in turned_away:
            assert each.recv(65536).startswith(b"HTTP/1.1 503 ")
        with closing(connected(port)) as one_more:
            assert said(one_more) == b""


def test_those_who_are_gone_before_they_are_turned_away_are_no_trouble(start: Start, errors: Path):
    port = start("most=0")
    reset = struct.pack("ii", 1, 0)
    for _ in range(300):
        with closing(connected(port)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    with closing(connected(port)) as connection:
        said(connection)
    assert errors.read_text() == ""


def test_a_connection_without_a_request_is_closed(start: Start):
    with closing(connected(start("head_seconds=0.1"))) as connection:
        assert said(connection) == b""


@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_head_that_does_not_end_is_refused(start: Start, before: int):
    with closing(connected(start("head_seconds=0.1"))) as connection:
        assert [is_answered(connection) for _ in range(before)] == [True] * before
        connection.sendall(b"GET /v1/labels HTTP/1.1\r\nHost: a")
        head, _, body = said(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ")
    assert b"connection: close" in head
    assert json.loads(body)["code"] == "request_timeout"


def test_a_body_without_an_end_that_nobody_reads_holds_no_connection(start: Start):
    with closing(connected(start("head_seconds=0.1"))) as connection:
        begun = b"GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n"
        assert is_answered(connection, begun)
        connection.sendall(b"x")
        assert said(connection) == b""


def test_who_takes_no_answers_loses_the_connection(start: Start):
    port = start("taking_seconds=0.1")
    with closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", port))
        request = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
        # What comes back fills all that lies between; then nothing is read any more, nor sent.
        with suppress(ConnectionResetError, BrokenPipeError):
            while True:
                connection.sendall(request * 100)
