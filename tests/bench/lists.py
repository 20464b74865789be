"""What must not grow with the inbox or a thread, and lists beside those that Textual brings."""

import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from statistics import median

from frontdesk.mailbox.cached_inbox import conversations_name
from tests.bench import warm_cache
from tests.bench.measure import Result, by_turn, in_turn, of_medians, percentile
from tests.bench.sessions import RESIZE, Session, Stroke, Work, hold, lead, running, side_by_side
from tests.bench.start import ESCAPE, PAGE_DOWN, start_on
from tests.bench.workspace import BARE, FEW, OPTIONS, WIDGETS, Workspace, workspaces
from tests.mailbox.inbox import OPEN

# As many rows as a view that is filtered or ordered here looks at.
VIEW = 5_000
# Repetitions of a key that is held down while a view is made.
HELD = 12
# Messages of a thread, of which every third has a photo; and a wheel over it.
PHOTOS = 180
WHEEL_UP, WHEEL_DOWN = b"\x1b[<64;90;20M", b"\x1b[<65;90;20M"
# Keys of the programs to which messages can be added: a page of older ones, and a new one.
GROWING = {"older": b"\x1b[20~", "new": b"\x1b[21~"}
# Keys that write a query into the filter line.
ACTIVE, OLDEST = (b"F", b"\x15", b"is:open sort:active"), (b"F", b"\x15", b"is:open sort:oldest")
# What must not depend on the number of conversations: key, and keys that lead there; the bound.
SWITCHES = {
    "the next status": (b"[", (b"]",), 1.15),
    "the menu of filters": (b"f", (ESCAPE,), 1.15),
    "a word typed into the search": (b"factura", (ESCAPE, b"s"), 1.15),
    "finding a row 300 below": (b"\r", (ESCAPE, b"g", b"/", b"\x15Customer 0000300"), 1.2),
    "another size of the terminal": (RESIZE, (ESCAPE,), 1.15),
}
CACHE_PAGE, CACHE_READS = 50, 200


