"""The client: against the service itself, and against servers that fail in every way."""

import asyncio
import contextlib
import gzip
import json
import logging
import shutil
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import certifi
import pytest

from frontdesk.client import InboxClient
from frontdesk.client.failures import retry_after
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    CursorRefused,
    Forbidden,
    InboxError,
    NotFound,
    Refused,
    Unauthorised,
    Unreachable,
)
from frontdesk.wire import ConversationFilter, Page, PartialPage

KEY = "fd_live_0123456789abcdef"
ALL = ConversationFilter()
EMPTY = b'{"data": [], "next_cursor": null, "has_more": false}'
CONVERSATION = {
    "id": "1",
    "status": "open",
    "channel": {"id": "1"},
    "contact": {"id": "1"},
    "last_activity_at": "2026-03-14T09:26:53.000Z",
}
Scope = dict[str, Any]


class Server:
    """An ASGI application that gives prepared answers, the last one for ever."""

    def __init__(self, *answers: tuple[int, Mapping[str, str], bytes]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []

    async def __call__(
        self,
        scope: Scope,
        receive: Callable[[], Awaitable[Scope]],
        send: Callable[[Scope], Awaitable[None]],
    ) -> None:
        path = scope["raw_path"].decode()
        query = scope["query_string"].decode()
        self.asked.append(f"{path}?{query}" if query else path)
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


def answer(
    status: int = 200, body: bytes | dict[str, Any] = EMPTY, **headers: str
) -> tuple[int, Mapping[str, str], bytes]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"content-type": "application/json", **named}, text


def problem(status: int, code: str, **members: Any) -> tuple[int, Mapping[str, str], bytes]:
    document = {"type": f"tag:{code}", "title": "A title", "status": status, "code": code}
    return answer(status, {**document, **members}, content_type="application/problem+json")


