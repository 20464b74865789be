"""Commands that go on until Ctrl-C: what they ask for at an interval, and print."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

from frontdesk.cli.exit_codes import say
from frontdesk.errors import NetworkMisconfigured, Unreachable

N = TypeVar("N")
Printer: TypeAlias = Callable[[Sequence[N]], None]

LONGEST_PAUSE_SECONDS = 60.0
_SLOWER = 1.5


async def follow(
    poll: Callable[[], Awaitable[Sequence[N]]],
    show: Printer[N],
    *,
    interval: float,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    chance: Callable[[], float] = random.random,
) -> None:
    """Print new rows forever; intervals grow while there are none.

    An unreachable server is asked again at the interval: the client sends nothing while it pauses.
    """
    pause, lost = interval, False
    while True:
        # Jitter, so that many clients do not poll in step.
        await sleep(pause * (0.9 + 0.2 * chance()))
        try:
            rows = await poll()
        except NetworkMisconfigured:
            raise
        except Unreachable as error:
            if not lost:
                say(f"{error}; trying again")
            lost = True
            continue
        if lost:
            say("the server answers again")
        lost = False
        show(rows)
        pause = interval if rows else min(pause * _SLOWER, LONGEST_PAUSE_SECONDS)
