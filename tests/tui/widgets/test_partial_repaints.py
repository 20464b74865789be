"""What a widget repaints after a change leaves the terminal as if all was drawn anew."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Region
from textual.screen import Screen
from textual.widget import Widget

from frontdesk.inbox.rows import FixedRows
from frontdesk.reports.metrics import BLOCKS
from frontdesk.text.entries import NewSinceVisit
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.reports.plots import HeatCells, HeatMap, Plot, Scene
from frontdesk.tui.reports.tables import LiveLine
from frontdesk.tui.theme import STYLES
from frontdesk.tui.widgets.bar import Bar, Hint, StatusBar, Title
from frontdesk.tui.widgets.contact_panel import ContactPanel, Fact
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.message_list import Thread, ThreadContents
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import Conversation, Message
from frontdesk.wire.reports import LiveCounts, Metrics, Report, ZonedPeriod
from tests.tui.drawn_terminal import Terminal, drawn_anew
from tests.tui.memory_inbox import virtual_time
from tests.tui.textual_private import resize
from tests.tui.widgets.test_virtual_list import Words

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
SIZES = ((30, 9), (24, 7), (38, 12))
# Seconds after a change, longer than the time until the next frame; in some, others count.
PAUSES = (0.1, 0.1, 1.2)
STEPS = 60

Change = Callable[[], object]


class OneWidgetScreen(Screen[None]):
    COMPONENT_CLASSES = PARTS

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self._widget = widget

    def compose(self) -> ComposeResult:
        yield Container(self._widget)


class OneWidgetApp(CrashReportingApp[None]):
    """A widget and nothing else."""

    CSS_PATH = [STYLES / "app.tcss"]

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self._widget = widget

    def get_default_screen(self) -> OneWidgetScreen:
        return OneWidgetScreen(self._widget)


class ChangingClock:
    """The time, which a change puts forward."""

    def __init__(self) -> None:
        self.now = NOW

    def pass_by(self, **time: float) -> None:
        self.now += timedelta(**time)


def check(
    terminal: Terminal, widget: Widget, changes: Callable[[Random], Sequence[Change]]
) -> None:
    """After each of some changes, the terminal shows what a whole repaint would."""
    chance = Random(type(widget).__name__)

    async def live() -> None:
        app = OneWidgetApp(widget)
        async with app.run_test(size=SIZES[0]):
            general: list[Change] = [
                partial(resize, app, chance.choice(SIZES)),
                partial(app.screen.set_focus, None),
                partial(app.screen.set_focus, widget),
            ]
            for step in range(STEPS):
                options = general if step % 10 == 9 else changes(chance)
                change = chance.choice(options)
                change()
                await asyncio.sleep(chance.choice(PAUSES))
                frame_is_shown = asyncio.Event()
                app.screen.call_after_refresh(frame_is_shown.set)
                await frame_is_shown.wait()
                whole = drawn_anew(app)
                assert terminal.lines == whole.lines, f"step {step}: {change}"
                assert terminal.cells == whole.cells, f"step {step}: {change}"

    with virtual_time(0) as runner:
        runner.run(live())


def some(chance: Random, rows: Sequence[Any]) -> list[Any]:
    """A few of some rows, in their order."""
    chosen = sorted(chance.sample(range(len(rows)), chance.randint(0, len(rows))))
    return [rows[at] for at in chosen]


def movements(chance: Random, rows: VirtualList[Any]) -> list[Change]:
    """What keys and the wheel do to a list."""
    step = chance.choice((-1, 1))
    return [
        *[partial(rows.action_move, step)] * 3,
        partial(rows.action_page, step),
        partial(rows.action_page, step / 2),
        rows.action_first,
        rows.action_last,
        partial(rows.scroll_lines, 3 * step),
        partial(rows.scroll_lines, step),
        partial(rows.go_to, chance.randrange(20)),
        partial(rows.set_edge, chance.choice(" │")),
    ]


def test_a_list_repaints_what_changes(terminal: Terminal) -> None:
    words = Words()
    every = [f"word {number}*{number % 3}" for number in range(20)]

    def put(names: Iterable[str], counts: Sequence[int]) -> None:
        words.replace_rows(
            FixedRows(
                [(name, f"{count} {name}") for name, count in zip(names, counts, strict=False)]
            )
        )

    def changes(chance: Random) -> list[Change]:
        counts = [chance.randrange(3) for _ in every]
        return [
            *movements(chance, words),
            *[partial(put, every, counts)] * 4,
            partial(put, some(chance, every), counts),
            partial(put, [], counts),
            partial(words.say_when_empty, chance.choice(["nothing", "Loading…"])),
            partial(words.say_when_empty, "Loading…", restart=True),
        ]

    check(terminal, words, changes)


def conversation(number: int, **members: Any) -> Conversation:
    return Conversation.model_validate(
        {
            "id": str(number),
            "status": "open",
            "channel": {"id": "1", "name": "Shop"},
            "contact": {"id": str(number), "name": f"Customer {number}"},
            "last_activity_at": (NOW - timedelta(minutes=number)).isoformat(),
            "labels": ["vip"] if number % 3 else [],
            **members,
        }
    )


def test_the_conversation_list_repaints_what_changes(terminal: Terminal) -> None:
    clock = ChangingClock()
    conversations = ConversationList(Clock(UTC, lambda: clock.now))
    every = [conversation(number) for number in range(20)]

    def put(rows: Sequence[Conversation]) -> None:
        conversations.replace_rows(FixedRows([(f"conversation {row.id}", row) for row in rows]))

    def dim(ids: Sequence[str]) -> None:
        conversations.dimmed = frozenset(ids)
        conversations.rows_changed()

    def part(ids: Sequence[str]) -> None:
        conversations.after_gap = frozenset(ids)
        conversations.rows_changed()

    def end_cues(seconds: float) -> None:
        clock.pass_by(seconds=seconds)
        conversations.end_cues()

    def grow_older() -> None:
        clock.pass_by(minutes=7)
        conversations.update_ages()

    def changes(chance: Random) -> list[Change]:
        unread = [row.model_copy(update={"unread_count": chance.randrange(3)}) for row in every]
        ids = [row.id for row in some(chance, every)]
        context = partial(
            conversations.set_context,
            {"vip": chance.choice(["#00ff00", "#ff0000"])},
            same_owner=chance.choice([True, False]),
            order=chance.choice(["newest", "waiting", "window"]),
        )
        return [
            *movements(chance, conversations),
            *[partial(put, unread)] * 3,
            partial(put, some(chance, unread)),
            *[conversations.action_mark] * 3,
            lambda: conversations.mark_only(()),
            partial(conversations.set_density, chance.randint(1, 3)),
            *[partial(conversations.cue, ids)] * 2,
            *[partial(end_cues, chance.choice([2.0, 6.0]))] * 2,
            partial(dim, ids),
            partial(part, ids[:1]),
            context,
            grow_older,
        ]

    check(terminal, conversations, changes)


def test_a_thread_repaints_what_changes(terminal: Terminal) -> None:
    thread = Thread(Clock(UTC, lambda: NOW))

    def entries(chance: Random, count: int) -> FixedRows[Any]:
        made = [
            Message(
                id=str(number),
                direction="outbound" if number % 2 else "inbound",
                author="user" if number % 2 else "contact",
                text=f"message {number} " + "word " * (number % 4),
                delivery_status=chance.choice(["sent", "read"]) if number % 2 else None,
                created_at=(NOW - timedelta(hours=5 * (20 - number))).isoformat(),
            )
            for number in range(count)
        ]
        return FixedRows([(f"message {each.id}", each) for each in made])

    def changes(chance: Random) -> list[Change]:
        rows = entries(chance, chance.choice([0, 3, 18, 20]))
        contents = ThreadContents(
            rows, "Ana", NewSinceVisit(chance.randrange(3)), chance.choice(["start", "older"])
        )
        return [
            *movements(chance, thread),
            *[partial(thread.open, contents)] * 2,
            *[partial(thread.replace_rows, rows)] * 3,
            partial(thread.say_at_top, chance.choice(["start", "older"])),
            partial(thread.set_me, chance.choice(["7", "8"])),
            partial(thread.clear, chance.choice(["Loading…", "No messages"])),
        ]

    check(terminal, thread, changes)


def test_the_contact_panel_repaints_what_changes(terminal: Terminal) -> None:
    panel = ContactPanel()

    def changes(chance: Random) -> list[Change]:
        facts = [Fact("", "Sheena Nelson", "strong")]
        for number in range(chance.randint(0, 9)):
            label = f"fact {number}"
            value = chance.choice(["yes", "a value of several words, in lines", ""])
            facts.append(Fact(label, value, chips=(("vip", "#00ff00"),) if number == 3 else ()))
        return [
            *movements(chance, panel),
            *[partial(panel.step_group, chance.choice([-1, 1]))] * 3,
            *[partial(panel.show_facts, facts, keep_place=chance.choice([True, False]))] * 4,
        ]

    check(terminal, panel, changes)


def pieces(chance: Random) -> list[Piece]:
    """A few words, of which usually some are those of the last time."""
    words = (("text", "three open"), ("strong", "open"), ("dim", "日本 12m"), ("warning", "!"))
    return [chance.choice(words) for _ in range(chance.randint(0, 4))]


def one_line_high(bar: Widget) -> Widget:
    bar.styles.height = 1
    return bar


@pytest.mark.parametrize("make", [Bar, partial(Title, "2")])
def test_a_bar_repaints_what_changes(terminal: Terminal, make: Callable[[], Bar]) -> None:
    bar = make()

    def changes(chance: Random) -> list[Change]:
        left, right = pieces(chance), pieces(chance)
        focus = [partial(bar.mark, chance.choice([True, False]))] if isinstance(bar, Title) else []
        return [
            *[partial(bar.show, left, right)] * 3,
            partial(bar.show_fitted, lambda width: (left if width > 25 else [], right)),
            partial(bar.set_edge, chance.choice(["", "│"])),
            *focus,
        ]

    check(terminal, one_line_high(bar), changes)


def test_the_status_line_repaints_what_changes(terminal: Terminal) -> None:
    bar = StatusBar()
    hints = [Hint((("j", "next"), ("k", "previous")), "move"), Hint((("f", "filter"),), "filter")]

    def changes(chance: Random) -> list[Change]:
        message = chance.choice(["Copied", "A message that needs more than one line of the screen"])
        severity = chance.choice(["information", "warning", "error"])
        shown, state = some(chance, hints), pieces(chance)[:2]
        return [
            *[partial(bar.show_hints, shown, Hint((("?", "help"),), "keys"), state)] * 2,
            *[partial(bar.flash, message, severity, 1.0)] * 2,
            bar.clear,
            partial(bar.dismiss, message),
        ]

    check(terminal, one_line_high(bar), changes)


def test_the_line_of_live_counts_repaints_what_changes(terminal: Terminal) -> None:
    line = LiveLine(BLOCKS, id="live")
    period = ZonedPeriod(from_=NOW.isoformat(), to=NOW.isoformat())

    def changes(chance: Random) -> list[Change]:
        counts = LiveCounts(open=chance.randrange(3), unassigned=1)
        report = Report(period=period, metrics=Metrics(), live=counts)
        return [
            partial(line.action_move, chance.choice([-1, 1])),
            partial(line.show, report, chance.choice(["10:00", "10:01"])),
            partial(line.show, None, ""),
        ]

    check(terminal, one_line_high(line), changes)


def test_a_plot_repaints_what_changes(terminal: Terminal) -> None:
    plot = Plot(BLOCKS, id="plot")

    def changes(chance: Random) -> list[Change]:
        columns = chance.choice([1, 5, 40])
        now = tuple(chance.choice([None, 0, 3, 8]) for _ in range(columns))
        labels = tuple(map(str, range(columns)))
        scene = Scene(now, now[::-1], labels, frozenset(), False, "{:.0f}".format)
        return [
            *[partial(plot.action_move, chance.choice([-1, 1, 9999]))] * 3,
            partial(plot.show, scene),
            partial(plot.show, None),
        ]

    check(terminal, plot, changes)


@pytest.mark.parametrize("size", [(30, 9), (30, 3), (8, 2), (2, 1)])
def test_lines_below_a_plot_that_has_become_lower_are_blank(size: tuple[int, int]) -> None:
    async def live() -> None:
        plot = Plot(BLOCKS, id="plot")
        async with OneWidgetApp(plot).run_test(size=size):
            plot.show(Scene((3, 8), (8, 3), ("1", "2"), frozenset(), False, "{:.0f}".format))
            width, height = plot.size
            lines = plot.render_lines(Region(0, 0, width, height + 2))
            assert [strip.text.strip() for strip in lines[height:]] == ["", ""]

    with virtual_time(0) as runner:
        runner.run(live())


def test_the_hours_of_the_week_repaint_what_changes(terminal: Terminal) -> None:
    heat = HeatMap(BLOCKS, id="heat")

    def changes(chance: Random) -> list[Change]:
        cells = [[chance.choice([None, 0, 3, 8]) for _ in range(24)] for _ in range(7)]
        return [
            *[partial(heat.action_move, chance.choice([-1, 1]), 0)] * 2,
            *[partial(heat.action_move, 0, chance.choice([-1, 1, 9]))] * 2,
            partial(heat.show, HeatCells(cells, longer=chance.choice([True, False]))),
            partial(heat.show, None, chance.choice(["Loading…", "This server reports no hours"])),
        ]

    check(terminal, heat, changes)
