"""Malformed and endless HTTP requests get an error response."""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from frontdesk.service.api_keys import new_key

# Gives the address of the server with these options.
Address = Callable[..., str]

CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
CHUNKED += b"Transfer-Encoding: chunked\r\n\r\n"
READY = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
CLOSING = b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"


def exchanged(url: str, sent: bytes) -> bytes:
    """All that comes back until the server has said all."""
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(sent)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def problem(answer: bytes) -> tuple[int, dict[str, Any], str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    document: dict[str, Any] = json.loads(body)
    return int(head.split()[1]), document, head.decode()


def status(answer: bytes) -> int:
    return int(answer.split()[1])


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        pytest.param(b"GARBAGE\r\n\r\n", 400, id="no request"),
        pytest.param(b"GET /v1/labels HTTP/9.9\r\nHost: a\r\n\r\n", 400, id="version"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, id="TLS"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400, id="folded field"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\nX : a\r\n\r\n", 400, id="blank in a name"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 400, id="NUL"),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            400,
            id="two lengths",
        ),
        pytest.param(b"GET /" + b"x" * 300_000, 431, id="endless address"),
        pytest.param(b"GET / HTTP/1.1\r\nX: " + b"x" * 300_000, 431, id="endless field"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 60_000, 431, id="endless head"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 200, 431, id="many fields"),
    ],
)
def test_malformed_requests_are_refused_and_end_the_connection(
    served: Address, sent: bytes, expected: int
):
    answer = exchanged(served(), sent)
    assert status(answer) == expected
    assert b"connection: close" in answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /v1/labels?" + b"x" * 9_000 + b" HTTP/1.1\r\n", 414, "uri_too_long"),
        (b"GET /v1/labels HTTP/1.1\r\nX: " + b"x" * 9_000 + b"\r\n", 431, "headers_too_large"),
    ],
)
def test_slightly_oversized_requests_are_refused_with_the_same_codes(
    served: Address, sent: bytes, status: int, code: str
):
    url = served()
    answer = exchanged(url, sent + b"Host: a\r\nConnection: close\r\n\r\n")
    status_sent, document, _ = problem(answer)
    assert (status_sent, document["code"]) == (status, code)


@pytest.mark.parametrize("hosts", [b"", b"Host: a\r\nHost: b\r\n"])
def test_a_request_has_one_host(served: Address, hosts: bytes):
    sent = b"GET /v1/labels HTTP/1.1\r\nConnection: close\r\n" + hosts + b"\r\n"
    status_sent, document, _ = problem(exchanged(served(), sent))
    assert (status_sent, document["code"]) == (400, "malformed_request")
    old = b"GET /healthz HTTP/1.0\r\n\r\n"
    assert status(exchanged(served(), old)) == 200


@pytest.mark.parametrize("count", [1, 2, 7])
def test_pipelined_requests_before_a_malformed_one_are_answered(served: Address, count: int):
    url = served()
    request = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = exchanged(url, request * count + b"GARBAGE\r\n\r\n")
    assert answer.count(b'{"status":"ready"}HTTP/1.1 ') == count
    assert answer.count(b"HTTP/1.1 400 ") == 1


def test_long_heads_one_after_another_are_no_endless_head(served: Address):
    url = served()
    request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 7_000 + b"\r\n"
    answer = exchanged(url, (request + b"\r\n") * 20 + request + b"Connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 21


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"Z\r\n", id="no size"),
        pytest.param(b"2\r\n{}X", id="too long"),
        pytest.param(b"2;" + b"x" * 300_000, id="endless extension"),
        pytest.param(b"0\r\n" + b"a:\r\n" * 200, id="trailers"),
        pytest.param(b"0\r\na:" + b"x" * 300_000, id="long trailer"),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_a_chunked_body_that_cannot_be_read_is_refused_without_waiting_for_its_end(
    served: Address, before: int, sent: bytes
):
    url = served("--insecure-no-signature")
    answer = exchanged(url, READY * before + CHUNKED + b"1\r\n{\r\n" + sent)
    assert answer.count(b'{"status":"ready"}HTTP/1.1 ') == before
    status_sent, document, _ = problem(answer[answer.index(b"HTTP/1.1 4") :])
    assert (status_sent, document["code"]) == (400, "malformed_request")


def test_a_body_that_cannot_be_read_after_its_answer_gets_no_second_one(served: Address):
    url = served()
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(CHUNKED.replace(b"POST /webhooks/whatsapp", b"GET /readyz"))
        answer = b""
        while not answer.endswith(b'{"status":"ready"}'):
            answer += connection.recv(65536)
        connection.sendall(b"Z\r\n")
        assert connection.recv(65536) == b""


def test_a_key_in_a_trailer_is_no_key(served: Address, served_key: str):
    url = served()
    request = b"GET /v1/labels HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
    trailer = f"Authorization: Bearer {served_key}\r\n".encode()
    chunked = b"Transfer-Encoding: chunked\r\n\r\n0\r\n"
    status_sent, document, _ = problem(exchanged(url, request + chunked + trailer + b"\r\n"))
    assert (status_sent, document["code"]) == (401, "missing_credentials")
    assert exchanged(url, request + trailer + chunked + b"\r\n").startswith(b"HTTP/1.1 200 ")


def test_a_trailer_says_nothing_about_the_client_address(served: Address):
    url = served("--proxy", "127.0.0.1")

    def answered(number: int) -> int:
        head = "GET /v1/labels HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {new_key()}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        trailer = f"X-Forwarded-For: 192.0.2.{number}\r\n\r\n"
        return status(exchanged(url, (head + trailer).encode()))

    assert [answered(number) for number in range(21)] == [401] * 20 + [429]


def test_another_protocol_that_is_asked_for_is_not_taken(served: Address):
    upgrading = READY.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    assert exchanged(served(), upgrading + CLOSING).count(b"HTTP/1.1 200 ") == 2


def test_a_body_is_not_taken_for_a_request_where_another_protocol_is_asked_for(served: Address):
    url = served("--insecure-no-signature")
    head = CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    status_sent, document, _ = problem(exchanged(url, head + READY))
    assert (status_sent, document["code"]) == (400, "malformed_request")


def test_a_connection_ends_where_a_body_may_be_left_out_after_an_early_answer(served: Address):
    url = served()
    expecting = b"POST /v1/labels HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
    answer = exchanged(url, expecting + b"Content-Length: 100\r\n\r\n" + READY)
    assert answer.count(b"HTTP/1.1 ") == 1
