"""Orders and filters of the viewer itself: progress, and completeness at the end.

The server has 260 open conversations; the longer a customer waits, the further down they are.
"""

import asyncio
import re
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot

from frontdesk.cache import CONVERSATION, Cache
from frontdesk.cli.target import in_process
from frontdesk.client.server_info import Server, ServerState
from frontdesk.errors import BadResponse, InboxError, Unauthorised, Unreachable
from frontdesk.inbox import scanning
from frontdesk.inbox import view as inbox_view
from frontdesk.inbox.requests import Kind
from frontdesk.mailbox import Mailbox
from frontdesk.service.rate_limit import RateLimit
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.wire import (
    Contact,
    Conversation,
    ConversationFilter,
    Counts,
    Message,
    Page,
    PhoneRef,
)
from frontdesk.wire.queries import EXTENSIONS
from tests.conftest import NOW
from tests.mailbox.inbox import Inbox, at
from tests.tui.conftest import idle_until, lines, notifications, settle, shown, until
from tests.tui.inbox_state import open_conversation, queue, queue_names, screen_of
from tests.tui.views import press
from tests.workers import all_ended

CONVERSATIONS = 260
# Their ids are numbered from the oldest activity: nobody waits longer than the first.
LONGEST = "1"
QUEUE_PAGES = 6


class Waiting(Inbox):
    """A server with customers who wait. `outcomes`: what its next further pages end with.

    gate: closed, no further page comes. held: how many wait at it. rests: what fails too, from
    such an error on.
    """

    def __init__(self, count: int = CONVERSATIONS) -> None:
        super().__init__()
        self.outcomes: list[InboxError | None] = []
        self.gate: asyncio.Event | None = None
        self.held = 0
        self.rests: tuple[str, ...] = ()
        for number in range(1, count + 1):
            unread = 1 if number % 50 == 0 else 0
            self.bump(str(number), waiting_since=at(number), unread_count=unread)

    def ask(self, what: str, cursor: str | None) -> None:
        super().ask(what, cursor)
        if what == "conversations" and cursor is not None and self.outcomes:
            outcome = self.outcomes.pop(0)
            if outcome is not None:
                self.failures = dict.fromkeys(self.rests, outcome)
                raise outcome

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

    async def counts(self, filter: ConversationFilter | None = None) -> Counts:
        self.ask("counts", None)
        sets = {status: _count_set(0) for status in ("snoozed", "resolved")}
        by_status = {"open": _count_set(len(self.conversations)), **sets}
        return Counts.model_validate({"all": len(self.conversations), "by_status": by_status})

    async def contact_page(
        self, q: str | None = None, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Contact]:
        wanted = (q or "").lstrip("+")
        found = [row.contact for row in self.conversations.values()]
        data = [
            Contact(id=one.id, name=one.name, phone=one.phone)
            for one in found
            if wanted in (one.phone or "")
        ]
        return Page[Contact](data=tuple(data[:limit]), next_cursor=None, has_more=False)

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


async def test_the_longest_wait_of_the_whole_filter_is_at_the_top_and_open(cache: Cache) -> None:
    app = viewer_of(WaitingElsewhere(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "j", "j", "S", "w")
        assert queue_names(app)[0] == LONGEST
        assert len(queue(app)) == CONVERSATIONS
        assert open_conversation(app).id == LONGEST
        assert lines(app)[-1].endswith(f"{CONVERSATIONS} loaded")


async def test_the_next_start_in_an_order_of_this_computer_is_at_its_top(cache: Cache) -> None:
    app = viewer_of(inbox := WaitingElsewhere(600), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "S", "o")
        await press(pilot, "enter")
        assert open_conversation(app).id == LONGEST
    again = viewer_of(inbox, cache)
    async with again.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert len(queue(again)) == 600
        assert screen_of(again).queue.list.cursor == 0
        assert open_conversation(again).id == LONGEST


async def test_while_rows_are_missing_it_is_said_how_many_are_sorted(cache: Cache) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await pilot.press("S", "w")
        await idle_until(pilot, lambda: "sorting" in lines(app)[-1])
        held = len(queue(app))
        assert f"sorting {held} of {CONVERSATIONS}…" in lines(app)[-1]
        await pages_come(pilot, inbox, 1)
        await idle_until(pilot, lambda: f"sorting {held + 50} of 260…" in lines(app)[-1])
        assert screen_of(app).queue.list.cursor == 0
        inbox.gate.set()
        await settle(pilot)
        assert "sorting" not in lines(app)[-1]


async def test_a_reader_who_went_down_the_list_stays_on_their_row_while_others_come(
    cache: Cache,
) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await pilot.press("S", "w")
        await idle_until(pilot, lambda: "sorting" in lines(app)[-1])
        await pilot.press("j")
        here = queue_names(app)[1]
        inbox.gate.set()
        await settle(pilot)
        await press(pilot, "enter")
        assert open_conversation(app).id == here


@pytest.mark.parametrize("keys", [("S", "w"), ("f", "u")], ids=["order", "filter"])
async def test_escape_stops_and_last_goes_on_where_it_was(
    keys: tuple[str, ...], cache: Cache
) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await pilot.press(*keys)
        await idle_until(pilot, lambda: Kind.SCAN in screen_of(app).inbox.tasks)
        await pages_come(pilot, inbox, 2)
        found = set(queue_names(app))
        await pilot.press("escape")
        await settle(pilot)
        assert "G: keep looking" in lines(app)[-1]
        assert "…" not in lines(app)[-1]
        assert found <= set(queue_names(app))
        await press(pilot, "ctrl+r")
        assert "G: keep looking" in lines(app)[-1]
        inbox.gate.set()
        inbox.gate = None
        inbox.requests.clear()
        await press(pilot, "G")
        assert re.search("shown of 260 read|260 loaded", lines(app)[-1])
        assert inbox.further_pages() <= QUEUE_PAGES - 3


async def test_last_goes_on_where_nothing_was_found_yet(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox_view, "MOST_ROWS_SCANNED", 100)
    inbox = Waiting()
    inbox.conversations["3"] = inbox.conversations["3"].model_copy(
        update={"contact": PhoneRef(id="3", name="Zoë Ruiz", phone="+16505550003")}
    )
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "f", "t", *"ruiz", "enter")
        assert queue(app) == []
        looked_at = re.search(r"No match in the first (\d+) of 260", shown(app))
        assert looked_at
        assert 100 <= int(looked_at[1]) < 250
        await press(pilot, "G", "G")
        assert queue_names(app) == ["3"]
        assert open_conversation(app).id == "3"


