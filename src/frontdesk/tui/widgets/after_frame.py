"""Work between frames: what the next key shows is prepared once the frame of this is written."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec

from textual.message_pump import MessagePump

P = ParamSpec("P")

# Within so many seconds of an event, the frame that shows it is drawn and written.
_FRAME_SECONDS = 0.01


def after_frame(
    node: MessagePump, do: Callable[P, object], *args: P.args, **kwargs: P.kwargs
) -> asyncio.TimerHandle:
    """Call something as a message of `node` once the frame of this event is written.

    Right after a frame was drawn, as with `call_after_refresh`, it would hold up the thread that
    writes it. Returns a handle to cancel it.
    """
    loop = asyncio.get_running_loop()
    return loop.call_later(_FRAME_SECONDS, lambda: node.call_next(do, *args, **kwargs))
