"""`frontdesk report`: periods by name and date, and all figures in every format."""

import csv
import io
import json
import re
from datetime import UTC
from pathlib import Path

import pytest
from tests.commands import Terminal, output_of, run_on
from tests.report_parts import with_parts

from frontdesk.cli.commands.report import SPANS
from frontdesk.reports.export import exported, markdown, records
from frontdesk.reports.metrics import author_name
from frontdesk.reports.periods import PERIODS
from frontdesk.reports.registry import METRICS
from frontdesk.reports.sheets import tables
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Metrics, Report

# The days of the sample, which ends on 14 March 2026.
DAYS = ("--from", "2026-03-02", "--to", "2026-03-08", "--zone", "Europe/Madrid")


def report(inbox: Path, *arguments: str) -> Report:
    return Report.model_validate_json(output_of(inbox, "report", *arguments, "--format", "json"))


def test_periods_have_the_names_that_the_viewer_gives_them():
    assert set(SPANS.values()) == set(PERIODS)
    assert list(SPANS)[:6] == ["today", "yesterday", "7d", "30d", "90d", "12w"]


@pytest.mark.parametrize("name", SPANS)
def test_every_named_period_can_be_asked_for(inbox: Path, name: str):
    found = report(inbox, name)
    assert found.period.from_ < found.period.to


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


def test_a_month_is_compared_with_the_month_before(inbox: Path):
    found = report(inbox, "last-month", "--zone", "UTC")
    assert found.previous_period is not None
    assert found.previous_period.to == found.period.from_
    assert found.previous_period.from_.endswith("-01T00:00:00.000Z")
    days = ("--from", "2026-03-02", "--to", "2026-03-03", "--zone", "UTC")
    before = report(inbox, *days, "--compare", "year").previous_period
    assert before is not None
    assert before.from_.startswith("2025-03-02")


def test_moments_are_taken_as_they_are(inbox: Path):
    moments = ("--from", "2026-03-02T10:00:00Z", "--to", "2026-03-02T12:00:00+01:00")
    assert report(inbox, *moments).period.to == "2026-03-02T11:00:00.000Z"


@pytest.mark.parametrize(
    ("part", "starts"),
    [("hour", ["2026-03-08 00:00", "2026-03-08 01:00"]), ("day", ["2026-03-08"])],
)
def test_the_starts_of_parts_have_times_if_one_of_them_has(
    inbox: Path, part: str, starts: list[str]
):
    day = ("--from", "2026-03-08", "--to", "2026-03-08", "--zone", "UTC")
    lines = output_of(inbox, "report", *day, "--by", part).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("FROM "))
    shown = [line[: len(starts[0]) + 2].strip() for line in lines[at + 1 :]]
    assert shown[: len(starts)] == starts


def test_a_report_of_one_channel(inbox: Path):
    channels = report(inbox, *DAYS).channels
    id = str(channels[0].channel.id)
    found = report(inbox, *DAYS, "--channel", id)
    assert found.channel == id
    assert found.metrics == channels[0].metrics
    for style in ("table", "markdown"):
        told = output_of(inbox, "report", *DAYS, "--channel", id, "--format", style)
        assert f", channel {channels[0].channel.name}\n" in told.replace("  \n", "\n"), style
        assert f"channel {id}" not in told


@pytest.mark.parametrize("style", ["csv", "jsonl"])
def test_every_number_is_a_row(inbox: Path, style: str):
    found = report(inbox, *DAYS, "--by", "day")
    text = output_of(inbox, "report", *DAYS, "--by", "day", "--format", style)
    rows = (
        list(csv.DictReader(io.StringIO(text)))
        if style == "csv"
        else [json.loads(line) for line in text.splitlines()]
    )
    parts = [row for row in rows if row["scope"] == "part"]
    assert len(parts) == 2 * 7 * len(METRICS)
    assert parts[0]["from"] == found.period.from_
    assert {row["from"] for row in parts if row["period"] == "previous"} == {
        bucket.start for bucket in found.previous_series or ()
    }
    values = {(r["scope"], r["name"], r["period"], r["figure"]): r["value"] for r in rows}
    own = {metric.field: values["all", "", "this", metric.field] for metric in METRICS}
    wire_values = {field: None if value == "" else value for field, value in own.items()}
    samples = {
        row["figure"]: row["samples"]
        for row in rows
        if (row["scope"], row["period"]) == ("all", "this")
        and row["figure"] in found.metrics.samples
    }
    assert Metrics.model_validate({**wire_values, "samples": samples}) == found.metrics
    for one in found.channels:
        row = values["channel", one.channel.name, "previous", "incoming_messages_count"]
        assert one.previous is not None
        assert str(row) == str(one.previous.incoming_messages_count)
    assert {row["name"] for row in rows if row["scope"] == "author"} == set(
        found.outgoing_by_author
    )


