"""Panes of a report without its screen: what each shows, reads out and copies, see drawings/."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult

from frontdesk.reports.metrics import BLOCKS
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.dialogs.base import SizedScreen
from frontdesk.tui.reports.panes import ORDER, ReportPanes
from frontdesk.tui.reports.plots import HeatCells, HeatMap
from frontdesk.tui.reports.tables import LiveLine
from frontdesk.tui.theme import STYLES
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Ref
from frontdesk.wire.reports import (
    Bucket,
    ChannelMetrics,
    HourGrid,
    Hours,
    LiveCounts,
    Metrics,
    Report,
    WaitAges,
)
from tests.tui.compared_drawings import Drawing
from tests.tui.conftest import settle
from tests.tui.reports.drawn_reports import AS_OF, report
from tests.tui.screen_text import lines
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

NOW = datetime.fromisoformat(AS_OF)


class PanesScreen(SizedScreen[None]):
    COMPONENT_CLASSES = PARTS
    HORIZONTAL_BREAKPOINTS = ViewScreen.HORIZONTAL_BREAKPOINTS
    VERTICAL_BREAKPOINTS = ViewScreen.VERTICAL_BREAKPOINTS

    def __init__(self) -> None:
        super().__init__(classes="view")

    def compose(self) -> ComposeResult:
        yield ReportPanes(BLOCKS)


class PanesApp(CrashReportingApp[None]):
    CSS_PATH = [STYLES / "app.tcss", STYLES / "report.tcss"]

    def get_default_screen(self) -> PanesScreen:
        return PanesScreen()

    @property
    def panes(self) -> ReportPanes:
        return self.screen.query_one(ReportPanes)


def bucket(day: int, count: int, wait: float | None) -> Bucket:
    return Bucket(
        start=f"2026-03-{day:02}T00:00:00Z",
        end=AS_OF if day == 14 else f"2026-03-{day + 1:02}T00:00:00Z",
        metrics=Metrics(conversations_count=count, avg_reply_time=wait),
        samples={"avg_reply_time": 3},
    )


def whole_report() -> Report:
    """Three days, the last of which is not over, after four."""
    before = ((6, 100, 300.0), (7, 0, 300.0), (8, 300, None), (9, 200, 300.0))
    now = ((12, 800, 726.0), (13, 400, None), (14, 4, 60.0))
    channel = ChannelMetrics(
        channel=Ref(id="1", name="Shop"),
        metrics=Metrics(conversations_count=9, incoming_messages_count=8, avg_reply_time=60.0),
        previous=Metrics(conversations_count=10),
    )
    return report(
        detailed=True,
        series=tuple(bucket(*day) for day in now),
        previous_series=tuple(bucket(*day) for day in before),
        channels=(channel,),
        outgoing_by_author={"user": 30, "ai_agent": 10},
    )


def grid(most: float | None, *, seconds: float | None = 60.0) -> HourGrid:
    received = [[0.0] * 24 for _ in range(7)]
    times: list[list[float | None]] = [[None] * 24 for _ in range(7)]
    received[1][14], times[1][14] = most or 0, seconds
    received[6][23], times[6][23] = 1, 3600.0
    return HourGrid.model_validate({"received": received, "avg_first_response_time": times})


def hours(most: float, previous: HourGrid | None = None) -> Hours:
    now = grid(most)
    return Hours(
        received=now.received,
        avg_first_response_time=now.avg_first_response_time,
        previous=previous,
    )


def show(panes: ReportPanes, shown: Report | None) -> None:
    panes.show(shown, "Loading…", "later", zone=UTC, granularity="day", now=NOW)
    panes.show_live(shown, "10:00")
    panes.show_breakdown("channels", shown, "Loading…")


async def test_the_panes_show_a_report_and_what_is_under_their_cursors(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    app = PanesApp()
    async with app.run_test(size=(110, 32)) as pilot:
        panes = app.panes

        async def add(name: str) -> None:
            await settle(pilot)
            drawing.add_text(name, lines(app))

        show(panes, None)
        await add("without a report")
        show(panes, whole_report())
        await add("a report")
        panes.show_hours(None, "This server is asked for the hours", shown=True)
        await add("without hours")
        panes.show_hours(report(hours=hours(1200, grid(7, seconds=None))), "", shown=True)
        panes.heat.day, panes.heat.hour = 1, 14
        panes.enter("plot")
        panes.entered(panes.heat)
        panes.follow()
        await add("messages by hour")
        panes.switch_hours()
        await add("first responses by hour")
    drawing.compare(pytestconfig, "report-panes")


async def test_the_column_of_the_plot_is_read_out_with_that_of_the_period_before() -> None:
    app = PanesApp()
    async with app.run_test(size=(110, 32)) as pilot:
        panes = app.panes
        assert panes.column_words() == ""
        show(panes, whole_report())
        panes.enter("plot")
        read: list[str] = []
        for step in (0, -1, -1, -1, 9, 9):
            panes.plot.action_move(step)
            panes.follow()
            await settle(pilot)
            read.append(panes.column_words())
            assert read[-1] in "\n".join(lines(app))
        assert read == [
            "Sat 14 Mar (part): 4, was 300 (Sun 8 Mar)",
            "Fri 13 Mar: 400, was 0 (Sat 7 Mar)",
            "Thu 12 Mar: 800, was 100 (Fri 6 Mar)",
            "Thu 12 Mar: 800, was 100 (Fri 6 Mar)",
            "was 200 (Mon 9 Mar)",
            "was 200 (Mon 9 Mar)",
        ]
        panes.metrics.go_to(5)
        panes.plot.action_move(-9)
        assert panes.column_words() == "Thu 12 Mar: 12m06s of 3, was 5m00s (Fri 6 Mar)"
        panes.plot.action_move(2)
        assert panes.column_words() == "Sat 14 Mar (part): 1m00s of 3, was – (Sun 8 Mar)"
        panes.plot.action_move(-1)
        assert panes.column_words() == "Fri 13 Mar: no samples, was 5m00s (Sat 7 Mar)"
        show(panes, report())
        panes.metrics.go_to(0)
        panes.follow()
        panes.plot.action_move(9)
        assert panes.column_words() == "Sat 14 Mar (part): 4, was –"


async def test_each_pane_has_words_to_copy_and_the_cursor_goes_round_among_them() -> None:
    app = PanesApp()
    async with app.run_test(size=(110, 32)) as pilot:
        panes = app.panes
        panes.enter("channels")
        assert panes.copied() == ""
        show(panes, whole_report())
        await settle(pilot)
        panes.enter("live")
        copied = {}
        for name in (*ORDER[1:], *ORDER[:2]):
            copied[panes.at] = panes.copied()
            panes.step(1)
            assert panes.at == name
        panes.step(-2)
        assert panes.at == "channels"
        assert copied == {
            "live": "open: 1,204",
            "metrics": "New conversations: 1,204 (previous 1,000, ▲ 20 %)",
            "plot": "New conversations, Sat 14 Mar (part): 4, was 300 (Sun 8 Mar)",
            "authors": "Agents: 30 messages sent",
            "channels": "",
        } | {"channels": copied["channels"]}
        assert copied["channels"].startswith("Shop: New conversations 9, ")
        panes.show_hours(report(hours=hours(1200, grid(7, seconds=None))), "", shown=True)
        panes.heat.day, panes.heat.hour = 1, 14
        panes.enter("plot")
        assert panes.copied() == panes.hour_words()
        assert panes.hour_words() == ("Tue 14:00: 1,200 received, first response 1m00s; was 7, –")
        panes.show_hours(report(hours=hours(5)), "", shown=True)
        assert panes.hour_words() == "Tue 14:00: 5 received, first response 1m00s"


def test_a_cell_has_the_quarter_of_the_largest_value_that_it_reaches() -> None:
    values = (None, 0, 1, 25, 26, 50, 51, 75, 76, 100)
    cells = HeatCells([values], longer=False)
    assert [cells.level(0, at) for at in range(len(values))] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert HeatCells([(None, 0)], longer=False).level(0, 1) == 0


class InkedHours(HeatMap):
    """Keeps the pieces of the line that was drawn last."""

    drawn: Sequence[Piece] = ()

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        self.drawn = [*pieces]
        return super().segments(self.drawn, ground)

    def inked(self) -> list[Sequence[Piece]]:
        """All lines."""
        drawn = []
        for y in range(self.size.height):
            self.line(y)
            drawn.append(self.drawn)
        return drawn


async def test_hours_are_as_wide_as_there_is_room(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    rows: Any = [[day * hour or None for hour in range(24)] for day in range(7)]
    heat = InkedHours(BLOCKS, id="heat")
    app = OneWidgetApp(heat)
    async with app.run_test(size=(29, 8)) as pilot:
        for size in ((29, 8), (52, 7), (53, 8), (77, 9), (149, 8)):
            await pilot.resize_terminal(*size)
            await settle(pilot)
            heat.show(HeatCells(rows, longer=size[0] % 2 == 0))
            drawing.add(f"{size[0]}x{size[1]}", heat.inked())
        app.screen.set_focus(heat)
        await pilot.resize_terminal(53, 9)
        await settle(pilot)
        for keys in ("j", "j l l", "k h", "j " * 9 + "l " * 24, "k " * 9 + "h " * 24):
            await pilot.press(*keys.split())
            drawing.add(keys, heat.inked())
        heat.show(None, "A sentence that needs more than one line, as this server has no hours")
        drawing.add("without hours", heat.inked())
    drawing.compare(pytestconfig, "hours")


class InkedCounts(LiveLine):
    """Keeps the pieces of the line that was drawn last."""

    drawn: Sequence[Piece] = ()

    def segments(self, pieces: Iterable[Piece], ground: str = "ground") -> list[Segment]:
        self.drawn = [*pieces]
        return super().segments(self.drawn, ground)


async def test_live_counts_are_on_as_many_lines_as_they_need(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    live = InkedCounts(BLOCKS, id="live")
    app = OneWidgetApp(live)
    async with app.run_test(size=(30, 4)) as pilot:
        for width in (30, 40, 47, 48, 79, 80, 120):
            await pilot.resize_terminal(width, 4)
            await settle(pilot)
            for name, shown in (("no", None), ("usual", report()), ("all", report(detailed=True))):
                live.show(shown, "10:00")
                for focused in (False, True):
                    app.screen.set_focus(live if focused else None)
                    live.action_move(1)
                    lines = []
                    for y in range(live.lines_for(width)):
                        live.line(y)
                        lines.append(live.drawn)
                    drawing.add(f"{width}, {name} counts, focused {focused}: {live.copied}", lines)
    drawing.compare(pytestconfig, "live-counts")


async def test_the_cursor_of_the_live_counts_stops_at_both_ends() -> None:
    live = LiveLine(BLOCKS, id="live")
    app = OneWidgetApp(live)
    async with app.run_test(size=(120, 4)) as pilot:
        live.show(report(detailed=True), "10:00")
        live.focus()
        await pilot.press("h")
        assert live.copied == "open: 1,204"
        await pilot.press(*["l"] * 20)
        assert live.copied == "wait >1d: 12"
        await pilot.press("h")
        assert live.copied == "wait 4–24h: 0"
        live.show(report(), "10:00")
        assert live.copied == "need a human: –"


@pytest.mark.parametrize(
    ("count", "height", "lines"),
    [(0, 40, 2), (1, 40, 2), (13, 40, 14), (40, 40, 15), (40, 49, 24), (40, 32, 7)],
)
async def test_a_breakdown_has_the_room_that_figures_and_charts_leave(
    count: int, height: int, lines: int
) -> None:
    app = PanesApp()
    async with app.run_test(size=(110, height)) as pilot:
        channels = tuple(
            ChannelMetrics(channel=Ref(id=str(n), name=f"Shop {n}"), metrics=Metrics())
            for n in range(count)
        )
        show(app.panes, report(channels=channels))
        await settle(pilot)
        assert app.panes.query_one("#report-channels-pane").size.height == lines + 1


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((80, 24), {"metrics": {"metrics"}, "plot": {"metrics", "plot"},
                    "authors": {"metrics", "authors"}, "channels": {"metrics", "channels"}}),
        ((60, 15), {"metrics": {"metrics"}, "plot": {"plot"},
                    "authors": {"authors"}, "channels": {"channels"}}),
    ],
    ids=["80x24", "60x15"],
)  # fmt: skip
async def test_of_the_panes_that_have_no_room_the_one_with_the_focus_is_shown(
    size: tuple[int, int], shown: dict[str, set[str]]
) -> None:
    app = PanesApp()
    async with app.run_test(size=size) as pilot:
        panes = app.panes
        show(panes, whole_report())
        widgets = {"metrics": panes.metrics, "plot": panes.plot,
                   "authors": panes.authors, "channels": panes.channels}  # fmt: skip
        for name in (*shown, "metrics"):
            panes.enter(name)
            await settle(pilot)
            seen = {
                each
                for each, widget in widgets.items()
                if widget in app.screen.focus_chain and widget.is_on_screen
            }
            assert seen == shown[name]
            assert app.focused is widgets[name]


class LiveApp(OneWidgetApp):
    """The line of counts; keeps which were selected and opened."""

    def __init__(self, live: LiveLine) -> None:
        super().__init__(live)
        self.selected: list[str] = []
        self.opened: list[str] = []

    @on(LiveLine.FigureSelected)
    def _select(self, event: LiveLine.FigureSelected) -> None:
        self.selected.append(event.live.name)

    @on(LiveLine.FigureOpened)
    def _open(self, event: LiveLine.FigureOpened) -> None:
        self.opened.append(event.live.name)


async def test_counts_are_selected_and_opened_by_keys() -> None:
    live = LiveLine(BLOCKS, id="live")
    app = LiveApp(live)
    async with app.run_test(size=(120, 4)) as pilot:
        live.show(report(), "10:00")
        live.focus()
        await pilot.press("l", "enter", "l", "h")
        await settle(pilot)
        assert app.selected == ["unassigned", "unattended", "unassigned"]
        assert app.opened == ["unassigned"]


async def test_counts_are_on_one_line_as_soon_as_they_fit() -> None:
    live = LiveLine(BLOCKS, id="live")
    app = OneWidgetApp(live)
    async with app.run_test(size=(79, 4)) as pilot:
        live.show(report(), "10:00")
        await settle(pilot)
        (line,) = [live.line(0).text.rstrip()]
        assert "need a human" in line
        await pilot.resize_terminal(len(line), 4)
        await settle(pilot)
        assert live.line(0).text == line
        await pilot.resize_terminal(len(line) - 1, 4)
        await settle(pilot)
        line = live.line(0).text.rstrip()
        assert "open 1,204 unassigned 3 unattended 0 need a human –" in line
        await pilot.resize_terminal(len(line) - 1, 4)
        await settle(pilot)
        assert "need a human" not in live.line(0).text
        assert "human" in live.line(0).text


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (140, "unattended 0 need a human – wait <1h 3 1–4h 2 4–24h 0 >1d 12 ░░░░▒▒██████████████"),
        (120, "unassigned 3 need a human – wait <1h 3 1–4h 2 4–24h 0 >1d 12 ░░░░▒▒██████████████"),
        (100, "unassigned 3 need a human – wait <1h 3 1–4h 2 4–24h 0 >1d 12 ░░░▒▒████████████"),
        (80, "unass. 3 human – wait <1h 3 1–4h 2 4–24h 0 >1d 12 ░░▒██████"),
    ],
)
async def test_counts_have_whole_words_and_ages_too_as_far_as_they_fit(
    width: int, words: str
) -> None:
    waits = WaitAges(under_1h=3, under_4h=2, under_1d=0, over_1d=12)
    counts = LiveCounts(open=60, unassigned=3, unattended=0, waits=waits)
    live = LiveLine(BLOCKS, id="live")
    app = OneWidgetApp(live)
    async with app.run_test(size=(width, 4)) as pilot:
        live.show(report(live=counts), "10:00")
        await settle(pilot)
        assert live.lines_for(width) == 1
        assert words in " ".join(live.line(0).text.split())
