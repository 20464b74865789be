"""The viewer on the sample: the real service, client and cache, at a fixed time."""

from collections.abc import Callable
from datetime import UTC
from typing import TYPE_CHECKING, Any

import pytest
import textual._wait
from textual.app import App
from textual.pilot import Pilot

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import InboxSource, Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from tests.conftest import NOW
from tests.workers import all_ended

if TYPE_CHECKING:
    from tests.tui.views import ViewApp

# A pilot takes the viewer for idle that did nothing for so long: a fiftieth of a second, three
# times for each key, was most of what these tests took.
textual._wait.SLEEP_GRANULARITY = 1 / 200
textual._wait.SLEEP_IDLE = textual._wait.SLEEP_GRANULARITY / 20

Viewer = Callable[..., FrontdeskApp]
Open = Callable[..., "ViewApp"]


@pytest.fixture
def viewer(client: InboxClient, cache: Cache) -> Viewer:
    """Makes the viewer, on the sample unless another source is given."""

    def make(source: InboxSource | None = None) -> FrontdeskApp:
        mailbox = Mailbox(lambda: source or client, cache, clock=lambda: NOW)
        return FrontdeskApp(mailbox, title="sample", clock=Clock(UTC, lambda: NOW))

    return make


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until every worker has ended, also those that others began, and all is painted."""
    await pilot.pause()
    while True:
        await all_ended(pilot.app)
        await pilot.pause()
        if all(worker.is_finished for worker in pilot.app.workers):
            break


async def until(pilot: Pilot[Any], claim: Callable[[], bool]) -> None:
    """Wait until something holds that several messages after each other bring about."""
    for _ in range(200):
        if claim():
            break
        await settle(pilot)
    assert claim()


async def idle_until(pilot: Pilot[Any], claim: Callable[[], bool]) -> None:
    """Wait until something holds, also while a worker waits for what does not come."""
    for _ in range(200):
        if claim():
            break
        await pilot.pause()
    assert claim()


def lines(app: App[Any]) -> list[str]:
    """What stands on the screen, line by line."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in line).rstrip() for line in strips]


def chosen_line(app: App[Any]) -> str:
    """What stands on the ground of the selection, of the widget with the focus."""
    ground = app.screen.get_component_rich_style("part--chosen").bgcolor
    strips = app.screen._compositor.render_strips()
    cells = (one for strip in strips for one in strip if one.style and one.style.bgcolor == ground)
    return "".join(segment.text for segment in cells)


def shown(app: App[Any]) -> str:
    """What stands on the screen, as one text."""
    return "\n".join(lines(app))


@pytest.fixture
def report(client: InboxClient, cache: Cache) -> Open:
    """Makes the app with the report of the sample, or of another server."""

    from tests.tui.views import view_app

    def make(source: Any = None) -> "ViewApp":
        return view_app("reports", source or client, cache, Clock(UTC, lambda: NOW))

    return make
