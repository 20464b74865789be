"""Live counts and today's metrics in large digits, for a screen on a wall."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.news import follow
from frontdesk.reports.metrics import (
    NO_FIGURES,
    NO_VALUE,
    Figure,
    Glyphs,
    figures_of,
    live_figures,
    live_words,
    now_value,
    value_words,
)
from frontdesk.text.clean import one_line
from frontdesk.text.times import time_of_day
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.preferences import PLAIN, Targets
from frontdesk.tui.reports import panes
from frontdesk.tui.reports.query import ReportOptions, zone_of
from frontdesk.tui.theme import DARK, STYLES
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.widgets.line_widget import LineWidget
from frontdesk.tui.widgets.text_layout import Piece, fit, width_of, wrap
from frontdesk.wire import ReportQuery, instant
from frontdesk.wire.reports import Report

# Rows of five pixels by character; all rows of a character are equally long.
_FONT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "0": ("###", "# #", "# #", "# #", "###"),
        "1": (" # ", "## ", " # ", " # ", "###"),
        "2": ("###", "  #", "###", "#  ", "###"),
        "3": ("###", "  #", "###", "  #", "###"),
        "4": ("# #", "# #", "###", "  #", "  #"),
        "5": ("###", "#  ", "###", "  #", "###"),
        "6": ("###", "#  ", "###", "# #", "###"),
        "7": ("###", "  #", "  #", "  #", "  #"),
        "8": ("###", "# #", "###", "# #", "###"),
        "9": ("###", "# #", "###", "  #", "###"),
        ",": (" ", " ", " ", "#", "#"),
        NO_VALUE: ("   ", "   ", "###", "   ", "   "),
    }
)
_PIXELS = 5
# Cells of two pixels above each other.
_HALVES = MappingProxyType({"  ": " ", "# ": "▀", " #": "▄", "##": "█"})
_LARGEST = 6
# Metrics of today that are shown without a choice.
TODAY = (
    *("conversations_count", "incoming_messages_count", "outgoing_messages_count"),
    *("resolutions_count", "avg_first_response_time", "avg_reply_time"),
)


def large(text: str, scale: int, glyphs: Glyphs) -> list[str]:
    """A number as lines of equal width, each pixel `scale` cells wide and half as many lines high.

    Letters, which are units, keep their size. Scale 0 is the plain text.
    """
    if not scale:
        return [text]
    rows = [""] * lines_at(scale)
    for token in re.findall(r"[a-z]+|[^a-z]", text):
        drawn = [" " * len(token)] * (len(rows) - 1) + [token]
        if token in _FONT:
            drawn = _pixels(_FONT[token], scale, glyphs)
        gap = " " * max(1, scale // 2) if rows[0] else ""
        rows = [row + gap + line for row, line in zip(rows, drawn, strict=True)]
    return rows


def lines_at(scale: int) -> int:
    """Height of numbers of a scale."""
    return -(-_PIXELS * scale // 2) if scale else 1


def _pixels(character: Sequence[str], scale: int, glyphs: Glyphs) -> list[str]:
    wide = ["".join(pixel * scale for pixel in row) for row in character for _ in range(scale)]
    pairs = zip(wide[::2], [*wide[1::2], " " * len(wide[0])], strict=False)
    return [
        "".join(_HALVES[above + below] for above, below in zip(*pair, strict=True)).replace(
            "█", glyphs.bar
        )
        for pair in pairs
    ]


class Tile(NamedTuple):
    """A number with its name, the style of the number, and a remark below."""

    name: str
    value: str
    part: str = "strong"
    remark: Piece = ("dim", "")


class Block(NamedTuple):
    """Tiles of equal size below a heading."""

    heading: list[Piece]
    tiles: Sequence[Tile]

    def columns(self, width: int) -> int:
        """Tiles beside each other."""
        remarks = any(tile.remark[1] for tile in self.tiles)
        least = max(26 if remarks else 16, *(len(tile.name) + 2 for tile in self.tiles))
        rows = -(-len(self.tiles) // max(1, width // min(least, width)))
        return -(-len(self.tiles) // max(1, rows))

    def widest(self, width: int, glyphs: Glyphs) -> int:
        """Largest scale at which all numbers fit."""
        room = width // self.columns(width) - 2
        for scale in _scales(glyphs):
            if all(len(large(tile.value, scale, glyphs)[0]) <= room for tile in self.tiles):
                return scale
        return 0

    def lines(self, width: int, scale: int, glyphs: Glyphs) -> Iterator[list[Piece]]:
        """The tiles at a scale; a blank line between rows of tiles, if they are large."""
        columns = self.columns(width)
        remarks = any(tile.remark[1] for tile in self.tiles)
        edges = [at * width // columns for at in range(columns + 1)]
        yield self.heading
        for first in range(0, len(self.tiles), columns):
            if first and scale > 1:
                yield []
            row = self.tiles[first : first + columns]
            drawn = [large(tile.value, scale, glyphs) for tile in row]
            for y in range(lines_at(scale)):
                yield _beside([(t.part, d[y]) for t, d in zip(row, drawn, strict=True)], edges)
            yield _beside([("text", tile.name) for tile in row], edges)
            if remarks:
                yield _beside([tile.remark for tile in row], edges)


def _scales(glyphs: Glyphs) -> Iterator[int]:
    """Scales from the largest on; without half blocks only those of whole lines."""
    return iter(range(_LARGEST, 0, -1 if glyphs.stem in glyphs.levels else -2))


def _beside(pieces: Sequence[Piece], edges: Sequence[int]) -> list[Piece]:
    line: list[Piece] = []
    for (part, text), start, end in zip(pieces, edges, edges[1:], strict=False):
        line.append((part, " " + fit(text, end - start - 1)))
    return line


def wall(blocks: Sequence[Block], width: int, height: int, glyphs: Glyphs) -> list[list[Piece]]:
    """The blocks as at most `height` lines, with numbers as large as fit; the rest is cut off."""
    widest = [block.widest(width, glyphs) for block in blocks]
    drawn: list[list[list[Piece]]] = []
    for top in (*_scales(glyphs), 0):
        drawn = [
            list(block.lines(width, min(top, most), glyphs))
            for block, most in zip(blocks, widest, strict=True)
        ]
        if sum(map(len, drawn)) + len(blocks) - 1 <= height:
            break
    spare = height - sum(map(len, drawn))
    gap = max(0, min(3, spare // len(blocks)))
    space: list[list[Piece]] = [[]] * gap
    return [line for block in drawn for line in (*space, *block)][:height]


class Wall(LineWidget):
    """Draws blocks over the whole widget, or a sentence instead."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="wall")
        self._glyphs = glyphs
        self._blocks: Sequence[Block] = ()
        self._sentence = ""
        self._lines: list[list[Piece]] = []

    def show(self, blocks: Sequence[Block], sentence: str = "") -> None:
        """Show these blocks; without any, the sentence."""
        self._blocks, self._sentence = blocks, sentence
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        self._lines = self._lay_out()
        return super().render_lines(crop)

    def line(self, y: int) -> Strip:
        width = self.size.width
        line = self._lines[y] if y < len(self._lines) else []
        line = [*line, ("text", " " * max(0, width - width_of(line)))]
        return Strip(self.segments(line), width)

    def _lay_out(self) -> list[list[Piece]]:
        width, height = self.size
        if self._blocks:
            return wall(self._blocks, width, height, self._glyphs)
        sentence = wrap(self._sentence, max(1, width - 2))
        return [[], *([("text", f"  {line}")] for line in sentence)]


