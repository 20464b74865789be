"""How far a long command has come, and what stands when it is interrupted: on standard error."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import click

from frontdesk.cli.ending import INTERRUPTED


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], object]]:
    """A bar over `length` steps, on a terminal; what it gives is told how many more are done."""
    if not (length and sys.stderr.isatty()):
        yield lambda steps: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


@contextmanager
def interruptible(stands: str) -> Iterator[None]:
    """End the command if the user interrupts, and say what stands then."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"frontdesk: interrupted; {stands}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def whole() -> Iterator[None]:
    """Work that an interrupt does not break off: it takes effect as soon as the work is done."""
    asked: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: asked.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt
