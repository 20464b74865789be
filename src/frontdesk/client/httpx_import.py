"""Imports httpx without the command that it has for a shell.

httpx imports its command wherever the packages of `httpx[cli]` are installed, as they are with
Textual. Without it a start takes 2 MB and 10 ms less.
"""

import sys
from threading import get_ident
from typing import Self


class _NotInstalled:
    """Finder of modules, for `with`: this thread imports as if a package were not installed."""

    def __init__(self, package: str) -> None:
        self._package, self._thread = package, get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Leave a module to the other finders. Raises: ModuleNotFoundError: it is the package."""
        if name == self._package and get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    def __enter__(self) -> Self:
        sys.meta_path.insert(0, self)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.meta_path.remove(self)


with _NotInstalled("pygments"):
    import httpx  # noqa: F401
