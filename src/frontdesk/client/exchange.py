"""One GET: its deadline, its tries, and what is known of the network when it fails."""

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import certifi
import httpx

from frontdesk.client.answers import Answer, read_answer
from frontdesk.client.failures import failure
from frontdesk.errors import InboxError, Unreachable

MOST_TRIES = 3
FIRST_PAUSE_SECONDS = 0.25

_CONNECTIONS = 8
_PRIVATE_PARAMETERS = ("q", "cursor")

_log = logging.getLogger(__name__)


class Exchange:
    """GET requests to one server with one key, over connections that are kept."""

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        app: Callable[..., Awaitable[None]] | None,
        deadline_seconds: float,
        sleep: Callable[[float], Awaitable[None]],
        chance: Callable[[], float],
    ) -> None:
        # httpx logs whole addresses, and with them phone numbers and searches.
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._deadline_seconds = deadline_seconds
        self._sleep = sleep
        self._chance = chance
        self._base_url = base_url
        self._http = httpx.AsyncClient(
            transport=_transport(base_url, app),
            headers={
                "Authorization": f"Bearer {key}",
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "User-Agent": "frontdesk",
            },
            timeout=deadline_seconds,
            follow_redirects=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """Give up the connections."""
        await self._http.aclose()

    async def get(self, path: str, parameters: Mapping[str, str]) -> Answer:
        """The answer to one GET below /v1/, which is 2xx.

        Raises: InboxError: there was no such answer.
        """
        try:
            async with asyncio.timeout(self._deadline_seconds):
                return await self._tried(path, parameters)
        except TimeoutError as error:
            raise Unreachable(
                f"The server did not answer within {self._deadline_seconds:g} seconds"
            ) from error

    async def _tried(self, path: str, parameters: Mapping[str, str]) -> Answer:
        """One answer in at most three tries, with pauses of random length between them."""
        for attempt in range(1, MOST_TRIES):
            try:
                return await self._once(path, parameters)
            except _Passing as passing:
                _log.debug("try %d of GET /v1/%s: %s", attempt, _masked(path), passing.error)
            await self._sleep(self._chance() * FIRST_PAUSE_SECONDS * 2**attempt)
        try:
            return await self._once(path, parameters)
        except _Passing as passing:
            raise passing.error from passing.__cause__

    async def _once(self, path: str, parameters: Mapping[str, str]) -> Answer:
        """One try.

        Raises: _Passing: a failure that another try may mend. InboxError: any other.
        """
        url = f"{self._base_url}/v1/{path}"
        try:
            async with self._http.stream("GET", url, params=dict(parameters)) as response:
                answer = await read_answer(response)
        except httpx.TransportError as error:
            raise _lost(error) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable("The server cannot be asked") from error
        _log.debug("GET /v1/%s %s: %d", _masked(path), _shown(parameters), answer.status)
        if 200 <= answer.status < 300:
            return answer
        found = failure(answer, datetime.now(UTC))
        if answer.status in (502, 504) or _pauses_unasked(answer):
            raise _Passing(found)
        raise found


class _Passing(Exception):
    """A failure that another try may mend."""

    def __init__(self, error: InboxError) -> None:
        super().__init__(str(error))
        self.error = error


def _pauses_unasked(answer: Answer) -> bool:
    """503 without a word on how long."""
    return answer.status == 503 and "retry-after" not in answer.headers


def _lost(error: httpx.TransportError) -> Exception:
    """A failed connection in the user's words."""
    if _is_certificate(error):
        return Unreachable("The server cannot prove that it is who it says: its certificate fails")
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return _Passing(Unreachable("The server cannot be reached"))
    if isinstance(error, httpx.TimeoutException):
        return _Passing(Unreachable("The server did not answer in time"))
    return _Passing(Unreachable("The connection to the server was lost"))


def _is_certificate(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _transport(
    base_url: str, app: Callable[..., Awaitable[None]] | None
) -> httpx.AsyncBaseTransport:
    """The way to the server. Nothing of it comes from the environment, see `trust_env`."""
    if app is not None:
        application: Any = app
        return httpx.ASGITransport(app=application, raise_app_exceptions=False)
    verify = _authorities() if base_url.startswith("https:") else False
    limits = httpx.Limits(max_connections=_CONNECTIONS, keepalive_expiry=60.0)
    return httpx.AsyncHTTPTransport(verify=verify, limits=limits, trust_env=False)


def _authorities() -> ssl.SSLContext:
    """Whose certificates are believed.

    Made by hand: ssl.create_default_context logs session keys where SSLKEYLOGFILE says.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certifi.where())
    return context


def _masked(path: str) -> str:
    """A path without phone numbers."""
    head, marker, _ = path.partition("by-phone/")
    return f"{head}{marker}…" if marker else path


def _shown(parameters: Mapping[str, str]) -> str:
    """The query without what people typed and without positions."""
    return "&".join(
        f"{name}={'…' if name in _PRIVATE_PARAMETERS else value}"
        for name, value in parameters.items()
    )
