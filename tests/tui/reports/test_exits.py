"""Leaving a report: conversations of a figure, copies, files."""

import csv
import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from frontdesk.tui.clock import Clock
from frontdesk.tui.reports.query import created_in
from frontdesk.wire.reports import Report
from tests.tui.conftest import Open, Viewer, lines, settle, shown
from tests.tui.views import press, type_in


@pytest.mark.parametrize(
    ("row", "chosen", "words"),
    [
        (3, "", "cannot filter them by the dates of messages"),
        (4, "is:resolved", "resolved now, whenever"),
        (9, "is:open", "handed to a human"),
    ],
)
async def test_enter_on_a_figure_leads_to_the_nearest_conversations_and_says_so(
    report: Open, row: int, chosen: str, words: str
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, *["j"] * row, "enter")
        assert app.chosen == [chosen]
        assert words in app.toasts


async def test_new_conversations_lead_to_exactly_these(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "enter")
        assert app.chosen == ["created:2026-03-08.."]
        assert "Shows" not in app.toasts


@pytest.mark.parametrize(
    ("zone", "running", "term"),
    [
        ("UTC", True, "created:2026-03-08.."),
        ("UTC", False, "created:2026-03-08..2026-03-13"),
        ("Europe/Madrid", True, ""),
        ("Europe/Madrid", False, ""),
    ],
)
def test_days_of_another_zone_are_not_written_as_days_here(
    zone: str, running: bool, term: str
) -> None:
    period = {"from": "2026-03-08T00:00:00.000Z", "to": "2026-03-14T00:00:00.000Z"}
    report = Report.model_validate({"period": period, "metrics": {}})
    assert created_in(report, Clock(ZoneInfo(zone)), running=running) == term


def test_a_period_of_one_day_is_written_as_the_day() -> None:
    period = {"from": "2026-03-08T00:00:00.000Z", "to": "2026-03-09T00:00:00.000Z"}
    report = Report.model_validate({"period": period, "metrics": {}})
    clock = Clock(ZoneInfo("UTC"))
    assert created_in(report, clock, running=False) == "created:2026-03-08"
    assert created_in(report, clock, running=True) == "created:2026-03-08.."


async def test_enter_on_a_channel_or_an_author_leads_to_their_conversations(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3", "enter")
        assert app.chosen == ["in:id:108200000000013"]


@pytest.mark.parametrize(
    ("part", "chosen", "said"),
    [
        ("6", 'is:open team:"Atlantic shops" sort:waiting', "all open conversations of its people"),
        ("9", "ad:120210000000042", "all conversations with a message from this ad, of any date"),
    ],
)
async def test_enter_on_a_team_or_an_ad_leads_to_its_conversations(
    report: Open, part: str, chosen: str, said: str
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, part, "enter")
        assert app.chosen == [chosen]
        assert f"Shows {said}" in app.toasts


async def test_enter_on_an_author_keeps_the_channel(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "4", "enter")
        assert app.chosen == [""]
        assert "whoever wrote in them" in app.toasts


@pytest.mark.parametrize(
    ("keys", "chosen", "said"),
    [
        (("right", "right", "enter"), "is:open", True),
        (("l", "l", "l", "left", "h", "enter"), "is:open @unassigned", False),
    ],
)
async def test_the_live_numbers_lead_to_their_lists(
    report: Open, keys: tuple[str, ...], chosen: str, said: bool
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "0", *keys)
        assert app.chosen == [chosen]
        assert ("Shows all open conversations" in app.toasts) == said


async def test_y_copies_what_stands_under_the_cursor(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "y", "0", "y", "2", "y", "3", "y", "4", "y")
        figure, live, part, channel, author = app.copied
        assert figure.startswith("New conversations: 65 (previous 29, ▲ 124 %) · 8 – 14 Mar 2026")
        assert live.startswith("open: 60")
        assert part.startswith("New conversations, Sat 14 Mar (part): 15, was 4 (Sat 7 Mar)")
        assert channel.startswith("Madrid: New conversations 17, Messages received")
        assert author.startswith("Agents: 169 messages sent")


async def test_it_is_saved_as_what_the_ending_says_and_never_over_a_file_unasked(
    report: Open, tmp_path: Path
) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for ending in ("csv", "json", "md"):
            await press(pilot, "E", "enter")
            assert "inbox-report-2026-03-08-2026-03-14.csv" in shown(app)
            await type_in(pilot, f"{tmp_path}/report.{ending}")
            await press(pilot, "enter")
        rows = list(csv.DictReader((tmp_path / "report.csv").read_text("utf-8-sig").splitlines()))
        assert rows[0]["value"] == "65"
        assert {row["scope"] for row in rows} == {
            *("all", "channel", "user", "everyone", "author", "pricing", "part", "live")
        }
        assert len({row["from"] for row in rows if row["scope"] == "part"}) == 14
        body = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
        assert body["metrics"]["conversations_count"] == 65
        assert len(body["previous_series"]) == 7
        markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
        assert "| New conversations | 65 |  |  | 29 | ▲ 124 % |  |" in markdown
        (tmp_path / "report.md").write_text("mine", encoding="utf-8")
        await press(pilot, "E", "enter")
        await type_in(pilot, f"{tmp_path}/report.md")
        await press(pilot, "enter")
        assert "This file exists" in shown(app)
        assert (tmp_path / "report.md").read_text(encoding="utf-8") == "mine"
        await press(pilot, "enter")
        assert (tmp_path / "report.md").read_text(encoding="utf-8") != "mine"


async def test_a_name_that_cannot_be_saved_under_is_explained(report: Open, tmp_path: Path) -> None:
    app = report()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "E", "enter")
        for name, problem in (
            ("report.xls", ".csv, .json, .md"),
            ("nowhere/report.csv", "no directory"),
            (".csv", "end"),
        ):
            await type_in(pilot, f"{tmp_path}/{name}")
            await press(pilot, "enter")
            assert problem in shown(app)
        await press(pilot, "escape", "escape")
        assert list(tmp_path.glob("*.csv")) == []


async def test_the_notice_about_a_list_stays_until_another_view_is_shown(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f4", "j", "enter")
        assert "Shows all open conversations: the server cannot filter" in lines(app)[-1]
        await press(pilot, "j")
        assert "Shows all open conversations" in lines(app)[-1]
        await press(pilot, "7")
        assert "Shows" not in lines(app)[-1]
        assert "? help" in lines(app)[-1]


async def test_its_conversations_are_saved_one_row_each(report: Open, tmp_path: Path) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for ending in ("csv", "ndjson"):
            await press(pilot, "E", "down", "enter")
            assert "conversations-2026-03-08-2026-03-14.csv" in shown(app)
            await type_in(pilot, f"{tmp_path}/rows.{ending}")
            await press(pilot, "enter")
            await settle(pilot)
        rows = list(csv.DictReader((tmp_path / "rows.csv").read_text("utf-8-sig").splitlines()))
        lines_ = (tmp_path / "rows.ndjson").read_text("utf-8").splitlines()
        assert [json.loads(line)["id"] for line in lines_] == [row["id"] for row in rows]
        assert sum(row["began"] == "true" for row in rows) == 65
        assert not list(tmp_path.glob("*.part"))


async def test_the_pipe_says_that_a_program_reads_the_report(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "vertical_line")
        assert "a program that reads the report;" in shown(app)
