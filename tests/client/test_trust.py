"""Whom the client believes and what it keeps to itself: certificates, addresses, the key."""

import json
import logging
import ssl
import traceback
from pathlib import Path

import httpx
import pytest
from tests.client.faulty import ABORT, HANG_UP, WHOLE, client_at
from tests.client.prepared import EMPTY, KEY
from tests.client.sockets import Scripted, babble, raw, serving
from tests.client.test_network import self_signed

from frontdesk.client.connections import lost
from frontdesk.errors import (
    BadResponse,
    InboxError,
    Unreachable,
)

__all__ = ["self_signed"]


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
