"""Certificates, addresses, and that a key is only sent to its server."""

import json
import logging
import shutil
import ssl
import subprocess
import traceback
from pathlib import Path

import httpx
import pytest
from tests.client.authorities import Authority
from tests.client.faulty import ABORT, HANG_UP, WHOLE, client_at
from tests.client.prepared_server import EMPTY, KEY, Pauses
from tests.client.sockets import Scripted, babble, raw, serving
from tests.client.test_network import self_signed

from frontdesk.cli.exit_codes import USAGE, exit_code
from frontdesk.client import InboxClient, Network
from frontdesk.client.transport import Connector
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    InboxError,
    NetworkMisconfigured,
    Unreachable,
)
from frontdesk.settings import NetworkSettings
from frontdesk.wire import Label

__all__ = ["self_signed"]


# Secrets


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
            await client.catalogue_page(Label)
        message = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        said = "".join(message.format()) + repr(client) + repr(client.server) + caplog.text
    assert KEY not in said
    assert "catalogue_page" in said


# TLS


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
def test_a_certificate_that_fails_is_reported_in_plain_words(code: int, words: str) -> None:
    reason = ssl.SSLCertVerificationError("certificate verify failed")
    reason.verify_code = code
    error = httpx.ConnectError("failed")
    error.__cause__ = reason
    message, again = Connector("https://inbox.example", Network.of({})).failure(error)
    assert words in str(message)
    assert not again


@pytest.mark.parametrize(
    ("proxy", "who"),
    [
        ("", "The server cannot prove"),
        ("http://proxy.example:1", "The server cannot prove"),
        ("https://proxy.example:1", "The server, or the proxy in front of it, cannot prove"),
    ],
)
def test_a_certificate_may_be_that_of_a_proxy_which_has_one(proxy: str, who: str) -> None:
    error = httpx.ConnectError("failed")
    error.__cause__ = ssl.SSLCertVerificationError("certificate verify failed")
    error.__cause__.verify_code = 10
    message, _ = Connector("https://inbox.example", Network(proxy=proxy)).failure(error)
    assert str(message).startswith(who)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


async def failure_of(tls: ssl.SSLContext, network: Network) -> str:
    """Why a server is refused, which gets no request and is not tried again."""
    server, pauses = Scripted(WHOLE), Pauses()
    async with (
        serving(server, tls) as url,
        InboxClient(url, KEY, network=network, sleep=pauses) as client,
    ):
        with pytest.raises(NetworkMisconfigured) as caught:
            await client.catalogue_page(Label)
    assert not server.requests
    assert not pauses.seconds
    assert exit_code(caught.value) == USAGE
    return str(caught.value)


async def test_the_true_reason_of_a_refused_certificate_is_reported(
    authority: Authority, self_signed: ssl.SSLContext, tmp_path: Path
) -> None:
    network = Network.of({"SSL_CERT_FILE": str(authority.file)})
    stranger = Authority(tmp_path, "stranger")
    cases = {
        "has expired": authority.server("127.0.0.1", days=-1),
        "not valid yet": authority.server("127.0.0.1", since_days=1),
        "another address": authority.server("127.0.0.2"),
        "authority that this machine does not trust": stranger.server("127.0.0.1"),
        "signed by itself alone": self_signed,
    }
    for words, tls in cases.items():
        assert words in await failure_of(tls, network)


def put_into(directory: Path, authority: Authority) -> None:
    """Have an authority in a directory as OpenSSL looks for it."""
    if not shutil.which("openssl"):
        pytest.skip("names a certificate by its hash with openssl")
    shutil.copy(authority.file, directory)
    subprocess.run(["openssl", "rehash", directory], check=True)


