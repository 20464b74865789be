"""What the views over the inbox have in common: their keys, the state of the server, the bars."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size

from frontdesk.backoff import without_backoff
from frontdesk.errors import InboxError
from frontdesk.tui.screens.connection import Connection
from frontdesk.tui.screens.help import show_help
from frontdesk.tui.screens.inbox_words import key_words
from frontdesk.tui.screens.key_names import KeyNames
from frontdesk.tui.screens.leaving import LeftOnce
from frontdesk.tui.screens.menu import Menu
from frontdesk.tui.screens.prompt import Prompt
from frontdesk.tui.screens.pulse import Pulse
from frontdesk.tui.screens.sieve import View
from frontdesk.tui.screens.telling import copy
from frontdesk.tui.screens.view_table import INBOX, Opening, view_bindings, view_entries
from frontdesk.tui.widgets.bar import Bar
from frontdesk.tui.widgets.cells import Piece, width_of
from frontdesk.tui.widgets.painted import PARTS
from frontdesk.tui.widgets.rows import next_match
from frontdesk.tui.widgets.virtual_list import VirtualList
from frontdesk.wire import ConversationFilter

LEAST_WIDTH, LEAST_HEIGHT = 40, 10


class ViewScreen(LeftOnce[View | None]):
    """A subclass composes `body`, refreshes itself and says what it shows."""

    REFRESH_SECONDS: ClassVar[float] = 300.0
    BINDINGS: ClassVar[list[BindingType]] = [
        *view_bindings(),
        Binding("tab", "app.focus_next", "Next pane", id="pane.next", show=False),
        Binding("shift+tab", "app.focus_previous", "Previous pane", id="pane.before", show=False),
        Binding("slash", "find", "Find", id="view.find"),
        Binding("n", "find_next(1)", "Next match", id="view.next_match"),
        Binding("N", "find_next(-1)", "Previous match", id="view.previous_match"),
        Binding("y", "copy", "Copy this row", id="view.copy"),
        Binding("ctrl+r,f5", "refresh", "Ask the server now", id="view.refresh"),
        Binding("escape", "back", "One level back", id="view.back"),
        Binding("q", "back", "Back", id="view.leave", show=False),
        Binding("question_mark,f1", "help", "Keys", id="view.help"),
        Binding("colon", "app.commands", "Commands", id="view.commands"),
        Binding("ctrl+z", "app.suspend_process", "Suspend", id="view.suspend", show=False),
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
        self.mailbox = opening.mailbox
        self.clock = opening.clock
        self.inbox_title = opening.title
        self.key_names = KeyNames((type(self), VirtualList), opening.keys)
        self._switch = opening.switch
        self.connection = Connection(self.mailbox, self.clock, self.tell, Pulse(self.clock.now()))
        self._sought = ""

    # What a subclass decides

    @property
    @abstractmethod
    def view_name(self) -> str:
        """By which of VIEWS it is opened."""

    @abstractmethod
    def body(self) -> ComposeResult:
        """What stands between the header and the status line."""

    @abstractmethod
    async def read(self) -> None:
        """Ask the server for what is shown, with `ask`."""

    @abstractmethod
    def show_saved(self) -> None:
        """Show what the cache has."""

    @abstractmethod
    def heading(self) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """The header's ends."""

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """The keys that the status line names, by {action.id} and what they do."""

    @property
    def last_key(self) -> str:
        """The key that is always named."""
        return "{view.help} keys"

    def named(self, words: str) -> str:
        """Words that name keys by {action.id}, as they are here."""
        return self.key_names.told(words)

    def seen_at(self) -> datetime | None:
        """When what is shown was true, as far as is known."""
        return None

    def leave(self) -> None:
        """Go one level back; out of the view where there is none."""
        self.end()

    # The frame

    def compose(self) -> ComposeResult:
        yield Bar(id="header")
        yield from self.body()
        yield Bar(id="status")
        yield Bar(id="too-small")

    def on_mount(self) -> None:
        self.show_saved()
        self.describe()
        self.set_interval(self.REFRESH_SECONDS, self.renew)
        self.call_after_refresh(self.begin)

    def fit(self, size: Size) -> None:
        width, height = size
        words = f"{LEAST_WIDTH}x{LEAST_HEIGHT} needed, this is {width}x{height}"
        self.query_one("#too-small", Bar).show([("warning", words)])
        self.describe()

    @property
    def standing(self) -> bool:
        """It is on the screen, with its parts; an answer may come before that, or after."""
        return self.is_attached and bool(self.query("#status"))

    def describe(self) -> None:
        """Bring the bars up to date; bars that say the same as before are not redrawn."""
        if not self.standing:
            return
        self.query_one("#header", Bar).show(*self.heading())
        right: list[Piece] = [*self.connection.state, ("dim", " ")]
        room = self.size.width - width_of(right) - 2
        last = self.named(self.last_key)
        keys = key_words(self.key_names.all_told(self.keys), room, last)
        self.query_one("#status", Bar).show([("dim", keys)], right)

    def tell(self, sentence: str) -> None:
        """Say something once."""
        self.notify(sentence, severity="warning", timeout=10, markup=False)

    # The server

    @work(group="begin", exclusive=True)
    async def begin(self) -> None:
        """After the first paint: connect where that was not done yet, then ask."""
        try:
            await self.mailbox.connect()
        except InboxError as error:
            self.tell(str(error))
            return
        self.renew()

    @work(group="read", exclusive=True)
    async def renew(self) -> None:
        """Ask the server for all that is shown here."""
        await self._read_unless_left()

    @work(group="read", exclusive=True)
    async def action_refresh(self) -> None:
        """Ask the server for all that is shown here, whatever back-off is running."""
        with without_backoff():
            await self._read_unless_left()

    async def _read_unless_left(self) -> None:
        if not self.left:
            await self.read()
            self.describe()

    async def ask(self, question: Callable[[], Awaitable[None]]) -> bool:
        """Ask the server; True if that went well, which is when this view is live."""
        went_well = await self.connection.ask(question, self.seen_at(), beside=True)
        if went_well:
            self.connection.is_live()
        self.describe()
        return went_well

    # Keys

    def action_views(self) -> None:
        """Choose another view by a letter."""
        self.app.push_screen(Menu("Go to", view_entries(self.key_names)), self._go_to_view)

    def _go_to_view(self, name: str | None) -> None:
        if name is not None:
            self.action_view(name)

    def action_view(self, name: str) -> None:
        """Leave this view for another one."""
        if name == INBOX:
            self.end()
        elif name != self.view_name:
            self._switch(self, name)

    def action_back(self) -> None:
        self.leave()

    def action_help(self) -> None:
        """All keys that work where the focus is."""
        show_help(self)

    def action_find(self) -> None:
        """Ask for words and go to the next row of this pane that has them."""
        self.app.push_screen(Prompt("/", value=self._sought), self._find_first)

    def _find_first(self, sought: str | None) -> None:
        if sought is not None:
            self._sought = sought
            self.action_find_next(1)

    def action_find_next(self, step: int) -> None:
        """The next or previous row with the words that were asked for last."""
        listed: Any = self.focused
        if not self._sought or not isinstance(listed, VirtualList) or listed.rows is None:
            return
        position = next_match(listed.words_at, len(listed.rows), listed.cursor, step, self._sought)
        if position is None:
            self.notify(f"“{self._sought}” is not in what is loaded here", markup=False)
        else:
            listed.go_to(position)

    def copied(self) -> str:
        """What copying takes here."""
        return ""

    def action_copy(self) -> None:
        copy(self, self.copied())

    def choose(self, chosen: ConversationFilter, other_set: str = "") -> None:
        """Leave for the conversations of a filter. other_set: why they are not what was counted."""
        if self.choose_view(View(filter=chosen)) and other_set:
            self.app.notify(f"Not exactly the same set: {other_set}", timeout=8, markup=False)

    def choose_view(self, chosen: View) -> bool:
        """Leave for a view of the queue; False if this was left already."""
        return self.end(chosen)

    def end(self, chosen: View | None = None) -> bool:
        """Leave; False where this was left before."""
        standing = self.app.screen is self
        self.dismiss(chosen)
        return standing
