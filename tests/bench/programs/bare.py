"""The smallest Textual application: what every start pays, whatever it shows."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("bare and ready")


if __name__ == "__main__":
    Bare().run()