@pytest.mark.parametrize("style", ["table", "markdown"])
def test_for_eyes_there_is_a_table_of_each(inbox: Path, style: str):
    text = output_of(inbox, "report", *DAYS, "--by", "day", "--format", style)
    assert "Europe/Madrid" in "".join(text.splitlines()[:3])
    assert all(metric.name in text for metric in METRICS)
    assert all(str(one.channel.name) in text for one in report(inbox, *DAYS).channels)
    assert text.count("2026-03-0") >= 7
    assert "Unattended: open, without a first answer or with a customer who waits again" in text
    assert "samples" in text.lower()


def test_messages_are_listed_by_what_they_were_charged_as(inbox: Path):
    pricing = report(inbox, *DAYS).pricing
    assert {one.category for one in pricing} >= {"marketing", "service"}
    lines = output_of(inbox, "report", *DAYS, "--format", "markdown").splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("| Charged as |"))
    first = pricing[0]
    assert lines[at + 2].replace("\\_", "_") == (
        f"| {first.category} | {first.type} | {first.channel.name} | {author_name(first.author)} "
        f"| {first.count} | {first.billable_count} | {first.previous_count} |"
    )
    rows = list(csv.DictReader(io.StringIO(output_of(inbox, "report", *DAYS, "--format", "csv"))))
    counts = [row["value"] for row in rows if (row["scope"], row["figure"]) == ("pricing", "count")]
    assert counts[:2] == [str(first.count), str(first.previous_count)]


def test_times_without_samples_are_shown_as_a_dash_and_not_zero(inbox: Path):
    text = output_of(inbox, "report", "--from", "2020-03-02", "--to", "2020-03-08")
    times = [line.split() for line in text.splitlines() if "mean" in line]
    assert len(times) == 3
    # The last column is the number of samples.
    assert all("–" in words and "0" not in words[:-1] for words in times)


@pytest.mark.parametrize(
    "arguments",
    [
        ("fortnight",),
        ("today", "--from", "2026-03-01"),
        ("--to", "2026-02-30"),
        ("--to", "9999-12-31"),
        ("--from", "2026-02-30"),
        ("--from", "2026-03-01", "--json", "--format", "csv"),
        ("yesterday", "--zone", "Mars/Olympus"),
        ("--by", "minute"),
        ("--from", "2027-01-01", "--to", "2026-01-01"),
    ],
)
def test_invalid_arguments_are_usage_errors(inbox: Path, arguments: tuple[str, ...]):
    result = run_on(inbox, "report", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_zone_that_the_server_refuses_is_an_error_that_helps(inbox: Path):
    result = run_on(inbox, "report", "--zone", "Mars/Olympus")
    assert result.exit_code == 2
    assert "Europe/Madrid" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "2026-03-01"),
        ("--to", "2026-03-02"),
        ("--sort", "sent"),
        ("--figures", "sent"),
        ("--compare", "week"),
    ],
)
def test_what_the_viewer_does_not_take_is_not_watched(inbox: Path, arguments: tuple[str, ...]):
    result = run_on(inbox, "report", "--watch", *arguments, stdout=Terminal())
    assert result.exit_code == 2
    assert f"--watch shows the report of the viewer, without {arguments[0]}:" in result.stderr


def test_what_is_watched_is_looked_up_before(inbox: Path):
    shown = ("30d", "--by", "user", "--by", "day", "--spread", "--target", "reply=1h")
    result = run_on(inbox, "report", "--watch", *shown, "--team", "Nowhere", stdout=Terminal())
    assert result.exit_code == 2
    assert "There is no team 'Nowhere'" in result.stderr


@pytest.mark.parametrize(
    ("stdout", "arguments"),
    [(None, ()), (None, ("--format", "jsonl")), (Terminal(), ("--format", "markdown"))],
    ids=["pipe", "jsonl", "markdown"],
)
def test_only_a_terminal_is_drawn_on_again_and_again(
    inbox: Path, stdout: Terminal | None, arguments: tuple[str, ...]
):
    result = run_on(inbox, "report", "--watch", *arguments, stdout=stdout)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--watch draws on a terminal, and not into a pipe or file" in result.stderr


