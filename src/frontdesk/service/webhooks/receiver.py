"""Webhook receiver: verifies and stores Meta's webhooks before acknowledging them.

Not part of `/v1`: it needs no API key and is not rate limited.
"""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import parse_qs, unquote

from starlette.types import Receive, Scope, Send

from frontdesk.errors import Unreachable
from frontdesk.service.access_log import AccessLog
from frontdesk.service.http import Request, Response, check_size, refused, send_response
from frontdesk.service.problems import Refusal, cause, failed, no_route, too_busy, unavailable
from frontdesk.service.room import Holding, SharedLimit
from frontdesk.service.visits import Visit
from frontdesk.service.webhooks.secrets import Agreements
from frontdesk.store.accounts import DEFAULT_ACCOUNT, account_by_slug, all_accounts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.raw_events import Arrival, keep

PATH = ("webhooks", "whatsapp")

# Meta's bodies have at most 3 MB.
MOST_BYTES = 4 * 1024 * 1024
# Drain up to this much of an oversized body, so that the client gets our 413 and not a reset.
MOST_DISCARDED_BYTES = 4 * MOST_BYTES
BODY_SECONDS = 20.0
# Concurrency limits: bytes of bodies being received, and complete bodies being stored. One client
# address may hold half of each; more is answered 503.
MOST_BYTES_AT_ONCE = 16 * MOST_BYTES
MOST_AT_ONCE = 32
RETRY_SECONDS = 5
THREADS = 2

T = TypeVar("T")

