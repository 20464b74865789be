"""The inbox before the first response of the server."""

import asyncio
from datetime import UTC
from typing import Any

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.query import SavedView, parse
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.preferences import Preferences
from frontdesk.wire import ConversationFilter
from tests.conftest import NOW
from tests.tui.conftest import Viewer, idle_until, lines, settle
from tests.tui.inbox_state import queue, screen_of


class Slow:
    """A server whose first count takes until `answer` is set."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def counts(self, *arguments: Any) -> Any:
        self.asked.set()
        await self.answer.wait()
        return await self._client.counts(*arguments)


async def test_a_filter_may_be_chosen_before_the_first_answer(
    viewer: Viewer, client: InboxClient
) -> None:
    slow: Any = Slow(client)
    app = viewer(slow)
    async with app.run_test(size=(120, 40)) as pilot:
        await slow.asked.wait()
        await pilot.press("right_square_bracket")
        slow.answer.set()
        await settle(pilot)
        assert "snoozed" in lines(app)[0]
        assert "live" in lines(app)[-1]


class SlowTabs(Slow):
    """A server whose counts for a label take until `answer` is set."""

    async def counts(self, filter: ConversationFilter) -> Any:
        if filter.label is None:
            return await self._client.counts(filter)
        return await super().counts(filter)


async def test_rows_do_not_wait_for_the_counts_of_tabs(client: InboxClient, cache: Cache) -> None:
    slow: Any = SlowTabs(client)
    mailbox = Mailbox(lambda: slow, cache, clock=lambda: NOW)
    preferences = Preferences(views=(SavedView("Refunds", parse("is:open #refund"), "8"),))
    clock = Clock(UTC, lambda: NOW)
    app = FrontdeskApp(mailbox, title="sample", clock=clock, preferences=preferences)
    async with app.run_test(size=(120, 40)) as pilot:
        await idle_until(pilot, lambda: bool(queue(app)))
        await pilot.press("right_square_bracket")
        await idle_until(pilot, lambda: [row.status for row in queue(app)][:1] == ["snoozed"])
        assert slow.asked.is_set()
        assert "live" not in lines(app)[-1]
        slow.answer.set()
        await settle(pilot)
        assert "live" in lines(app)[-1]


async def test_it_may_be_left_before_the_first_answer(viewer: Viewer, client: InboxClient) -> None:
    slow: Any = Slow(client)
    app = viewer(slow)
    async with app.run_test(size=(120, 40)) as pilot:
        await slow.asked.wait()
        await pilot.press("ctrl+q")
    assert app.return_code == 0


class Switched:
    """The real client, until it is `off`: then nobody answers. Answers wait until `answer`."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.off = False
        self.answer = asyncio.Event()
        self.answer.set()

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._client, name)
        if not callable(real) or name == "close":
            return real

        async def answer(*arguments: Any, **options: Any) -> Any:
            await self.answer.wait()
            if self.off:
                raise Unreachable("Nobody answers")
            return await real(*arguments, **options)

        return answer


async def test_offline_a_view_that_was_never_loaded_is_filtered_from_the_list_of_its_status(
    viewer: Viewer, client: InboxClient
) -> None:
    switched = Switched(client)
    app = viewer(switched)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        every = queue(app)
        waiting = {row.id for row in every if row.awaiting_human}
        switched.off = True
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "offline" in lines(app)[-1]
        await pilot.press("f", "h")
        await settle(pilot)
        assert "needs:human" in lines(app)[0]
        assert {row.id for row in queue(app)} == waiting
        assert 0 < len(waiting) < len(every)
        assert f"{len(waiting)} from the open list" in lines(app)[-1]
        await pilot.press("right_square_bracket")
        await settle(pilot)
        assert queue(app) == []
        switched.off = False
        await pilot.press("left_square_bracket", "ctrl+r")
        await settle(pilot)
        assert "live" in lines(app)[-1]
        assert {row.id for row in queue(app)} == waiting


async def test_a_slow_server_leaves_nobody_without_the_rows_that_are_here(
    viewer: Viewer, client: InboxClient
) -> None:
    switched = Switched(client)
    app = viewer(switched)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        waiting = {row.id for row in queue(app) if row.awaiting_human}
        switched.answer.clear()
        await pilot.press("f", "h")
        await idle_until(pilot, lambda: "needs:human" in lines(app)[0])
        assert {row.id for row in queue(app)} == waiting
        assert "loading…" in lines(app)[-1] or "from the open list" in lines(app)[-1]
        # Nothing of this status was loaded.
        await pilot.press("right_square_bracket")
        await idle_until(pilot, lambda: "is:snoozed" in lines(app)[0])
        assert queue(app) == []
        assert "~" not in lines(app)[0]
        await pilot.press("left_square_bracket")
        switched.answer.set()
        await settle(pilot)
        assert "live" in lines(app)[-1]
        assert {row.id for row in queue(app)} == waiting


async def test_last_pressed_before_the_first_answer_leads_to_the_last_row(
    viewer: Viewer, client: InboxClient
) -> None:
    switched = Switched(client)
    switched.answer.clear()
    app = viewer(switched)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("G")
        switched.answer.set()
        await settle(pilot)
        assert screen_of(app).selected_id == queue(app)[-1].id
        assert len(queue(app)) == 60
