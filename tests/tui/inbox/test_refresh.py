"""Refreshing by hand requests at once, and never lengthens a pause."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.client.other_server import BASE, OtherServer, Question, Reply
from tests.client.prepared_server import KEY
from tests.conftest import NOW
from tests.tui.conftest import lines, settle
from tests.tui.views import press, view_app


class Failing(OtherServer):
    """A server that answers with `failure` while there is one, and not at all while `held`."""

    failure: Reply | None = None
    held: asyncio.Event | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.held is not None:
            await self.held.wait()
        await super().__call__(scope, receive, send)

    def _reply(self, question: Question) -> Reply:
        return self.failure or super()._reply(question)


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def seconds(self) -> float:
        return (self.now - NOW) / timedelta(seconds=1)

    def client(self, server: OtherServer) -> InboxClient:
        return InboxClient(BASE, KEY, app=server, clock=self.seconds, sleep=_at_once, now=self)

    def viewer(self, server: OtherServer, cache: Cache) -> FrontdeskApp:
        mailbox = Mailbox(lambda: self.client(server), cache, clock=self)
        return FrontdeskApp(mailbox, title="elsewhere", clock=Clock(UTC, self))


async def _at_once(seconds: float) -> None:
    await asyncio.sleep(0)


DOWN: Reply = (502, {}, b"Bad Gateway")
BUSY: Reply = (429, {"retry-after": "40"}, b"")


def seconds_left(app: FrontdeskApp) -> int:
    found = re.search(r"retrying in (\d+) s", lines(app)[-1])
    assert found, lines(app)[-1]
    return int(found[1])


@pytest.mark.parametrize("failure", [DOWN, BUSY], ids=["circuit breaker", "rate limit"])
async def test_a_server_that_is_back_is_live_at_the_first_refresh(
    failure: Reply, cache: Cache
) -> None:
    hand, server = Hand(), Failing()
    app = hand.viewer(server, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        server.failure = failure
        # Rows that are opened one after the other are asked for, until the breaker opens.
        for _ in range(3):
            await press(pilot, "]", "j", "k")
        before = len(server.asked)
        await press(pilot, "[")
        assert len(server.asked) == before
        assert seconds_left(app) == (5 if failure is DOWN else 40)
        server.failure = None
        await press(pilot, "ctrl+r")
        assert "live" in lines(app)[-1]
        assert "retrying" not in lines(app)[-1]
        # And it stays so for all that is asked for after it.
        await press(pilot, "]")
        assert "live" in lines(app)[-1]


async def test_going_from_view_to_view_makes_no_wait_longer_and_the_retry_is_sent(
    cache: Cache,
) -> None:
    hand, server = Hand(), Failing()
    app = hand.viewer(server, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        server.failure = DOWN
        await press(pilot, "ctrl+r")
        for left in (5, 4, 3, 2, 1):
            await press(pilot, "]", "6", "j", "7", "k")
            assert seconds_left(app) == left
            hand.now += timedelta(seconds=1)
        # The circuit breaker of the client is open by now, for longer than this wait.
        asked = len(server.asked)
        await press(pilot, "9")
        assert len(server.asked) > asked
        assert seconds_left(app) == 10
        hand.now += timedelta(seconds=10)
        server.failure = None
        await press(pilot, "6")
        assert "live" in lines(app)[-1]


async def test_threads_that_cannot_be_loaded_begin_the_countdown_and_do_not_lengthen_it(
    cache: Cache,
) -> None:
    hand, server = Hand(), Failing()
    app = hand.viewer(server, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        server.failure = DOWN
        server.asked.clear()
        await press(pilot, "j", "enter")
        assert server.times_asked("conversations/counts") == 0
        assert "offline" in lines(app)[-1]
        assert "^r now" in lines(app)[-1]
        for left in (5, 4, 3, 2, 1):
            await press(pilot, "K", "J", "K", "J")
            assert seconds_left(app) == left
            hand.now += timedelta(seconds=1)
        # The circuit breaker is open by now; the list is asked for all the same.
        server.failure = None
        await press(pilot, "6")
        assert "live" in lines(app)[-1]


@pytest.mark.parametrize("view", ["directory", "reports"])
async def test_a_view_is_refreshed_at_once_by_hand_too(view: str, cache: Cache) -> None:
    hand, server = Hand(), Failing()
    client = hand.client(server)
    server.failure = BUSY
    app = view_app(view, client, cache, Clock(UTC, hand))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert server.asked
        server.failure = None
        server.asked.clear()
        await press(pilot, "ctrl+r")
        assert server.asked
        assert "live" in lines(app)[-1]
