"""Small charts of a report beside each other: what came and went, was open, and took."""

from collections.abc import Sequence
from datetime import tzinfo
from itertools import pairwise
from typing import NamedTuple

from frontdesk.reports.metrics import Glyphs, time_words, value_of
from frontdesk.reports.periods import bucket_label
from frontdesk.reports.registry import BY_FIELD, OPEN_AT_END
from frontdesk.tui.reports.plots import KeptDrawing, Scene, Values, plot
from frontdesk.tui.widgets.text_layout import Piece, fit, wrap
from frontdesk.wire.reports import Bucket, Report

_NEW, _REOPENED, _RESOLVED = "conversations_count", "reopened_count", "resolutions_count"
_FIRST = BY_FIELD["avg_first_response_time"]
_MINUTE = 60
# Least widths for two charts, and for three.
_LEAST = (76, 150)
_GAP = 2


class Chart(NamedTuple):
    """A scene with its title, and what its two kinds of bars are."""

    title: str
    now: str
    then: str
    scene: Scene


def charts_of(report: Report, granularity: str, zone: tzinfo) -> list[Chart]:
    """Charts of what a report has, the most important first."""
    series, before = report.series or (), report.previous_series or ()
    labels = [bucket_label(bucket, granularity, zone, len(series)) for bucket in series]
    came = [_sum(bucket, _NEW, _REOPENED) for bucket in series]
    went = _values(series, _RESOLVED)
    charts = []
    if any(value is not None for value in came):
        scene = _scene(came, went, labels)
        charts.append(Chart("CAME AND WENT", "new + reopened", "resolved", scene))
    left = _values(series, OPEN_AT_END.field)
    if any(value is not None for value in left):
        scene = _scene(left, _values(before, OPEN_AT_END.field), labels)
        charts.append(Chart(f"OPEN AT THE {granularity.upper()}'S END", "this", "before", scene))
    if not charts:
        scene = _scene(went, _values(before, _RESOLVED), labels)
        charts.append(Chart("RESOLVED", "this", "before", scene))
    now, then = (_values(each, _FIRST.field) for each in (series, before))
    scene = Scene(now, then, labels, frozenset(), timed=True, words=_short_time)
    return [*charts, Chart(_FIRST.name.upper(), "this", "before", scene)]


def _scene(now: Values, then: Values, labels: Sequence[str]) -> Scene:
    return Scene(
        now, then, labels, frozenset(), timed=False, words=lambda value: f"{round(value):,}"
    )


def _values(series: Sequence[Bucket], field: str) -> Values:
    return [value_of(bucket.metrics, field) for bucket in series]


def _sum(bucket: Bucket, *fields: str) -> float | None:
    values = [value_of(bucket.metrics, field) for field in fields]
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _short_time(seconds: float) -> str:
    """A duration in minutes, or in hours and minutes: 12m, 1h05m, 2h."""
    if seconds < _MINUTE:
        return time_words(seconds)
    words = time_words(round(seconds / _MINUTE) * _MINUTE)
    return words.removesuffix("00s").removesuffix("00m")


class Charts(KeptDrawing):
    """As many charts as there is room for; none can be focused."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._charts: Sequence[Chart] = ()
        self._words = ""

    def show(self, charts: Sequence[Chart], words: str) -> None:
        """Draw other charts; without any, a sentence."""
        self._charts, self._words = charts, words
        self.forget_drawn()
        self.refresh()

    def drawn(self, width: int, height: int) -> list[list[Piece]]:
        if not self._charts:
            words = wrap(self._words, max(1, width - 2))
            return [
                [("text", fit(f"  {words[y - 1]}" if 0 < y <= len(words) else "", width))]
                for y in range(height)
            ]
        count = min(len(self._charts), 1 + sum(width >= least for least in _LEAST))
        edges = [at * (width + _GAP) // count for at in range(count + 1)]
        rooms = [end - start - _GAP for start, end in pairwise(edges)]
        blocks = [
            [
                _heading(chart, room, self._glyphs),
                *plot(chart.scene, room, height - 1, self._glyphs, valued=True),
            ]
            for chart, room in zip(self._charts, rooms, strict=False)
        ]
        return [_beside([block[y] for block in blocks]) for y in range(height)]


def _heading(chart: Chart, width: int, glyphs: Glyphs) -> list[Piece]:
    """Title, and what the bars are if there is room."""
    title = f" {chart.title}"
    for gap in ("  ", " "):
        legend = f"{gap} {glyphs.bar} {chart.now}{gap}{glyphs.before} {chart.then}"
        if len(title + legend) < width:
            rule = f"{legend} ".ljust(width - len(title), glyphs.floor)
            return [("dim", glyphs.floor), ("strong", title), ("dim", rule[:-1])]
    return [("dim", glyphs.floor), ("strong", fit(title, width - 1))]


def _beside(lines: Sequence[list[Piece]]) -> list[Piece]:
    pieces = [*lines[0]]
    for line in lines[1:]:
        pieces += [("text", " " * _GAP), *line]
    return pieces
