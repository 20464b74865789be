"""Malformed and endless HTTP requests get an error response."""

import json
import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from frontdesk.service.api_keys import new_key

# Gives the address of the server with these options.
Address = Callable[..., str]

CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
CHUNKED += b"Transfer-Encoding: chunked\r\n\r\n"
READY = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"


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


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GARBAGE\r\n\r\n", 400, "malformed_request"),
        (b"GET /v1/l\xc3\xa4bels HTTP/1.1\r\nHost: a\r\n\r\n", 400, "malformed_request"),
        (b"GET /v1/labels HTTP/9.9\r\nHost: a\r\n\r\n", 400, "malformed_request"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, "malformed_request"),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414, "uri_too_long"),
        (b"GET /" + b"x" * 300_000, 414, "uri_too_long"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 300_000, 431, "headers_too_large"),
        (b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 60_000, 431, "headers_too_large"),
    ],
)
def test_malformed_requests_are_refused_with_a_problem_document(
    served: Address, sent: bytes, status: int, code: str
):
    url = served()
    status_sent, document, head = problem(exchanged(url, sent))
    assert (status_sent, document["status"], document["code"]) == (status, status, code)
    assert "content-type: application/problem+json" in head
    assert f"x-request-id: {document['request_id']}" in head
    assert "connection: close" in head


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
    assert exchanged(served(), old).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("count", [1, 2, 7])
def test_pipelined_requests_before_a_malformed_one_are_answered(served: Address, count: int):
    url = served()
    request = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = exchanged(url, request * count + b"GARBAGE\r\n\r\n")
    assert answer.count(b'{"status":"ready"}HTTP/1.1 ') == count
    status_sent, document, _ = problem(answer[answer.index(b"HTTP/1.1 400") :])
    assert (status_sent, document["code"]) == (400, "malformed_request")


def test_long_heads_one_after_another_are_no_endless_head(served: Address):
    url = served()
    request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 7_000 + b"\r\n"
    answer = exchanged(url, (request + b"\r\n") * 20 + request + b"Connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 21


def test_pipelined_requests_are_queued_up_to_a_limit_and_refused_beyond(served: Address):
    url = served()
    answer = exchanged(url, READY * 200)
    assert 33 <= answer.count(b'{"status":"ready"}') < 200
    status_sent, document, head = problem(answer[answer.index(b"HTTP/1.1 503") :])
    assert (status_sent, document["code"]) == (503, "service_unavailable")
    assert "retry-after: 1" in head
    assert httpx.get(f"{url}/readyz").status_code == 200


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        pytest.param(b"Z\r\n", 400, "malformed_request", id="no size"),
        pytest.param(b"2\r\n{}X", 400, "malformed_request", id="too long"),
        pytest.param(b"2;" + b"x" * 300_000, 400, "malformed_request", id="endless extension"),
        pytest.param(b"0\r\n" + b"a:\r\n" * 200, 431, "headers_too_large", id="trailers"),
        pytest.param(b"0\r\na:" + b"x" * 300_000, 400, "malformed_request", id="long trailer"),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_a_chunked_body_that_cannot_be_read_is_refused_without_waiting_for_its_end(
    served: Address, before: int, sent: bytes, status: int, code: str
):
    url = served("--insecure-no-signature")
    answer = exchanged(url, READY * before + CHUNKED + b"1\r\n{\r\n" + sent)
    assert answer.count(b'{"status":"ready"}HTTP/1.1 ') == before
    status_sent, document, _ = problem(answer[answer.index(b"HTTP/1.1 4") :])
    assert (status_sent, document["code"]) == (status, code)


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


def test_many_fields_are_refused_before_the_head_ends(served: Address):
    url = served()
    status_sent, document, _ = problem(exchanged(url, b"GET / HTTP/1.1\r\n" + b"a:\r\n" * 200))
    assert (status_sent, document["code"]) == (431, "headers_too_large")


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

    def status(number: int) -> int:
        head = "GET /v1/labels HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        head += f"Authorization: Bearer {new_key()}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        trailer = f"X-Forwarded-For: 192.0.2.{number}\r\n\r\n"
        return problem(exchanged(url, (head + trailer).encode()))[0]

    assert [status(number) for number in range(21)] == [401] * 20 + [429]


def test_a_request_after_one_that_asks_for_another_protocol_is_left_to_a_new_connection(
    served: Address,
):
    url = served()
    upgrading = READY.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    answer = exchanged(url, upgrading + READY)
    assert answer.count(b"HTTP/1.1 200 ") == 1
    assert b"connection: close" in answer


def test_a_body_is_not_taken_for_a_request_where_another_protocol_is_asked_for(served: Address):
    url = served("--insecure-no-signature")
    head = CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    answer = exchanged(url, head + READY)
    status_sent, document, _ = problem(answer)
    assert (status_sent, document["code"], "Upgrade" in document["detail"]) == (
        400,
        "malformed_request",
        True,
    )


def test_a_connection_ends_where_a_body_may_be_left_out_after_an_early_answer(served: Address):
    url = served()
    expecting = b"POST /v1/labels HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
    answer = exchanged(url, expecting + b"Content-Length: 100\r\n\r\n" + READY)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in answer
