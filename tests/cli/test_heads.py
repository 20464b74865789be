"""What is said to those who do not speak HTTP, or speak without end."""

import json
import socket
from typing import Any

import pytest
from servers import Serve


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
def test_what_is_no_request_is_refused_with_a_problem_document(
    serve: Serve, sent: bytes, status: int, code: str
):
    process, url = serve()
    told, document, head = problem(exchanged(url, sent))
    assert (told, document["status"], document["code"]) == (status, status, code)
    assert "content-type: application/problem+json" in head
    assert f"x-request-id: {document['request_id']}" in head
    assert "connection: close" in head
    process.terminate()
    assert process.communicate() == ("", "")


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"GET /v1/labels?" + b"x" * 9_000 + b" HTTP/1.1\r\n", 414, "uri_too_long"),
        (b"GET /v1/labels HTTP/1.1\r\nX: " + b"x" * 9_000 + b"\r\n", 431, "headers_too_large"),
    ],
)
def test_what_is_a_little_too_long_is_refused_alike(
    serve: Serve, sent: bytes, status: int, code: str
):
    _, url = serve()
    answer = exchanged(url, sent + b"Host: a\r\nConnection: close\r\n\r\n")
    told, document, _ = problem(answer)
    assert (told, document["code"]) == (status, code)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_what_was_asked_before_is_answered_before_the_connection_ends(serve: Serve, count: int):
    _, url = serve()
    request = b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"
    answer = exchanged(url, request * count + b"GARBAGE\r\n\r\n")
    assert answer.count(b'{"status":"ready"}HTTP/1.1 ') == count
    told, document, _ = problem(answer[answer.index(b"HTTP/1.1 400") :])
    assert (told, document["code"]) == (400, "malformed_request")


def test_long_heads_one_after_another_are_no_endless_head(serve: Serve):
    _, url = serve()
    request = b"GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 7_000 + b"\r\n"
    answer = exchanged(url, (request + b"\r\n") * 20 + request + b"Connection: close\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 21
