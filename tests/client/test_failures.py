"""Error responses by status, and which are retried."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from httpx import Headers
from tests.client.prepared_server import Pauses, Server, answer, client_of, failing, problem

from frontdesk.client.failures import ErrorResponse, failure, trouble_of
from frontdesk.client.response import Response
from frontdesk.client.throttle import retry_after
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
    ServerFailed,
    Unauthorised,
    Unreachable,
)
from frontdesk.wire import Label


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (problem(401, "invalid_key"), Unauthorised),
        (problem(403, "account_disabled"), Forbidden),
        (problem(404, "route_not_found"), NotOffered),
        (problem(400, "invalid_filter"), Refused),
        (problem(400, "invalid_cursor"), CursorRefused),
        (problem(400, "cursor_mismatch"), CursorRefused),
        (problem(405, "method_not_allowed"), NotOffered),
        (problem(429, "rate_limited"), Unreachable),
        (problem(500, "internal_error"), ServerFailed),
        (problem(503, "service_unavailable"), Unreachable),
        (answer(502, b"<html>Bad gateway</html>"), Unreachable),
        (answer(504, b""), Unreachable),
        (answer(501, b"?"), NotOffered),
        (answer(418, b"?"), Refused),
        (answer(404, b"<html>"), NotFound),
        (answer(599, b""), ServerFailed),
        (answer(301, b"", location="https://elsewhere.example/"), BadResponse),
        (answer(307, b"", location="/v1/labels"), BadResponse),
        (answer(304, b""), BadResponse),
    ],
)
async def test_each_status_is_its_error(
    given: tuple[int, Mapping[str, str], bytes], expected: type[InboxError]
) -> None:
    assert type(await failing(Server(given))) is expected


async def test_problem_details_reach_the_user_without_hostile_characters() -> None:
    hostile = "Not\u001b]52;c;cm0=\u0007 \u202eallowed\nhere"
    error = await failing(Server(problem(403, "x", detail=hostile, required_scope="notes:read")))
    assert str(error) == "Not\ufffd]52;c;cm0=\ufffd <RLO>allowed here"
    assert isinstance(error, Forbidden)
    assert error.scope == "notes:read"


async def test_a_refusal_carries_its_code() -> None:
    error = await failing(Server(problem(400, "invalid_limit")))
    assert isinstance(error, Refused)
    assert error.code == "invalid_limit"
    error = await failing(Server(answer(422, b"?")))
    assert isinstance(error, Refused)
    assert error.code == "http_422"


async def test_an_internal_error_names_the_request() -> None:
    error = await failing(Server(problem(500, "internal_error", request_id="r-1")))
    assert "(request r-1)" in str(error)


@pytest.mark.parametrize(
    "body", [b"[]", b'{"code": 7, "detail": {}}', b'{"detail": ' + b"[" * 100_000, b"\xff", b"1"]
)
async def test_an_error_without_a_problem_is_still_its_error(body: bytes) -> None:
    assert type(await failing(Server(answer(400, body)))) is Refused


async def test_a_redirect_is_never_followed() -> None:
    server = Server(answer(302, b"", location="http://localhost/v1/labels"), answer())
    await failing(server)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "location",
    ["http://[::bad/", "http://inbox.example:99999999/", "javascript:alert(1)", "https:", ""],
)
async def test_a_redirect_to_no_address_at_all_is_still_a_redirect(location: str) -> None:
    server = Server(answer(302, b"", location=location))
    error = await failing(server)
    assert isinstance(error, BadResponse)
    assert "does not go there" in str(error)
    assert len(server.asked) == 1


NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("1000000000", 300.0),
        ("9" * 5000, 300.0),
        ("-5", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("٣", None),
        (format_datetime(datetime(2026, 3, 14, 9, 31, tzinfo=UTC), usegmt=True), 60.0),
        (format_datetime(datetime(2026, 3, 14, 9, 29, tzinfo=UTC), usegmt=True), 0.0),
        (format_datetime(datetime(2027, 3, 14, 9, 29, tzinfo=UTC), usegmt=True), 300.0),
    ],
)
def test_the_server_says_how_long_to_wait(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_a_gateway_that_fails_is_asked_three_times_with_random_pauses(status: int) -> None:
    server, pauses = Server(answer(status, b"")), Pauses()
    async with client_of(server, pauses) as client:
        with pytest.raises((Unreachable, BadResponse)):
            await client.catalogue_page(Label)
    assert len(server.asked) == 3
    assert pauses.seconds == [0.25, 0.5]


async def test_a_second_try_that_works_is_all_that_is_seen() -> None:
    server = Server(answer(502, b""), answer())
    async with client_of(server) as client:
        assert (await client.catalogue_page(Label)).data == ()


@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_says_how_long_to_wait_is_not_asked_again_before(status: int) -> None:
    server = Server(answer(status, b"", retry_after="7"))
    error = await failing(server)
    assert isinstance(error, Unreachable)
    assert error.retry_after == 7.0
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_clear_no_is_not_asked_again(status: int) -> None:
    server = Server(problem(status, "invalid_filter"))
    await failing(server)
    assert len(server.asked) == 1


def read(status: int, body: object = None, **headers: str) -> ErrorResponse:
    """An error response as it is read."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return trouble_of(Response(status, Headers(headers), content))


