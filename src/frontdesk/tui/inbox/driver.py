"""Carries out what the inbox asks for: requests by the mailbox, and waits for time."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from math import inf
from typing import ParamSpec, TypeVar

from textual.widget import Widget
from textual.worker import Worker

from frontdesk.errors import InboxError
from frontdesk.inbox import deadlines
from frontdesk.inbox.orders import Order
from frontdesk.inbox.requests import Kind
from frontdesk.inbox.state import Inbox
from frontdesk.inbox.tasks import Asked
from frontdesk.mailbox import Mailbox
from frontdesk.system.request_priority import urgent

P = ParamSpec("P")
T = TypeVar("T")

# Least time to the next alarm: no turn of the event loop is without a pause.
_LEAST_SECONDS = 0.001


def _raise(error: Exception) -> None:
    raise error


class Driver:
    """Hands events to the inbox, and what it asks for to the mailbox.

    node: the widget whose messages and workers these are. carry_out: has the panes do it.
    draw: draws the state, once for the events of a turn of the event loop.
    """

    def __init__(
        self,
        node: Widget,
        mailbox: Mailbox,
        inbox: Inbox,
        carry_out: Callable[[Order], None],
        draw: Callable[[], None],
    ) -> None:
        self._node, self._mailbox, self._inbox = node, mailbox, inbox
        self._carry_out, self._draw = carry_out, draw
        self._running: dict[Asked, Worker[None]] = {}
        # The request for news, which the server holds.
        self._held: asyncio.Task[None] | None = None
        # When the inbox has something to do, and what waits for it.
        self._due: float | None = None
        self._alarm: Worker[None] | None = None
        # The same while nothing is going on.
        self._rest: tuple[float, asyncio.TimerHandle] | None = None

    def do(self, event: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Hand in an event, and carry out what follows from it; returns what it returns."""
        result = event(*args, **kwargs)
        self._follow()
        self._draw()
        return result

    def note(self, event: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Hand in an event of the cursor or of input alone, which no bar shows.

        It is drawn only if it leads to a request, or returns True.
        """
        changes = event(*args, **kwargs)
        if self._follow() or changes is True:
            self._draw()

    def _follow(self) -> bool:
        """Carry out what follows from an event; False if no request does."""
        orders, requests = self._inbox.take()
        follows = bool(requests)
        while orders or requests:
            for order in orders:
                self._carry_out(order)
            for request in requests:
                if isinstance(request, Asked) and request.kind is Kind.NEWS:
                    # No worker: nothing is going on while it is held.
                    self._held = asyncio.create_task(self._send_held(request))
                elif isinstance(request, Asked):
                    send, group = partial(self._send, request), request.kind.name.lower()
                    self._running[request] = self._node.run_worker(send, group=group)
                elif request.asked.kind is Kind.NEWS:
                    self._release()
                elif request.asked in self._running:
                    self._running.pop(request.asked).cancel()
            orders, requests = self._inbox.take()
            follows = follows or bool(requests)
        self._set_alarm()
        return follows

    async def _send_held(self, asked: Asked) -> None:
        tasks = self._inbox.tasks
        try:
            value = await asked.request(self._mailbox)
        except InboxError as error:
            self._node.call_next(self.do, tasks.fail, asked, error)
        except Exception as error:
            # A mistake of the program ends it, as one of a worker does.
            self._node.call_next(_raise, error)
        else:
            self._node.call_next(self.do, tasks.answer, asked, value)

    def _release(self) -> None:
        if self._held is not None:
            self._held.cancel()
            self._held = None

    async def _send(self, asked: Asked) -> None:
        tasks = self._inbox.tasks
        try:
            with urgent() if asked.urgent else nullcontext():
                value = await asked.request(self._mailbox)
        except InboxError as error:
            self.do(tasks.fail, asked, error)
        else:
            self.do(tasks.answer, asked, value)
        finally:
            self._running.pop(asked, None)

    def close(self) -> None:
        """Wait for no time any more, and for no news."""
        self._release()
        self._end_timer()

    def _end_timer(self) -> None:
        if self._rest is not None:
            self._rest[1].cancel()

    def _set_alarm(self) -> None:
        """Wait for the next time at which the inbox has something to do."""
        due = self._inbox.wake_at
        if due is not None and (self._due is None or due < self._due):
            self._due = due
            self._alarm = self._node.run_worker(self._wait, group="alarm", exclusive=True)
        elif due is None and self._alarm is not None and self._due not in (None, -inf):
            self._alarm.cancel()
            self._due = None
        self._set_timer()

    def _set_timer(self) -> None:
        """Wait likewise while nothing is going on."""
        rests_until = deadlines.rests_until(self._inbox)
        if rests_until == (self._rest and self._rest[0]):
            return
        self._end_timer()
        self._rest = None
        if rests_until is not None:
            wait = max(rests_until - self._inbox.seconds(), _LEAST_SECONDS)
            loop = asyncio.get_running_loop()
            timer = loop.call_later(wait, self._node.call_next, self._end_rest)
            self._rest = rests_until, timer

    def _end_rest(self) -> None:
        self._rest = None
        self._advance()

    def _advance(self) -> None:
        self.do(deadlines.advance, self._inbox)

    async def _wait(self) -> None:
        while self._due is not None:
            await asyncio.sleep(max(self._due - self._inbox.seconds(), _LEAST_SECONDS))
            # It is asked below when the next time is.
            self._due = -inf
            self._advance()
            self._due = self._inbox.wake_at
