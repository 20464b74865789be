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
from textual.keys import _character_to_key
from textual.strip import Strip
from textual.widgets import Input

from frontdesk.tui.keymap import action_ids
from tests.soak.stage import Stage, character_of, lives, resize, send, staged
from tests.soak.town import Town
from tests.soak.watch import Watch
from tests.soak.weather import REFUSED, Weather

SMALLEST, LARGEST = (39, 9), (300, 100)
USUAL = ((80, 24), (120, 40), (60, 20), (200, 60))
TYPED = ("a", "ana", "[/nope]", "yesterday", "2026-03-01", "60d", "\u202eexe", "漢字", "x" * 300)
# What would make a name of a file lead out of the directory that is thrown away.
_LEADS_AWAY = set("/~\\.")
_WARM_UP = 0.2


@dataclass
class Told:
    """What an hour was like. Sizes are in megabytes, of the whole process."""

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


class Hour:
    """So many minutes in the life of a viewer; `live` raises AssertionError where it fails."""

    def __init__(self, stage: Stage, seed: int, minutes: float) -> None:
        self._stage = stage
        self._loop = stage.loop
        self._chance = Random(f"{seed} reader")
        self._seconds = minutes * 60
        self._size = USUAL[0]
        self.told = Told(seed)
        self._keys = _all_keys()
        self.last: list[str] = []

    async def live(self) -> Told:
        self._town = Town(self._stage.database, self._loop, Random(f"{self.told.seed} town"))
        while self._loop.time() < self._seconds:
            await self._session()
        await self._town.close()
        self.told.webhooks = self._town.told
        return self.told

    async def _session(self) -> None:
        """From a start of the viewer to the key that leaves it, or the end of time."""
        self.told.starts += 1
        async with self._stage.viewer(self._size) as (app, watch, weather):
            while lives(app) and self._loop.time() < self._seconds:
                await self._step(app, watch, weather)
                self._measure()
        self.told.faults += weather.met
        gc.unfreeze()

    async def _step(self, app: App[Any], watch: Watch, weather: Weather) -> None:
        """One thing happens; then all must hold."""
        steps: dict[str, tuple[float, Callable[[], Awaitable[None]]]] = {
            "key": (70, lambda: self._key_and_pause(app)),
            "burst": (6, lambda: self._burst(app)),
            "wait": (6, lambda: self._wait(app, watch)),
            "resize": (5, lambda: self._resize(app, watch)),
            "weather": (5, lambda: self._turn(weather)),
            "locked out": (0.05, lambda: self._lock_out(weather)),
        }
        name = self._chance.choices(list(steps), [weight for weight, _ in steps.values()])[0]
        self.told.steps[name] += 1
        await steps[name][1]()
        if lives(app):
            watch.true()
            watch.honest()
            if self._chance.random() < 0.2:
                watch.drawn()
        self.told.screens[type(app.screen).__name__] += 1

    async def _key_and_pause(self, app: App[Any]) -> None:
        await self._press(app)
        await asyncio.sleep(self._chance.uniform(0.1, 1.5))

    async def _burst(self, app: App[Any]) -> None:
        for _ in range(self._chance.randint(2, 20)):
            await self._press(app)
        await asyncio.sleep(0.5)

    async def _turn(self, weather: Weather) -> None:
        weather.turn()
        self._note("weather", weather.kind)

    async def _lock_out(self, weather: Weather) -> None:
        weather.kind = REFUSED
        self._note("weather", weather.kind)

    async def _press(self, app: App[Any]) -> None:
        if not lives(app):
            return
        key = self._some_key(app)
        if key is None:
            typed = self._chance.choice(TYPED)
            self._note("typed", typed)
            app.post_message(events.Paste(typed))
        else:
            self._note("key", key)
            self.told.keys.add(key)
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

    async def _wait(self, app: App[Any], watch: Watch) -> None:
        """Nobody presses a key; customers write, and the server is asked again."""
        await asyncio.sleep(2.0)
        if not lives(app):
            return
        before, was_at_rest = watch.place(), watch.at_rest
        if self._chance.random() < 0.7:
            await self._town.live()
        seconds = self._chance.choice((3.0, 5.0, 15.0, 65.0))
        self._note("wait", f"{seconds}")
        await asyncio.sleep(seconds)
        if was_at_rest and watch.at_rest:
            self.told.places += 1
            watch.kept(before)

    async def _resize(self, app: App[Any], watch: Watch) -> None:
        before, was_at_rest = watch.place(), watch.at_rest
        if self._chance.random() < 0.6:
            self._size = self._chance.choice(USUAL)
        else:
            ranges = zip(SMALLEST, LARGEST, strict=True)
            width, height = (self._chance.randint(*bounds) for bounds in ranges)
            self._size = (width, height)
        self._note("resize", f"{self._size}")
        await resize(app, self._size)
        if was_at_rest and watch.at_rest:
            watch.selected(before)

    def _note(self, what: str, words: str) -> None:
        self.last.append(f"{self._loop.time():8.2f} {what} {words}")
        del self.last[:-40]

    def _measure(self) -> None:
        """Memory at the end of the warm-up, and now and then from there on."""
        due = (len(self.told.blocks) + 1) * _WARM_UP * self._seconds
        if self._loop.time() >= due:
            gc.unfreeze()
            gc.collect()
            self.told.blocks.append(sys.getallocatedblocks())
            self.told.megabytes.append(_resident_megabytes())
            strips = sum(isinstance(one, Strip) for one in gc.get_objects())
            self.told.strips = max(self.told.strips, strips)


def soak(directory: Path, seed: int, minutes: float) -> Told:
    """So many minutes of use, in a directory of their own."""
    with staged(directory, seed) as (runner, stage):
        hour = Hour(stage, seed, minutes)
        try:
            return runner.run(hour.live())
        except BaseException as error:
            error.add_note(f"seed {seed}, at {stage.loop.time():.1f} seconds, after:")
            error.add_note("\n".join(hour.last))
            raise


def _all_keys() -> list[str]:
    """Every key that is bound to anything of the viewer's, and Textual's own."""
    ours = [key for keys, _ in action_ids().values() for key in keys.split(",")]
    theirs = [key for binding in App.BINDINGS for key in binding.key.split(",")]  # type: ignore[union-attr]
    every = {_character_to_key(key) if len(key) == 1 else key for key in (*ours, *theirs)}
    return sorted(every - {"ctrl+z"})


def _resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
