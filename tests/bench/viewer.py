"""How fast the viewer is, in ratios to others and to itself: `python -m tests.bench viewer`.

Real programs run in turn in a real pseudo-terminal of 120 by 40; every number is a median of
rounds. Only the ratios mean something: times are those of this machine at this hour.
"""

import argparse
import compileall
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import frontdesk
from tests.bench import peers
from tests.bench.homes import BARE, FLOOR, LINES, OPTIONS, WIDGETS, Home
from tests.bench.ratios import in_turn, shown
from tests.bench.reaches import Measured, budgets
from tests.bench.sessions import (
    RESIZE,
    Program,
    Stroke,
    environment_in,
    leave,
    session,
    start,
    started,
)

ESCAPE, PAGE_DOWN, OLDER, ARRIVE = b"\x1b", b"\x1b[6~", b"\x1b[20~", b"\x1b[21~"
FEW = 1_000
HELD = 60


def list_strokes(presses: int) -> list[Stroke]:
    """What is pressed in the queue. First to the edge, so that "down" scrolls now and then."""
    return [
        Stroke("to the edge", b"j", 20),
        Stroke("down", b"j", presses),
        Stroke("page", PAGE_DOWN, 16),
        Stroke("end", b"G", 6, before=(b"g",)),
        Stroke("status", b"[", 6, before=(b"]",)),
        Stroke("filter", b"f", 5, before=(ESCAPE,)),
        Stroke("search", b"factura", 5, before=(ESCAPE, b"s")),
        Stroke("find", b"\r", 5, before=(ESCAPE, b"g", b"/", b"\x15Customer 0000300")),
        Stroke("resize", RESIZE, 6, before=(ESCAPE,)),
    ]


THREAD_STROKES = [Stroke("messages", OLDER, 5, silent=True), Stroke("new", ARRIVE, 5, silent=True)]


class Bench:
    """Runs everything in turn and keeps what was measured, by the names of programs."""

    def __init__(
        self, homes: Mapping[str, Home], scratch: Path, presses: int, environments: Path | None
    ) -> None:
        """homes: "few", "many" conversations, and a "long" thread. environments: of peers."""
        self.measured = Measured(defaultdict(list), defaultdict(list))
        self._homes = homes
        self._scratch = scratch
        self._environment = environment_in(scratch)
        self._presses = presses
        self._environments = environments

    def works(self) -> dict[str, Callable[[int], object]]:
        """What is done in each round."""
        down = Stroke("down", b"j", self._presses)
        works: dict[str, Callable[[int], object]] = {
            "bare": lambda _: self._start("bare", BARE),
            "floor": lambda _: self._keys("floor", FLOOR, [down]),
            "options": lambda _: self._keys("options", OPTIONS, _scrolled(down), held=True),
            "lines": lambda _: self._keys("lines", LINES, _scrolled(down)),
            "widgets": lambda _: self._keys("widgets", WIDGETS, self._in_thread()),
        }
        for name in ("few", "many"):
            works[f"start {name}"] = lambda _, name=name: self._start_viewer(name)
            works[f"frame {name}"] = lambda _, name=name: self._start_framed(name)
            works[f"list {name}"] = lambda _, name=name: self._list(name)
        for name in ("few", "long"):
            works[f"first thread {name}"] = lambda _, name=name: self._start_thread(name)
            works[f"thread {name}"] = lambda _, name=name: self._thread(name)
        for peer in peers.PEERS if self._environments else ():
            works[peer.name] = lambda _, peer=peer: self._peer(peer)
        return works

    def _start(self, name: str, program: Program) -> None:
        started_once = start(program, self._environment)
        self.measured.starts[name].append(started_once)

    def _keys(
        self,
        name: str,
        program: Program,
        strokes: list[Stroke],
        first: tuple[bytes, ...] = (),
        *,
        held: bool = False,
    ) -> None:
        down = (b"j", HELD) if held else None
        ran = session(program, self._environment, strokes, first=first, held=down)
        self.measured.sessions[name].append(ran)

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

    def _list(self, name: str) -> None:
        self._homes[name].begin_again()
        program = self._homes[name].viewer(name)
        self._keys(f"list {name}", program, list_strokes(self._presses), held=True)

    def _thread(self, name: str) -> None:
        home = self._homes[name]
        home.begin_again()
        strokes = [Stroke("up", b"k", self._presses)]
        self._keys(f"thread {name}", home.thread_viewer(name), strokes, first=(b"3",))
        archived = home.archived(name, self._scratch)
        self._keys(f"archive {name}", archived, THREAD_STROKES, first=(b"3",))

    def _in_thread(self) -> list[Stroke]:
        return [Stroke("up", b"k", self._presses), *THREAD_STROKES]

    def _peer(self, peer: peers.Peer) -> None:
        assert self._environments is not None
        if self.measured.missing.get(peer.name):
            return
        program = peer.program(self._environments / peer.name)
        try:
            self._start(peer.name, program)
            self._keys(peer.name, program, [peer.stroke])
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
            "few": Home(caches, FEW, FEW),
            "many": Home(caches, options.conversations, FEW),
            "long": Home(caches, FEW, options.messages),
        }
        for home in homes.values():
            _tell(f"a cache of {home.conversations:,} conversations, {home.messages:,} messages")
            home.make()
        missing = peers.installed(options.peers) if options.peers else {}
        bench = Bench(homes, scratch, options.presses, options.peers)
        bench.measured.missing.update(missing)
        works = bench.works()
        in_turn(options.rounds, {name: _told(name, work) for name, work in works.items()})
        bench.measured.forget_first()
        ratios = budgets(bench.measured, homes["many"])
    _tell("")
    sizes = f"{options.conversations:,} conversations, {options.messages:,} messages"
    sys.stdout.write(f"{os.cpu_count()} cores, {sizes}, {options.rounds} rounds\n\n")
    sys.stdout.write(shown(ratios) + "\n")


def _told(name: str, work: Callable[[int], object]) -> Callable[[int], object]:
    def told(number: int) -> None:
        _tell(f"round {number + 1}, {name}")
        work(number)

    return told


def _tell(words: str) -> None:
    """What is done now, for somebody who waits at a terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{words}")
        sys.stderr.flush()
