"""Lists with broken ends are not requested again and again."""

import asyncio
import re
from typing import Any

import pytest

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import BadResponse, CircuitOpen, CursorRefused, Unreachable
from frontdesk.tui.widgets import virtual_list
from frontdesk.wire import Page
from tests.tui.conftest import Viewer, idle_until, lines, notifications, settle
from tests.tui.inbox.test_local_filter import Waiting, pages_come, viewer_of
from tests.tui.inbox_state import queue_names, screen_of

# More than a page of any list, as seen at this height.
TALL = (120, 60)


class Endless:
    """The real client, whose further pages fail, or say that there is more but not where."""

    def __init__(self, client: InboxClient, error: Exception | None) -> None:
        self._client = client
        self._error = error
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name not in ("conversation_page", "message_page"):
            return method

        async def page(*arguments: Any, **options: Any) -> Page[Any]:
            self.asked += 1
            if options.get("cursor") and self._error is not None:
                raise self._error
            page: Page[Any] = await method(*arguments, **{**options, "limit": 20})
            if self._error is not None:
                return page
            return page.model_copy(update={"next_cursor": None, "has_more": True})

        return page


@pytest.mark.parametrize(
    "error",
    [
        None,
        Unreachable("The server cannot be reached"),
        CircuitOpen("It is asked again in 30 seconds", retry_after=30.0),
        BadResponse("The server sends nothing new: the list stops here."),
        CursorRefused("Start again", code="invalid_cursor"),
    ],
)
async def test_an_end_without_a_way_on_is_asked_for_when_the_reader_moves(
    viewer: Viewer, client: InboxClient, error: Exception | None
) -> None:
    source = Endless(client, error)
    async with viewer(source).run_test(size=TALL) as pilot:
        await settle(pilot)
        for key in ("2", *"GgGg", "3", *"GgGg"):
            asked = source.asked
            await pilot.press(key)
            await settle(pilot)
            assert source.asked - asked <= 20


async def test_the_last_row_is_gone_to_over_all_pages_until_escape_says_how_far(
    cache: Cache,
) -> None:
    inbox = Waiting()
    inbox.gate = asyncio.Event()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await idle_until(pilot, lambda: "50 of 260" in lines(app)[-1])
        await pilot.press("G")
        await pages_come(pilot, inbox, 2)
        await idle_until(pilot, lambda: "150 of 260, loading… esc: stop" in lines(app)[-1])
        await pilot.press("escape")
        await idle_until(pilot, lambda: "esc: stop" not in lines(app)[-1])
        assert "150 of 260 loaded so far. G: load more" in notifications(app)
        await pilot.press("G")
        inbox.gate.set()
        inbox.gate = None
        await settle(pilot)
        assert len(queue_names(app)) == 260
        assert screen_of(app).queue.list.cursor == 259


async def test_an_end_that_one_press_does_not_reach_is_said(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(virtual_list, "LOADS_PER_KEY", 2)
    app = viewer_of(Waiting(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("G")
        await settle(pilot)
        assert re.search(r"\d+ of 260 loaded so far. G: load more", "".join(notifications(app)))
        for _ in range(3):
            await pilot.press("G")
            await settle(pilot)
        assert len(queue_names(app)) == 260
