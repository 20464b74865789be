"""Textual application of the first start: the setup form."""

from collections.abc import Mapping

from frontdesk.tui.screens.connect import ConnectScreen, Try, Wanted
from frontdesk.tui.stylesheets import STYLES
from frontdesk.tui.theme import DARK, THEMES
from frontdesk.tui.watched import WatchedApp


class ConnectApp(WatchedApp[Wanted]):
    """Shows the setup form; `run` returns its values, or None if it was cancelled."""

    TITLE = "frontdesk"
    CSS_PATH = [STYLES / "app.tcss", STYLES / "connect.tcss"]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self, attempt: Try, *, theme: str | None = None, keys: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._attempt = attempt
        for one in THEMES:
            self.register_theme(one)
        self.theme = theme or DARK.name
        self.use_keys(keys or {})

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Values of this program's colour variables, for themes that lack them."""
        return dict(DARK.variables)

    def on_mount(self) -> None:
        self.push_screen(ConnectScreen(self._attempt), self.exit)
