"""How fast the viewer is, in ratios to others and to itself: `python -m tests.bench viewer`.

Real programs run in turn in a real pseudo-terminal of 120 by 40; every number is a median of
rounds. Only the ratios mean something: times are those of this machine at this hour.
"""

import argparse
import compileall
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import frontdesk
from tests.bench import other_programs, warm_cache
from tests.bench.budgets import Measured, budgets
from tests.bench.ratios import in_turn, shown
from tests.bench.sessions import (
    RESIZE,
    Program,
    Stroke,
    Work,
    environment_in,
    lead,
    leave,
    press_held,
    side_by_side,
    start,
    started,
)
from tests.bench.workspace import BARE, FLOOR, LINES, OPTIONS, WIDGETS, Workspace

ESCAPE, PAGE_DOWN, OLDER, ARRIVE = b"\x1b", b"\x1b[6~", b"\x1b[20~", b"\x1b[21~"
FEW = 1_000
# As many rows as a view that is filtered or ordered here looks at.
VIEW = 5_000
HELD = 60
# Views that are made while a key is held down, and how often it repeats in each: a p99 needs more
# than a hundred keys.
VIEWS_MEANWHILE = 24
HELD_MEANWHILE = 12
PAGES = 16
# How often each start is repeated in a round.
STARTS = 10


def list_strokes(presses: int) -> list[Stroke]:
    """What is pressed in the queue. First to the edge, so that "down" scrolls now and then."""
    return [
        Stroke("to the edge", b"j", 20),
        Stroke("down", b"j", presses),
        Stroke("page", PAGE_DOWN, PAGES),
        Stroke("end", b"G", 6, before=(b"g",)),
        Stroke("status", b"[", 8, before=(b"]",)),
        Stroke("filter", b"f", 8, before=(ESCAPE,)),
        Stroke("search", b"factura", 8, before=(ESCAPE, b"s")),
        Stroke("find", b"\r", 8, before=(ESCAPE, b"g", b"/", b"\x15Customer 0000300")),
        Stroke("resize", RESIZE, 8, before=(ESCAPE,)),
    ]


def query_keys(query: str) -> tuple[bytes, ...]:
    """Keys that write a query into the filter line."""
    return b"F", b"\x15", query.encode()


THREAD_STROKES = [Stroke("messages", OLDER, 5, silent=True), Stroke("new", ARRIVE, 5, silent=True)]