def raised(status: int, body: object = None, **headers: str) -> InboxError:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = Response(status, Headers(names), content)
    return failure(response, trouble_of(response), NOW)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"code": "not_found"}, "not_found"),
        ({"error": {"code": "expired"}}, "expired"),
        ({"errors": [{"code": "first"}, {"code": "second"}]}, "first"),
        ({"error": "invalid_grant"}, "invalid_grant"),
        ({"code": 7, "error": {"code": "expired"}}, "expired"),
        ({"code": "two words", "error": "x"}, "x"),
        ({"code": "a" * 64}, "a" * 64),
        ({"code": "a" * 65}, "http_400"),
        ({"code": ""}, "http_400"),
        ({"code": "ungültig"}, "http_400"),
        ({"code": "a\u0007"}, "http_400"),
        ({"type": "https://inbox.example/problems/too-long/"}, "too-long"),
        ({"type": "about:blank"}, "http_400"),
        ({"type": 7}, "http_400"),
        ({"code": "x", "type": "https://inbox.example/y"}, "x"),
        ({}, "http_400"),
        (["x"], "http_400"),
    ],
)
def test_the_code_of_an_error_is_a_word_of_the_server(body: object, code: str) -> None:
    found = read(400, body)
    assert found.code == code
    assert found.unnamed is (code == "http_400")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"title": "Bad", "detail": "No such label."}, "No such label."),
        ({"title": "Bad", "detail": " "}, "Bad"),
        ({"error": {"message": "Too long"}}, "Too long"),
        ({"errors": [{"title": "First"}]}, "First"),
        ({"errors": ["First", "Second"]}, "First"),
        ({"message": "Wrong"}, "Wrong"),
        ({"error": "invalid_grant", "error_description": "It has expired"}, "It has expired"),
        ({"detail": "two\n lines"}, "two lines"),
        ({"detail": "x" * 300}, "x" * 300),
        ({"detail": "x" * 301}, "x" * 300),
        ({"detail": {"a": 1}, "title": 7}, ""),
        ({"detail": "authors: nobody has this id"}, "by: nobody has this id"),
        ({"detail": "without_ads: too many"}, "-ad: too many"),
        ({"detail": "clock: business hours are not set"}, "Business hours are not set"),
        ({"detail": "query: No label fits blue."}, "No label fits blue."),
        ({"detail": "q: Customers are masked."}, "Customers are masked."),
        ({"detail": "query: it needs a value."}, "query: it needs a value."),
        ({"detail": "limit: too large"}, "limit: too large"),
        ({"detail": "authors"}, "authors"),
    ],
)
def test_the_sentence_of_an_error_is_for_the_user(body: object, sentence: str) -> None:
    assert read(400, body).sentence == sentence


def test_a_problem_of_at_most_64_kib_is_read() -> None:
    body = json.dumps({"detail": "Wrong", "rest": ""}).encode()
    padded = body[:-2] + b"x" * (65_536 - len(body)) + body[-2:]
    assert len(padded) == 65_536
    assert read(400, padded).sentence == "Wrong"
    assert read(400, padded + b" ").sentence == ""


