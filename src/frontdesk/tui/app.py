"""The viewer's application: stylesheets, themes and the first screen; no data."""

import gc
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from rich.segment import Segments
from textual import events
from textual.app import App, SystemCommand
from textual.screen import Screen

from frontdesk.errors import InboxError
from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.tui.screens.inbox import InboxScreen
from frontdesk.tui.stylesheets import STYLES
from frontdesk.tui.theme import DARK, LIGHT, THEMES


class FrontdeskApp(App[InboxError | None]):
    """Shows a mailbox. `title` names the inbox in the header.

    `run` returns the failure that made it impossible to go on, or None.
    """

    TITLE = "frontdesk"
    CSS_PATH = [STYLES / "app.tcss", STYLES / "inbox.tcss", STYLES / "dialogs.tcss"]
    ENABLE_COMMAND_PALETTE = True

    def __init__(self, mailbox: Mailbox, *, title: str, clock: Clock | None = None) -> None:
        super().__init__()
        self._mailbox = mailbox
        self._inbox_title = title
        self._clock = clock or Clock()
        for theme in THEMES:
            self.register_theme(theme)
        # Assigned plainly, the theme would have all stylesheets read twice at the start.
        self.set_reactive(FrontdeskApp.theme, DARK.name)
        self.stylesheet.set_variables(self.get_css_variables())

    async def on_event(self, event: events.Event) -> None:
        """Everything that comes from the terminal: the inbox asks more often while it is used."""
        if isinstance(event, (events.Key, events.Click)) and not event.is_forwarded:
            self._each_inbox(InboxScreen.used)
        await super().on_event(event)

    def watch_app_focus(self, focus: bool) -> None:
        """The terminal got or lost the focus."""
        self._each_inbox(lambda inbox: inbox.terminal_focused(focus))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """The palette: every action that has a key here, and what Textual has."""
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.id and binding.description and not binding.id.startswith("not_yet"):
                run = partial(self.run_action, binding.action, active.node)
                keys = self.get_key_display(binding)
                yield SystemCommand(binding.description, f"key {keys}", run)
        yield from super().get_system_commands(screen)

    def _each_inbox(self, do: Callable[[InboxScreen], None]) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, InboxScreen) and screen.is_attached:
                do(screen)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for themes that do not know them."""
        ours = DARK if self.current_theme.dark else LIGHT
        return dict(ours.variables)

    def on_ready(self) -> None:
        """After the first paint: what a start made stays, so the collector need not look at it."""
        gc.freeze()
        gc.enable()

    def _fatal_error(self) -> None:
        """A bug ends the program with a traceback, but without values: they may hold a key."""
        from rich.traceback import Traceback

        traceback = Traceback(show_locals=False, width=None)
        rendered = self.console.render(traceback, self.console.options)
        self._exit_renderables.append(Segments(rendered))
        self._close_messages_no_wait()

    def get_default_screen(self) -> InboxScreen:
        """The inbox is the root: there is nothing below it to go back to."""
        screen = InboxScreen(self._mailbox, self._clock, title=self._inbox_title)
        # Otherwise the first layout is one for no size at all, painted and thrown away.
        width, height = self.size
        screen.add_class(
            _class_at(width, screen.HORIZONTAL_BREAKPOINTS or []),
            _class_at(height, screen.VERTICAL_BREAKPOINTS or []),
            update=False,
        )
        return screen


def _class_at(size: int, breakpoints: list[tuple[int, str]]) -> str:
    """The class of the highest breakpoint that `size` reaches."""
    return max(one for one in breakpoints if one[0] <= size)[1]