PAUSE = Unreachable("The server asks for a pause", retry_after=30.0)
AWAY = Unreachable("The server does not answer")
GARBLED = BadResponse("The server sent a web page")


@pytest.mark.parametrize("error", [PAUSE, AWAY], ids=["pause", "away"])
async def test_an_interrupted_local_filter_keeps_its_rows_and_resumes_by_itself(
    error: InboxError, cache: Cache
) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.outcomes, inbox.rests = [None, error], ("conversations", "counts", "messages")
        await press(pilot, "f", "u")
        found = queue_names(app)
        assert found[0] == "250"
        assert "retrying in" in lines(app)[-1]
        assert re.search(rf"~{len(found)} found in \d+ of 260, paused", lines(app)[-1])
        await press(pilot, "ctrl+r", "ctrl+r")
        assert queue_names(app) == found
        asked = inbox.further_pages()
        # The next answer of the server, whoever asked for it, sets it going again.
        inbox.failures = {}
        await press(pilot, "ctrl+r")
        assert queue_names(app) == ["250", "200", "150", "100", "50"]
        assert "shown of 260 read" in lines(app)[-1]
        assert inbox.further_pages() - asked <= QUEUE_PAGES - 2


async def test_with_a_refused_key_nobody_is_told_to_keep_looking(cache: Cache) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.outcomes = [None, Unauthorised("The server refused the key")]
        await press(pilot, "f", "u")
        assert "The server refused the key" in lines(app)[-1]
        words = screen_of(app).queue.loaded_words()
        assert re.fullmatch(r"~\d+ found in \d+ of 260, paused", words)
        assert "keep looking" not in shown(app)


