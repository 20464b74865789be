"""The base of both applications: crash reports, clean toasts and pastes, one notice at a time."""

import io
import signal
import threading
import time
from collections import deque
from collections.abc import Mapping
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.console import Console
from textual import events
from textual.dom import DOMNode
from textual.worker import WorkerFailed

from frontdesk.crash import Crashed
from frontdesk.text import clean
from frontdesk.tui.textual_private import ExceptionHookApp

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

Outcome = TypeVar("Outcome")
_MOST_ACTIONS = 30
_NOTICE_SECONDS = 3.0


class WatchedApp(ExceptionHookApp[Outcome], Generic[Outcome]):
    """An application that reports a bug without what was typed or read.

    crash: the bug that ended it, and what it was doing.
    """

    crash: Crashed | None = None

    def __init__(self) -> None:
        super().__init__()
        # Textual prints errors with local variables, which may be a key or a customer's words.
        self.error_console = Console(file=io.StringIO())
        self._leaving = False
        self._actions: deque[str] = deque(maxlen=_MOST_ACTIONS)
        self._notice = ("", 0.0)
        # The keys that actions have instead of their own, by the ids of the actions.
        self.changed_keys: Mapping[str, str] = {}

    def on_mount(self) -> None:
        """A shell has written on the terminal when the program goes on after it was stopped."""
        self.app_resume_signal.subscribe(self, lambda _: self._draw_again())
        self._draw_again_after_sigstop()

    def _draw_again(self) -> None:
        self.screen.refresh(layout=True)

    def _draw_again_after_sigstop(self) -> None:
        """Textual resumes after SIGTSTP alone, and does nothing after SIGSTOP."""
        number = getattr(signal, "SIGCONT", None)
        if number is None or threading.current_thread() is not threading.main_thread():
            return
        resume = signal.getsignal(number)

        def go_on(received: int, frame: FrameType | None) -> None:
            if callable(resume):
                resume(received, frame)
            self.call_later(self._draw_again)

        signal.signal(number, go_on)

    def use_keys(self, keys: Mapping[str, str]) -> None:
        """Give actions other keys than their own."""
        self.changed_keys = dict(keys)
        self.set_keymap(dict(keys))

    def push_screen(
        self, screen: Any, callback: Any = None, *arguments: Any, **options: Any
    ) -> Any:
        """Open a screen. One that is left once calls back itself, see `LeftOnce.answer_to`."""
        if callback is not None and hasattr(screen, "answer_to"):
            screen.answer_to(callback)
            callback = None
        return super().push_screen(screen, callback, *arguments, **options)

    def exit(self, *arguments: Any, **options: Any) -> None:
        """Leave the application."""
        self._leaving = True
        super().exit(*arguments, **options)

    def notify(self, message: str, **options: Any) -> None:
        """Show a toast. Its text may quote a server, so it is cleaned here too."""
        super().notify(clean(message), **options)

    def notify_once(self, sentence: str) -> None:
        """Show a short toast, unless the same one is still shown."""
        shown, until = self._notice
        now = time.monotonic()
        if shown != sentence or until <= now:
            self._notice = (sentence, now + _NOTICE_SECONDS)
            self.notify(sentence, timeout=_NOTICE_SECONDS, markup=False)

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
        """Run an action, and remember its name for a crash report."""
        name = action.partition("(")[0] if isinstance(action, str) else action[1]
        self._actions.append(f"{type(default_namespace or self).__name__}.{name}")
        return await super().run_action(action, default_namespace, namespaces)

    def on_unhandled_exception(self, error: Exception) -> None:
        """Keep the first bug. A screen that was about to open when the app was left has none."""
        if self.crash is None and not self._leaving:
            self.crash = Crashed(self._circumstances())
            self.crash.__cause__ = error.error if isinstance(error, WorkerFailed) else error

    def _circumstances(self) -> dict[str, str]:
        return {
            "screens": " > ".join(type(screen).__name__ for screen in self.screen_stack),
            "size": f"{self.size.width}x{self.size.height}",
            "actions": " ".join(self._actions),
        }
