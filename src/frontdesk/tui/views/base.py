"""Base of the views over the inbox: key bindings, connection state, header and status line."""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widgets import Static

from frontdesk.errors import InboxError
from frontdesk.query import Query, parse, query_of
from frontdesk.system.request_priority import urgent
from frontdesk.tui import sentences
from frontdesk.tui.action_groups import APPLICATION, EXPORT, FIND, MOVE
from frontdesk.tui.app_base import CrashReportingApp, run_aside
from frontdesk.tui.clipboard import copy, say
from frontdesk.tui.command_entries import CommandEntry, active_commands, all_commands
from frontdesk.tui.connection import ConnectionMonitor
from frontdesk.tui.dialogs.base import DismissOnce
from frontdesk.tui.dialogs.factories import ask
from frontdesk.tui.dialogs.help import show_help
from frontdesk.tui.dialogs.picker import Menu
from frontdesk.tui.dialogs.prompt import Prompt
from frontdesk.tui.dialogs.view_table import (
    INBOX,
    Opening,
    view_bindings,
    view_commands,
    view_entries,
)
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.widgets.bar import Bar, StatusBar
from frontdesk.tui.widgets.line_widget import PARTS
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.tui.widgets.virtual_list import RowSearch, VirtualList
from frontdesk.wire import ConversationFilter, PhoneRef

if TYPE_CHECKING:
    from frontdesk.own_commands.command import OwnCommand
    from frontdesk.tui.dialogs.command_menu import CommandMenu, CommandTarget

LEAST_WIDTH, LEAST_HEIGHT = 40, 10


