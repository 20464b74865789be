"""Access control of a request: blocked addresses, authentication, rate limits, in this order.

Keys are checked by `api_keys.py`, limits by `rate_limit.py`.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.types import Scope

from frontdesk.service.api_keys import EphemeralKey, Principal, authenticate, claimed_key_id
from frontdesk.service.problems import ApiError
from frontdesk.service.rate_limit import (
    UNCHANGED_COST,
    WHOLE_COST,
    RateLimits,
    RateLimitState,
    over_the_limit,
    too_many_failures,
)
from frontdesk.store.database import Connection

# Errors that count as failed authentication (a missing key does not).
_FAILURES = ("invalid_key", "key_revoked", "key_expired")
_KEY = "frontdesk.context"


@dataclass(slots=True)
class RequestContext:
    """Context of a request besides its message.

    now: the moment as of which it is answered, in epoch milliseconds: its arrival or, if it was
    held, the end of that. held_seconds: for how long it was.
    id: the client's, else one of its own. trace_id: of the trace that it belongs to. route: path
    template, None if unknown. problem: code of the error, if any. account: id and name of that
    whose key or signature was verified.
    """

    now: int
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    route: str | None = None
    principal: Principal | None = None
    rate_limit: RateLimitState | None = None
    problem: str | None = None
    account: tuple[int, str] | None = None
    trace_id: str | None = None
    held_seconds: float = 0.0

    @classmethod
    def of(cls, scope: Scope) -> "RequestContext":
        """Return the context that `ContextMiddleware` attached to the request."""
        context: RequestContext = scope[_KEY]
        return context

    def attach(self, scope: Scope) -> None:
        scope[_KEY] = self


class AccessControl:
    """Authenticates requests and charges rate limits. In-memory keys are not limited."""

    def __init__(self, ephemeral_keys: Sequence[EphemeralKey], limits: RateLimits) -> None:
        self._ephemeral_keys = tuple(ephemeral_keys)
        self._ephemeral_ids = frozenset(key.grant.key_id for key in ephemeral_keys)
        self._limits = limits

    def check_address(self, request: Request, context: RequestContext) -> None:
        """Refuse an address with too many failed authentications.

        A recently valid key still passes: others may share the address.

        Raises: ApiError.
        """
        wait = self._limits.failures.wait(client_address(request), context.now)
        if wait and not self._is_familiar(claimed_key_id(_credentials(request))):
            raise too_many_failures(wait)

    def authorize(
        self, request: Request, context: RequestContext, connection: Connection
    ) -> Principal:
        """Authenticate, charge the rate limit once per request, and record both in `context`.

        Raises: ApiError: no valid key, or rate limit exceeded.
        """
        first = context.principal is None
        principal = context.principal = self._authenticated(request, context, connection)
        context.account = principal.grant.account_id, principal.account
        if first and principal.stored:
            state = self._limits.keys.take(principal.grant.key_id, context.now)
            context.rate_limit = state
            if state is not None and not state.granted:
                raise over_the_limit(state)
        return principal

    def refund_unchanged(self, context: RequestContext) -> None:
        """Refund most of the cost of a request whose answer is that nothing has changed."""
        if context.principal is not None and context.principal.stored:
            context.rate_limit = self._limits.keys.give_back(
                context.principal.grant.key_id, WHOLE_COST - UNCHANGED_COST, context.now
            )

    def _authenticated(
        self, request: Request, context: RequestContext, connection: Connection
    ) -> Principal:
        credentials = _credentials(request)
        try:
            return authenticate(connection, credentials, self._ephemeral_keys, context.now)
        except ApiError as error:
            if error.code in _FAILURES:
                self._limits.failures.add(client_address(request), context.now)
            raise

    def _is_familiar(self, key_id: str | None) -> bool:
        return key_id is not None and (
            key_id in self._ephemeral_ids or self._limits.keys.knows(key_id)
        )


def client_address(request: Request) -> str:
    """Return the client's address, "" if unknown."""
    return "" if request.client is None else request.client.host


def _credentials(request: Request) -> list[str]:
    return request.headers.getlist("authorization")
