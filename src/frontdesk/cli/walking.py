"""Lists over many pages: progress on standard error, and patience where the server asks for it."""

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, TypeVar

import click

from frontdesk.errors import Unreachable
from frontdesk.wire import Wire

if TYPE_CHECKING:
    from frontdesk.client import Rows

W = TypeVar("W", bound=Wire)

MOST_WAITS = 10
_CLEAR_LINE = "\r\x1b[K"


class Progress:
    """One line on standard error that goes when it is done, where a terminal shows it."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown and sys.stderr.isatty()
        self._said = False

    def say(self, words: str) -> None:
        """Replace what was said before."""
        if self._shown:
            click.echo(f"{_CLEAR_LINE}{words}", nl=False, err=True)
            self._said = True

    def clear(self) -> None:
        """Leave the line empty, for other words."""
        if self._said:
            click.echo(_CLEAR_LINE, nl=False, err=True)
            self._said = False


async def walked(rows: "Rows[W]", noun: str, progress: Progress) -> AsyncIterator[W]:
    """Every row of a list, page after page; waits when the server says for how long.

    Raises: InboxError: Unreachable when it asks for pauses again and again.
    """
    seen = waits = 0
    try:
        while not rows.ended:
            try:
                page = await rows.page()
            except Unreachable as error:
                waits += 1
                if error.retry_after is None or waits > MOST_WAITS:
                    raise
                progress.say(f"{seen:,} {noun}, asked to wait {error.retry_after:.0f} s …")
                await asyncio.sleep(error.retry_after)
                continue
            waits = 0
            seen += len(page.data)
            progress.say(f"{seen:,} {noun} …")
            for row in page.data:
                yield row
    finally:
        progress.clear()


def tell_unreadable(number: int) -> None:
    """Say how many rows were left out, if any."""
    if number:
        noun = "row" if number == 1 else "rows"
        click.echo(f"frontdesk: {number} {noun} could not be read and were left out", err=True)
