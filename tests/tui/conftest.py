"""The viewer on the sample: the real service, client and cache, at a fixed time."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pytest
from textual.app import App
from textual.pilot import Pilot

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.store.accounts import revision
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.painted_rows import after_frame
from tests.conftest import NOW
from tests.patience import HANG_SECONDS
from tests.tui.drawn_terminal import Terminal
from tests.tui.screen_text import chosen_line as chosen_line
from tests.tui.screen_text import lines as lines
from tests.tui.screen_text import shown as shown
from tests.tui.textual_private import cancel_workers_first, display_on, hasten_pilots, share_styles
from tests.workers import all_ended

if TYPE_CHECKING:
    from tests.tui.views import ViewApp

hasten_pilots()
cancel_workers_first()
share_styles()

# Seconds, which are long enough on a machine that is busy with other things.

Viewer = Callable[..., FrontdeskApp]
Open = Callable[..., "ViewApp"]


@pytest.fixture
def sample_database(sample_file: Path) -> Iterator[SQLiteDatabase]:
    """The sample, which all tests share: the viewer only reads."""
    database = SQLiteDatabase(sample_file, durable=False)
    before = database.read(lambda connection: revision(connection, 1))
    yield database
    after = database.read(lambda connection: revision(connection, 1))
    database.close()
    assert after == before, "A test wrote to the sample that all share"


@pytest.fixture
def viewer(client: InboxClient, cache: Cache) -> Viewer:
    """Makes the viewer, on the sample unless another source is given."""

    def make(source: InboxClient | None = None) -> FrontdeskApp:
        mailbox = Mailbox(lambda: source or client, cache, clock=lambda: NOW)
        return FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, lambda: NOW))

    return make


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until every worker has ended, also those that others began, and all is painted.

    An app that crashed paints no more: `run_test` raises what ended it.
    """
    app = pilot.app
    await pilot.pause()
    while not app.return_code:
        await all_ended(app)
        await pilot.pause()
        # Another size is laid out a hundredth of a second later.
        laid_out = app.screen.outer_size == app.size
        if laid_out and all(worker.is_finished for worker in app.workers):
            break


async def frame_shown(pilot: Pilot[Any]) -> None:
    """Wait for the frame that is due, which comes by a timer, and for what is done after it."""
    app, screen, done = pilot.app, pilot.app.screen, list[bool]()
    # What was begun before with the same wait comes before this.
    if screen.call_after_refresh(after_frame, screen, done.append, True):
        while not done and app.is_running and app.screen is screen:
            await pilot.pause()


async def until(pilot: Pilot[Any], claim: Callable[[], bool]) -> None:
    """Wait until something holds that several messages after each other bring about."""
    deadline = time.monotonic() + HANG_SECONDS
    while not claim():
        assert time.monotonic() < deadline
        await settle(pilot)


async def idle_until(pilot: Pilot[Any], claim: Callable[[], bool]) -> None:
    """Wait until something holds, also while a worker waits for what does not come."""
    deadline = time.monotonic() + HANG_SECONDS
    while not claim():
        assert time.monotonic() < deadline
        await pilot.pause()


_NOTIFICATIONS: WeakKeyDictionary[App[Any], list[str]] = WeakKeyDictionary()


@pytest.fixture(scope="session", autouse=True)
def _record_notifications() -> Iterator[None]:
    """Keep the words of notifications: without `notifications`, an app in a test shows none."""
    notify, clear = App.notify, App.clear_notifications

    def notify_and_keep(app: App[Any], message: str, **options: Any) -> None:
        _NOTIFICATIONS.setdefault(app, []).append(message)
        notify(app, message, **options)

    def clear_all(app: App[Any]) -> None:
        _NOTIFICATIONS.pop(app, None)
        clear(app)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(App, "notify", notify_and_keep)
        patch.setattr(App, "clear_notifications", clear_all)
        yield


def notifications(app: App[Any]) -> list[str]:
    """Texts of the notifications, the oldest first."""
    return _NOTIFICATIONS.get(app, [])


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Gets what is drawn from here on."""
    terminal = Terminal()
    display_on(terminal.draw, monkeypatch)
    return terminal


@pytest.fixture
def report(client: InboxClient, cache: Cache) -> Open:
    """Makes the app with the report of the sample, or of another server."""

    from tests.tui.views import view_app

    def make(source: Any = None) -> "ViewApp":
        return view_app("reports", source or client, cache, Clock(UTC, lambda: NOW))

    return make
