"""Concurrency limits; a request over one is answered 503."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from frontdesk.service.addresses import client_network
from frontdesk.service.problems import too_busy


class Room:
    """Maximum of concurrent requests on one event loop. retry_seconds: for `Retry-After`."""

    def __init__(self, places: int, retry_seconds: int) -> None:
        self._free = places
        self._retry_seconds = retry_seconds

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a slot.

        Raises: Refusal: all are taken.
        """
        if not self._free:
            raise too_busy(self._retry_seconds)
        self._free -= 1
        try:
            yield
        finally:
            self._free += 1


class SharedLimit:
    """Limits a quantity (bytes, requests) in total and per client network.

    For one event loop. A client without an address is bound by the total only.
    """

    def __init__(self, total: int, for_one_client: int, retry_seconds: int) -> None:
        self._total = total
        self._for_one_client = for_one_client
        self._retry_seconds = retry_seconds
        self._held: Counter[str] = Counter()

    @contextmanager
    def holding(self, address: str) -> Iterator["Holding"]:
        """Open a reservation of 0 that can grow; released at the end of the block."""
        holding = Holding(self, client_network(address))
        try:
            yield holding
        finally:
            holding.release()

    def take(self, client: str, amount: int) -> None:
        """Reserve `amount` for a client.

        Raises: Refusal: the client's or the total limit is exceeded.
        """
        if self._held.total() + amount > self._total:
            raise too_busy(self._retry_seconds)
        if client and self._held[client] + amount > self._for_one_client:
            raise too_busy(self._retry_seconds)
        self._held[client] += amount

    def give_back(self, client: str, amount: int) -> None:
        self._held[client] -= amount
        if not self._held[client]:
            del self._held[client]


class Holding:
    """Reservation of one request in a SharedLimit."""

    def __init__(self, limit: SharedLimit, client: str) -> None:
        self._limit = limit
        self._client = client
        self._amount = 0

    def grow(self, amount: int) -> None:
        """Reserve more.

        Raises: Refusal: a limit is exceeded.
        """
        self._limit.take(self._client, amount)
        self._amount += amount

    def release(self) -> None:
        self._limit.give_back(self._client, self._amount)
        self._amount = 0
