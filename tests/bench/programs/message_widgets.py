"""A thread of 1,000 messages, each of them a widget."""

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

MESSAGES, PAGE = 1_000, 50


class MessageWidgets(App[None]):
    """k goes up by a line, f9 brings a page of older messages, f10 a new one."""

    BINDINGS = [("k", "up", "Up"), ("f9", "older", "Older"), ("f10", "arrive", "New")]
    CSS = "Static { height: auto; margin-bottom: 1; }"
    oldest, newest = MESSAGES, 0

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            for number in range(MESSAGES - 1, -1, -1):
                yield _message(number)

    def on_mount(self) -> None:
        """To the end."""
        self.query_one(VerticalScroll).scroll_end(animate=False)

    def action_up(self) -> None:
        """A line."""
        self.query_one(VerticalScroll).scroll_relative(y=-1, animate=False)

    async def action_older(self) -> None:
        """Fifty more above, with the reader kept where they are."""
        thread = self.query_one(VerticalScroll)
        first, height = thread.children[0], thread.virtual_size.height
        older = range(self.oldest + PAGE - 1, self.oldest - 1, -1)
        await thread.mount_all([_message(number) for number in older], before=first)
        self.oldest += PAGE
        self.call_after_refresh(self._keep_place, height)

    async def action_arrive(self) -> None:
        """One more below."""
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
    MessageWidgets().run()
