"""Parts of the inbox report that are included on request: users, teams, labels, hours, spread."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Self, TypeVar
from zoneinfo import ZoneInfo

from frontdesk.service.business_time import BusinessTime
from frontdesk.service.calendar_buckets import Interval, moment_of
from frontdesk.service.endpoint import EndpointRequest
from frontdesk.service.params import Parameters, echo, row_id
from frontdesk.service.percentiles import CountedDurations
from frontdesk.service.serializers import REPORT_MEANS, figures_of, grouped, report_metrics
from frontdesk.store import catalogues, report_ads, report_parts, reports
from frontdesk.store.database import Connection, Row
from frontdesk.store.report_filters import ReportFilter
from frontdesk.store.report_parts import Grouping, PartSelection
from frontdesk.store.reports import ReportSpan
from frontdesk.store.rollups import DAY, MINUTE, QUARTER, WEEK
from frontdesk.wire import Ref, timestamp
from frontdesk.wire.queries import REPORT_PARTS
from frontdesk.wire.reports import (
    AdFigures,
    AdRef,
    AdReport,
    Bucket,
    ChannelMetrics,
    EveryoneReport,
    HourGrid,
    Hours,
    LabelReport,
    LiveCounts,
    Metrics,
    PersonBucket,
    PersonFigures,
    PersonNow,
    Report,
    TeamReport,
    UserReport,
    WaitAges,
)

MAX_TARGET_SECONDS = 366 * 24 * 60 * 60
NOBODY, NO_GROUP = 0, -1
_TARGETS = ("first_response", "reply")
# Upper limits of the ages of waits, in milliseconds.
_WAIT_AGES = MappingProxyType({"under_1h": 60 * MINUTE, "under_4h": 240 * MINUTE, "under_1d": DAY})

Figures = TypeVar("Figures", Metrics, PersonFigures)


@dataclass(frozen=True, slots=True)
class PartsQuery:
    """Parts to include, and targets in milliseconds by metric."""

    parts: frozenset[str] = frozenset()
    targets: Mapping[str, int] = field(default_factory=dict)


def parts_query(parameters: Parameters) -> PartsQuery:
    """Parse `include` and the targets. After faults were recorded, the value is meaningless."""
    parts = parameters.some_of("include", REPORT_PARTS, "invalid_period")
    targets = {name: _target(parameters, f"target_{name}") for name in _TARGETS}
    return PartsQuery(
        parts,
        {name: 1000 * seconds for name, seconds in targets.items() if seconds is not None},
    )


def _target(parameters: Parameters, name: str) -> int | None:
    text = parameters.get(name)
    if text is None:
        return None
    seconds = row_id(text)
    if seconds is None or seconds > MAX_TARGET_SECONDS:
        bounds = (1, MAX_TARGET_SECONDS)
        hint = f"it must be a whole number of seconds from 1 to {bounds[1]}; got '{echo(text)}'"
        parameters.add_fault("invalid_period", name, "malformed", hint, bounds=bounds)
        return None
    return seconds


@dataclass(frozen=True, slots=True)
class PartsContext:
    """A report's request, filter, period with the one before, and zone.

    business: measures durations and waits; None for calendar time.
    """

    request: EndpointRequest
    filter: ReportFilter
    intervals: tuple[Interval, Interval]
    zone: ZoneInfo
    query: PartsQuery
    business: BusinessTime | None = None

    @property
    def connection(self) -> Connection:
        return self.request.connection

    def selection(self, interval: Interval) -> PartSelection:
        account_id = self.request.grant.account_id
        return PartSelection(account_id, self.filter, interval.start, interval.end)

    def limits(self, ages: Mapping[str, int]) -> Iterator[tuple[ReportFilter, dict[str, int]]]:
        """Yield the filters of channels with the same clock, and since when waits are so long."""
        now, business = self.request.now, self.business
        if business is None:
            yield self.filter, {name: now - age for name, age in ages.items()}
            return
        channels = business.channels
        for channel_id in channels[:1] if business.is_uniform else channels:
            same = (
                self.filter if business.is_uniform else self.filter._replace(channel_id=channel_id)
            )
            yield same, {name: business.before(channel_id, age) for name, age in ages.items()}


def with_parts(report: Report, context: PartsContext) -> Report:
    """Return the report with the parts that were asked for; without any, the report itself."""
    parts, added = context.query.parts, dict[str, Any]()
    if "spread" in parts or context.query.targets or context.business:
        added |= _detailed(report, context)
    if context.business is not None:
        added["series"] = _business_series(report.series, context, context.intervals[0])
        earlier = _business_series(report.previous_series, context, context.intervals[1])
        added["previous_series"] = earlier
    if context.query.targets and report.live is not None:
        added["live"] = _live(report.live, context)
    if parts & {"users", "teams", "waits"}:
        added |= _of_persons(report.model_copy(update=added), context)
    if "backlog" in parts:
        added |= _backlog(report.model_copy(update=added), context)
    if "labels" in parts:
        added["labels"] = _labels(context)
    if "ads" in parts:
        added["ads"] = _ads(context)
    if "hours" in parts:
        added["hours"] = _hours(context)
    return report.model_copy(update=added) if added else report


def _detailed(report: Report, context: PartsContext) -> dict[str, Any]:
    """Return the figures of the account and of its channels with their spread and targets."""
    own, earlier = (_details(context, "channels", interval) for interval in context.intervals)
    now, before = own.together(), earlier.together()
    rows = reports.channels(*context.request.account, context.filter.channel_id)
    keys = {row["phone_number_id"]: row["id"] for row in rows}
    return {
        "metrics": now.of(0, report.metrics),
        "previous": report.previous and before.of(0, report.previous),
        "channels": tuple(
            ChannelMetrics(
                channel=each.channel,
                metrics=own.of(keys[each.channel.id], each.metrics),
                previous=each.previous and earlier.of(keys[each.channel.id], each.previous),
            )
            for each in report.channels
        ),
    }


def _of_persons(report: Report, context: PartsContext) -> dict[str, Any]:
    """Return the parts by user and team, and waits by age."""
    parts, added, opened = context.query.parts, dict[str, Any](), _opened(context)
    if parts & {"users", "teams"}:
        persons = _Persons(report, context)
        # Of the period before, it would take as long again.
        selection = context.selection(context.intervals[0])
        reopened = report_parts.reopened(context.connection, selection)
        if "users" in parts:
            added["users"] = _users(persons, opened, reopened)
        if "teams" in parts:
            added["teams"] = _teams(persons, opened, reopened)
        together = persons.by("everyone").members(NOBODY, sum(row["n"] for row in reopened))
        added["everyone"] = EveryoneReport(**together, now=_now(context, opened, None))
    if "waits" in parts and report.live is not None:
        added["live"] = report.live.model_copy(update={"waits": _wait_ages(opened)})
    return added


def _backlog(report: Report, context: PartsContext) -> dict[str, Any]:
    """Return the figures of all and the series with what was open at their ends, until now."""
    now = context.request.now

    def ends_of(series: Sequence[Bucket] | None) -> list[int]:
        return [min(moment_of(each.end_time), now) for each in series or () if each.end_time]

    end, end_before = (min(interval.end, now) for interval in context.intervals)
    ends = [end, end_before, *ends_of(report.series), *ends_of(report.previous_series)]
    counts = reports.open_at(*context.request.account, context.filter, ends)

    def counted(metrics: Metrics, moment: int) -> Metrics:
        return metrics.model_copy(update={"open_at_end_count": counts[moment]})

    def completed(series: Sequence[Bucket] | None) -> tuple[Bucket, ...] | None:
        return (
            None
            if series is None
            else tuple(
                each.model_copy(update={"metrics": counted(each.metrics, moment)})
                for each, moment in zip(series, ends_of(series), strict=True)
            )
        )

    return {
        "metrics": counted(report.metrics, end),
        "previous": report.previous and counted(report.previous, end_before),
        "series": completed(report.series),
        "previous_series": completed(report.previous_series),
    }


def _live(live: LiveCounts, context: PartsContext) -> LiveCounts:
    counts = Counter[str]()
    for filter, before in context.limits(_longer_than(context)):
        found = report_parts.overdue(
            *context.request.account, filter, context.request.awake_at, before
        )
        counts.update(found)
    over = {f"over_{name}": counts[name] for name in context.query.targets}
    return live.model_copy(update=over)


def _longer_than(context: PartsContext) -> dict[str, int]:
    """Return the shortest waits that are longer than the targets, in milliseconds."""
    return {name: limit + 1 for name, limit in context.query.targets.items()}


def _opened(context: PartsContext) -> list[Row]:
    """Return open conversations by assignee and channel, with `over_` columns for targets."""
    request, place = context.request, itemgetter("assignee_id", "channel_id")
    over = Counter[tuple[str, tuple[int, int]]]()
    for filter, before in context.limits(_longer_than(context)):
        for row in report_parts.overdue_by_assignee(
            *request.account, filter, request.awake_at, before
        ):
            over[row["name"], place(row)] += row["n"]
    opened = [
        row
        for filter, since in context.limits(_WAIT_AGES)
        for row in report_parts.open_now(*request.account, filter, request.awake_at, since)
    ]
    return [
        {**row, **{f"over_{name}": over[name, place(row)] for name in context.query.targets}}
        for row in opened
    ]


_NO_WAITS = WaitAges(under_1h=0, under_4h=0, under_1d=0, over_1d=0)


def _wait_ages(rows: Sequence[Row]) -> WaitAges:
    """Sum the customers who wait; columns count those that wait no longer than their age."""
    if not rows:
        return _NO_WAITS
    sums = Counter[str]()
    for row in rows:
        for name in ("waiting", *_WAIT_AGES):
            sums[name] += row[name]
    return WaitAges(
        under_1h=sums["under_1h"],
        under_4h=sums["under_4h"] - sums["under_1h"],
        under_1d=sums["under_1d"] - sums["under_4h"],
        over_1d=sums["waiting"] - sums["under_1d"],
    )


@dataclass(frozen=True, slots=True)
class _PartDetails:
    """Durations of each group and metric; none if no details are asked for.

    has_means: the means are taken of these durations.
    """

    counted: Mapping[tuple[int, str], CountedDurations]
    query: PartsQuery
    has_means: bool = False

    def of(self, key: int, figures: Figures) -> Figures:
        """Return the figures of a group with percentiles and shares within targets."""
        added = dict[str, Any]()
        if self.has_means:
            added |= {
                mean: self._durations(key, name).mean()
                for mean, name in REPORT_MEANS.items()
                if mean in type(figures).model_fields
            }
        if "spread" in self.query.parts:
            added["spread"] = {
                mean: self._durations(key, name).percentiles()
                for mean, name in REPORT_MEANS.items()
                if mean in type(figures).model_fields
            }
        if self.query.targets:
            added["targets"] = {
                name: self._durations(key, name).within(limit)
                for name, limit in self.query.targets.items()
            }
        return figures.model_copy(update=added) if added else figures

    def _durations(self, key: int, name: str) -> CountedDurations:
        return self.counted.get((key, name)) or CountedDurations(Counter(), exact=True)

    def together(self) -> Self:
        """Return the details of all groups as those of group 0."""
        names = {name for _, name in self.counted}
        sums = {
            (NOBODY, name): CountedDurations.sum_of(
                [one for (_, other), one in self.counted.items() if other == name]
            )
            for name in names
        }
        return type(self)(sums, self.query, self.has_means)


def _details(context: PartsContext, grouping: Grouping, interval: Interval) -> _PartDetails:
    selection, query = context.selection(interval), context.query
    if context.business is not None:
        return _PartDetails(_business_durations(context, grouping, interval), query, has_means=True)
    if not query.targets and "spread" not in query.parts:
        return _PartDetails({}, query)
    # Sums of durations are not kept by label.
    exact = grouping == "labels" or report_parts.has_few_durations(context.connection, selection)
    counted = _counted(context, grouping, selection, exact=exact)
    totals = Counter[int]()
    for (key, _), one in counted.items():
        totals[key] += one.total
    few = [key for key, total in totals.items() if total <= report_parts.MOST_READ_OF_GROUP]
    if few and not exact:
        counted |= _counted(context, grouping, selection, exact=True, keys=few)
    return _PartDetails(counted, query)


def _business_durations(
    context: PartsContext, grouping: Grouping, interval: Interval
) -> dict[tuple[int, str], CountedDurations]:
    """Measure each duration of a period in business hours."""
    business = context.business
    assert business is not None
    counts = defaultdict[tuple[int, str], Counter[int]](Counter)
    selection = context.selection(interval)
    for row in report_parts.timed_events(context.connection, grouping, selection):
        duration = business.between(row["channel_id"], row["started_at"], row["ended_at"])
        counts[row["key"], row["name"]][duration] += 1
    return {key: CountedDurations(each, exact=True) for key, each in counts.items()}


def _business_series(
    series: Sequence[Bucket] | None, context: PartsContext, interval: Interval
) -> tuple[Bucket, ...] | None:
    """Return a series with its means in business hours."""
    business = context.business
    if series is None or business is None:
        return None
    starts = [moment_of(bucket.start_time) for bucket in series if bucket.start_time]
    counts = defaultdict[tuple[int, str], Counter[int]](Counter)
    selection = context.selection(interval)
    for row in report_parts.timed_events(context.connection, "everyone", selection):
        at = bisect_right(starts, row["ended_at"]) - 1
        duration = business.between(row["channel_id"], row["started_at"], row["ended_at"])
        counts[at, row["name"]][duration] += 1
    counted = {key: CountedDurations(each, exact=True) for key, each in counts.items()}
    details = _PartDetails(counted, PartsQuery(), has_means=True)
    return tuple(
        bucket.model_copy(update={"metrics": details.of(at, bucket.metrics)})
        for at, bucket in enumerate(series)
    )


def _counted(
    context: PartsContext,
    grouping: Grouping,
    selection: PartSelection,
    *,
    exact: bool,
    keys: Sequence[int] | None = None,
) -> dict[tuple[int, str], CountedDurations]:
    steps = defaultdict[tuple[int, str], Counter[int]](Counter)
    rows = report_parts.durations(context.connection, grouping, selection, exact=exact, keys=keys)
    for row in rows:
        steps[row["key"], row["name"]][row["step"]] += row["n"]
    # What was added and subtracted leaves steps of 0.
    return {key: CountedDurations(+counts, exact) for key, counts in steps.items()}


class _GroupFigures(Generic[Figures]):
    """Figures of a period by group."""

    def __init__(
        self,
        context: PartsContext,
        grouping: Grouping,
        interval: Interval,
        figures: Callable[[Sequence[Row]], Figures],
        rows: Sequence[Row],
    ) -> None:
        """rows: of these groups, by their `key`."""
        self._rows = grouped(rows, "key")
        self._details = _details(context, grouping, interval)
        self._figures: Callable[[Sequence[Row]], Figures] = figures
        # Those of the many who did nothing.
        self._none: Figures = self._details.of(NO_GROUP, figures(()))
        self.keys = {row["key"] for row in rows if row["n"]}

    def of(self, key: int) -> Figures:
        rows = self._rows.get(key)
        return self._details.of(key, self._figures(rows)) if rows else self._none


class _PersonsBy(NamedTuple):
    """Figures of persons by group: of the period, of the one before, and of parts of the period."""

    current: _GroupFigures[PersonFigures]
    previous: _GroupFigures[PersonFigures]
    parts: Sequence[tuple[Bucket, _GroupFigures[PersonFigures]]]

    def members(self, key: int, reopened: int) -> dict[str, Any]:
        """Members of the row of a group. reopened: resolutions that did not last."""
        current = self.current.of(key)
        members: dict[str, Any] = {
            "current": current.model_copy(update={"reopened_in_7_days_count": reopened}),
            "previous": self.previous.of(key),
        }
        if self.parts:
            members["series"] = tuple(
                PersonBucket(start=part.start, end=part.end, metrics=figures.of(key))
                for part, figures in self.parts
            )
        return members


class _Persons:
    """What persons did, read once, and grouped by user, by team and as everyone."""

    def __init__(self, report: Report, context: PartsContext) -> None:
        self.context = context
        self._by_team = "teams" in context.query.parts
        now, before = context.intervals
        self._now, self._before = self._read(now), self._read(before)
        asked = report.series if "person_series" in context.query.parts else None
        self._parts = [
            (part, self._read(Interval(*edges)))
            for part in asked or ()
            if (edges := [moment_of(at) for at in (part.start_time, part.end_time) if at])
        ]
        self._teams = defaultdict[tuple[int, int], list[int]](list)
        places = report_parts.team_places(*context.request.account) if self._by_team else ()
        for place in places:
            self._teams[place["user_id"], place["channel_id"]].append(place["team_id"])

    def _read(self, interval: Interval) -> tuple[Interval, list[Row]]:
        selection = self.context.selection(interval)
        rows = report_parts.done_by_persons(
            self.context.connection, selection, by_channel=self._by_team
        )
        return interval, rows

    def teams(self, user_id: int, channel_id: int) -> Sequence[int]:
        """Teams that a user is a member of, on a channel of theirs."""
        return self._teams.get((user_id, channel_id), ())

    def by(self, grouping: Grouping) -> _PersonsBy:
        # No percentiles and targets.
        plain = replace(self.context, query=PartsQuery())
        return _PersonsBy(
            self._grouped(self.context, grouping, *self._now),
            self._grouped(self.context, grouping, *self._before),
            [(part, self._grouped(plain, grouping, *read)) for part, read in self._parts],
        )

    def _grouped(
        self, context: PartsContext, grouping: Grouping, interval: Interval, read: list[Row]
    ) -> _GroupFigures[PersonFigures]:
        rows: list[Row] = [{**row, "key": key} for row in read for key in self._keys(grouping, row)]
        selection = context.selection(interval)
        rows += report_parts.answered_by(context.connection, grouping, selection)
        return _GroupFigures(context, grouping, interval, partial(figures_of, PersonFigures), rows)

    def _keys(self, grouping: Grouping, row: Row) -> Sequence[int]:
        if grouping == "teams":
            return self.teams(row["user_id"], row["channel_id"])
        return (row["user_id"] if grouping == "users" else NOBODY,)


def _users(
    persons: _Persons, opened: Sequence[Row], reopened: Sequence[Row]
) -> tuple[UserReport, ...]:
    """Return a row for each user who is active or did something, by name; then nobody.

    In a report of a user or team, only the persons that it is of.
    """
    context, by_user = persons.context, persons.by("users")
    not_lasting = Counter[int]()
    for row in reopened:
        not_lasting[row["user_id"]] += row["n"]
    own = grouped(opened, "assignee_id")
    busy = {*by_user.current.keys, *by_user.previous.keys, *own}
    people = catalogues.all_rows(*context.request.account, catalogues.USERS)
    named = [
        (row["id"], Ref(id=str(row["id"]), name=row["name"]), row["availability"])
        for row in people
        if row["active"] or row["id"] in busy
    ]
    if context.filter.by_person:
        ours = _persons_of(context)
        named, busy = [each for each in named if each[0] in ours], set()
    others = sorted(busy - {row["id"] for row in people} - {NOBODY})
    unknown = [(key, Ref(id=str(key), name=None), None) for key in others]
    nobody = [] if context.filter.by_person else [(NOBODY, None, None)]
    return tuple(
        UserReport(
            user=user,
            **by_user.members(key, not_lasting[key]),
            now=_now(context, own[key], availability),
        )
        for key, user, availability in (*named, *unknown, *nobody)
    )


def _persons_of(context: PartsContext) -> frozenset[int]:
    """Return the users that the report is of."""
    if context.filter.user_id is not None:
        return frozenset((context.filter.user_id,))
    places = report_parts.team_places(*context.request.account)
    return frozenset(
        place["user_id"] for place in places if place["team_id"] == context.filter.team_id
    )


def _teams(
    persons: _Persons, opened: Sequence[Row], reopened: Sequence[Row]
) -> tuple[TeamReport, ...]:
    context, by_team = persons.context, persons.by("teams")
    not_lasting = Counter[int]()
    for row in reopened:
        for team_id in persons.teams(row["user_id"], row["channel_id"]):
            not_lasting[team_id] += row["n"]
    own = defaultdict[int, list[Row]](list)
    for row in opened:
        for team_id in persons.teams(row["assignee_id"], row["channel_id"]):
            own[team_id].append(row)
    return tuple(
        TeamReport(
            team=Ref(id=str(team["id"]), name=team["name"]),
            **by_team.members(team["id"], not_lasting[team["id"]]),
            now=_now(context, own[team["id"]], None),
        )
        for team in catalogues.all_rows(*context.request.account, catalogues.TEAMS)
    )


@lru_cache
def _without_open(availability: str | None, targets: tuple[str, ...]) -> PersonNow:
    """What is the case now of the many users that nothing is assigned to."""
    return PersonNow(
        availability=availability,
        open=0,
        waiting=0,
        longest_waiting_since=None,
        unread=0,
        waits=_NO_WAITS,
        **{f"over_{name}": 0 for name in targets},
    )


def _now(context: PartsContext, rows: Sequence[Row], availability: str | None) -> PersonNow:
    if not rows:
        return _without_open(availability, tuple(context.query.targets))
    over = {
        f"over_{name}": sum(row[f"over_{name}"] for row in rows) for name in context.query.targets
    }
    since = min((row["waiting_since"] for row in rows if row["waiting_since"]), default=None)
    return PersonNow(
        availability=availability,
        open=sum(row["open"] for row in rows),
        waiting=sum(row["waiting"] for row in rows),
        longest_waiting_since=None if since is None else timestamp(since),
        unread=sum(row["unread"] for row in rows),
        waits=_wait_ages(rows),
        **over,
    )


def _labels(context: PartsContext) -> tuple[LabelReport, ...]:
    current, previous = (
        _GroupFigures(
            context,
            "labels",
            interval,
            report_metrics,
            report_parts.metrics_by_label(context.connection, context.selection(interval)),
        )
        for interval in context.intervals
    )
    return tuple(
        LabelReport(
            label=Ref(id=str(label["id"]), name=label["title"]),
            current=current.of(label["id"]),
            previous=previous.of(label["id"]),
        )
        for label in catalogues.all_rows(*context.request.account, catalogues.LABELS)
    )


def _ads(context: PartsContext) -> tuple[AdReport, ...]:
    """Return a row for each ad that customers came from in one of the periods, most first."""
    now, before = (context.selection(interval) for interval in context.intervals)
    current, previous = (
        grouped(report_ads.figures_by_ad(context.connection, selection), "ad")
        for selection in (now, before)
    )
    known = {
        row["ad"]: AdRef(id=row["ad"], name=row["headline"], url=row["url"])
        for selection in (before, now)
        for row in report_ads.ads(context.connection, selection)
    }
    rows = [
        AdReport(
            ad=ad,
            current=figures_of(AdFigures, current[key]),
            previous=figures_of(AdFigures, previous[key]),
        )
        for key, ad in known.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.current.ad_conversations_count, row.ad.id)))


def _hours(context: PartsContext) -> Hours:
    now, before = (_grid(context, interval) for interval in context.intervals)
    return Hours(
        received=now.received,
        avg_first_response_time=now.avg_first_response_time,
        previous=before,
    )


def _grid(context: PartsContext, interval: Interval) -> HourGrid:
    """Sum quarter hours, and the messages at the edges, by local weekday and hour."""
    sums: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)

    def add(moment: int, row: Row) -> None:
        local = datetime.fromtimestamp(moment / 1000, UTC).astimezone(context.zone)
        for column in ("n", "samples", "total"):
            sums[f"{row['name']} {column}"][local.weekday(), local.hour] += row[column]

    start = -(-interval.start // QUARTER) * QUARTER
    end = interval.end // QUARTER * QUARTER
    beside = (interval.start, min(start, interval.end)), (max(start, end), interval.end)
    edges = [Interval(*edge) for edge in beside if edge[0] < edge[1]]
    whole = _same_clock(Interval(start, max(start, end)), context.zone)
    for _, parts in groupby(whole, lambda part: _offset(part.start, context.zone)):
        stretch = list(parts)
        part = Interval(stretch[0].start, stretch[-1].end)
        for row in report_parts.quarter_hours(context.connection, context.selection(part)):
            add(row["bucket"], row)
    spans = [ReportSpan(tag, edge.start, edge.end) for tag, edge in enumerate(edges)]
    for row in reports.figures(*context.request.account, context.filter, spans, detailed=False):
        add(edges[row["tag"]].start, row)
    business = context.business
    if business is not None:
        sums["first_response total"].clear()
        selection = context.selection(interval)
        for row in report_parts.timed_events(context.connection, "everyone", selection):
            if row["name"] == "first_response":
                took = business.between(row["channel_id"], row["started_at"], row["ended_at"])
                add(
                    row["ended_at"], {"name": "first_response", "n": 0, "samples": 0, "total": took}
                )
    times = _cells(sums["first_response total"]), _cells(sums["first_response samples"])
    return HourGrid(
        received=_cells(sums["incoming n"]),
        avg_first_response_time=tuple(
            tuple(
                round(total / samples / 1000, 1) if samples else None
                for total, samples in zip(*day, strict=True)
            )
            for day in zip(*times, strict=True)
        ),
    )


def _same_clock(interval: Interval, zone: ZoneInfo) -> Iterator[Interval]:
    """Split whole quarter hours where the zone's offset changes."""
    start = interval.start
    while start < interval.end:
        end = min(start + WEEK, interval.end)
        while _offset(start, zone) != _offset(end - QUARTER, zone):
            end = start + max((end - start) // 2 // QUARTER, 1) * QUARTER
        yield Interval(start, end)
        start = end


def _offset(moment: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(moment / 1000, UTC).astimezone(zone).utcoffset()


def _cells(counts: Counter[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(counts[day, hour] for hour in range(24)) for day in range(7))
