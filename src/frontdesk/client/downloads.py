"""Downloads of files whose addresses a third party gives, such as those of Chatwoot's attachments.

No credentials are sent. Redirects are followed, a few, to allowed hosts only.
"""

import asyncio
import re
from collections.abc import Collection
from types import TracebackType
from urllib.parse import urljoin, urlsplit

import httpx

from frontdesk.client.external import RequestPolicy, RequestSpacing
from frontdesk.client.files import ReceivingFile
from frontdesk.client.network import Network
from frontdesk.client.origins import OriginClients, origin_of
from frontdesk.errors import BadResponse, FileTooLarge, NotFound, Unreachable
from frontdesk.text.clean import file_size

MOST_REDIRECTS = 3
DEADLINE_SECONDS = 600.0


class LinkedFiles:
    """Files at addresses of allowed origins. Use as an asynchronous context.

    origins: scheme, host and port of each, such as "https://files.example.com".
    """

    def __init__(self, origins: Collection[str], policy: RequestPolicy, network: Network) -> None:
        self._spacing = RequestSpacing(policy)
        self._origins = frozenset(origin_of(urlsplit(origin)) for origin in origins)
        self._clients = OriginClients({}, network)

    async def __aenter__(self) -> "LinkedFiles":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._clients.close()

    async def save(self, url: str, file: ReceivingFile) -> None:
        """Write the file at an address.

        Raises: NotFound: there is none. FileTooLarge. Unreachable. BadResponse: at, or redirected
        to, a host that is not allowed.
        """
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                for _ in range(1 + MOST_REDIRECTS):
                    following = await self._saved(url, file)
                    if following is None:
                        return
                    url = urljoin(url, following)
        except TimeoutError:
            raise Unreachable("The file did not come in time") from None
        raise BadResponse("The address of the file leads on and on")

    async def _saved(self, url: str, file: ReceivingFile) -> str | None:
        """Write the file; return where its address leads instead, if it does."""
        self._check_allowed(url)
        await self._spacing.turn()
        async with self._clients.get(url) as response:
            if 300 <= response.status_code < 400 and "location" in response.headers:
                return str(response.headers["location"])
            _check(response, file.most_bytes)
            async for chunk in response.aiter_raw():
                file.write(chunk)
        return None

    def _check_allowed(self, url: str) -> None:
        """Raises: BadResponse: the host is not allowed."""
        try:
            parts = urlsplit(url)
            allowed = parts.username is None and origin_of(parts) in self._origins
        except ValueError:
            allowed = False
        if not allowed:
            raise BadResponse("The file is at a host that is not allowed")


def _check(response: httpx.Response, most_bytes: int) -> None:
    """Raises: NotFound, Unreachable, FileTooLarge, BadResponse."""
    status = response.status_code
    if status in (401, 403, 404, 410):
        raise NotFound("The file is not there any more")
    if status != 200:
        raise Unreachable(f"The server of the file answers {status}")
    length = response.headers.get("content-length", "")
    if re.fullmatch("[0-9]{1,18}", length) and int(length) > most_bytes:
        raise FileTooLarge(f"The file is larger than {file_size(most_bytes)}")
    if response.headers.get("content-encoding", "identity") not in ("", "identity"):
        raise BadResponse("The server packs the file in a way that was not requested")