@pytest.mark.parametrize("setting", ["SSL_CERT_FILE", "SSL_CERT_DIR", "ca_file", "system"])
async def test_authorities_are_those_of_the_system_of_variables_or_of_the_configuration(
    setting: str, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "hashed"
    directory.mkdir()
    if setting == "SSL_CERT_DIR":
        put_into(directory, authority)
    other = Authority(tmp_path, "other")
    network = {
        "SSL_CERT_FILE": Network.of({"SSL_CERT_FILE": str(authority.file)}),
        "SSL_CERT_DIR": Network.of({"SSL_CERT_DIR": str(directory)}),
        "ca_file": Network.of(
            {"SSL_CERT_FILE": str(other.file)}, NetworkSettings(ca_file=str(authority.file))
        ),
        "system": Network.of({}),
    }[setting]
    if setting == "system":
        # On Linux these name the system's store, which a test cannot write to.
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
        monkeypatch.setenv("SSL_CERT_DIR", str(directory))
    async with (
        serving(Scripted(WHOLE), authority.server("127.0.0.1")) as url,
        InboxClient(url, KEY, network=network) as client,
    ):
        await client.catalogue_page(Label)
    if setting != "SSL_CERT_FILE":
        assert "authority" in await failure_of(other.server("127.0.0.1"), network)


async def test_a_self_signed_certificate_is_trusted_where_it_is_named(
    self_signed: ssl.SSLContext, tmp_path: Path
) -> None:
    network = Network.of({}, NetworkSettings(ca_file=str(tmp_path / "it")))
    # It is of another name, which is the only thing that is wrong then.
    assert "for another" in await failure_of(self_signed, network)


@pytest.mark.parametrize("setting", ["SSL_CERT_FILE", "SSL_CERT_DIR", "ca_file"])
@pytest.mark.parametrize("kind", ["missing", "garbage", "directory"])
def test_certificates_that_cannot_be_read_are_named_before_anything_is_asked(
    setting: str, kind: str, tmp_path: Path
) -> None:
    place = tmp_path / kind
    if kind == "garbage":
        place.write_text("-----BEGIN NOTHING")
    elif kind == "directory":
        place.mkdir()
    if (setting, kind) == ("SSL_CERT_DIR", "directory"):
        # An empty one is one that trusts nobody.
        InboxClient("https://inbox.example", KEY, network=Network.of({setting: str(place)}))
        return
    configured = NetworkSettings(ca_file=str(place) if setting == "ca_file" else None)
    network = Network.of({setting: str(place)}, configured)
    with pytest.raises(BadSettings, match=kind) as caught:
        InboxClient("https://inbox.example", KEY, network=network)
    assert ("[network]" if configured.ca_file else setting) in str(caught.value)
    # Where no certificate is checked, it does no harm.
    InboxClient("http://127.0.0.1:9", KEY, network=network)


async def test_session_keys_are_not_written_where_the_environment_says(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "session-keys"))
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    for network in (Network.of({}), Network.of({}, NetworkSettings(ca_file=str(authority.file)))):
        async with (
            serving(Scripted(WHOLE), authority.server("127.0.0.1")) as url,
            InboxClient(url, KEY, network=network) as client,
        ):
            await client.catalogue_page(Label)
    assert not (tmp_path / "session-keys").exists()


async def test_a_server_without_tls_has_another_message_than_one_that_is_gone() -> None:
    async with serving(babble) as url, client_at(url.replace("http:", "https:")) as client:
        with pytest.raises(Unreachable, match="does not speak TLS"):
            await client.catalogue_page(Label)


# Elsewhere


@pytest.mark.parametrize("status", ["301 Moved Permanently", "302 Found", "307 Temporary", "308 P"])
async def test_nobody_is_sent_elsewhere_with_the_key(status: str) -> None:
    elsewhere = Scripted(WHOLE)
    async with serving(elsewhere) as other:
        for location in (other, f"{other}/v1/labels", "/v1/labels"):
            server = Scripted(raw(b"", status, location=location))
            async with serving(server) as url, client_at(url) as client:
                with pytest.raises(BadResponse, match="does not go there"):
                    await client.catalogue_page(Label)
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
