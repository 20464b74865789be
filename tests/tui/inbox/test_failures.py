"""The inbox without a server, a valid key or a usable cache."""

from pathlib import Path
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import (
    BadResponse,
    BadSettings,
    Forbidden,
    InboxError,
    Unreachable,
)
from frontdesk.mailbox import Mailbox
from frontdesk.text.clean import clean
from frontdesk.tui.app import FrontdeskApp
from frontdesk.wire import Message, Page
from tests.conftest import NOW
from tests.tui.conftest import Viewer, lines, notifications, settle, shown
from tests.tui.faulty_sources import Failing, Faltering
from tests.tui.inbox_state import screen_of


async def test_a_cache_that_cannot_be_used_is_reported_once(
    client: InboxClient, tmp_path: Path
) -> None:
    (tmp_path / "pages.db").write_text("somebody else's file")
    cache = Cache(tmp_path / "pages.db", "test")
    app = FrontdeskApp(Mailbox(lambda: client, cache, clock=lambda: NOW), title="x")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        notices = notifications(app)
        assert "All open 60" in shown(app)
    cache.close()
    assert notices == [cache.warning]


async def test_a_repeated_notification_is_not_shown_twice(viewer: Viewer) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("minus", "minus", "minus", "H")
        assert notifications(app) == [
            "No previously opened conversation in this view",
            "No previous view",
        ]


async def test_the_next_start_shows_the_same_place_from_the_cache_while_offline(
    viewer: Viewer,
) -> None:
    app = viewer()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(*"fcmadrid", "enter")
        await settle(pilot)
        await pilot.press("j", "j", "enter")
        await settle(pilot)
        # Read once, so that nothing in it is new.
        await pilot.press("escape", "k", "j", "enter")
        await settle(pilot)
        row, thread = screen_of(app).queue.list.row, lines(app)[4:-2]
    again = viewer(Failing(Unreachable("The server does not answer")))
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "Madrid" in lines(again)[0]
        assert screen_of(again).queue.list.row == row
        assert [line[47:] for line in lines(again)[4:-2]] == [line[47:] for line in thread]
        assert lines(again)[-2].endswith("as of 10:00")
        assert "offline · as of 10:00" in lines(again)[-1]
        await pilot.press("j", "k", "enter", "G", "g")
        await settle(pilot)
        assert "offline" in lines(again)[-1]


class WithoutMessages(Faltering):
    """The real client, whose key may not read messages."""

    async def message_page(self, *arguments: Any, **options: Any) -> Page[Message]:
        raise Forbidden("The key lacks messages:read")


async def test_a_thread_that_is_refused_says_so_beside_a_live_list(
    viewer: Viewer, client: InboxClient
) -> None:
    app = viewer(WithoutMessages(client))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("j", "enter", "ctrl+r")
        await settle(pilot)
        assert "lacks messages:read" in shown(app)
        assert "This thread has not been loaded yet" in shown(app)
        assert " live" in lines(app)[-1]


@pytest.mark.parametrize("kind", [Forbidden, BadResponse])
async def test_an_error_that_was_never_cleaned_is_cleaned_where_the_viewer_shows_it(
    viewer: Viewer, kind: type[InboxError]
) -> None:
    app = viewer(Failing(kind("it says \x1b]52;c;aGFjaw==\x07\u009b2J\u202e")))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("v", "s", "escape", "v", "r"):
            await pilot.press(key)
            await settle(pilot)
            screen = shown(app)
            assert clean(screen) == screen
        assert "it says" in screen


async def test_settings_that_cannot_work_end_the_viewer_with_their_reason(cache: Cache) -> None:
    def connect() -> InboxClient:
        raise BadSettings("Plain http would show the key")

    app = FrontdeskApp(Mailbox(connect, cache), title="x")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
    assert isinstance(app.return_value, BadSettings)
