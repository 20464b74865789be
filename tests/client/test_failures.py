"""Error responses by status, and which are retried."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from tests.client.prepared_server import Pauses, Server, answer, client_of, failing, problem

from frontdesk.client.throttle import retry_after
from frontdesk.errors import (
    BadResponse,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    NotOffered,
    Refused,
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
        (problem(500, "internal_error"), BadResponse),
        (problem(503, "service_unavailable"), Unreachable),
        (answer(502, b"<html>Bad gateway</html>"), Unreachable),
        (answer(504, b""), Unreachable),
        (answer(501, b"?"), NotOffered),
        (answer(418, b"?"), Refused),
        (answer(404, b"<html>"), NotFound),
        (answer(599, b""), BadResponse),
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