def live_block(report: Report, as_of: str) -> Block:
    """Tiles of the live counts that the server sends."""
    tiles = [
        Tile(
            live.name,
            live_words(report.live, live),
            "overdue" if live.late and now_value(report.live, live.field) else "strong",
        )
        for live in live_figures(report)
    ]
    return Block([("accent", f" NOW {as_of}")], tiles)


def today_block(report: Report, glyphs: Glyphs, until: str, fields: Sequence[str]) -> Block:
    """Tiles of metrics of today, in the order of `fields`."""
    figures = {figure.metric.field: figure for figure in figures_of(report, glyphs=glyphs)}
    tiles = [_metric_tile(figures[field]) for field in fields if field in figures]
    heading = [("accent", f" TODAY until {until}"), ("dim", "  against yesterday until then")]
    return Block(heading, tiles)


def _metric_tile(figure: Figure) -> Tile:
    metric = figure.metric
    changed = figure.change.size if figure.few else figure.change.words
    was = f"{changed}, was {value_words(metric, figure.then)}"
    remark = changed if figure.then is None else was
    value = value_words(metric, figure.now)
    return Tile(
        metric.name,
        value,
        "strong" if figure.now is not None else "dim",
        (figure.change.part if figure.change.part != "text" else "dim", remark or " "),
    )