@pytest.mark.parametrize(
    ("body", "headers", "reference"),
    [
        ({"request_id": "r-1"}, {"x-request-id": "r-2"}, " (request r-1)"),
        ({}, {"x-request-id": "r-2"}, " (request r-2)"),
        ({"request_id": "r" * 64}, {}, f" (request {'r' * 64})"),
        ({"request_id": "r" * 65}, {}, ""),
        ({"request_id": 7}, {}, ""),
        ({"request_id": "ü"}, {}, ""),
        ({"request_id": "a\u0007"}, {}, ""),
        ({}, {}, ""),
    ],
)
def test_the_reference_of_an_error_is_a_request_id(
    body: object, headers: dict[str, str], reference: str
) -> None:
    assert read(500, body, **headers).reference == reference


def test_scopes_are_those_that_the_server_names() -> None:
    found = read(403, {"required_scope": "notes:read", "key_scopes": ["a", 7]})
    assert (found.scope, found.key_scopes) == ("notes:read", ("a", "7"))
    found = read(403, {"required_scope": 7, "key_scopes": "a"})
    assert (found.scope, found.key_scopes) == (None, None)


@pytest.mark.parametrize("status", [400, 410, 422])
@pytest.mark.parametrize("code", ["bad_cursor", "page_token", "pagination", "starting_after"])
def test_a_cursor_is_blamed_by_its_code(status: int, code: str) -> None:
    assert read(status, {"code": code}).blames_cursor
    assert type(raised(status, {"code": code})) is CursorRefused
    # What has no code may be about anything.
    assert read(status, {}).blames_cursor
    assert type(raised(status, {})) is Refused
    assert not read(status, {"code": "invalid_label"}).blames_cursor
    assert not read(409, {"code": code}).blames_cursor


@pytest.mark.parametrize(
    ("status", "body", "no_such_path"),
    [
        (404, {"code": "route_not_found"}, True),
        (400, {"code": "not_implemented"}, True),
        (400, {"code": "method_not_allowed"}, True),
        (405, {}, True),
        (501, {}, True),
        (404, {"code": "not_found"}, False),
    ],
)
def test_a_path_that_is_not_there_is_no_missing_row(
    status: int, body: object, no_such_path: bool
) -> None:
    assert read(status, body).no_such_path is no_such_path
    assert (type(raised(status, body)) is NotOffered) is no_such_path


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "The server refuses the key"),
        (403, "The key may not read this"),
        (405, "The server does not offer this"),
        (404, "The server does not have this"),
        (400, "The server answered 400 Bad Request"),
        (499, "The server answered 499"),
        (429, "The server answered 429 Too Many Requests"),
        (500, "The server answered 500 Internal Server Error"),
        (300, "The server sends the client elsewhere: it does not go there"),
        (399, "The server sends the client elsewhere: it does not go there"),
    ],
)
def test_a_server_that_says_nothing_is_described_by_its_status(status: int, words: str) -> None:
    assert str(raised(status)) == words
    if not 300 <= status < 400:
        assert str(raised(status, {"detail": "Why"})).startswith("Why")


def test_a_redirect_is_said_with_its_host_alone() -> None:
    error = raised(301, location="https://user:secret@other.example:8443/path?key=1")
    assert str(error) == (
        "The server sends the client to https://other.example: it does not go there"
    )
    long = raised(301, location=f"https://{'a' * 200}.example/")
    assert len(str(long)) == len("The server sends the client : it does not go there") + 100


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "0", "ratelimit": '"default";r=0;t=9'}, 0.0),
        ({"ratelimit": '"default";r=0;t=9'}, 9.0),
        ({"ratelimit": '"default";r=1;t=9'}, None),
        ({"ratelimit_remaining": "0", "ratelimit_reset": "8"}, 8.0),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "8"}, 8.0),
        ({"x_ratelimit_remaining": "1", "x_ratelimit_reset": "8"}, None),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "soon"}, None),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1000000000"}, 300.0),
        # A moment: a minute after `NOW`.
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1773480660"}, 60.0),
        ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1773480540"}, 0.0),
        (
            {
                "retry_after": "Sat, 14 Mar 2026 12:00:30 GMT",
                "date": "Sat, 14 Mar 2026 12:00:00 GMT",
            },
            30.0,
        ),
        ({}, None),
    ],
)
def test_a_server_says_when_to_try_again(headers: dict[str, str], seconds: float | None) -> None:
    error = raised(429, **headers)
    assert isinstance(error, Unreachable)
    assert error.retry_after == seconds
