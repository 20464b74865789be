"""What the viewer is to reach, and what of it was measured."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import mean, median
from typing import Any
from urllib.parse import urlencode

from frontdesk.cache import CONVERSATION, Cache, ListName
from tests.bench import other_programs, warm_cache
from tests.bench.ratios import Ratio, by_turn, percentile, ratio
from tests.bench.sessions import Presses, Session, Start
from tests.bench.workspace import ORIGIN, Workspace

_PAGE, _READS = 50, 200

# Starts take turns.
_ratio_of_starts = partial(ratio, compared=by_turn)


@dataclass
class Measured:
    """Starts and sessions by the names of what was run; why others could not be."""

    starts: dict[str, list[Start]]
    sessions: dict[str, list[Session]]
    missing: dict[str, str] = field(default_factory=dict)
    # Seconds to the frame of each held key while a view was made, and of the key floor's.
    meanwhile: list[float] = field(default_factory=list)
    meanwhile_on_floor: list[float] = field(default_factory=list)

    def forget_first(self, rounds: int) -> None:
        """The round before the `rounds` that count only warmed up."""
        lists: list[list[Any]] = [*self.starts.values(), *self.sessions.values()]
        for taken in lists:
            del taken[: len(taken) // (rounds + 1)]

    def of_starts(self, name: str, of: Callable[[Start], float]) -> list[float]:
        """One number for each start."""
        return [of(one) for one in self.starts[name]]

    def of_keys(self, name: str, stroke: str, of: Callable[[Presses], float]) -> list[float]:
        """One number for each session."""
        return [of(one.presses[stroke]) for one in self.sessions[name]]

    def of_sessions(self, name: str, of: Callable[[Session], float]) -> list[float]:
        """One number for each session."""
        return [of(one) for one in self.sessions[name]]

    def latencies(self, name: str, stroke: str) -> list[float]:
        """Of every press in every session, those after a rest too."""
        taken = [one.presses[stroke] for one in self.sessions[name]]
        every = [*taken, *(one.after_rest for one in taken if one.after_rest is not None)]
        return [latency for one in every for latency in one.latencies]


def budgets(measured: Measured, home: Workspace) -> list[Ratio]:
    """Every ratio; home: the cache of many conversations."""
    parts = (_starting, _moving, _holding, _sending, _reading, _switching, _viewing)
    ratios = [one for part in parts for one in part(measured)]
    return [*ratios, cache_depth(home), *_peers(measured)]


def _starting(measured: Measured) -> Iterator[Ratio]:
    of = measured.of_starts
    best = min(of("start many", _wall)) / min(of("bare", _wall))
    yield _ratio_of_starts(
        "S1 CPU at the first paint / bare Textual",
        "<=",
        2.0,
        of("start many", _cpu),
        of("bare", _cpu),
        f"wall, best of rounds: {best:.2f}, to reach 1.15",
    )
    yield _ratio_of_starts(
        "S2 CPU until rest / bare Textual",
        "<=",
        2.8,
        of("start many", lambda one: one.settled_cpu),
        of("bare", lambda one: one.settled_cpu),
    )
    yield _ratio_of_starts(
        "S3 CPU at the first paint, many / 1,000 conversations",
        "<=",
        1.05,
        of("start many", _cpu),
        of("start few", _cpu),
        _walls(of("start many", _wall), of("start few", _wall)),
    )
    yield _ratio_of_starts(
        "S4 first answered key / first paint of bare Textual",
        "<=",
        2.2,
        of("start many", _answered),
        of("bare", _wall),
    )
    yield _ratio_of_starts(
        "S5 saved first screen / first paint of bare Textual",
        "<=",
        0.15,
        of("frame many", _wall),
        of("bare", _wall),
        f"CPU {by_turn(of('frame many', _cpu), of('bare', _cpu)):.2f}",
    )
    yield _ratio_of_starts(
        "S6 first answered key with a saved first screen / without",
        "<=",
        1.15,
        of("frame many", _answered),
        of("start many", _answered),
    )


def _moving(measured: Measured) -> Iterator[Ratio]:
    keys, latencies = measured.of_keys, measured.latencies
    many, few = keys("list many", "down", _p50), keys("list few", "down", _p50)
    yield ratio("L1 cursor down to its frame, many / 1,000", "<=", 1.15, many, few)
    many, few = keys("list many", "down", _mean_cpu), keys("list few", "down", _mean_cpu)
    yield ratio("L2 CPU of cursor down, many / 1,000", "<=", 1.15, many, few)
    floor = keys("floor", "down", _mean_cpu)
    yield ratio("L3 CPU of cursor down that scrolls / key floor", "<=", 2.75, many, floor)
    slow = percentile(latencies("list many", "down"), 0.99)
    least = percentile(latencies("floor", "down"), 0.99)
    yield Ratio("L4 p99 of key to frame / key floor's", slow / least, "<=", 2.5, slow, least)
    rested, floor = keys("list many", "down", _cpu_after_rest), keys("floor", "down", _mean_cpu)
    name = "L11 CPU of the first cursor down, which shows the thread too / key floor"
    yield ratio(name, "<=", None, rested, floor)
    pages, floor = (keys(name, "page", _mean_cpu) for name in ("list many", "floor"))
    yield ratio("L5 CPU of page down / key floor", "<=", 3.75, pages, floor)
    ends, pages = keys("list many", "end", _mean_cpu), keys("list few", "page", _mean_cpu)
    yield ratio(
        "L6 CPU of the jump to the end of many / page down of 1,000", "<=", 1.25, ends, pages
    )


def _holding(measured: Measured) -> Iterator[Ratio]:
    of = measured.of_sessions
    many, few = of("list many", _megabytes), of("list few", _megabytes)
    yield ratio("L7 memory after keys, many / 1,000", "<=", 1.10, many, few, unit="MB")
    bare = measured.of_starts("bare", lambda one: one.megabytes)
    yield ratio("L8 memory after keys, many / bare Textual", "<=", 2.2, many, bare, unit="MB")
    ours = measured.of_keys("list many", "down", _p50)
    theirs = measured.of_keys("options", "down", _p50)
    yield ratio("L9 cursor down to its frame / OptionList of 1,000", "<=", 0.40, ours, theirs)
    ours, theirs = of("list many", _held), of("options", _held)
    yield ratio("L10 CPU of a held key / OptionList of 1,000", "<=", 0.5, ours, theirs)


def _sending(measured: Measured) -> Iterator[Ratio]:
    ours = measured.of_keys("list many", "down", _mean_bytes)
    lines = measured.of_keys("lines", "down", _mean_bytes)
    yield Ratio("B1 bytes of cursor down", median(ours), "<=", 3_000)
    rested = measured.of_keys("list many", "down", _bytes_after_rest)
    yield Ratio("B2 bytes of the first one, with the thread", median(rested), "<=", None)
    yield ratio(
        "B1 the same / line by line, whole row coloured", "<=", 0.25, ours, lines, unit="bytes"
    )


def _reading(measured: Measured) -> Iterator[Ratio]:
    keys = measured.of_keys
    long, short = keys("thread long", "up", _p50), keys("thread few", "up", _p50)
    yield ratio("T1 line up to its frame, long / 1,000 messages", "<=", 1.15, long, short)
    yield ratio("T2 the same / key floor", "<=", 2.0, long, keys("thread floor", "up", _p50))
    long, short = (
        keys("archive long", "messages", _cpu_p50),
        keys("archive few", "messages", _cpu_p50),
    )
    yield ratio("T3 CPU of 50 older messages, long / 1,000", "<=", 1.3, long, short)
    widgets = keys("widgets", "messages", _cpu_p50)
    yield ratio("T4 the same at 1,000 / a widget each", "<=", 0.10, short, widgets)
    ours, widgets = keys("archive few", "new", _cpu_p50), keys("widgets", "new", _cpu_p50)
    yield ratio("T5 CPU of a new message at 1,000 / a widget each", "<=", 0.10, ours, widgets)
    of = measured.of_starts
    yield _ratio_of_starts(
        "T6 CPU at the thread's first paint, long / 1,000",
        "<=",
        1.15,
        of("first thread long", _cpu),
        of("first thread few", _cpu),
        _walls(of("first thread long", _wall), of("first thread few", _wall)),
    )
    long = measured.of_sessions("thread long", _megabytes)
    short = measured.of_sessions("thread few", _megabytes)
    yield ratio("T7 memory, long / 1,000", "<=", 1.10, long, short, unit="MB")


def _switching(measured: Measured) -> Iterator[Ratio]:
    """What else is not to depend on how many conversations there are."""
    strokes = {
        "status": "N1 CPU of the next status",
        "filter": "N2 CPU of the menu of filters",
        "search": "N3 CPU of a word typed into the search",
        "find": "N4 CPU of finding a row 300 below",
        "resize": "N5 CPU of another size of the terminal",
    }
    for stroke, words in strokes.items():
        many = measured.of_keys("list many", stroke, _cpu_p50)
        few = measured.of_keys("list few", stroke, _cpu_p50)
        waits = median(measured.of_keys("list many", stroke, _p50))
        note = f"frame after {1000 * waits:.1f} ms"
        yield ratio(f"{words}, many / 1,000", "<=", 1.15, many, few, note)


def _viewing(measured: Measured) -> Iterator[Ratio]:
    """An order of 5,000 rows that is made here."""
    times = measured.latencies("view", "view")
    yield Ratio("V1 seconds until 5,000 rows are in another order", median(times), "<=", 1.0)
    slow = percentile(measured.meanwhile, 0.99)
    least = percentile(measured.meanwhile_on_floor, 0.99)
    yield Ratio(
        "V1 p99 of key to frame meanwhile / key floor's", slow / least, "<=", 2.5, slow, least
    )


def cache_depth(home: Workspace) -> Ratio:
    """Reads of a page by its position, near the beginning and near the end."""
    cache = Cache(home.path, ORIGIN, limit_bytes=warm_cache.LIMIT_BYTES, check_after_seconds=1_000)
    parameters = urlencode(warm_cache.OPEN.parameters())
    listing = cache.listing(ListName(f"conversations?{parameters}", CONVERSATION))
    taken: dict[int, list[float]] = {0: [], len(listing) - 1_000: []}
    for number in range(_READS):
        for depth, times in taken.items():
            listing.reload()
            first = depth + number * 7 % (1_000 - _PAGE)
            began = time.process_time()
            for position in range(first, first + _PAGE):
                listing[position]
            times.append(time.process_time() - began)
    cache.close()
    shallow, deep = taken.values()
    return ratio(
        "C1 50 rows of the cache by position, last / first of many", "<=", 1.3, deep, shallow
    )


def _peers(measured: Measured) -> Iterator[Ratio]:
    there = [peer.name for peer in other_programs.PEERS if measured.starts.get(peer.name)]
    there = [name for name in there if not measured.missing.get(name)]
    ours = measured.of_starts("start many", _wall)
    if there:
        fastest = min(there, key=lambda name: median(measured.of_starts(name, _wall)))
        theirs = measured.of_starts(fastest, _wall)
        yield ratio(f"P1 first content / the fastest peer's ({fastest})", "<=", 0.7, ours, theirs)
        saved = measured.of_starts("frame many", _wall)
        yield ratio(f"P1 saved first screen / {fastest}", "<=", 0.1, saved, theirs)
    else:
        yield Ratio("P1 first content / the fastest peer's", None, "<=", 0.7, note="no peers")
    for name in there:
        yield from _peer(measured, name)
    for name, why in measured.missing.items():
        if why:
            yield Ratio(f"P1 {name}", None, "<=", 0.7, note=why)


def _peer(measured: Measured, name: str) -> Iterator[Ratio]:
    of, keys = measured.of_starts, measured.of_keys

    def line(words: str, ours: Sequence[float], theirs: Sequence[float], unit: str = "") -> Ratio:
        return ratio(f"P1 {words} / {name}", "<=", None, ours, theirs, unit=unit)

    yield line("first content", of("start many", _wall), of(name, _wall))
    yield line("first answered key", of("start many", _answered), of(name, _answered))
    yield line("key to frame", keys("list many", "down", _p50), keys(name, "key", _p50))
    sent, theirs = keys("list many", "down", _mean_bytes), keys(name, "key", _mean_bytes)
    yield line("bytes of a key", sent, theirs, "bytes")
    held = measured.of_sessions("list many", _megabytes)
    yield line("memory", held, measured.of_sessions(name, _megabytes), "MB")


def _walls(slow: Sequence[float], fast: Sequence[float]) -> str:
    return f"wall {by_turn(slow, fast):.2f}"


def _wall(one: Start) -> float:
    return one.wall


def _cpu(one: Start) -> float:
    return one.cpu


def _answered(one: Start) -> float:
    return one.answered


def _p50(one: Presses) -> float:
    return median(one.latencies)


def _mean_cpu(one: Presses) -> float:
    return mean(one.cpu)


def _cpu_after_rest(one: Presses) -> float:
    return mean((one.after_rest or one).cpu)


def _bytes_after_rest(one: Presses) -> float:
    return mean((one.after_rest or one).bytes)


def _cpu_p50(one: Presses) -> float:
    return median(one.cpu)


def _mean_bytes(one: Presses) -> float:
    return mean(one.bytes)


def _megabytes(one: Session) -> float:
    return one.megabytes


def _held(one: Session) -> float:
    return one.held_cpu
