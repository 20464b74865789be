"""Percentiles of durations, and the share of them within a target."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import prod, sqrt
from typing import Self

from frontdesk.store.rollups import limits_of, step_of
from frontdesk.wire.reports import Percentiles, TargetShare

_PERCENTS: Mapping[int, str] = {50: "p50", 90: "p90"}


@dataclass(frozen=True, slots=True)
class CountedDurations:
    """Numbers of durations by step.

    If `exact`, a step is a duration in milliseconds, otherwise a bucket of the histogram in
    `store/rollups.py`.
    """

    counts: Counter[int]
    exact: bool

    @classmethod
    def sum_of(cls, parts: Sequence[Self]) -> Self:
        """Add durations; the sum is by buckets if one of the parts is."""
        exact = all(part.exact for part in parts)
        counts = Counter[int]()
        for part in parts:
            for step, count in part.counts.items():
                counts[step if exact or not part.exact else step_of(step)] += count
        return cls(counts, exact)

    @property
    def total(self) -> int:
        return self.counts.total()

    def mean(self) -> float | None:
        """Mean of exact durations in seconds, rounded to a tenth; None without one."""
        total = sum(duration * n for duration, n in self.counts.items())
        return round(total / self.total / 1000, 1) if self.total else None

    def percentiles(self) -> Percentiles:
        """Return the shortest durations that 50 and 90 percent do not exceed."""
        steps = sorted(self.counts)
        totals = list(accumulate(self.counts[step] for step in steps))
        seconds = dict[str, float | None](p50=None, p90=None)
        for percent, name in _PERCENTS.items() if steps else ():
            step = steps[bisect_left(totals, -(-totals[-1] * percent // 100))]
            seconds[name] = round((step if self.exact else sqrt(prod(limits_of(step)))) / 1000, 1)
        return Percentiles(**seconds, approximate=not self.exact)

    def within(self, limit: int) -> TargetShare:
        """Return how many durations are at most `limit` milliseconds."""
        within = sum(count * self._part_within(step, limit) for step, count in self.counts.items())
        return TargetShare(
            target_seconds=limit // 1000,
            within=round(within),
            samples=self.total,
            approximate=not self.exact,
        )

    def _part_within(self, step: int, limit: int) -> float:
        """Return the part of a step's durations that are within a limit."""
        shortest, longest = (step, step) if self.exact else limits_of(step)
        if longest <= limit:
            return 1.0
        return min(max((limit - shortest) / max(longest - shortest, 1), 0), 1)
