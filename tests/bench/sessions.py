"""One program in a terminal: what its start costs, and what its keys do."""

import os
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.pseudo_terminal import COLUMNS, ROWS, PseudoTerminal

TIMEOUT = 60.0
# A program is at rest when it has been silent for so many seconds.
SILENCE = 0.4
KEYS_A_SECOND = 30
# A machine keeps its speed for longer than so many presses take.
IN_A_ROW = 8
# Seconds after which a cursor is no longer moving on.
_REST = 0.3
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
    key draws nothing. RESIZE is another size of the terminal, and back. answer: words of
    the screen until which the time is taken, instead of the first frame.
    """

    name: str
    key: bytes
    presses: int
    before: Sequence[bytes] = ()
    silent: bool = False
    answer: str = ""


RESIZE = b"resize"


@dataclass(frozen=True)
class Work:
    """A program, and what is pressed in it.

    first: keys that lead to where the strokes are. held: a key that is held down at the end, and
    for how many repetitions.
    """

    program: Program
    strokes: Sequence[Stroke]
    first: Sequence[bytes] = ()
    held: tuple[bytes, int] | None = None


@dataclass(frozen=True)
class Presses:
    """Seconds to the repaint of each press, the processor's for each, the bytes of each.

    after_rest: the same of presses that followed a rest, which are not among the others.
    """

    latencies: tuple[float, ...]
    cpu: tuple[float, ...]
    bytes: tuple[float, ...]
    after_rest: "Presses | None" = None


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


def side_by_side(
    works: Mapping[str, Work],
    environment: Mapping[str, str],
    size: tuple[int, int] = (COLUMNS, ROWS),
) -> dict[str, Session]:
    """Press keys in programs that run at the same time; by the names of the works.

    Strokes of one name are pressed in turn, some here and some there: a machine is faster and
    slower for seconds at a time, and what is compared is to have the same of both.
    """
    taken: dict[str, dict[str, Presses]] = {name: {} for name in works}
    with ExitStack() as ending:
        terminals: dict[str, PseudoTerminal] = {}
        for name, work in works.items():
            terminals[name] = started(work.program, environment, size)
            ending.callback(terminals[name].close)
            _begin(terminals[name], work)
        strokes: dict[str, dict[str, Stroke]] = {}
        for name, work in works.items():
            for stroke in work.strokes:
                strokes.setdefault(stroke.name, {})[name] = stroke
        for words, alike in strokes.items():
            for name, presses in _pressed(terminals, alike).items():
                taken[name][words] = presses
        held = {
            name: _held(terminals[name], *work.held) if work.held else 0.0
            for name, work in works.items()
        }
        return {
            name: Session(taken[name], held[name], terminal.resident_megabytes())
            for name, terminal in terminals.items()
        }


def _begin(terminal: PseudoTerminal, work: Work) -> None:
    """Wait until the program is there, and go to where the strokes are."""
    content = re.compile(work.program.content)
    terminal.wait_for(lambda text: bool(content.search(text)), TIMEOUT)
    terminal.settle(1.0, TIMEOUT)
    lead(terminal, work.first)


def lead(terminal: PseudoTerminal, keys: Sequence[bytes]) -> None:
    """Press keys, each when what the one before did has come to rest."""
    for key in keys:
        terminal.write(key)
        # A lone escape may be the beginning of another key: programs wait for that first.
        terminal.settle(0.15, TIMEOUT)
        terminal.rest(TIMEOUT)


def _pressed(
    terminals: Mapping[str, PseudoTerminal], strokes: Mapping[str, Stroke]
) -> dict[str, Presses]:
    """Press strokes of several programs in turn; each time another begins.

    Keys without others before them are pressed in rows. The first one of a row follows a rest, so
    that it may open something more, such as the thread of the selected row: it is kept apart.
    """
    names = list(strokes)
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    firsts: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    in_rows = not any(stroke.before or stroke.silent for stroke in strokes.values())
    row = IN_A_ROW if in_rows else 1
    most = max(stroke.presses for stroke in strokes.values())
    for turn, first in enumerate(range(0, most, row)):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            if in_rows and first < strokes[name].presses:
                time.sleep(_REST)
                firsts[name].append(_pressed_once(terminals[name], strokes[name], first))
            for number in range(first, min(first + row, strokes[name].presses)):
                taken[name].append(_pressed_once(terminals[name], strokes[name], number))
    return {name: _presses(taken[name], firsts[name]) for name in names}


def _presses(
    taken: Sequence[tuple[float, float, float]], firsts: Sequence[tuple[float, float, float]]
) -> Presses:
    latencies, cpu, sent = zip(*taken, strict=True)
    return Presses(latencies, cpu, sent, _presses(firsts, ()) if firsts else None)


def _pressed_once(
    terminal: PseudoTerminal, stroke: Stroke, number: int
) -> tuple[float, float, float]:
    """Seconds to the repaint, the processor's, and bytes."""
    # What came while others had their turn.
    terminal.settle(0.0, TIMEOUT)
    lead(terminal, stroke.before)
    cpu, sent = terminal.own_cpu(), terminal.sent_bytes
    latency = _press(terminal, stroke, number)
    terminal.rest(TIMEOUT)
    return latency, terminal.own_cpu() - cpu, float(terminal.sent_bytes - sent)


def _press(terminal: PseudoTerminal, stroke: Stroke, number: int) -> float:
    if stroke.key == RESIZE:
        columns, rows = (COLUMNS, ROWS) if number % 2 else OTHER_SIZE
        return terminal.resize(columns, rows, TIMEOUT)
    if stroke.silent:
        terminal.write(stroke.key)
        return 0.0
    if stroke.answer:
        # What was sent before is taken in, so that only what follows is an answer.
        if stroke.answer in terminal.text:
            raise RuntimeError(f"{stroke.answer} is shown before {stroke.name}")
        pressed = time.perf_counter() - terminal.started
        terminal.write(stroke.key)
        return terminal.wait_for(lambda text: stroke.answer in text, TIMEOUT).wall - pressed
    return terminal.press(stroke.key, TIMEOUT)


def press_held(terminal: PseudoTerminal, key: bytes) -> float:
    """Press a key as if it were held down; seconds to its frame."""
    pressed = time.perf_counter()
    seconds = terminal.press(key, TIMEOUT)
    while (left := pressed + 1 / KEYS_A_SECOND - time.perf_counter()) > 0:
        terminal.settle(left, left)
    return seconds


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
