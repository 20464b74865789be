"""An application that shows the views alone."""

from typing import Any

from textual import events
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.query import Query
from frontdesk.tui.app_base import CrashReportingApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.inbox.view_actions import open_view
from frontdesk.tui.theme import DARK, STYLES, THEMES
from frontdesk.tui.views.base import ViewScreen
from frontdesk.tui.views.catalogue_screen import CatalogueScreen
from frontdesk.wire import PhoneRef
from tests.conftest import NOW
from tests.tui.conftest import notifications, settle


class Dressed(CrashReportingApp[None]):
    """Looks as the viewer does, with nothing in it."""

    CSS_PATH = [STYLES / "app.tcss", STYLES / "inbox.tcss", STYLES / "dialogs.tcss"]

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)


class ViewApp(Dressed):
    """Opens one view on a mailbox; keeps what it was left with, and what was copied."""

    def __init__(self, view: str, mailbox: Mailbox, clock: Clock) -> None:
        super().__init__()
        self._view = view
        self._mailbox, self._clock = mailbox, clock
        self.views: list[Query | PhoneRef | None] = []
        self.copied: list[str] = []

    def on_mount(self) -> None:
        open_view(self, self._view, Opening(self._mailbox, self._clock, "sample"), self._choose)

    def _choose(self, chosen: Query | PhoneRef | None) -> None:
        self.views.append(chosen)

    @property
    def chosen(self) -> list[str | None]:
        """The chosen queries as text, None for a view that was left."""
        return [None if one is None else str(one) for one in self.views]

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    @property
    def toasts(self) -> str:
        """Texts of the notifications, the newest last."""
        return "\n".join(notifications(self))

    @property
    def view(self) -> ViewScreen:
        """The view on the screen."""
        screen = self.screen
        assert isinstance(screen, ViewScreen)
        return screen


def view_app(view: str, source: InboxClient, cache: Cache, clock: Clock) -> ViewApp:
    """The app on a server and a cache, at the time of the tests."""
    return ViewApp(view, Mailbox(lambda: source, cache, clock=lambda: NOW), clock)


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Press keys one after the other, each after what the one before it did."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def type_ahead(app: App[Any], *keys: str) -> None:
    """Keys that arrive at once, before anything of them was handled."""
    for key in keys:
        character = {"enter": "\r", "space": " ", "plus": "+"}.get(key, key)
        name = key if len(key) > 1 else events.Key(key, key).key
        app.post_message(events.Key(name, character if len(character) == 1 else None))


async def type_in(pilot: Pilot[Any], text: str) -> None:
    """Put a text into the field that has the focus, as pasting does."""
    field = pilot.app.focused
    assert isinstance(field, Input)
    field.value = text
    await settle(pilot)


async def counted(pilot: Pilot[Any]) -> None:
    """What is behind the directory's entry under the cursor has been asked for."""
    screen = pilot.app.screen
    assert isinstance(screen, CatalogueScreen)
    screen.count_behind()
    await settle(pilot)
