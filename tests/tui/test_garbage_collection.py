"""Collects garbage in pauses between keys, if a program gives the viewer a collector."""

import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC
from itertools import count
from typing import NamedTuple

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.garbage_collection import IdleGarbageCollector
from tests.conftest import NOW
from tests.tui.conftest import settle


class Cycle:
    """An object that only the garbage collector removes."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def usual_settings() -> Iterator[None]:
    """The settings of this process as they were, and its objects as garbage again."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    gc.unfreeze()


class Timer(NamedTuple):
    """What runs at a time; cancelled by its removal from the others."""

    at: float
    work: Callable[[], None]
    others: list["Timer"]

    def cancel(self) -> None:
        if self in self.others:
            self.others.remove(self)


class Timers:
    """Timers of an event loop whose time passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waiting: list[Timer] = []

    def call_later(self, seconds: float, work: Callable[[], None]) -> Timer:
        self.waiting.append(Timer(self.now + seconds, work, self.waiting))
        return self.waiting[-1]

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        for timer in [timer for timer in self.waiting if timer.at <= self.now]:
            timer.cancel()
            timer.work()


def old_cycle(collections: Sequence[int] = (0,) * 5) -> weakref.ref[Cycle]:
    """Garbage that only a full collection removes, after collections of younger generations."""
    cycle = Cycle()
    gc.collect()
    for generation in collections:
        gc.collect(generation)
    return weakref.ref(cycle)


@pytest.fixture
def timers() -> Timers:
    return Timers()


@pytest.fixture
def rested(timers: Timers) -> IdleGarbageCollector:
    """A collector that has collected the garbage of the start; its collections take no time."""
    collector = IdleGarbageCollector(lambda: timers.now)
    collector.start(timers.call_later)
    timers.pass_time(1.5)
    return collector


def test_the_garbage_of_the_start_is_collected_in_the_first_pause(timers: Timers) -> None:
    collector = IdleGarbageCollector()
    cycle = weakref.ref(Cycle())
    collector.start(timers.call_later)
    timers.pass_time(0.9)
    collector.record_input()
    timers.pass_time(0.4)
    assert cycle() is not None
    timers.pass_time(0.2)
    assert cycle() is None


# A collection of the middle generation begins the count of those of the youngest again.
@pytest.mark.parametrize("collections", [(0,) * 5, (0, 0, 1)])
def test_old_garbage_waits_for_a_pause_between_keys(
    timers: Timers, rested: IdleGarbageCollector, collections: Sequence[int]
) -> None:
    cycle = old_cycle(collections)
    for _ in range(20):
        rested.record_input()
        timers.pass_time(0.07)
    assert cycle() is not None
    timers.pass_time(0.15)
    assert cycle() is None


def test_garbage_is_collected_while_no_key_is_pressed(
    timers: Timers, rested: IdleGarbageCollector
) -> None:
    for _ in range(2):
        cycle = old_cycle()
        timers.pass_time(2.1)
        assert cycle() is None


def test_without_work_since_nothing_is_collected(
    timers: Timers, rested: IdleGarbageCollector
) -> None:
    cycle = weakref.ref(Cycle())
    rested.record_input()
    timers.pass_time(2.1)
    assert cycle() is not None


def test_after_a_slow_collection_the_next_comes_later(timers: Timers) -> None:
    # Each reading of the clock is a twentieth of a second after the one before.
    readings = count()
    collector = IdleGarbageCollector(lambda: 0.05 * next(readings))
    collector.start(timers.call_later)
    timers.pass_time(1.5)
    first = old_cycle()
    collector.record_input()
    timers.pass_time(0.25)
    assert first() is None
    second = old_cycle()
    collector.record_input()
    timers.pass_time(0.4)
    assert second() is not None
    timers.pass_time(0.2)
    assert second() is None
    third = old_cycle()
    timers.pass_time(4.9)
    assert third() is not None
    timers.pass_time(0.2)
    assert third() is None


def test_a_collector_that_was_stopped_collects_nothing(
    timers: Timers, rested: IdleGarbageCollector
) -> None:
    cycle = old_cycle()
    rested.record_input()
    rested.stop()
    rested.record_input()
    timers.pass_time(10)
    assert cycle() is not None
    assert timers.waiting == []


async def test_full_collections_are_rare_only_while_the_viewer_runs(
    client: InboxClient, cache: Cache
) -> None:
    usual = gc.get_threshold()
    app = FrontdeskApp(
        Mailbox(lambda: client, cache, clock=lambda: NOW),
        title="sample",
        clock=Clock(UTC, lambda: NOW),
        collector=IdleGarbageCollector(),
    )
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert gc.get_threshold()[2] > usual[2]
    assert gc.get_threshold() == usual
