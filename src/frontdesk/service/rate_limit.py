"""Rate limits: token bucket per API key, and failed authentications per address."""

import math
import threading
from dataclasses import dataclass

from frontdesk.service.addresses import client_network
from frontdesk.service.options import RateLimit
from frontdesk.service.problems import Refusal
from frontdesk.service.tallies import Tallies, Tally

# Cost in tokens of a 200 and of a 304.
WHOLE, UNCHANGED = 1.0, 0.2

MOST_FAILURES = 20
FAILURE_WINDOW_MILLISECONDS = 60_000

# Fifths are inexact in binary: five 304s must add up to one token.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Allowance:
    """Rate limit state of a key. granted: this request is within the limit.

    remaining: requests left; wait: seconds until the bucket is full or, if it is empty, until the
    next request is allowed.
    """

    policy: RateLimit
    granted: bool
    remaining: int
    wait: int

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Return the IETF draft's `RateLimit` and `RateLimit-Policy` headers."""
        policy = self.policy
        return (
            ("RateLimit-Policy", f'"default";q={policy.requests};w={policy.seconds}'),
            ("RateLimit", f'"default";r={self.remaining};t={self.wait}'),
        )


class KeyLimit:
    """Token bucket per key."""

    def __init__(self, policy: RateLimit, buckets: Tallies) -> None:
        self._policy = policy
        self._buckets = buckets
        self._per_millisecond = policy.requests / (policy.seconds * 1000)

    def take(self, key_id: str, now: int) -> Allowance | None:
        """Take the cost of a request if the bucket holds it; None without a limit."""
        granted = True

        def taken(bucket: Tally | None) -> Tally:
            nonlocal granted
            tokens = self._tokens(bucket, now)
            granted = tokens >= WHOLE - _ROUNDING
            return Tally(tokens - WHOLE if granted else tokens, now)

        bucket = self._buckets.update(key_id, taken)
        return self._allowance(bucket.amount, granted) if self._policy.requests else None

    def give_back(self, key_id: str, tokens: float, now: int) -> Allowance | None:
        """Return `tokens` to the bucket, up to its capacity."""
        bucket = self._buckets.update(
            key_id,
            lambda bucket: Tally(min(self._tokens(bucket, now) + tokens, self._policy.burst), now),
        )
        return self._allowance(bucket.amount, True) if self._policy.requests else None

    def knows(self, key_id: str) -> bool:
        """Check for a bucket: the key was valid recently."""
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
    """Failed authentications per client network in a fixed window of one minute."""

    def __init__(self, failures: Tallies) -> None:
        self._failures = failures

    def wait(self, address: str, now: int) -> int:
        """Return seconds until this address may try again; 0 if it may now."""
        known = self._failures.find(client_network(address))
        if known is None or known.amount < MOST_FAILURES or not _counts(known, now):
            return 0
        return math.ceil((known.at + FAILURE_WINDOW_MILLISECONDS - now) / 1000)

    def note(self, address: str, now: int) -> None:
        self._failures.update(
            client_network(address),
            lambda known: (
                Tally(known.amount + 1, known.at)
                if known is not None and _counts(known, now)
                else Tally(1, now)
            ),
        )


class Limits:
    """Both limits of a service; with `shared`, common to all processes forked afterwards."""

    def __init__(self, policy: RateLimit, *, shared: bool = False) -> None:
        turn = threading.Lock()
        self._tables = (Tallies(shared=shared, turn=turn), Tallies(shared=shared, turn=turn))
        self.keys = KeyLimit(policy, self._tables[0])
        self.failures = FailureLimit(self._tables[1])

    def close(self) -> None:
        """Release this process's shared memory and files."""
        for table in self._tables:
            table.close()


def over_the_limit(allowance: Allowance) -> Refusal:
    return _later("rate_limited", "This API key asks too often.", allowance.wait)


def too_many_failures(wait: int) -> Refusal:
    return _later("too_many_auth_failures", "Too many bad API keys came from this address.", wait)


def _later(code: str, detail: str, wait: int) -> Refusal:
    seconds = max(wait, 1)
    headers = (("Retry-After", str(seconds)),)
    return Refusal(code, detail, headers=headers, retry_after=seconds)


def _counts(failures: Tally, now: int) -> bool:
    """Check that a window is current; a clock set back resets it."""
    return 0 <= now - failures.at < FAILURE_WINDOW_MILLISECONDS
