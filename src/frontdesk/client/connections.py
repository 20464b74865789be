"""The way to a server: connections that are kept, whose certificates count, what is lost on it."""

import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import certifi
import httpx

from frontdesk.errors import Unreachable

_CONNECTIONS = 8
_KEPT_SECONDS = 60.0

# What a certificate fails for, by the codes of OpenSSL (X509_V_ERR_…).
_CERTIFICATES = {
    9: "its certificate is not valid yet: is the clock of this machine right?",
    10: "its certificate has expired",
    18: "its certificate is signed by itself alone",
    19: "its certificate comes from an authority that this machine does not know",
    20: "its certificate comes from an authority that this machine does not know",
    21: "its certificate comes from an authority that this machine does not know",
    62: "its certificate is for another name",
    64: "its certificate is for another address",
}


def way_to(base_url: str, app: Callable[..., Awaitable[None]] | None) -> httpx.AsyncBaseTransport:
    """Connections to a server. Nothing of them comes from the environment, as proxies would."""
    if app is not None:
        application: Any = app
        return httpx.ASGITransport(app=application, raise_app_exceptions=False)
    verify = _authorities() if base_url.startswith("https:") else False
    limits = httpx.Limits(max_connections=_CONNECTIONS, keepalive_expiry=_KEPT_SECONDS)
    return httpx.AsyncHTTPTransport(verify=verify, limits=limits, trust_env=False)


def lost(error: httpx.TransportError) -> tuple[Unreachable, bool]:
    """A failed connection in the user's words; True where another try may mend it."""
    certificate, tls = _tls_failure(error)
    if certificate is not None:
        reason = _CERTIFICATES.get(certificate.verify_code, "its certificate fails")
        return Unreachable(f"The server cannot prove that it is who it says: {reason}"), False
    if tls:
        return Unreachable("The server does not speak TLS as https needs it: is it http?"), False
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return Unreachable("The server cannot be reached"), True
    if isinstance(error, httpx.TimeoutException):
        return Unreachable("The server did not answer in time"), True
    return Unreachable("The connection to the server was lost"), True


def _tls_failure(
    error: BaseException | None,
) -> tuple[ssl.SSLCertVerificationError | None, bool]:
    """What went wrong while the secure connection was made, if that is what went wrong."""
    connecting = isinstance(error, httpx.ConnectError)
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error, True
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError):
            return None, connecting
        error = error.__cause__ or error.__context__
    return None, False


def _authorities() -> ssl.SSLContext:
    """Whose certificates are believed.

    Made by hand: ssl.create_default_context logs session keys where SSLKEYLOGFILE says.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    return context