class WallScreen(ViewScreen):
    """The wall, refreshed after changes; every half minute if the server does not tell of them."""

    view_name = "wall"
    REFRESH_SECONDS = 30.0
    NEWS_SECONDS = 5.0
    CSS_PATH = [STYLES / "report.tcss"]
    # Of a view, what makes no sense without rows.
    _LACKING = frozenset({"views", "view", "find", "find_next", "copy"})

    def __init__(
        self,
        opening: Opening,
        options: ReportOptions,
        *,
        glyphs: Glyphs,
        fields: Sequence[str] = TODAY,
        alone: bool = False,
    ) -> None:
        """fields: the metrics of today. alone: leaving it ends the program."""
        super().__init__(opening)
        self._alone, self._fields = alone, fields
        self._options = options
        self._glyphs = glyphs
        self._wall = Wall(glyphs)
        self._report: Report | None = None
        self._refusal = ""

    @property
    def keys(self) -> Sequence[str]:
        return (f"{{view.back}} {'quit' if self._alone else 'back'}", "{view.refresh} refresh")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in self._LACKING

    def body(self) -> ComposeResult:
        yield self._wall

    async def read(self) -> None:
        await self.ask(self._read_report)

    async def _read_report(self) -> None:
        self._refusal = ""
        query = self._query()
        try:
            await self.mailbox.refresh_report(query)
        except InboxError as error:
            self._refusal = panes.refusal(error, self.named("{view.refresh} asks again."))
            self.connection.shows_failure(error)
            raise
        finally:
            self.show_saved()
        if self._query() != query:
            # The response revealed the account's time zone, where the date is another.
            await self._read_report()

    def _query(self) -> ReportQuery:
        zone = zone_of(self._options, self._report, self.clock)
        return self._options.query(self.clock.now().astimezone(zone).date(), self.opening.targets)

    def show_saved(self) -> None:
        self._report = report = self.mailbox.report(self._query()) or self._report
        if report is None:
            self._wall.show((), self._refusal or self.connection.problem or "Loading…")
            return
        zone = zone_of(self._options, report, self.clock)
        end = instant(report.period.to)
        until = time_of_day(end.astimezone(zone)) if end else ""
        blocks = [today_block(report, self._glyphs, until, self._fields)]
        if report.live is not None:
            blocks.insert(0, live_block(report, panes.as_of(report, self.clock)))
        self._wall.show([block for block in blocks if block.tiles], NO_FIGURES)

    def seen_at(self) -> datetime | None:
        live = self._report.live if self._report else None
        return instant(live.as_of) if live else None

    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        width = self.size.width
        scope = panes.scope_words(self.mailbox, self._options, self._report)
        zone = self._report.period.timezone if self._report else ""
        return panes.heading(self.inbox_title, scope, width), [("dim", f"{one_line(zone)} ")]


class WallApp(CrashReportingApp[None]):
    """Shows the wall alone."""

    TITLE = "frontdesk"
    CSS_PATH = [STYLES / "app.tcss", STYLES / "inbox.tcss", STYLES / "dialogs.tcss"]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "quit", "Quit", priority=True),
    ]

    def __init__(
        self,
        mailbox: Mailbox,
        options: ReportOptions,
        *,
        title: str,
        glyphs: Glyphs,
        fields: Sequence[str] = TODAY,
        theme: str | None = None,
        targets: Targets = PLAIN.targets,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        self._mailbox = mailbox
        clock = clock or Clock()
        clock.follow(lambda: mailbox.server.clock_skew if mailbox.server else None)
        opening = Opening(mailbox, clock, title, targets=targets)
        self._wall = WallScreen(opening, options, glyphs=glyphs, fields=fields, alone=True)
        self.theme = theme or DARK.name

    def on_mount(self) -> None:
        self.push_screen(self._wall, self.exit)
        self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        with suppress(InboxError):
            await self._mailbox.connect()
            await follow(self._mailbox)

    async def on_unmount(self) -> None:
        self._following.cancel()
        await self._mailbox.close()