class Bench:
    """Runs everything in turn and keeps what was measured, by the names of programs."""

    def __init__(
        self, homes: Mapping[str, Workspace], scratch: Path, presses: int, environments: Path | None
    ) -> None:
        """homes: "few", "many" conversations, and a "long" thread. environments: of peers."""
        self.measured = Measured(defaultdict(list), defaultdict(list))
        self._homes = homes
        self._scratch = scratch
        self._environment = environment_in(scratch)
        self._presses = presses
        self._environments = environments

    def works(self) -> dict[str, Callable[[int], object]]:
        """What is done in each round; what is compared is done in one work."""
        works: dict[str, Callable[[int], object]] = {
            "starts": self._starts,
            "lists": lambda _: self._lists(),
            "lines": lambda _: self._press({"lines": Work(LINES, _scrolled(self._down))}),
            "threads": lambda _: self._threads(),
            "views": lambda _: self._views(),
        }
        for peer in other_programs.PEERS if self._environments else ():
            works[peer.name] = partial(lambda peer, _: self._peer(peer), peer)
        return works

    @property
    def _down(self) -> Stroke:
        return Stroke("down", b"j", self._presses)

    def _starts(self, number: int) -> None:
        for home in self._homes.values():
            home.read_through()
        start(BARE, self._environment)
        works: list[Callable[[], None]] = [
            lambda: self._start("bare", BARE),
            lambda: self._start_viewer("few"),
            lambda: self._start_viewer("many"),
            lambda: self._start_framed("many"),
            lambda: self._start_thread("few"),
            lambda: self._start_thread("long"),
        ]
        for again in range(STARTS):
            shift = (number * STARTS + again) % len(works)
            for work in works[shift:] + works[:shift]:
                work()

    def _start(self, name: str, program: Program) -> None:
        started_once = start(program, self._environment)
        self.measured.starts[name].append(started_once)

    def _start_viewer(self, name: str) -> None:
        self._homes[name].begin_again()
        self._start(f"start {name}", self._homes[name].viewer(name))

    def _start_framed(self, name: str) -> None:
        """A start after one like it that was left."""
        home = self._homes[name]
        home.begin_again()
        program = home.viewer(name)
        terminal = started(program, self._environment)
        try:
            terminal.wait_for(lambda text: "loaded" in text, 60.0)
            terminal.settle(1.0, 60.0)
            leave(program, terminal)
        finally:
            terminal.close()
        if not home.has_frame:
            raise RuntimeError("No screen was kept for the next start")
        self._start(f"frame {name}", program)

    def _start_thread(self, name: str) -> None:
        self._homes[name].begin_again()
        self._start(f"first thread {name}", self._homes[name].thread_viewer(name))

    def _press(self, works: Mapping[str, Work]) -> None:
        for name, ran in side_by_side(works, self._environment).items():
            self.measured.sessions[name].append(ran)

    def _lists(self) -> None:
        held = (b"j", HELD)
        floor = [self._down, Stroke("page", b"j", PAGES)]
        works = {
            "floor": Work(FLOOR, floor),
            "options": Work(OPTIONS, _scrolled(self._down), held=held),
        }
        for name in ("few", "many"):
            home = self._at_the_beginning(name)
            works[f"list {name}"] = Work(home.viewer(name), list_strokes(self._presses), held=held)
        self._press(works)

    def _threads(self) -> None:
        """A thread that is read, with a key floor of its own; one that grows at both ends."""
        up = Stroke("up", b"k", self._presses)
        reading = {"thread floor": Work(FLOOR, [up])}
        growing = {"widgets": Work(WIDGETS, THREAD_STROKES)}
        for name in ("few", "long"):
            home = self._at_the_beginning(name)
            reading[f"thread {name}"] = Work(home.thread_viewer(name), [up], first=(b"3",))
            archived = home.archived(name, self._scratch)
            growing[f"archive {name}"] = Work(archived, THREAD_STROKES, first=(b"3",))
        self._press(reading)
        self._press(growing)

    def _views(self) -> None:
        """An order that rows get here: until it is complete, and keys while it is made."""
        home = self._at_the_beginning("view")
        active, oldest = query_keys("is:open sort:active"), query_keys("is:open sort:oldest")
        last = warm_cache.name(home.conversations - 1)
        view = Stroke("view", b"\r", 6, before=(ESCAPE, *active, b"\r", *oldest), answer=last)
        self._press({"view": Work(home.viewer("view"), [view])})
        home.begin_again()
        with ExitStack() as ending:
            terminal, floor = (
                started(program, self._environment) for program in (home.viewer("view"), FLOOR)
            )
            ending.callback(terminal.close)
            ending.callback(floor.close)
            terminal.wait_for(lambda text: warm_cache.name(3) in text, 60.0)
            floor.wait_for_words(re.compile(FLOOR.content.encode()), 60.0)
            for _ in range(VIEWS_MEANWHILE):
                lead(terminal, (ESCAPE, *active, b"\r", *oldest))
                terminal.write(b"\r")
                for _ in range(HELD_MEANWHILE):
                    self.measured.meanwhile.append(press_held(terminal, b"j"))
                floor.rest(60.0)
                for _ in range(HELD_MEANWHILE):
                    self.measured.meanwhile_on_floor.append(press_held(floor, b"j"))

    def _at_the_beginning(self, name: str) -> Workspace:
        home = self._homes[name]
        home.begin_again()
        home.read_through()
        return home

    def _peer(self, peer: other_programs.OtherProgram) -> None:
        assert self._environments is not None
        if self.measured.missing.get(peer.name):
            return
        program = peer.program(self._environments / peer.name)
        try:
            self._start(peer.name, program)
            self._press({peer.name: Work(program, [peer.stroke])})
        except TimeoutError as error:
            self.measured.missing[peer.name] = str(error).splitlines()[0]


def _scrolled(down: Stroke) -> list[Stroke]:
    return [Stroke("to the edge", b"j", 20), down]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--conversations", type=int, default=100_000)
    parser.add_argument("--messages", type=int, default=100_000, help="in the longest thread")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--presses", type=int, default=40)
    parser.add_argument("--caches", type=Path, help="keep the caches there, for the next time")
    parser.add_argument(
        "--peers", type=Path, help="compare with peers; their environments are made there"
    )


def run(options: argparse.Namespace) -> None:
    """Measure, and print one table."""
    compileall.compile_dir(Path(frontdesk.__file__).parent, quiet=1)
    with ExitStack() as ending:
        scratch = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="frontdesk-bench-")))
        caches = options.caches or scratch
        homes = {
            "few": Workspace(caches, FEW, FEW),
            "many": Workspace(caches, options.conversations, FEW),
            "long": Workspace(caches, FEW, options.messages),
            "view": Workspace(caches, VIEW, FEW),
        }
        for home in homes.values():
            _report(f"a cache of {home.conversations:,} conversations, {home.messages:,} messages")
            home.make()
        missing = other_programs.installed(options.peers) if options.peers else {}
        bench = Bench(homes, scratch, options.presses, options.peers)
        bench.measured.missing.update(missing)
        works = bench.works()
        in_turn(options.rounds, {name: _messages(name, work) for name, work in works.items()})
        bench.measured.forget_first(options.rounds)
        ratios = budgets(bench.measured, homes["many"])
    _report("")
    sizes = f"{options.conversations:,} conversations, {options.messages:,} messages"
    sys.stdout.write(f"{os.cpu_count()} cores, {sizes}, {options.rounds} rounds\n\n")
    sys.stdout.write(shown(ratios) + "\n")


def _messages(name: str, work: Callable[[int], object]) -> Callable[[int], object]:
    def asked_for(number: int) -> None:
        _report(f"round {number + 1}, {name}")
        work(number)

    return asked_for


def _report(words: str) -> None:
    """What is done now, for somebody who waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{words}")
        sys.stderr.flush()
