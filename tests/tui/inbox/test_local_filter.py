"""Rows that are sorted here while others come: see `tests.inbox.test_scans`."""

import asyncio
import shutil
from collections.abc import Callable, Collection
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from frontdesk.cache import CONVERSATION, Cache
from frontdesk.cli.target import in_process
from frontdesk.client.server_info import Server, ServerState
from frontdesk.inbox import scanning
from frontdesk.mailbox import Mailbox
from frontdesk.service.rate_limit import RateLimit
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.wire import (
    Conversation,
    ConversationFilter,
    Counts,
    Message,
    Page,
)
from frontdesk.wire.queries import EXTENSIONS
from tests.conftest import NOW
from tests.mailbox.inbox import Inbox, at
from tests.tui.conftest import idle_until, settle
from tests.tui.inbox_state import queue_names
from tests.tui.views import press

CONVERSATIONS = 260


class Waiting(Inbox):
    """A server with customers who wait: the longer one does, the further down they are.

    gate: closed, no further page comes. held: how many wait at it.
    """

    def __init__(self, count: int = CONVERSATIONS) -> None:
        super().__init__()
        self.gate: asyncio.Event | None = None
        self.held = 0
        for number in range(1, count + 1):
            unread = 1 if number % 50 == 0 else 0
            self.bump(str(number), waiting_since=at(number), unread_count=unread)

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        if self.gate is not None and cursor is not None:
            self.held += 1
            try:
                await self.gate.wait()
            finally:
                self.held -= 1
        return await super().conversation_page(filter, limit=limit, cursor=cursor)

    async def counts(
        self, filter: ConversationFilter | None = None, *, by: Collection[str] = ()
    ) -> Counts:
        self.ask("counts", None)
        sets = {status: _count_set(0) for status in ("snoozed", "resolved")}
        by_status = {"open": _count_set(len(self.conversations)), **sets}
        return Counts.model_validate({"all": len(self.conversations), "by_status": by_status})

    def further_pages(self) -> int:
        """How many pages of conversations were asked for below the first."""
        return sum(asked.startswith("conversations ") for asked in self.requests)


class WaitingElsewhere(Waiting):
    """The same customers on a server that has only the filters of `/v1`."""

    def __init__(self, count: int = CONVERSATIONS) -> None:
        super().__init__(count)
        self.state = ServerState("https://elsewhere.example.com", lambda: NOW)

    @property
    def server(self) -> Server:
        return self.state.server()

    async def conversation_page(
        self, filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        extensions = dict.fromkeys(EXTENSIONS & filter.parameters().keys())
        self.state.lacks_extensions(extensions)
        known = filter.model_copy(update=extensions)
        page = await super().conversation_page(known, limit=limit, cursor=cursor)
        # As the client does, which applies them to what comes.
        matching = {row.id for row in self.listed(filter)}
        data = tuple(row for row in page.data if row.id in matching)
        return page.model_copy(update={"data": data})


def _count_set(count: int) -> dict[str, int]:
    return {"all": count, "mine": 0, "unassigned": 0, "assigned": 0}


def viewer_of(inbox: Inbox, cache: Cache) -> FrontdeskApp:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    return FrontdeskApp(mailbox, title="elsewhere", clock=Clock(NOW.tzinfo, lambda: NOW))


async def pages_come(pilot: Pilot[Any], inbox: Waiting, count: int) -> None:
    """Let so many held pages come, and hold those after them."""
    for _ in range(count):
        await idle_until(pilot, lambda: inbox.held > 0)
        asked = inbox.further_pages()
        gate, inbox.gate = inbox.gate, asyncio.Event()
        assert gate is not None
        gate.set()
        await idle_until(pilot, lambda asked=asked: inbox.further_pages() > asked)
    await pilot.pause()


class SlowThreads(WaitingElsewhere):
    """The same, which sends messages only when `ready`."""

    ready: Callable[[], bool] = staticmethod(lambda: True)

    async def message_page(
        self, conversation_id: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Message]:
        for _ in iter(self.ready, True):
            await asyncio.sleep(0)
        return await super().message_page(conversation_id, limit=limit, cursor=cursor)


async def test_a_refresh_shows_what_came_although_a_prefetch_beside_it_is_cancelled(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The rows that came are still being sorted when the thread of the next one is prefetched.
    monkeypatch.setattr(scanning, "SCAN_PAUSE_SECONDS", 0.05)
    inbox = SlowThreads(120)
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "G")
        await idle_until(pilot, lambda: len(queue_names(app)) == 120)
        await press(pilot, "S", "w")
        inbox.bump("2", waiting_since=at(2))
        inbox.bump("1001", waiting_since=at(5))
        inbox.ready = lambda: cache.value(CONVERSATION, "1001", Conversation) is not None
        await press(pilot, "ctrl+r")
        assert "1001" in queue_names(app)
        assert len(queue_names(app)) == 121


async def test_a_database_on_this_machine_is_not_rate_limited_for_its_own_viewer(
    sample_file: Path, tmp_path: Path
) -> None:
    # The service has the time of today, at which some that are snoozed are open again.
    shutil.copy(sample_file, tmp_path / "inbox.db")
    database = SQLiteDatabase(tmp_path / "inbox.db", durable=False)
    more_than_a_burst = RateLimit().burst + 30
    with ExitStack() as resources:
        resources.callback(database.close)
        client = in_process(database, None, resources)
        for _ in range(more_than_a_burst):
            await client.counts()
        await client.close()
