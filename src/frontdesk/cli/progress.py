"""Long commands: progress bars, interrupts, and reading all pages of a list."""

import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk.cli.exit_codes import INTERRUPTED
from frontdesk.errors import InboxError
from frontdesk.wire import Wire

if TYPE_CHECKING:
    from frontdesk.client import RowPages
    from frontdesk.wire import Page


@contextmanager
def progress(label: str, length: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on a terminal; yields a function that takes the number of steps done."""
    if not (length and sys.stderr.isatty()):
        yield lambda steps: None
        return
    with click.progressbar(
        length=length, label=label, file=sys.stderr, update_min_steps=max(length // 200, 1)
    ) as bar:
        yield bar.update


@contextmanager
def interruptible(words: str) -> Iterator[None]:
    """On Ctrl-C, print the resulting state and exit with 130."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"frontdesk: interrupted; {words}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def whole() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block."""
    interrupts: list[FrameType | None] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt


W = TypeVar("W", bound=Wire)

_CLEAR_LINE = "\r\x1b[K"


class Progress:
    """Progress line on standard error that is erased at the end; only if `shown`."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._on_line = False
        self._count = 0

    def say(self, words: str) -> None:
        if self._shown:
            click.echo(f"{_CLEAR_LINE}{words}", nl=False, err=True)
            self._on_line = True

    def count(self, more: int, noun: str) -> None:
        """Add to the number of rows that the line shows."""
        self._count += more
        self.say(f"{self._count:,} {noun} …")

    def clear(self) -> None:
        if self._on_line:
            click.echo(_CLEAR_LINE, nl=False, err=True)
            self._on_line = False


@contextmanager
def waiting(seconds: float) -> Iterator[None]:
    """Say on a terminal that the server asks for a pause, while it lasts."""
    line = Progress(shown=True)
    line.say(f"waiting {seconds:.0f} s, as the server asks …")
    try:
        yield
    finally:
        line.clear()


async def walked(
    rows: "RowPages[W]", noun: str, progress: Progress, *, most_pages: int | None = None
) -> AsyncIterator[W]:
    """Yield the rows of a list, or of its first pages. Raises: InboxError."""
    while not rows.ended and most_pages != 0:
        most_pages = None if most_pages is None else most_pages - 1
        for row in (await counted_page(rows, noun, progress)).data:
            yield row
    progress.clear()


async def counted_page(rows: "RowPages[W]", noun: str, progress: Progress) -> "Page[W]":
    """Return the next page, and count its rows. Raises: InboxError."""
    try:
        page = await rows.page()
    except InboxError:
        progress.clear()
        raise
    progress.count(len(page.data), noun)
    return page


def report_unreadable(number: int) -> None:
    """Print the number of unreadable rows, if any."""
    if number:
        noun, were = ("row", "was") if number == 1 else ("rows", "were")
        click.echo(f"frontdesk: {number} {noun} could not be read and {were} left out", err=True)