def test_a_terminal_shows_in_colour_what_is_better_and_worse(
    inbox: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    days = ("--from", "2026-03-08", "--to", "2026-03-14")
    terminal = Terminal()
    run_on(inbox, "report", *days, stdout=terminal)
    shown = terminal.getvalue()
    assert re.search(r"Resolved .*\x1b\[32m▲ .* better", shown)
    assert re.search(r"First response.*\x1b\[33m▲ .* worse", shown)


ALL = ReportQuery(
    include="users,teams,labels,hours,spread", target_first_response=900, target_reply=3600
)


def test_every_part_is_in_every_format(inbox: Path):
    whole = with_parts(report(inbox, *DAYS), ALL)
    rows = {
        (row["scope"], row["name"], row["period"], row["figure"]): row for row in records(whole)
    }
    assert rows["user", "Grace Okafor", "this", "avg_reply_time"]["value"] == 7260.0
    assert rows["user", "nobody", "now", "waiting"]["value"] == 9
    assert rows["team", "London", "previous", "resolutions_count"]["value"] == 30
    assert rows["label", "complaint", "this", "conversations_count"]["value"] == (
        whole.metrics.conversations_count
    )
    assert rows["hour", "Tue 14:00", "this", "incoming_messages_count"]["value"] == 9
    assert rows["hour", "Sun 03:00", "previous", "avg_first_response_time"]["value"] is None
    assert rows["all", "", "this", "approximate_p90_first_response_time"]["value"] == 3000.0
    assert rows["all", "", "this", "p50_reply_time"]["value"] == 90.0
    share = rows["all", "", "this", "reply_within_3600s"]
    assert (share["value"], share["samples"]) == (41, 50)
    assert rows["live", "", "now", "over_reply"]["value"] == 9
    assert len([key for key in rows if key[0] == "hour"]) == 2 * 2 * 7 * 24
    assert Report.model_validate_json(exported(whole, "json", UTC)) == whole
    assert len(list(csv.DictReader(io.StringIO(exported(whole, "csv", UTC))))) == len(
        list(records(whole))
    )


def test_people_read_the_parts_as_tables_with_the_names_that_figures_have_everywhere(inbox: Path):
    whole = with_parts(report(inbox, *DAYS), ALL)
    found = {headings[0]: (headings, rows) for headings, rows, _ in tables(whole, UTC)}
    headings, people = found["Person"]
    assert headings[:6] == (
        *("Person", "Status now", "Open now", "Waits now", "Longest now", "Unread now"),
    )
    assert headings[6:10] == ("<1h now", "1–4h now", "4–24h now", ">1d now")
    assert headings[10:14] == ("First response", "Change", "p50", "p90")
    assert headings[-3:] == ("Sent", "Answered", "Resolved")
    grace = dict(zip(headings, people[1], strict=True))
    assert grace["Status now"] == "busy"
    assert grace["First response"] == "1h30m"
    assert people[2][0] == "nobody"
    figures, metrics = found["Metric"]
    waiting = next(row for row in metrics if row[0] == "Waiting, mean")
    assert figures == ("Metric", "This", "p50", "p90", "In time", "Previous", "Change", "Samples")
    assert waiting[2:5] == ("1m30s", "10m00s", "82% in 1h")
    first = next(row for row in metrics if row[0] == "First response, mean")
    assert first[2:5] == ("~2m00s", "~50m00s", "")
    assert any("labels have no history" in remark for *_, remark in tables(whole, UTC))
    assert found["Messages received"][1][14][:3] == ("14:00", "0", "9")
    assert "Wait longer than 1h" in found["Open now"][0]
    assert "~50m00s" in markdown(whole, UTC)


def test_without_parts_and_targets_there_is_nothing_of_them(inbox: Path):
    plain = report(inbox, *DAYS)
    assert {row["scope"] for row in records(plain)} <= {
        *("all", "channel", "author", "pricing", "part", "live")
    }
    assert [headings[0] for headings, *_ in tables(plain, UTC)][:2] == ["Metric", "Channel"]


def test_targets_are_those_of_the_command_line(inbox: Path):
    options = ("--target", "first-response=15m", "--target", "reply=1h")
    found = report(inbox, *DAYS, *options)
    assert {name: target.target_seconds for name, target in found.metrics.targets.items()} == {
        "first_response": 900,
        "reply": 3600,
    }


@pytest.mark.parametrize("text", ["reply", "reply=", "reply=0m", "answer=1h", "reply=1x", "=1h"])
def test_a_target_that_is_none_is_refused_with_what_one_is(inbox: Path, text: str):
    result = run_on(inbox, "report", "--target", text)
    assert result.exit_code == 2
    assert "give first_response or reply, = and a length such as 15m" in result.stderr


def test_one_granularity_goes_with_other_parts(inbox: Path):
    result = run_on(inbox, "report", "--by", "day", "--by", "week")
    assert result.exit_code == 2
    assert "--by takes one of day and week" in result.stderr
    result = run_on(inbox, "report", *DAYS, "--by", "day", "--by", "user", "--format", "json")
    assert result.exit_code == 0
    assert Report.model_validate_json(result.stdout).series is not None


def test_a_report_of_one_user_team_or_label_says_so_and_has_its_figures(inbox: Path):
    people = report(inbox, *DAYS, "--by", "user").users or ()
    busiest = max(people, key=lambda row: row.current.outgoing_messages_count)
    assert busiest.user is not None
    own = report(inbox, *DAYS, "--user", busiest.user.name or "")
    assert own.metrics.outgoing_messages_count == busiest.current.outgoing_messages_count
    assert own.metrics.avg_reply_time == busiest.current.avg_reply_time
    shown = output_of(inbox, "report", *DAYS, "--user", busiest.user.name or "")
    assert f", user {busiest.user.name}\n" in shown
    assert "Messages received" not in shown
    labels = report(inbox, *DAYS, "--by", "label").labels or ()
    largest = max(labels, key=lambda row: row.current.incoming_messages_count or 0)
    assert report(inbox, *DAYS, "--label", largest.label.name or "").metrics == largest.current
    teams = report(inbox, *DAYS, "--by", "team").teams or ()
    team = report(inbox, *DAYS, "--team", teams[0].team.name or "", "--by", "user")
    assert team.metrics.resolutions_count == teams[0].current.resolutions_count


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--user", "1", "--label", "vip"), "one of --user and --label"),
        (("--label", "vip", "--by", "user"), "is not shown by person: there is by hour"),
        (("--sort", "speed"), "There is no column 'speed'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    inbox: Path, options: tuple[str, ...], words: str
):
    outcome = run_on(inbox, "report", *options)
    assert outcome.exit_code == 2
    assert words in outcome.output


def test_a_table_is_sorted_by_what_is_asked_for_and_ends_with_all(inbox: Path):
    shown = output_of(inbox, "report", *DAYS, "--by", "user", "--sort", "sent").splitlines()
    start = next(at for at, line in enumerate(shown) if line.startswith("PERSON"))
    end = next(at for at in range(start, len(shown)) if shown[at].startswith("all "))
    people = report(inbox, *DAYS, "--by", "user").users or ()
    sent = sorted((row.current.outgoing_messages_count for row in people), reverse=True)
    column = shown[start].index("SENT")
    assert [int(line[column:].split()[0]) for line in shown[start + 1 : end]] == sent
    assert int(shown[end][column:].split()[0].replace(",", "")) == sum(sent)


def test_a_minus_before_the_column_sorts_from_the_lowest(inbox: Path):
    shown = output_of(inbox, "report", *DAYS, "--sort", "-received").splitlines()
    start = next(at for at, line in enumerate(shown) if line.startswith("CHANNEL"))
    end = next(at for at in range(start, len(shown)) if shown[at].startswith("all "))
    counts = [each.metrics.incoming_messages_count or 0 for each in report(inbox, *DAYS).channels]
    column = shown[start].index("RECEIVED")
    rows = [int(line[column:].split()[0]) for line in shown[start + 1 : end]]
    assert rows == sorted(counts)
    assert len(set(rows)) > 1


def test_what_was_open_at_the_end_is_a_row_and_a_column_of_days(inbox: Path):
    shown = output_of(inbox, "report", *DAYS, "--by", "day", "--backlog")
    assert re.search(r"^Open at the end +[0-9]+ +[0-9]+ ", shown, re.MULTILINE)
    assert "OPEN AT END" in shown
    found = report(inbox, *DAYS, "--by", "day", "--figures", "open_at_end")
    series = found.series or ()
    assert [each.metrics.open_at_end_count is not None for each in series] == [True] * 7
    assert series[-1].metrics.open_at_end_count == found.metrics.open_at_end_count


def test_json_and_csv_have_no_tables_to_sort(inbox: Path):
    outcome = run_on(inbox, "report", "--sort", "name", "--format", "csv")
    assert outcome.exit_code == 2
    assert "--sort goes with --format table and markdown only" in outcome.output


def test_rows_of_conversations_add_up_to_the_report(inbox: Path):
    days = ("--from", "2026-03-02", "--to", "2026-03-08")
    whole = report(inbox, *days).metrics
    text = output_of(inbox, "report", "conversations", *days, "--bom")
    assert text.startswith("\ufeffid,customer_id,customer,")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))
    assert sum(int(row["incoming_messages_count"]) for row in rows) == whole.incoming_messages_count
    seconds = sum(float(row["reply_seconds"] or 0) for row in rows)
    replies = sum(int(row["replies_count"]) for row in rows)
    assert round(seconds / replies, 1) == whole.avg_reply_time
    lines = output_of(inbox, "report", "conversations", *days, "--format", "jsonl").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in rows]


def test_rows_of_conversations_have_one_period(inbox: Path):
    outcome = run_on(inbox, "report", "conversations", "7d", "--from", "2026-03-02")
    assert outcome.exit_code == 2
    assert "A named period does not go with --from or --to" in outcome.output
