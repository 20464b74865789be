"""Commands that go on until Ctrl-C: what they wait for, and print, and servers that are away."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeAlias, TypeVar

from frontdesk.cli.exit_codes import say
from frontdesk.cli.output import Output, terminal_width
from frontdesk.errors import NetworkMisconfigured, ServerFailed, Unreachable

if TYPE_CHECKING:
    from frontdesk.mailbox.news import News

N = TypeVar("N")
Printer: TypeAlias = Callable[[Sequence[N]], None]

# Pauses after failures in a row, the last one from then on.
_PAUSES = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0)


def printer(
    out: TextIO,
    output: Output,
    line: Callable[[N, int | None], str],
    json: Callable[[N, Sequence[str]], str],
) -> Printer[N]:
    """Return a function that prints rows, each on a line: as text of a width, or as JSON."""

    def show(rows: Sequence[N]) -> None:
        for row in rows:
            if output.format == "text":
                out.write(line(row, terminal_width(out)) + "\n")
            else:
                out.write(json(row, output.fields) + "\n")
        out.flush()

    return show


async def follow(
    poll: Callable[[], Awaitable[Sequence[N]]],
    show: Printer[N],
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> None:
    """Print new rows forever. poll: waits for them; after an unreachable server it is called again.

    Raises: InboxError: what asking again does not mend.
    """
    failures = 0
    while True:
        try:
            rows = await poll()
        except NetworkMisconfigured:
            raise
        except (Unreachable, ServerFailed) as error:
            if not failures:
                say(f"{str(error).rstrip('.')}; trying again")
            asked = (error.retry_after if isinstance(error, Unreachable) else None) or 0.0
            seconds = max(_PAUSES[min(failures, len(_PAUSES) - 1)], asked)
            failures += 1
            # Jitter, so that many clients do not come back in step.
            await sleep(seconds * (0.9 + 0.2 * chance()))
        else:
            if failures:
                say("the server answers again")
            failures = 0
            show(rows)


def after_news(
    news: "News", poll: Callable[[], Awaitable[Sequence[N]]]
) -> Callable[[], Awaitable[Sequence[N]]]:
    """Return `poll` as of after the next news. Where it fails, it is called again without any."""
    due = False

    async def wait_and_poll() -> Sequence[N]:
        nonlocal due
        if not due:
            await news.next()
        due = True
        rows = await poll()
        due = False
        return rows

    return wait_and_poll