@settings(
    max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    outcomes=st.lists(st.sampled_from([None, None, PAUSE, AWAY, GARBLED]), max_size=8),
    keys=st.lists(
        st.sampled_from(["ctrl+r", "G", "j", "escape", "u", "arrival", "bump"]), max_size=6
    ),
    asked=st.sampled_from([("S", "w"), ("f", "u"), ("f", "t", "h", "i", "enter")]),
)
async def test_nothing_that_was_found_is_lost_whatever_the_server_answers(
    outcomes: list[InboxError | None],
    keys: list[str],
    asked: tuple[str, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    inbox = WaitingElsewhere(120)
    cache = Cache(tmp_path_factory.mktemp("cache") / "pages.db", "test")
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.outcomes = list(outcomes)
        await press(pilot, *asked)
        found: set[str] = set(queue_names(app))
        for number, key in enumerate(keys):
            if key == "arrival":
                inbox.bump(str(1000 + number), waiting_since=at(5), unread_count=1)
            elif key == "bump":
                inbox.bump("60", waiting_since=at(6), unread_count=1)
            else:
                await press(pilot, key)
            now = set(queue_names(app))
            assert found <= now or key == "ctrl+r"
            assert len(queue_names(app)) == len(now)
            found = now
        inbox.outcomes = []
        await press(pilot, "ctrl+r", "G")
        assert re.search("shown of|loaded", lines(app)[-1])
        assert not re.search("~|…|keep looking", lines(app)[-1])
        if asked == ("S", "w"):
            assert len(queue(app)) == len(inbox.conversations)
            waits = [row.waiting_since or "" for row in queue(app)]
            assert waits == sorted(waits)
    cache.close()


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
        await press(pilot, "S", "w")
        inbox.bump("2", waiting_since=at(2))
        inbox.bump("1001", waiting_since=at(5))
        inbox.ready = lambda: cache.value(CONVERSATION, "1001", Conversation) is not None
        await press(pilot, "ctrl+r")
        assert "1001" in queue_names(app)
        assert lines(app)[-1].endswith("121 loaded")


async def test_without_a_server_all_that_is_held_is_sorted(cache: Cache) -> None:
    inbox = Waiting(900)
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    await mailbox.connect()
    chosen = ConversationFilter(status="open")
    for _ in range(14):
        await mailbox.older_conversations(chosen)
    held = len(mailbox.conversations(chosen))
    assert held == 700
    inbox.failures = {what: AWAY for what in ("conversations", "counts", "messages")}
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "S", "w")
        assert len(queue(app)) == held
        assert queue_names(app)[0] == str(900 - held + 1)
        assert "~sorted 700" in lines(app)[-1]
        assert "offline" in lines(app)[-1]


async def test_the_longest_wait_of_a_part_of_the_rows_is_called_so(cache: Cache) -> None:
    app = viewer_of(WaitingElsewhere(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, "W")
        assert re.search(
            r"of the first \d+ rows. S: sort all of them", " ".join(notifications(app))
        )
        app.clear_notifications()
        await press(pilot, "S", "w", "W")
        assert not notifications(app)


async def test_the_longest_wait_is_not_that_of_an_earlier_start(cache: Cache) -> None:
    inbox, earlier, may_connect = Waiting(), Waiting(), Event()
    for number in range(1, 241):
        del earlier.conversations[str(number)]
    mailbox = Mailbox(lambda: earlier, cache, clock=lambda: NOW)
    await mailbox.connect()
    await mailbox.refresh_conversations(ConversationFilter(status="open"))

    def connect() -> Inbox:
        may_connect.wait()
        return inbox

    mailbox = Mailbox(connect, cache, clock=lambda: NOW)
    app = FrontdeskApp(mailbox, title="elsewhere", clock=Clock(NOW.tzinfo, lambda: NOW))
    async with app.run_test(size=(120, 40)) as pilot:
        await idle_until(pilot, lambda: len(queue_names(app)) == 20)
        await pilot.press("W")
        await pilot.pause()
        may_connect.set()
        await until(pilot, lambda: open_conversation(app).id == LONGEST)


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


# A customer's conversations


async def found_by_number(pilot: Pilot[Any], number: str) -> None:
    await pilot.press("ctrl+k")
    await pilot.pause()
    await pilot.press(*number)
    await all_ended(pilot.app)
    await pilot.press("enter")


async def test_a_customer_found_by_number_leads_to_conversations_never_seen_here(
    cache: Cache,
) -> None:
    inbox = Waiting()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert LONGEST not in queue_names(app)
        inbox.gate = asyncio.Event()
        await found_by_number(pilot, "5550001")
        await idle_until(pilot, lambda: queue_names(app) == [LONGEST])
        assert open_conversation(app).id == LONGEST
        assert 'from:"Sheena Nelson"' in lines(app)[0]


async def test_a_server_without_the_filter_is_looked_through(cache: Cache) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await found_by_number(pilot, "5550001")
        await idle_until(pilot, lambda: "No match in the first 50 of 260" in shown(app))
        assert "loading…" in lines(app)[-1]
        inbox.gate.set()
        await settle(pilot)
        assert queue_names(app) == [LONGEST]
        assert open_conversation(app).id == LONGEST
        assert lines(app)[-1].endswith("1 shown of 260 read")


async def test_looking_for_a_customers_conversations_is_stopped_by_escape(cache: Cache) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await found_by_number(pilot, "5550001")
        await idle_until(pilot, lambda: "loading…" in lines(app)[-1])
        await pilot.press("escape")
        await idle_until(pilot, lambda: "loading…" not in lines(app)[-1])
        assert "No match in the first 50 of 260" in shown(app)
        assert "G: keep looking" in lines(app)[-1]
        inbox.gate.set()
        await press(pilot, "G")
        assert queue_names(app) == [LONGEST]


async def test_a_customer_who_was_seen_is_there_at_once_within_the_other_filters(
    cache: Cache,
) -> None:
    inbox = WaitingElsewhere()
    app = viewer_of(inbox, cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        inbox.gate = asyncio.Event()
        await found_by_number(pilot, "5550255")
        await idle_until(pilot, lambda: "loading…" in lines(app)[-1])
        assert queue_names(app) == ["255"]
        inbox.gate.set()
        await press(pilot, "f", "r")
        assert queue(app) == []


async def test_the_way_back_leads_to_the_selected_row_wherever_it_was_found(cache: Cache) -> None:
    app = viewer_of(WaitingElsewhere(), cache)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        # Who waits long is far down the server's list.
        await press(pilot, "S", "w", "j", "j")
        left = open_conversation(app).id
        await press(pilot, "S", "n", "g")
        assert open_conversation(app).id != left
        await pilot.press("H")
        assert screen_of(app).selected_id == left
        await settle(pilot)
        assert open_conversation(app).id == left
        assert len(queue(app)) == CONVERSATIONS
