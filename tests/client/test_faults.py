"""Faults of networks and of proxies in them, over real connections."""

import gzip
import json
import re
from datetime import timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.client.faulty import ABORT, HANG_UP, NOW, ROWS, WHOLE, client_at
from tests.client.prepared_server import ALL, CONVERSATION, EMPTY
from tests.client.sockets import Scripted, raw, serving

from frontdesk.client import InboxClient
from frontdesk.client.server_info import ServerState
from frontdesk.errors import (
    AnswerTooLarge,
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.wire import Label, PartialPage

# Truncated and broken off

PACKED = gzip.compress(ROWS)


@pytest.mark.parametrize(
    "broken",
    [
        (raw(ROWS[:-20], content_length=str(len(ROWS))), HANG_UP),
        (raw(ROWS[:20], content_length=str(len(ROWS))), ABORT),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{", HANG_UP),
        (b"HTTP/1.0 200 OK\r\n\r\n" + ROWS[:-20], HANG_UP),
        (raw(PACKED[:-9], content_encoding="gzip"), HANG_UP),
        (b"", HANG_UP),
        (b"", ABORT),
        (b"HTTP/1.1 200", HANG_UP),
    ],
    ids=["length", "reset in the body", "chunk", "HTTP/1.0", "gzip", "empty", "reset", "head"],
)
async def test_half_an_answer_is_never_taken_and_asked_for_again(
    broken: tuple[bytes, str],
) -> None:
    server = Scripted(broken, (WHOLE, HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        assert len((await client.conversation_page(ALL)).data) == 1
    assert len(server.requests) == 2


async def test_half_an_answer_three_times_is_an_error() -> None:
    server = Scripted((b"HTTP/1.0 200 OK\r\n\r\n" + ROWS[:-20], HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        with pytest.raises(BadResponse, match="cut short"):
            await client.conversation_page(ALL)
    assert len(server.requests) == 3


async def test_a_connection_that_was_closed_in_the_meantime_is_opened_again() -> None:
    server = Scripted((WHOLE, HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        for _ in range(3):
            await client.conversation_page(ALL)
    assert server.connections == 3


async def test_a_name_that_nobody_has_is_unreachable() -> None:
    async with client_at("https://nobody.invalid", deadline_seconds=1.0) as client:
        with pytest.raises(Unreachable):
            await client.conversation_page(ALL)


# Bodies that are no answers


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": [}',
        b"\xff\xfe\x00",
        b'{"data": [{"id": "\xff"}]}',
        b'{"data": ' + b"[" * 100_000,
        b'{"data": [{"id": ' + b"1" * 5000 + b"}]}",
        b"NaN",
        b"",
    ],
    ids=["malformed", "no text", "broken text", "deep", "a long number", "NaN", "empty"],
)
async def test_every_unparsable_body_raises_bad_response(body: bytes) -> None:
    async with serving(Scripted(raw(body))) as url, client_at(url) as client:
        with pytest.raises(BadResponse):
            await client.conversation_page(ALL)


@pytest.mark.parametrize("status", ["200 OK", "203 Non-Authoritative Information"])
async def test_the_page_of_a_proxy_asks_whether_the_address_is_right(status: str) -> None:
    page = raw(b"<!DOCTYPE html><h1>Log in to the network</h1>", status, content_type="text/html")
    async with serving(Scripted(page)) as url, client_at(url) as client:
        with pytest.raises(BadResponse, match="web page: is the address right"):
            await client.conversation_page(ALL)


async def test_json_of_another_content_type_is_still_json() -> None:
    server = Scripted(raw(ROWS, content_type="text/plain; charset=latin-1"))
    async with serving(server) as url, client_at(url) as client:
        assert len((await client.conversation_page(ALL)).data) == 1


async def test_a_row_that_cannot_be_read_costs_that_row() -> None:
    body = json.dumps({"data": [CONVERSATION, 7], "next_cursor": None, "has_more": False})
    async with serving(Scripted(raw(body.encode()))) as url, client_at(url) as client:
        page = await client.conversation_page(ALL)
    assert isinstance(page, PartialPage)
    assert (len(page.data), page.unreadable) == (1, 1)


# Refusals


@pytest.mark.parametrize(
    ("status", "error"),
    [
        ("401 Unauthorized", Unauthorised),
        ("403 Forbidden", Forbidden),
        ("404 Not Found", NotFound),
    ],
)
async def test_a_refusal_is_not_retried(status: str, error: type[InboxError]) -> None:
    server = Scripted(raw(b"", status))
    async with serving(server) as url, client_at(url) as client:
        with pytest.raises(error):
            await client.catalogue_page(Label)
        with pytest.raises(error):
            await client.catalogue_page(Label)
    assert len(server.requests) == 1


# Clocks


@pytest.mark.parametrize("hours", [-3, 0, 5])
async def test_a_clock_that_is_wrong_is_noticed(hours: int) -> None:
    date = format_datetime(NOW + timedelta(hours=hours), usegmt=True)
    async with serving(Scripted(raw(EMPTY, date=date))) as url, client_at(url) as client:
        await client.catalogue_page(Label)
        skew = client.server.clock_skew
    assert skew is not None
    assert abs(skew - timedelta(hours=hours)) <= timedelta(seconds=1)


@given(
    st.floats(-10, 10),
    st.floats(0, 3),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20),
)
def test_the_skew_of_a_clock_that_goes_alike_is_corrected_at_most_once(
    ahead: float, latency: float, answers: list[tuple[float, float]]
) -> None:
    """Each answer: where in its request the server wrote the date, and when in a second."""
    now = NOW
    state = ServerState("", lambda: now)
    skews = []
    for number, (share, fraction) in enumerate(answers):
        now = NOW + timedelta(seconds=10 * number + fraction)
        written = now + timedelta(seconds=ahead - latency * share)
        state.answered(latency, 0, written.replace(microsecond=0))
        skews.append(state.server().clock_skew)
    changes = [before != after for before, after in pairwise(skews)]
    assert sum(changes) <= 1


@pytest.mark.parametrize("date", ["", "yesterday", "Sat, 99 Mar 2026 09:30:00 GMT"])
async def test_a_server_that_does_not_send_the_time_has_none(date: str) -> None:
    async with serving(Scripted(raw(EMPTY, date=date))) as url, client_at(url) as client:
        await client.catalogue_page(Label)
        assert client.server.clock_skew is None


# Sizes


@pytest.mark.parametrize(
    "huge",
    [
        raw(b"[" + b" " * 9 * 2**20 + b"]"),
        raw(gzip.compress(b" " * 100_000_000), content_encoding="gzip"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b" " * 9 * 2**20,
    ],
    ids=["a page", "a bomb", "without end"],
)
async def test_bodies_over_8_mib_are_abandoned_and_requested_with_half_as_many_rows(
    huge: bytes,
) -> None:
    server = Scripted((huge, HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        with pytest.raises(AnswerTooLarge, match="larger than 8 MiB"):
            await client.catalogue_page(Label, limit=9)
    assert [request_limit(each) for each in server.requests] == [9, 4, 2, 1]


async def test_a_page_that_is_too_large_is_read_with_fewer_rows() -> None:
    huge = raw(b"[" + b" " * 9 * 2**20 + b"]")
    server = Scripted((huge, HANG_UP), (huge, HANG_UP), (WHOLE, HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        assert (await client.catalogue_page(Label, limit=50)).data
    assert [request_limit(each) for each in server.requests] == [50, 25, 12]


def request_limit(request: bytes) -> int:
    found = re.search(rb"[?&]limit=(\d+)", request)
    assert found is not None
    return int(found[1])


async def test_more_labels_than_anyone_has_are_read() -> None:
    labels = [{"id": str(n), "title": f"label {n}"} for n in range(100_000)]
    server = Scripted(raw(json.dumps(labels).encode()))
    async with serving(server) as url, client_at(url) as client:
        assert len((await client.catalogue_page(Label)).data) == 100_000


async def test_a_service_in_this_process_that_raises_is_a_failure_of_the_server():
    async def broken(scope: object, receive: object, send: object) -> None:
        raise ValueError("of a bug")

    async with InboxClient("http://localhost", "fd_live_x", app=broken) as client:
        with pytest.raises(BadResponse, match="The server answered 500"):
            await client.counts()
