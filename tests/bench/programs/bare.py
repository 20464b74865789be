"""The smallest Textual application: what every start pays, whatever it shows, and every key."""

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class Bare(App[None]):
    """Each key goes through Textual to the repaint of one line."""

    pressed = 0

    def compose(self) -> ComposeResult:
        yield Static("keys: 0")

    def on_key(self, event: events.Key) -> None:
        self.pressed += 1
        self.query_one(Static).update(f"keys: {self.pressed}")


if __name__ == "__main__":
    Bare().run()
