"""The private names of Textual that the viewer uses, each with the public way that is missing.

`tests/test_public_names.py` allows these in this module alone.

`App._handle_exception` (Textual 8.2.8): called with the exception that a message handler did not
catch. There is no public hook for it: `App.run_async` returns as if the app had been left, and the
exception is only printed, with the local variables of its frames.
"""

from typing import Any

from textual.app import App, ReturnType


class ExceptionHookApp(App[ReturnType]):
    """Calls `on_unhandled_exception` with what no message handler caught, before the app ends."""

    def on_unhandled_exception(self, error: Exception) -> None:
        """Called once for each exception; the app is left after the first."""

    def _handle_exception(self, error: Exception) -> Any:
        self.on_unhandled_exception(error)
        super()._handle_exception(error)
