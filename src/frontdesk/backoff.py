"""Context variable that exempts requests by hand from back-off and circuit breaker."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_skipped: ContextVar[bool] = ContextVar("backoff_skipped", default=False)


@contextmanager
def without_backoff() -> Iterator[None]:
    """Requests made in this context, and in tasks created in it, skip the back-off."""
    token = _skipped.set(True)
    try:
        yield
    finally:
        _skipped.reset(token)


def is_skipped() -> bool:
    """True inside `without_backoff`."""
    return _skipped.get()
