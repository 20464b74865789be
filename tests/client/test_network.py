"""Network faults: slow, broken and untrusted servers."""

import asyncio
import logging
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.client.prepared_server import (
    EMPTY,
    KEY,
    Pauses,
    Server,
    answer,
    client_of,
)
from tests.client.sockets import (
    Talk,
    babble,
    drip,
    half_a_chunk,
    http,
    old_and_short,
    reset,
    serving,
    silent,
)

from frontdesk.client import InboxClient, Network
from frontdesk.client.transport import Connector
from frontdesk.errors import (
    BadResponse,
    NetworkMisconfigured,
    Unreachable,
)
from frontdesk.wire import Label

PROXY = "http://proxy.example:3128"


@pytest.mark.parametrize("talk", [drip, silent])
async def test_a_server_that_takes_its_time_is_left_at_the_deadline(talk: Talk) -> None:
    async with serving(talk) as url, InboxClient(url, KEY, deadline_seconds=0.05) as client:
        with pytest.raises(Unreachable, match=r"within 0\.05 seconds"):
            await client.catalogue_page(Label)


@pytest.mark.parametrize("talk", [reset, babble, half_a_chunk, http(EMPTY, length=1000)])
async def test_a_connection_that_breaks_is_tried_again_and_then_unreachable(talk: Talk) -> None:
    connections = 0

    async def counted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await talk(reader, writer)

    async with serving(counted) as url, InboxClient(url, KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)
    assert connections == 3


async def test_an_answer_of_unknown_length_that_ends_too_early_is_refused() -> None:
    async with serving(old_and_short) as url, InboxClient(url, KEY) as client:
        with pytest.raises(BadResponse):
            await client.catalogue_page(Label)


async def test_a_huge_header_is_refused() -> None:
    talk = http(EMPTY, head=f"X-Large: {'x' * 2**20}\r\n")
    async with serving(talk) as url, InboxClient(url, KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable):
            await client.catalogue_page(Label)


async def test_nobody_listening_is_unreachable() -> None:
    async with serving(babble) as url:
        pass
    pauses = Pauses()
    async with InboxClient(url, KEY, sleep=pauses) as client:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await client.catalogue_page(Label)
    assert len(pauses.seconds) == 2


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (socket.EAI_NONAME, "The server cannot be reached: no host of that name was found"),
        # No name server answers, as without a network.
        (socket.EAI_AGAIN, "The server cannot be reached"),
    ],
)
async def test_an_unknown_host_name_is_told_apart_from_a_server_that_is_away(
    monkeypatch: pytest.MonkeyPatch, reason: int, words: str
) -> None:
    def getaddrinfo(*arguments: object, **options: object) -> None:
        raise socket.gaierror(reason, "not resolved")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    async with InboxClient("https://inbox.exmaple.com", KEY, sleep=Pauses()) as client:
        with pytest.raises(Unreachable) as refused:
            await client.catalogue_page(Label)
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("proxy", "error", "words", "passing"),
    [
        ("", httpx.ConnectError(""), "The server cannot be reached", True),
        ("", httpx.ConnectTimeout(""), "The server cannot be reached", True),
        ("", httpx.ReadTimeout(""), "The server did not answer in time", True),
        ("", httpx.PoolTimeout(""), "The server did not answer in time", True),
        ("", httpx.ReadError(""), "The connection to the server was lost", True),
        (PROXY, httpx.ConnectError(""), f"The proxy {PROXY} cannot be reached", True),
        (PROXY, httpx.ReadError(""), "The connection to the server was lost", True),
        (PROXY, httpx.ProxyError("407 No"), f"The proxy {PROXY} wants another user name", False),
        (PROXY, httpx.ProxyError("403 No"), "refuses to connect to the server (403)", False),
        (PROXY, httpx.ProxyError("499 No"), "refuses to connect to the server (499)", False),
        (PROXY, httpx.ProxyError("408 No"), "cannot connect to the server (408)", True),
        (PROXY, httpx.ProxyError("429 No"), "cannot connect to the server (429)", True),
        (PROXY, httpx.ProxyError("500 No"), "cannot connect to the server (500)", True),
        (PROXY, httpx.ProxyError("No"), f"The proxy {PROXY} cannot connect to the server", True),
    ],
)
def test_a_failure_names_what_failed_and_whether_it_may_pass(
    proxy: str, error: httpx.TransportError, words: str, passing: bool
) -> None:
    connector = Connector("https://inbox.example", Network(proxy=proxy))
    failure, is_passing = connector.failure(error)
    assert words in str(failure)
    assert is_passing == passing
    assert isinstance(failure, NetworkMisconfigured) != passing


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
            await client.catalogue_page(Label)
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
            await client.catalogue_page(Label)
    assert connections == 1


async def test_a_request_that_is_not_wanted_any_more_ends_at_once() -> None:
    asked = asyncio.Event()

    async def waits(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()

    async with serving(waits) as url, InboxClient(url, KEY) as client:
        request = asyncio.create_task(client.catalogue_page(Label))
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
