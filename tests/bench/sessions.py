"""Programs in pseudo-terminals: what their starts cost, and what their keys do."""

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Literal, NamedTuple

from tests.bench.measure import percentile
from tests.pseudo_terminal import COLUMNS, ROWS, PseudoTerminal

# A program is at rest when it has been silent for so many seconds.
SILENCE = 0.4
KEYS_A_SECOND = 30
# A machine keeps its speed for longer than so many presses take.
IN_A_ROW = 8
# Seconds after which a cursor is no longer moving on.
REST = 0.3
# In the place of a key: another size of the terminal, and back.
RESIZE = b"resize"
OTHER_SIZE = (COLUMNS + 10, ROWS - 4)


@dataclass(frozen=True)
class Program:
    """A command, a pattern of the words with which its content is there, and its variables.

    key: what it is asked at once, answer: a pattern of the screen that shows that it was heard.
    leave: a key with which it ends by itself.
    """

    command: tuple[str, ...]
    content: str
    variables: Mapping[str, str] = field(default_factory=dict)
    key: bytes = b""
    answer: str = ""
    leave: bytes = b""


class Start(NamedTuple):
    """Seconds to the first content and the first answer; the processor's until content and rest."""

    wall: float
    cpu: float
    answered: float
    settled_cpu: float
    megabytes: float


@dataclass(frozen=True)
class Stroke:
    """A key that is pressed so many times, in a program that has come to rest before each.

    before: keys that lead to where it is pressed, each time; they are not counted. silent: the
    key draws nothing.
    """

    name: str
    key: bytes
    presses: int
    before: Sequence[bytes] = ()
    silent: bool = False


@dataclass(frozen=True)
class Work:
    """A program, the keys that lead to its strokes, and how often j is repeated at the end."""

    program: Program
    strokes: Sequence[Stroke]
    first: Sequence[bytes] = ()
    held: int = 0


class Press(NamedTuple):
    """Seconds to the repaint, the processor's until rest, and bytes until rest."""

    latency: float
    cpu: float
    bytes: float


Figure = Literal["latency", "cpu", "bytes"]


@dataclass
class Session:
    """Presses by the names of strokes, those that followed a rest apart.

    held_cpu: seconds of the processor for each repetition of a key. megabytes: after all keys.
    """

    presses: dict[str, list[Press]] = field(default_factory=lambda: defaultdict(list))
    rested: dict[str, list[Press]] = field(default_factory=lambda: defaultdict(list))
    held_cpu: float = 0.0
    megabytes: float = 0.0

    def p50(self, stroke: str, figure: Figure) -> float:
        return float(median(getattr(press, figure) for press in self.presses[stroke]))

    def mean(self, stroke: str, figure: Figure) -> float:
        return float(mean(getattr(press, figure) for press in self.presses[stroke]))


def p99(presses: Sequence[Press]) -> float:
    """Of the seconds to a frame."""
    return percentile([press.latency for press in presses], 0.99)


@contextmanager
def running(program: Program, environment: Mapping[str, str]) -> Iterator[PseudoTerminal]:
    """The program in a terminal of its own, once its content is there."""
    variables = {**environment, **program.variables}
    with closing(PseudoTerminal(program.command, variables)) as terminal:
        terminal.wait_for_words(re.compile(program.content.encode()))
        yield terminal


def start(program: Program, environment: Mapping[str, str]) -> Start:
    """Run a program until it has shown something, answered a key and come to rest.

    Raises: RuntimeError: it failed when it was left.
    """
    with running(program, environment) as terminal:
        came = terminal.now
        terminal.write(program.key)
        terminal.settle(SILENCE)
        settled, megabytes = terminal.own_cpu(), terminal.resident_megabytes()
        answered = came.wall
        if program.key:
            # Last, for to look at the screen takes longer than the answer does.
            shown = re.compile(program.answer)
            answered = terminal.wait_for(lambda text: bool(shown.search(text))).wall
        if program.leave:
            terminal.write(program.leave)
            if code := terminal.ending():
                raise RuntimeError(f"{program.command} ended with {code}:\n{terminal.text}")
        return Start(came.wall, came.cpu, answered, settled, megabytes)


