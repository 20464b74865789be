"""Panes of a report: live counts, metrics, plot, authors, channels.

A wide and tall terminal shows all; a smaller one the metrics and below them the focused pane; a
flat one only the focused pane. The stylesheet decides.

Texts of the report's bars, as pure functions of the report.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import partial

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.reports.metrics import (
    FEW_SAMPLES,
    NO_VALUE,
    BreakdownRow,
    Figure,
    Glyphs,
    all_of,
    groups_of,
    missing_parts,
    time_words,
    value_of,
    value_words,
)
from frontdesk.reports.periods import (
    PERIODS,
    bucket_label,
    bucket_words,
    next_midnight,
    unfinished,
)
from frontdesk.reports.registry import DIMENSIONS, METRICS, PART_WORDS, WEEKDAYS, Metric
from frontdesk.text.clean import clean, one_line
from frontdesk.text.times import range_words, short_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.base import Choice
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.reports.authors import AuthorTable
from frontdesk.tui.reports.charts import Charts, charts_of
from frontdesk.tui.reports.plots import HOURS, HeatCells, HeatMap, Plot, Scene
from frontdesk.tui.reports.query import ReportOptions, moments_of
from frontdesk.tui.reports.tables import (
    GroupTable,
    LiveLine,
    MetricTable,
    ReportTable,
    TableHeading,
)
from frontdesk.tui.unsupported import refusal_words
from frontdesk.tui.widgets.bar import Bar, Title
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import ReportQuery
from frontdesk.wire.queries import CALENDAR_PARTS
from frontdesk.wire.reports import Bucket, HourGrid, Hours, Period, Report
from frontdesk.wire.values import utc_now

ALL_OF_CHANNEL = "all conversations of this channel, of any date"
ALL_WITH_LABEL = "all conversations with this label, of any date"
OPEN_OF_TEAM = "all open conversations of its people and of no one, on its channels"
NO_BUSINESS_HOURS = "The server has no business hours of this inbox: all time is measured"
NOT_ONLY_OF_PERIOD = "all conversations, of any date"
ALL_FROM_AD = "all conversations with a message from this ad, of any date"
ALL_OF_AUTHORS = "all conversations, whoever wrote in them"


def refusal(error: InboxError, otherwise: str) -> str:
    """Explanation of a failed request. otherwise: what to do next, unless that is known."""
    sentence = one_line(clean(str(error))).rstrip(".")
    match error:
        case Forbidden(scope=scope) if scope:
            return refusal_words("reports", error)
        case Forbidden():
            return f"{sentence}. Reports need a key with the scope reports:read."
        case NotFound():
            return f"{sentence}. This server has no reports."
    return f"{sentence}. {otherwise}"


def channels_by_id(mailbox: Mailbox, report: Report | None) -> dict[str, str]:
    """Names of channels from the catalogue, completed from the report."""
    known = mailbox.catalogues.channel_names()
    for channel in report.channels if report else ():
        if channel.channel.id:
            known.setdefault(
                channel.channel.id, one_line(channel.channel.name or channel.channel.id)
            )
    return known


def channel_words(id: str | None, names: Mapping[str, str]) -> str:
    """Name of the report's channel."""
    return "all channels" if id is None else names.get(id, id)


def as_of(report: Report | None, clock: Clock) -> str:
    """Local time of the live counts; empty if unknown."""
    moment = clock.local(report.live.as_of) if report and report.live else None
    return time_of_day(moment) if moment else ""


def heading(title: str, scope: str, width: int) -> list[Piece]:
    """Header: title of the inbox, and the channel, user, team or label of the report."""
    words = "REPORTS " if width >= 100 else "REPORT "
    return [("accent", f" {words}"), ("strong", one_line(title)), ("dim", f" · {scope}")]


def subject_choices(mailbox: Mailbox) -> list[Choice[str]]:
    """Whom or what a report can be of: everything, or one user, team or label."""
    catalogues = mailbox.catalogues
    groups = {
        "user": [(user.id, user.name) for user in catalogues.users()],
        "team": [(team.id, team.name) for team in catalogues.teams()],
        "label": [(label.title, label.title) for label in catalogues.labels()],
    }
    choices = [Choice("", "everything")]
    for kind, rows in groups.items():
        choices += [Choice(f"{kind}:{id}", one_line(name or id), kind) for id, name in rows]
    return choices


