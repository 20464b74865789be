"""Webhook receiver: verifies and stores Meta's webhooks before acknowledging them.

Not part of `/v1`: it needs no API key and is not rate limited.
"""

import asyncio
import hashlib
import hmac
import json
import logging
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from frontdesk.service.access_control import RequestContext, client_address
from frontdesk.service.access_log import AccessLog, Telemetry
from frontdesk.service.middleware import Handler, HttpApplication, check_method
from frontdesk.service.problems import ApiError, no_route, problem_of
from frontdesk.service.rate_limit import ClientQuota
from frontdesk.service.request_bodies import CLOSE, BodyLimits, json_body
from frontdesk.store.accounts import DEFAULT_ACCOUNT, account_by_slug, all_accounts
from frontdesk.store.database import Connection, Database, Row
from frontdesk.store.raw_events import ReceivedBody, keep

PATH = "/webhooks/whatsapp"

# Meta's bodies have at most 3 MB.
MOST_BYTES = 4 * 1024 * 1024
LIMITS = BodyLimits(MOST_BYTES)
# Concurrency limits: bytes of bodies being received, and complete bodies being stored. One client
# address may hold half of each; more is answered 503, once a body has waited to be stored. The
# beginning of each body, which is all of a usual one, is of no address: large ones that nobody
# signed keep no small ones of the same address out.
MOST_BYTES_AT_ONCE = 16 * MOST_BYTES
COMMON_BYTES = 64 * 1024
MOST_AT_ONCE = 32
STORING_SECONDS = 1.0
RETRY_SECONDS = 5
THREADS = 2
_SIGNATURE_FORM = re.compile(rb"sha256=([0-9a-f]{64})", re.IGNORECASE)

_log = logging.getLogger("frontdesk.service")

T = TypeVar("T")

_METHODS = ("GET", "POST")
_SIGNATURE_HEADER = "x-hub-signature-256"
_STORED_HEADERS = ("content-type", "user-agent", _SIGNATURE_HEADER)
_LONGEST_HEADER = 512
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


@dataclass(frozen=True, slots=True)
class WebhookSecret:
    """Secrets of one Meta app. An app_secret of None disables verification; "" matches nothing."""

    app_secret: str | None = field(repr=False)
    verify_token: str = field(default="", repr=False)

    def verify_signature(self, body: bytes, signature: bytes) -> bool:
        """Verify `X-Hub-Signature-256`: "sha256=" and the hex HMAC-SHA256 of the raw body."""
        if self.app_secret is None:
            return True
        match = _SIGNATURE_FORM.fullmatch(signature)
        claimed = match[1].lower() if match else b""
        digest = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(digest.encode(), claimed) and bool(self.app_secret)

    def check_form(self, signature: bytes) -> None:
        """Refuse what no body can have, before one is received.

        Raises: ApiError.
        """
        if self.app_secret is not None and not _SIGNATURE_FORM.fullmatch(signature):
            raise _bad_signature()

    def matches_token(self, token: str) -> bool:
        """Compare in constant time with the verify token of the subscription handshake."""
        return hmac.compare_digest(self.verify_token.encode(), token.encode()) and bool(
            self.verify_token
        )


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """Secrets per account slug, with a common default."""

    common: WebhookSecret | None = None
    own: Mapping[str, WebhookSecret] = field(default_factory=dict)

    def for_account(self, slug: str) -> WebhookSecret:
        """Return the account's secrets or the common ones; without either, ones that match
        nothing."""
        secret = self.own.get(slug) or self.common
        # Random secrets keep the comparison, so that timing does not reveal which accounts exist.
        return secret or WebhookSecret(secrets.token_hex(), secrets.token_hex())


@dataclass(frozen=True, slots=True)
class _WebhookRequest:
    """Webhook body and its headers. slug: the account in the path, None without one."""

    slug: str | None
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)


