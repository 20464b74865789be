"""HTTP transports, and messages for failures of connections, TLS and proxies."""

import re
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from frontdesk.client.network import Network
from frontdesk.errors import NetworkMisconfigured, Unreachable
from frontdesk.proxy_address import shown
from frontdesk.text import clean, one_line

_CONNECTIONS = 8
_KEPT_SECONDS = 60.0

_UNKNOWN_AUTHORITY = (
    "its certificate comes from an authority that this machine does not trust; an authority of"
    " your own is named by ca_file under [network] in the configuration, or by SSL_CERT_FILE"
)
# Messages for certificate errors by OpenSSL code (X509_V_ERR_…).
_CERTIFICATES = {
    9: "its certificate is not valid yet: is the clock of this machine right?",
    10: "its certificate has expired: is the clock of this machine right?",
    18: "its certificate is signed by itself alone; to trust it, name it by ca_file under"
    " [network] in the configuration",
    19: _UNKNOWN_AUTHORITY,
    20: _UNKNOWN_AUTHORITY,
    21: _UNKNOWN_AUTHORITY,
    62: "its certificate is for another name",
    64: "its certificate is for another address",
}


class Connector:
    """Creates the transport to one server, directly or through a proxy."""

    def __init__(self, base_url: str, network: Network) -> None:
        """Raises: BadSettings: the configured certificates or proxy cannot be used."""
        self._proxy = network.proxy_for(base_url)
        self._tls = network.tls() if base_url.startswith("https:") else None

    def transport(self) -> httpx.AsyncHTTPTransport:
        """A transport with keep-alive. httpx does not read the environment here."""
        return httpx.AsyncHTTPTransport(
            verify=self._tls or False,
            proxy=self._httpx_proxy(),
            limits=httpx.Limits(max_connections=_CONNECTIONS, keepalive_expiry=_KEPT_SECONDS),
            trust_env=False,
        )

    def _httpx_proxy(self) -> httpx.Proxy | None:
        if self._proxy is None:
            return None
        # Without a context, httpcore creates one that honours SSLKEYLOGFILE.
        tls = self._tls if self._proxy.startswith("https:") else None
        return httpx.Proxy(self._proxy, ssl_context=tls)

    def failure(self, error: httpx.TransportError) -> tuple[Unreachable, bool]:
        """Convert a transport error for the user; True if a retry may succeed."""
        certificate, tls = _tls_failure(error)
        if certificate is not None:
            return NetworkMisconfigured(self._distrust(certificate)), False
        if tls is not None:
            reason = (tls.reason or "").replace("_", " ").lower()
            more = f" ({one_line(clean(reason))})" if reason else ""
            words = f"The server does not speak TLS as https needs it{more}: is it http?"
            return NetworkMisconfigured(words), False
        if isinstance(error, httpx.ProxyError):
            return _refused_by_proxy(error, self._proxy)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            return Unreachable(f"{self._first_hop()} cannot be reached"), True
        if isinstance(error, httpx.TimeoutException):
            return Unreachable("The server did not answer in time"), True
        return Unreachable("The connection to the server was lost"), True

    def _distrust(self, error: ssl.SSLCertVerificationError) -> str:
        reason = _CERTIFICATES.get(error.verify_code)
        if reason is None:
            # Platforms without OpenSSL have other codes and messages.
            words = one_line(clean(getattr(error, "verify_message", "") or ""))[:200]
            reason = f"its certificate fails: {words}" if words else "its certificate fails"
        https_proxy = self._proxy is not None and self._proxy.startswith("https:")
        who = "The server, or the proxy in front of it," if https_proxy else "The server"
        return f"{who} cannot prove that it is who it says: {reason}"

    def _first_hop(self) -> str:
        return "The server" if self._proxy is None else f"The proxy {shown(self._proxy)}"


async def drop_invalid_location(response: httpx.Response) -> None:
    """Response hook that removes an invalid Location header.

    httpx parses it even if redirects are disabled, and discards the response if that fails.
    """
    try:
        url = httpx.URL(response.headers.get("location", ""))
        if url.scheme and not url.host:
            del response.headers["location"]
    except httpx.InvalidURL:
        del response.headers["location"]


def application_transport(app: Callable[..., Awaitable[None]]) -> httpx.ASGITransport:
    """A transport that calls an ASGI application in this process."""
    application: Any = app
    return httpx.ASGITransport(app=application, raise_app_exceptions=False)


def _refused_by_proxy(error: httpx.ProxyError, proxy: str | None) -> tuple[Unreachable, bool]:
    """Error for a failed CONNECT; the proxy's own text is not repeated."""
    name = shown(proxy) if proxy else ""
    found = re.match(r"[0-9]{3}\b", str(error))
    status = int(found[0]) if found else 0
    if status == 407:
        words = "wants another user name or password: http://NAME:PASSWORD@HOST:PORT says them"
        return NetworkMisconfigured(f"The proxy {name} {words}"), False
    if 400 <= status < 500 and status not in (408, 429):
        words = f"refuses to connect to the server ({status}); NO_PROXY names hosts without a proxy"
        return NetworkMisconfigured(f"The proxy {name} {words}"), False
    told = f" ({status})" if status else ""
    return Unreachable(f"The proxy {name} cannot connect to the server{told}"), True


def _tls_failure(
    error: BaseException | None,
) -> tuple[ssl.SSLCertVerificationError | None, ssl.SSLError | None]:
    """Certificate or TLS error in the chain of causes; the latter only while connecting."""
    connecting = isinstance(error, httpx.ConnectError)
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error, None
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return None, error if connecting else None
        error = error.__cause__ or error.__context__
    return None, None
