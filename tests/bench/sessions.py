"""One program in a terminal: what its start costs, and what its keys do."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.pseudo_terminal import COLUMNS, ROWS, PseudoTerminal

TIMEOUT = 60.0
# A program is at rest when it has been silent for so many seconds.
SILENCE = 0.4
KEYS_A_SECOND = 30
OTHER_SIZE = (COLUMNS + 10, ROWS - 4)


@dataclass(frozen=True)
class Program:
    """A command, what it sees, and a pattern of the words with which its content is there.

    key: what it is asked at once, answer: a pattern of the screen that shows that it was heard.
    leave: a key with which it ends by itself.
    """

    name: str
    command: tuple[str, ...]
    content: str
    variables: Mapping[str, str] = field(default_factory=dict)
    key: bytes = b""
    answer: str = ""
    leave: bytes = b""


@dataclass(frozen=True)
class Start:
    """Seconds to the first content and to the first answer, those of the processor; memory.

    cpu: until the first content, settled_cpu: until rest; without children.
    """

    wall: float
    cpu: float
    answered: float
    settled_cpu: float
    megabytes: float


@dataclass(frozen=True)
class Stroke:
    """A key that is pressed so many times, in a program that has come to rest before each.

    before: keys that lead to where it is pressed, each time; they are not counted. silent: the
    key draws nothing. RESIZE stands for another size of the terminal, and back.
    """

    name: str
    key: bytes
    presses: int
    before: Sequence[bytes] = ()
    silent: bool = False


RESIZE = b"resize"


@dataclass(frozen=True)
class Presses:
    """Seconds to the repaint of each press, the processor's for each, the bytes of each."""

    latencies: tuple[float, ...]
    cpu: tuple[float, ...]
    bytes: tuple[float, ...]


@dataclass(frozen=True)
class Session:
    """What the strokes of a program cost, by their names. megabytes: after all of them."""

    presses: Mapping[str, Presses]
    held_cpu: float
    megabytes: float


def environment_in(home: Path) -> dict[str, str]:
    """What programs see: a common terminal, a home of their own, byte code that is kept."""
    dropped = {"PYTHONDONTWRITEBYTECODE", "NO_COLOR", "COLUMNS", "LINES", "TMUX"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    directories = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    return {**kept, **directories, "TERM": "xterm-256color", "COLORTERM": "truecolor"}


def started(
    program: Program, environment: Mapping[str, str], size: tuple[int, int] = (COLUMNS, ROWS)
) -> PseudoTerminal:
    """The program in a terminal of its own; the caller closes it."""
    return PseudoTerminal(program.command, {**environment, **program.variables}, size)


def start(program: Program, environment: Mapping[str, str]) -> Start:
    """Run a program until it has shown something, answered a key and come to rest."""
    terminal = started(program, environment)
    try:
        came = terminal.wait_for_words(re.compile(program.content.encode()), TIMEOUT)
        if program.key:
            terminal.write(program.key)
        terminal.settle(SILENCE, TIMEOUT)
        settled, megabytes = terminal.own_cpu(), terminal.resident_megabytes()
        answered = came.wall
        if program.key:
            # Last, for to look at the screen takes longer than the answer does.
            shown = re.compile(program.answer)
            answered = terminal.wait_for(lambda text: bool(shown.search(text)), TIMEOUT).wall
        if program.leave:
            leave(program, terminal)
        return Start(came.wall, came.cpu, answered, settled, megabytes)
    finally:
        terminal.close()


def leave(program: Program, terminal: PseudoTerminal) -> None:
    """Have a program end by itself. Raises: RuntimeError: it failed."""
    terminal.write(program.leave)
    code = terminal.ending(TIMEOUT)
    if code:
        raise RuntimeError(f"{program.name} ended with {code}:\n{terminal.text}")


def session(
    program: Program,
    environment: Mapping[str, str],
    strokes: Sequence[Stroke],
    *,
    first: Sequence[bytes] = (),
    held: tuple[bytes, int] | None = None,
    size: tuple[int, int] = (COLUMNS, ROWS),
) -> Session:
    """Press keys in a program, one stroke after another.

    first: keys that lead to where the strokes are. held: a key that is held down then, and for how
    many repetitions.
    """
    terminal = started(program, environment, size)
    try:
        content = re.compile(program.content)
        terminal.wait_for(lambda text: bool(content.search(text)), TIMEOUT)
        terminal.settle(1.0, TIMEOUT)
        for key in first:
            _led_to(terminal, key)
        presses = {stroke.name: _pressed(terminal, stroke) for stroke in strokes}
        held_cpu = _held(terminal, *held) if held else 0.0
        return Session(presses, held_cpu, terminal.resident_megabytes())
    finally:
        terminal.close()


def _led_to(terminal: PseudoTerminal, key: bytes) -> None:
    terminal.write(key)
    # A lone escape may be the beginning of another key: programs wait for that first.
    terminal.settle(0.15, TIMEOUT)
    terminal.rest(TIMEOUT)


def _pressed(terminal: PseudoTerminal, stroke: Stroke) -> Presses:
    latencies, used, sent = [], [], []
    for number in range(stroke.presses):
        for key in stroke.before:
            _led_to(terminal, key)
        cpu, sent_before = terminal.own_cpu(), terminal.sent_bytes
        latencies.append(_press(terminal, stroke, number))
        terminal.rest(TIMEOUT)
        used.append(terminal.own_cpu() - cpu)
        sent.append(float(terminal.sent_bytes - sent_before))
    return Presses(tuple(latencies), tuple(used), tuple(sent))


def _press(terminal: PseudoTerminal, stroke: Stroke, number: int) -> float:
    if stroke.key == RESIZE:
        columns, rows = (COLUMNS, ROWS) if number % 2 else OTHER_SIZE
        return terminal.resize(columns, rows, TIMEOUT)
    if stroke.silent:
        terminal.write(stroke.key)
        return 0.0
    return terminal.press(stroke.key, TIMEOUT)


def _held(terminal: PseudoTerminal, key: bytes, times: int) -> float:
    """The processor's seconds for each repetition of a key that is held down."""
    terminal.rest(TIMEOUT)
    used, began = terminal.own_cpu(), time.perf_counter()
    for number in range(times):
        terminal.write(key)
        while (left := began + (number + 1) / KEYS_A_SECOND - time.perf_counter()) > 0:
            terminal.settle(left, left)
    terminal.rest(TIMEOUT)
    return (terminal.own_cpu() - used) / times
