"""Limits on what is under way at once; a request beyond them is answered 503."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from frontdesk.service.addresses import client_network
from frontdesk.service.problems import too_busy


class Room:
    """Used by one event loop. retry_seconds: after how long it is worth coming again."""

    def __init__(self, places: int, retry_seconds: int) -> None:
        self._free = places
        self._retry_seconds = retry_seconds

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request.

        Raises: Refusal: there is none.
        """
        if not self._free:
            raise too_busy(self._retry_seconds)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class SharedLimit:
    """Limits an amount (of bytes, of requests) that all clients hold, and that each one holds.

    Used by one event loop. A client without an address is bound by the total alone.
    """

    def __init__(self, total: int, for_one_client: int, retry_seconds: int) -> None:
        self._total = total
        self._for_one_client = for_one_client
        self._retry_seconds = retry_seconds
        self._held: Counter[str] = Counter()

    @contextmanager
    def holding(self, address: str) -> Iterator["Holding"]:
        """An amount that may grow, nothing at first; released at the end of the block."""
        holding = Holding(self, client_network(address))
        try:
            yield holding
        finally:
            holding.release()

    def take(self, client: str, amount: int) -> None:
        """Add to what a client holds.

        Raises: Refusal: that is more than the client may hold, or than all may.
        """
        if self._held.total() + amount > self._total:
            raise too_busy(self._retry_seconds)
        if client and self._held[client] + amount > self._for_one_client:
            raise too_busy(self._retry_seconds)
        self._held[client] += amount

    def give_back(self, client: str, amount: int) -> None:
        """Take from what a client holds."""
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]


class Holding:
    """What one request holds of a limit."""

    def __init__(self, limit: SharedLimit, client: str) -> None:
        self._limit = limit
        self._client = client
        self._amount = 0

    def grow(self, amount: int) -> None:
        """Hold more.

        Raises: Refusal: the limit does not allow it.
        """
        self._limit.take(self._client, amount)
        self._amount += amount

    def release(self) -> None:
        """Hold nothing any more."""
        self._limit.give_back(self._client, self._amount)
        self._amount = 0
