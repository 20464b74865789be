"""Formatting of metrics: missing samples, few samples, changes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from frontdesk.reports.metrics import (
    ASCII,
    BLOCKS,
    RATES,
    all_of,
    author_name,
    change_size,
    figures_of,
    glyphs_for,
    groups_of,
    judged,
    length_words,
    live_figures,
    live_words,
    missing_parts,
    now_figures,
    now_value,
    now_words,
    percentile_words,
    pricing_words,
    rate_words,
    shown_metrics,
    spread_of,
    target_of,
    target_words,
    time_words,
    value_of,
    value_words,
    with_part,
)
from frontdesk.reports.registry import ANSWERED, BY_FIELD, METRICS, OPEN_AT_END, Metric
from frontdesk.wire import Ref, ReportQuery
from frontdesk.wire.reports import (
    AdFigures,
    Bucket,
    ChannelMetrics,
    EveryoneReport,
    LabelReport,
    LiveCounts,
    Metrics,
    Percentiles,
    PersonFigures,
    PersonNow,
    PricingCount,
    Report,
    TargetShare,
    UserReport,
    WaitAges,
    ZonedPeriod,
)

COUNT = BY_FIELD["conversations_count"]
TIME = BY_FIELD["avg_first_response_time"]
RESOLVED = BY_FIELD["resolutions_count"]


def test_every_metric_of_the_report_is_explained() -> None:
    assert {metric.field for metric in (*METRICS, ANSWERED, OPEN_AT_END)} == (
        set(Metrics.model_fields) - {"samples", "spread", "targets"}
    )
    assert all(metric.formula and metric.difference for metric in METRICS)
    assert {m.field for m in METRICS if m.timed} == {f for f in Metrics.model_fields if "avg" in f}


def test_more_resolutions_and_shorter_times_are_better_and_other_counts_are_neither() -> None:
    good = {metric.field: metric.better for metric in BY_FIELD.values() if metric.better}
    assert good == {
        "resolutions_count": 1,
        "avg_first_response_time": -1,
        "avg_reply_time": -1,
        "avg_resolution_time": -1,
    }


def test_only_of_new_conversations_the_days_lead_to_those_that_were_counted() -> None:
    assert [metric.heading for metric in BY_FIELD.values() if metric.dated] == ["New"]


def test_figures_are_in_the_order_of_the_work() -> None:
    measured = {metric.field: 1 for metric in (*METRICS, ANSWERED)}
    figures = figures_of(report_of(metrics=Metrics.model_validate(measured)))
    assert [figure.metric.heading for figure in figures] == [
        *("New", "Reopened", "Received", "Sent", "Answered", "Resolved", "First response"),
        *("Waiting", "Resolution", "To a human", "By AI"),
    ]


@pytest.mark.parametrize(
    ("metric", "now", "then", "words", "part"),
    [
        (COUNT, 61, 70, "▼ 13 %", "text"),
        (COUNT, 30, 10, "▲ 200 %", "text"),
        (COUNT, 110, 10, "▲ 1000 %", "text"),
        (COUNT, 111, 10, "▲ >10x", "text"),
        (COUNT, 5, 0, "new", "text"),
        (COUNT, 0, 0, "=", "dim"),
        (COUNT, 7, None, "no previous", "dim"),
        (COUNT, 1001, 1000, "≈", "dim"),
        (COUNT, 0, 4, "▼ 100 %", "text"),
        (RESOLVED, 0, 4, "▼ 100 %", "text"),
        (RESOLVED, 0, 5, "▼ 100 % worse", "warning"),
        (TIME, 312.0, 401.0, "▼ 22 % better", "good"),
        (TIME, 401.0, 312.0, "▲ 29 % worse", "warning"),
        (TIME, None, 312.0, "no samples", "dim"),
        (TIME, None, None, "no samples", "dim"),
        (RESOLVED, 58, 66, "▼ 12 % worse", "warning"),
        (RESOLVED, 66, 58, "▲ 14 % better", "good"),
    ],
)
def test_a_change_is_said_in_words(
    metric: Metric, now: float | None, then: float | None, words: str, part: str
) -> None:
    changed = judged(metric, measured(metric, now, 9), measured(metric, then, 9))
    assert (changed.words, changed.part) == (words, part)


@pytest.mark.parametrize(
    ("author", "words"),
    [("user", "Agents"), ("kiosk", "unknown author (kiosk)"), ("contact", "customer")],
)
def test_who_sent_messages_is_named_also_if_unknown(author: str, words: str) -> None:
    assert author_name(author) == words


def test_counts_of_now_are_headed_by_what_they_count() -> None:
    share = TargetShare(target_seconds=300, within=1, samples=2)
    report = Report(
        period=ZonedPeriod(from_="", to=""),
        metrics=Metrics(targets={"first_response": share, "reply": share}),
        live=LiveCounts(over_first_response=1, over_reply=2),
    )
    assert [figure.heading for figure in live_figures(report)] == [
        *("Open now", "Unassigned now", "Unattended now", "Need a human now"),
        *("No first answer for over 5m", "Wait longer than 5m"),
    ]


def measured(metric: Metric, value: float | None, samples: int | None = None) -> Metrics | None:
    """Figures with one value; None for none, of a mean whose period is known."""
    if value is None and not metric.timed:
        return None
    known = {} if samples is None or not metric.timed else {"samples": {metric.field: samples}}
    return Metrics.model_validate({metric.field: value, **known})


def test_changes_can_be_written_in_ascii() -> None:
    changed = judged(COUNT, measured(COUNT, 61), measured(COUNT, 70), ASCII)
    assert changed.words == "- 13 %"


def test_nothing_measured_is_a_dash_and_zero_is_zero() -> None:
    assert value_words(TIME, None) == "–"
    assert value_words(TIME, 0.0) == "0s"
    assert value_words(COUNT, 0) == "0"
    assert value_words(COUNT, 12345) == "12,345"
    assert value_words(TIME, 312.4) == "5m12s"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (12, "12s"),
        (59.6, "1m00s"),
        (312.4, "5m12s"),
        (18044, "5h00m"),
        (200000, "2d7h"),
    ],
)
def test_times_have_two_units(seconds: float, words: str) -> None:
    assert time_words(seconds) == words


def test_unreported_metrics_are_none_and_not_zero() -> None:
    metrics = Metrics.model_validate({"conversations_count": 0})
    assert value_of(metrics, "conversations_count") == 0
    assert value_of(metrics, "reopened_count") is None
    assert value_of(None, "conversations_count") is None


@pytest.mark.parametrize(
    ("resolved", "handed_over", "words"),
    [(3, 1, ["75 %", "25 %"]), (0, 5, ["0 %", "100 %"]), (0, 0, ["–", "–"])],
)
def test_rates_of_the_ai_are_shares_of_what_it_ended(
    resolved: int, handed_over: int, words: list[str]
) -> None:
    metrics = Metrics(bot_resolutions_count=resolved, bot_handoffs_count=handed_over)
    assert [rate_words(rate.of(metrics)) for rate in RATES] == words


def test_a_server_without_a_metric_has_no_rate_of_it() -> None:
    assert [rate.of(Metrics(bot_handoffs_count=3)) for rate in RATES] == [None, None]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5, "0s"),
        (0, "0s"),
        (59.4, "59s"),
        (60, "1m00s"),
        (3_599.4, "59m59s"),
        (3_599.6, "1h00m"),
        (3_600 + 61, "1h01m"),
        (86_399, "23h59m"),
        (86_400, "1d0h"),
        (2 * 86_400 + 3_599, "2d0h"),
        (2 * 86_400 + 3_600, "2d1h"),
    ],
)
def test_a_time_has_its_largest_units(seconds: float, words: str) -> None:
    assert time_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        *((1, "1s"), (59, "59s"), (60, "1m"), (61, "61s"), (90, "90s"), (5_400, "90m")),
        *((3_600, "1h"), (86_400, "1d"), (90_000, "25h"), (172_800, "2d")),
    ],
)
def test_a_length_has_the_largest_unit_that_it_is_a_multiple_of(seconds: int, words: str) -> None:
    assert length_words(seconds) == words


@pytest.mark.parametrize(
    ("now", "then", "size"),
    [
        (None, 1, ""),
        (1, None, ""),
        (0, 0, "="),
        (5, 5, "="),
        (5, 0, "new"),
        (1_004, 1_000, "≈"),
        (1_005, 1_000, "▲ 0 %"),
        (1_006, 1_000, "▲ 1 %"),
        (996, 1_000, "≈"),
        (994, 1_000, "▼ 1 %"),
        (0, 5, "▼ 100 %"),
        (30, 10, "▲ 200 %"),
    ],
)
def test_a_change_below_half_a_percent_is_about_none(
    now: float | None, then: float | None, size: str
) -> None:
    assert change_size(now, then) == size


@pytest.mark.parametrize(
    ("samples", "meaning"),
    [
        ((5, 5), "worse"),
        ((4, 5), "few samples"),
        ((5, 4), "few samples"),
        ((0, 5), "few samples"),
        # Another server does not tell them.
        ((None, None), ""),
        ((5, None), ""),
    ],
)
def test_a_change_of_five_samples_is_judged(samples: tuple[Any, ...], meaning: str) -> None:
    now, then = samples
    assert judged(TIME, measured(TIME, 401.0, now), measured(TIME, 312.0, then)).meaning == meaning


def test_glyphs_are_blocks_unless_the_terminal_has_none() -> None:
    assert glyphs_for({"TERM": "xterm-256color", "LANG": "en_GB.UTF-8"}) is BLOCKS
    assert glyphs_for({"TERM": "linux", "LC_ALL": "C"}) is ASCII


def test_rates_and_missing_values_have_words() -> None:
    assert [rate_words(share) for share in (None, 0.0, 0.624, 1.0)] == ["–", "0 %", "62 %", "100 %"]
    assert pricing_words(PricingCount.model_validate({**PRICED, "category": None})) == (
        "unknown",
        "regular",
    )
    assert pricing_words(PricingCount.model_validate({**PRICED, "type": None})) == (
        "marketing",
        "unknown",
    )


PRICED = {
    **{"channel": {"id": "1"}, "author": "user", "category": "marketing", "type": "regular"},
    **{"count": 1, "billable_count": 1, "previous_count": 0, "previous_billable_count": 0},
}


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "–"),
        (TargetShare(target_seconds=900, within=0, samples=0), "–"),
        (TargetShare(target_seconds=900, within=9, samples=11), "82 % in 15m"),
        (TargetShare(target_seconds=90, within=0, samples=1, approximate=True), "~0 % in 90s"),
    ],
)
def test_a_share_within_a_target_is_of_its_length(target: TargetShare | None, words: str) -> None:
    assert target_words(target).replace("%", " %").replace("  ", " ") == words


def test_percentiles_are_times_that_may_be_approximate() -> None:
    spread = Percentiles(p50=60.0, approximate=True)
    assert percentile_words(spread, "p50") == "~1m00s"
    assert percentile_words(Percentiles(p50=60.0), "p50") == "1m00s"
    assert percentile_words(spread, "p90") == percentile_words(None, "p50") == "–"


def test_advertisements_have_neither_percentiles_nor_targets() -> None:
    share, spread = TargetShare(target_seconds=60), Percentiles(p50=1.0)
    metrics = Metrics(spread={TIME.field: spread}, targets={"first_response": share})
    assert spread_of(metrics, TIME.field) is spread
    assert target_of(metrics, TIME.field) is share
    assert target_of(metrics, "avg_resolution_time") is None
    for measured in (None, AdFigures()):
        assert spread_of(measured, TIME.field) is target_of(measured, TIME.field) is None


MOMENT = datetime(2026, 3, 14, 10, tzinfo=UTC)
NOW_OF_ANA = PersonNow(
    availability="on\nline",
    open=1_204,
    waiting=0,
    longest_waiting_since="2026-03-14T04:30:00.000Z",
    waits=WaitAges(under_1h=2),
)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("availability", "on line"),
        ("open", "1,204"),
        ("waiting", "0"),
        ("longest_waiting_since", "5h"),
        ("waiting_under_1h", "2"),
        ("waiting_over_1d", "0"),
        ("over_reply", "–"),
    ],
)
def test_what_is_the_case_now_has_words(field: str, words: str) -> None:
    assert now_words(NOW_OF_ANA, field, MOMENT) == words
    assert now_words(None, field, MOMENT) == "–"


def test_a_wait_has_no_length_without_a_moment_or_a_beginning() -> None:
    assert now_words(NOW_OF_ANA, "longest_waiting_since", None) == "–"
    assert now_words(PersonNow(open=1), "longest_waiting_since", MOMENT) == "–"


def test_waits_by_age_are_known_if_the_server_sent_them() -> None:
    assert now_value(PersonNow(open=1), "waiting_under_1h") is None
    assert now_value(LiveCounts(waits=WaitAges(over_1d=3)), "waiting_over_1d") == 3
    assert now_value(None, "open") is None


def person(name: str, now: PersonNow | None) -> UserReport:
    figures = PersonFigures(outgoing_messages_count=1)
    return UserReport(user=Ref(id=name, name=name), current=figures, previous=figures, now=now)


PERIOD = ZonedPeriod(from_="", to="")


def report_of(**parts: Any) -> Report:
    return Report(**{"period": PERIOD, "metrics": Metrics(), **parts})


def test_figures_of_now_are_those_that_the_server_sent() -> None:
    def headings(*now: PersonNow) -> list[str]:
        people = tuple(person(str(at), each) for at, each in enumerate(now))
        groups = groups_of(report_of(users=people), "users")
        assert groups is not None
        return [figure.heading for figure in now_figures(groups)]

    assert headings() == []
    always = ["Open", "Waits", "Longest", "Unread"]
    assert headings(PersonNow()) == always
    assert headings(PersonNow(), PersonNow(availability="busy")) == ["Status", *always]
    assert headings(PersonNow(over_reply=0)) == [*always, "Over reply"]
    assert headings(PersonNow(waits=WaitAges())) == [*always, "<1h", "1–4h", "4–24h", ">1d"]


def test_a_breakdown_that_was_not_sent_has_no_rows_and_an_empty_one_none() -> None:
    for part in ("users", "teams", "labels", "ads"):
        assert groups_of(report_of(), part) is None
        assert groups_of(report_of(**{part: ()}), part) == []
    assert groups_of(report_of(), "channels") == []
    assert groups_of(report_of(), "hours") is None


def test_a_row_is_named_by_what_it_is_of() -> None:
    figures = PersonFigures(outgoing_messages_count=1)
    users = (
        UserReport(user=Ref(id="7", name="Ana"), current=figures),
        UserReport(user=Ref(id="8", name=None), current=figures),
        UserReport(user=None, current=figures),
    )
    rows = groups_of(report_of(users=users), "users")
    assert rows is not None
    assert [(row.scope, row.key, row.id, row.name) for row in rows] == [
        ("user", "7", "7", "Ana"),
        ("user", "8", "8", "8"),
        ("user", "nobody", None, "nobody"),
    ]


def test_all_rows_are_everyone_of_persons_and_the_whole_report_of_others() -> None:
    everyone = EveryoneReport(current=PersonFigures(), now=NOW_OF_ANA)
    report = report_of(everyone=everyone, previous=Metrics(conversations_count=3))
    all_users = all_of(report, "users")
    assert all_users is not None
    assert (all_users.scope, all_users.name, all_users.now) == ("user", "all", NOW_OF_ANA)
    assert all_of(report_of(), "teams") is None
    assert all_of(report, "ads") is None
    channels = all_of(report, "channels")
    assert channels is not None
    assert (channels.current, channels.previous) == (report.metrics, report.previous)


def test_a_part_of_another_answer_is_taken_if_it_has_it() -> None:
    report = report_of(live=LiveCounts(open=3))
    waits = WaitAges(under_1h=2)
    other = report_of(live=LiveCounts(open=9, waits=waits), labels=())
    assert with_part(report, "labels", other).labels == ()
    everyone = EveryoneReport(current=PersonFigures(resolutions_count=2))
    whole = with_part(report, "users", report_of(users=(), everyone=everyone))
    assert (whole.users, whole.everyone) == ((), everyone)
    live = with_part(report, "waits", other).live
    assert live is not None
    assert (live.open, live.waits) == (3, waits)
    for answer in (None, report_of(), report_of(live=LiveCounts(open=9))):
        assert with_part(report, "waits", answer) is report
        assert with_part(report, "labels", answer) is report
    assert with_part(report_of(), "waits", other) == report_of()


def test_what_was_asked_for_and_not_answered_is_missing() -> None:
    query = ReportQuery(include="users,labels,spread,waits", target_reply=60)
    assert missing_parts(report_of(), query) == ["users", "labels", "spread", "waits", "targets"]
    answered = report_of(
        metrics=Metrics(spread={}, targets={}),
        users=(),
        labels=(),
        live=LiveCounts(waits=WaitAges()),
    )
    assert missing_parts(answered, query) == []
    assert missing_parts(report_of(live=LiveCounts()), ReportQuery(include="waits")) == ["waits"]
    assert missing_parts(report_of(), ReportQuery(target_first_response=1)) == ["targets"]
    assert missing_parts(report_of(), ReportQuery()) == []


def test_waits_by_age_are_live_figures_that_lead_to_their_lists() -> None:
    report = report_of(live=LiveCounts(open=1_204, waits=WaitAges(over_1d=2)))
    figures = live_figures(report)
    assert not any(each.late for each in figures[:4])
    assert [(each.heading, each.waiting, each.late) for each in figures[4:]] == [
        ("Wait <1h", "waiting:<1h", False),
        ("Wait 1–4h", "waiting:>1h waiting:<4h", False),
        ("Wait 4–24h", "waiting:>4h waiting:<1d", False),
        ("Wait >1d", "waiting:>1d", True),
    ]
    words = {each.field: live_words(report.live, each) for each in figures}
    assert (words["open"], words["waiting_over_1d"], words["unassigned"]) == ("1,204", "2", "–")
    assert [each.short for each in figures] == [
        *("open", "unass.", "unatt.", "human", "wait <1h", "1–4h", "4–24h", ">1d"),
    ]
    assert len(live_figures(None)) == len(live_figures(report_of())) == 4


def test_over_a_target_are_those_whose_target_the_report_has() -> None:
    share = TargetShare(target_seconds=900)
    live = LiveCounts(over_first_response=1, over_reply=2)
    for targets in ({}, {"first_response": share}, {"reply": share}):
        report = report_of(metrics=Metrics(targets=targets), live=live)
        over = {each.field: each for each in live_figures(report)[4:]}
        assert over.keys() == {f"over_{name}" for name in targets}
        assert all(each.late and each.waiting == "waiting:>15m" for each in over.values())
        assert {each.short for each in over.values()} <= {"new>15m", ">15m"}


def test_figures_have_their_series_samples_and_change() -> None:
    def part(count: int, mean: float | None) -> Bucket:
        metrics = Metrics(
            conversations_count=count,
            avg_first_response_time=mean,
            answered_conversations_count=count,
        )
        return Bucket(start="a", end="b", metrics=metrics)

    whole = Metrics(
        conversations_count=7,
        avg_first_response_time=401.0,
        answered_conversations_count=5,
        reopened_count=None,
        samples={TIME.field: 9},
    )
    before = Metrics(conversations_count=14, avg_first_response_time=312.0, samples={TIME.field: 4})
    report = report_of(
        metrics=whole,
        previous=before,
        series=(part(3, None), part(4, 401.0)),
        previous_series=(part(3, 312.0),),
    )
    figures = {figure.metric.heading: figure for figure in figures_of(report)}
    assert list(figures) == ["New", "Answered", "First response"]
    new, answered, first = figures.values()
    assert (new.now, new.then, new.change.words, new.samples) == (7, 14, "▼ 50 %", None)
    assert (new.series, answered.series, first.series) == ((3, 4), (), (None, 401.0))
    assert (first.samples, first.few, new.few) == (9, True, False)


def test_shown_are_the_counts_that_have_a_value_and_the_means_that_were_sent() -> None:
    measured = [
        PersonFigures(outgoing_messages_count=3, avg_reply_time=None),
        Metrics(conversations_count=None),
    ]
    shown = shown_metrics(METRICS, measured)
    assert [metric.field for metric in shown] == ["outgoing_messages_count", "avg_reply_time"]
    assert shown_metrics(METRICS, []) == ()


def test_channels_and_labels_are_rows_too() -> None:
    metrics = Metrics(conversations_count=3)
    channel = ChannelMetrics(channel=Ref(id="1", name="A\nB"), metrics=metrics, previous=metrics)
    label = LabelReport(label=Ref(id="2", name="vip"), current=metrics, previous=None)
    report = report_of(channels=(channel,), labels=(label,))
    for part, name, previous in (("channels", "A B", metrics), ("labels", "vip", None)):
        (row,) = groups_of(report, part) or ()
        assert (row.name, row.current, row.previous, row.now) == (name, metrics, previous, None)
