"""Ratios of times that were taken in turn, and tables of them."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal


@dataclass(frozen=True)
class Ratio:
    """One line of the table. slow and fast: seconds, or None where only the ratio was measured.

    unit: of slow and fast, where they are no times. reached None: there is nothing to be reached,
    or it could not be measured; `note` says why.
    """

    name: str
    value: float | None
    bound: Literal["<=", ">="]
    reach: float | None
    slow: float | None = None
    fast: float | None = None
    note: str = ""
    unit: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the value is on the right side of the bound."""
        if self.value is None or self.reach is None:
            return None
        return self.value <= self.reach if self.bound == "<=" else self.value >= self.reach


def in_turn(rounds: int, works: Mapping[str, Callable[[int], object]]) -> dict[str, list[float]]:
    """Seconds that each work took in each round; every round begins with another of them.

    A work gets the number of the round. One round before the first only warms up.
    """
    names = list(works)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-1, rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            started = time.perf_counter()
            works[name](max(number, 0))
            if number >= 0:
                taken[name].append(time.perf_counter() - started)
    return taken


def of_medians(slow: Sequence[float], fast: Sequence[float]) -> float:
    """The ratio of the medians of two works."""
    return median(slow) / median(fast)


def by_turn(slow: Sequence[float], fast: Sequence[float]) -> float:
    """The median of the ratios of the turns, of works that took turns.

    Where a machine is slower for seconds at a time, it varies half as much as that of medians.
    """
    return median(above / below for above, below in zip(slow, fast, strict=True))


def ratio(
    name: str,
    bound: Literal["<=", ">="],
    reach: float | None,
    slow: Sequence[float],
    fast: Sequence[float],
    note: str = "",
    unit: str = "",
    compared: Callable[[Sequence[float], Sequence[float]], float] = of_medians,
) -> Ratio:
    """The ratio of two works, with the medians of both."""
    value = compared(slow, fast)
    return Ratio(name, value, bound, reach, median(slow), median(fast), note, unit)


def percentile(times: Sequence[float], share: float) -> float:
    """The least time that so large a share of the times do not exceed."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def shown(ratios: Sequence[Ratio]) -> str:
    """A table with a line for each ratio."""
    heading = ["what", "measured", "reach", "reached", "ms above", "ms below", ""]
    return table([heading, *(list(_cells(one)) for one in ratios)])


def _cells(one: Ratio) -> Iterator[str]:
    yield one.name
    yield "–" if one.value is None else f"{one.value:,.2f}"
    yield "" if one.reach is None else f"{one.bound} {one.reach:g}"
    yield {True: "yes", False: "no", None: "–"}[one.reached]
    for amount in (one.slow, one.fast):
        if amount is None:
            yield ""
        else:
            yield f"{amount:,.0f} {one.unit}" if one.unit else f"{1000 * amount:,.2f}"
    yield one.note


def table(rows: list[list[str]]) -> str:
    """Rows as Markdown; the first is the heading."""
    heading, *body = rows
    lines = [heading, ["---"] * len(heading), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
