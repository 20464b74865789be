"""Textual's own widgets: `python compared.py options` or `widgets`."""

import sys

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

ROWS, MESSAGES, PAGE = 1_000, 1_000, 50


class Options(App[None]):
    """A list of rows of three lines; j goes down."""

    BINDINGS = [("j", "down", "Down")]

    def compose(self) -> ComposeResult:
        words = "w12m  5m ago\n  Could I swap the M for an L?\n  London · #vip"
        yield OptionList(*(Option(f"Customer {row:07d}  {words}") for row in range(ROWS)))

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()


class MessageWidgets(App[None]):
    """A widget for each message; f9 brings a page of older messages, f10 a new one."""

    BINDINGS = [("f9", "older", "Older"), ("f10", "arrive", "New")]
    CSS = "Static { height: auto; margin-bottom: 1; }"
    oldest, newest = MESSAGES, 0

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield from map(_message, range(MESSAGES - 1, -1, -1))

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).scroll_end(animate=False)

    async def action_older(self) -> None:
        """A page above, with the reader kept where they are."""
        thread = self.query_one(VerticalScroll)
        first, height = thread.children[0], thread.virtual_size.height
        older = range(self.oldest + PAGE - 1, self.oldest - 1, -1)
        await thread.mount_all(map(_message, older), before=first)
        self.oldest += PAGE
        self.call_after_refresh(self._keep_place, height)

    async def action_arrive(self) -> None:
        thread = self.query_one(VerticalScroll)
        self.newest -= 1
        await thread.mount(_message(self.newest))
        thread.scroll_end(animate=False)

    def _keep_place(self, height: int) -> None:
        thread = self.query_one(VerticalScroll)
        thread.scroll_relative(y=thread.virtual_size.height - height, animate=False)


def _message(number: int) -> Static:
    words = "Hi, my order was due on Monday and nothing has come yet"
    return Static(f"Customer · 10:{abs(number) % 60:02d}\n{words} ({number})", markup=False)


if __name__ == "__main__":
    {"options": Options, "widgets": MessageWidgets}[sys.argv[1]]().run()
