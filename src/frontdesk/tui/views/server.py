"""Server view: capabilities, deviations from `/v1`, latency, cache statistics.

The texts are pure functions of what is known of the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from frontdesk.mailbox import CacheUsage
from frontdesk.mailbox.capabilities import why_not
from frontdesk.system.request_priority import urgent
from frontdesk.text.clean import counted, file_size, one_line
from frontdesk.text.times import ahead_or_behind, milliseconds, short_date
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import APPLICATION
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.theme import STYLES
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.views.catalogue_screen import Block, Details, fact, heading, paragraph, title
from frontdesk.tui.widgets.text_layout import Piece, fit, wrap

if TYPE_CHECKING:
    from frontdesk.client import Feature, Server

_NAMES_WIDTH = 30
# Columns under which the description goes below the feature's name.
_BESIDE = 64

# Display order of the feature states: problems first.
_GROUPS = (
    ("failing", "FAILS", "error"),
    ("forbidden", "NOT ALLOWED", "warning"),
    ("absent", "LACKS", "warning"),
    ("ignored", "DONE BY THE VIEWER", "warning"),
    ("present", "HAS", "text"),
    ("unknown", "NOT CHECKED YET", "dim"),
)


def blocks(
    server: Server | None, usage: CacheUsage | None, problem: str, clock: Clock, ask_key: str
) -> list[Block]:
    """All blocks of the view. problem: why the server cannot be reached, or empty.

    ask_key: name of the key that probes all features.
    """
    if server is None:
        words = problem or sentences.NOT_CONNECTED
        shown = [paragraph(f"{words.rstrip('.')}.", "warning" if problem else "dim")]
    else:
        shown = [*_connection(server, problem), *_features(server, ask_key), *_differences(server)]
    return [*shown, *_usage(usage, clock)]


def summary(server: Server | None) -> str:
    """Summary of the missing, failing, forbidden and unchecked features."""
    if server is None:
        return "not connected"
    states = [feature.state for feature in server.features.values()]
    parts = (
        (states.count("failing"), "fails at"),
        (states.count("absent"), "lacks"),
        (states.count("forbidden"), "forbids"),
        (states.count("unknown"), "not checked:"),
    )
    if "present" not in states and states.count("unknown") == len(states):
        return "not checked yet"
    return ", ".join(f"{what} {count}" for count, what in parts if count) or "all features"


def _connection(server: Server, problem: str) -> list[Block]:
    shown = [title(one_line(server.address))]
    if problem:
        shown.append(paragraph(f"{problem.rstrip('.')}.", "warning"))
    share = f" ({100 * server.unchanged / server.requests:.0f} %)" if server.requests else ""
    skewed = "warning" if server.clock_skew else "text"
    shown += [
        fact("latency", milliseconds(server.latency)),
        fact("its clock", ahead_or_behind(server.clock_skew), skewed),
        fact("requests", f"{server.requests:,} since the start"),
        fact("“unchanged”", f"{server.unchanged:,} of them{share}"),
        fact("received", file_size(server.received_bytes)),
    ]
    if server.key_scopes is not None:
        scopes = ", ".join(one_line(scope) for scope in server.key_scopes)
        shown.append(fact("the key may", scopes or "read nothing"))
    return shown


def _features(server: Server, ask_key: str) -> list[Block]:
    shown: list[Block] = []
    for state, words, part in _GROUPS:
        features = {
            name: feature for name, feature in server.features.items() if feature.state == state
        }
        if not features:
            continue
        asks = f": {ask_key} checks all features" if state == "unknown" else ""
        shown.append(heading(f"{words} ({len(features)}){asks}"))
        shown += [
            _line(feature, _feature_text(server, name, feature), part)
            for name, feature in features.items()
        ]
    return shown


def _feature_text(server: Server, name: str, feature: Feature) -> str:
    """Description of a feature: its state, then the server's own detail without repetition."""
    meaning = why_not(server, name)
    if not meaning:
        return one_line(feature.detail)
    detail = one_line(feature.detail)
    for sentence in (f"{meaning}.", f"The key lacks the scope {feature.scope}."):
        detail = detail.replace(sentence, "").strip()
    return f"{meaning}. {detail}".strip()


