"""Rate-limited JSON GET requests to third-party APIs, such as the lists of Meta's Graph API."""

import asyncio
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import httpx

from frontdesk.client.address import base_url, check_key
from frontdesk.client.failures import TRY_AGAIN, failure, trouble_of
from frontdesk.client.network import Network
from frontdesk.client.response import Response, TruncatedResponse, parse_json, read_answer
from frontdesk.client.retry import TransientFailure, random_pause, retry
from frontdesk.client.throttle import retry_wait
from frontdesk.client.transport import Connector, drop_invalid_location
from frontdesk.errors import BadResponse, Unreachable
from frontdesk.wire.values import utc_now

MOST_TRIES = 6
FIRST_PAUSE_SECONDS = 1.0
DEADLINE_SECONDS = 60.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Request rate, and the sources of time, sleep and randomness, which tests replace."""

    per_second: float
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random


class RequestSpacing:
    """Spaces requests out to the rate of a policy."""

    def __init__(self, policy: RequestPolicy) -> None:
        self._policy = policy
        self._next_at = 0.0

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        now = self._policy.clock()
        at = max(now, self._next_at)
        # Before it waits, so that who comes meanwhile waits for the next one.
        self._next_at = at + 1 / self._policy.per_second
        if now < at:
            await self._policy.sleep(at - now)


class ForeignApi:
    """Sequential GET requests to one server with one set of credentials.

        policy = RequestPolicy(5)
        async with ForeignApi("https://graph.facebook.com", headers, policy, network) as api:
            page = await api.get("102290129340398/phone_numbers", {"limit": "100"})

    The headers are sent to this server only: redirects and URLs in responses are not followed.
    Transient failures are retried, after Retry-After if the server sends it.
    """

    def __init__(
        self, address: str, secrets: Mapping[str, str], policy: RequestPolicy, network: Network
    ) -> None:
        """Raises: BadSettings: the URL, a secret, the certificates or the proxy cannot be used."""
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        for value in secrets.values():
            check_key(value.removeprefix("Bearer "))
        self._address = base_url(address, in_process=False)
        self._policy = policy
        self._spacing = RequestSpacing(policy)
        self._connector = Connector(self._address, network)
        self._http = httpx.AsyncClient(
            transport=self._connector.transport(),
            headers={
                **secrets,
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "User-Agent": "frontdesk",
            },
            timeout=DEADLINE_SECONDS,
            follow_redirects=False,
            event_hooks={"response": [drop_invalid_location]},
            trust_env=False,
        )

    async def __aenter__(self) -> "ForeignApi":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any:
        """Return the parsed JSON at a path below the base URL.

        Raises: Unauthorised, Forbidden, NotFound, Refused, BadResponse. Unreachable: all attempts
        failed.
        """
        try:
            return await retry(
                lambda: self._once(path, parameters or {}),
                MOST_TRIES,
                TransientFailure,
                self._pause,
            )
        except TransientFailure as passing:
            raise passing.reason from None

    async def _pause(self, number: int, passing: TransientFailure) -> None:
        """Wait as long as the server asks, or for a random time."""
        _log.debug("try %d of GET: %s", number, passing.reason)
        seconds = passing.wait_seconds
        if seconds is None:
            seconds = random_pause(number, FIRST_PAUSE_SECONDS, self._policy.chance)
        await self._policy.sleep(seconds)

    async def _once(self, path: str, parameters: Mapping[str, str]) -> Any:
        """One attempt. Raises: TransientFailure. As `get`: any other failure."""
        await self._spacing.turn()
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                answer = await self._answer(path, parameters)
        except TimeoutError:
            raise TransientFailure(Unreachable("The server did not answer in time")) from None
        except TruncatedResponse as error:
            raise TransientFailure(error) from None
        if 200 <= answer.status < 300:
            return _parsed(answer)
        refusal = failure(answer, trouble_of(answer), utc_now())
        if answer.status in TRY_AGAIN or answer.status >= 500:
            raise TransientFailure(refusal, retry_wait(answer.headers, utc_now()))
        raise refusal

    async def _answer(self, path: str, parameters: Mapping[str, str]) -> Response:
        url = f"{self._address}/{path.lstrip('/')}"
        try:
            async with self._http.stream("GET", url, params=dict(parameters)) as response:
                return await read_answer(response)
        except httpx.TransportError as error:
            failure, passing = self._connector.failure(error)
            # The error's traceback holds frames with the request headers.
            raise (TransientFailure(failure) if passing else failure) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise Unreachable("The request cannot be sent") from None


def _parsed(answer: Response) -> Any:
    try:
        return parse_json(answer.body)
    except ValueError:
        raise BadResponse(
            "The server answered with something that is not JSON in UTF-8: is the address right?"
        ) from None


PAGE = 100
MOST_PAGES = 1_000


class JsonApi(Protocol):
    """A JSON API with GET."""

    async def get(self, path: str, parameters: Mapping[str, str] | None = None) -> Any: ...


async def rows(
    api: JsonApi, path: str, fields: tuple[str, ...], advance: Callable[[int], object]
) -> AsyncIterator[Any]:
    """All rows of a list; `advance` is called with the length of each page.

    Only the cursor is taken from the URL of the next page; the URL itself is not requested.

    Raises: BadResponse: a response is not a list, or a cursor repeats.
    """
    parameters = {"fields": ",".join(fields), "limit": str(PAGE)}
    seen: set[str] = set()
    while len(seen) < MOST_PAGES:
        page = await api.get(path, parameters)
        if not isinstance(page, dict) or not isinstance(page.get("data"), list):
            raise BadResponse("The server answered with something that is not a list")
        for row in page["data"]:
            yield row
        advance(len(page["data"]))
        after = _after(page.get("paging"))
        if after is None:
            return
        if after in seen:
            raise BadResponse("The server gives the same page again and again")
        seen.add(after)
        parameters = {**parameters, "after": after}
    raise BadResponse(f"The server has more than {MOST_PAGES:,} pages")


def _after(paging: object) -> str | None:
    """Cursor of the next page; None on the last page, although that has a cursor too."""
    following = paging.get("next") if isinstance(paging, dict) else None
    if not isinstance(paging, dict) or not isinstance(following, str):
        return None
    cursors = paging.get("cursors")
    after = cursors.get("after") if isinstance(cursors, dict) else None
    if not isinstance(after, str):
        after = next(iter(parse_qs(urlsplit(following).query).get("after", ())), None)
    if after is None:
        raise BadResponse("The server does not say where its next page begins")
    return after
