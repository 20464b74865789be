"""`POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions.

What is answered is the application's that is passed in; here is who may ask. Each request that a
tool makes is one of `/v1` with the same key: scopes, rate limit and log are those of `/v1`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import anyio
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from frontdesk.service.access_control import AccessControl, RequestContext
from frontdesk.service.api_keys import Principal, credential
from frontdesk.service.calendar_buckets import zone_of
from frontdesk.service.executors import RETRY_SECONDS, Reads, WriteBehind
from frontdesk.service.held_requests import until_gone
from frontdesk.service.middleware import check_method
from frontdesk.service.params import Parameters, echo
from frontdesk.service.problems import ApiError, too_busy
from frontdesk.service.rate_limit import ClientQuota
from frontdesk.service.request_bodies import BodyLimits, json_body
from frontdesk.store.database import Connection
from frontdesk.store.reports import account_timezone

PATH = "/mcp"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
# Bytes of a body, and of all that are received by a worker and for one key.
LIMITS = BodyLimits(1024 * 1024)
_MOST_BYTES_AT_ONCE = 16 * LIMITS.most_bytes
# Requests that a worker answers at once, and that wait for it; more are answered 503.
MOST_AT_ONCE = 8
MOST_WAITING = 256
_PARAMETERS = ("zone",)


class ModelApplication(Protocol):
    """Answers requests of MCP within `running`."""

    def running(self) -> AbstractAsyncContextManager[None]: ...

    async def answer(
        self,
        key: str,
        zone: ZoneInfo | None,
        masked: bool,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer one request (ASGI) of a key, which has masked customers; all times in `zone`."""


@dataclass(frozen=True, slots=True)
class ModelContextSettings:
    """application: made with the application of `/v1`. hosts: by which the service is reached."""

    application: Callable[[ASGIApp], ModelApplication]
    hosts: tuple[str, ...] = LOOPBACK_NAMES


class ModelContextHandler:
    """ASGI endpoint of `/mcp`.

    Order of checks: host, origin, blocked address, key, rate limit, method, parameters, body. An
    answer is given up when its client has gone.
    """

    def __init__(
        self,
        application: ModelApplication,
        hosts: tuple[str, ...],
        access: AccessControl,
        reads: Reads,
        writes: WriteBehind,
    ) -> None:
        self._application = application
        self._hosts = frozenset(host.casefold() for host in hosts)
        self._access = access
        self._reads = reads
        self._writes = writes
        self._bodies = ClientQuota(_MOST_BYTES_AT_ONCE, _MOST_BYTES_AT_ONCE // 2, RETRY_SECONDS)
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, context = Request(scope, receive), RequestContext.of(scope)
        context.route = PATH
        self._check_host(request.headers.get("host", ""))
        self._check_origin(request.headers.get("origin"))
        self._access.check_address(request, context)

        def authorized(connection: Connection, inline: bool) -> tuple[Principal, str]:
            principal = self._access.authorize(request, context, connection)
            return principal, account_timezone(connection, principal.grant.account_id)

        principal, account_zone = await self._reads.read(authorized, context.now)
        if principal.stored:
            self._writes.touch_key(principal.grant.key_id, principal.last_used_at, context.now)
        check_method(request.method, ("POST",), "MCP is spoken here by POST, without sessions.")
        zone = _zone(scope["query_string"], account_zone)
        with self._bodies.reservation(principal.grant.key_id) as reservation:
            body = await json_body(request, LIMITS, reservation)
            key = credential(request.headers.getlist("authorization"))
            answer = partial(self._application.answer, key, zone, principal.grant.masked)
            await self._answer(answer, body, scope, receive, send)

    def _check_host(self, host: str) -> None:
        """Raises: ApiError: a page may have pointed its own name to this address."""
        name = _host_name(f"//{host}")
        if name not in self._hosts:
            raise ApiError(
                "host_not_allowed",
                f"This service is not reached as {echo(host)}: frontdesk serve --mcp-host names "
                "the hosts by which it is.",
            )

    def _check_origin(self, origin: str | None) -> None:
        """Raises: ApiError: a browser sends this for a page of another host."""
        if origin is not None and _host_name(origin) not in self._hosts:
            raise ApiError(
                "origin_not_allowed", f"Pages of {echo(origin)} may not use this service."
            )

    async def _answer(
        self,
        answer: Callable[[Scope, Receive, Send], Awaitable[None]],
        body: bytes,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        unread = [body]

        async def replay() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop(), "more_body": False}
            await anyio.sleep_forever()
            raise AssertionError

        async def leave_with_client() -> None:
            await until_gone(receive)
            tasks.cancel_scope.cancel()

        if self._waiting >= MOST_WAITING:
            raise too_busy(RETRY_SECONDS)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave_with_client)
            self._waiting += 1
            try:
                await self._room.acquire()
            finally:
                self._waiting -= 1
            try:
                await answer(scope, replay, send)
            finally:
                self._room.release()
            tasks.cancel_scope.cancel()


def _host_name(address: str) -> str | None:
    """Host of an address, without its port; None if it has none."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _zone(query: bytes, account_zone: str) -> ZoneInfo | None:
    """The zone that is asked for, else the account's. Raises: ApiError: there is none such."""
    parameters = Parameters(query, _PARAMETERS)
    name = parameters.get("zone")
    zone = zone_of(name or account_zone)
    if zone is None and name is not None:
        hint = f"there is no zone '{echo(name)}'; give an IANA name such as Europe/Madrid"
        parameters.add_fault("invalid_parameter", "zone", "unknown_value", hint)
    parameters.raise_if_invalid()
    return zone