class ViewScreen(DismissOnce[Query | PhoneRef | None]):
    """Subclasses compose `body`, read from the server and show cached values."""

    # Between two requests; and between two that follow changes, for a view that shows all messages.
    REFRESH_SECONDS: ClassVar[float] = 300.0
    NEWS_SECONDS: ClassVar[float | None] = None
    # Binding id of "Find in this list".
    FIND_ACTION: ClassVar[str] = "view.find"
    BINDINGS: ClassVar[list[BindingType]] = [
        *view_bindings(),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next", group=MOVE("focus tab")),
        Binding(
            "shift+tab",
            "app.focus_previous",
            "Previous pane",
            id="pane.before",
            group=MOVE("focus tab"),
        ),
        Binding("slash", "find", "Find in this list…", id="view.find", group=FIND("search")),
        Binding("n", "find_next(1)", "Next match", id="view.next_match", group=FIND("search")),
        Binding(
            "N", "find_next(-1)", "Previous match", id="view.previous_match", group=FIND("search")
        ),
        Binding("y", "copy", "Copy row", id="view.copy", group=EXPORT("clipboard yank")),
        Binding(
            "x",
            "own_commands",
            "Own commands…",
            id="view.own_commands",
            group=EXPORT("programs run scripts cancel"),
        ),
        Binding(
            "ctrl+r,f5",
            "refresh",
            "Refresh",
            id="view.refresh",
            group=APPLICATION("reload update fetch"),
        ),
        Binding("escape", "back", "Back", id="view.back", group=MOVE("escape cancel stop close")),
        Binding("q", "back", "Back", id="view.leave", group=MOVE("close")),
        Binding(
            "question_mark,f1", "help", "Help", id="view.help", group=APPLICATION("keys shortcuts")
        ),
        Binding(
            "colon",
            "app.commands",
            "Commands…",
            id="view.commands",
            group=APPLICATION("palette actions"),
        ),
        Binding(
            "ctrl+z",
            "app.suspend_process",
            "Suspend",
            id="view.suspend",
            group=APPLICATION("background shell"),
        ),
    ]
    AUTO_FOCUS = ""
    COMPONENT_CLASSES = PARTS
    HORIZONTAL_BREAKPOINTS = [
        (0, "-tiny"),
        (LEAST_WIDTH, "-narrow"),
        (80, "-medium"),
        (100, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [
        (0, "-flat"),
        (LEAST_HEIGHT, "-short"),
        (20, "-middle"),
        (32, "-tall"),
    ]

    def __init__(self, opening: Opening) -> None:
        super().__init__(classes="view")
        self.opening = opening
        self.mailbox = opening.mailbox
        self.clock = opening.clock
        self.inbox_title = opening.title
        self.key_names = KeyNames((type(self), VirtualList), opening.keys)
        self.connection = ConnectionMonitor(
            self.mailbox, self.clock, self.warn, seen_at=self.seen_at
        )
        self._find_text = ""
        self._waiting: asyncio.Task[None] | None = None

    # Interface of subclasses

    @property
    @abstractmethod
    def view_name(self) -> str:
        """Name of this view in VIEWS."""

    @abstractmethod
    def body(self) -> ComposeResult:
        """Widgets between the header and the status line."""

    @abstractmethod
    async def read(self) -> None:
        """Refresh what is shown from the server, using `ask`."""

    @abstractmethod
    def show_saved(self) -> None:
        """Show the values of the cache."""

    @abstractmethod
    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Left and right pieces of the header."""

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """Keys for the status line: texts with {binding.id}, most important first."""

    @property
    def last_key(self) -> str:
        """Key that is always shown in the status line."""
        return "{view.help} help"

    def named(self, words: str) -> str:
        """Replace each {binding.id} in a text by its key."""
        return self.key_names.fill(words)

    def seen_at(self) -> datetime | None:
        """Time at which the shown values were current, if known."""
        return None

    def leave(self) -> None:
        """Go back one level; by default close the view."""
        self.end()

    def command_target(self, command: "OwnCommand") -> "CommandTarget | str":
        """What an own command is run on here, or why it cannot be."""
        return sentences.COMMAND_NOT_HERE.format(name=command.name)

    # Layout

    def compose(self) -> ComposeResult:
        yield Bar(id="header", ground="bar")
        yield from self.body()
        yield StatusBar(id="status")
        yield Static(id="too-small", markup=False)

    def on_mount(self) -> None:
        self.show_saved()
        self.describe()
        if self.NEWS_SECONDS is None:
            self.set_interval(self.REFRESH_SECONDS, self.renew)
        else:
            self._waiting = run_aside(self, self._renew_after_changes(self.NEWS_SECONDS))
        self.call_after_refresh(self.begin)

    def on_unmount(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()

    def fit(self, size: Size) -> None:
        if not self.composed:
            return
        width, height = size
        words = sentences.TOO_SMALL.format(width=width, height=height)
        self.query_one("#too-small", Static).update(words)
        self.describe()

    def describe(self) -> None:
        """Update the bars; a bar whose text is unchanged is not repainted."""
        if not self.composed:
            return
        self.query_one("#header", Bar).show(*self.heading())
        right: list[Piece] = [*self.connection.state, ("dim", " ")]
        hints = [self.key_names.hint(words) for words in self.keys]
        status = self.query_one("#status", StatusBar)
        status.show_hints(hints, self.key_names.hint(self.last_key), right)

    def warn(self, sentence: str) -> None:
        """Show a warning as a notification."""
        self.notify(sentence, severity="warning", timeout=10, markup=False)

    # Requests

    @work(group="begin", exclusive=True)
    async def begin(self) -> None:
        """Connect after the first paint if needed, then refresh."""
        try:
            await self.mailbox.connect()
        except InboxError as error:
            self.warn(str(error))
            return
        self.renew()

    @work(group="read", exclusive=True)
    async def renew(self) -> None:
        """Refresh everything that this view shows."""
        await self._read_unless_left()

    async def _renew_after_changes(self, spacing_seconds: float) -> None:
        """Refresh when the server says that something changed; at an interval if it does not."""
        followed = self.mailbox.followed
        while True:
            told = followed.told
            await asyncio.sleep(spacing_seconds)
            if followed.feed() is None:
                await asyncio.sleep(self.REFRESH_SECONDS - spacing_seconds)
            else:
                await followed.changed(told, ViewScreen.REFRESH_SECONDS)
            self.renew()

    @work(group="read", exclusive=True)
    async def action_refresh(self) -> None:
        """Refresh without regard to a running back-off."""
        with urgent():
            await self._read_unless_left()

    async def _read_unless_left(self) -> None:
        if not self.left:
            await self.read()
            self.describe()

    async def ask(self, question: Callable[[], Awaitable[None]]) -> None:
        """Run a request; success marks the connection as live.

        Nothing is requested for a view that was left.
        """
        if self.left:
            return
        if await self.connection.ask(question, beside=True) is not None:
            self.connection.is_live()
        self.describe()

    # Keys

    def commands(self) -> list[CommandEntry]:
        views = view_commands(self.key_names, self.action_view)
        own = [] if self.app.is_web else self.command_menu().entries()
        return [*all_commands(self), *own, *views]

    def command_menu(self) -> "CommandMenu":
        """Own commands; imported here, since most views are opened for other things."""
        from frontdesk.tui.dialogs.command_menu import CommandMenu

        preferences = self.opening.preferences
        return CommandMenu(self, self.clock, preferences, self.command_target)

    def action_own_commands(self) -> None:
        """Choose one of the user's commands."""
        self.command_menu().choose()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A page runs no programs of its host."""
        if action in ("own_commands", "pipe") and self.app.is_web:
            return False
        return super().check_action(action, parameters)

    def action_views(self) -> None:
        ask(self.app, Menu("Go to", view_entries(self.key_names)), self.action_view)

    def action_view(self, name: str) -> None:
        """Replace this view by another one."""
        if name == INBOX:
            self.end()
        elif name != self.view_name and self.end():
            self.opening.switch(name)

    def action_back(self) -> None:
        self.leave()

    def action_help(self) -> None:
        show_help(self, active_commands(self))

    def action_find(self) -> None:
        """Ask for text, and go to the next matching row of the focused list."""
        prompt = Prompt("/ ", value=self._find_text, placeholder=sentences.FIND_IN_LIST)
        ask(self.app, prompt, self._find_first)

    def _find_first(self, text: str) -> None:
        self._find_text = text
        self.action_find_next(1)

    def action_find_next(self, step: int) -> None:
        """Go to the next or previous match of the last search text."""
        listed: Any = self.focused
        if not isinstance(listed, VirtualList):
            return
        if not self._find_text:
            key, find = self.key_names[self.FIND_ACTION], sentences.FIND_IN_LIST
            say(self, sentences.NOTHING_TO_FIND_AGAIN.format(key=key, find=find))
            return
        search = RowSearch(listed, self._find_text, step)
        search.run(len(listed.rows))
        if not search.found:
            self.notify(sentences.NO_MATCH_IN_LIST.format(text=self._find_text), markup=False)

    def copied(self) -> str:
        """Text that the copy action takes."""
        return ""

    def action_copy(self) -> None:
        copy(self, self.copied())

    def choose(self, filter: ConversationFilter, difference: str = "", more: str = "") -> None:
        """Close, and show a filter's conversations.

        difference: which those are, if not the counted ones. more: further terms of the query.
        """
        terms = query_of(filter, self.mailbox.names()).terms
        ended = self.end(Query.of(*terms, *parse(more).terms))
        if ended and difference and isinstance(self.app, CrashReportingApp):
            self.app.notify_of_view(sentences.NOT_ONLY_COUNTED.format(shown=difference))

    def end(self, result: Query | PhoneRef | None = None) -> bool:
        """Close with a result; False if this is not the active screen."""
        is_active = self.app.screen is self
        self.dismiss(result)
        return is_active
