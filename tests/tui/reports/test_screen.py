"""The report, driven by keys on the sample and read from the screen."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Refused
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.tui.reports.reading import REMEMBERED
from frontdesk.tui.reports.tables import LiveLine
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Report
from tests.tui.conftest import Open, lines, notifications, settle, shown
from tests.tui.reports import Answering, failing, line_with, title_of
from tests.tui.views import press, type_in


class Answers(Answering):
    """The sample's server, with a function that answers reports."""

    def __init__(
        self, client: InboxClient, answer: Callable[[ReportQuery], Awaitable[Report]]
    ) -> None:
        super().__init__(client, failing)  # type: ignore[arg-type]
        self._awaited = answer

    async def report(self, query: ReportQuery | None = None) -> Report:
        assert query is not None
        return await self._awaited(query)


async def test_it_opens_on_seven_days_against_the_seven_before(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert title_of(app).startswith(" REPORTS sample · all channels")
        assert title_of(app).endswith("8 – 14 Mar 2026 until 10:00 (UTC)  vs 1 – 7 Mar until 10:00")
        assert "open 60" in lines(app)[1]
        assert " ▲124% " in line_with(app, "New conversations")
        text = shown(app)
        for words in ("CAME AND WENT", "OPEN AT THE DAY'S END", "PERSON", "P90"):
            assert words in text
        assert "the last day is partial" in lines(app)[-2]
        assert lines(app)[-1].endswith("live")


@pytest.mark.parametrize(
    ("size", "subject", "headings"),
    [
        ((120, 40), "", ["PERSON"]),
        ((120, 40), "label:vip", ["CHANNEL"]),
        ((200, 60), "", ["PERSON", "CHANNEL"]),
        ((80, 24), "", []),
    ],
)
async def test_people_come_first_where_they_have_room_and_are_asked_for_nowhere_else(
    report: Open,
    client: InboxClient,
    cache: Cache,
    size: tuple[int, int],
    subject: str,
    headings: list[str],
) -> None:
    asked: list[ReportQuery] = []

    async def answer(query: ReportQuery) -> Report:
        asked.append(query)
        return await client.report(query)

    cache.set_setting(REMEMBERED, ReportOptions(subject=subject).to_store())
    app = report(Answers(client, answer))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        drawn = [head for head in ("PERSON", "CHANNEL") if f" {head} " in shown(app)]
        assert drawn == headings
        with_people = any("users" in (query.include or "") for query in asked)
        assert with_people == ("PERSON" in headings)


async def test_without_people_on_the_server_channels_stay(
    report: Open, client: InboxClient
) -> None:
    async def no_people(query: ReportQuery) -> Report:
        if "users" in (query.include or ""):
            raise Refused("include: users is not known.", code="invalid_request")
        return await client.report(query)

    app = report(Answers(client, no_people))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert " CHANNEL " in shown(app)
        assert line_with(app, "London")
        await press(pilot, "5")
        assert "▸PERSON" in shown(app)
        assert "users is not known" in shown(app)


async def test_at_80_columns_the_header_has_both_periods_and_cuts_no_word(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert "· all channels " in title_of(app)
        assert title_of(app).endswith("8 – 14 Mar until 10:00  vs 1 – 7 Mar")


async def test_every_size_shows_the_figures_or_says_what_it_needs(report: Open) -> None:
    app = report()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot)
        for width, height in ((200, 60), (120, 40), (100, 32), (80, 24), (60, 15), (40, 10)):
            await pilot.resize_terminal(width, height)
            await settle(pilot)
            assert "65" in line_with(app, "New conversations")
            assert len(lines(app)) == height
        await pilot.resize_terminal(38, 9)
        await settle(pilot)
        assert shown(app).strip() == "Too small: 40x10 needed, this is 38x9"


async def test_a_narrow_report_shows_one_pane_below_the_figures_and_a_flat_one_only_one(
    report: Open,
) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for key, words in (
            ("3", "CHANNEL "),
            ("4", "SENT BY"),
            ("2", "PER DAY"),
            ("1", "PER DAY"),
        ):
            await press(pilot, key)
            assert words in shown(app)
            assert "METRIC" in shown(app)
        await pilot.resize_terminal(60, 15)
        await press(pilot, "3")
        assert "CHANNEL" in shown(app)
        assert "METRIC" not in shown(app)


async def test_tab_goes_through_all_panes_and_back_however_fast_it_is_pressed(
    report: Open,
) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        seen = []
        for _ in range(5):
            await press(pilot, "tab")
            seen.append(app.focused.id if app.focused else None)
        assert seen == ["plot", "authors", "channels", "live", "metrics"]
        await press(pilot, "shift+tab", "tab")
        for presses, last in ((2, "authors"), (1, "channels"), (5, "channels"), (3, "plot")):
            for _ in range(presses):
                app.simulate_key("tab")
            await settle(pilot)
            assert app.focused
            assert app.focused.id == last
        await press(pilot, "shift+tab", "shift+tab")
        assert app.focused
        assert app.focused.id == "live"


async def test_p_chooses_a_period_by_its_name(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for typed, words in (
            ("yesterday", "13 Mar 2026 (UTC)"),
            ("this week", "9 – 14 Mar 2026 until 10:00"),
            ("last week", "2 – 8 Mar 2026 (UTC)  vs 23 Feb – 1 Mar"),
            ("last month", "1 – 28 Feb 2026 (UTC)"),
        ):
            await choose_period(pilot, typed)
            assert words in title_of(app)


async def choose_period(pilot: Pilot[Any], typed: str) -> None:
    await press(pilot, "p")
    await type_in(pilot, typed)
    await press(pilot, "enter")


PERIODS = (
    # typed; in the title; over the series of the figures; labels of the axis; what the last was
    ("today", "14 Mar 2026 until", "PER HOUR, 14 Mar", ("00", "09"), "(Fri 13 Mar 09:00)"),
    ("7", "8 – 14 Mar 2026 until", "PER DAY, 8 – 14 Mar", ("Su", "Sa(part)"), "(Sat 7 Mar)"),
    ("30", "13 Feb – 14 Mar 2026", "PER DAY, 13 Feb – 14 Mar", ("13", "11"), "(Thu 12 Feb)"),
    ("this month", "1 – 14 Mar 2026", "PER DAY, 1 – 14 Mar", ("Su", "Sa*"), "(Sat 14 Feb)"),
    (
        *("90", "15 Dec 2025 – 14 Mar 2026 until", "PER WEEK, 15 Dec – 14 Mar"),
        *(("15 Dec", "9 Mar*"), "(week of 9 Dec)"),
    ),
)


async def test_bars_of_several_days_are_headed_by_their_number(report: Open) -> None:
    """As wide as they have to be for 90 days in the room that is left."""
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, "90")
        await press(pilot, "enter")
        assert "PER WEEK" in line_with(app, "METRIC")
        await press(pilot, "g", "g")
        await settle(pilot)
        head, figures = line_with(app, "METRIC"), line_with(app, "Messages received")
        assert "PER DAY" not in head
        bars = figures.split()[-1]
        match = re.search(r"PER (\d+) DAYS", head)
        assert match is not None
        assert len(bars) in {each * -(-90 // int(match[1])) for each in (1, 2, 3)}


async def test_title_series_and_axis_have_the_dates_of_the_period_and_no_others(
    report: Open,
) -> None:
    app = report()
    async with app.run_test(size=(160, 50)) as pilot:
        await settle(pilot)
        for typed, title, head, (first, last), was in PERIODS:
            await choose_period(pilot, typed)
            assert title in title_of(app)
            words = line_with(app, "METRIC ").partition("CHANGE")[2]
            assert words.strip() == head
            await press(pilot, "2")
            axis = next(line for line in lines(app) if re.match(" +0 ┼", line))
            labels = [label for label in axis.split("┼")[1].split("  ")[0].split("─") if label]
            assert labels[0] == first
            assert {last, last.replace("*", "(part)")} & {*labels}
            await press(pilot, "end")
            assert was in shown(app)


async def test_dates_can_be_typed_and_wrong_ones_are_explained(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "p")
        await type_in(pilot, "dates")
        await press(pilot, "enter")
        await type_in(pilot, "2026-03-05 2026-03-01")
        await press(pilot, "enter")
        assert "The first day comes after the last" in shown(app)
        await type_in(pilot, "2026-03-01 2026-03-05")
        await press(pilot, "enter")
        assert "1 – 5 Mar 2026 (UTC)  vs 24 – 28 Feb" in title_of(app)


async def test_the_brackets_go_to_the_period_before_and_after(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "left_square_bracket")
        assert "1 – 7 Mar 2026 (UTC)" in title_of(app)
        await press(pilot, "comma")
        assert "22 – 28 Feb 2026" in title_of(app)
        await press(pilot, "full_stop", "right_square_bracket")
        assert "8 – 14 Mar 2026 until 10:00" in title_of(app)
        await press(pilot, "right_square_bracket")
        assert "has not begun" in app.toasts
        assert "8 – 14 Mar 2026 until 10:00" in title_of(app)


async def test_g_changes_the_parts_of_the_plot(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "2", "g")
        assert "PER HOUR" in shown(app)
        await press(pilot, "g")
        assert "PER DAY" in shown(app)


async def test_a_channel_can_be_chosen(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "c")
        await type_in(pilot, "madrid")
        await press(pilot, "enter")
        assert "sample · Madrid" in title_of(app)
        assert "17" in line_with(app, "New conversations")


async def test_another_zone_has_other_days(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "Z")
        await type_in(pilot, "tokyo")
        await press(pilot, "enter")
        assert "8 – 14 Mar 2026 until 19:00 (Asia/Tokyo)" in title_of(app)


async def test_capital_s_orders_the_channels_and_again_turns_them_round(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "3")
        for first in ("Madrid", "Wholesale"):
            await press(pilot, "S")
            await type_in(pilot, "received")
            await press(pilot, "enter")
            head = next(at for at, line in enumerate(lines(app)) if "▸CHANNEL" in line)
            assert "RECEIVED" in lines(app)[head]
            rows = [line[1:20].strip() for line in lines(app)[head + 2 : head + 7]]
            received = [int(line[37:50].split()[-1]) for line in lines(app)[head + 2 : head + 7]]
            assert received == sorted(received, reverse=first == "Madrid")
            assert len(set(rows)) == 5


async def test_w_says_what_the_figure_is(report: Open) -> None:
    app = report()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await press(pilot, *["j"] * 6, "w")
        assert "first answer by a person" in " ".join(shown(app).split())
        assert "Taken of 66 samples" in shown(app)
        await press(pilot, "escape")
        assert "Taken of" not in shown(app)
        await press(pilot, "0", "l", "l", "w")
        assert "open, without a first answer" in shown(app)


async def test_the_plot_follows_the_figure_and_its_cursor_names_a_day(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "2")
        assert "MESSAGES RECEIVED PER DAY" in shown(app)
        await press(pilot, "k", "h")
        assert "REOPENED PER DAY" in shown(app)
        assert "Fri 13 Mar:" in shown(app)
        await press(pilot, "home", "left", "right", "end", "l")
        assert "Sat 14 Mar (part):" in shown(app)


async def test_slash_finds_a_figure_and_n_goes_on(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "slash")
        await type_in(pilot, "mean")
        await press(pilot, "enter")
        found = []
        for key in ("2", "1", "n", "2", "1", "N", "2"):
            await press(pilot, key)
            found += [
                name
                for name in ("FIRST RESPONSE", "WAITING")
                if f"{name}, MEAN PER DAY" in shown(app)
            ]
        assert found == ["FIRST RESPONSE", "WAITING", "FIRST RESPONSE"]


async def test_it_is_left_without_a_choice(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "escape")
        assert app.chosen == [None]


async def test_all_its_keys_are_explained(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 60)) as pilot:
        await settle(pilot)
        await press(pilot, "question_mark")
        for words in (
            "Period or dates",
            "Hours, days, weeks or months",
            "Export report",
            "Time zone",
        ):
            assert words in shown(app)


async def test_without_colour_nothing_is_lost(
    report: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = shown(app)
        for words in ("%+ ", "█", "░", "▸METRIC"):
            assert words in text


async def test_a_terminal_without_blocks_gets_a_plot_all_the_same(
    report: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "linux")
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = shown(app)
        assert "█" not in text
        assert "###" in text
        assert "+124%" in text


async def test_what_is_unattended_is_said_where_it_is_selected(report: Open) -> None:
    app = report()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.screen.query_one(LiveLine).focus()
        await press(pilot, "l")
        assert not notifications(app)
        await press(pilot, "l")
        assert notifications(app) == [
            "Unattended: open, without a first answer or with a customer who waits again"
        ]
