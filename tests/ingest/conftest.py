"""A store of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontdesk.store.sqlite import SQLiteDatabase


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SQLiteDatabase]:
    opened = SQLiteDatabase(tmp_path / "inbox.db", create=True, durable=False)
    yield opened
    opened.close()
