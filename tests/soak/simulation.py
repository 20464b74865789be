"""Simulated use: keys, resizes, customers and faults on a viewer of the real service, seeded."""

import asyncio
import gc
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.strip import Strip
from textual.widgets import Input

from frontdesk.tui.key_validation import actions_by_id
from tests.soak.faults import REFUSED, FaultyTransport
from tests.soak.invariants import Invariants
from tests.soak.sandbox import Sandbox, character_of, is_running, open_sandbox, resize, send
from tests.soak.traffic import TrafficGenerator

SMALLEST, LARGEST = (39, 9), (300, 100)
USUAL = ((80, 24), (120, 40), (60, 20), (200, 60))
TYPED = ("a", "ana", "[/nope]", "yesterday", "2026-03-01", "60d", "\u202eexe", "漢字", "x" * 300)
# What would make a name of a file lead out of the directory that is thrown away.
_LEADS_AWAY = set("/~\\.")
_WARM_UP = 0.2


@dataclass
class Summary:
    """Counts of a simulation. Sizes are in megabytes, of the whole process."""

    seed: int
    steps: Counter[str] = field(default_factory=Counter)
    keys: set[str] = field(default_factory=set)
    screens: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    webhooks: int = 0
    starts: int = 0
    places: int = 0
    blocks: list[int] = field(default_factory=list)
    megabytes: list[float] = field(default_factory=list)
    strips: int = 0


