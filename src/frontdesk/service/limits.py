"""How often a key may ask, and how often an address may fail to show one (contract 2.2, 2.4)."""

import math
import threading
from dataclasses import dataclass

from frontdesk.service.addresses import client_network
from frontdesk.service.options import RateLimit
from frontdesk.service.problems import Refusal
from frontdesk.service.tallies import Tallies, Tally

# An answer that need not be sent costs less than one that is made.
WHOLE, UNCHANGED = 1.0, 0.2

MOST_FAILURES = 20
FAILURE_WINDOW_MILLISECONDS = 60_000

# Fifths cannot be told exactly: five of them are one.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a key may still ask. granted: whether it might have asked this.

    remaining: requests; wait: seconds until there are as many as there can be or, if there are
    none, until there is one.
    """

    policy: RateLimit
    granted: bool
    remaining: int
    wait: int

    def headers(self) -> tuple[tuple[str, str], ...]:
        """The structured fields of the IETF's RateLimit headers."""
        policy = self.policy
        return (
            ("RateLimit-Policy", f'"default";q={policy.requests};w={policy.seconds}'),
            ("RateLimit", f'"default";r={self.remaining};t={self.wait}'),
        )


class KeyLimit:
    """A bucket of tokens for each key: it fills steadily, a request takes from it."""

    def __init__(self, policy: RateLimit, buckets: Tallies) -> None:
        self._policy = policy
        self._buckets = buckets
        self._per_millisecond = policy.requests / (policy.seconds * 1000)

    def take(self, key_id: str, now: int) -> Allowance | None:
        """Take the cost of a request, if there is enough; None: there is no limit."""
        granted = True

        def taken(bucket: Tally | None) -> Tally:
            nonlocal granted
            tokens = self._tokens(bucket, now)
            granted = tokens >= WHOLE - _ROUNDING
            return Tally(tokens - WHOLE if granted else tokens, now)

        bucket = self._buckets.update(key_id, taken)
        return self._allowance(bucket.amount, granted) if self._policy.requests else None

    def give_back(self, key_id: str, tokens: float, now: int) -> Allowance | None:
        """Return what a request did not cost after all."""
        bucket = self._buckets.update(
            key_id,
            lambda bucket: Tally(min(self._tokens(bucket, now) + tokens, self._policy.burst), now),
        )
        return self._allowance(bucket.amount, True) if self._policy.requests else None

    def knows(self, key_id: str) -> bool:
        """Whether this key was found good lately."""
        return self._buckets.find(key_id) is not None

    def _tokens(self, bucket: Tally | None, now: int) -> float:
        if bucket is None:
            return self._policy.burst
        gained = max(0, now - bucket.at) * self._per_millisecond
        return min(bucket.amount + gained, self._policy.burst)

    def _allowance(self, tokens: float, granted: bool) -> Allowance:
        remaining = math.floor(tokens + _ROUNDING)
        missing = (self._policy.burst if remaining else WHOLE) - tokens
        wait = math.ceil(missing / self._per_millisecond / 1000 - _ROUNDING)
        return Allowance(self._policy, granted, remaining, max(wait, 0))


class FailureLimit:
    """How many keys an address may show in vain within a minute."""

    def __init__(self, failures: Tallies) -> None:
        self._failures = failures

    def wait(self, address: str, now: int) -> int:
        """Seconds until this address may try again; 0: it may."""
        known = self._failures.find(client_network(address))
        if known is None or known.amount < MOST_FAILURES or not _counts(known, now):
            return 0
        return math.ceil((known.at + FAILURE_WINDOW_MILLISECONDS - now) / 1000)

    def note(self, address: str, now: int) -> None:
        """Count a failure."""
        self._failures.update(
            client_network(address),
            lambda known: (
                Tally(known.amount + 1, known.at)
                if known is not None and _counts(known, now)
                else Tally(1, now)
            ),
        )


class Limits:
    """Both limits of one service; with `shared`, of all processes forked after this was made."""

    def __init__(self, policy: RateLimit, *, shared: bool = False) -> None:
        turn = threading.Lock()
        self._tables = (Tallies(shared=shared, turn=turn), Tallies(shared=shared, turn=turn))
        self.keys = KeyLimit(policy, self._tables[0])
        self.failures = FailureLimit(self._tables[1])

    def close(self) -> None:
        """Give up this process's hold of what is counted."""
        for table in self._tables:
            table.close()


def over_the_limit(allowance: Allowance) -> Refusal:
    """A 429 for a key that asks too often."""
    return _later("rate_limited", "This API key asks too often.", allowance.wait)


def too_many_failures(wait: int) -> Refusal:
    """A 429 for an address that has shown too many bad keys."""
    return _later("too_many_auth_failures", "Too many bad API keys came from this address.", wait)


def _later(code: str, detail: str, wait: int) -> Refusal:
    seconds = max(wait, 1)
    headers = (("Retry-After", str(seconds)),)
    return Refusal(code, detail, headers=headers, retry_after=seconds)


def _counts(failures: Tally, now: int) -> bool:
    """Whether these failures are of this minute; a clock that was set back forgets them."""
    return 0 <= now - failures.at < FAILURE_WINDOW_MILLISECONDS
