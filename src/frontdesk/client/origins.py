"""HTTP clients for files, one for each origin: without redirects, cookies and the environment."""

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import SplitResult, urlsplit

import httpx

from frontdesk.client.network import Network
from frontdesk.client.transport import Connector, drop_invalid_location
from frontdesk.errors import BadResponse

# Between two chunks of an answer, and before the first.
_TIMEOUT_SECONDS = 30.0


class OriginClients:
    """Clients by scheme, host and port, opened when they are first needed."""

    def __init__(self, headers: Mapping[str, str], network: Network) -> None:
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._headers = {
            **headers,
            "Accept-Encoding": "identity",
            "User-Agent": "frontdesk",
        }
        self._network = network
        self._clients: dict[str, tuple[Connector, httpx.AsyncClient]] = {}

    async def close(self) -> None:
        for _, client in self._clients.values():
            await client.aclose()

    @asynccontextmanager
    async def get(self, url: str) -> AsyncIterator[httpx.Response]:
        """Send a request; the body is read by the caller.

        Raises: Unreachable: also while the body is read. BadResponse: the address is unusable.
        """
        connector, client = self._client(origin_of(urlsplit(url)))
        try:
            async with client.stream("GET", url) as response:
                yield response
        except httpx.TransportError as error:
            failure, _ = connector.failure(error)
            # The error's traceback holds frames with the headers.
            raise failure from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise BadResponse("The address of the file cannot be requested") from None

    def _client(self, origin: str) -> tuple[Connector, httpx.AsyncClient]:
        if origin not in self._clients:
            connector = Connector(origin, self._network)
            client = httpx.AsyncClient(
                transport=connector.transport(),
                headers=self._headers,
                timeout=_TIMEOUT_SECONDS,
                follow_redirects=False,
                event_hooks={"response": [drop_invalid_location]},
                trust_env=False,
            )
            self._clients[origin] = connector, client
        return self._clients[origin]


def origin_of(parts: SplitResult) -> str:
    """Scheme, host and port; the usual port is left out. Raises: ValueError: no such port."""
    host = parts.hostname or ""
    usual = {"https": 443, "http": 80}.get(parts.scheme)
    place = f"[{host}]" if ":" in host else host
    port = "" if parts.port in (None, usual) else f":{parts.port}"
    return f"{parts.scheme}://{place}{port}"