class Receiver(HttpApplication):
    """ASGI application. Call `close` after the last request and before closing the database.

    stored: called in any thread after a new body was stored. clock: epoch milliseconds.
    """

    def __init__(
        self,
        database: Database,
        secrets: WebhookSecrets,
        *,
        stored: Callable[[], None],
        clock: Callable[[], int],
        problem_base_uri: str,
        access_log: AccessLog | None = None,
        telemetry: Telemetry | None = None,
    ) -> None:
        self._telemetry = telemetry or Telemetry()
        self._database = database
        self._secrets = secrets
        self._stored = stored
        self._threads = ThreadPoolExecutor(THREADS, "frontdesk-receiver")
        self._write_lock = threading.Lock()
        # Why the last body could not be stored.
        self._write_problem: str | None = None
        self._receiving = ClientQuota(
            MOST_BYTES_AT_ONCE, MOST_BYTES_AT_ONCE // 2, RETRY_SECONDS, common=COMMON_BYTES
        )
        self._storing = ClientQuota(MOST_AT_ONCE, MOST_AT_ONCE // 2, RETRY_SECONDS)
        super().__init__(
            [
                Route(PATH, Handler(PATH, self._answer)),
                Route(f"{PATH}/{{account:segment}}", Handler(f"{PATH}/{{account}}", self._answer)),
            ],
            clock=clock,
            problem_base_uri=problem_base_uri,
            # If the body was stored, its redelivery is a duplicate.
            retry_seconds=RETRY_SECONDS,
            access_log=access_log,
            telemetry=self._telemetry,
        )

    def close(self) -> None:
        self._threads.shutdown()

    async def _answer(self, request: Request) -> Response:
        check_method(
            request.method, _METHODS, "Webhooks are verified by GET and delivered by POST."
        )
        slug = request.path_params.get("account")
        try:
            if request.method == "GET":
                return await self._verify(slug, request)
            return await self._receive(slug, request)
        except Exception as error:
            if request.method == "POST":
                self._telemetry.webhook(problem_of(error).code)
            raise

    async def _receive(self, slug: str | None, request: Request) -> Response:
        address, context = client_address(request), RequestContext.of(request.scope)
        headers = {name.decode(): value.decode("latin-1") for name, value in request.headers.raw}
        self._secrets.for_account(slug or DEFAULT_ACCOUNT).check_form(_signature(headers))
        with self._receiving.reservation(address) as held_bytes:
            delivery = _WebhookRequest(slug, headers, await json_body(request, LIMITS, held_bytes))
            with self._storing.reservation(address) as slots:
                await slots.grow_within(1, STORING_SECONDS)
                return await self._in_thread(self._deliver, delivery, context)

    async def _in_thread(self, work: Callable[..., T], *arguments: object) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, work, *arguments)

    async def _verify(self, slug: str | None, request: Request) -> Response:
        """Answer the subscription handshake with the challenge, if the verify token matches.

        No concurrency limit applies. The database is read only after the token matched.
        """
        query = dict(reversed(request.query_params.multi_items()))
        secret = self._secrets.for_account(slug or DEFAULT_ACCOUNT)
        matches = secret.matches_token(query.get("hub.verify_token", ""))
        if not matches or query.get("hub.mode") != "subscribe":
            raise ApiError("verify_token_mismatch", "The verify token is another one.")
        await self._in_thread(
            self._database.read_latest, lambda connection: _account(connection, slug)
        )
        return PlainTextResponse(query.get("hub.challenge", ""), headers=_HEADERS)

    def _deliver(self, delivery: _WebhookRequest, context: RequestContext) -> Response:
        """Verify and store a body.

        A missing account is reported only after the signature is verified.
        """
        secret = self._secrets.for_account(delivery.slug or DEFAULT_ACCOUNT)
        if not secret.verify_signature(delivery.body, _signature(delivery.headers)):
            raise _bad_signature()
        _check_json(delivery.body)
        context.account, stored = self._write(
            lambda connection: _store(connection, delivery, context.now)
        )
        self._telemetry.webhook("stored" if stored else "duplicate")
        if stored:
            self._stored()
        return PlainTextResponse(headers=_HEADERS)

    def _write(self, work: Callable[[Connection], T]) -> T:
        """Write, and say once why that fails, and once that it works again."""
        try:
            written = self._database.write(work)
        except Exception as error:
            if self._database.is_engine_fault(error):
                self._note_write(f"Webhooks are refused, for they cannot be stored: {error}")
            raise
        self._note_write(None)
        return written

    def _note_write(self, problem: str | None) -> None:
        """problem: why a body could not be stored, None if it was."""
        # To the end, so that what is said last is what was so last.
        with self._write_lock:
            before, self._write_problem = self._write_problem, problem
            if (problem is None) != (before is None):
                _log.warning(problem or "Webhooks are stored again")
            self._telemetry.writable(problem is None)


def _signature(headers: Mapping[str, str]) -> bytes:
    return headers.get(_SIGNATURE_HEADER, "").encode("latin-1")


def _bad_signature() -> ApiError:
    message = "X-Hub-Signature-256 is not that of the body."
    return ApiError("invalid_signature", message, headers=CLOSE)


def _check_json(body: bytes) -> None:
    """Refuse a body that is no JSON object.

    JSON beyond Python's limits (nesting, digits) is stored, so that a person can inspect it.
    """
    try:
        valid = isinstance(json.loads(body.decode()), dict)
    except (json.JSONDecodeError, UnicodeDecodeError):
        valid = False
    except (ValueError, RecursionError):
        valid = True
    if not valid:
        raise ApiError("invalid_json", "The body is not a JSON object.")


def _store(
    connection: Connection, delivery: _WebhookRequest, now: int
) -> tuple[tuple[int, str], bool]:
    """Return id and name of the account, and False for a body that is stored already."""
    account = _account(connection, delivery.slug)
    headers = {
        name: delivery.headers[name][:_LONGEST_HEADER]
        for name in _STORED_HEADERS
        if name in delivery.headers
    }
    body = ReceivedBody(account["id"], delivery.body, now, json.dumps(headers))
    return (account["id"], account["slug"]), keep(connection, body)


def _account(connection: Connection, slug: str | None) -> Row:
    """Find the account by slug; without one, the default account or the only one."""
    account = account_by_slug(connection, slug or DEFAULT_ACCOUNT)
    if account is None and slug is None:
        accounts = all_accounts(connection, now=0)
        account = accounts[0] if len(accounts) == 1 else None
    if account is None or account["disabled"]:
        raise no_route()
    return account
