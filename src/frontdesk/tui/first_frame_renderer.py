"""Renders the first frame of the next start, and takes over a terminal that shows one.

`first_frame_file.py` stores it, `cli/first_frame_display.py` shows it.
"""

from typing import Any, NoReturn

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size

from frontdesk.cache import Cache
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.preferences import Preferences

# Control sequence that switches a terminal to its alternate screen.
ALTERNATE_SCREEN = "\x1b[?1049h"


async def render_first_frame(
    cache: Cache, title: str, preferences: Preferences, columns: int, lines: int
) -> str:
    """Terminal output of a viewer's first screen, drawn from the cache only."""
    app = _RecordingApp(_ReadOnlyMailbox(_no_source, cache), title=title, preferences=preferences)
    await app.run_async(size=(columns, lines))
    return app.drawn


def without_screen_switch(driver_class: type[Driver]) -> type[Driver]:
    """Driver class for a terminal that is on its alternate screen already.

    Switching again would clear the frame that it shows.
    """

    class AlternateScreenDriver(driver_class):  # type: ignore[misc, valid-type]
        _switched = False

        def write(self, data: str) -> None:
            if not self._switched and data == ALTERNATE_SCREEN:
                self._switched = True
            else:
                super().write(data)

    return AlternateScreenDriver


class _ReadOnlyMailbox(Mailbox):
    """A mailbox that does not change the cache."""

    def set_setting(self, name: str, value: str) -> None:
        """No-op: rendering must not change state."""

    def mark_read(self, conversation_id: str) -> None:
        """No-op: rendering must not change state."""


def _no_source() -> NoReturn:
    """Raises: Unreachable, so that the viewer exits after its first paint."""
    raise Unreachable("There is no server behind a saved screen")


class _RecordingDriver(Driver):
    """Driver that records the output for a terminal of a given size."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.size = Size(*(size or (80, 24)))
        self.written: list[str] = []

    def write(self, data: str) -> None:
        self.written.append(data)

    def start_application_mode(self) -> None:
        self.send_message(events.Resize(self.size, self.size))

    def disable_input(self) -> None:
        """No-op: there is no input."""

    def stop_application_mode(self) -> None:
        """No-op: there is no terminal."""


class _RecordingApp(FrontdeskApp):
    """Exits after the first paint; `drawn` is the recorded output."""

    drawn = ""

    def __init__(self, mailbox: Mailbox, *, title: str, preferences: Preferences) -> None:
        super().__init__(mailbox, title=title, preferences=preferences)
        self._driver_made: _RecordingDriver | None = None
        self.driver_class = self._make_driver  # type: ignore[assignment]

    def _make_driver(self, app: App[Any], **options: Any) -> _RecordingDriver:
        self._driver_made = _RecordingDriver(app, **options)
        return self._driver_made

    def exit(self, *arguments: Any, **options: Any) -> None:
        """Record a full repaint of the screen, then exit."""
        driver = self._driver_made
        assert driver is not None
        driver.written.clear()
        self.screen.refresh()

        def leave() -> None:
            self.drawn = "".join(driver.written)
            super(_RecordingApp, self).exit(*arguments, **options)

        self.screen.call_after_refresh(leave)
