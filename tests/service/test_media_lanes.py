"""Slots of slow work: turns of accounts, slow pieces, and a database that fails for a while."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import pytest

from frontdesk.errors import Unreachable
from frontdesk.service.media.lanes import Lanes


class Pieces:
    """Work of several accounts: names of pieces, of which those in `slow` wait for `release`."""

    def __init__(self, pieces: dict[int, list[str]], slow: str = "") -> None:
        self.pieces = pieces
        self.slow = slow
        self.release = asyncio.Event()
        self.begun: list[str] = []
        self.done: list[str] = []
        self.given_back: list[str] = []
        self.published = 0
        self.failures = 0

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        yield

    def accounts(self) -> list[int]:
        if self.failures:
            self.failures -= 1
            raise Unreachable("The database is locked")
        return list(self.pieces)

    def claim(self, account_id: int) -> str | None:
        return self.pieces[account_id].pop(0) if self.pieces[account_id] else None

    async def run(self, claimed: str) -> None:
        self.begun.append(claimed)
        try:
            if claimed in self.slow:
                await self.release.wait()
            if claimed == "bad":
                raise KeyError(claimed)
        except asyncio.CancelledError:
            self.given_back.append(claimed)
            raise
        self.done.append(claimed)

    def publish(self) -> None:
        self.published += 1


@asynccontextmanager
async def working(work: Pieces, slots: int) -> AsyncIterator[Lanes[str]]:
    lanes = Lanes("Work", work, slots)
    task = asyncio.create_task(lanes.run())
    await asyncio.sleep(0)
    try:
        yield lanes
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_accounts_take_turns_however_much_one_has() -> None:
    work = Pieces({3: ["c1", "c2"], 1: ["a1", "a2", "a3", "a4"], 7: [], 9: ["i1"]})
    async with working(work, 1) as lanes:
        await lanes.idle()
        assert work.done == ["a1", "c1", "i1", "a2", "c2", "a3", "a4"]


async def test_a_slow_piece_holds_up_its_own_slot_alone() -> None:
    work = Pieces({1: ["slow", "a"], 2: ["b", "c", "d"]}, slow="slow")
    async with working(work, 2) as lanes:
        while len(work.done) < 4:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert sorted(work.done) == ["a", "b", "c", "d"]
        work.pieces[2].append("new")
        lanes.notify()
        while "new" not in work.done:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert "slow" not in work.done
        work.release.set()
        await lanes.idle()
        assert work.done[-1] == "slow"


async def test_what_is_under_way_at_the_end_is_given_back_and_what_changed_is_published() -> None:
    work = Pieces({1: ["slow", "a"]}, slow="slow")
    async with working(work, 2):
        while not work.done:  # noqa: ASYNC110
            await asyncio.sleep(0)
        assert work.published == 0
    assert (work.given_back, work.published) == (["slow"], 1)


async def test_the_timer_publishes_and_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontdesk.service.media.lanes.TICK_SECONDS", 0.001)
    work = Pieces({1: []})
    async with working(work, 2) as lanes:
        await lanes.idle()
        work.pieces[1].append("late")
        while not work.done or work.published < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_slots_outlive_a_database_that_fails_and_a_piece_that_does(
    caplog: pytest.LogCaptureFixture,
) -> None:
    work = Pieces({1: ["bad", "a", "b"]})
    work.failures = 2
    async with working(work, 1) as lanes:
        await lanes.idle()
        for _ in range(4):
            lanes.look()
            await lanes.idle()
    assert work.done == ["a", "b"]
    said = [record.getMessage().partition("\n")[0] for record in caplog.records]
    # The same failure is said once until there is a success.
    assert said == ["Work waits: The database is locked", "Work failed"]


def test_who_notifies_lanes_that_have_ended_over_an_error_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Closed(Pieces):
        def opened(self) -> AbstractAsyncContextManager[None]:
            raise KeyError("opened")

    ends: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", ends.append)
    lanes = Lanes("Work", Closed({1: ["a"]}), 1)
    lanes.start()
    lanes.notify()
    lanes.close()
    assert [end.exc_type for end in ends] == [KeyError]
