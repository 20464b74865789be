"""What a start and a key cost, as ratios: `python -m tests.bench viewer`.

Programs run in turn in a real pseudo-terminal of 120 by 40; every number is a median of rounds.
Only the ratios mean something: times are those of this machine at this hour.
"""

import argparse
import compileall
import os
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import median

import frontdesk
from frontdesk.cli.origins import origin_of
from frontdesk.ingest import sample
from frontdesk.ingest.events import ContactUpsert
from frontdesk.settings import KEY_VARIABLE, cache_file
from tests.bench import warm_cache
from tests.bench.pseudo_terminal import COLUMNS, ROWS, PseudoTerminal
from tests.bench.ratios import table

HERE = Path(__file__).resolve().parent
TIMEOUT = 60.0
# Nobody listens at this port.
NO_SERVER = "http://127.0.0.1:9"
KEY = "fdk_" + "a" * 40
SIZES = (300, 100_000)
# A program is at rest when it has been silent for so many seconds.
SILENCE = 0.4


@dataclass(frozen=True)
class Program:
    """A command, what it sees, and a pattern of the text with which its content is there."""

    name: str
    command: tuple[str, ...]
    content: str
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """Seconds to the first content, those of the processor until then and until rest; memory.

    `own_cpu` is without children.
    """

    wall: float
    own_cpu: float
    cpu: float
    settled_cpu: float
    megabytes: float


@dataclass(frozen=True)
class Keys:
    """Seconds to the repaint of each key, the processor's and the bytes of one."""

    latencies: tuple[float, ...]
    cpu: float
    bytes: float


def start(program: Program, environment: Mapping[str, str]) -> Start:
    """Run a program until it rests."""
    terminal = PseudoTerminal(program.command, {**environment, **program.variables})
    try:
        came = terminal.wait_for(lambda text: bool(re.search(program.content, text)), TIMEOUT)
        own, cpu = terminal.own_cpu(), terminal.cpu()
        terminal.settle(SILENCE, TIMEOUT)
        settled = terminal.cpu()
        return Start(came - terminal.started, own, cpu, settled, terminal.resident_megabytes())
    finally:
        terminal.close()


def keys(
    program: Program,
    environment: Mapping[str, str],
    key: bytes,
    presses: int,
    size: tuple[int, int] = (COLUMNS, ROWS),
) -> Keys:
    """Press a key again and again, each time after the program has come to rest from drawing."""
    terminal = PseudoTerminal(program.command, {**environment, **program.variables}, size)
    try:
        terminal.wait_for(lambda text: bool(re.search(program.content, text)), TIMEOUT)
        terminal.settle(1.5, TIMEOUT)
        cpu, sent = terminal.cpu(), terminal.sent_bytes
        latencies = []
        for _ in range(presses):
            latencies.append(terminal.press(key, TIMEOUT))
            terminal.settle(0.03, TIMEOUT)
        used, bytes_sent = terminal.cpu() - cpu, terminal.sent_bytes - sent
        return Keys(tuple(latencies), used / presses, bytes_sent / presses)
    finally:
        terminal.close()


def starts(environment: Mapping[str, str], rounds: int, content: str, caches: Path) -> str:
    """How long it takes until there is something to read, beside a bare Textual application."""
    programs = [
        Program("bare Textual", (sys.executable, str(HERE / "bare.py")), "bare and ready"),
        Program("frontdesk demo", (sys.executable, "-m", "frontdesk", "demo"), content),
        *(viewer(size, caches) for size in SIZES),
    ]
    runs: dict[str, list[Start]] = {program.name: [] for program in programs}
    for number in range(rounds + 1):
        for program in programs:
            measured = start(program, environment)
            # The first round only warms the disk's cache and the byte code.
            if number:
                runs[program.name].append(measured)
    return starts_table(runs)


