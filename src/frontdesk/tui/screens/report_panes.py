"""Panes of a report: live counts, metrics, plot, authors, channels.

A wide and tall terminal shows all; a smaller one the metrics and below them the focused pane; a
flat one only the focused pane. The stylesheet decides.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from frontdesk.tui.screens import report_words as say
from frontdesk.tui.screens.report_periods import (
    bucket_label,
    bucket_words,
    coming_hours,
    unfinished,
)
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.cells import Piece
from frontdesk.tui.widgets.glyphs import Glyphs
from frontdesk.tui.widgets.live_line import LiveLine
from frontdesk.tui.widgets.metrics import METRICS, Metric, value_of, value_words
from frontdesk.tui.widgets.plots import Plot, Scene
from frontdesk.tui.widgets.report_tables import (
    AuthorTable,
    ChannelTable,
    Figure,
    Head,
    MetricTable,
    channel_name,
    figures_of,
)
from frontdesk.wire import Bucket, Report

ORDER = ("live", "metrics", "plot", "authors", "channels")
_MOST_CHANNEL_ROWS = 9


class ReportPanes(Vertical):
    """Shows a report; keeps the focused pane, the row and the column."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="report", classes="-at-metrics")
        self._glyphs = glyphs
        self.at = "metrics"
        self.live = LiveLine(id="live")
        self.metrics = MetricTable(glyphs, id="metrics")
        self.plot = Plot(glyphs, id="plot")
        self.authors = AuthorTable(glyphs, id="authors")
        self.channels = ChannelTable(glyphs, id="channels")
        self._title = Bar(id="plot-title", marked=True)
        self._column = Bar(id="plot-column")
        self._report: Report | None = None
        self._before: Sequence[Bucket] | None = None
        self._zone: tzinfo = UTC
        self._parts = "day"
        self._now = datetime.now(UTC)

    def compose(self) -> ComposeResult:
        yield self.live
        with Vertical(id="metrics-pane"):
            yield Head(self.metrics, id="metrics-head")
            yield self.metrics
        with Horizontal(id="lower"):
            with Vertical(id="plot-pane"):
                yield self._title
                yield self.plot
                yield self._column
            with Vertical(id="authors-pane"):
                yield Head(self.authors, id="authors-head")
                yield self.authors
        with Vertical(id="report-channels-pane"):
            yield Head(self.channels, id="channels-head")
            yield self.channels

    # Focus

    def enter(self, name: str) -> None:
        """Focus a pane, and bring it to the front where only some are shown."""
        self._note(name)
        self.call_after_refresh(self._widget(name).focus)

    def entered(self, widget: Widget) -> None:
        """Record the pane of the focused widget as the current one."""
        name = next((name for name in ORDER if self._widget(name) is widget), None)
        if name is not None:
            self._note(name)
        for head in self.query(Head):
            head.refresh()
        self._title.mark(name == "plot")

    def step(self, step: int) -> None:
        """Focus the next (1) or previous (-1) pane, with wrap-around."""
        self.enter(ORDER[(ORDER.index(self.at) + step) % len(ORDER)])

    def _widget(self, name: str) -> Widget:
        widgets: dict[str, Widget] = {
            "live": self.live,
            "metrics": self.metrics,
            "plot": self.plot,
            "authors": self.authors,
            "channels": self.channels,
        }
        return widgets[name]

    def _note(self, name: str) -> None:
        if name != self.at:
            self.remove_class(f"-at-{self.at}")
            self.at = name
            self.add_class(f"-at-{name}")

    # Contents

    def say_when_empty(self, words: str) -> None:
        """Set the texts of empty panes; `words`: why there is no report."""
        self.metrics.say_when_empty(words)
        self.channels.say_when_empty("no channels")
        self.authors.say_when_empty("nothing was sent")

    def show(
        self,
        report: Report | None,
        before: Sequence[Bucket] | None,
        *,
        zone: tzinfo,
        parts: str,
        now: datetime,
        as_of: str,
    ) -> None:
        """Show a report, or None. before: the series of as many days before."""
        self._report, self._before = report, before
        self._zone, self._parts, self._now = zone, parts, now
        self.live.show(report.live if report else None, as_of)
        figures = figures_of(report, before, glyphs=self._glyphs) if report else []
        self.metrics.letters = "".join(label[0] for label in self._labels())
        self.metrics.put([(figure.metric.field, figure) for figure in figures])
        self.authors.put_authors(
            dict(report.outgoing_by_author) if report else {}, report.pricing if report else ()
        )
        channels = report.channels if report else ()
        self.channels.put_channels(channels)
        self.set_class(not channels, "-no-channels")
        rows = min(len(channels), _MOST_CHANNEL_ROWS)
        self.query("#report-channels-pane").set_styles(height=rows + 2)
        self.follow()

    def order_channels(self, field: str) -> None:
        """Sort the channels by a column."""
        self.channels.order_by(field)
        self.query_one("#channels-head", Head).refresh()

    def follow(self) -> None:
        """Plot the metric under the cursor, and describe the plot's selected column."""
        figure: Figure | None = self.metrics.row
        metric = figure.metric if figure else METRICS[0]
        scene = self._scene(metric) if figure and self._report else None
        if scene != self.plot.scene:
            self.plot.show(scene)
        self._title.show(self._title_words(metric, scene))
        self._column.show([("text", f"  {self.column_words()}")])
        for head in self.query(Head):
            head.refresh()

    def _series(self) -> Sequence[Bucket]:
        return self._report.series or () if self._report else ()

    def _columns(self) -> list[Bucket]:
        """Series of this period, extended by the coming hours that the previous series has."""
        series = list(self._series())
        if not series:
            return []
        columns = series + coming_hours(series[-1], self._zone) * (self._parts == "hour")
        return columns[: max(len(series), len(self._before or ()))]

    def _labels(self) -> list[str]:
        columns = self._columns()
        return [bucket_label(one, self._parts, self._zone, len(columns)) for one in columns]

    def _series_before(self) -> Sequence[Bucket]:
        """Previous series, cut to the number of columns."""
        return (self._before or ())[: len(self._columns())]

    def _scene(self, metric: Metric) -> Scene:
        series = self._series()
        return Scene(
            tuple(value_of(bucket.metrics, metric.field) for bucket in series),
            tuple(value_of(bucket.metrics, metric.field) for bucket in self._series_before()),
            tuple(self._labels()),
            frozenset(
                at
                for at, bucket in enumerate(series)
                if unfinished(bucket, self._parts, self._zone, self._now)
            ),
            metric.timed,
            partial(value_words, metric, tight=True),
        )

    def _title_words(self, metric: Metric, scene: Scene | None) -> list[Piece]:
        if scene is None:
            return []
        pieces: list[Piece] = [("strong", f"{metric.short.upper()} PER {self._parts.upper()}")]
        pieces += [("accent", f"   {self._glyphs.bar}"), ("dim", " this")]
        pieces.append(("dim", f"  {self._glyphs.before} before"))
        if None in scene.now:
            pieces.append(("dim", f"  {self._glyphs.gap} no samples"))
        return pieces

    def column_words(self) -> str:
        """Time and values of the plot's selected column."""
        scene, at = self.plot.scene, self.plot.cursor
        figure: Figure | None = self.metrics.row
        if scene is None or figure is None or not scene.columns:
            return ""
        then = scene.then[at] if at < len(scene.then) else None
        was = f"was {value_words(figure.metric, then)}"
        if at < len(scene.then):
            was += f" ({bucket_words(self._series_before()[at], self._parts, self._zone)})"
        if at >= len(self._series()):
            return f"to come, {was}"
        bucket = self._series()[at]
        when = bucket_words(bucket, self._parts, self._zone)
        part = " (part)" if at in scene.unfinished else ""
        return f"{when}{part}: {_measured(figure.metric, bucket)}, {was}"

    def copied(self) -> str:
        """Text that the copy action takes from the focused pane."""
        match self.at:
            case "live":
                return self.live.copied
            case "plot":
                figure: Figure | None = self.metrics.row
                return f"{figure.metric.name if figure else ''}, {self.column_words()}"
            case "channels" if self.channels.row is not None:
                channel = self.channels.row
                values = [
                    f"{metric.short} {value_words(metric, value_of(channel.metrics, metric.field))}"
                    for metric in METRICS
                ]
                return f"{channel_name(channel)}: {', '.join(values)}"
            case "authors" if self.authors.row is not None:
                return str(self.authors.row.sentence)
        return say.figure_words(self.metrics.row) if self.metrics.row else ""


def _measured(metric: Metric, bucket: Bucket) -> str:
    """Value of a bucket; of a mean with its number of samples."""
    value = value_of(bucket.metrics, metric.field)
    if value is None:
        return "no samples"
    samples = bucket.samples.get(metric.field) if metric.timed else None
    return value_words(metric, value) + (f" of {samples:,}" if samples else "")