def results(
    conversations: int = 100_000, messages: int = 100_000, presses: int = 120, caches: str = ""
) -> Iterator[Result]:
    """The lines of the table. messages: in the longest thread."""
    sizes: dict[str, tuple[int, int] | tuple[int, int, bool]] = {
        "few": (FEW, FEW),
        "many": (conversations, FEW),
        "long": (FEW, messages),
        "view": (VIEW, FEW),
        "photos": (FEW, PHOTOS, True),
    }
    with workspaces(caches, sizes) as (environment, homes):
        sessions: dict[str, Session] = {}
        for programs in _works(homes, presses):
            for home in homes.values():
                home.begin_again()
            sessions |= side_by_side(programs, environment)
        yield from _lists(sessions)
        yield _cache_depth(homes["many"])
        yield from _threads(sessions)

        works = {
            "long": lambda _: start_on(homes["long"], environment, thread=True).cpu,
            "few": lambda _: start_on(homes["few"], environment, thread=True).cpu,
        }
        value = by_turn(*in_turn(max(presses // 10, 1), works).values())
        yield Result("T6", "CPU at the thread's first paint, long / 1,000", value, 1.15)
        yield from _views(homes["view"], environment, max(presses // 5, 1))


def _works(homes: Mapping[str, Workspace], presses: int) -> Iterator[dict[str, Work]]:
    """What runs side by side."""
    some, held = max(presses // 15, 1), presses // 2
    down = [Stroke("to the edge", b"j", 20), Stroke("down", b"j", presses)]
    strokes = [
        *down,
        Stroke("page", PAGE_DOWN, 2 * some),
        Stroke("end", b"G", some, before=(b"g",)),
        *(Stroke(name, key, some, before) for name, (key, before, _) in SWITCHES.items()),
    ]
    yield {
        "options": Work(OPTIONS, down, held=held),
        "few": Work(homes["few"].viewer(), strokes, held=held),
        "many": Work(homes["many"].viewer(), strokes, held=held),
    }
    up = [Stroke("up", b"k", presses)]
    yield {
        "thread floor": Work(BARE, up),
        "thread few": Work(homes["few"].thread_viewer(), up, first=(b"3",)),
        "thread long": Work(homes["long"].thread_viewer(), up, first=(b"3",)),
    }
    turns = {"photos come": WHEEL_UP, "back": WHEEL_DOWN, "wheel": WHEEL_UP}
    wheel = [*(Stroke(name, key, presses) for name, key in turns.items()), *up]
    viewer = homes["photos"].thread_viewer()
    kitty = replace(viewer, variables={**viewer.variables, "TERM": "xterm-kitty"})
    yield {
        "photos floor": Work(BARE, up),
        "photos": Work(viewer, wheel, first=(b"3",)),
        "photos in kitty": Work(kitty, wheel, first=(b"3",)),
    }
    growing = [Stroke(name, key, some, silent=True) for name, key in GROWING.items()]
    yield {
        "widgets": Work(WIDGETS, growing),
        "archive few": Work(homes["few"].archived(), growing, first=(b"3",)),
        "archive long": Work(homes["long"].archived(), growing, first=(b"3",)),
    }


def _views(home: Workspace, environment: Mapping[str, str], times: int) -> Iterator[Result]:
    """Orders that rows get here: until one is complete, and keys while one is made."""
    home.begin_again()
    last, query = warm_cache.name(VIEW - 1), (ESCAPE, *ACTIVE, b"\r", *OLDEST)
    seconds, held, on_floor = [], [], []
    with running(home.viewer(), environment) as viewer, running(BARE, environment) as floor:
        for _ in range(times):
            lead(viewer, query)
            while last in viewer.text:
                viewer.rest()
            pressed = time.perf_counter() - viewer.started
            viewer.write(b"\r")
            seconds.append(viewer.wait_for(lambda text: last in text).wall - pressed)
            lead(viewer, query)
            viewer.write(b"\r")
            held += hold(viewer, HELD)
            floor.rest()
            on_floor += hold(floor, HELD)
    yield Result("V1", "seconds until 5,000 rows are in another order", median(seconds), 1.0)
    value = percentile(held, 0.99) / percentile(on_floor, 0.99)
    yield Result("V1", "p99 of key to frame meanwhile / key floor", value, 2.5)


def _lists(sessions: Mapping[str, Session]) -> Iterator[Result]:
    many, few, options = (sessions[name] for name in ("many", "few", "options"))
    value = many.p50("down", "latency") / few.p50("down", "latency")
    yield Result("L1", "cursor down to its frame, many / 1,000", value, 1.15)
    value = many.mean("down", "cpu") / few.mean("down", "cpu")
    yield Result("L2", "CPU of cursor down, many / 1,000", value, 1.15)
    value = many.mean("end", "cpu") / few.mean("page", "cpu")
    yield Result("L6", "CPU of the jump to the end of many / page down of 1,000", value, 1.25)
    yield Result("L7", "memory after keys, many / 1,000", many.megabytes / few.megabytes, 1.1)
    value = many.p50("down", "latency") / options.p50("down", "latency")
    yield Result("L9", "cursor down to its frame / OptionList of 1,000", value, 0.4)
    value = many.held_cpu / options.held_cpu
    yield Result("L10", "CPU of a held key / OptionList of 1,000", value, 0.6)
    for number, (name, (_, _, most)) in enumerate(SWITCHES.items(), 1):
        value = many.p50(name, "cpu") / few.p50(name, "cpu")
        yield Result(f"N{number}", f"CPU of {name}, many / 1,000", value, most)


def _cache_depth(home: Workspace) -> Result:
    """Reads of a page by its position, near the beginning and near the end."""
    with closing(home.opened()) as cache:
        listing = cache.listing(conversations_name(OPEN))

        def read(number: int, depth: int) -> float:
            listing.reload()
            first = depth + number * 7 % (FEW - CACHE_PAGE)
            began = time.process_time()
            for position in range(first, first + CACHE_PAGE):
                listing[position]
            return time.process_time() - began

        depths = (0, len(listing) - FEW)
        taken = in_turn(CACHE_READS, {depth: partial(read, depth=depth) for depth in depths})
    value = of_medians(taken[depths[1]], taken[depths[0]])
    return Result("C1", "50 rows of the cache by position, last / first of many", value, 1.3)


def _threads(sessions: Mapping[str, Session]) -> Iterator[Result]:
    long, few, floor = (sessions[f"thread {name}"] for name in ("long", "few", "floor"))
    up = long.p50("up", "latency")
    value = up / few.p50("up", "latency")
    yield Result("T1", "line up to its frame, long / 1,000 messages", value, 1.15)
    yield Result("T2", "line up to its frame / key floor", up / floor.p50("up", "latency"), 2.0)
    yield Result("T7", "memory, long / 1,000", long.megabytes / few.megabytes, 1.1)
    photos, kitty, floor = (sessions[f"photos{of}"] for of in ("", " in kitty", " floor"))
    yield Result("P1", "bytes of a wheel step over photos", photos.mean("wheel", "bytes"), 36_000)
    yield Result("P1", "the same in kitty", kitty.mean("wheel", "bytes"), 12_000)
    value = photos.p50("wheel", "latency") / floor.p50("up", "latency")
    yield Result("P2", "wheel step over photos to its frame / key floor", value, 4)
    value = photos.p50("up", "latency") / floor.p50("up", "latency")
    yield Result("P3", "line up over photos to its frame / key floor", value, 4)
    long, few, widgets = (sessions[name] for name in ("archive long", "archive few", "widgets"))
    value = long.p50("older", "cpu") / few.p50("older", "cpu")
    yield Result("T3", "CPU of 50 older messages, long / 1,000", value, 1.3)
    value = few.p50("older", "cpu") / widgets.p50("older", "cpu")
    yield Result("T4", "CPU of 50 older messages at 1,000 / a widget each", value, 0.1)
    value = few.p50("new", "cpu") / widgets.p50("new", "cpu")
    yield Result("T5", "CPU of a new message at 1,000 / a widget each", value, 0.1)