def subject_words(mailbox: Mailbox, subject: str, report: Report | None) -> str:
    """Name of the user, team or label that a report is of; "" for all."""
    kind, _, value = subject.partition(":")
    choices = subject_choices(mailbox) if subject else ()
    names = {choice.value: choice.words for choice in choices}
    of = {"user": report.user, "team": report.team}.get(kind) if report else None
    return one_line(names.get(subject) or (of and of.name) or value)


def scope_words(mailbox: Mailbox, options: ReportOptions, report: Report | None) -> str:
    """What a report is of: all or one channel, user, team or label; and its clock."""
    subject = subject_words(mailbox, options.subject, report)
    channel = channel_words(options.channel, channels_by_id(mailbox, report))
    words = [subject] if subject and options.channel is None else [channel, subject]
    return " · ".join(filter(None, [*words, "business hours" if options.business else ""]))


def period_words(report: Report | None, zone: tzinfo, width: int) -> list[Piece]:
    """Period, time zone and previous period, as far as `width` allows."""
    if report is None:
        return []
    period = _range(report.period, zone, year=width >= 100)
    pieces: list[Piece] = [("strong", f"  {period}")]
    if width >= 100:
        pieces.append(("dim", f" ({one_line(report.period.timezone)})"))
    if report.previous_period is not None and width >= 72:
        before = _range(report.previous_period, zone, year=False)
        # The same time of its last day as in the period.
        before = before if width >= 100 else before.partition(" until")[0]
        pieces.append(("dim", f"  vs {before}"))
    return [*pieces, ("text", " ")]


def _range(period: Period, zone: tzinfo, *, year: bool) -> str:
    start, end = period.from_time, period.to_time
    if start is None or end is None:
        return f"{one_line(period.from_)} – {one_line(period.to)}"
    return range_words(start.astimezone(zone), end.astimezone(zone), year=year)


def series_dates(report: Report | None, zone: tzinfo) -> str:
    """Dates of the series: 8 – 14 Mar; "" if they are not known."""
    moments = moments_of(report) if report else None
    if moments is None:
        return ""
    first, last = (moment.astimezone(zone) for moment in moments)
    return range_words(first, next_midnight(last), year=False)


def foot(
    report: Report | None, query: ReportQuery, zone: tzinfo, width: int, keys: KeyNames
) -> list[Piece]:
    """Footnotes for reading the numbers, most important first, as far as `width` allows."""
    if report is None:
        return []
    moments = moments_of(report)
    sentences = [not_reported(part) for part in missing_parts(report, query)]
    ends = moments and moments[1].astimezone(zone)
    is_partial = ends is not None and ends.time() != datetime.min.time()
    if ends and is_partial:
        sentences.append(f"the last day is partial, until {time_of_day(ends)}")
    if width < 100:
        sentences.append(one_line(report.period.timezone))
    sentences.append(f"{keys['report.formula']} how this is counted")
    sentences.append(f"+ better ! worse, of {FEW_SAMPLES} or more")
    if is_partial:
        sentences.append("BEFORE until the same time of its last day")
    words = " "
    for sentence in sentences:
        longer = f"{words}{' · ' if words.strip() else ''}{sentence}"
        if len(longer) >= width:
            break
        words = longer
    return [("dim", words)]


def span_hint(name: str, today: date) -> str:
    """Dates of a named period: 8 Mar – 14 Mar."""
    span = PERIODS[name](today)
    last = span.end - timedelta(days=1) if span.end else today
    if span.first == last:
        return short_date(last)
    return f"{short_date(span.first)} – {short_date(last)}"


