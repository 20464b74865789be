"""Faults of a network and of what stands in it, each over real connections."""

import asyncio
import gzip
import json
import logging
import ssl
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import httpx
import pytest
from tests.client.prepared import ALL, CONVERSATION, EMPTY, KEY
from tests.client.sockets import Scripted, babble, raw, serving
from tests.client.test_network import self_signed

from frontdesk.client import InboxClient
from frontdesk.client.connections import lost
from frontdesk.client.pacing import AT_ONCE
from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.wire import PartialPage

__all__ = ["self_signed"]

ROWS = json.dumps({"data": [CONVERSATION], "next_cursor": None, "has_more": False}).encode()
WHOLE = raw(ROWS)
HANG_UP, ABORT = Scripted.HANG_UP, Scripted.ABORT
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


class Clock:
    """Seconds that pass when the test says so, or when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


def client_at(url: str, clock: Clock | None = None, **options: float) -> InboxClient:
    clock = clock or Clock()
    return InboxClient(
        url, KEY, sleep=clock.sleep, clock=clock, chance=lambda: 0.5, now=lambda: NOW, **options
    )


# Truncated and broken off (faults 2, 3)

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


# Bodies that are no answers (faults 4, 5)


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
async def test_what_is_no_answer_is_one_error(body: bytes) -> None:
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


# Refusals (faults 6)


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
            await client.label_page()
        with pytest.raises(error):
            await client.label_page()
    assert len(server.requests) == 1


# Pauses (faults 7)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": format_datetime(NOW + timedelta(seconds=60), usegmt=True)}, 60.0),
        (
            {
                "retry_after": format_datetime(NOW + timedelta(hours=5, seconds=60), usegmt=True),
                "date": format_datetime(NOW + timedelta(hours=5), usegmt=True),
            },
            60.0,
        ),
        ({"retry_after": "1000000000"}, 300.0),
        ({"ratelimit": '"default";r=0;t=9'}, 9.0),
        ({"ratelimit_remaining": "0", "ratelimit_reset": "11"}, 11.0),
        (
            {
                "x_ratelimit_remaining": "0",
                "x_ratelimit_reset": str(int(NOW.timestamp()) + 12),
            },
            12.0,
        ),
        ({"retry_after": "5", "ratelimit": '"default";r=0;t=2'}, 5.0),
    ],
    ids=["seconds", "date", "their date", "for ever", "limit", "older", "oldest", "both"],
)
async def test_a_pause_that_one_pane_is_told_holds_for_all(
    told: dict[str, str], seconds: float
) -> None:
    """V51"""
    clock, server = Clock(), Scripted(raw(b"", "429 Too Many Requests", **told), raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        with pytest.raises(Unreachable) as caught:
            await client.conversation_page(ALL)
        assert caught.value.retry_after == seconds
        with pytest.raises(Unreachable, match="pause") as caught:
            await client.label_page()
        assert caught.value.retry_after == seconds
        assert len(server.requests) == 1
        clock.seconds += seconds - 1
        await client.label_page()
        assert clock.slept == [1.0]


@pytest.mark.parametrize("told", ["", "-5", "soon"])
async def test_without_a_word_on_how_long_the_pauses_grow(told: str) -> None:
    """V51"""
    clock, server = Clock(), Scripted(raw(b"", "429 Too Many Requests", retry_after=told))
    waits = []
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(8):
            with pytest.raises(Unreachable) as caught:
                await client.label_page()
            assert caught.value.retry_after is not None
            waits.append(caught.value.retry_after)
            clock.seconds += caught.value.retry_after
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


async def test_a_limit_that_is_used_up_is_not_run_against() -> None:
    clock = Clock()
    server = Scripted(raw(EMPTY, ratelimit='"default";r=0;t=1'), raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        await client.label_page()
        await client.label_page()
    assert clock.slept == [1.0]


# Failing servers (faults 8)


async def test_a_failing_server_that_recovers_is_all_right() -> None:
    """V52"""
    bad = raw(b"<h1>Bad Gateway</h1>", "502 Bad Gateway", content_type="text/html")
    server = Scripted(bad, raw(b"", "503 Service Unavailable"), WHOLE)
    clock = Clock()
    async with serving(server) as url, client_at(url, clock) as client:
        assert len((await client.conversation_page(ALL)).data) == 1
    assert clock.slept == [0.25, 0.5]


async def test_a_server_that_stays_silent_is_left_alone_then_tried_by_one() -> None:
    clock, server = Clock(), Scripted(raw(b"", "502 Bad Gateway"))
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.label_page()
        asked = len(server.requests)
        with pytest.raises(Unreachable, match="asked again in 30 seconds") as caught:
            await client.team_page()
        assert caught.value.retry_after == 30.0
        assert len(server.requests) == asked
        clock.seconds += 30
        outcomes = await asyncio.gather(
            *(client.label_page() for _ in range(4)), return_exceptions=True
        )
        assert all(isinstance(outcome, Unreachable) for outcome in outcomes)
        assert len(server.requests) == asked + 3
        with pytest.raises(Unreachable, match="asked again"):
            await client.label_page()


async def test_a_server_that_is_back_is_there_for_all() -> None:
    clock = Clock()
    server = Scripted(*[raw(b"", "502 Bad Gateway")] * 15, raw(EMPTY))
    async with serving(server) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.label_page()
        clock.seconds += 30
        for _ in range(3):
            await client.label_page()


async def test_whoever_tries_a_silent_server_and_is_called_back_leaves_it_to_the_next() -> None:
    waiting = asyncio.Event()
    bad = (raw(b"", "502 Bad Gateway"), HANG_UP)
    clock, script = Clock(), Scripted(*[bad] * 15, raw(EMPTY))

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(script.requests) == 15 and not waiting.is_set():
            waiting.set()
            await reader.read()
        else:
            await script(reader, writer)

    async with serving(talk) as url, client_at(url, clock) as client:
        for _ in range(5):
            with pytest.raises(Unreachable):
                await client.label_page()
        clock.seconds += 30
        trial = asyncio.create_task(client.label_page())
        await waiting.wait()
        trial.cancel()
        with pytest.raises(asyncio.CancelledError):
            await trial
        await client.label_page()


async def test_requests_that_are_called_back_leave_their_places_to_others() -> None:
    asked = asyncio.Semaphore(0)
    held = True

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.release()
        if held:
            await reader.read()
        writer.write(raw(EMPTY))
        await writer.drain()

    async with serving(talk) as url, client_at(url) as client:
        requests = [asyncio.create_task(client.label_page()) for _ in range(AT_ONCE + 3)]
        for _ in range(AT_ONCE):
            await asked.acquire()
        assert asked.locked()
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
        held = False
        await client.label_page()


# Clocks (faults 12)


@pytest.mark.parametrize("hours", [-3, 0, 5])
async def test_a_clock_that_is_wrong_is_noticed(hours: int) -> None:
    date = format_datetime(NOW + timedelta(hours=hours), usegmt=True)
    async with serving(Scripted(raw(EMPTY, date=date))) as url, client_at(url) as client:
        await client.label_page()
        skew = client.server.clock_skew
    assert skew is not None
    assert abs(skew - timedelta(hours=hours)) <= timedelta(seconds=1)


@pytest.mark.parametrize("date", ["", "yesterday", "Sat, 99 Mar 2026 09:30:00 GMT"])
async def test_a_server_that_does_not_tell_the_time_has_none(date: str) -> None:
    async with serving(Scripted(raw(EMPTY, date=date))) as url, client_at(url) as client:
        await client.label_page()
        assert client.server.clock_skew is None


# Sizes (faults 17)


@pytest.mark.parametrize(
    "huge",
    [
        raw(b"[" + b" " * 9 * 2**20 + b"]"),
        raw(gzip.compress(b" " * 100_000_000), content_encoding="gzip"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n" + b" " * 9 * 2**20,
    ],
    ids=["a page", "a bomb", "without end"],
)
async def test_what_is_too_large_is_left_at_eight_megabytes(huge: bytes) -> None:
    server = Scripted((huge, HANG_UP))
    async with serving(server) as url, client_at(url) as client:
        with pytest.raises(BadResponse, match="larger than 8 MiB"):
            await client.label_page()
    assert len(server.requests) == 1


async def test_more_labels_than_anyone_has_are_read() -> None:
    labels = [{"id": str(n), "title": f"label {n}"} for n in range(20_000)]
    server = Scripted(raw(json.dumps(labels).encode()))
    async with serving(server) as url, client_at(url) as client:
        assert len((await client.label_page()).data) == 20_000


# Secrets (faults 21, 22)


@pytest.mark.parametrize(
    "answer",
    [
        (b"", ABORT),
        (raw(b"{"), HANG_UP),
        (raw(b"", "500 Internal Server Error"), HANG_UP),
        (raw(b"", "401 Unauthorized"), HANG_UP),
        (b"HTTP/9 nonsense\r\n\r\n", HANG_UP),
    ],
)
async def test_the_key_stands_in_no_error_no_log_and_no_traceback_with_locals(
    answer: tuple[bytes, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(Scripted(answer)) as url, client_at(url) as client:
        with pytest.raises(InboxError) as caught:
            await client.label_page()
        told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        said = "".join(told.format()) + repr(client) + repr(client.server) + caplog.text
    assert KEY not in said
    assert "label_page" in said


# TLS (faults 23, 26)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (10, "expired"),
        (9, "clock of this machine"),
        (18, "by itself"),
        (62, "another name"),
        (64, "another address"),
        (20, "authority"),
        (7, "certificate fails"),
    ],
)
def test_a_certificate_that_fails_is_told_in_plain_words(code: int, words: str) -> None:
    reason = ssl.SSLCertVerificationError("certificate verify failed")
    reason.verify_code = code
    error = httpx.ConnectError("failed")
    error.__cause__ = reason
    told, again = lost(error)
    assert words in str(told)
    assert not again


async def test_a_certificate_of_one_s_own_is_refused_whatever_the_environment_says(
    self_signed: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "it"))
    server = Scripted(WHOLE)
    async with serving(server, self_signed) as url, client_at(url) as client:
        with pytest.raises(Unreachable, match="signed by itself alone"):
            await client.label_page()
    assert not server.requests


async def test_a_certificate_for_another_name_is_refused(
    self_signed: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("certifi.where", lambda: str(tmp_path / "it"))
    async with serving(Scripted(WHOLE), self_signed) as url, client_at(url) as client:
        with pytest.raises(Unreachable, match="for another"):
            await client.label_page()


async def test_a_server_without_tls_is_told_from_one_that_is_gone() -> None:
    async with serving(babble) as url, client_at(url.replace("http:", "https:")) as client:
        with pytest.raises(Unreachable, match="does not speak TLS"):
            await client.label_page()


# Elsewhere (faults 25)


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary", "308 P"])
async def test_nobody_is_sent_elsewhere_with_the_key(status: str) -> None:
    elsewhere = Scripted(WHOLE)
    async with serving(elsewhere) as other:
        for location in (other, f"{other}/v1/labels", "/v1/labels"):
            server = Scripted(raw(b"", status, location=location))
            async with serving(server) as url, client_at(url) as client:
                with pytest.raises(BadResponse, match="does not go there"):
                    await client.label_page()
            assert len(server.requests) == 1
    assert not elsewhere.requests


async def test_an_address_in_a_body_is_never_opened() -> None:
    elsewhere = Scripted(WHOLE)
    async with serving(elsewhere) as other:
        body = {"items": [{"id": "1", "title": "a"}], "next": f"{other}/v1/labels?cursor=c2"}
        server = Scripted(raw(json.dumps(body).encode()), raw(EMPTY))
        async with serving(server) as url, client_at(url) as client:
            assert len([row async for row in client.labels()]) == 1
        assert b"cursor=c2" in server.requests[1]
    assert not elsewhere.requests
