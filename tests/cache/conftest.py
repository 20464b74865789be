"""A cache in a directory of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.cache import Cache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "pages-1.db"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    cache = Cache(path, "https://inbox.example 1")
    yield cache
    cache.close()