def formula(figure: Figure, open_key: str) -> str:
    """Definition of a metric, its number of samples, and what `open_key` shows."""
    metric = figure.metric
    sentences = [metric.formula]
    if metric.timed:
        known = "an unknown number of" if figure.samples is None else f"{figure.samples:,}"
        sentences.append(f"Taken of {known} samples. Shorter is better.")
        if figure.few:
            sentences.append(
                f"Fewer than {FEW_SAMPLES} samples, now or before: the change says little."
            )
    sentences.append("A percentage needs a value before that is more than zero.")
    sentences.append(f"{open_key} shows {metric.difference}.")
    return "\n\n".join(sentences)


def figure_words(figure: Figure) -> str:
    """A metric with its values as a line of text."""
    metric = figure.metric
    words = f"{metric.name}: {value_words(metric, figure.now)}"
    words += f" (previous {value_words(metric, figure.then)}, {figure.change.words})"
    return f"{words}, {figure.samples:,} {metric.sampled}" if figure.samples is not None else words


def copied_period(report: Report, zone: tzinfo, channel: str) -> str:
    """Period and channel, appended to copied text."""
    period = _range(report.period, zone, year=True)
    return f"{period} ({one_line(report.period.timezone)}) · {channel}"


ORDER = ("live", "metrics", "plot", "authors", "channels")
# Lines of the figures with their margin, and least ones of the charts above a breakdown.
_FIGURES, _CHARTS = 13, 10
_LEAST_ROWS = 5
# Least width and height of a screen that shows everything.
_HUGE = (200, 50)


