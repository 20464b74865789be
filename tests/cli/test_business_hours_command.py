"""`frontdesk db business-hours`, and the same table of a catalogue file."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.commands import output_of, run_on

HOURS = """
[business_hours]
timezone = "Europe/Madrid"
monday = ["09:00-14:00", "16:00-19:00"]
holidays = [2026-12-25, "2026-11-01"]

[business_hours.channels."108200000000011"]
timezone = "UTC"
sunday = ["00:00-24:00"]
"""
SHOWN = """\
[business_hours]
timezone = "Europe/Madrid"
monday = ["09:00-14:00", "16:00-19:00"]
holidays = [2026-11-01, 2026-12-25]

[business_hours.channels."108200000000011"]
timezone = "UTC"
sunday = ["00:00-24:00"]
holidays = []
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hours.toml"
    path.write_text(HOURS, encoding="utf-8")
    return path


def test_they_are_set_printed_as_a_file_has_them_and_removed(inbox: Path, file: Path) -> None:
    none = "There are no business hours\n"
    assert output_of(inbox, "db", "business-hours") == none
    output_of(inbox, "db", "business-hours", "--set", str(file))
    assert output_of(inbox, "db", "business-hours") == SHOWN
    file.write_text(SHOWN, encoding="utf-8")
    output_of(inbox, "db", "business-hours", "--set", str(file))
    assert output_of(inbox, "db", "business-hours") == SHOWN
    output_of(inbox, "db", "business-hours", "--clear")
    assert output_of(inbox, "db", "business-hours") == none


def test_hours_of_a_channel_that_is_not_there_are_refused_with_those_that_are(
    inbox: Path, file: Path
) -> None:
    file.write_text(HOURS.replace("108200000000011", "4711"), encoding="utf-8")
    outcome = run_on(inbox, "db", "business-hours", "--set", str(file))
    assert outcome.exit_code == 2
    assert "business_hours.channels: no channel has the id '4711': there is 1" in outcome.output
    assert "108200000000011 (London)" in outcome.output
    assert output_of(inbox, "db", "business-hours") == "There are no business hours\n"


def test_a_list_of_channels_as_csv_has_their_hours(inbox: Path, file: Path) -> None:
    output_of(inbox, "db", "business-hours", "--set", str(file))
    text = output_of(inbox, "channels", "list", "--all", "--format", "csv")
    hours = {row["name"]: row["business_hours"] for row in csv.DictReader(io.StringIO(text))}
    assert json.loads(hours["London"])["sunday"] == ["00:00-24:00"]
    assert json.loads(hours["Madrid"])["holidays"] == ["2026-11-01", "2026-12-25"]


def test_a_catalogue_file_has_them_too_and_says_what_is_wrong(inbox: Path, file: Path) -> None:
    assert "~ business hours" in output_of(inbox, "import", "catalogue", str(file))
    assert output_of(inbox, "db", "business-hours") == SHOWN
    assert "0 changed" in output_of(inbox, "import", "catalogue", str(file))
    file.write_text(HOURS.replace("09:00-14:00", "9-14"), encoding="utf-8")
    for command in (
        ("import", "catalogue", str(file)),
        ("db", "business-hours", "--set", str(file)),
    ):
        outcome = run_on(inbox, *command)
        assert outcome.exit_code != 0
        assert "monday: '9-14' is no span such as 09:00-13:00" in outcome.output
    assert output_of(inbox, "db", "business-hours") == SHOWN


def test_an_export_takes_them_along(inbox: Path, file: Path, tmp_path: Path) -> None:
    output_of(inbox, "db", "business-hours", "--set", str(file))
    events = tmp_path / "all.ndjson"
    events.write_text(output_of(inbox, "export", "events"), encoding="utf-8")
    line = json.loads(events.read_text(encoding="utf-8").splitlines()[0])
    assert line["business_hours"]["channels"]["108200000000011"]["sunday"] == ["00:00-24:00"]
    copy = tmp_path / "copy.db"
    output_of(copy, "import", "events", str(events))
    assert output_of(copy, "db", "business-hours") == SHOWN


def test_a_report_says_that_it_is_in_business_hours_or_why_it_cannot(
    inbox: Path, file: Path
) -> None:
    outcome = run_on(inbox, "report", "--business-hours")
    assert outcome.exit_code != 0
    assert "This account has no business hours" in outcome.output
    output_of(inbox, "db", "business-hours", "--set", str(file))
    assert ", business hours\n" in output_of(inbox, "report", "--business-hours")
    assert "business hours" not in output_of(inbox, "report")
    text = output_of(inbox, "report", "conversations", "90d", "--business-hours")
    assert "first_response_business_seconds" in text.splitlines()[0]
    refused = run_on(inbox, "report", "--business-hours", "--by", "ad")
    assert "--business-hours is not shown by ad" in refused.output


def test_a_list_of_waits_says_on_standard_error_that_there_are_no_business_hours(
    inbox: Path, file: Path
) -> None:
    query = ("conversations", "list", "waiting:>1h hours:business", "--all", "--json", "id")
    without = run_on(inbox, *query)
    assert without.stderr == (
        "frontdesk: This inbox has no business hours: ages are in calendar time.\n"
    )
    assert without.stdout == output_of(inbox, *query[:2], "waiting:>1h", *query[3:])
    output_of(inbox, "db", "business-hours", "--set", str(file))
    assert run_on(inbox, *query).stderr == ""
