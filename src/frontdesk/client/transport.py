"""HTTP transport of the client: GET with headers, deadline, retries, throttling and ETag cache.

Failures of connections, TLS and proxies become errors with a message for the user.
"""

import asyncio
import logging
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

import httpx

from frontdesk.client.etag_cache import CachedValue, CacheKey, EtagCache
from frontdesk.client.failures import RejectedRequest, failure, trouble_of
from frontdesk.client.network import Network
from frontdesk.client.response import Response, TruncatedResponse, read_answer
from frontdesk.client.retry import TransientFailure, random_pause, retry
from frontdesk.client.server_info import ABSENT, IGNORED, PRESENT, ServerState
from frontdesk.client.throttle import Throttle, date_of, limit_reset, spacing
from frontdesk.errors import BadResponse, InboxError, NetworkMisconfigured, Paused, Unreachable
from frontdesk.system.proxy_address import without_credentials
from frontdesk.system.request_priority import is_background
from frontdesk.text.clean import clean, one_line

_CONNECTIONS = 8
# For how long an idle connection is used again.
KEPT_SECONDS = 60.0

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
            limits=httpx.Limits(max_connections=_CONNECTIONS, keepalive_expiry=KEPT_SECONDS),
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
            # Only OpenSSL's own errors have it.
            reason = (getattr(tls, "reason", None) or "").replace("_", " ").lower()
            more = f" ({one_line(clean(reason))})" if reason else ""
            words = f"The server does not speak TLS as https needs it{more}: is it http?"
            return NetworkMisconfigured(words), False
        if isinstance(error, httpx.ProxyError):
            return _refused_by_proxy(error, self._proxy)
        if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
            reason = ": no host of that name was found" if _is_unknown_host(error) else ""
            return Unreachable(f"{self._first_hop()} cannot be reached{reason}"), True
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
        return (
            "The server" if self._proxy is None else f"The proxy {without_credentials(self._proxy)}"
        )


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
    name = without_credentials(proxy) if proxy else ""
    match = re.match(r"[0-9]{3}\b", str(error))
    status = int(match[0]) if match else 0
    if status == 407:
        words = "wants another user name or password: http://NAME:PASSWORD@HOST:PORT says them"
        return NetworkMisconfigured(f"The proxy {name} {words}"), False
    if 400 <= status < 500 and status not in (408, 429):
        words = f"refuses to connect to the server ({status}); NO_PROXY names hosts without a proxy"
        return NetworkMisconfigured(f"The proxy {name} {words}"), False
    detail = f" ({status})" if status else ""
    return Unreachable(f"The proxy {name} cannot connect to the server{detail}"), True


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


