"""Access control: blocked addresses, authentication and rate limits, in this order."""

from collections.abc import Sequence

from frontdesk.service.auth import Caller, Guest, authenticate, claimed_key_id
from frontdesk.service.problems import Refusal
from frontdesk.service.rate_limit import (
    UNCHANGED,
    WHOLE,
    Limits,
    over_the_limit,
    too_many_failures,
)
from frontdesk.service.visits import Visit
from frontdesk.store.database import Connection

# Errors that count as failed authentication (a missing key does not).
_FAILURES = ("invalid_key", "key_revoked", "key_expired")


class Doorkeeper:
    """Authenticates requests and charges rate limits. In-memory keys are not limited."""

    def __init__(self, guests: Sequence[Guest], limits: Limits) -> None:
        self._guests = tuple(guests)
        self._guest_ids = frozenset(guest.grant.key_id for guest in guests)
        self._limits = limits

    def check_address(self, visit: Visit) -> None:
        """Refuse an address with too many failed authentications.

        A recently valid key still passes: others may share the address.

        Raises: Refusal.
        """
        wait = self._limits.failures.wait(visit.request.address, visit.now)
        if wait and not self._is_familiar(claimed_key_id(visit.request.authorization)):
            raise too_many_failures(wait)

    def admit(self, visit: Visit, connection: Connection) -> Caller:
        """Authenticate, charge the rate limit once per request, and record both in `visit`.

        Raises: Refusal: no valid key, or rate limit exceeded.
        """
        first = visit.caller is None
        visit.caller = self._authenticated(visit, connection)
        if first and visit.caller.kept:
            visit.allowance = self._limits.keys.take(visit.caller.grant.key_id, visit.now)
            if visit.allowance is not None and not visit.allowance.granted:
                raise over_the_limit(visit.allowance)
        return visit.caller

    def found_unchanged(self, visit: Visit) -> None:
        """Refund most of the cost of a request that is answered 304."""
        if visit.caller is not None and visit.caller.kept:
            key_id = visit.caller.grant.key_id
            visit.allowance = self._limits.keys.give_back(key_id, WHOLE - UNCHANGED, visit.now)

    def _authenticated(self, visit: Visit, connection: Connection) -> Caller:
        request = visit.request
        try:
            return authenticate(connection, request.authorization, self._guests, visit.now)
        except Refusal as refusal:
            if refusal.code in _FAILURES:
                self._limits.failures.note(request.address, visit.now)
            raise

    def _is_familiar(self, key_id: str | None) -> bool:
        return key_id is not None and (key_id in self._guest_ids or self._limits.keys.knows(key_id))
