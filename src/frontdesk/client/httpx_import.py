"""Imports httpx without the command that it has for a shell.

httpx imports its command wherever the packages of `httpx[cli]` are installed, as they are with
Textual. Without it a start takes 2 MB and 10 ms less.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import cast


@contextmanager
def _not_installed(package: str) -> Iterator[None]:
    """Let imports of a package that nothing has imported yet fail."""
    if package in sys.modules:
        yield
        return
    sys.modules[package] = cast(ModuleType, None)
    try:
        yield
    finally:
        del sys.modules[package]


with _not_installed("pygments"):
    import httpx  # noqa: F401
