"""The list that Textual brings, with 1,000 rows of three lines."""

from textual.app import App, ComposeResult
from textual.widgets import OptionList
from textual.widgets.option_list import Option

ROWS = 1_000


class Options(App[None]):
    """j goes down."""

    BINDINGS = [("j", "down", "Down")]

    def compose(self) -> ComposeResult:
        yield OptionList(*(Option(_row(number)) for number in range(ROWS)))

    def action_down(self) -> None:
        """To the next row."""
        self.query_one(OptionList).action_cursor_down()


def _row(number: int) -> str:
    return f"Customer {number:07d}  w12m  5m ago\n  Could I swap the M for an L?\n  London · #vip"


if __name__ == "__main__":
    Options().run()
