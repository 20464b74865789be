"""Transport of httpx that injects network faults into requests."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import partial
from random import Random
from typing import Any
from urllib.parse import urlencode

import httpx

from frontdesk.client.discovery import PROBE_ROWS
from frontdesk.system.request_priority import is_background

FINE, CHANGING, REFUSED = "fine", "changing", "key refused"

_HEAD, _CHANGES = "/v1/conversations", "/v1/changes"
_SHORTENING = (b"accept-encoding", b"if-none-match")
_JSON = {"content-type": "application/json"}
_GARBAGE = (
    b"<!DOCTYPE html><h1>Log in to the network</h1>",
    b'{"data": [}',
    b'{"data": [{"id": "\xff"}]}',
    b"[" * 100_000,
    b'{"data": [{"id": ' + b"1" * 5000 + b"}]}",
    b"NaN",
    b"",
    b'{"data": 7, "has_more": "perhaps"}',
    b'{"data": [null, 7, "row", {"id": null}], "next_cursor": null, "has_more": false}',
)
_WAITS = ("", "0", "2", "20", "-5", "soon", "1000000000", "Sat, 14 Mar 2026 10:05:00 GMT")
_PROBLEM = {"type": "about:blank", "title": "\x1b]0;PWNED\x07 [/nope]", "code": "internal"}


def list_name(filter: Mapping[str, str]) -> str:
    """Name of a list of conversations in `FaultyTransport.heads`."""
    return f"{_HEAD}?{urlencode(sorted(filter.items()))}"


class FaultyTransport(httpx.AsyncBaseTransport):
    """Transport in which `fault` happens to requests for paths that contain `path`.

    heads: of what is shown as the newest state, by path, lists by `list_name`: whether the last
    request brought it.
    """

    def __init__(
        self, way: httpx.AsyncBaseTransport, chance: Random, clock: Callable[[], float]
    ) -> None:
        self._way = way
        self._chance = chance
        self._clock = clock
        self.fault, self.path = FINE, ""
        self.counts: Counter[str] = Counter()
        self.heads: dict[str, bool] = {}
        # Number of the request that `heads` tells of, and when it came: those before it say nothing
        # new.
        self._told: dict[str, tuple[int, float]] = {}
        self._happens: dict[str, Callable[[httpx.Request], Awaitable[httpx.Response]]] = {
            FINE: way.handle_async_request,
            "slow": self._slow,
            "dripping": self._drip,
            "silent": self._silent,
            "refused": self._refuse,
            "reset": self._reset,
            "too many": self._too_many,
            "failing": self._fail,
            "cut short": self._cut,
            "garbage": self._babble,
            "in circles": self._circle,
            "forbidden": self._forbid,
            REFUSED: self._lock_out,
        }

    def change_fault(self) -> None:
        """Choose another fault, but not the one that lasts."""
        kinds = [*self._happens, CHANGING, *[FINE] * 8]
        kinds.remove(REFUSED)
        self.fault = self._chance.choice(kinds)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        kind = self.fault if self.path in request.url.path else FINE
        if kind == CHANGING:
            kind = self._chance.choice([one for one in self._happens if one != REFUSED])
        self.counts[kind] += 1
        number = self.counts.total()
        arrived = False
        try:
            response = await self._happens[kind](request)
            spoilt = kind in ("dripping", "cut short", "garbage")
            arrived = response.status_code in (200, 304) and not spoilt
            return response
        finally:
            # What changed is held until it is known.
            held = request.url.path == _CHANGES
            self._note(request.url, self.counts.total() if held else number, arrived)

    async def aclose(self) -> None:
        await self._way.aclose()

    def _note(self, url: httpx.URL, number: int, arrived: bool) -> None:
        params = dict(url.params)
        # The view of the server asks for a few rows, and the number of a query is that of one.
        if "cursor" in params or params.pop("limit", "") in ("1", str(PROBE_ROWS)):
            return
        # The list that is shown has requests of its own: those of the mirror are in the background.
        if url.path == _HEAD and is_background():
            return
        # Of a customer it is asked for beside the thread too, which tells nothing of the list.
        if url.path == _HEAD and [*params] == ["contact"] and not arrived:
            return
        name = list_name(params) if url.path == _HEAD else url.path
        if number < self._told.get(name, (0, 0.0))[0]:
            return
        self.heads[name], self._told[name] = arrived, (number, self._clock())

    def came_at(self, filter: Mapping[str, str]) -> float | None:
        """When a list came, or what changed in it since; None if what was asked for last failed."""
        name = list_name(filter)
        since = self._told.get(name, (0, 0.0))
        told = [self._told[one] for one in (name, _CHANGES) if self.heads.get(one)]
        return max((at for number, at in told if number >= since[0]), default=None)

    async def _slow(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(self._chance.uniform(0.2, 12.0))
        return await self._way.handle_async_request(request)

    async def _drip(self, request: httpx.Request) -> httpx.Response:
        number = self.counts.total()
        answer = await self._whole(request)
        # A short one arrives before anybody gives up.
        arrived = partial(self._note, request.url, number, answer.status_code == 200)
        drops = _Drops(answer.content, seconds=1.0, ended=arrived)
        return httpx.Response(answer.status_code, headers=_JSON, stream=drops)

    async def _silent(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(3600)
        raise AssertionError("somebody waited for an hour")

    async def _refuse(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    async def _reset(self, request: httpx.Request) -> httpx.Response:
        await self._whole(request)
        raise httpx.ReadError("reset", request=request)

    async def _too_many(self, request: httpx.Request) -> httpx.Response:
        wait = self._chance.choice(_WAITS)
        return _answer(429, b"", {"retry-after": wait} if wait else {})

    async def _fail(self, request: httpx.Request) -> httpx.Response:
        status = self._chance.choice((500, 502, 503, 504))
        bodies = (b"", b"<h1>Bad gateway</h1>", json.dumps(_PROBLEM).encode())
        return _answer(status, self._chance.choice(bodies))

    async def _cut(self, request: httpx.Request) -> httpx.Response:
        answer = await self._whole(request)
        body = answer.content
        half = body[: self._chance.randrange(len(body) + 1)]
        return _answer(200, half, {**_JSON, "content-length": str(len(body) + 1)})

    async def _babble(self, request: httpx.Request) -> httpx.Response:
        return _answer(200, self._chance.choice(_GARBAGE))

    async def _circle(self, request: httpx.Request) -> httpx.Response:
        """Every page says that the next one is a page that was there before."""
        answer = await self._whole(request)
        try:
            body: dict[str, Any] = json.loads(answer.content)
            assert isinstance(body["data"], list)
        except (ValueError, KeyError, TypeError, AssertionError):
            body_bytes = answer.content
        else:
            turn = "AB"[request.url.params.get("cursor", "B") == "A"]
            round_again = {**body, "next_cursor": turn, "has_more": True}
            body_bytes = json.dumps(round_again).encode()
        return _answer(answer.status_code, body_bytes)

    async def _forbid(self, request: httpx.Request) -> httpx.Response:
        status = self._chance.choice((403, 404))
        problem = {**_PROBLEM, "code": "insufficient_scope", "required_scope": "\x1b[2J"}
        return _answer(status, json.dumps(problem).encode())

    async def _lock_out(self, request: httpx.Request) -> httpx.Response:
        return _answer(401, json.dumps(_PROBLEM).encode())

    async def _whole(self, request: httpx.Request) -> httpx.Response:
        """What the server answers, unpacked, in one piece and in full."""
        asked = httpx.Request(
            request.method,
            request.url,
            headers=[pair for pair in request.headers.raw if pair[0].lower() not in _SHORTENING],
        )
        response = await self._way.handle_async_request(asked)
        await response.aread()
        return response


def _answer(status: int, body: bytes, headers: dict[str, str] = _JSON) -> httpx.Response:
    """An answer with a body that comes at once."""
    return httpx.Response(status, headers=headers, stream=_Drops(body))


class _Drops(httpx.AsyncByteStream):
    """A body of which a piece comes every so many seconds; calls `ended` after the last one."""

    def __init__(
        self, body: bytes, seconds: float = 0.0, ended: Callable[[], None] = lambda: None
    ) -> None:
        self._body = body
        self._seconds = seconds
        self._ended = ended

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 8 if self._seconds else max(1, len(self._body))
        for at in range(0, len(self._body), size):
            await asyncio.sleep(self._seconds)
            yield self._body[at : at + size]
        self._ended()
