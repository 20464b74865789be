"""`frontdesk report`: periods by name and by date, and every number in every format."""

import csv
import io
import json
from datetime import date
from pathlib import Path

import pytest
from shells import ask, told

from frontdesk.cli.report_rows import FIGURES, changed, duration, written
from frontdesk.cli.reporting import PERIODS
from frontdesk.wire import Metrics, Report

# The days of the sample, which ends on 14 March 2026.
DAYS = ("--from", "2026-03-02", "--to", "2026-03-08", "--zone", "Europe/Madrid")


def report(inbox: Path, *arguments: str) -> Report:
    return Report.model_validate_json(told(inbox, "report", *arguments, "--format", "json"))


@pytest.mark.parametrize(
    ("name", "first", "end"),
    [
        ("today", (2026, 3, 4), None),
        ("yesterday", (2026, 3, 3), (2026, 3, 4)),
        ("7d", (2026, 2, 26), None),
        ("30d", (2026, 2, 3), None),
        ("90d", (2025, 12, 5), None),
        ("this-week", (2026, 3, 2), None),
        ("last-week", (2026, 2, 23), (2026, 3, 2)),
        ("this-month", (2026, 3, 1), None),
        ("last-month", (2026, 2, 1), (2026, 3, 1)),
    ],
)
def test_periods_have_names(
    name: str, first: tuple[int, int, int], end: tuple[int, int, int] | None
):
    today = date(2026, 3, 4)
    assert PERIODS[name](today) == (date(*first), date(*end) if end else None)


def test_the_last_month_of_a_year_is_december():
    assert PERIODS["last-month"](date(2026, 1, 31)) == (date(2025, 12, 1), date(2026, 1, 1))


def test_a_named_period_is_counted_in_the_days_of_the_zone(inbox: Path):
    found = report(inbox, "yesterday", "--zone", "Asia/Kolkata")
    assert found.period.timezone == "Asia/Kolkata"
    assert found.period.from_.endswith("T18:30:00.000Z")
    assert found.period.to.endswith("T18:30:00.000Z")
    assert report(inbox, "last-week").period.timezone == report(inbox).period.timezone


def test_both_days_that_are_given_count(inbox: Path):
    found = report(inbox, *DAYS)
    assert (found.period.from_, found.period.to) == (
        "2026-03-01T23:00:00.000Z",
        "2026-03-08T23:00:00.000Z",
    )
    assert found.metrics.conversations_count > 0


def test_moments_are_taken_as_they_are(inbox: Path):
    moments = ("--from", "2026-03-02T10:00:00Z", "--to", "2026-03-02T12:00:00+01:00")
    assert report(inbox, *moments).period.to == "2026-03-02T11:00:00.000Z"


def test_one_channel_alone(inbox: Path):
    channels = report(inbox, *DAYS).channels
    id = str(channels[0].channel.id)
    found = report(inbox, *DAYS, "--channel", id)
    assert found.channel == id
    assert found.metrics == channels[0].metrics


@pytest.mark.parametrize("style", ["csv", "jsonl"])
def test_every_number_is_a_row(inbox: Path, style: str):
    found = report(inbox, *DAYS, "--by", "day")
    text = told(inbox, "report", *DAYS, "--by", "day", "--format", style)
    rows = (
        list(csv.DictReader(io.StringIO(text)))
        if style == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    parts = [row for row in rows if row["scope"] == "part"]
    assert len(parts) == 7 * len(FIGURES)
    assert parts[0]["from"] == found.period.from_
    values = {(r["scope"], r["name"], r["period"], r["figure"]): r["value"] for r in rows}
    own = {figure.field: values["all", "", "this", figure.field] for figure in FIGURES}
    told_values = {field: None if value == "" else value for field, value in own.items()}
    assert Metrics.model_validate(told_values) == found.metrics
    for one in found.channels:
        row = values["channel", one.channel.name, "previous", "incoming_messages_count"]
        assert one.previous is not None
        assert str(row) == str(one.previous.incoming_messages_count)
    assert {row["name"] for row in rows if row["scope"] == "author"} == set(
        found.outgoing_by_author
    )


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_for_eyes_there_is_a_table_of_each(inbox: Path, style: str):
    text = told(inbox, "report", *DAYS, "--by", "day", "--format", style)
    assert "Europe/Madrid" in text.splitlines()[0]
    assert all(figure.name in text for figure in FIGURES)
    assert all(str(one.channel.name) in text for one in report(inbox, *DAYS).channels)
    assert text.count("2026-03-0") >= 7


def test_what_has_no_samples_is_no_zero():
    times = [figure for figure in FIGURES if figure.timed]
    assert {written(figure, None) for figure in times} == {"–"}
    assert {written(figure, 0.0) for figure in times} == {"0 s"}


@pytest.mark.parametrize(
    ("now", "then", "words"),
    [
        (3, 2, "▲ 50 %"),
        (1, 2, "▼ 50 %"),
        (2, 2, "="),
        (0, 0, "="),
        (3, 0, "new"),
        (1000, 1001, "≈"),
        (None, 2, "–"),
        (2, None, "–"),
    ],
)
def test_change_is_told_where_it_can_be(now: float | None, then: float | None, words: str):
    assert changed(now, then) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (59.4, "59 s"),
        (59.6, "1 m 0 s"),
        (312.4, "5 m 12 s"),
        (18044, "5 h 0 m"),
        (183600, "2 d 3 h"),
    ],
)
def test_times_are_in_their_two_largest_units(seconds: float, words: str):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    "arguments",
    [
        ("fortnight",),
        ("today", "--from", "2026-03-01"),
        ("--to", "2026-02-30"),
        ("yesterday", "--zone", "Mars/Olympus"),
        ("--by", "minute"),
    ],
)
def test_bad_usage(inbox: Path, arguments: tuple[str, ...]):
    result = ask(inbox, "report", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_zone_that_the_server_refuses_is_an_error_that_helps(inbox: Path):
    result = ask(inbox, "report", "--zone", "Mars/Olympus")
    assert result.exit_code == 1
    assert "Europe/Madrid" in str(result.exception)
