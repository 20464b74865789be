"""Uses of Textual's private names, each with the public interface that is missing.

`tests/test_public_names.py` allows them in this module only.

`App._handle_exception` (Textual 8.2.8) is called with an exception that a message handler did not
catch. There is no public hook: `App.run_async` returns normally, and the exception is only printed,
including the local variables of its frames.
"""

from typing import Any

from textual.app import App, ReturnType


class ExceptionHookApp(App[ReturnType]):
    """Calls `on_unhandled_exception` for exceptions of message handlers, before the app exits."""

    def on_unhandled_exception(self, error: Exception) -> None:
        """Called for every unhandled exception; the application exits after the first."""

    def _handle_exception(self, error: Exception) -> Any:
        self.on_unhandled_exception(error)
        super()._handle_exception(error)