class ReportPanes(Vertical):
    """Shows a report; keeps the focused pane, the row and the column."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="report", classes="-at-metrics")
        self._glyphs = glyphs
        self.at = "metrics"
        self.live = LiveLine(glyphs, id="live")
        self.metrics = MetricTable(glyphs, id="metrics")
        self.charts = Charts(glyphs, id="charts")
        self.plot = Plot(glyphs, id="plot")
        self.authors = AuthorTable(glyphs, id="authors")
        self.heat = HeatMap(glyphs, id="heat")
        self.channels = GroupTable(glyphs, id="channels")
        # On a large screen, without a key and without the focus.
        self.people = GroupTable(glyphs, id="people")
        self.heat_beside = HeatMap(glyphs, id="heat-beside")
        self.authors_beside = AuthorTable(glyphs, id="authors-beside")
        self._keep_from_focus(self.people, self.heat_beside, self.authors_beside)
        self._hours_title = Bar(id="hours-title")
        self._title = Title("2", id="plot-title")
        self._column = Bar(id="plot-column")
        self._remark = Bar(id="breakdown-remark")
        self._report: Report | None = None
        self._hours: Hours | None = None
        self._longer = False
        self._zone: tzinfo = UTC
        self._granularity = "day"
        self._now = utc_now()

    def compose(self) -> ComposeResult:
        yield self.live
        with Horizontal(id="upper"):
            with Vertical(id="metrics-pane"):
                yield TableHeading(self.metrics, id="metrics-head")
                yield self.metrics
            with Vertical(id="people-pane"):
                yield TableHeading(self.people, id="people-head")
                yield self.people
        with Horizontal(id="lower"):
            with Vertical(id="plot-pane"):
                yield self.charts
                yield self._title
                yield self.plot
                yield self.heat
                yield self._column
            with Vertical(id="authors-pane"):
                yield TableHeading(self.authors, id="authors-head")
                yield self.authors
        with Horizontal(id="bottom"):
            with Vertical(id="report-channels-pane"):
                yield TableHeading(self.channels, id="channels-head")
                yield self.channels
                yield self._remark
            with Vertical(id="beside-pane"):
                yield self._hours_title
                yield self.heat_beside
                yield TableHeading(self.authors_beside, id="authors-beside-head")
                yield self.authors_beside

    def on_mount(self) -> None:
        self.watch(self.metrics, "selected_key", self.follow, init=False)

    # Focus

    @staticmethod
    def _keep_from_focus(*widgets: Widget) -> None:
        for widget in widgets:
            widget.can_focus = False
            if isinstance(widget, ReportTable):
                widget.shows_cursor = False

    def fix(self) -> None:
        """Take the cursor from all panes."""
        self._keep_from_focus(self.live, self.metrics, self.plot, self.heat)
        self._keep_from_focus(self.authors, self.channels)

    def enter(self, name: str) -> None:
        """Focus a pane, and bring it to the front where only some are shown."""
        self._note(name)
        # At once: keys typed before the next refresh belong to this pane.
        self.screen.set_focus(self._widget(name))

    def entered(self, widget: Widget) -> None:
        """Record the pane of the focused widget as the current one."""
        name = next((name for name in ORDER if self._widget(name) is widget), None)
        # The message may arrive after a later key has moved the focus on.
        if name is not None and widget.has_focus:
            self._note(name)
        for head in self.query(TableHeading):
            head.refresh()
        self._title.mark(name == "plot")
        self._show_cursor()

    def step(self, step: int) -> None:
        """Focus the next (1) or previous (-1) pane, with wrap-around."""
        self.enter(ORDER[(ORDER.index(self.at) + step) % len(ORDER)])

    def _widget(self, name: str) -> Widget:
        widgets: dict[str, Widget] = {
            "live": self.live,
            "metrics": self.metrics,
            "plot": self.heat if self.has_class("-heat") else self.plot,
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

    def show(
        self,
        report: Report | None,
        words: str,
        brief: str,
        *,
        zone: tzinfo,
        granularity: str,
        now: datetime,
    ) -> None:
        """Show a report; without one, why there is none, in the smaller panes `brief`."""
        self._report = report
        self._zone, self._granularity, self._now = zone, granularity, now
        self.metrics.series_part = granularity.upper()
        self.metrics.series_dates = series_dates(report, zone)
        self.metrics.say_when_empty(words)
        self.metrics.put_report(report)
        self.authors.put_report(report, brief)
        self.authors_beside.put_report(report, brief)
        self._fit_authors()
        self._show_charts(words)
        self.follow()

    def _show_charts(self, words: str = "") -> None:
        report = self._report
        charts = charts_of(report, self._granularity, self._zone) if report else ()
        self.charts.show(charts, words)

    def show_live(self, report: Report | None, as_of: str) -> None:
        """Show what is the case now, and what came with it. as_of: its time, as text."""
        if report is not None and self._report is not None and report != self._report:
            self._report = report
            self.metrics.put_report(report)
            self._show_charts()
            self.follow()
        self.live.show(report, as_of)
        self._fit_live()

    @property
    def shows_all(self) -> bool:
        """True if figures, charts and a breakdown are above each other."""
        return self.screen.has_class("-wide") and self.screen.has_class("-tall")

    @property
    def is_huge(self) -> bool:
        """True if there is room for people, hours and authors beside the rest."""
        return self.has_class("-huge")

    def on_resize(self) -> None:
        self.set_class(self.size.width >= _HUGE[0] and self.size.height >= _HUGE[1], "-huge")
        self._fit_authors()
        self._fit_breakdown()
        self._fit_live()

    def _fit_live(self) -> None:
        self.live.set_styles(height=self.live.lines_for(self.size.width))

    def _fit_authors(self) -> None:
        """Widen the pane of authors for its names, to a third of the screen at most."""
        least = min(self.authors.least_width, self.size.width // 3)
        self.query("#authors-pane").set_styles(min_width=least)

    def show_breakdown(self, part: str, answer: Report | None, words: str) -> None:
        """Show the rows of a breakdown; without an answer that has them, `words`.

        answer: the report with this part.
        """
        groups = groups_of(answer, part) if answer else None
        if answer is not None:
            words = not_reported(part) if groups is None else f"no {DIMENSIONS[part].scope}"
        self.channels.say_when_empty(words)
        moment = answer.live.as_of_time if answer and answer.live else self._now
        every = all_of(answer, part) if answer else None
        self.channels.put_groups(part, groups or (), moment, every)
        remark = DIMENSIONS[part].remark if groups else ""
        self._remark.show([("dim", f"  {remark}")])
        self._remark.display = bool(remark)
        self._fit_breakdown()
        self.query_one("#channels-head", TableHeading).refresh()

    def _fit_breakdown(self) -> None:
        """Make room for the rows of a breakdown: for all, as far as the charts keep theirs."""
        beside = 1 + bool(self._remark.display)
        room = self.size.height - self.live.lines_for(self.size.width) - _FIGURES - _CHARTS
        most = max(_LEAST_ROWS, room - beside) if self.shows_all else self.size.height
        # Without rows, a sentence is on the second line.
        rows = max(2, min(len(self.channels.rows), most))
        height = "1fr" if self.is_huge else rows + beside
        self.query("#report-channels-pane").set_styles(height=height)

    def show_beside(self, people: Report | None, hours: Report | None, words: str) -> None:
        """Show people and hours where there is room for them; without an answer, `words`."""
        groups = groups_of(people, "users") if people else None
        moment = people.live.as_of_time if people and people.live else self._now
        self.people.say_when_empty(words)
        every = all_of(people, "users") if people else None
        self.people.put_groups("users", groups or (), moment, every)
        cells = _cells(hours.hours if hours else None, longer=False)
        self.heat_beside.show(HeatCells(cells, longer=False) if cells else None, words)
        self._hours_title.show([("strong", " RECEIVED BY HOUR"), *self._scale(cells, longer=False)])
        self.query_one("#people-head", TableHeading).refresh()

    def show_hours(self, answer: Report | None, words: str, *, shown: bool) -> None:
        """Show messages or first responses by weekday and hour, in place of the plot.

        answer: the report with this part; without one that has it, `words`.
        """
        self._hours = answer.hours if answer else None
        if answer is not None and answer.hours is None:
            words = not_reported("hours")
        at_plot = self.screen.focused in (self.plot, self.heat)
        changed = shown != self.has_class("-heat")
        self.set_class(shown, "-heat")
        cells = _cells(self._hours, longer=self._longer)
        self.heat.show(HeatCells(cells, self._longer) if cells else None, words)
        if changed and at_plot:
            self.enter("plot")
        self.follow()

    def switch_hours(self) -> None:
        """Show first responses by hour rather than messages, or the other way round."""
        self._longer = not self._longer
        cells = _cells(self._hours, longer=self._longer)
        if cells:
            self.heat.show(HeatCells(cells, self._longer))
        self.follow()

    @property
    def sorted_table(self) -> ReportTable:
        """The table that is sorted: the one that has the focus, else the breakdown."""
        return {"metrics": self.metrics, "authors": self.authors}.get(self.at, self.channels)

    def sort(self, key: str) -> None:
        """Sort that table by a column."""
        self.sorted_table.order_by(key)
        for head in self.query(TableHeading):
            head.refresh()

    def follow(self) -> None:
        """Plot the metric under the cursor, and describe the plot's selected column."""
        figure: Figure | None = self.metrics.row
        metric = figure.metric if figure else METRICS[0]
        scene = self._scene(metric) if figure and self._report else None
        if scene != self.plot.scene:
            self.plot.show(scene)
        heat = self.has_class("-heat")
        self._title.show(self._heat_title() if heat else self._title_words(metric, scene))
        self._show_cursor()
        for head in self.query(TableHeading):
            head.refresh()

    def _show_cursor(self) -> None:
        words = self.hour_words() if self.has_class("-heat") else self.column_words()
        self._column.show([("text", f"  {words}")])

    def _heat_title(self) -> list[Piece]:
        name = "FIRST RESPONSE, MEAN" if self._longer else "MESSAGES RECEIVED"
        cells = _cells(self._hours, longer=self._longer)
        return [("strong", f"{name} BY HOUR"), *self._scale(cells, longer=self._longer)]

    def _scale(self, cells: Sequence[Sequence[float | None]], *, longer: bool) -> list[Piece]:
        """What the shades of hours mean; nothing without hours."""
        highest = max((each for row in cells for each in row if each is not None), default=0)
        most = time_words(highest) if longer else f"{round(highest):,}"
        return [("dim", f"   {self.heat.shades}  up to {most}")] if cells else []

    def hour_words(self) -> str:
        """Values of the heat map's selected cell."""
        day, hour = self.heat.day, self.heat.hour
        if self._hours is None:
            return ""
        count, response = _cell_words(self._hours, day, hour)
        words = f"{WEEKDAYS[day]} {hour:02}:00: {count} received, first response {response}"
        before = self._hours.previous
        return f"{words}; was {', '.join(_cell_words(before, day, hour))}" if before else words

    def _series(self) -> Sequence[Bucket]:
        return self._report.series or () if self._report else ()

    def _labels(self) -> list[str]:
        series = self._series()
        return [
            bucket_label(bucket, self._granularity, self._zone, len(series)) for bucket in series
        ]

    def _series_before(self) -> Sequence[Bucket]:
        return self._report.previous_series or () if self._report else ()

    def _scene(self, metric: Metric) -> Scene:
        series = self._series()
        return Scene(
            tuple(value_of(bucket.metrics, metric.field) for bucket in series),
            tuple(value_of(bucket.metrics, metric.field) for bucket in self._series_before()),
            tuple(self._labels()),
            frozenset(
                at
                for at, bucket in enumerate(series)
                if unfinished(bucket, self._granularity, self._zone, self._now)
            ),
            metric.timed,
            partial(value_words, metric),
        )

    def _title_words(self, metric: Metric, scene: Scene | None) -> list[Piece]:
        pieces: list[Piece] = [("strong", f"{metric.name.upper()} PER {self._granularity.upper()}")]
        if scene is None:
            return pieces
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
            was += f" ({bucket_words(self._series_before()[at], self._granularity, self._zone)})"
        if at >= len(self._series()):
            return was
        bucket = self._series()[at]
        when = bucket_words(bucket, self._granularity, self._zone)
        part = " (part)" if at in scene.unfinished else ""
        return f"{when}{part}: {_measured(figure.metric, bucket)}, {was}"

    def copied(self) -> str:
        """Text that the copy action takes from the focused pane."""
        match self.at:
            case "live":
                return self.live.copied
            case "plot" if self.has_class("-heat"):
                return self.hour_words()
            case "plot":
                figure: Figure | None = self.metrics.row
                return f"{figure.metric.name if figure else ''}, {self.column_words()}"
            case "channels" if self.channels.row is not None:
                group: BreakdownRow = self.channels.row
                values = [
                    f"{metric.name} {value_words(metric, value_of(group.current, metric.field))}"
                    for metric in DIMENSIONS[self.channels.breakdown].metrics
                ]
                return f"{group.name}: {', '.join(values)}"
            case "authors" if self.authors.row is not None:
                return str(self.authors.row.sentence)
        return figure_words(self.metrics.row) if self.metrics.row else ""