def _is_unknown_host(error: httpx.TransportError) -> bool:
    """True if a name in the address was not found; on macOS also without a network."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return cause.errno == socket.EAI_NONAME
        cause = cause.__cause__ or cause.__context__
    return False


V = TypeVar("V")

# Called with the seconds of a pause; entered for as long as it lasts.
WaitContext: TypeAlias = Callable[[float], AbstractContextManager[object]]

MOST_TRIES = 3
MOST_WAITS = 10
FIRST_PAUSE_SECONDS = 0.5
# Errors that may say for how long the server asks to wait.
_PAUSES: tuple[type[RejectedRequest | Paused], ...] = (RejectedRequest, Paused)

_PRIVATE_PARAMETERS = ("q", "cursor")

_log = logging.getLogger(__name__)


class Requests:
    """Sends GET requests to one server with one key, over kept-alive connections."""

    def __init__(
        self,
        base_url: str,
        key: str,
        state: ServerState,
        *,
        app: Callable[..., Awaitable[None]] | None,
        network: Network,
        deadline_seconds: float,
        sleep: Callable[[float], Awaitable[None]],
        chance: Callable[[], float],
        clock: Callable[[], float],
        now: Callable[[], datetime],
        waiting: WaitContext | None,
    ) -> None:
        # At INFO, httpx logs complete URLs, which contain phone numbers and search texts.
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._base_url = base_url
        self._state = state
        self._deadline_seconds = deadline_seconds
        self._sleep = sleep
        self._chance = chance
        self._clock = clock
        self._now = now
        self._waiting = waiting
        self._throttle = Throttle(clock, sleep, chance)
        self._etags = EtagCache()
        self._connector = Connector(base_url, network)
        self._http = httpx.AsyncClient(
            transport=application_transport(app) if app else self._connector.transport(),
            headers={
                "Authorization": f"Bearer {key}",
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "User-Agent": "frontdesk",
            },
            timeout=deadline_seconds,
            follow_redirects=False,
            event_hooks={"response": [drop_invalid_location]},
            trust_env=False,
        )

    async def close(self) -> None:
        await self._http.aclose()

    async def get(
        self,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[Response], V],
        *,
        wait_seconds: int = 0,
    ) -> V:
        """GET a path below /v1/ and return `read` of a 2xx response, or the cached value for a 304.

        wait_seconds: the server may hold the request for so long (RFC 7240); it is sent once then,
        and not answered from the cache. With a context for `waiting`, it is sent again after a
        pause that the server asks for.

        Raises: RejectedRequest: any other status. InboxError: no response, or an unreadable one.
        """
        return await retry(
            lambda: self._get(path, parameters, read, wait_seconds),
            MOST_WAITS + 1,
            _PAUSES,
            self._wait_for_server,
        )

    async def _wait_for_server(self, number: int, error: RejectedRequest | Paused) -> None:
        """Wait as long as the server asks. Raises: the error, if it does not or nobody waits."""
        if self._waiting is None or error.retry_after is None:
            raise error
        with self._waiting(error.retry_after):
            await self._sleep(error.retry_after)

    async def _get(
        self,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[Response], V],
        wait_seconds: int,
    ) -> V:
        deadline_seconds = self._deadline_seconds + wait_seconds
        async with self.slot(held=wait_seconds > 0):
            try:
                async with asyncio.timeout(deadline_seconds):
                    if wait_seconds:
                        return await self._awaited(path, parameters, read, wait_seconds)
                    return await self.tried(path, lambda: self._once(path, parameters, read))
            except TimeoutError as error:
                words = f"The server did not answer within {deadline_seconds:g} seconds"
                raise Unreachable(words) from _unlocated(error)

    @asynccontextmanager
    async def slot(self, *, held: bool = False) -> AsyncIterator[None]:
        """Acquire a slot of the throttle for one request, and report to it how that ended.

        held: as of `Throttle.slot`.

        Raises: Paused, CircuitOpen: no requests are sent now. InboxError: in place of a
        TransientFailure, after which no more attempts are made.
        """
        async with self._throttle.slot(held=held):
            try:
                yield
            except TransientFailure as passing:
                self._throttle.failed(str(passing.reason))
                raise passing.reason from passing.__cause__
            except Unreachable as error:
                self._throttle.failed(str(error))
                raise
            except (InboxError, RejectedRequest):
                self._throttle.answered()
                raise
            self._throttle.succeeded()

    async def tried(self, path: str, attempt: Callable[[], Awaitable[V]]) -> V:
        """Up to three attempts at a path, with pauses of random length in between.

        Raises: TransientFailure: the last one failed too.
        """

        async def pause(number: int, passing: TransientFailure) -> None:
            _log.debug("try %d of GET /v1/%s: %s", number, _masked(path), passing)
            await self._sleep(random_pause(number, FIRST_PAUSE_SECONDS, self._chance))

        return await retry(attempt, MOST_TRIES, TransientFailure, pause)

    async def _awaited(
        self,
        path: str,
        parameters: Mapping[str, str],
        read: Callable[[Response], V],
        wait_seconds: int,
    ) -> V:
        """One attempt that the server may hold: its time is no latency.

        Raises: as `_once`.
        """
        headers = {"Prefer": f"wait={wait_seconds}"}
        timeout = self._deadline_seconds + wait_seconds
        try:
            async with self._sent(path, parameters, headers, timeout) as response:
                answer = await read_answer(response)
        except TruncatedResponse as error:
            raise TransientFailure(error) from None
        self._record(path, parameters, answer, None)
        if 200 <= answer.status < 300:
            return read(answer)
        raise self._failure(answer)

    async def _once(
        self, path: str, parameters: Mapping[str, str], read: Callable[[Response], V]
    ) -> V:
        """One attempt.

        Raises: TransientFailure. RejectedRequest, InboxError: any other failure.
        """
        key = path, tuple(parameters.items())
        offered = self._etags.get(key)
        try:
            answer = await self._answer(path, parameters, offered)
            if answer.status == 304:
                unchanged: V = self._unchanged(key, offered)
                return unchanged
            if 200 <= answer.status < 300:
                value = read(answer)
                self._keep(key, answer, value, offered)
                return value
        except TruncatedResponse as error:
            raise TransientFailure(error) from None
        raise self._failure(answer)

    async def _answer(
        self, path: str, parameters: Mapping[str, str], offered: CachedValue | None
    ) -> Response:
        """Send the request and read the whole response, whatever its status."""
        headers = {"If-None-Match": offered.tag} if offered else {}
        began = self._clock()
        async with self._sent(path, parameters, headers) as response:
            seconds = self._clock() - began
            answer = await read_answer(response)
        self._record(path, parameters, answer, seconds)
        return answer

    @asynccontextmanager
    async def stream(
        self, path: str, parameters: Mapping[str, str], headers: Mapping[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """GET a file below /v1/; the caller reads its body, each chunk within the deadline.

        Raises: RejectedRequest: another status than 2xx. TransientFailure: lost on the way, also
        while the body is read. InboxError: no response, or an unreadable one.
        """
        began = self._clock()
        async with self._sent(path, parameters, headers) as response:
            if not 200 <= response.status_code < 300:
                seconds = self._clock() - began
                answer = await read_answer(response)
                self._record(path, parameters, answer, seconds)
                raise self._failure(answer)
            heading = Response(response.status_code, response.headers, b"")
            self._record(path, parameters, heading, self._clock() - began)
            yield response

    @asynccontextmanager
    async def _sent(
        self,
        path: str,
        parameters: Mapping[str, str],
        headers: Mapping[str, str],
        timeout_seconds: float | None = None,
    ) -> AsyncIterator[httpx.Response]:
        """Send a request. Raises: TransientFailure, InboxError: also while its body is read."""
        url = f"{self._base_url}/v1/{path}"
        self._state.count_request()
        try:
            async with self._http.stream(
                "GET",
                url,
                params=dict(parameters),
                headers=dict(headers),
                timeout=timeout_seconds or self._deadline_seconds,
            ) as response:
                yield response
        except httpx.TransportError as error:
            failure, passing = self._connector.failure(error)
            raise (TransientFailure(failure) if passing else failure) from _unlocated(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable("The request cannot be sent") from _unlocated(error)

    def _record(
        self, path: str, parameters: Mapping[str, str], answer: Response, seconds: float | None
    ) -> None:
        """Record what the heading of an answer says of the server and its limits."""
        _log.debug("GET /v1/%s %s: %d", _masked(path), _masked_query(parameters), answer.status)
        self._state.answered(seconds, answer.received, date_of(answer.headers))
        self._state.record_spacing(spacing(answer.headers, self._now()))
        if answer.status < 400:
            self._throttle.accepted()
        used_up = limit_reset(answer.headers, self._now())
        if used_up is not None:
            self._throttle.pause(used_up)

    def _unchanged(self, key: CacheKey, offered: CachedValue | None) -> Any:
        if offered is None:
            raise BadResponse(
                "The server says that nothing changed, though everything was requested"
            )
        self._state.was_unchanged()
        self._state.feature("unchanged", PRESENT)
        return self._etags.touch(key, offered)

    def _keep(
        self, key: CacheKey, answer: Response, value: object, offered: CachedValue | None
    ) -> None:
        """Store the value under its ETag."""
        tag = answer.headers.get("etag", "")
        if not tag:
            self._state.feature("unchanged", ABSENT, "Answers carry no tag.")
        elif not self._etags.put(key, tag, value, len(answer.body), once=is_background()):
            self._state.feature("unchanged", IGNORED, "A tag stays the same when rows change.")
        elif offered is not None and offered.tag == tag:
            self._state.feature("unchanged", IGNORED, "Answers come in full all the same.")

    def _failure(self, answer: Response) -> Exception:
        """Exception for a status other than 2xx and 304."""
        trouble = trouble_of(answer)
        rejected = RejectedRequest(trouble, failure(answer, trouble, self._now()))
        error, wait = rejected.error, rejected.retry_after
        if answer.status == 429 and wait is None:
            assert isinstance(error, Unreachable)
            error.retry_after = self._throttle.back_off()
        elif wait is not None:
            self._throttle.pause(wait)
        elif answer.status >= 500 and not trouble.no_such_path:
            return TransientFailure(error)
        return rejected


def _unlocated(error: BaseException) -> BaseException:
    """Remove the tracebacks from an error and its causes; their frames hold the request headers."""
    link: BaseException | None = error
    while link is not None:
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error


def _masked(path: str) -> str:
    """The path without phone numbers, for logging."""
    head, marker, _ = path.partition("by-phone/")
    return f"{head}{marker}…" if marker else path


def _masked_query(parameters: Mapping[str, str]) -> str:
    """The query without search texts and cursors, for logging."""
    return "&".join(
        f"{name}={'…' if name in _PRIVATE_PARAMETERS else value}"
        for name, value in parameters.items()
    )
