"""The report without bars and keys, for a screen on a wall."""

from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.news import follow
from frontdesk.reports.metrics import Glyphs
from frontdesk.settings import NO_TARGETS, TargetSettings
from frontdesk.tui.app_base import CrashReportingApp, run_aside
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.preferences import Preferences
from frontdesk.tui.reports.query import ReportOptions
from frontdesk.tui.reports.reading import ReportReading
from frontdesk.tui.theme import DARK, STYLES


class WallScreen(ReportReading):
    """Refreshes after changes; every half minute if the server does not tell of them."""

    view_name = "wall"
    REFRESH_SECONDS = 30.0
    NEWS_SECONDS = 5.0
    WITHOUT_REPORT = "{view.refresh} asks again."
    CSS_PATH = [STYLES / "report.tcss"]
    # Of a view, what makes no sense without a row that is selected.
    _LACKING = frozenset({"views", "view", "find", "find_next", "copy"})

    def __init__(
        self, opening: Opening, options: ReportOptions, *, glyphs: Glyphs, alone: bool = False
    ) -> None:
        """alone: leaving it ends the program."""
        super().__init__(opening, glyphs=glyphs, options=options)
        self._alone = alone

    @property
    def keys(self) -> Sequence[str]:
        return (f"{{view.back}} {'quit' if self._alone else 'back'}", "{view.refresh} refresh")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action not in self._LACKING

    def body(self) -> ComposeResult:
        yield self._panes

    def on_mount(self) -> None:
        self._panes.fix()

    def remember(self) -> None:
        """What hangs on a wall is not what the report opens with."""


class WallApp(CrashReportingApp[None]):
    """Shows a report alone."""

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
        theme: str | None = None,
        targets: TargetSettings = NO_TARGETS,
        clock: Clock | None = None,
    ) -> None:
        super().__init__()
        self._mailbox = mailbox
        clock = clock or Clock()
        clock.follow(lambda: mailbox.server.clock_skew if mailbox.server else None)
        self._opening = Opening(mailbox, clock, title, preferences=Preferences(targets=targets))
        self._options, self._glyphs = options, glyphs
        self.theme = theme or DARK.name

    def on_mount(self) -> None:
        wall = WallScreen(self._opening, self._options, glyphs=self._glyphs, alone=True)
        self.push_screen(wall, self.exit)
        self._following = run_aside(self, self._follow())

    async def _follow(self) -> None:
        with suppress(InboxError):
            await self._mailbox.connect()
            await follow(self._mailbox.next_changes)

    async def on_unmount(self) -> None:
        self._following.cancel()
        await self._mailbox.close()
