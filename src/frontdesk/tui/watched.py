"""What both applications share: bugs are kept for who ran it, what is pasted is cleaned."""

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from rich.console import RenderableType
from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import AwaitMount
from textual.worker import WorkerFailed

from frontdesk.crash import Crashed
from frontdesk.text import clean

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

Outcome = TypeVar("Outcome")
_MOST_ACTIONS = 30


class WatchedApp(App[Outcome], Generic[Outcome]):
    """`crash` is the bug that ended it, and what it was at then: nothing that was typed or read."""

    crash: Crashed | None = None

    def __init__(self) -> None:
        super().__init__()
        # Nothing here has one, and each screen would have a widget for it.
        self._disable_tooltips = True
        self._actions: deque[str] = deque(maxlen=_MOST_ACTIONS)

    def on_mount(self) -> None:
        """A shell has written on the terminal when the program goes on after it was stopped."""
        self.app_resume_signal.subscribe(self, self._go_on)
        self._tell_of_every_stop()

    def _go_on(self, _: App[Any]) -> None:
        self._tell_of_every_stop()
        self.screen.refresh(layout=True)

    def _tell_of_every_stop(self) -> None:
        """Textual would tell of SIGTSTP alone, and not of SIGSTOP."""
        driver: Any = self._driver
        driver._must_signal_resume = True

    def refresh(
        self, *, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Draw everything again, but not when a screen has come or gone.

        Textual asks for a layout then; screens draw themselves when they come into view.
        """
        return self if layout else super().refresh(repaint=repaint, recompose=recompose)

    def _get_screen(self, screen: Screen[Any] | str) -> tuple[Screen[Any], AwaitMount]:
        found, mounted = super()._get_screen(screen)
        # Textual asks for one more layout when its widgets are there: the application needs none.
        mounting: Any = mounted
        mounting._parent = self
        return found, mounted

    def notify(self, message: str, **options: Any) -> None:
        """Show a toast. Its text may quote a server, so it is cleaned here too."""
        super().notify(clean(message), **options)

    async def on_event(self, event: events.Event) -> None:
        """Everything that comes from the terminal. A field draws what is pasted as it is given."""
        if isinstance(event, events.Paste) and not event.is_forwarded:
            event = events.Paste(clean(event.text))
        await super().on_event(event)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do what a key stands for, and remember its name."""
        name = action.partition("(")[0] if isinstance(action, str) else action[1]
        self._actions.append(f"{type(default_namespace or self).__name__}.{name}")
        return await super().run_action(action, default_namespace, namespaces)

    def panic(self, *renderables: RenderableType) -> None:
        """Leave over something unexpected, without a word about it."""
        self._close_messages_no_wait()

    def _handle_exception(self, error: Exception) -> None:
        if self._exit:
            # A screen that was about to open finds nothing of itself any more.
            return
        if self.crash is None:
            self.crash = Crashed(self._circumstances())
            self.crash.__cause__ = error.error if isinstance(error, WorkerFailed) else error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self.panic()

    def _circumstances(self) -> dict[str, str]:
        told: dict[str, Any] = {
            "screens": " > ".join(type(screen).__name__ for screen in self.screen_stack),
            "size": f"{self.size.width}x{self.size.height}",
            "actions": " ".join(self._actions),
        }
        return told
