"""Values of a report: the rows of a dimension, words of a value, changes between periods."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias

from frontdesk.reports.registry import (
    ANSWERED,
    AUTHORS,
    BY_FIELD,
    DIMENSIONS,
    LISTED,
    NOW_FIGURES,
    OPEN_AT_END,
    WAIT_AGES,
    Metric,
    NowFigure,
)
from frontdesk.text.clean import is_ascii_terminal, one_line
from frontdesk.text.messages import author_word
from frontdesk.text.times import duration
from frontdesk.wire import ConversationFilter, Ref, ReportQuery
from frontdesk.wire.reports import (
    AdFigures,
    AdRef,
    Bucket,
    ChannelMetrics,
    LiveCounts,
    Metrics,
    Percentiles,
    PersonBucket,
    PersonFigures,
    PersonNow,
    PricingCount,
    Report,
    TargetShare,
)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """levels: bars from lowest to highest, evenly spaced. gap: no value. zero: value zero.

    stem: full cell below the top of a bar.
    """

    levels: str
    zero: str
    gap: str
    stem: str
    before: str
    up: str
    down: str
    about: str
    axis: str
    corner: str
    floor: str
    bar: str


BLOCKS = Glyphs("▁▂▃▄▅▆▇█", "▁", "·", "█", "░", "▲", "▼", "≈", "┤", "┼", "─", "█")
ASCII = Glyphs("123456789", "0", ".", "#", ":", "+", "-", "~", "|", "+", "-", "#")


def glyphs_for(environment: Mapping[str, str]) -> Glyphs:
    """Blocks, unless the terminal or the locale is known not to support them."""
    return ASCII if is_ascii_terminal(environment) else BLOCKS


FEW_SAMPLES = 5

NO_VALUE = "–"
NO_FIGURES = "None of these figures is in the answer of the server."
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


NOBODY = "nobody"
# Name and key of the row of all; no id is it.
ALL = "all"


Measured: TypeAlias = Metrics | PersonFigures | AdFigures
_ALWAYS_NOW = ("open", "waiting", "longest_waiting_since", "unread")


class ReportFact(NamedTuple):
    """A value for programs: of what, in which period, a figure by its name in the API.

    scope: what `name` is, with _part for a person in a part of the period. period: of PERIODS.
    part: first instant and end of a part of it. value: durations in seconds.
    """

    scope: str
    name: str
    period: str
    figure: str
    value: str | float | None
    samples: int | None = None
    part: tuple[str, str] | None = None


THIS, PREVIOUS, NOW = PERIODS = ("this", "previous", "now")


@dataclass(frozen=True, slots=True)
class BreakdownRow:
    """A row of a dimension. key: identifies the row; id: of the channel, user, team or label."""

    scope: str
    key: str
    id: str | None
    name: str
    current: Measured
    previous: Measured | None
    now: PersonNow | None = None
    series: Sequence[PersonBucket] = ()

    def facts(self, metric: Metric) -> Iterator[ReportFact]:
        """Yield the facts of a metric in both periods, and in each part of this one."""
        for period, measured in ((THIS, self.current), (PREVIOUS, self.previous)):
            yield from facts_in(measured, metric, self.scope, self.name, period)
        for part in self.series:
            of, when = f"{self.scope}_part", (part.start, part.end)
            yield from facts_in(part.metrics, metric, of, self.name, THIS, when)


def groups_of(report: Report, part: str) -> list[BreakdownRow] | None:
    """Rows of a dimension; None if the server did not send it."""
    sent: Sequence[Any] | None = getattr(report, part)
    return None if sent is None else [_group(DIMENSIONS[part].scope, each) for each in sent]


def _group(scope: str, sent: Any) -> BreakdownRow:
    """The row of a member of a dimension. Only channels call their figures `metrics`."""
    ref: Ref | AdRef | None = getattr(sent, scope)
    name = NOBODY if ref is None else one_line(ref.name or ref.id or f"no {scope}")
    id = ref.id if ref else None
    current = sent.metrics if isinstance(sent, ChannelMetrics) else sent.current
    now, series = getattr(sent, "now", None), getattr(sent, "series", None)
    return BreakdownRow(scope, id or name, id, name, current, sent.previous, now, series or ())


def with_part(report: Report, part: str, answer: Report | None) -> Report:
    """Return a report with a part of another answer, as far as that has it.

    What was open at the end comes with the waits, all persons together with each of them.
    """
    if answer is None:
        return report
    if part == "waits":
        report = _with_backlog(report, answer)
        if report.live is None or answer.live is None or answer.live.waits is None:
            return report
        live = report.live.model_copy(update={"waits": answer.live.waits})
        return report.model_copy(update={"live": live})
    members = (part, "everyone") if part in ("users", "teams") else (part,)
    update = {name: value for name in members if (value := getattr(answer, name)) is not None}
    return report.model_copy(update=update) if update else report


def _with_backlog(report: Report, answer: Report) -> Report:
    """Take over what was open at the ends of the period, of the one before and of their parts."""
    field = OPEN_AT_END.field
    if field not in answer.metrics.model_fields_set:
        return report

    def completed(metrics: Metrics, other: Metrics | None) -> Metrics:
        count = value_of(other, field)
        return metrics if count is None else metrics.model_copy(update={field: count})

    def series(own: tuple[Bucket, ...] | None, others: Sequence[Bucket] | None) -> Any:
        found = {bucket.start: bucket.metrics for bucket in others or ()}
        return own and tuple(
            bucket.model_copy(
                update={"metrics": completed(bucket.metrics, found.get(bucket.start))}
            )
            for bucket in own
        )

    update = {
        "metrics": completed(report.metrics, answer.metrics),
        "series": series(report.series, answer.series),
        "previous_series": series(report.previous_series, answer.previous_series),
    }
    if report.previous is not None:
        update["previous"] = completed(report.previous, answer.previous)
    return report.model_copy(update=update)


# Parts that are no member of the report.
_INNER_PARTS = ("spread", "waits", "backlog", "person_series")


def all_of(report: Report, part: str) -> BreakdownRow | None:
    """The row of all rows of a dimension together; None if the server sent none."""
    scope = DIMENSIONS[part].scope
    if part in ("users", "teams"):
        every = report.everyone
        if every is None:
            return None
        figures = every.current, every.previous, every.now
        return BreakdownRow(scope, ALL, None, ALL, *figures, every.series or ())
    if part == "ads":
        return None
    return BreakdownRow(scope, ALL, None, ALL, report.metrics, report.previous)


def missing_parts(report: Report, query: ReportQuery) -> list[str]:
    """Parts and targets of a query that the server did not answer."""
    parts = query.include.split(",") if query.include else []
    missing = [name for name in parts if name not in _INNER_PARTS and getattr(report, name) is None]
    if "spread" in parts and "spread" not in report.metrics.model_fields_set:
        missing.append("spread")
    if "backlog" in parts and OPEN_AT_END.field not in report.metrics.model_fields_set:
        missing.append("backlog")
    if "person_series" in parts and (report.everyone is None or report.everyone.series is None):
        missing.append("person_series")
    if "waits" in parts and (report.live is None or report.live.waits is None):
        missing.append("waits")
    has_target = query.target_first_response is not None or query.target_reply is not None
    if has_target and "targets" not in report.metrics.model_fields_set:
        missing.append("targets")
    return missing


def now_figures(groups: Sequence[BreakdownRow]) -> list[NowFigure]:
    """Figures of now that the server sent.

    Teams have no availability, and there is nothing over a target without one.
    """
    shown = [group.now for group in groups if group.now]
    return [
        figure
        for figure in NOW_FIGURES
        if shown
        and (
            figure.field in _ALWAYS_NOW
            or any(now_value(now, figure.field) is not None for now in shown)
        )
    ]


def now_value(counts: PersonNow | LiveCounts | None, key: str) -> str | int | None:
    """Figure of this moment by its key; None if the server did not send it."""
    age = key.removeprefix("waiting_")
    value: str | int | None
    if age in WAIT_AGES:
        is_sent = counts is not None and "waits" in counts.model_fields_set
        value = getattr(counts.waits, age, None) if is_sent and counts else None
    else:
        value = getattr(counts, key, None)
    return value


def now_words(now: PersonNow | None, field: str, moment: datetime | None) -> str:
    """Figure of a person at this moment; the longest wait as its length at `moment`."""
    if field == "longest_waiting_since":
        since = now.longest_waiting_since_time if now else None
        return duration(moment - since) if since is not None and moment else NO_VALUE
    value = now_value(now, field)
    if value is None:
        return NO_VALUE
    return one_line(value) if isinstance(value, str) else f"{value:,}"


def spread_of(metrics: Measured | None, field: str) -> Percentiles | None:
    """Percentiles of a mean; None if the server did not send them."""
    if metrics is None or isinstance(metrics, AdFigures):
        return None
    return metrics.spread.get(field)


def percentile_words(spread: Percentiles | None, name: str) -> str:
    """The percentile "p50" or "p90", with ~ if it is approximate."""
    value: float | None = getattr(spread, name, None)
    if spread is None or value is None:
        return NO_VALUE
    text = time_words(value)
    return f"~{text}" if spread.approximate else text


def target_of(metrics: Measured | None, field: str) -> TargetShare | None:
    """Share within the target of a mean; None without a target."""
    if metrics is None or isinstance(metrics, AdFigures):
        return None
    return metrics.targets.get(BY_FIELD[field].target)


def facts_in(
    measured: Measured | None,
    metric: Metric,
    scope: str,
    name: str,
    period: str,
    part: tuple[str, str] | None = None,
) -> Iterator[ReportFact]:
    """Yield a metric as far as it was sent: its value, its percentiles, how many are in time."""
    field = metric.field
    if measured is None or field not in measured.model_fields_set:
        return
    samples = samples_in(measured, field) if metric.timed else None
    yield ReportFact(scope, name, period, field, value_of(measured, field), samples, part)
    if spread := spread_of(measured, field):
        about = "approximate_" if spread.approximate else ""
        for percentile in ("p50", "p90"):
            figure = about + field.replace("avg", percentile)
            yield ReportFact(scope, name, period, figure, getattr(spread, percentile), part=part)
    if target := target_of(measured, field):
        about = "approximate_" if target.approximate else ""
        figure = f"{about}{metric.target}_within_{target.target_seconds}s"
        yield ReportFact(scope, name, period, figure, target.within, target.samples, part)


def target_words(target: TargetShare | None) -> str:
    """Share within a target: 82 % in 15m."""
    if target is None or not target.samples:
        return NO_VALUE
    about = "~" if target.approximate else ""
    return f"{about}{target.within / target.samples:.0%} in {length_words(target.target_seconds)}"


def length_words(seconds: int) -> str:
    """Length in one unit, as in queries: 90s, 15m, 1h, 2d."""
    units = (("d", _DAY), ("h", _HOUR), ("m", _MINUTE), ("s", 1))
    return next(f"{seconds // each}{unit}" for unit, each in units if seconds % each == 0)


@dataclass(frozen=True, slots=True)
class LiveFigure:
    """A live count, the filter of its list, and what that shows if it is not what was counted.

    waiting: terms of a query for how long customers of the list wait. late: a customer who is
    counted waits too long. meaning: what is counted, where the name does not say it. minor: where
    there is little room, it is not shown.
    """

    field: str
    name: str
    short: str
    filter: ConversationFilter
    difference: str = ""
    waiting: str = ""
    late: bool = False
    meaning: str = ""
    minor: bool = False

    @property
    def heading(self) -> str:
        """Title of a column: Open now."""
        return self.name.capitalize() + ("" if self.waiting else " now")


_OPEN = ConversationFilter(status="open")
LIVE = (
    LiveFigure("open", "open", "open", _OPEN),
    LiveFigure(
        "unassigned",
        "unassigned",
        "unass.",
        ConversationFilter(status="open", assignee="unassigned"),
    ),
    LiveFigure(
        "unattended",
        "unattended",
        "unatt.",
        _OPEN,
        "all open conversations: the server cannot filter for unattended ones",
        meaning="open, without a first answer or with a customer who waits again",
        minor=True,
    ),
    LiveFigure(
        "awaiting_human",
        "need a human",
        "human",
        _OPEN,
        "all open conversations, not only those that need a human",
    ),
)


def live_figures(report: Report | None) -> tuple[LiveFigure, ...]:
    """Live counts, and those over the targets of the report as far as the server sent them."""
    live = report.live if report else None
    if report is None or live is None:
        return LIVE
    targets = report.metrics.targets
    over = []
    if live.over_first_response is not None and "first_response" in targets:
        length = length_words(targets["first_response"].target_seconds)
        difference = "all who wait that long, with or without a first response"
        name = f"no first answer for over {length}"
        over.append(
            LiveFigure(
                "over_first_response",
                name,
                f"new>{length}",
                _OPEN,
                difference,
                f"waiting:>{length}",
                late=True,
            )
        )
    if live.over_reply is not None and "reply" in targets:
        length = length_words(targets["reply"].target_seconds)
        difference = "all who wait that long, for a first response or a later reply"
        name = f"wait longer than {length}"
        over.append(
            LiveFigure(
                "over_reply",
                name,
                f">{length}",
                _OPEN,
                difference,
                f"waiting:>{length}",
                late=True,
            )
        )
    return (*LIVE, *over, *(_AGED if live.waits is not None else ()))


_AGED = tuple(
    LiveFigure(
        f"waiting_{age}",
        f"wait {words}",
        f"wait {words}" if age == "under_1h" else words,
        _OPEN,
        waiting=terms,
        late=age == "over_1d",
    )
    for (age, words), terms in zip(
        WAIT_AGES.items(),
        ("waiting:<1h", "waiting:>1h waiting:<4h", "waiting:>4h waiting:<1d", "waiting:>1d"),
        strict=True,
    )
)


def live_words(counts: LiveCounts | None, live: LiveFigure) -> str:
    """A live count with thousands separators; a dash if the server did not send it."""
    number = now_value(counts, live.field)
    return NO_VALUE if number is None else f"{number:,}"


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of a metric among what it is a part of: its own field and others."""

    name: str
    label: str
    part: str
    among: tuple[str, ...]

    def of(self, metrics: Measured | None) -> float | None:
        """The share, from 0 to 1; None if a metric is missing, or all are 0."""
        values = [value_of(metrics, field) for field in self.among]
        part, whole = value_of(metrics, self.part), sum(value or 0 for value in values)
        return None if part is None or None in values or not whole else part / whole