def starts_table(runs: Mapping[str, list[Start]]) -> str:
    """Each program against the first."""
    measures: dict[str, Callable[[Start], float]] = {
        "wall": lambda run: run.wall,
        "CPU": lambda run: run.own_cpu,
        "CPU with children": lambda run: run.cpu,
        "CPU until rest": lambda run: run.settled_cpu,
        "memory": lambda run: run.megabytes,
    }
    rows = [["start to first content", *measures, "wall ms", "CPU ms", "MB"]]
    base = {name: median(map(of, next(iter(runs.values())))) for name, of in measures.items()}
    for program, measured in runs.items():
        middle = {name: median(map(of, measured)) for name, of in measures.items()}
        ratios = [f"{middle[name] / base[name]:.2f}" for name in measures]
        times = [f"{1000 * middle[name]:.0f}" for name in ("wall", "CPU")]
        rows.append([program, *ratios, *times, f"{middle['memory']:.0f}"])
    return table(rows)


def key_presses(environment: Mapping[str, str], rounds: int, presses: int, caches: Path) -> str:
    """What moving the cursor costs, at few and at many conversations."""
    moves = {"cursor down": b"j", "page down": b"\x1b[6~"}
    rows = [["key", "conversations", "p50 ms", "p95 ms", "CPU ms", "bytes", "p50", "CPU"]]
    for move, key in moves.items():
        runs: dict[int, list[Keys]] = {size: [] for size in SIZES}
        for _ in range(rounds):
            for size in SIZES:
                # A page is many rows: the small list must not end under it.
                times = presses if move == "cursor down" else min(presses, 12)
                runs[size].append(keys(viewer(size, caches), environment, key, times))
        rows += [_key_row(move, size, runs) for size in SIZES]
    return table(rows)


def _key_row(move: str, size: int, runs: Mapping[int, list[Keys]]) -> list[str]:
    middle = {
        number: (median(map(_p50, measured)), median(run.cpu for run in measured))
        for number, measured in runs.items()
    }
    p50, cpu = middle[size]
    base_p50, base_cpu = middle[SIZES[0]]
    p95 = median(sorted(run.latencies)[int(0.95 * len(run.latencies))] for run in runs[size])
    sent = median(run.bytes for run in runs[size])
    times = [f"{1000 * value:.1f}" for value in (p50, p95, cpu)]
    return [
        move,
        f"{size:,}",
        *times,
        f"{sent:.0f}",
        f"{p50 / base_p50:.2f}",
        f"{cpu / base_cpu:.2f}",
    ]


def _p50(run: Keys) -> float:
    return median(run.latencies)


def newest_names() -> str:
    """A pattern of those who wrote last in the sample; their names do not depend on the time."""
    newest = next(sample.slices(sample.SEED, 0))
    contacts = (event for event in newest if isinstance(event, ContactUpsert))
    return "|".join(re.escape(one.name) for one in islice(contacts, 12) if one.name)


def viewer(size: int, caches: Path) -> Program:
    """The viewer on a warm cache of so many conversations, whose server does not answer."""
    home = caches / str(size)
    file = home / "frontdesk" / cache_file().name
    if not file.exists():
        file.parent.mkdir(parents=True)
        warm_cache.make(file, size, origin_of(NO_SERVER, KEY))
    command = (sys.executable, "-m", "frontdesk", "--url", NO_SERVER)
    variables = {"XDG_CACHE_HOME": str(home), KEY_VARIABLE: KEY}
    return Program(f"viewer, {size:,} cached", command, re.escape(warm_cache.name(3)), variables)


def environment_in(home: Path) -> dict[str, str]:
    """What programs see: a common terminal, a home of their own, byte code that is kept."""
    dropped = {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS", "LINES", "TMUX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    directories = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    return {**kept, **directories, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--presses", type=int, default=40)
    parser.add_argument("--content", default=newest_names(), help="pattern of the demo")
    parser.add_argument("--only", choices=("start", "keys"))


def run(options: argparse.Namespace) -> None:
    """Measure, and print two tables."""
    compileall.compile_dir(Path(frontdesk.__file__).parent, quiet=1)
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as directory:
        caches = Path(directory)
        environment = environment_in(caches)
        if options.only != "keys":
            sys.stdout.write(starts(environment, options.rounds, options.content, caches) + "\n\n")
            sys.stdout.flush()
        if options.only != "start":
            presses = key_presses(environment, options.rounds, options.presses, caches)
            sys.stdout.write(presses + "\n")