class Simulation:
    """Random use of a viewer for some minutes; `run` raises AssertionError where it fails."""

    def __init__(self, sandbox: Sandbox, seed: int, minutes: float) -> None:
        self._sandbox = sandbox
        self._loop = sandbox.loop
        self._chance = Random(f"{seed} reader")
        self._seconds = minutes * 60
        self._size = USUAL[0]
        self.summary = Summary(seed)
        self._keys = _all_keys()
        self.last: list[str] = []

    async def run(self) -> Summary:
        self._traffic = TrafficGenerator(
            self._sandbox.database, self._loop, Random(f"{self.summary.seed} traffic")
        )
        while self._loop.time() < self._seconds:
            await self._session()
        await self._traffic.close()
        self.summary.webhooks = self._traffic.changes
        return self.summary

    async def _session(self) -> None:
        """From a start of the viewer to the key that leaves it, or the end of time."""
        self.summary.starts += 1
        async with self._sandbox.viewer(self._size) as (app, invariants, network):
            while is_running(app) and self._loop.time() < self._seconds:
                await self._step(app, invariants, network)
                self._measure()
        self.summary.faults += network.counts

    async def _step(self, app: App[Any], invariants: Invariants, network: FaultyTransport) -> None:
        """One thing happens; then all must hold."""
        steps: dict[str, tuple[float, Callable[[], Awaitable[None]]]] = {
            "key": (70, lambda: self._key_and_pause(app)),
            "burst": (6, lambda: self._burst(app)),
            "wait": (6, lambda: self._wait(app, invariants)),
            "resize": (5, lambda: self._resize(app, invariants)),
            "fault": (12, lambda: self._change_fault(network)),
            "locked out": (0.05, lambda: self._lock_out(network)),
        }
        name = self._chance.choices(list(steps), [weight for weight, _ in steps.values()])[0]
        self.summary.steps[name] += 1
        await steps[name][1]()
        if is_running(app):
            invariants.check_frames()
            invariants.check_freshness()
            if self._chance.random() < 0.2:
                invariants.check_drawing()
        self.summary.screens[type(app.screen).__name__] += 1

    async def _key_and_pause(self, app: App[Any]) -> None:
        await self._press(app)
        await asyncio.sleep(self._chance.uniform(0.1, 1.5))

    async def _burst(self, app: App[Any]) -> None:
        for _ in range(self._chance.randint(2, 20)):
            await self._press(app)
        await asyncio.sleep(0.5)

    async def _change_fault(self, network: FaultyTransport) -> None:
        network.change_fault()
        self._note("fault", network.fault)

    async def _lock_out(self, network: FaultyTransport) -> None:
        network.fault = REFUSED
        self._note("fault", network.fault)

    async def _press(self, app: App[Any]) -> None:
        if not is_running(app):
            return
        key = self._some_key(app)
        if key is None:
            typed = self._chance.choice(TYPED)
            self._note("typed", typed)
            app.post_message(events.Paste(typed))
        else:
            self._note("key", key)
            self.summary.keys.add(key)
            send(app, key)
        await asyncio.sleep(0)

    def _some_key(self, app: App[Any]) -> str | None:
        """A key of what is on the screen, or of anything; None: a text is typed."""
        typing = isinstance(app.focused, Input)
        if typing and self._chance.random() < 0.5:
            return self._chance.choice((None, "enter", "enter", "escape", "down"))
        here = list(app.screen.active_bindings)
        key = self._chance.choice(here if here and self._chance.random() < 0.6 else self._keys)
        if key in ("ctrl+q", "q") and self._chance.random() < 0.8:
            return "j"
        return "x" if typing and _LEADS_AWAY & set(character_of(key) or "") else key

    async def _wait(self, app: App[Any], invariants: Invariants) -> None:
        """Nobody presses a key; customers write, and the server is asked again."""
        await asyncio.sleep(2.0)
        if not is_running(app):
            return
        before, was_at_rest = invariants.place(), invariants.at_rest
        if self._chance.random() < 0.7:
            await self._traffic.generate()
        seconds = self._chance.choice((3.0, 5.0, 15.0, 65.0))
        self._note("wait", f"{seconds}")
        await asyncio.sleep(seconds)
        if was_at_rest and invariants.at_rest:
            self.summary.places += 1
            invariants.check_place(before)

    async def _resize(self, app: App[Any], invariants: Invariants) -> None:
        before, was_at_rest = invariants.place(), invariants.at_rest
        if self._chance.random() < 0.6:
            self._size = self._chance.choice(USUAL)
        else:
            ranges = zip(SMALLEST, LARGEST, strict=True)
            width, height = (self._chance.randint(*bounds) for bounds in ranges)
            self._size = (width, height)
        self._note("resize", f"{self._size}")
        await resize(app, self._size)
        if was_at_rest and invariants.at_rest:
            invariants.check_selection(before)

    def _note(self, what: str, words: str) -> None:
        self.last.append(f"{self._loop.time():8.2f} {what} {words}")
        del self.last[:-40]

    def _measure(self) -> None:
        """Memory at the end of the warm-up, and now and then from there on."""
        due = (len(self.summary.blocks) + 1) * _WARM_UP * self._seconds
        if self._loop.time() >= due:
            gc.collect()
            self.summary.blocks.append(sys.getallocatedblocks())
            self.summary.megabytes.append(_resident_megabytes())
            strips = sum(isinstance(one, Strip) for one in gc.get_objects())
            self.summary.strips = max(self.summary.strips, strips)


def soak(directory: Path, seed: int, minutes: float) -> Summary:
    """So many minutes of use, in a directory of their own."""
    with open_sandbox(directory, seed) as (runner, sandbox):
        simulation = Simulation(sandbox, seed, minutes)
        try:
            return runner.run(simulation.run())
        except BaseException as error:
            error.add_note(f"seed {seed}, at {sandbox.loop.time():.1f} seconds, after:")
            error.add_note("\n".join(simulation.last))
            raise


def _all_keys() -> list[str]:
    """Every key that is bound to anything of the viewer's, and Textual's own."""
    ours = [Binding(keys, id) for id, (keys, *_) in actions_by_id().items()]
    bound = Binding.make_bindings([*ours, *App.BINDINGS])
    return sorted({binding.key for binding in bound} - {"ctrl+z"})


def _resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