# What the AI ended: it resolved it, or handed it over.
_ENDED_BY_AI = ("bot_resolutions_count", "bot_handoffs_count")
RATES = (
    Rate("bot_resolution_rate", "AI: resolved", "bot_resolutions_count", _ENDED_BY_AI),
    Rate("bot_handoff_rate", "AI: handed over", "bot_handoffs_count", _ENDED_BY_AI),
)


def rate_words(share: float | None) -> str:
    """Formatted share, such as 62 %; a dash for None."""
    return NO_VALUE if share is None else f"{share:.0%}".replace("%", " %")


def value_of(metrics: Measured | None, field: str) -> float | None:
    """Value of a metric; None if the server did not send it, or for a mean without samples."""
    if metrics is None or field not in metrics.model_fields_set:
        return None
    value: float | None = getattr(metrics, field)
    return value


def shown_metrics(metrics: Sequence[Metric], measured: Sequence[Measured]) -> tuple[Metric, ...]:
    """Return the metrics that at least one of these has; a count also has a value there."""
    known = {name for one in measured for name in one.model_fields_set}
    counted = {name for one in measured for name in known if value_of(one, name) is not None}
    return tuple(
        metric for metric in metrics if metric.field in (known if metric.timed else counted)
    )


def samples_in(measured: Measured | None, field: str) -> int | None:
    """Number of samples of a mean; None if the server does not tell it."""
    return None if measured is None else measured.samples.get(field)


