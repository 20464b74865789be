"""Files of the WhatsApp Cloud API by their ids, from Meta or a provider with the same interface.

An id is resolved to an address that holds for five minutes, and the file is fetched from there;
both requests carry the access token. It is sent to these hosts only, and redirects are not
followed.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol
from urllib.parse import quote, urlsplit, urlunsplit

import httpx

from frontdesk.client.address import base_url, check_key
from frontdesk.client.network import Network
from frontdesk.client.origins import OriginClients
from frontdesk.client.response import parse_json, read_answer
from frontdesk.client.throttle import retry_wait
from frontdesk.client.transport import Connector
from frontdesk.errors import BadResponse, FileTooLarge, NotFound, Unauthorised, Unreachable
from frontdesk.text.clean import file_size
from frontdesk.wire.values import utc_now

GRAPH = "https://graph.facebook.com/v23.0"
# Where Meta's files are.
_FILE_HOSTS = ("lookaside.fbsbx.com",)
_DIALOG_360 = "360dialog.io"

# Error codes of the Graph API: too many requests, of the app, the number or the account.
_RATE_CODES = (4, 80007, 130429)
_TOKEN_CODE = 190
_RATE_PAUSE_SECONDS = 300.0
_GONE = "The provider does not have the file any more"


class ReceivingFile(Protocol):
    """A file that is being written, and may be begun again."""

    @property
    def most_bytes(self) -> int:
        """Limit of its size."""

    def write(self, chunk: bytes) -> None: ...

    def restart(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ProviderCredentials:
    """Access token of a provider, its address, and the hosts of its files.

    Without such hosts, files are at the address itself, whatever host it names: so do providers
    that pass Meta's answers on.
    """

    token: str = field(repr=False)
    address: str = GRAPH
    file_hosts: tuple[str, ...] = _FILE_HOSTS

    def headers(self) -> Mapping[str, str]:
        host = urlsplit(self.address).hostname or ""
        if host == _DIALOG_360 or host.endswith(f".{_DIALOG_360}"):
            return {"D360-API-KEY": self.token}
        return {"Authorization": f"Bearer {self.token}"}


class ProviderFiles:
    """Files of one provider. Use as an asynchronous context."""

    def __init__(self, credentials: ProviderCredentials, network: Network) -> None:
        """Raises: BadSettings: the address, the token, certificates or the proxy are unusable."""
        check_key(credentials.token)
        self._address = base_url(credentials.address, in_process=False)
        self._file_hosts = credentials.file_hosts
        # Certificates and proxy are checked now, and not with the first file.
        Connector(self._address, network)
        self._clients = OriginClients(credentials.headers(), network)

    async def __aenter__(self) -> "ProviderFiles":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._clients.close()

    async def save(self, remote: str, file: ReceivingFile) -> None:
        """Write the file with an id.

        Raises: NotFound, FileTooLarge, Unauthorised, Unreachable, BadResponse; `retry_after` of
        Unreachable is set after too many requests.
        """
        if not await self._download(await self._resolve(remote), file):
            # The address may have expired between the two requests.
            file.restart()
            if not await self._download(await self._resolve(remote), file):
                raise NotFound(_GONE)

    async def _resolve(self, remote: str) -> str:
        """The address of a file."""
        if remote in (".", ".."):
            raise NotFound(_GONE)
        url = f"{self._address}/{quote(remote, safe='')}"
        async with self._sent(url) as response:
            if response.status_code == 404:
                raise NotFound(_GONE)
            answer = await read_answer(response)
        try:
            members = parse_json(answer.body)
            address = members["url"] if isinstance(members, dict) else None
        except (ValueError, KeyError):
            address = None
        if not isinstance(address, str):
            raise BadResponse("The provider does not say where the file is")
        return self._allowed(address)

    def _allowed(self, address: str) -> str:
        """An address that the token may be sent to. Raises: BadResponse."""
        try:
            parts = urlsplit(address)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port, parts = None, None, urlsplit("")
        if not self._file_hosts:
            own = urlsplit(self._address)
            return urlunsplit((own.scheme, own.netloc, parts.path, parts.query, ""))
        if parts.scheme != "https" or host not in self._file_hosts or port not in (None, 443):
            raise BadResponse("The provider sends to a host that is not its own")
        return urlunsplit(("https", host, parts.path, parts.query, ""))

    async def _download(self, url: str, file: ReceivingFile) -> bool:
        """Write a file; False if it is not at this address."""
        async with self._sent(url) as response:
            if response.status_code == 404:
                return False
            length = response.headers.get("content-length", "")
            if re.fullmatch("[0-9]{1,18}", length) and int(length) > file.most_bytes:
                raise FileTooLarge(f"The file is larger than {file_size(file.most_bytes)}")
            if response.headers.get("content-encoding", "identity") not in ("", "identity"):
                raise BadResponse("The provider packs the file in a way that was not requested")
            async for chunk in response.aiter_raw():
                file.write(chunk)
        return True

    @asynccontextmanager
    async def _sent(self, url: str) -> AsyncIterator[httpx.Response]:
        """Send a request; gives a response 200 or 404."""
        async with self._clients.get(url) as response:
            if response.status_code not in (200, 404):
                raise await _refusal(response)
            yield response


class AccountFiles:
    """Providers by account, opened when they are first needed. Use as an asynchronous context."""

    def __init__(
        self,
        common: ProviderCredentials | None,
        by_account: Mapping[str, ProviderCredentials],
        network: Network,
    ) -> None:
        self._credentials = by_account
        self._common = common
        self._network = network
        self._open: dict[ProviderCredentials, ProviderFiles] = {}

    async def __aenter__(self) -> "AccountFiles":
        return self

    async def __aexit__(self, *error: object) -> None:
        for files in self._open.values():
            await files.__aexit__(None, None, None)

    def of_account(self, slug: str) -> ProviderFiles | None:
        """The provider of an account; None without credentials for it."""
        credentials = self._credentials.get(slug, self._common)
        if credentials is None:
            return None
        if credentials not in self._open:
            self._open[credentials] = ProviderFiles(credentials, self._network)
        return self._open[credentials]


async def _refusal(response: httpx.Response) -> Exception:
    """The error of a response that is neither 200 nor 404."""
    status = response.status_code
    if 300 <= status < 400:
        return BadResponse("The provider sends elsewhere, where the token must not go")
    code = await _error_code(response) if status in (400, 401, 403) else None
    if status == 429 or code in _RATE_CODES:
        wait = retry_wait(response.headers, utc_now())
        pause = _RATE_PAUSE_SECONDS if wait is None else wait
        return Unreachable("The provider asks for fewer requests", retry_after=pause)
    if status in (401, 403) or code == _TOKEN_CODE:
        return Unauthorised("The provider refuses the access token")
    if status in (400, 410):
        return NotFound(_GONE)
    # Without `retry_after`, which stands for too many requests.
    return Unreachable(f"The provider answers {status}")


async def _error_code(response: httpx.Response) -> int | None:
    """Code of an error of the Graph API."""
    try:
        answer = await read_answer(response)
        members = parse_json(answer.body)
        code = members["error"]["code"]
    except (BadResponse, ValueError, KeyError, TypeError):
        return None
    return code if isinstance(code, int) else None
