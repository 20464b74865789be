"""Target database of an import or dry run."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from frontdesk.cli.databases import opened
from frontdesk.store.dsn import is_address

if TYPE_CHECKING:
    from frontdesk.store.database import Database


@contextmanager
def importable(target: str, *, dry_run: bool) -> "Iterator[Database]":
    """Open the database, created if missing; for a dry run, a temporary one."""
    if dry_run and not is_address(target) and not Path(target).exists():
        with tempfile.TemporaryDirectory() as place, opened(f"{place}/inbox.db", create=True) as it:
            yield it
    else:
        with opened(target, create=not dry_run) as store:
            yield store