def value_words(metric: Metric, value: float | None) -> str:
    """Formatted value, such as 1,204 or 5m12s; a dash for None."""
    if value is None:
        return NO_VALUE
    if not metric.timed:
        return f"{round(value):,}"
    return time_words(value)


def time_words(seconds: float) -> str:
    """Duration in its two largest units: 12s, 5m12s, 5h01m, 2d3h."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m{whole % _MINUTE:02}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02}m"
    return f"{whole // _DAY}d{whole % _DAY // _HOUR}h"


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a metric: its size, its meaning, and the style of both.

    short: both where there is little room: ▲12%!, few.
    """

    size: str
    meaning: str = ""
    part: str = "text"
    short: str = ""

    @property
    def words(self) -> str:
        return f"{self.size} {self.meaning}".strip()


def judged(
    metric: Metric, current: Measured | None, previous: Measured | None, glyphs: Glyphs = BLOCKS
) -> Change:
    """Change of a metric between two periods, and if it is better or worse.

    That is not said of a mean of fewer than five samples in one of them, or of as many as a server
    does not tell, and not of a count that is below five in both.
    """
    now, then = value_of(current, metric.field), value_of(previous, metric.field)
    if now is None:
        return Change("", "no samples", "dim")
    if then is None:
        return Change("", "no previous", "dim")
    if now == then:
        return Change("=", "", "dim", "=")
    if metric.timed:
        samples = [samples_in(each, metric.field) for each in (current, previous)]
        few = any(number is not None and number < FEW_SAMPLES for number in samples)
        says_much = None not in samples and not few
    else:
        few, says_much = False, max(now, then) >= FEW_SAMPLES
    meaning = "few samples" if few else _judgement(metric, now, then) if says_much else ""
    part = "dim" if few else {"worse": "warning", "better": "good"}.get(meaning, "text")
    size = change_size(now, then, glyphs)
    if size == glyphs.about:
        return Change(size, "", "dim", size)
    is_small = few or (not metric.timed and not says_much)
    short = "few" if is_small else _short(now, then, size, glyphs) + MARKS.get(meaning, "")
    return Change(size, meaning, part, short)


