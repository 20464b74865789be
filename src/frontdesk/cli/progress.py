"""How far a long command has come: a bar on standard error, where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], object]]:
    """A bar over `length` steps; what it gives is told how many more are done."""
    if not (length and sys.stderr.isatty()):
        yield lambda steps: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update
