"""Marks requests that a person asks for by hand: they skip any back-off and never lengthen it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_skipped: ContextVar[bool] = ContextVar("backoff_skipped", default=False)


@contextmanager
def without_backoff() -> Iterator[None]:
    """Requests made in this context, also by tasks that it starts, go out at once."""
    token = _skipped.set(True)
    try:
        yield
    finally:
        _skipped.reset(token)


def is_skipped() -> bool:
    """This request is to go out whatever pause is running."""
    return _skipped.get()