class Pauses:
    """Stands for sleeping: remembers how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_of(server: Server, pauses: Pauses | None = None) -> InboxClient:
    return InboxClient(
        "http://localhost", KEY, app=server, sleep=pauses or Pauses(), chance=lambda: 0.5
    )


async def failing(server: Server) -> InboxError:
    async with client_of(server) as client:
        with pytest.raises(InboxError) as caught:
            await client.conversation_page(ALL)
    assert KEY not in str(caught.value)
    return caught.value


# The service itself


async def test_every_list_of_the_service_can_be_read(client: InboxClient) -> None:
    conversations = await client.conversation_page(ConversationFilter(status="open"))
    assert type(conversations) is not PartialPage
    first = conversations.data[0]
    pages: Sequence[Page[Any]] = [
        conversations,
        await client.message_page(first.id),
        await client.note_page(first.id),
        await client.label_page(),
        await client.custom_field_page(),
        await client.user_page(),
        await client.channel_page(),
    ]
    assert not any(isinstance(page, PartialPage) for page in pages)
    assert [bool(page.data) for page in pages] == [True, True, bool(pages[2].data)] + [True] * 4
    counts = await client.counts(ConversationFilter(status="open", assignee="me"))
    assert counts.open >= len(conversations.data)


async def test_pages_of_the_service_follow_each_other(client: InboxClient) -> None:
    first = await client.conversation_page(ALL, limit=10)
    second = await client.conversation_page(ALL, limit=10, cursor=first.next_cursor)
    assert not {row.id for row in first.data} & {row.id for row in second.data}
    assert first.data[-1].last_activity_at >= second.data[0].last_activity_at


async def test_a_contact_of_the_service_is_found_by_phone(client: InboxClient) -> None:
    conversations = (await client.conversation_page(ALL)).data
    contact = next(row.contact for row in conversations if row.contact.phone)
    assert contact.phone is not None
    assert (await client.contact_by_phone(contact.phone)).id == contact.id


async def test_the_service_refuses_what_the_client_makes_typed_errors_of(
    client: InboxClient, service: Any
) -> None:
    with pytest.raises(NotFound):
        await client.message_page("99999999")
    with pytest.raises(NotFound):
        await client.message_page("../conversations")
    with pytest.raises(CursorRefused):
        await client.conversation_page(ALL, cursor="v1.forged.0")
    with pytest.raises(Refused):
        await client.conversation_page(ConversationFilter(status="pending"))
    async with InboxClient("http://localhost", KEY, app=service) as stranger:
        with pytest.raises(Unauthorised):
            await stranger.counts()


# What is sent


async def test_each_method_asks_its_own_path() -> None:
    server = Server(answer())
    async with client_of(server) as client:
        await client.conversation_page(
            ConversationFilter(status="open", label="a b"), limit=10, cursor="c="
        )
        await client.message_page("a/b")
        await client.note_page("..")
        await client.contact_page("Zoë & co")
        for read in (client.label_page, client.custom_field_page, client.user_page):
            await read()
        await client.team_page()
        await client.channel_page()
        await client.canned_response_page()
        await client.template_page()
    assert server.asked == [
        "/v1/conversations?status=open&label=a+b&limit=10&cursor=c%3D",
        "/v1/conversations/a%2Fb/messages?limit=50",
        "/v1/conversations/%2E%2E/notes?limit=50",
        "/v1/contacts?q=Zo%C3%AB+%26+co&limit=50",
        "/v1/labels?limit=100",
        "/v1/custom-fields?limit=100",
        "/v1/users?limit=100",
        "/v1/teams?limit=100",
        "/v1/channels?limit=100",
        "/v1/canned-responses?limit=100",
        "/v1/templates?limit=100",
    ]


async def test_counts_ask_without_an_assignee_and_a_phone_keeps_its_plus() -> None:
    server = Server(answer(body={}), answer(body={"id": "1"}))
    async with client_of(server) as client:
        await client.counts(ConversationFilter(status="open", assignee="me", channel="1"))
        await client.contact_by_phone("+16505551234")
    assert server.asked == [
        "/v1/conversations/counts?status=open&channel=1",
        "/v1/contacts/by-phone/%2B16505551234",
    ]


async def test_the_key_is_sent_as_a_bearer_and_answers_may_only_be_gzip() -> None:
    server = Server(answer())
    async with client_of(server) as client:
        await client.label_page()
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["accept-encoding"] == "gzip"


# Address and key


@pytest.mark.parametrize(
    "text",
    [
        "https://inbox.example",
        "https://inbox.example/",
        "https://inbox.example/v1",
        " https://inbox.example/v1/ ",
    ],
)
async def test_an_address_is_the_same_with_and_without_slash_and_version(text: str) -> None:
    async with InboxClient(text, KEY) as client:
        assert client.identity.startswith("https://inbox.example ")
        assert repr(client) == "InboxClient('https://inbox.example')"


@pytest.mark.parametrize(
    "text",
    [
        "http://inbox.example",
        "http://192.168.1.20:8080",
        "http://localhost.example",
        "ftp://inbox.example",
        "inbox.example",
        "https://",
        "https://ana:secret@inbox.example",
        "https://inbox.example/?a=b",
        "https://inbox.example:port",
        "https://[::1",
    ],
)
def test_an_address_that_would_show_the_key_or_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(BadSettings) as caught:
        InboxClient(text, KEY)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("host", ["localhost:8080", "127.0.0.1", "127.8.9.1:80", "[::1]:8080"])
async def test_plain_http_is_for_this_machine(host: str) -> None:
    async with InboxClient(f"http://{host}", KEY) as client:
        assert client.identity.startswith(f"http://{host} ")


@pytest.mark.parametrize("key", ["", "with space", "line\nbreak", "ключ", "k" * 513])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(BadSettings) as caught:
        InboxClient("https://inbox.example", key)
    assert not key or key not in str(caught.value)


async def test_the_identity_tells_keys_apart_without_telling_them() -> None:
    async with (
        InboxClient("https://inbox.example", KEY) as one,
        InboxClient("https://inbox.example", KEY + "x") as other,
    ):
        assert one.identity != other.identity
        assert KEY not in one.identity + repr(one)


async def test_only_an_https_address_costs_a_tls_context(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = certifi.where

    def where() -> str:
        read.append(original())
        return original()

    monkeypatch.setattr("certifi.where", where)
    async with InboxClient("http://localhost", KEY):
        assert not read
    async with InboxClient("https://inbox.example", KEY):
        assert len(read) == 1


async def test_nothing_of_the_environment_changes_the_way_to_the_server(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys"))
    async with serving(http(EMPTY)) as url, InboxClient(url, KEY) as client:
        await client.label_page()
    async with InboxClient("https://127.0.0.1:1", KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.label_page()
    assert not (tmp_path / "keys").exists()


# Answers that are errors


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (problem(401, "invalid_key"), Unauthorised),
        (problem(403, "account_disabled"), Forbidden),
        (problem(404, "route_not_found"), NotFound),
        (problem(400, "invalid_filter"), Refused),
        (problem(400, "invalid_cursor"), CursorRefused),
        (problem(400, "cursor_mismatch"), CursorRefused),
        (problem(405, "method_not_allowed"), Refused),
        (problem(429, "rate_limited"), Unreachable),
        (problem(500, "internal_error"), BadResponse),
        (problem(503, "service_unavailable"), Unreachable),
        (answer(502, b"<html>Bad gateway</html>"), Unreachable),
        (answer(504, b""), Unreachable),
        (answer(501, b"?"), BadResponse),
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


async def test_what_the_problem_says_reaches_the_user_without_hostile_characters() -> None:
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
def test_the_server_tells_how_long_to_wait(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


# Tries


@pytest.mark.parametrize("status", [502, 503, 504])
async def test_a_gateway_that_fails_is_asked_three_times_with_random_pauses(status: int) -> None:
    server, pauses = Server(answer(status, b"")), Pauses()
    async with client_of(server, pauses) as client:
        with pytest.raises(Unreachable):
            await client.label_page()
    assert len(server.asked) == 3
    assert pauses.seconds == [0.25, 0.5]


async def test_a_second_try_that_works_is_all_that_is_seen() -> None:
    server = Server(answer(502, b""), answer())
    async with client_of(server) as client:
        assert (await client.label_page()).data == ()


@pytest.mark.parametrize("status", [429, 503])
async def test_a_server_that_tells_how_long_to_wait_is_not_asked_again(status: int) -> None:
    server = Server(answer(status, b"", retry_after="7"))
    error = await failing(server)
    assert isinstance(error, Unreachable)
    assert error.retry_after == 7.0
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
async def test_a_clear_no_is_not_asked_again(status: int) -> None:
    server = Server(answer(status, b""))
    await failing(server)
    assert len(server.asked) == 1


# Bodies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"<!DOCTYPE html><title>Log in</title>",
        b'{"data": ',
        b'{"data": {}}',
        b'{"items": []}',
        b'{"data": [{"id": 5}, 7, null]}',
        b'{"data": [], "next_cursor": 5}',
        b'{"data": [], "extra": "\xff"}',
        b'{"data": [], "extra": ' + b"[" * 100_000 + b"}",
        b'{"data": [{"id": ' + b"9" * 5000 + b"}]}",
        b'{"data": [{"id": NaN}]}',
        b'{"data": [{"id": "\\ud800"}]}',
    ],
)
async def test_a_body_that_is_not_a_page_is_one_clear_error(body: bytes) -> None:
    assert type(await failing(Server(answer(200, body)))) is BadResponse


async def test_a_web_page_instead_of_json_asks_whether_the_address_is_right() -> None:
    assert "address" in str(
        await failing(Server(answer(200, b"\n<html>", content_type="text/html")))
    )


async def test_a_row_that_cannot_be_read_costs_that_row_only() -> None:
    body = {"data": [CONVERSATION, {"id": 5}, None], "next_cursor": "c", "has_more": True}
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert isinstance(page, PartialPage)
    assert ([row.id for row in page.data], page.unreadable) == (["1"], 2)
    assert (page.next_cursor, page.has_more) == ("c", True)


async def test_members_and_words_that_are_not_known_do_no_harm() -> None:
    row = {**CONVERSATION, "status": "pending", "priority": 3, "labels": ["vip"]}
    body = b"\xef\xbb\xbf" + json.dumps({"data": [row], "total": 9}).encode()
    async with client_of(Server(answer(200, body))) as client:
        page = await client.conversation_page(ALL)
    assert (page.data[0].status, page.data[0].labels) == ("pending", ("vip",))


async def test_hostile_characters_do_not_come_in() -> None:
    row = {**CONVERSATION, "contact": {"id": "1", "name": "\u001b[2J\u009b\u202e"}}
    async with client_of(Server(answer(200, {"data": [row]}))) as client:
        page = await client.conversation_page(ALL)
    assert page.data[0].contact.name == "\ufffd[2J\ufffd<RLO>"


async def test_gzip_is_unpacked() -> None:
    packed = gzip.compress(json.dumps({"data": [CONVERSATION]}).encode())
    async with client_of(Server(answer(200, packed, content_encoding="gzip"))) as client:
        assert len((await client.conversation_page(ALL)).data) == 1


@pytest.mark.parametrize(
    ("packed", "packing"),
    [
        (gzip.compress(EMPTY)[:-9], "gzip"),
        (gzip.compress(b" " * 300_000_000), "gzip"),
        (EMPTY, "gzip"),
        (EMPTY, "br"),
        (EMPTY + b" " * 2**23, "identity"),
    ],
    ids=["truncated", "bomb", "not packed", "unasked", "huge"],
)
async def test_a_body_that_cannot_be_trusted_is_refused(packed: bytes, packing: str) -> None:
    given = answer(200, packed, content_encoding=packing, content_length=str(len(packed)))
    assert type(await failing(Server(given))) is BadResponse


async def test_a_body_shorter_than_announced_is_refused() -> None:
    given = answer(200, EMPTY, content_length="1000")
    assert "cut short" in str(await failing(Server(given)))


async def test_an_application_that_fails_is_an_answer() -> None:
    async def failing_application(scope: Scope, receive: object, send: object) -> None:
        raise RuntimeError("a bug of the service")

    async with InboxClient("http://localhost", KEY, app=failing_application) as client:
        with pytest.raises(BadResponse):
            await client.label_page()


# The network

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(talk: Talk, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """A server on this machine; gives its address."""
    talks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        talks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                await talk(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    scheme = "https" if tls else "http"
    try:
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in talks:
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)


def http(body: bytes, *, head: str = "", length: int | None = None) -> Talk:
    """Answers one request and closes."""
    announced = len(body) if length is None else length

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        lines = f"HTTP/1.1 200 OK\r\nContent-Length: {announced}\r\nConnection: close\r\n{head}\r\n"
        writer.write(lines.encode() + body)
        await writer.drain()

    return talk


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends a byte at a time, for ever."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.001)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the request and says nothing."""
    await reader.readuntil(b"\r\n\r\n")
    await reader.read()


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the request and hangs up."""
    await reader.readuntil(b"\r\n\r\n")
    writer.transport.abort()


async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Does not speak HTTP."""
    writer.write(b"220 mail.example ESMTP\r\n")
    await writer.drain()


