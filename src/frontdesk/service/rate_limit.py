"""Rate and concurrency limits of the service.

Token bucket per API key, failed authentications per client network, concurrent requests and bytes.
"""

import asyncio
import ipaddress
import math
import struct
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from mmap import mmap
from typing import NamedTuple

from frontdesk.service.problems import ApiError, retry_later, too_busy

# Cost in tokens of a 200 and of a 304.
WHOLE_COST, UNCHANGED_COST = 1.0, 0.2

MOST_FAILURES = 20
FAILURE_WINDOW_MILLISECONDS = 60_000

# The table of counters is set-associative: a name hashes to a row of 8 slots; in a full row the
# oldest is evicted.
ROWS = 1024
SLOTS = 8

# Fifths are inexact in binary: five 304s must add up to one token.
_ROUNDING = 1e-6
_SLOT = struct.Struct("=8sdq")
_EMPTY = bytes(8)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Token bucket per key: `requests` per `seconds` sustained, `burst` at once.

    requests=0 disables the limit.
    """

    requests: int = 600
    seconds: int = 60
    burst: int = 120


@dataclass(frozen=True, slots=True)
class RateLimitState:
    """Bucket of a key after a request. granted: this request is within the limit.

    remaining: requests left; wait: seconds until the bucket is full or, if it is empty, until the
    next request is allowed.
    """

    policy: RateLimit
    granted: bool
    remaining: int
    wait: int

    def headers(self) -> dict[str, str]:
        """Return the IETF draft's `RateLimit` and `RateLimit-Policy` headers."""
        policy = self.policy
        return {
            "RateLimit-Policy": f'"default";q={policy.requests};w={policy.seconds}',
            "RateLimit": f'"default";r={self.remaining};t={self.wait}',
        }


class CounterValue(NamedTuple):
    """Value of a shared counter, with its time (epoch milliseconds)."""

    amount: float
    at: int


class SharedCounters:
    """Counters by name in a fixed-size hash table of 200 KB, in memory that processes can share.

    Thread-safe. With `shared`, processes forked afterwards use the same table; all shared tables of
    a process need the same `lock`, or the kernel reports a deadlock between their file locks.
    """

    def __init__(
        self, *, shared: bool = False, lock: AbstractContextManager[object] | None = None
    ) -> None:
        self._memory = mmap(-1, ROWS * SLOTS * _SLOT.size)
        self._lock = lock or threading.Lock()
        self._file = tempfile.TemporaryFile() if shared else None  # noqa: SIM115

    def close(self) -> None:
        """Release this process's mapping and lock file."""
        self._memory.close()
        if self._file is not None:
            self._file.close()

    def get(self, name: str) -> CounterValue | None:
        mark, row = _mark_and_row(name)
        with self._locked(row):
            return next((value for known, value in self._row(row) if known == mark), None)

    def update(
        self, name: str, change: Callable[[CounterValue | None], CounterValue]
    ) -> CounterValue:
        """Atomically replace a counter by `change(counter)` and return it."""
        mark, row = _mark_and_row(name)
        with self._locked(row):
            slots = self._row(row)
            marks = [known for known, _ in slots]
            known = mark in marks
            at = (
                marks.index(mark) if known else slots.index(min(slots, key=lambda item: item[1].at))
            )
            value = change(slots[at][1] if known else None)
            _SLOT.pack_into(self._memory, (row * SLOTS + at) * _SLOT.size, mark, *value)
            return value

    def _row(self, row: int) -> list[tuple[bytes, CounterValue]]:
        """Return (hash, counter) of each slot in a row."""
        size = SLOTS * _SLOT.size
        slots = _SLOT.iter_unpack(self._memory[row * size : (row + 1) * size])
        return [(mark, CounterValue(amount, at)) for mark, amount, at in slots]

    @contextmanager
    def _locked(self, row: int) -> Iterator[None]:
        """Lock a row for all threads and processes; the kernel releases it if a process dies."""
        with self._lock:
            if self._file is None:
                yield
                return
            import fcntl

            fcntl.lockf(self._file, fcntl.LOCK_EX, 1, row)
            try:
                yield
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, row)


