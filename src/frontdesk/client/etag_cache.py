"""ETag cache: recent values by request, for conditional GET."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, TypeAlias

CacheKey: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]

MOST_ANSWERS = 64
LARGEST_BODY = 512 * 1024
# After this many consecutive 304s, send an unconditional request to verify them.
TRUSTED = 20
_LONGEST_TAG = 512


@dataclass
class CachedValue:
    """A cached value, its ETag, and the number of consecutive 304 responses."""

    tag: str
    value: Any
    unchanged: int = 0


class EtagCache:
    """LRU cache of values by path and query."""

    def __init__(self) -> None:
        self._values: OrderedDict[CacheKey, CachedValue] = OrderedDict()
        self._trusted = True

    def get(self, key: CacheKey) -> CachedValue | None:
        """The cached value to revalidate; None for an unconditional request."""
        cached = self._values.get(key)
        return cached if cached and self._trusted and cached.unchanged < TRUSTED else None

    def put(self, key: CacheKey, tag: str, value: Any, length: int, *, once: bool = False) -> bool:
        """Store a value. once: it is the first to go, as it is unlikely to be requested again.

        Returns False if ETags are unreliable: the same tag came with other rows. The cache is
        disabled then.
        """
        before = self._values.pop(key, None)
        if before and before.tag == tag and _rows(before.value) != _rows(value):
            self._trusted = False
            self._values.clear()
        if self._trusted and _sendable(tag) and length <= LARGEST_BODY:
            self._values[key] = CachedValue(tag, value)
            self._values.move_to_end(key, last=not once)
            if len(self._values) > MOST_ANSWERS:
                self._values.popitem(last=False)
        return self._trusted

    def touch(self, key: CacheKey, cached: CachedValue) -> Any:
        """Record a 304 and return the cached value."""
        cached.unchanged += 1
        if key in self._values:
            self._values.move_to_end(key)
        return cached.value


def _rows(value: Any) -> Any:
    """Rows of a page; other values may contain a time that changes without a new ETag."""
    return getattr(value, "data", None)


def _sendable(tag: str) -> bool:
    return 0 < len(tag) <= _LONGEST_TAG and tag.isascii() and tag.isprintable()