def not_together(part: str, subject: str) -> str:
    """Sentence for a part that a report of one user, team or label, or in its clock, has not."""
    if not subject or part in CALENDAR_PARTS:
        return f"business hours are not shown {PART_WORDS[part]}"
    return f"a report of one {subject} is not shown {PART_WORDS[part]}"


def not_reported(part: str) -> str:
    """Sentence for a server that lacks a part."""
    return f"this server does not report {PART_WORDS[part]}"


def _cells(grid: HourGrid | None, *, longer: bool) -> Sequence[Sequence[float | None]]:
    """Values by weekday and hour; empty unless there is one for each hour of the week."""
    if grid is None:
        return ()
    cells: Sequence[Sequence[float | None]] = (
        grid.avg_first_response_time if longer else grid.received
    )
    whole = len(cells) == len(WEEKDAYS) and all(len(row) == HOURS for row in cells)
    return cells if whole else ()


def _cell_words(grid: HourGrid, day: int, hour: int) -> tuple[str, str]:
    """Messages received and mean first response of an hour of the week."""
    received, times = _cells(grid, longer=False), _cells(grid, longer=True)
    number = received[day][hour] if received else None
    seconds = times[day][hour] if times else None
    return (
        NO_VALUE if number is None else f"{round(number):,}",
        NO_VALUE if seconds is None else time_words(seconds),
    )


def _measured(metric: Metric, bucket: Bucket) -> str:
    """Value of a bucket; of a mean with its number of samples."""
    value = value_of(bucket.metrics, metric.field)
    if value is None:
        return "no samples"
    samples = bucket.samples.get(metric.field) if metric.timed else None
    return value_words(metric, value) + (f" of {samples:,}" if samples else "")
