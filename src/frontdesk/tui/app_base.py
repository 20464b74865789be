"""Base of both applications: crash reports, sanitised toasts and pastes, repaint on resume."""

import asyncio
import io
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.console import Console
from textual import events
from textual.app import SuspendNotSupported
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.worker import WorkerFailed

from frontdesk.system.crash_trace import ProgramCrash
from frontdesk.text.clean import clean, is_ascii_terminal
from frontdesk.tui.textual_private import ExceptionHookApp
from frontdesk.tui.theme import THEMES, legible_variables, theme_variables
from frontdesk.tui.widgets.bar import StatusBar
from frontdesk.tui.widgets.glyphs import PlainCharacters

if TYPE_CHECKING:
    from textual.actions import ActionParseResult

Outcome = TypeVar("Outcome")
_MOST_ACTIONS = 30
_NOTICE_SECONDS, _NOTICE_AFTER_KEY_SECONDS = 4.0, 0.1
_VIEW_NOTICE_SECONDS = 8.0


class CrashReportingApp(ExceptionHookApp[Outcome], Generic[Outcome]):
    """An application that reports crashes without user data.

    crash: the exception that ended it, with its circumstances.
    """

    crash: ProgramCrash | None = None

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        # Textual prints errors with local variables, which may contain a key or messages.
        self.error_console = Console(file=io.StringIO())
        self._is_plain = is_ascii_terminal(os.environ)
        self._leaving = False
        self._actions: deque[str] = deque(maxlen=_MOST_ACTIONS)
        self._notice = ("", 0.0)
        self._view_notice = ""
        # Number of calls of `notify_once`.
        self._notices = 0
        self._terminal: Callable[[str], object] | None = None
        # Programs of the user that run without a dialog, once there was one.
        self.programs: object = None
        # Keys from the configuration by binding id.
        self.changed_keys: Mapping[str, str] = {}

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Values of this program's colour variables, for themes that lack them."""
        return dict(theme_variables(self.current_theme))

    def get_css_variables(self) -> dict[str, str]:
        """Variables of the theme, with inks that can be read on its grounds."""
        return legible_variables(super().get_css_variables())

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, and one for terminals that have only ASCII."""
        encoding = sys.__stderr__.encoding if sys.__stderr__ else "ascii"
        plain = (PlainCharacters(encoding),) if self._is_plain else ()
        return [*super().get_line_filters(), *plain]

    def on_mount(self) -> None:
        """Repaint when the stopped process resumes, since the shell wrote to the terminal."""
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh(layout=True))
        self._restart_display_after_sigstop()
        if self.is_web:
            self.set_interval(1.0, partial(self._exit_without_host, os.getppid()))

    def _exit_without_host(self, host: int) -> None:
        """Exit when the server of the page is gone: Textual ignores the end of its input."""
        if os.getppid() != host:
            self.exit()

    def _restart_display_after_sigstop(self) -> None:
        """Set the terminal up again when the process continues after a SIGSTOP.

        Textual's handler of SIGCONT expects that SIGTSTP came before. Without it, the handler would
        start a second thread that reads keys, and the program might never end.
        """
        stop, resume = (
            signal.getsignal(getattr(signal, name)) if hasattr(signal, name) else None
            for name in ("SIGTSTP", "SIGCONT")
        )
        if not callable(stop) or not callable(resume):
            # A terminal is neither set up on Windows, in a page nor in a test without one.
            return
        suspended = False

        def on_stop(number: int, frame: FrameType | None) -> None:
            nonlocal suspended
            suspended = True
            stop(number, frame)

        def on_continue(number: int, frame: FrameType | None) -> None:
            nonlocal suspended
            if suspended:
                suspended = False
                resume(number, frame)
            else:
                self.call_later(self._restart_display)

        signal.signal(signal.SIGTSTP, on_stop)
        signal.signal(signal.SIGCONT, on_continue)

    def _restart_display(self) -> None:
        if not self._leaving and sys.stdin.isatty():
            with suppress(SuspendNotSupported), self.suspend():
                pass

    def use_keys(self, keys: Mapping[str, str]) -> None:
        """Change keys of actions, by binding id."""
        self.changed_keys = dict(keys)
        self.set_keymap(dict(keys))

    def push_screen(
        self, screen: Any, callback: Any = None, *arguments: Any, **options: Any
    ) -> Any:
        """Push a screen; `DismissOnce` screens call the callback themselves, see `answer_to`."""
        if callback is not None and hasattr(screen, "answer_to"):
            screen.answer_to(callback)
            callback = None
        return super().push_screen(screen, callback, *arguments, **options)

    def exit(self, *arguments: Any, **options: Any) -> None:
        self._leaving = True
        super().exit(*arguments, **options)

    def notify(self, message: str, **options: Any) -> None:
        """Show a message in the status line of the topmost screen that has one.

        The text may quote a server, so control characters are removed.
        """
        words = clean(message)
        super().notify(words, **options)
        severity, seconds = options.get("severity", "information"), options.get("timeout")
        for screen in reversed(self.screen_stack):
            if screen.is_attached and (bars := screen.query(StatusBar)):
                bars.first().flash(words, severity, seconds or _NOTICE_SECONDS)
                break

    def clear_notifications(self) -> None:
        """Clear all messages, also the one in the status line."""
        super().clear_notifications()
        self._notice = ("", 0.0)
        for screen in self.screen_stack:
            for bar in screen.query(StatusBar):
                bar.clear()

    def write_to_terminal(self, sequence: str) -> None:
        """Write a control sequence between two frames; a page has no terminal.

        Textual has no public way to its driver, so the driver introduces itself.
        """
        if self._terminal is not None and sequence and not self.is_web:
            self._terminal(sequence)

    def introduce(self, driver_class: type[Driver]) -> type[Driver]:
        """Driver class whose instance `write_to_terminal` writes with."""
        app = self

        class TerminalDriver(driver_class):  # type: ignore[misc, valid-type]
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                app._terminal = self.write

        return TerminalDriver

    def notify_once(self, sentence: str) -> None:
        """Show a short toast, unless the same one is still visible."""
        shown, until = self._notice
        now = time.monotonic()
        self._notices += 1
        if shown != sentence or until <= now:
            self._notice = (sentence, now + _NOTICE_SECONDS)
            self.notify(sentence, timeout=_NOTICE_SECONDS, markup=False)

    def end_notice_soon(self) -> None:
        """End the message of `notify_once` after a key, unless the key's action says it again."""
        if self._notice[1] > time.monotonic():
            self.set_timer(_NOTICE_AFTER_KEY_SECONDS, partial(self._end_notice_of, self._notices))

    def _end_notice_of(self, number: int) -> None:
        if number == self._notices:
            self.end_notice()

    def end_notice(self) -> None:
        """End the message of `notify_once`, for what it says may no longer be so."""
        shown, self._notice = self._notice[0], ("", 0.0)
        self._dismiss(shown)

    def notify_of_view(self, sentence: str, *, severity: SeverityLevel = "information") -> None:
        """Show a message about the view of conversations, until another view is shown."""
        self._view_notice = sentence
        self.notify(sentence, severity=severity, timeout=_VIEW_NOTICE_SECONDS, markup=False)

    def end_view_notices(self) -> None:
        """End the messages of `notify_once` and `notify_of_view`: another view is shown."""
        self.end_notice()
        self._dismiss(self._view_notice)

    def _dismiss(self, sentence: str) -> None:
        for screen in self.screen_stack:
            for bar in screen.query(StatusBar):
                bar.dismiss(clean(sentence))

    async def on_event(self, event: events.Event) -> None:
        """Make one line without control characters of pasted text."""
        if isinstance(event, events.Paste) and not event.is_forwarded:
            # Terminals send CR for a line break.
            text = clean(event.text.replace("\r\n", "\n").replace("\r", "\n"))
            event = events.Paste(text.rstrip("\n").replace("\n", " "))
        await super().on_event(event)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, and record its name for crash reports."""
        name = action.partition("(")[0] if isinstance(action, str) else action[1]
        self._actions.append(f"{type(default_namespace or self).__name__}.{name}")
        return await super().run_action(action, default_namespace, namespaces)

    def on_unhandled_exception(self, error: Exception) -> None:
        """Record the first exception, unless the application is exiting."""
        if self.crash is None and not self._leaving:
            self.crash = ProgramCrash(self._circumstances())
            self.crash.__cause__ = error.error if isinstance(error, WorkerFailed) else error

    def end_over(self, error: Exception) -> None:
        """Exit over an exception outside message handlers; may be called by any thread."""

        def end() -> None:
            self.on_unhandled_exception(error)
            self.exit()

        self.call_later(end)

    def _circumstances(self) -> dict[str, str]:
        """Notes for the report that `cli/crash_report.py` writes."""
        return {
            "screens": " > ".join(type(screen).__name__ for screen in self.screen_stack),
            "size": f"{self.size.width}x{self.size.height}",
            "actions": " ".join(self._actions),
        }


def run_aside(node: DOMNode, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Run what waits for long, which is no worker: nothing is going on meanwhile.

    A mistake of the program ends it, as one of a worker does.
    """

    def end_over(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            node.call_next(_raise, error)

    task = asyncio.create_task(work)
    task.add_done_callback(end_over)
    return task


def _raise(error: BaseException) -> None:
    raise error