def percent_of(count: int, total: int) -> str:
    """Share in the least room: 62%; never 0% of something."""
    share = count / total if total else 0.0
    return f"{share:.0%}" if share >= 0.005 or not count else "<1%"


# In place of the words for a judgement.
MARKS: Mapping[str, str] = {"better": "+", "worse": "!"}
_MOST_TIMES = 10


def _short(now: float, then: float, size: str, glyphs: Glyphs) -> str:
    """A size without blanks, and no percentage of more than three digits."""
    if then and (now - then) / then >= _MOST_TIMES:
        return f"{glyphs.up}>{_MOST_TIMES}×"
    return size.replace(" ", "")


# Larger changes are said to be larger than this many times.
_MOST_CHANGE = 10


def change_size(now: float | None, then: float | None, glyphs: Glyphs = BLOCKS) -> str:
    """Size of a change: ▲ 12 %, ▲ >10x, =, or new where nothing was before; "" without a value."""
    if now is None or then is None:
        return ""
    if now == then:
        return "="
    if then == 0:
        return "new"
    share = (now - then) / then
    if abs(share) < 0.005:
        return glyphs.about
    mark = glyphs.up if share > 0 else glyphs.down
    if share > _MOST_CHANGE:
        # From a few of before: how many times says nothing.
        return f"{mark} >{_MOST_CHANGE}x"
    return f"{mark} {abs(share):.0%}".replace("%", " %")


