"""The least that a key costs: every key goes through Textual to the repaint of one line."""

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class Floor(App[None]):
    """Counts keys."""

    pressed = 0

    def compose(self) -> ComposeResult:
        yield Static("keys: 0")

    def on_key(self, event: events.Key) -> None:
        """One more."""
        self.pressed += 1
        self.query_one(Static).update(f"keys: {self.pressed}")


if __name__ == "__main__":
    Floor().run()
