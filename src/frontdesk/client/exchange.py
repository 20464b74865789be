"""HTTP transport of the client: GET with deadline, retries, rate limiting and ETag cache."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import httpx

from frontdesk.client.answers import Answer, CutShort, read_answer
from frontdesk.client.connections import Connector, application_transport, drop_invalid_location
from frontdesk.client.failures import Rejected, failure, trouble_of
from frontdesk.client.network import Network
from frontdesk.client.pacing import Pacing
from frontdesk.client.server import ABSENT, IGNORED, PRESENT, Notebook
from frontdesk.client.shelf import Kept, Question, Shelf
from frontdesk.client.waits import date_of, limit_reset
from frontdesk.errors import BadResponse, InboxError, Unreachable

V = TypeVar("V")

MOST_TRIES = 3
FIRST_PAUSE_SECONDS = 0.25

_PRIVATE_PARAMETERS = ("q", "cursor")

_log = logging.getLogger(__name__)


def utc_now() -> datetime:
    return datetime.now(UTC)


class Exchange:
    """Sends GET requests to one server with one key, over kept-alive connections."""

    def __init__(
        self,
        base_url: str,
        key: str,
        notebook: Notebook,
        *,
        app: Callable[..., Awaitable[None]] | None,
        network: Network,
        deadline_seconds: float,
        sleep: Callable[[float], Awaitable[None]],
        chance: Callable[[], float],
        clock: Callable[[], float],
        now: Callable[[], datetime],
    ) -> None:
        # At INFO, httpx logs complete URLs, which contain phone numbers and search texts.
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._base_url = base_url
        self._notebook = notebook
        self._deadline_seconds = deadline_seconds
        self._sleep = sleep
        self._chance = chance
        self._clock = clock
        self._now = now
        self._pacing = Pacing(clock, sleep, chance)
        self._shelf = Shelf()
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
        """Close the connections."""
        await self._http.aclose()

    async def get(self, path: str, parameters: Mapping[str, str], read: Callable[[Answer], V]) -> V:
        """GET a path below /v1/ and return `read` of a 2xx response, or the cached value for a 304.

        Raises: Rejected: any other status. InboxError: no response, or an unreadable one.
        """
        async with self._pacing.turn():
            try:
                async with asyncio.timeout(self._deadline_seconds):
                    value = await self._tried(path, parameters, read)
            except TimeoutError as error:
                self._pacing.failed()
                raise Unreachable(
                    f"The server did not answer within {self._deadline_seconds:g} seconds"
                ) from _unlocated(error)
            except _Passing as passing:
                self._pacing.failed()
                raise passing.reason from passing.__cause__
            except Unreachable:
                self._pacing.failed()
                raise
            except (InboxError, Rejected):
                self._pacing.answered()
                raise
            self._pacing.succeeded()
            return value

    async def _tried(
        self, path: str, parameters: Mapping[str, str], read: Callable[[Answer], V]
    ) -> V:
        """Up to three attempts, with pauses of random length in between."""
        for attempt in range(1, MOST_TRIES):
            try:
                return await self._once(path, parameters, read)
            except _Passing as passing:
                _log.debug("try %d of GET /v1/%s: %s", attempt, _masked(path), passing)
            await self._sleep(self._chance() * FIRST_PAUSE_SECONDS * 2**attempt)
        return await self._once(path, parameters, read)

    async def _once(
        self, path: str, parameters: Mapping[str, str], read: Callable[[Answer], V]
    ) -> V:
        """One attempt.

        Raises: _Passing: a transient failure. Rejected, InboxError: any other failure.
        """
        question = path, tuple(parameters.items())
        offered = self._shelf.offer(question)
        try:
            answer = await self._answer(path, parameters, offered)
            if answer.status == 304:
                unchanged: V = self._unchanged(question, offered)
                return unchanged
            if 200 <= answer.status < 300:
                value = read(answer)
                self._keep(question, answer, value, offered)
                return value
        except CutShort as error:
            raise _Passing(error) from None
        raise self._failure(answer)

    async def _answer(
        self, path: str, parameters: Mapping[str, str], offered: Kept | None
    ) -> Answer:
        """Send the request and read the whole response, whatever its status."""
        url = f"{self._base_url}/v1/{path}"
        headers = {"If-None-Match": offered.tag} if offered else {}
        self._notebook.asked()
        began = self._clock()
        try:
            async with self._http.stream(
                "GET", url, params=dict(parameters), headers=headers
            ) as response:
                seconds = self._clock() - began
                answer = await read_answer(response)
        except httpx.TransportError as error:
            found, passing = self._connector.failure(error)
            raise (_Passing(found) if passing else found) from _unlocated(error)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable("The server cannot be asked") from _unlocated(error)
        _log.debug("GET /v1/%s %s: %d", _masked(path), _shown(parameters), answer.status)
        self._notebook.answered(seconds, answer.received, date_of(answer.headers))
        if answer.status < 400:
            self._pacing.accepted()
        used_up = limit_reset(answer.headers, self._now())
        if used_up is not None:
            self._pacing.pause(used_up)
        return answer

    def _unchanged(self, question: Question, offered: Kept | None) -> Any:
        if offered is None:
            raise BadResponse("The server says that nothing changed, though it was asked for all")
        self._notebook.was_unchanged()
        self._notebook.feature("unchanged", PRESENT)
        return self._shelf.unchanged(question, offered)

    def _keep(
        self, question: Question, answer: Answer, value: object, offered: Kept | None
    ) -> None:
        """Store the value under its ETag."""
        tag = answer.headers.get("etag", "")
        if not tag:
            self._notebook.feature("unchanged", ABSENT, "Answers carry no tag.")
        elif not self._shelf.keep(question, tag, value, len(answer.body)):
            self._notebook.feature("unchanged", IGNORED, "A tag stays the same when rows change.")
        elif offered is not None and offered.tag == tag:
            self._notebook.feature("unchanged", IGNORED, "Answers come in full all the same.")

    def _failure(self, answer: Answer) -> Exception:
        """Exception for a status other than 2xx and 304."""
        trouble = trouble_of(answer)
        error = failure(answer, trouble, self._now())
        wait = error.retry_after if isinstance(error, Unreachable) else None
        if answer.status == 429 and wait is None:
            assert isinstance(error, Unreachable)
            error.retry_after = self._pacing.back_off()
        elif wait is not None:
            self._pacing.pause(wait)
        elif answer.status >= 500 and not trouble.no_such_path:
            return _Passing(error)
        return Rejected(trouble, error)


class _Passing(Exception):
    """A transient failure that a retry may resolve."""

    def __init__(self, reason: InboxError) -> None:
        super().__init__(str(reason))
        self.reason = reason


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


def _shown(parameters: Mapping[str, str]) -> str:
    """The query without search texts and cursors, for logging."""
    return "&".join(
        f"{name}={'…' if name in _PRIVATE_PARAMETERS else value}"
        for name, value in parameters.items()
    )
