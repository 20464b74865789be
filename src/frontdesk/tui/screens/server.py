"""Server view: capabilities, deviations from `/v1`, latency, cache statistics."""

from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from frontdesk.backoff import without_backoff
from frontdesk.mailbox import Kept
from frontdesk.text import one_line
from frontdesk.tui.screens import server_words as say
from frontdesk.tui.screens.view_screen import ViewScreen
from frontdesk.tui.screens.view_table import Opening
from frontdesk.tui.stylesheets import STYLES
from frontdesk.tui.widgets.cells import Piece
from frontdesk.tui.widgets.shelf import Details

_ASKING = "asking"


class ServerScreen(ViewScreen):
    """Shows what is known of the server; a key starts requests for all features."""

    CSS_PATH = [STYLES / "shelf.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f5", "discover", "Ask the server for everything", id="server.ask"),
    ]

    def __init__(self, opening: Opening) -> None:
        super().__init__(opening)
        self.details = Details(id="details")
        self._kept: Kept | None = None
        self._asking_for = ""

    @property
    def view_name(self) -> str:
        return "server"

    @property
    def keys(self) -> Sequence[str]:
        return (
            "{list.next}/{list.previous} move",
            "{server.ask} ask for everything",
            "{view.find} find",
            "{view.copy} copy",
            "{view.menu} views",
        )

    def body(self) -> ComposeResult:
        with Horizontal(id="shelf"):
            yield self.details

    def on_mount(self) -> None:
        self.set_focus(self.details)

    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        stops = self.named("{view.back} stops")
        words = f"asking for {self._asking_for} …  {stops}" if self._asking_for else ""
        left = [("accent", " SERVER "), ("strong", one_line(self.inbox_title))]
        return left, [("dim", f"  {words or say.summary(self.mailbox.server)} ")]

    def show_saved(self) -> None:
        problem = self.connection.problem
        ask_key = self.key_names["server.ask"]
        found = say.blocks(self.mailbox.server, self._kept, problem, self.clock, ask_key)
        self.details.put(found, keep_place=self.details.rows is not None)

    # Requests

    async def read(self) -> None:
        await self.ask(self._greet)
        self._kept = await self.mailbox.kept()
        self.show_saved()

    async def _greet(self) -> None:
        """Send a small request to measure the latency."""
        await self.mailbox.refresh_catalogues(("channels",))

    @work(group=_ASKING, exclusive=True)
    async def action_discover(self) -> None:
        """Probe all features, including those known to be missing."""
        try:
            with without_backoff():
                await self.ask(lambda: self.mailbox.discover(self._say_what))
        finally:
            self._say_what("")
        await self.read()

    def _say_what(self, words: str) -> None:
        self._asking_for = words
        if self.standing:
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
        if self.details.rows is None:
            return ""
        return " ".join(self.details.words_at(self.details.cursor).split())
