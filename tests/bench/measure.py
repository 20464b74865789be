"""Works that take turns, and the table of what was measured beside its budgets."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import median
from typing import NamedTuple, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class Result(NamedTuple):
    """A line of a table. budget: the most that is allowed."""

    id: str
    quantity: str
    measured: float
    budget: float | None = None


def table(results: Iterable[Result]) -> Iterator[str]:
    """The results as the lines of a table in Markdown, each as soon as it is measured."""
    yield "| id | quantity | budget | measured | met |\n|---|---|---|---|---|"
    for id, quantity, measured, most in results:
        budget, met = "", ""
        if most is not None:
            budget, met = f"≤ {most:,g}", "yes" if measured <= most else "no"
        yield f"| {id} | {quantity} | {budget} | {measured:,.2f} | {met} |"


def in_turn(rounds: int, works: Mapping[K, Callable[[int], T]]) -> dict[K, list[T]]:
    """What each work gave in each round; every round begins with another of them.

    A work gets the number of the round. The round before the first only warms up.
    """
    names = list(works)
    given: dict[K, list[T]] = {name: [] for name in names}
    for number in range(-1, rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            value = works[name](max(number, 0))
            if number >= 0:
                given[name].append(value)
    return given


def seconds_in_turn(
    rounds: int, works: Mapping[K, Callable[[int], object]]
) -> dict[K, list[float]]:
    """Seconds that each work took in each round, see `in_turn`."""

    def timed(work: Callable[[int], object], number: int) -> float:
        started = time.perf_counter()
        work(number)
        return time.perf_counter() - started

    return in_turn(rounds, {name: partial(timed, work) for name, work in works.items()})


def of_medians(above: Sequence[float], below: Sequence[float]) -> float:
    """The ratio of two medians."""
    return median(above) / median(below)


def by_turn(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios of the turns.

    Where a machine is slower for seconds at a time, it varies half as much as that of medians.
    """
    return median(one / other for one, other in zip(above, below, strict=True))


def percentile(times: Sequence[float], share: float) -> float:
    """The least time that so large a share of the times do not exceed."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]
