"""Texts of the report's bars, as pure functions of the report."""

from datetime import date, datetime, timedelta, tzinfo

from frontdesk.errors import Forbidden, InboxError, NotFound
from frontdesk.text import clean, one_line, short_date, time_of_day
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens.key_names import KeyNames
from frontdesk.tui.screens.report_periods import PERIODS, range_words
from frontdesk.tui.screens.report_query import moments_of
from frontdesk.tui.widgets.cells import Piece
from frontdesk.tui.widgets.metrics import FEW, value_words
from frontdesk.tui.widgets.report_tables import Figure
from frontdesk.wire import Period, Report, instant

NOT_BY_PERIOD = "all conversations of this channel: /v1 has no filter for a period"
NOT_BY_AUTHOR = "all conversations: /v1 has no filter for who wrote"


def refusal(error: InboxError, keys: KeyNames) -> str:
    """Explanation of a failed request, with what to do next."""
    sentence = one_line(clean(str(error))).rstrip(".")
    match error:
        case Forbidden(scope=scope):
            return f"{sentence}. Reports need a key with the scope {scope or 'reports:read'}."
        case NotFound():
            return f"{sentence}. This server has no reports."
    return f"{sentence}. {keys['report.period']} chooses another period."


def as_of(report: Report | None, clock: Clock) -> str:
    """Local time of the live counts; empty if unknown."""
    moment = clock.local(report.live.as_of) if report and report.live else None
    return time_of_day(moment) if moment else ""


def heading(title: str, channel: str, width: int) -> list[Piece]:
    """Header: title of the inbox and name of the channel."""
    words = "REPORTS " if width >= 100 else "REPORT "
    return [("accent", f" {words}"), ("strong", one_line(title)), ("dim", f" · {channel}")]


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
        pieces.append(("dim", f"  vs {before}"))
    return [*pieces, ("text", " ")]


def _range(period: Period, zone: tzinfo, *, year: bool) -> str:
    start, end = instant(period.from_), instant(period.to)
    if start is None or end is None:
        return f"{one_line(period.from_)} – {one_line(period.to)}"
    return range_words(start.astimezone(zone), end.astimezone(zone), year=year)


def foot(report: Report | None, zone: tzinfo, width: int, keys: KeyNames) -> list[Piece]:
    """Footnotes for reading the numbers, most important first, as far as `width` allows."""
    if report is None:
        return []
    moments = moments_of(report)
    sentences = []
    if moments is not None and moments[1].astimezone(zone).time() != datetime.min.time():
        sentences.append(
            f"the last day is partial, until {time_of_day(moments[1].astimezone(zone))}"
        )
    if width < 100:
        sentences.append(one_line(report.period.timezone))
    sentences.append(f"{keys['report.formula']} what a figure is")
    sentences.append("PREVIOUS is just as long, its bars are whole days")
    sentences.append(f"grey: fewer than {FEW} samples")
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
            sentences.append(f"Fewer than {FEW} samples, now or before: the change says little.")
    sentences.append("A percentage needs a value before that is more than zero.")
    sentences.append(f"{open_key} leads to {metric.other_set}.")
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
