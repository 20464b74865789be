"""Collects garbage in pauses between keys, if a program gives the viewer a collector."""

import gc
import weakref
from collections.abc import Iterator
from datetime import UTC

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


def test_the_garbage_of_the_start_is_collected_in_the_first_pause() -> None:
    now = 100.0
    collector = IdleGarbageCollector(lambda: now)
    cycle = weakref.ref(Cycle())
    collector.start()
    now += 1.5
    collector.record_input()
    collector.collect_if_idle()
    assert cycle() is not None
    now += 0.3
    collector.collect_if_idle()
    assert cycle() is None


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
