"""Starts and keys of the viewer, beside those of bare Textual."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median

from tests.bench.measure import Result, by_turn, in_turn
from tests.bench.sessions import RESIZE, Session, Start, Stroke, Work, p99, side_by_side, start
from tests.bench.workspace import BARE, FEW, Workspace, workspaces

ESCAPE, PAGE_DOWN = b"\x1b", b"\x1b[6~"


def results(
    conversations: int = 100_000, starts: int = 20, presses: int = 240, caches: str = ""
) -> Iterator[Result]:
    sizes = {"few": (FEW, FEW), "many": (conversations, FEW)}
    with workspaces(caches, sizes) as (environment, homes):
        many = homes["many"]
        works = {
            "bare": lambda _: start(BARE, environment),
            "few": lambda _: start_on(homes["few"], environment),
            "many": lambda _: start_on(many, environment),
            "saved": lambda _: start_on(many, environment, saved=True),
        }
        taken = in_turn(starts, works)
        yield from _starts(taken)
        some = max(presses // 15, 1)
        down = Stroke("down", b"j", presses)
        strokes = [
            # So that "down" scrolls now and then.
            Stroke("to the edge", b"j", 20),
            down,
            Stroke("page", PAGE_DOWN, some),
            Stroke("menu", b"f", some, before=(ESCAPE,)),
            Stroke("help", b"?", some, before=(ESCAPE,)),
            Stroke("resize", RESIZE, some, before=(ESCAPE,)),
        ]
        many.begin_again()
        floor = Work(BARE, [down, Stroke("page", b"j", some)])
        keys = side_by_side({"floor": floor, "viewer": Work(many.viewer(), strokes)}, environment)
        yield from _keys(keys["viewer"], keys["floor"])
        value = keys["viewer"].megabytes / median(one.megabytes for one in taken["bare"])
        yield Result("L8", "memory after keys / bare Textual", value, 2.2)


def start_on(
    home: Workspace, environment: Mapping[str, str], *, saved: bool = False, thread: bool = False
) -> Start:
    """Start the viewer. saved: after a start that was left, and saved its screen.

    thread: until the thread is there.
    """
    home.begin_again()
    program = home.thread_viewer() if thread else home.viewer()
    if saved:
        start(replace(program, key=b""), environment)
    return start(program, environment)


def _starts(starts: Mapping[str, list[Start]]) -> Iterator[Result]:
    wall = {name: [one.wall for one in taken] for name, taken in starts.items()}
    cpu = {name: [one.cpu for one in taken] for name, taken in starts.items()}
    rest = {name: [one.settled_cpu for one in taken] for name, taken in starts.items()}
    answer = {name: [one.answered for one in taken] for name, taken in starts.items()}
    value = by_turn(cpu["many"], cpu["bare"])
    yield Result("S1", "CPU at the first paint / bare Textual", value, 2.0)
    yield Result("S2", "CPU until at rest / bare Textual", by_turn(rest["many"], rest["bare"]), 2.8)
    value = by_turn(cpu["many"], cpu["few"])
    yield Result("S3", "CPU at the first paint, many / 1,000", value, 1.05)
    value = by_turn(answer["many"], wall["bare"])
    yield Result("S4", "first answered key / first paint of bare Textual", value, 2.2)
    value = by_turn(wall["saved"], wall["bare"])
    yield Result("S5", "saved first screen / first paint of bare Textual", value, 0.15)
    value = by_turn(answer["saved"], answer["many"])
    yield Result("S6", "first answered key with a saved screen / without", value, 1.15)


def _keys(viewer: Session, floor: Session) -> Iterator[Result]:
    value = viewer.mean("down", "cpu") / floor.mean("down", "cpu")
    yield Result("L3", "CPU of a cursor move that scrolls / key floor", value, 3.0)
    least = p99(floor.presses["down"] + floor.rested["down"])
    value = p99(viewer.presses["down"]) / least
    yield Result("L4", "p99 of key to frame / key floor", value, 2.5)
    value = p99(viewer.rested["down"]) / least
    yield Result("L4", "the same after a rest, with the thread / key floor", value, 3.5)
    value = viewer.mean("page", "cpu") / floor.mean("page", "cpu")
    yield Result("L5", "CPU of page down / key floor", value, 4.5)
    yield Result("B1", "bytes of a cursor move, mean", viewer.mean("down", "bytes"), 3_000)
    yield Result("D1", "bytes of opening a menu", viewer.p50("menu", "bytes"), 45_000)
    yield Result("D1", "bytes of opening help", viewer.p50("help", "bytes"), 55_000)
    yield Result("D1", "bytes of a resize", viewer.p50("resize", "bytes"), 62_500)
