"""Formatting of metrics: missing samples, few samples, changes."""

import pytest

from frontdesk.reports.metrics import (
    ANSWERED,
    ASCII,
    BY_FIELD,
    METRICS,
    RATES,
    Metric,
    author_name,
    change,
    live_figures,
    rate_words,
    samples_of,
    time_words,
    value_of,
    value_words,
)
from frontdesk.wire.reports import Bucket, LiveCounts, Metrics, Report, TargetShare, ZonedPeriod

COUNT = BY_FIELD["conversations_count"]
TIME = BY_FIELD["avg_first_response_time"]
RESOLVED = BY_FIELD["resolutions_count"]


def test_every_metric_of_the_report_is_explained() -> None:
    assert {metric.field for metric in (*METRICS, ANSWERED)} == (
        set(Metrics.model_fields) - {"spread", "targets"}
    )
    assert all(metric.formula and metric.difference for metric in METRICS)
    assert {m.field for m in METRICS if m.timed} == {f for f in Metrics.model_fields if "avg" in f}


@pytest.mark.parametrize(
    ("metric", "now", "then", "words", "part"),
    [
        (COUNT, 61, 70, "▼ 13 %", "text"),
        (COUNT, 30, 10, "▲ 200 %", "text"),
        (COUNT, 5, 0, "new", "text"),
        (COUNT, 0, 0, "=", "dim"),
        (COUNT, 7, None, "no previous", "dim"),
        (COUNT, 1001, 1000, "≈", "dim"),
        (COUNT, 0, 4, "▼ 100 %", "text"),
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
    changed = change(metric, now, then)
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


def test_few_samples_on_either_side_judge_nothing() -> None:
    for samples in ((4, 100), (100, 4)):
        changed = change(TIME, 401.0, 312.0, samples=samples)
        assert (changed.meaning, changed.part) == ("few samples", "dim")
    assert change(TIME, 401.0, 312.0, samples=(5, None)).meaning == "worse"


def test_changes_can_be_written_in_ascii() -> None:
    assert change(COUNT, 61, 70, glyphs=ASCII).words == "- 13 %"


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


def test_samples_are_summed_over_the_parts_where_they_are_reported() -> None:
    parts = [
        Bucket(start="a", end="b", metrics=Metrics(), samples={TIME.field: n}) for n in (2, 0, 3)
    ]
    assert samples_of(parts, TIME.field) == 5
    assert samples_of([Bucket(start="a", end="b", metrics=Metrics())], TIME.field) is None
    assert samples_of(None, TIME.field) is None


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
