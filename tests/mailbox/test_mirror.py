"""Filling the cache from the real service: complete after any interruption, no rereads."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ingest.event_helpers import apply, inbound

from frontdesk.cache import Cache
from frontdesk.cache.coverage import LEASE_SECONDS
from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.client import InboxClient
from frontdesk.errors import CacheBusy, Unauthorised, UnusableFile
from frontdesk.ingest.events import Author, NoteUpsert, Person
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.mirror import PASS_SECONDS, Mirror
from frontdesk.mailbox.prefetch import Pace
from frontdesk.mailbox.search import extent_here
from frontdesk.service.api_keys import SCOPES, EphemeralKey, new_ephemeral_key
from frontdesk.service.app import Application, Options, create_app
from frontdesk.service.rate_limit import RateLimit
from frontdesk.settings import KeepRule
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.system.request_priority import in_background
from frontdesk.wire import ConversationFilter, Label

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
ALL = KeepRule("all")
# Messages of each conversation, oldest activity first; a page has 50.
LENGTHS = (1, 120, 3, 50, 2)


class World:
    """A service over a database, as several programs on one computer use it, with a given clock.

    asked: paths of the requests for messages and notes. hold_at: number of the request of those
    that is answered only when it may `go_on`.
    """

    def __init__(self, folder: Path, resources: ExitStack, lengths: tuple[int, ...] = ()) -> None:
        self.folder, self._resources = folder, resources
        self.now = NOW
        self.asked: list[str] = []
        self.statuses: list[int] = []
        self.hold_at = 0
        self.held, self.go_on = asyncio.Event(), asyncio.Event()
        self.failure: Exception | None = None
        self.database = SQLiteDatabase(folder / "inbox.db", create=True, durable=False)
        resources.callback(self.database.close)
        self.lengths = [0] * len(lengths)
        for number, length in enumerate(lengths):
            self.write(number, length)
            names = "106540352242922", person(number), f"note-{number}"
            apply(self.database, NoteUpsert(*names, at(0), "Ring", Author("phone")))
        # A guest has no rate limit.
        self.key, guest = new_ephemeral_key(1)
        self.app = self.serve(guest)
        self._guest = self.key, self.app

    def serve(self, *guests: EphemeralKey, limit: RateLimit | None = None) -> Application:
        options = Options(rate_limit=limit or RateLimit())
        app = create_app(
            self.database,
            ephemeral_keys=guests,
            options=options,
            clock=lambda: int(self.now.timestamp() * 1000),
        )
        self._resources.callback(app.close)
        return app

    def write(self, number: int, count: int = 1) -> None:
        """Messages arrive in a conversation."""
        first = sum(self.lengths) + 1
        self.lengths[number] += count
        seconds = range(first, first + count)
        apply(self.database, *(inbound(at(one), person=person(number)) for one in seconds))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.failure is not None:
            raise self.failure
        if scope["path"].endswith(("/messages", "/notes")):
            self.asked.append(scope["path"])
            if len(self.asked) == self.hold_at:
                self.held.set()
                await self.go_on.wait()

        async def noted(event: Any) -> None:
            if event["type"] == "http.response.start":
                self.statuses.append(event["status"])
            await send(event)

        await self.app(scope, receive, noted)

    async def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)
        await asyncio.sleep(0)

    @asynccontextmanager
    async def program(self, **options: Any) -> AsyncIterator["Program"]:
        """A program that fills the cache; it ends with the block."""
        client = InboxClient(
            "http://localhost",
            self.key,
            app=self,
            sleep=self.sleep,
            clock=lambda: self.now.timestamp(),
            now=lambda: self.now,
        )
        path = self.folder / "pages.db"
        cache = Cache(path, "test", clock=lambda: self.now, **options)
        mailbox = Mailbox(lambda: client, cache, clock=lambda: self.now)
        await mailbox.connect()
        try:
            yield Program(self, mailbox, cache)
        finally:
            await mailbox.close()
            cache.close()

    async def contents(self) -> dict[str, list[tuple[str, str | None]]]:
        """Texts of all messages and notes that the server has, by conversation."""
        key, app = self._guest
        async with InboxClient("http://localhost", key, app=app) as client:
            ids = [one.id async for one in client.conversations()]
            return {
                id: sorted(
                    [(one.id, one.text) async for one in client.messages(id)]
                    + [(one.id, one.text) async for one in client.notes(id)]
                )
                for id in ids
            }


class Program:
    """A viewer or shell on the cache of a world."""

    def __init__(self, world: World, mailbox: Mailbox, cache: Cache) -> None:
        self.world, self.mailbox, self.cache = world, mailbox, cache

    def mirror(self, keep: KeepRule = ALL, **options: Any) -> Mirror:
        pace = Pace(
            0.5,
            lambda: self.mailbox.server,
            lambda: False,
            clock=lambda: self.world.now.timestamp(),
            sleep=self.world.sleep,
        )
        world = self.world
        return Mirror(
            self.mailbox, keep, pace, clock=lambda: world.now, sleep=world.sleep, **options
        )

    def contents(self) -> dict[str, list[tuple[str, str | None]]]:
        """Texts of all messages and notes in the cache, by conversation."""
        rows = self.mailbox.conversations(ConversationFilter())
        return {
            row.id: sorted((entry.id, entry.text) for entry in self.mailbox.thread(row.id))
            for row in rows
        }


def person(number: int) -> Person:
    return Person(phone=f"+1650555{number:04}", wa_id=f"1650555{number:04}")


def at(second: int) -> int:
    return int((NOW - timedelta(days=20)).timestamp() * 1000) + second * 1000


@contextmanager
def new_world(*lengths: int) -> Iterator[World]:
    with ExitStack() as resources:
        folder = resources.enter_context(tempfile.TemporaryDirectory())
        yield World(Path(folder), resources, lengths)


@pytest.fixture
def world() -> Iterator[World]:
    with new_world(*LENGTHS) as world:
        yield world


def pages(length: int) -> int:
    """Requests for a conversation: its pages, and one for its notes."""
    return max(1, -(-length // 50)) + 1


async def end_at(world: World, request: int, *, kill: bool) -> None:
    """Fill the cache until a request is on its way; then the program ends, or is killed."""
    world.hold_at, world.held = len(world.asked) + request, asyncio.Event()
    async with world.program() as program:
        filling = asyncio.create_task(program.mirror().fill())
        held = asyncio.create_task(world.held.wait())
        await asyncio.wait({filling, held}, return_when=asyncio.FIRST_COMPLETED)
        if kill:
            # Nothing more is written, not even the end of the lease.
            program.cache.close()
        filling.cancel()
        with suppress(asyncio.CancelledError, RuntimeError):
            await filling
        held.cancel()
    world.hold_at = 0
    world.now += timedelta(seconds=LEASE_SECONDS if kill else 0)


async def two_at_once(world: World) -> None:
    async with world.program() as one, world.program() as other:
        fills = [program.mirror().fill() for program in (one, other)]
        ends = await asyncio.gather(*fills, return_exceptions=True)
    assert [type(end) for end in ends if isinstance(end, Exception)] == [CacheBusy]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["end", "kill"]), st.integers(1, 14)),
        st.tuples(st.just("news"), st.integers(0, len(LENGTHS) - 1)),
        st.just(("two", 0)),
    ),
    max_size=6,
)


@given(ACTIONS)
@settings(max_examples=10)
def test_after_any_ends_and_any_number_of_fillers_all_is_there_and_hardly_read_twice(
    actions: list[tuple[str, int]],
) -> None:
    async def live(world: World) -> None:
        for action, number in actions:
            if action == "two":
                await two_at_once(world)
            elif action == "news":
                world.write(number)
            else:
                await end_at(world, number, kill=action == "kill")
        async with world.program() as program:
            coverage = await program.mirror().fill()
            assert program.contents() == await world.contents()
        assert (coverage.complete, coverage.known, coverage.whole) == (5, 5, True)
        interruptions = sum(action in ("end", "kill") for action, _ in actions)
        news = sum(action == "news" for action, _ in actions)
        assert len(world.asked) <= sum(map(pages, LENGTHS)) + 3 * interruptions + 2 * news

    with new_world(*LENGTHS) as world:
        asyncio.run(live(world))


def test_a_pass_goes_on_below_the_first_page_of_the_list() -> None:
    async def live(world: World) -> None:
        async with world.program() as program:
            coverage = await program.mirror().fill()
            assert program.contents() == await world.contents()
        assert (coverage.complete, coverage.known, coverage.whole) == (55, 55, True)

    with new_world(*[1] * 55) as world:
        asyncio.run(live(world))


async def test_complete_conversations_are_not_fetched_again(world: World) -> None:
    async with world.program() as program:
        await program.mirror().fill()
        asked = len(world.asked)
        await program.mirror().fill()
        assert len(world.asked) == asked
        world.write(2)
        await program.mirror().fill()
    assert len(world.asked) == asked + 2


async def test_two_messages_of_one_moment_are_both_there(world: World) -> None:
    async with world.program() as program:
        await program.mirror().fill()
        moment = at(sum(world.lengths))
        apply(world.database, inbound(moment, "same-moment", person=person(4)))
        await program.mirror().fill()
        assert program.contents() == await world.contents()


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ("all", "all 5 conversations"),
        ("open", "all 5 open conversations"),
        ("19d", "all 0 conversations of the last 19 days"),
        ("21d", "all 5 conversations of the last 21 days"),
    ],
)
async def test_the_coverage_says_what_is_there(world: World, keep: str, words: str) -> None:
    kept = KeepRule.parse(keep)
    assert kept is not None
    async with world.program() as program:
        assert await program.mailbox.coverage() is None
        assert (await program.mirror(kept).fill()).words == words
        coverage = await program.mailbox.coverage()
    assert coverage is not None
    assert (coverage.filling, coverage.as_of) == (False, NOW)


async def test_while_it_fills_the_coverage_says_how_far_it_is(world: World) -> None:
    await end_at(world, 4, kill=True)
    world.now -= timedelta(seconds=1)
    async with world.program() as program:
        coverage = await program.mailbox.coverage()
        extent = await extent_here(program.mailbox)
    assert coverage is not None
    assert coverage.words == "1 of 5 conversations (filling)"
    assert extent == "1 of 5 conversations (filling) and what was opened here"
    assert not coverage.whole


async def test_a_conversation_that_was_dropped_from_the_cache_does_not_count(world: World) -> None:
    async with world.program() as program:
        await program.mirror().fill()
        await program.cache.forget("2")
        coverage = await program.mailbox.coverage()
        assert coverage is not None
        assert coverage.complete == 4


async def test_conversations_that_do_not_fit_are_not_loaded(world: World) -> None:
    async with world.program(limit_bytes=1_000) as program:
        coverage = await program.mirror().fill()
        assert coverage.words == "0 of 5 conversations (the rest does not fit)"
    assert world.asked == []


async def test_that_the_rest_does_not_fit_is_said_once(world: World) -> None:
    said: list[str] = []
    for _ in range(2):
        async with world.program(limit_bytes=1_000) as program:
            mirror = program.mirror(full=lambda coverage: said.append(coverage.words))
            await mirror.fill()
            await mirror.fill()
    assert said == ["0 of 5 conversations (the rest does not fit)"]


async def test_where_nothing_can_be_saved_nothing_is_loaded(world: World) -> None:
    (world.folder / "pages.db").mkdir()
    async with world.program() as program:
        with pytest.raises(UnusableFile, match="saves nothing on disk"):
            await program.mirror().fill()
    assert world.asked == []


async def test_it_takes_half_of_the_rate_limit_and_is_never_refused(world: World) -> None:
    limit = RateLimit(requests=60, seconds=60, burst=10)
    world.app = limited(world, limit)
    async with world.program() as program:
        await program.mirror().fill()
    minutes = (world.now - NOW) / timedelta(minutes=1)
    assert len(world.asked) == sum(map(pages, LENGTHS))
    assert 429 not in world.statuses
    assert len(world.statuses) <= 30 * minutes + 5


def limited(world: World, limit: RateLimit) -> Application:
    """The service with a key that has a limit, other than that of a guest."""
    order = KeyOrder("default", "x", None, SCOPES, None)
    world.key = str(make_key(world.folder / "inbox.db", order, now=0)["key"])
    return world.serve(limit=limit)


async def test_a_refused_request_is_made_again_by_a_later_pass(world: World) -> None:
    world.app = limited(world, RateLimit(requests=60, seconds=60, burst=4))
    async with InboxClient("http://localhost", world.key, app=world.app) as other:
        for limit in range(1, 5):
            await other.catalogue_page(Label, limit=limit)
    async with world.program() as program:
        mirror = Mirror(
            program.mailbox,
            ALL,
            Pace(1, lambda: None, lambda: False, sleep=world.sleep),
            clock=lambda: world.now,
            sleep=after(world, 40),
        )
        await ended(mirror.run())
        assert program.contents() == await world.contents()
    assert 429 in world.statuses
    assert len(world.asked) == sum(map(pages, LENGTHS))


class EndOfTest(Exception):
    """Ends a mirror that would run for ever."""


def after(world: World, pauses: int) -> Callable[[float], Awaitable[None]]:
    """Sleep as the world does, but only so often."""
    left = [pauses]

    async def sleep(seconds: float) -> None:
        left[0] -= 1
        if not left[0]:
            raise EndOfTest
        await world.sleep(seconds)

    return sleep


async def ended(running: Awaitable[None]) -> None:
    with pytest.raises(EndOfTest):
        await running


async def test_the_next_pass_goes_on_when_the_server_is_back(
    world: World,
) -> None:
    world.failure = OSError("gone")
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            world.failure = None
        if len(pauses) == 3:
            raise EndOfTest
        await world.sleep(seconds)

    async with world.program() as program:
        mirror = Mirror(
            program.mailbox, ALL, program.mailbox.pace(1), clock=lambda: world.now, sleep=sleep
        )
        await ended(mirror.run())
        assert pauses == [PASS_SECONDS] * 3
        assert program.contents() == await world.contents()


async def test_a_revoked_key_ends_it_and_what_was_loaded_stays(world: World) -> None:
    await end_at(world, 4, kill=False)
    world.key = "fd_live_revoked"
    async with world.program() as program:
        with pytest.raises(Unauthorised):
            await program.mirror().fill()
        await program.mirror().run()
        coverage = await program.mailbox.coverage()
        assert coverage is not None
        assert coverage.complete == 1


async def test_a_request_of_the_foreground_goes_first(world: World) -> None:
    answered: list[bool] = []

    def busy() -> bool:
        answered.append(bool(world.statuses))
        return False

    async with world.program() as program:
        world.hold_at = 1
        opening = asyncio.create_task(program.mailbox.refresh_thread("1"))
        await world.held.wait()
        with in_background(program.mailbox.pace(1, busy).rest):
            ahead = asyncio.create_task(program.mailbox.refresh_thread("2"))
        await asyncio.sleep(0)
        world.go_on.set()
        await asyncio.gather(opening, ahead)
    assert answered == [True]
