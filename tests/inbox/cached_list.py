"""A cached list in plain Python: what a view needs of the mailbox, without a file."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from frontdesk.query import NEWEST, sort_key
from frontdesk.query.plan import SortKey
from frontdesk.wire import Conversation, PhoneRef, body_of, timestamp
from tests.conftest import NOW

START = int(NOW.timestamp() * 1000)
_BY_ACTIVITY = sort_key(NEWEST, NOW)


def conversation(id: int, second: int, status: str = "open") -> Conversation:
    customer = PhoneRef(id=f"c{id}", name=f"Customer {id}")
    return Conversation(
        id=str(id),
        status=status,
        channel=PhoneRef(id="1", name="London"),
        contact=customer,
        last_activity_at=timestamp(START + second * 1000),
    )


class Cached:
    """Conversations as this computer has them, and the places that the server's list gave them."""

    def __init__(self, rows: Iterable[Conversation]) -> None:
        self.states = {row.id: row for row in rows}
        self.places: dict[str, SortKey] = {}
        self.complete = False

    def current(self, ids: Collection[str]) -> Mapping[str, Conversation]:
        return {id: self.states[id] for id in ids if id in self.states}

    def list(self, ids: Iterable[str], *, complete: bool) -> None:
        """The server lists these, in the places of their activity."""
        self.places = {id: _BY_ACTIVITY(self.states[id]) for id in ids}
        self.complete = complete


class CachedRows:
    """The list as of the last `reload`; rows are as they are cached now."""

    fetched_at: datetime | None = NOW

    def __init__(self, cached: Cached) -> None:
        self._cached = cached
        self.reload()

    def reload(self) -> None:
        self._places = dict(self._cached.places)
        self._ids = sorted(self._places, key=self._places.__getitem__)
        self.complete = self._cached.complete

    @property
    def extent(self) -> tuple[int, str | None, bool]:
        return len(self), None, self.complete

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, position: int, /) -> Conversation:
        return self._cached.states[self._ids[position]]

    def key(self, position: int, /) -> str:
        return f"conversation {self._ids[position]}"

    def find(self, key: str, /) -> int | None:
        return self.position(key.removeprefix("conversation "))

    def position(self, id: str, /) -> int | None:
        return self._ids.index(id) if id in self._places else None

    def body(self, position: int, /) -> bytes:
        return body_of(self[position])

    def absent(self, ids: Collection[str], /) -> set[str]:
        return {*ids} - self._places.keys()

    def ranks(self, values: Sequence[Conversation], /) -> list[int]:
        places = sorted(self._places.values())
        return [bisect_left(places, _BY_ACTIVITY(value)) for value in values]

    def has_moved(self, value: Conversation, /) -> bool:
        return self._places.get(value.id) not in (None, _BY_ACTIVITY(value))