def _judgement(metric: Metric, now: float, then: float) -> str:
    if not metric.better or abs(now - then) < 0.005 * abs(then):
        return ""
    return "better" if (now > then) == (metric.better > 0) else "worse"


def pricing_words(count: PricingCount) -> tuple[str, str]:
    """Category and type of charged messages."""
    return count.category or "unknown", count.type or "unknown"


def author_name(author: str) -> str:
    """Display name of who or what sent messages."""
    word = author_word(author)
    return AUTHORS.get(author) or word[:1].lower() + word[1:]


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric with current and previous value, change, and series."""

    metric: Metric
    now: float | None
    then: float | None
    change: Change
    samples: int | None
    series: tuple[float | None, ...]
    spread: Percentiles | None = None
    target: TargetShare | None = None

    @property
    def few(self) -> bool:
        return self.change.meaning == "few samples"


def figures_of(report: Report, *, glyphs: Glyphs = BLOCKS) -> list[Figure]:
    """Metrics that the report contains; those that it does not are left out."""
    known = report.metrics.model_fields_set
    return [
        figure
        for figure in all_figures(report, glyphs=glyphs)
        # In a report of persons, there is no count of what they do not do.
        if figure.metric.field in known and (figure.metric.timed or figure.now is not None)
    ]


def all_figures(report: Report, *, glyphs: Glyphs = BLOCKS) -> list[Figure]:
    """All metrics, without a value for those that the report does not contain."""
    return [_figure(metric, report, glyphs) for metric in LISTED]


def _figure(metric: Metric, report: Report, glyphs: Glyphs) -> Figure:
    field = metric.field
    now, then = value_of(report.metrics, field), value_of(report.previous, field)
    samples = samples_in(report.metrics, field) if metric.timed else None
    series = tuple(value_of(bucket.metrics, field) for bucket in report.series or ())
    if metric is ANSWERED:
        # Conversations that were answered are not counted by day: those of days do not add up.
        series = ()
    changed = judged(metric, report.metrics, report.previous, glyphs)
    spread, target = spread_of(report.metrics, field), target_of(report.metrics, field)
    return Figure(metric, now, then, changed, samples, series, spread, target)
