"""Proxies: https goes through them as a tunnel, and no key is ever readable in them."""

from pathlib import Path

import pytest
from tests.client.authorities import Authority
from tests.client.prepared_server import EMPTY, KEY, Pauses
from tests.client.proxies import proxying
from tests.client.sockets import Scripted, babble, raw, serving

from frontdesk.client import InboxClient, Network
from frontdesk.errors import BadSettings, NetworkMisconfigured, Unreachable
from frontdesk.settings import NetworkSettings
from frontdesk.text.clean import clean
from frontdesk.wire import Label

INBOX = "https://inbox.example"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


def through(proxy: str, authority: Authority, **more: str) -> Network:
    return Network.of({"HTTPS_PROXY": proxy, "SSL_CERT_FILE": str(authority.file), **more})


@pytest.mark.parametrize("secure", [False, True], ids=["http proxy", "https proxy"])
async def test_a_proxy_carries_a_tunnel_and_never_sees_the_key(
    authority: Authority, secure: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "session-keys"))
    server = Scripted(raw(EMPTY))
    proxy_tls = authority.server("127.0.0.1") if secure else None
    async with (
        serving(server, authority.server("inbox.example")) as backend,
        proxying(backend, proxy_tls) as proxy,
    ):
        address = proxy.url.replace("//", "//amy:pass%20word@")
        async with InboxClient(INBOX, KEY, network=through(address, authority)) as client:
            assert (await client.catalogue_page(Label)).data == ()
    (head,) = proxy.heads
    assert head.startswith(b"CONNECT inbox.example:443 HTTP/1.1\r\n")
    # amy:pass word
    assert b"Proxy-Authorization: Basic YW15OnBhc3Mgd29yZA==" in head
    (request,) = server.requests
    assert f"Authorization: Bearer {KEY}".encode() in request
    assert b"Proxy-Authorization" not in request
    assert KEY.encode() not in proxy.seen
    assert b"/v1/" not in proxy.seen
    assert not (tmp_path / "session-keys").exists()


@pytest.mark.parametrize(
    "variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"]
)
@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
async def test_this_machine_is_never_asked_through_a_proxy(
    authority: Authority, variable: str, secure: bool
) -> None:
    tls = authority.server("127.0.0.1") if secure else None
    async with serving(Scripted(raw(EMPTY)), tls) as url, proxying(url) as proxy:
        network = Network.of({variable: proxy.url, "SSL_CERT_FILE": str(authority.file)})
        async with InboxClient(url, KEY, network=network) as client:
            await client.catalogue_page(Label)
    assert not proxy.heads


@pytest.mark.parametrize(
    ("answer", "words", "kind"),
    [
        (b"407 Proxy Authentication Required", "user name or password", NetworkMisconfigured),
        (b"403 \x1b]0;owned\x07\x9b2J", "refuses to connect to the server (403)", None),
        (b"502 Bad Gateway", "cannot connect to the server (502)", Unreachable),
        (b"301 Moved\r\nLocation: http://evil.example/", "cannot connect", Unreachable),
    ],
)
async def test_a_proxy_that_refuses_is_named_with_its_reason(
    authority: Authority, answer: bytes, words: str, kind: type[Unreachable] | None
) -> None:
    kind = kind or NetworkMisconfigured
    pauses = Pauses()
    reply = b"HTTP/1.1 " + answer + b"\r\nContent-Length: 0\r\n\r\n"
    async with proxying("http://127.0.0.1:9", answer=reply) as proxy:
        address = proxy.url.replace("//", "//amy:secret@")
        network = through(address, authority)
        async with InboxClient(INBOX, KEY, network=network, sleep=pauses) as client:
            with pytest.raises(Unreachable) as caught:
                await client.catalogue_page(Label)
    message = str(caught.value)
    assert type(caught.value) is kind
    assert words in message
    assert proxy.url in message
    assert "secret" not in message + repr(network)
    assert clean(message) == message
    assert KEY.encode() not in proxy.seen
    # Only what may pass is tried again.
    assert len(proxy.heads) == (3 if kind is Unreachable else 1)


async def test_a_proxy_that_is_gone_has_another_message_than_a_server_that_is_gone(
    authority: Authority,
) -> None:
    async with serving(babble) as gone:
        pass
    network = through(gone, authority)
    async with InboxClient(INBOX, KEY, network=network, sleep=Pauses()) as client:
        with pytest.raises(Unreachable, match=f"The proxy {gone} cannot be reached"):
            await client.catalogue_page(Label)