def _mark_and_row(name: str) -> tuple[bytes, int]:
    """Hash a name to its 8-byte mark and its row."""
    mark = blake2b(name.encode(), digest_size=8).digest()
    return (mark if mark != _EMPTY else b"\1" * 8), int.from_bytes(mark, "little") % ROWS


class KeyLimit:
    """Token bucket per key."""

    def __init__(self, policy: RateLimit, buckets: SharedCounters) -> None:
        self._policy = policy
        self._buckets = buckets
        self._per_millisecond = policy.requests / (policy.seconds * 1000)

    def take(self, key_id: str, now: int) -> RateLimitState | None:
        """Take the cost of a request if the bucket holds it; None without a limit."""
        granted = True

        def charge(bucket: CounterValue | None) -> CounterValue:
            nonlocal granted
            tokens = self._tokens(bucket, now)
            granted = tokens >= WHOLE_COST - _ROUNDING
            return CounterValue(tokens - WHOLE_COST if granted else tokens, now)

        bucket = self._buckets.update(key_id, charge)
        return self._state(bucket.amount, granted) if self._policy.requests else None

    def give_back(self, key_id: str, tokens: float, now: int) -> RateLimitState | None:
        """Return `tokens` to the bucket, up to its capacity."""
        bucket = self._buckets.update(
            key_id,
            lambda bucket: CounterValue(
                min(self._tokens(bucket, now) + tokens, self._policy.burst), now
            ),
        )
        return self._state(bucket.amount, True) if self._policy.requests else None

    def knows(self, key_id: str) -> bool:
        """Check for a bucket: the key was valid recently."""
        return self._buckets.get(key_id) is not None

    def _tokens(self, bucket: CounterValue | None, now: int) -> float:
        if bucket is None:
            return self._policy.burst
        gained = max(0, now - bucket.at) * self._per_millisecond
        return min(bucket.amount + gained, self._policy.burst)

    def _state(self, tokens: float, granted: bool) -> RateLimitState:
        remaining = math.floor(tokens + _ROUNDING)
        missing = (self._policy.burst if remaining else WHOLE_COST) - tokens
        wait = math.ceil(missing / self._per_millisecond / 1000 - _ROUNDING)
        return RateLimitState(self._policy, granted, remaining, max(wait, 0))


class FailureLimit:
    """Failed authentications per client network in a fixed window of one minute."""

    def __init__(self, failures: SharedCounters) -> None:
        self._failures = failures

    def wait(self, address: str, now: int) -> int:
        """Return seconds until this address may try again; 0 if it may now."""
        known = self._failures.get(client_network(address))
        if known is None or known.amount < MOST_FAILURES or not _is_current(known, now):
            return 0
        return math.ceil((known.at + FAILURE_WINDOW_MILLISECONDS - now) / 1000)

    def add(self, address: str, now: int) -> None:
        self._failures.update(
            client_network(address),
            lambda known: (
                CounterValue(known.amount + 1, known.at)
                if known is not None and _is_current(known, now)
                else CounterValue(1, now)
            ),
        )


def _is_current(failures: CounterValue, now: int) -> bool:
    """Check that a window is current; a clock set back resets it."""
    return 0 <= now - failures.at < FAILURE_WINDOW_MILLISECONDS


class RateLimits:
    """Both limits of a service; with `shared`, common to all processes forked afterwards."""

    def __init__(self, policy: RateLimit, *, shared: bool = False) -> None:
        lock = threading.Lock()
        self._tables = [SharedCounters(shared=shared, lock=lock) for _ in range(2)]
        self.keys = KeyLimit(policy, self._tables[0])
        self.failures = FailureLimit(self._tables[1])

    def close(self) -> None:
        """Release this process's shared memory and files."""
        for table in self._tables:
            table.close()