def side_by_side(works: Mapping[str, Work], environment: Mapping[str, str]) -> dict[str, Session]:
    """Press keys in programs that run at the same time; by the names of the works.

    Strokes of one name are pressed in turn, some here and some there: a machine is faster and
    slower for seconds at a time, and what is compared is to have the same of both.
    """
    sessions = {name: Session() for name in works}
    with ExitStack() as ending:
        terminals: dict[str, PseudoTerminal] = {}
        alike: dict[str, dict[str, Stroke]] = {}
        for name, work in works.items():
            terminals[name] = ending.enter_context(running(work.program, environment))
            terminals[name].settle(1.0)
            lead(terminals[name], work.first)
            for stroke in work.strokes:
                alike.setdefault(stroke.name, {})[name] = stroke
        for strokes in alike.values():
            press_in_turn(terminals, strokes, sessions)
        for name, work in works.items():
            terminal = terminals[name]
            terminal.rest()
            used = terminal.own_cpu()
            hold(terminal, work.held)
            terminal.rest()
            sessions[name].held_cpu = (terminal.own_cpu() - used) / max(work.held, 1)
            sessions[name].megabytes = terminal.resident_megabytes()
    return sessions


def lead(terminal: PseudoTerminal, keys: Sequence[bytes]) -> None:
    """Press keys, each when what the one before did has come to rest."""
    for key in keys:
        terminal.write(key)
        # A lone escape may be the beginning of another key: programs wait for that first.
        terminal.settle(0.15)
        terminal.rest()


def press_in_turn(
    terminals: Mapping[str, PseudoTerminal],
    strokes: Mapping[str, Stroke],
    sessions: Mapping[str, Session],
    rest: float = REST,
) -> None:
    """Press strokes of several programs in turn; each time another begins.

    Keys without others before them are pressed in rows. The first one of a row follows a rest, so
    that it may open something more, such as the thread of the selected row: it is kept apart.
    """
    names = list(strokes)
    in_rows = not any(stroke.before or stroke.silent for stroke in strokes.values())
    row = IN_A_ROW if in_rows else 1
    most = max(stroke.presses for stroke in strokes.values())
    for turn, first in enumerate(range(0, most, row)):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            stroke, session, terminal = strokes[name], sessions[name], terminals[name]
            if in_rows and first < stroke.presses:
                time.sleep(rest)
                session.rested[stroke.name].append(_press(terminal, stroke, first))
            for number in range(first, min(first + row, stroke.presses)):
                session.presses[stroke.name].append(_press(terminal, stroke, number))


def _press(terminal: PseudoTerminal, stroke: Stroke, number: int) -> Press:
    # What came while others had their turn.
    terminal.settle(0.0)
    lead(terminal, stroke.before)
    cpu, sent, latency = terminal.own_cpu(), terminal.sent_bytes, 0.0
    if stroke.silent:
        terminal.write(stroke.key)
    elif stroke.key == RESIZE:
        latency = terminal.resize(*((COLUMNS, ROWS) if number % 2 else OTHER_SIZE))
    else:
        latency = terminal.press(stroke.key)
    terminal.rest()
    return Press(latency, terminal.own_cpu() - cpu, terminal.sent_bytes - sent)


def hold(terminal: PseudoTerminal, times: int) -> list[float]:
    """Press j as if it were held down; seconds to each frame."""
    seconds = []
    for _ in range(times):
        pressed = time.perf_counter()
        seconds.append(terminal.press(b"j"))
        while (left := pressed + 1 / KEYS_A_SECOND - time.perf_counter()) > 0:
            terminal.settle(left, left)
    return seconds
