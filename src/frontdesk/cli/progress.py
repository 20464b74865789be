"""Progress bars and interrupt handling of long commands."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

from frontdesk.cli.ending import INTERRUPTED


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on a terminal; yields a function that takes the number of steps done."""
    if not (length and sys.stderr.isatty()):
        yield lambda steps: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


@contextmanager
def interruptible(stands: str) -> Iterator[None]:
    """On Ctrl-C, print the resulting state and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"frontdesk: interrupted; {stands}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def whole() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block."""
    asked: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
