"""Report metrics: definitions, labels, formatting of values, changes between periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from frontdesk.text import is_ascii_terminal, one_line, words
from frontdesk.wire import Bucket, ChannelMetrics, ConversationFilter, Metrics, PricingCount, Report


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


FEW = 5

NOTHING = "–"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Metric:
    """Definition of a metric. heading: name of its column.

    better: 1 if higher is better, -1 if lower is, 0 if neither. sampled: unit of the samples of a
    mean. status: filter for the related conversations; other_set: how those differ from the
    counted ones.
    """

    field: str
    name: str
    heading: str
    formula: str
    other_set: str
    better: int = 0
    sampled: str = ""
    status: str | None = None

    @property
    def timed(self) -> bool:
        """True for a mean duration in seconds, which is None without samples."""
        return bool(self.sampled)


METRICS = (
    Metric(
        "conversations_count",
        "New conversations",
        "New",
        "Conversations that began in the period. A customer has one with each number, for life: "
        "who writes again later is under Reopened.",
        "all conversations: /v1 has no filter for when one began",
    ),
    Metric(
        "reopened_count",
        "Reopened",
        "Reopened",
        "How often a resolved conversation was opened again in the period. "
        "New and reopened together are the work that came in.",
        "those open now: /v1 has no filter for reopened ones",
        status="open",
    ),
    Metric(
        "incoming_messages_count",
        "Messages received",
        "Received",
        "Messages from customers in the period, without reactions and system lines.",
        "all conversations: /v1 lists no messages of a period",
    ),
    Metric(
        "outgoing_messages_count",
        "Messages sent",
        "Sent",
        "Messages to customers in the period by anybody or anything, failed ones too, "
        "without reactions and system lines.",
        "all conversations: /v1 lists no messages of a period",
    ),
    Metric(
        "resolutions_count",
        "Resolved",
        "Resolved",
        "How often a conversation was resolved in the period; one may be resolved repeatedly.",
        "those resolved now, whenever that was",
        better=1,
        status="resolved",
    ),
    Metric(
        "avg_first_response_time",
        "First response, mean",
        "First response",
        "Mean time from the beginning of an episode (or from being handed to a human) to the "
        "first answer by a person, over the first answers given in the period. An episode goes "
        "from opening to resolving; those that we began ourselves are left out.",
        "those open now: /v1 has no filter for first answers",
        better=-1,
        sampled="replies",
        status="open",
    ),
    Metric(
        "avg_reply_time",
        "Waiting, mean",
        "Waiting",
        "Mean time that a customer waited for an answer by a person, over all answers in the "
        "period but the first of each episode.",
        "those open now: /v1 has no filter for answers",
        better=-1,
        sampled="replies",
        status="open",
    ),
    Metric(
        "avg_resolution_time",
        "Resolution, mean",
        "Resolution",
        "Mean time from the beginning of an episode to its being resolved, over those resolved "
        "in the period.",
        "those resolved now, whenever that was",
        better=-1,
        sampled="closed",
        status="resolved",
    ),
    Metric(
        "bot_handoffs_count",
        "Handed to a human",
        "To a human",
        "Conversations that the AI agent handed to a human in the period, each counted once.",
        "those open now: /v1 has no filter for handed over",
        status="open",
    ),
    Metric(
        "bot_resolutions_count",
        "Resolved by AI",
        "By AI",
        "Resolutions in the period of episodes in which the AI agent wrote and no person did.",
        "those resolved now, by anybody, whenever that was",
        status="resolved",
    ),
)
BY_FIELD: Mapping[str, Metric] = {metric.field: metric for metric in METRICS}


@dataclass(frozen=True, slots=True)
class Live:
    """A live count, the filter of its list, and how that list differs from the count."""

    field: str
    name: str
    short: str
    chosen: ConversationFilter
    other_set: str = ""


_OPEN = ConversationFilter(status="open")
LIVE = (
    Live("open", "open", "open", _OPEN),
    Live(
        "unassigned",
        "unassigned",
        "unass.",
        ConversationFilter(status="open", assignee="unassigned"),
    ),
    Live(
        "unattended",
        "unattended",
        "unatt.",
        _OPEN,
        "all open ones: /v1 has no filter for unattended",
    ),
    Live(
        "awaiting_human",
        "need a human",
        "human",
        _OPEN,
        "all open ones: /v1 has no filter for those that need a human",
    ),
)


def value_of(metrics: Metrics | None, field: str) -> float | None:
    """Value of a metric; None if the server did not send it, or for a mean without samples."""
    if metrics is None or field not in metrics.model_fields_set:
        return None
    value: float | None = getattr(metrics, field)
    return value


def samples_of(series: Sequence[Bucket] | None, field: str) -> int | None:
    """Number of samples of a mean; None if the series does not contain it."""
    if series is None or not any(field in bucket.samples for bucket in series):
        return None
    return sum(bucket.samples.get(field, 0) for bucket in series)


def value_words(metric: Metric, value: float | None, *, tight: bool = False) -> str:
    """Formatted value, such as 1,204 or 5 m 12 s; a dash for None."""
    if value is None:
        return NOTHING
    if not metric.timed:
        return f"{round(value):,}"
    return time_words(value).replace(" ", "") if tight else time_words(value)


def time_words(seconds: float) -> str:
    """Duration in its two largest units: 12 s, 5 m 12 s, 5 h 01 m, 2 d 3 h."""
    whole = max(0, round(seconds))
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} m {whole % _MINUTE:02} s"
    if whole < _DAY:
        return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE:02} m"
    return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"


@dataclass(frozen=True, slots=True)
class Change:
    """Change of a metric: its size, its meaning, and the style of both."""

    size: str
    meaning: str = ""
    part: str = "text"

    @property
    def words(self) -> str:
        return f"{self.size} {self.meaning}".strip()


def change(
    metric: Metric,
    now: float | None,
    then: float | None,
    *,
    samples: Sequence[int | None] = (),
    glyphs: Glyphs = BLOCKS,
) -> Change:
    """Change from `then` to `now`. samples: number of samples of each, None if unknown."""
    if now is None:
        return Change("", "no samples", "dim")
    if then is None:
        return Change("", "no previous", "dim")
    if now == then:
        return Change("=", "", "dim")
    few = any(number is not None and number < FEW for number in samples)
    meaning = "few samples" if few else _judgement(metric, now, then)
    part = "dim" if few else {"worse": "warning", "better": "good"}.get(meaning, "text")
    if then == 0:
        return Change("new", meaning, part)
    share = (now - then) / then
    if abs(share) < 0.005:
        return Change(glyphs.about, "", "dim")
    mark = glyphs.up if share > 0 else glyphs.down
    return Change(f"{mark} {abs(share):.0%}".replace("%", " %"), meaning, part)


def _judgement(metric: Metric, now: float, then: float) -> str:
    if not metric.better or abs(now - then) < 0.005 * abs(then):
        return ""
    return "better" if (now > then) == (metric.better > 0) else "worse"


def pricing_words(count: PricingCount) -> tuple[str, str]:
    """Category and type of charged messages."""
    return count.category or "unknown", count.type or "unknown"


AUTHORS = {
    "user": "Agents",
    "phone": "Agents (phone app)",
    "ai_agent": "AI agent",
    "campaign": "Campaigns",
    "api": "Other programs",
    "automation": "Automation",
}


def author_name(author: str) -> str:
    """Display name of who or what sent messages."""
    return AUTHORS.get(author) or words(one_line(author))


def channel_name(channel: ChannelMetrics) -> str:
    """Display name of a row's channel."""
    return one_line(channel.channel.name or channel.channel.id or "no channel")


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric with current and previous value, change, and series."""

    metric: Metric
    now: float | None
    then: float | None
    change: Change
    samples: int | None
    series: tuple[float | None, ...]

    @property
    def few(self) -> bool:
        return self.change.meaning == "few samples"


def figures_of(report: Report, *, glyphs: Glyphs = BLOCKS) -> list[Figure]:
    """Metrics that the report contains."""
    known = report.metrics.model_fields_set
    return [_figure(metric, report, glyphs) for metric in METRICS if metric.field in known]


def _figure(metric: Metric, report: Report, glyphs: Glyphs) -> Figure:
    field = metric.field
    now, then = value_of(report.metrics, field), value_of(report.previous, field)
    samples = samples_of(report.series, field) if metric.timed else None
    both = (samples, samples_of(report.previous_series, field)) if metric.timed else ()
    series = tuple(value_of(bucket.metrics, field) for bucket in report.series or ())
    changed = change(metric, now, then, samples=both, glyphs=glyphs)
    return Figure(metric, now, then, changed, samples, series)