_SIGNATURE = b"x-hub-signature-256"
_KEPT_HEADERS = (b"content-type", b"user-agent", _SIGNATURE)
_LONGEST_HEADER = 512
_PLAIN = (
    ("Content-Type", "text/plain; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
)

_log = logging.getLogger("frontdesk.service")


@dataclass(frozen=True, slots=True)
class _Delivery:
    """Webhook body and its headers. slug: the account in the path, None without one."""

    slug: str | None
    headers: dict[bytes, bytes] = field(repr=False)
    body: bytes = field(repr=False)


class Receiver:
    """ASGI application. Call `close` after the last request and before closing the database.

    stored: called in any thread after a new body was stored. clock: epoch milliseconds.
    """

    def __init__(
        self,
        database: Database,
        agreements: Agreements,
        *,
        stored: Callable[[], None],
        clock: Callable[[], int],
        problem_base_uri: str,
        access_log: AccessLog | None = None,
    ) -> None:
        self._database = database
        self._agreements = agreements
        self._stored = stored
        self._clock = clock
        self._problem_base_uri = problem_base_uri
        self._access_log = access_log
        self._threads = ThreadPoolExecutor(THREADS, "frontdesk-receiver")
        self._arriving = SharedLimit(MOST_BYTES_AT_ONCE, MOST_BYTES_AT_ONCE // 2, RETRY_SECONDS)
        self._storing = SharedLimit(MOST_AT_ONCE, MOST_AT_ONCE // 2, RETRY_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        visit = Visit(Request.of(scope), self._clock())
        try:
            response = await self._answer(visit, scope, receive)
        except Refusal as refusal:
            response = self._refused(visit, refusal)
        except Unreachable as error:
            response = self._refused(visit, unavailable(error))
        except _Gone:
            return
        except asyncio.CancelledError:
            # Shutdown cancels pending requests. If the body was stored, its redelivery is a
            # duplicate.
            response = self._refused(visit, too_busy(RETRY_SECONDS))
        except Exception as error:
            _log.error("Request %s failed\n%s", visit.id, cause(error))
            response = self._refused(visit, failed(error))
        headers = (*response.headers, ("X-Request-Id", visit.id))
        await send_response(send, Response(response.status, headers, response.body), with_body=True)
        if self._access_log is not None:
            seconds = time.perf_counter() - started
            self._access_log.note(visit, response, seconds=seconds, sent=len(response.body))

    def close(self) -> None:
        """Wait for running writes and stop the threads."""
        self._threads.shutdown()

    def _refused(self, visit: Visit, refusal: Refusal) -> Response:
        visit.problem = refusal.code
        return refused(refusal, visit.id, self._problem_base_uri)

    async def _answer(self, visit: Visit, scope: Scope, receive: Receive) -> Response:
        request = visit.request
        check_size(request)
        slug = _account_of(visit)
        if request.method not in ("GET", "POST"):
            raise Refusal(
                "method_not_allowed",
                "Webhooks are verified by GET and delivered by POST.",
                headers=(("Allow", "GET, POST"),),
                allow=("GET", "POST"),
            )
        if request.method == "GET":
            return await self._shake(slug, request.query)
        headers = dict(scope["headers"])
        with self._arriving.holding(request.address) as held_bytes:
            delivery = _Delivery(slug, headers, await _body(headers, receive, held_bytes))
            with self._storing.holding(request.address) as places:
                places.grow(1)
                return await self._in_thread(self._take, delivery, visit.now)

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, work, *arguments)

    async def _shake(self, slug: str | None, query: bytes) -> Response:
        """Answer the subscription handshake with the challenge, if the verify token matches.

        No concurrency limit applies. The database is read only after the token matched.
        """
        told = {name: values[0] for name, values in parse_qs(query.decode("latin-1")).items()}
        agreement = self._agreements.of(slug or DEFAULT_ACCOUNT)
        verified = agreement.is_verified(told.get("hub.verify_token", ""))
        if not verified or told.get("hub.mode") != "subscribe":
            raise Refusal("verify_token_mismatch", "The verify token is another one.")
        await self._in_thread(
            self._database.read_latest, lambda connection: _account(connection, slug)
        )
        return Response(200, _PLAIN, told.get("hub.challenge", "").encode())

    def _take(self, delivery: _Delivery, now: int) -> Response:
        """Verify and store a body.

        A missing account is reported only after the signature is verified.
        """
        agreement = self._agreements.of(delivery.slug or DEFAULT_ACCOUNT)
        if not agreement.is_signed(delivery.body, delivery.headers.get(_SIGNATURE, b"")):
            raise Refusal("invalid_signature", "X-Hub-Signature-256 is not that of the body.")
        _check_json(delivery.body)
        if self._database.write(lambda connection: _keep(connection, delivery, now)):
            self._stored()
        return Response(200, _PLAIN)


class _Gone(Exception):
    """The client disconnected before the end of the body."""


def _account_of(visit: Visit) -> str | None:
    """Return the account slug of the path, None without one."""
    path = tuple(unquote(segment) for segment in visit.request.path.split("/"))
    if path[:2] != PATH or len(path) > 3:
        raise no_route()
    visit.route = f"/{'/'.join(PATH)}" + ("/{account}" if len(path) == 3 else "")
    return path[2] if len(path) == 3 else None


async def _body(headers: dict[bytes, bytes], receive: Receive, held: Holding) -> bytes:
    """Receive a body within the size and time limits; its bytes are charged to `held`."""
    media_type = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if media_type != b"application/json":
        raise Refusal("unsupported_media_type", "Send Content-Type: application/json.")
    chunks: list[bytes] = []
    size, more = 0, True
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while more and size <= MOST_DISCARDED_BYTES:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise _Gone
                chunk, more = message.get("body", b""), message.get("more_body", False)
                size += len(chunk)
                if size <= MOST_BYTES:
                    held.grow(len(chunk))
                    chunks.append(chunk)
                else:
                    held.release()
                    chunks.clear()
    except TimeoutError:
        raise Refusal(
            "request_timeout",
            f"A body has to come within {BODY_SECONDS:g} seconds.",
            headers=(("Connection", "close"),),
        ) from None
    if size > MOST_BYTES:
        raise Refusal(
            "payload_too_large",
            f"A body may have {MOST_BYTES} bytes.",
            headers=(("Connection", "close"),) if more else (),
        )
    return b"".join(chunks)


def _check_json(body: bytes) -> None:
    """Refuse a body that is no JSON object.

    JSON beyond Python's limits (nesting, digits) is stored, so that a person can inspect it.
    """
    try:
        sound = isinstance(json.loads(body.decode()), dict)
    except (json.JSONDecodeError, UnicodeDecodeError):
        sound = False
    except (ValueError, RecursionError):
        sound = True
    if not sound:
        raise Refusal("invalid_json", "The body is not a JSON object.")


def _keep(connection: Connection, delivery: _Delivery, now: int) -> bool:
    account = _account(connection, delivery.slug)
    kept = {
        name.decode(): delivery.headers[name].decode("latin-1")[:_LONGEST_HEADER]
        for name in _KEPT_HEADERS
        if name in delivery.headers
    }
    return keep(connection, Arrival(account["id"], delivery.body, now, json.dumps(kept)))


def _account(connection: Connection, slug: str | None) -> Row:
    """Find the account by slug; without one, the default account or the only one."""
    found = account_by_slug(connection, slug or DEFAULT_ACCOUNT)
    if found is None and slug is None:
        everyone = all_accounts(connection, now=0)
        found = everyone[0] if len(everyone) == 1 else None
    if found is None or found["disabled"]:
        raise no_route()
    return found