async def test_a_certificate_is_checked_behind_a_proxy_too(
    authority: Authority, tmp_path: Path
) -> None:
    server = Scripted(raw(EMPTY))
    other = Authority(tmp_path, "of the proxy's company")
    async with (
        serving(server, other.server("inbox.example")) as backend,
        proxying(backend) as proxy,
        InboxClient(INBOX, KEY, network=through(proxy.url, authority)) as client,
    ):
        with pytest.raises(NetworkMisconfigured, match="authority that this machine does not"):
            await client.catalogue_page(Label)
    assert not server.requests
    assert KEY.encode() not in proxy.seen


@pytest.mark.parametrize(
    ("no_proxy", "direct"),
    [
        ("", False),
        ("*", True),
        ("inbox.example", True),
        ("INBOX.EXAMPLE", True),
        (".example", True),
        ("*.example", True),
        ("example", True),
        ("other.example, inbox.example", True),
        ("other.example inbox.example", True),
        ("inbox.example:443", True),
        ("inbox.example:8443", False),
        ("box.example", False),
        ("inbox.example.org", False),
        (".", False),
        (",,", False),
        ("10.0.0.0/8", False),
    ],
)
def test_no_proxy_names_hosts_domains_and_ports(no_proxy: str, direct: bool) -> None:
    network = Network.of({"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": no_proxy})
    assert (network.proxy_for(INBOX) is None) is direct


@pytest.mark.parametrize(
    ("no_proxy", "host", "direct"),
    [
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7:443", "192.0.2.7", True),
        ("192.0.2.7:80", "192.0.2.7", False),
        ("2001:db8::/32", "[2001:db8::1]", True),
        ("[2001:db8::1]:443", "[2001:db8::1]", True),
        ("2001:db8::2", "[2001:db8::1]", False),
    ],
)
def test_no_proxy_names_addresses_and_networks(no_proxy: str, host: str, direct: bool) -> None:
    network = Network.of({"https_proxy": "proxy.example:3128", "no_proxy": no_proxy})
    assert network.proxy_for(f"https://{host}") == (None if direct else "http://proxy.example:3128")


@pytest.mark.parametrize(
    ("variables", "base_url", "words"),
    [
        ({}, INBOX, "none"),
        (
            {"HTTPS_PROXY": "http://amy:word@one.example:1"},
            INBOX,
            "http://one.example:1 (HTTPS_PROXY)",
        ),
        ({"https_proxy": "one.example:1"}, None, "http://one.example:1 (https_proxy)"),
        ({"all_proxy": "one.example:1"}, "http://localhost:8080", "none, for this machine itself"),
        (
            {"all_proxy": "one.example:1", "no_proxy": "inbox.example"},
            INBOX,
            "none for this server (NO_PROXY)",
        ),
    ],
)
def test_the_proxy_of_a_server_or_of_any_is_named_without_its_password(
    variables: dict[str, str], base_url: str | None, words: str
) -> None:
    assert Network.of(variables).proxy_words(base_url) == words


def test_the_configured_proxy_and_ca_file_override_the_environment() -> None:
    variables = {"HTTPS_PROXY": "http://one.example:1", "SSL_CERT_FILE": "/one.pem"}
    assert Network.of(variables).proxy_for(INBOX) == "http://one.example:1"
    settings = NetworkSettings("/two.pem", "http://two.example:2")
    configured = Network.of(variables, settings)
    assert configured.proxy_for(INBOX) == "http://two.example:2"
    assert configured.ca_file == "/two.pem"
    assert Network.of(variables, NetworkSettings(proxy="")).proxy_for(INBOX) is None
    assert Network.of({"https_proxy": "", "HTTPS_PROXY": ""}).proxy_for(INBOX) is None


@pytest.mark.parametrize(
    "proxy",
    [
        "socks5://amy:secret@proxy.example:1080",
        "http://amy:secret@proxy.example:port",
        "http://amy:secret@[proxy.example",
        "http://amy:secret@proxy.example/path",
        "http://amy:secret@proxy.example?x",
        "http://amy:secret@próxy.example",
        "http://",
        "amy:secret@",
    ],
)
def test_a_proxy_s_address_that_cannot_be_used_is_refused_without_its_password(proxy: str) -> None:
    with pytest.raises(BadSettings, match="The proxy of HTTPS_PROXY cannot be used") as caught:
        InboxClient(INBOX, KEY, network=Network.of({"HTTPS_PROXY": proxy}))
    assert "secret" not in str(caught.value)
    # Where it is not needed, it does no harm.
    InboxClient("http://127.0.0.1:9", KEY, network=Network.of({"HTTPS_PROXY": proxy}))
