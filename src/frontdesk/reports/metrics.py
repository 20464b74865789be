"""Report metrics: definitions, labels, formatting of values, changes between periods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from frontdesk.text.clean import is_ascii_terminal, one_line
from frontdesk.text.messages import author_word
from frontdesk.text.times import duration
from frontdesk.wire import ConversationFilter, Ref, ReportQuery
from frontdesk.wire.reports import (
    AdFigures,
    LiveCounts,
    Metrics,
    Percentiles,
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


@dataclass(frozen=True, slots=True)
class Metric:
    """Definition of a metric. heading: name of its column.

    better: 1 if higher is better, -1 if lower is, 0 if neither. sampled: unit of the samples of a
    mean. status: filter for the related conversations; difference: which those are, where they are
    not exactly the counted ones. dated: the counted ones are those that began in the period.
    """

    field: str
    name: str
    heading: str
    formula: str
    difference: str
    better: int = 0
    sampled: str = ""
    status: str | None = None
    dated: bool = False

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
        "those that began in the period; all, if its days are not those of this computer's zone",
        dated=True,
    ),
    Metric(
        "reopened_count",
        "Reopened",
        "Reopened",
        "How often a resolved conversation was opened again in the period. "
        "New and reopened together are the work that came in.",
        "all open conversations: the server cannot filter for reopened ones",
        status="open",
    ),
    Metric(
        "incoming_messages_count",
        "Messages received",
        "Received",
        "Messages from customers in the period, without reactions, calls and system lines.",
        "all conversations: the server cannot filter them by the dates of messages",
    ),
    Metric(
        "outgoing_messages_count",
        "Messages sent",
        "Sent",
        "Messages to customers in the period by anybody or anything, failed ones too, "
        "without reactions, calls and system lines.",
        "all conversations: the server cannot filter them by the dates of messages",
    ),
    Metric(
        "resolutions_count",
        "Resolved",
        "Resolved",
        "How often a conversation was resolved in the period; one may be resolved repeatedly.",
        "all conversations that are resolved now, whenever that was done",
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
        "all open conversations: the server cannot filter them by first responses",
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
        "all open conversations: the server cannot filter them by replies",
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
        "all conversations that are resolved now, whenever that was done",
        better=-1,
        sampled="closed",
        status="resolved",
    ),
    Metric(
        "bot_handoffs_count",
        "Handed to a human",
        "To a human",
        "Conversations that the AI agent handed to a human in the period, each counted once.",
        "all open conversations: the server cannot filter for those handed to a human",
        status="open",
    ),
    Metric(
        "bot_resolutions_count",
        "Resolved by AI",
        "By AI",
        "Resolutions in the period of episodes in which the AI agent wrote and no person did.",
        "all conversations that are resolved now, whoever did that and whenever",
        status="resolved",
    ),
)
ANSWERED = Metric(
    "answered_conversations_count",
    "Conversations answered",
    "Answered",
    "Conversations in which the person wrote to the customer in the period, each counted once.",
    "all conversations: the server cannot filter them by the dates of messages",
)
ARRIVED = Metric(
    "ad_conversations_count",
    "Came from the ad",
    "From ad",
    "Conversations in which the customer wrote from the ad in the period, each counted once.",
    "all conversations: the server cannot filter them by the dates of messages",
)
BY_FIELD: Mapping[str, Metric] = {metric.field: metric for metric in (*METRICS, ANSWERED, ARRIVED)}

# The targets by the mean of what they limit.
TARGETS: Mapping[str, str] = {
    "avg_first_response_time": "first_response",
    "avg_reply_time": "reply",
}
NOBODY = "nobody"
# Name and key of the row of all; no id is it.
ALL = "all"


@dataclass(frozen=True, slots=True)
class Breakdown:
    """A table of a report by channel, person, team or label; `part`: its member of the report.

    scope, heading: what a row is. changed: fields that are shown with their change. remark: how the
    figures are to be read.
    """

    part: str
    scope: str
    heading: str
    fields: tuple[str, ...]
    changed: tuple[str, ...]
    remark: str = ""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(BY_FIELD[field] for field in self.fields)


_BY_PERSON = (
    *("outgoing_messages_count", "answered_conversations_count", "avg_first_response_time"),
    *("avg_reply_time", "resolutions_count"),
)
CHANGED = ("conversations_count", "avg_first_response_time")
_CHANGED_OF_PERSONS = ("avg_first_response_time", "avg_reply_time")
BREAKDOWNS: Mapping[str, Breakdown] = {
    breakdown.part: breakdown
    for breakdown in (
        Breakdown(
            "channels",
            "channel",
            "Channel",
            tuple(metric.field for metric in METRICS),
            CHANGED,
        ),
        Breakdown("users", "user", "Person", _BY_PERSON, _CHANGED_OF_PERSONS),
        Breakdown(
            "teams",
            "team",
            "Team",
            _BY_PERSON,
            _CHANGED_OF_PERSONS,
            "members of the teams, on the teams' channels",
        ),
        Breakdown(
            "labels",
            "label",
            "Label",
            (
                *("conversations_count", "incoming_messages_count", "outgoing_messages_count"),
                *("resolutions_count", "avg_first_response_time", "avg_reply_time"),
                "avg_resolution_time",
            ),
            CHANGED,
            "conversations that carry the label now: labels have no history",
        ),
        Breakdown(
            "ads",
            "ad",
            "Ad",
            (
                *("ad_conversations_count", "conversations_count", "resolutions_count"),
                *("avg_first_response_time", "avg_reply_time", "avg_resolution_time"),
            ),
            ("ad_conversations_count", "avg_first_response_time"),
            "conversations that customers came to by the ad in the period",
        ),
    )
}
# Values that are no row of a table of their own, with the words for a server that lacks them.
PART_WORDS: Mapping[str, str] = {
    "users": "by person",
    "teams": "by team",
    "labels": "by label",
    "ads": "by ad",
    "hours": "by hour",
    "spread": "p50 and p90",
    "targets": "targets",
    "waits": "waits by age",
}
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
# Ages of waits: members of `WaitAges`, and headings.
WAIT_AGES: Mapping[str, str] = {
    "under_1h": "<1h",
    "under_4h": "1–4h",
    "under_1d": "4–24h",
    "over_1d": ">1d",
}
# Figures of a person at this moment, with their headings; waits by age are "waiting_" and the age.
NOW_FIGURES: Mapping[str, str] = {
    "availability": "Status",
    "open": "Open",
    "waiting": "Waits",
    "longest_waiting_since": "Longest",
    "unread": "Unread",
    **{f"waiting_{age}": words for age, words in WAIT_AGES.items()},
    "over_first_response": "Over first",
    "over_reply": "Over reply",
}
# Figures that depend on the request or the server; of the others, availability is one of users.
OPTIONAL_NOW = tuple(key for key in NOW_FIGURES if key.startswith(("waiting_", "over_")))
_ALWAYS_NOW = ("open", "waiting", "longest_waiting_since", "unread")
Measured: TypeAlias = Metrics | PersonFigures | AdFigures


@dataclass(frozen=True, slots=True)
class BreakdownRow:
    """A row of a breakdown. key: identifies the row; id: of the channel, user, team or label."""

    scope: str
    key: str
    id: str | None
    name: str
    current: Measured
    previous: Measured | None
    now: PersonNow | None = None


def groups_of(report: Report, part: str) -> list[BreakdownRow] | None:
    """Rows of a breakdown; None if the server did not send it."""
    match part:
        case "channels":
            return [
                _group("channel", channel.channel, channel.metrics, channel.previous, None)
                for channel in report.channels
            ]
        case "users" if report.users is not None:
            return [
                _group("user", user.user, user.current, user.previous, user.now)
                for user in report.users
            ]
        case "teams" if report.teams is not None:
            return [
                _group("team", team.team, team.current, team.previous, team.now)
                for team in report.teams
            ]
        case "labels" if report.labels is not None:
            return [
                _group("label", label.label, label.current, label.previous, None)
                for label in report.labels
            ]
        case "ads" if report.ads is not None:
            return [
                _group(
                    "ad", Ref(id=each.ad.id, name=each.ad.name), each.current, each.previous, None
                )
                for each in report.ads
            ]
    return None


def _group(
    scope: str, ref: Ref | None, current: Measured, previous: Measured | None, now: PersonNow | None
) -> BreakdownRow:
    name = NOBODY if ref is None else one_line(ref.name or ref.id or f"no {scope}")
    id = ref.id if ref else None
    return BreakdownRow(scope, id or name, id, name, current, previous, now)


def with_part(report: Report, part: str, answer: Report | None) -> Report:
    """Return a report with a part of another answer, as far as that has it."""
    if answer is None:
        return report
    if part == "waits":
        if report.live is None or answer.live is None or answer.live.waits is None:
            return report
        live = report.live.model_copy(update={"waits": answer.live.waits})
        return report.model_copy(update={"live": live})
    value = getattr(answer, part)
    return report if value is None else report.model_copy(update={part: value})


# Parts that are no member of the report.
_INNER_PARTS = ("spread", "waits")


def all_of(report: Report, part: str) -> BreakdownRow | None:
    """The row that all rows of a breakdown are compared with; None if the server sent none."""
    scope = BREAKDOWNS[part].scope
    if part in ("users", "teams"):
        every = report.everyone
        if every is None:
            return None
        return BreakdownRow(scope, ALL, None, ALL, every.current, every.previous, every.now)
    if part == "ads":
        return None
    return BreakdownRow(scope, ALL, None, ALL, report.metrics, report.previous)


def missing_parts(report: Report, query: ReportQuery) -> list[str]:
    """Parts and targets of a query that the server did not answer."""
    parts = query.include.split(",") if query.include else []
    missing = [name for name in parts if name not in _INNER_PARTS and getattr(report, name) is None]
    if "spread" in parts and "spread" not in report.metrics.model_fields_set:
        missing.append("spread")
    if "waits" in parts and (report.live is None or report.live.waits is None):
        missing.append("waits")
    has_target = query.target_first_response is not None or query.target_reply is not None
    if has_target and "targets" not in report.metrics.model_fields_set:
        missing.append("targets")
    return missing


def seconds_of(target: timedelta | None) -> int | None:
    """A target as reports take it."""
    return None if target is None else round(target.total_seconds())


def now_figures(groups: Sequence[BreakdownRow]) -> dict[str, str]:
    """Keys and headings of the figures of now that the server sent.

    Teams have no availability, and there is nothing over a target without one.
    """
    shown = [group.now for group in groups if group.now]
    return {
        key: name
        for key, name in NOW_FIGURES.items()
        if shown and (key in _ALWAYS_NOW or any(now_value(now, key) is not None for now in shown))
    }


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
    return metrics.targets.get(TARGETS.get(field, ""))


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
    counted waits too long. meaning: what is counted, where the name does not say it.
    """

    field: str
    name: str
    short: str
    filter: ConversationFilter
    difference: str = ""
    waiting: str = ""
    late: bool = False
    meaning: str = ""

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
    """Change of a metric: its size, its meaning, and the style of both."""

    size: str
    meaning: str = ""
    part: str = "text"

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
        return Change("=", "", "dim")
    if metric.timed:
        samples = [samples_in(each, metric.field) for each in (current, previous)]
        few = any(number is not None and number < FEW_SAMPLES for number in samples)
        says_much = None not in samples and not few
    else:
        few, says_much = False, max(now, then) >= FEW_SAMPLES
    meaning = "few samples" if few else _judgement(metric, now, then) if says_much else ""
    part = "dim" if few else {"worse": "warning", "better": "good"}.get(meaning, "text")
    size = change_size(now, then, glyphs)
    return Change(size, "", "dim") if size == glyphs.about else Change(size, meaning, part)


def change_size(now: float | None, then: float | None, glyphs: Glyphs = BLOCKS) -> str:
    """Size of a change: ▲ 12 %, =, or new where nothing was before; "" without a value."""
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
    return f"{mark} {abs(share):.0%}".replace("%", " %")


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
    """Metrics that the report contains."""
    known = report.metrics.model_fields_set
    metrics = [metric for metric in _ORDERED if metric.field in known]
    figures = [_figure(metric, report, glyphs) for metric in metrics]
    # In a report of persons, there is no count of what they do not do.
    return [each for each in figures if each.metric.timed or each.now is not None]


_ORDERED = (*METRICS[:4], ANSWERED, *METRICS[4:])


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