def over_the_limit(state: RateLimitState) -> ApiError:
    return retry_later("rate_limited", "This API key asks too often.", max(state.wait, 1))


def too_many_failures(wait: int) -> ApiError:
    return retry_later(
        "too_many_auth_failures", "Too many bad API keys came from this address.", max(wait, 1)
    )


class ConcurrencyLimit:
    """Maximum of concurrent requests on one event loop. retry_seconds: for `Retry-After`."""

    def __init__(self, slots: int, retry_seconds: int) -> None:
        self._free = slots
        self._retry_seconds = retry_seconds

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot.

        Raises: ApiError: all are taken.
        """
        if not self._free:
            raise too_busy(self._retry_seconds)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class ClientQuota:
    """Limits a quantity (bytes, requests) in total and per client.

    For one event loop. A client is the network of an address, or has another name; one without is
    bound by the total only, and so is the beginning of each reservation, `common`.
    """

    def __init__(self, total: int, per_client: int, retry_seconds: int, *, common: int = 0) -> None:
        self._total = total
        self._per_client = per_client
        self._retry_seconds = retry_seconds
        self.common = common
        self._reserved: Counter[str] = Counter()
        self._waiting: list[asyncio.Future[None]] = []

    @contextmanager
    def reservation(self, address: str) -> Iterator["Reservation"]:
        """Open a reservation of 0 that can grow; released at the end of the block."""
        reservation = Reservation(self, client_network(address))
        try:
            yield reservation
        finally:
            reservation.release()

    def take(self, client: str, amount: int) -> None:
        """Reserve `amount` for a client.

        Raises: ApiError: the client's or the total limit is exceeded.
        """
        if not self.has_room(client, amount):
            raise too_busy(self._retry_seconds)
        self._reserved[client] += amount

    def has_room(self, client: str, amount: int) -> bool:
        if self._reserved.total() + amount > self._total:
            return False
        return not client or self._reserved[client] + amount <= self._per_client

    def give_back(self, client: str, amount: int) -> None:
        self._reserved[client] -= amount
        if not self._reserved[client]:
            del self._reserved[client]
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)

    async def wait_for_room(self, client: str, amount: int) -> None:
        """Wait until so much was given back that there is room."""
        while not self.has_room(client, amount):
            given_back: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(given_back)
            await given_back


class Reservation:
    """Share of one request in a ClientQuota."""

    def __init__(self, quota: ClientQuota, client: str) -> None:
        self._quota = quota
        self._client = client
        # What is charged to the total alone, and to the client.
        self._common = self._own = 0

    def grow(self, amount: int) -> None:
        """Reserve more.

        Raises: ApiError: a limit is exceeded.
        """
        common = min(amount, self._quota.common - self._common)
        self._quota.take("", common)
        self._common += common
        self._quota.take(self._client, amount - common)
        self._own += amount - common

    async def grow_within(self, amount: int, seconds: float) -> None:
        """Reserve more once there is room.

        Raises: ApiError: there was none within `seconds`.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._quota.wait_for_room(self._client, amount)
        self.grow(amount)

    def release(self) -> None:
        self._quota.give_back("", self._common)
        self._quota.give_back(self._client, self._own)
        self._common = self._own = 0


@lru_cache(maxsize=1_024)
def client_network(address: str) -> str:
    """Return an IPv4 address unchanged, an IPv6 address as its /64 (usually one customer).

    An IPv4-mapped IPv6 address is IPv4. Text that is no IP address is returned unchanged.
    """
    plain = unmapped(address)
    try:
        version_6 = ipaddress.IPv6Address(plain)
    except ValueError:
        return plain
    return str(ipaddress.IPv6Network((version_6, 64), strict=False))


def unmapped(address: str) -> str:
    """Strip the zone id, and return an IPv4-mapped IPv6 address as IPv4."""
    plain = address.partition("%")[0]
    try:
        mapped = ipaddress.IPv6Address(plain).ipv4_mapped
    except ValueError:
        return address
    return plain if mapped is None else str(mapped)
