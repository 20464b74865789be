"""Room for so many requests at once; who comes then is told to come again."""

from collections.abc import Iterator
from contextlib import contextmanager

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