async def half_a_chunk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Stops in the middle of a chunk."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{")
    await writer.drain()


async def old_and_short(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Ends an answer of unknown length too early."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b'HTTP/1.0 200 OK\r\n\r\n{"data": [')
    await writer.drain()


@pytest.mark.parametrize("talk", [drip, silent])
async def test_a_server_that_takes_its_time_is_left_at_the_deadline(talk: Talk) -> None:
    async with serving(talk) as url, InboxClient(url, KEY, deadline_seconds=0.05) as client:
        with pytest.raises(Unreachable, match=r"within 0\.05 seconds"):
            await client.label_page()


@pytest.mark.parametrize("talk", [reset, babble, half_a_chunk, http(EMPTY, length=1000)])
async def test_a_connection_that_breaks_is_tried_again_and_then_unreachable(talk: Talk) -> None:
    connections = 0

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await talk(reader, writer)

    async with serving(counted) as url, InboxClient(url, KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.label_page()
    assert connections == 3


async def test_an_answer_of_unknown_length_that_ends_too_early_is_refused() -> None:
    async with serving(old_and_short) as url, InboxClient(url, KEY) as client:
        with pytest.raises(BadResponse):
            await client.label_page()


async def test_a_huge_header_is_refused() -> None:
    talk = http(EMPTY, head=f"X-Large: {'x' * 2**20}\r\n")
    async with serving(talk) as url, InboxClient(url, KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.label_page()


async def test_nobody_listening_is_unreachable() -> None:
    async with serving(babble) as url:
        pass
    pauses = Pauses()
    async with InboxClient(url, KEY, sleep=pauses) as client:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await client.label_page()
    assert len(pauses.seconds) == 2


@pytest.fixture
def self_signed(tmp_path: Path) -> ssl.SSLContext:
    """The TLS of a server with a certificate that nobody vouches for."""
    if not shutil.which("openssl"):
        pytest.skip("makes a certificate with openssl")
    request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout key -out it"
    subprocess.run(["openssl", *request.split()], cwd=tmp_path, check=True, capture_output=True)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "it", tmp_path / "key")
    return tls


async def test_a_server_that_cannot_prove_who_it_is_is_refused_at_once(
    self_signed: ssl.SSLContext,
) -> None:
    pauses = Pauses()
    async with (
        serving(http(EMPTY), self_signed) as url,
        InboxClient(url, KEY, sleep=pauses) as client,
    ):
        with pytest.raises(Unreachable, match="certificate"):
            await client.label_page()
    assert not pauses.seconds


async def test_connections_are_kept_between_requests() -> None:
    connections = 0

    async def keeps(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(EMPTY) + EMPTY)
            await writer.drain()

    async with serving(keeps) as url, InboxClient(url, KEY) as client:
        for _ in range(3):
            await client.label_page()
    assert connections == 1


async def test_a_request_that_is_not_wanted_any_more_ends_at_once() -> None:
    asked = asyncio.Event()

    async def waits(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()

    async with serving(waits) as url, InboxClient(url, KEY) as client:
        request = asyncio.create_task(client.label_page())
        await asked.wait()
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request


async def test_the_log_has_no_key_phone_search_or_cursor(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Server(answer(502, b""), answer(body={"id": "1"}), answer())
    async with client_of(server) as client:
        await client.contact_by_phone("+16505551234")
        await client.contact_page("Zanzibar", cursor="position")
    assert "GET /v1/contacts/by-phone/…" in caplog.text
    for secret in (KEY, "16505551234", "Zanzibar", "position"):
        assert secret not in caplog.text