def _line(feature: Feature, text: str, part: str) -> Block:
    """Name and description of a feature, side by side or, if narrow, below each other."""

    def draw(width: int) -> list[list[Piece]]:
        name = one_line(feature.words)
        if not text:
            return [[(part, fit(name, width))]]
        if width < _BESIDE:
            below = [[("dim", fit(f"  {line}", width))] for line in wrap(text, max(1, width - 2))]
            return [[(part, fit(name, width))], *below]
        lines = wrap(text, width - _NAMES_WIDTH)
        return [
            [
                (part, fit("" if at else name, _NAMES_WIDTH)),
                ("dim", fit(line, width - _NAMES_WIDTH)),
            ]
            for at, line in enumerate(lines)
        ]

    return draw


def _differences(server: Server) -> list[Block]:
    if not server.differences:
        return [heading("NO DIFFERENCE FROM THE CONTRACT SEEN")]
    differences: Sequence[str] = server.differences
    shown = [heading(f"DIFFERS FROM THE CONTRACT ({len(differences)})")]
    return [*shown, *(paragraph(one_line(sentence)) for sentence in differences)]


def _usage(usage: CacheUsage | None, clock: Clock) -> list[Block]:
    if usage is None:
        return [heading("ON THIS COMPUTER"), paragraph("looking…", "dim")]
    ours = usage.origin
    counts = (
        f"{counted(ours.conversations, 'conversation')}, {counted(ours.messages, 'message')}, "
        f"{counted(ours.notes, 'note')}, details of {counted(ours.contacts, 'contact')}"
    )
    size = f"{file_size(usage.size_bytes)} of at most {file_size(usage.limit_bytes)}"
    share = f", {file_size(ours.size_bytes)} for this server" if ours.size_bytes else ""
    whole = [fact("complete", ours.coverage.words)] if ours.coverage is not None else []
    return [
        heading("ON THIS COMPUTER"),
        fact("the file", size + share),
        fact("in it", counts),
        *whole,
        fact("from … to", _ages((ours.oldest, ours.newest), clock)),
    ]


def _ages(moments: Iterable[datetime | None], clock: Clock) -> str:
    days = [clock.here(moment) for moment in moments]
    return " … ".join(f"{short_date(day)} {day.year}" for day in days if day is not None)


_ASKING = "asking"


class ServerScreen(ViewScreen):
    """Shows what is known of the server; a key starts requests for all features."""

    view_name = "server"
    keys = (
        "{view.back} back",
        "{list.next}/{list.previous} move",
        "{server.ask} check all features",
        "{view.find} find",
        "{view.copy} copy",
        "{view.menu} views",
    )
    CSS_PATH = [STYLES / "catalogue.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f5", "discover", "Check all features", id="server.ask", group=APPLICATION),
    ]

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.details = Details(id="details")
        self._usage: CacheUsage | None = None
        self._asking_for = ""

    def body(self) -> ComposeResult:
        with Horizontal(id="catalogue"):
            yield self.details

    def on_mount(self) -> None:
        self.set_focus(self.details)

    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        stops = self.named("{view.back} stops")
        words = f"checking {self._asking_for} …  {stops}" if self._asking_for else ""
        left = [("accent", " SERVER "), ("strong", one_line(self.inbox_title))]
        return left, [("dim", f"  {words or summary(self.mailbox.server)} ")]

    def show_saved(self) -> None:
        problem = self.connection.problem
        ask_key = self.key_names["server.ask"]
        lines = blocks(self.mailbox.server, self._usage, problem, self.clock, ask_key)
        self.details.put(lines, keep_place=True)

    # Requests

    async def read(self) -> None:
        await self.ask(self._measure_latency)
        self._usage = await self.mailbox.usage()
        self.show_saved()

    async def _measure_latency(self) -> None:
        """Send a small request to measure the latency."""
        await self.mailbox.refresh_catalogues(("channels",))

    @work(group=_ASKING, exclusive=True)
    async def action_discover(self) -> None:
        """Probe all features, including those known to be missing."""
        try:
            with urgent():
                await self.ask(lambda: self.mailbox.discover(self._say_what))
        finally:
            self._say_what("")
        await self.read()

    def _say_what(self, words: str) -> None:
        self._asking_for = words
        if self.composed:
            self.show_saved()
            self.describe()

    # Keys

    def leave(self) -> None:
        """Cancel running probes, or close the view."""
        if self._asking_for:
            self.workers.cancel_group(self, _ASKING)
        else:
            super().leave()

    def copied(self) -> str:
        if not len(self.details.rows):
            return ""
        return " ".join(self.details.words_at(self.details.cursor).split())
