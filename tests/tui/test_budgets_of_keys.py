"""The cost of a key does not depend on the number of conversations."""

import asyncio
import gc
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.strip import Strip

from frontdesk.cache import Cache
from frontdesk.cache.cache import CacheFile
from frontdesk.cache.listing import Listing
from frontdesk.client import InboxClient
from frontdesk.errors import Unreachable
from frontdesk.inbox import selecting
from frontdesk.mailbox import Mailbox
from frontdesk.tui.app import FrontdeskApp
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.inbox.thread_view import SEARCH
from frontdesk.tui.widgets import line_widget
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.message_list import Thread
from frontdesk.tui.widgets.virtual_list import RowSearch
from frontdesk.wire import Conversation
from tests.bench import warm_cache
from tests.conftest import NOW
from tests.tui.conftest import frame_shown, notifications, settle
from tests.tui.faulty_sources import Failing

FEW, MANY = 1_000, 10_000
SIZE = (120, 40)
ORIGIN = "budgets"
# What the counted directory of a list costs once it has all of its levels, in steps of SQLite's
# machine. To look at every row of the longer list would take five times as many.
DIRECTORY = 10_000
# A clock may have the screen drawn once or twice more: of each row in view it is asked whether it
# is unread.
REPAINTS = 2 * SIZE[1] // 2
# So many are counted at a time.
STEPS_AT_A_TIME = 20


@dataclass
class Work:
    """What was done since it was last forgotten.

    steps: of SQLite's machine; painted: rows of frames, drawn or not; strips: built.
    """

    statements: int = 0
    steps: int = 0
    painted: int = 0
    drawn: int = 0
    strips: int = 0

    def forget(self) -> None:
        self.statements = self.steps = self.painted = self.drawn = self.strips = 0

    def watch(self, connection: sqlite3.Connection) -> None:
        """Count what is asked of a connection."""

        def said(statement: str) -> None:
            self.statements += 1

        def stepped() -> int:
            self.steps += STEPS_AT_A_TIME
            return 0

        connection.set_trace_callback(said)
        connection.set_progress_handler(stepped, STEPS_AT_A_TIME)


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warm cache of few conversations, with as many messages in the newest one's thread."""
    return warm(tmp_path_factory, FEW, FEW)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warm cache of many conversations."""
    return warm(tmp_path_factory, MANY, FEW)


@pytest.fixture(scope="module")
def long_thread(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warm cache of few conversations, the newest with many messages."""
    return warm(tmp_path_factory, FEW, MANY)


def warm(factory: pytest.TempPathFactory, conversations: int, messages: int) -> Path:
    path = factory.mktemp("budgets") / f"{conversations}-{messages}.db"
    asyncio.run(warm_cache.make(path, conversations, ORIGIN, messages))
    return path


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    """Counts what every cache and every list does from now on."""
    counted = Work()
    for method in ("_on_disk", "_transact"):
        monkeypatch.setattr(CacheFile, method, _watched(getattr(CacheFile, method), counted))
    for kind in (ConversationList, Thread):
        monkeypatch.setattr(kind, "draw", _counting_rows(kind.draw, counted))
        monkeypatch.setattr(kind, "begin", _counting_painted(kind.begin, counted))
    monkeypatch.setattr(line_widget, "Strip", _counting_strips(counted))
    # What follows a rest of the cursor is counted where it is meant.
    monkeypatch.setattr(selecting, "PREVIEW_SECONDS", 1_000.0)
    return counted


def _watched(method: Callable[..., Any], counted: Work) -> Callable[..., Any]:
    def watched(self: CacheFile, *arguments: Any) -> Any:
        outcome = method(self, *arguments)
        for connection in (getattr(self, "_connection", None), outcome):
            one = connection[1] if isinstance(connection, tuple) else connection
            if isinstance(one, sqlite3.Connection):
                counted.watch(one)
        return outcome

    return watched


def _counting_rows(draw: Callable[..., Any], counted: Work) -> Callable[..., Any]:
    def drawn(self: Any, position: int, width: int) -> Any:
        counted.drawn += 1
        return draw(self, position, width)

    return drawn


def _counting_painted(begin: Callable[..., Any], counted: Work) -> Callable[..., Any]:
    def begun(self: Any, positions: Sequence[int]) -> None:
        counted.painted += len(positions)
        begin(self, positions)

    return begun


def _counting_strips(counted: Work) -> Callable[..., Strip]:
    def built(*arguments: Any) -> Strip:
        counted.strips += 1
        return Strip(*arguments)

    return built


@contextmanager
def opened(path: Path, source: object) -> Iterator[FrontdeskApp]:
    """The viewer on a copy of a cache, with the reader at the newest conversation."""

    def connect() -> InboxClient:
        return source  # type: ignore[return-value]

    with TemporaryDirectory() as directory:
        copy = Path(directory, path.name)
        shutil.copyfile(path, copy)
        cache = Cache(copy, ORIGIN, limit_bytes=warm_cache.LIMIT_BYTES, check_after_seconds=1_000)
        cache.set_setting("inbox.conversation", warm_cache.NEWEST_ID)
        mailbox = Mailbox(connect, cache, clock=lambda: NOW)
        yield FrontdeskApp(mailbox, title="budgets", clock=Clock(UTC, lambda: NOW))
        cache.close()


def offline() -> Failing:
    return Failing(Unreachable("Nobody is there"))


async def work_of(pilot: Pilot[Any], work: Work, keys: str) -> Work:
    """What the last of some keys does, pressed in the list and at its first row."""
    await pilot.press("escape", "escape", "2", "g")
    await settle(pilot)
    *before, last = keys.split()
    for key in before:
        await pilot.press(key)
        await settle(pilot)
    # What is drawn ahead is drawn after the frame.
    await frame_shown(pilot)
    work.forget()
    await pilot.press(last)
    await settle(pilot)
    await frame_shown(pilot)
    return replace(work)


async def compare(small: Path, large: Path, work: Work, every: Sequence[str]) -> None:
    """Check that keys do as much in a large inbox as in a small one."""
    done = []
    for path in (small, large):
        with opened(path, offline()) as app:
            async with app.run_test(size=SIZE) as pilot:
                await settle(pilot)
                done.append([await work_of(pilot, work, keys) for keys in every])
    for keys, little, much in zip(every, *done, strict=True):
        assert much.statements <= little.statements + REPAINTS, keys
        assert much.steps <= 1.3 * little.steps + DIRECTORY, keys
        # What was drawn before may be kept of the one and not of the other.
        assert much.drawn <= little.drawn + SIZE[1] // 2, keys
        assert much.strips <= little.strips + SIZE[1], keys


KEYS = (
    *("j", "pagedown", "G", "G k", "G g", "j enter", "] [", "f c", "s f a c"),
    *("slash C u s enter", "ctrl+k", "u", "t"),
)


@pytest.mark.slow
async def test_a_key_does_as_much_beside_many_conversations_as_beside_few(
    few: Path, many: Path, work: Work
) -> None:
    await compare(few, many, work, KEYS)


async def test_a_start_does_as_much_on_many_conversations_as_on_few(
    few: Path, many: Path, work: Work
) -> None:
    done = []
    for path in (few, many):
        with opened(path, offline()) as app:
            work.forget()
            async with app.run_test(size=SIZE) as pilot:
                await settle(pilot)
                # What is drawn ahead is drawn after the frame.
                await frame_shown(pilot)
                done.append(replace(work))
    little, much = done
    assert much.statements <= little.statements + REPAINTS
    assert much.steps <= 1.3 * little.steps + DIRECTORY
    assert much.drawn == little.drawn


async def test_moving_on_paints_two_rows_and_two_ahead_and_asks_once_who_is_unread(
    few: Path, work: Work
) -> None:
    with opened(few, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            # The first move of a series shows the thread at once, and draws two rows ahead.
            done = await work_of(pilot, work, "j j")
    # The row that the cursor left, the one that it came to, and two for the keys to come.
    assert done.painted == 4
    assert done.drawn <= 2
    assert done.strips <= 8
    assert done.statements <= 1


async def test_a_page_draws_each_row_that_comes_into_view_once(few: Path, work: Work) -> None:
    with opened(few, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            done = await work_of(pilot, work, "j pagedown")
    rows_in_view = SIZE[1] // 2
    assert 0 < done.drawn <= done.painted <= rows_in_view + 2
    assert done.strips <= SIZE[1]
    # Who is unread, and a block of rows ahead.
    assert done.statements <= 2


@pytest.mark.slow
async def test_an_order_that_is_made_here_holds_the_rows_in_view_and_not_all_as_objects(
    few: Path,
) -> None:
    with opened(few, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            before = _conversations_held()
            await pilot.press("F", "ctrl+u", *"is:open sort:oldest", "enter")
            await settle(pilot)
            queue = _screen(app).queue
            assert queue.inbox.view.complete
            assert len(queue.list.rows or ()) == FEW
            assert _conversations_held() - before < FEW // 2


def _conversations_held() -> int:
    gc.collect()
    return sum(type(one) is Conversation for one in gc.get_objects())


async def test_a_key_does_as_much_in_a_long_thread_as_in_a_short_one(
    few: Path, long_thread: Path, work: Work
) -> None:
    keys = ("3 k", "3 pageup", "3 G", "3 left_square_bracket", "3 y")
    await compare(few, long_thread, work, keys)


@pytest.mark.parametrize("what", ["fetch_older", "fetch"])
async def test_messages_come_to_a_long_thread_at_the_cost_of_a_short_one(
    few: Path, long_thread: Path, work: Work, what: str
) -> None:
    done = []
    for path in (few, long_thread):
        archive = warm_cache.Archive(FEW, 50)
        with opened(path, archive) as app:
            async with app.run_test(size=SIZE) as pilot:
                await settle(pilot)
                reading = _screen(app).thread
                archive.arrived += 1
                work.forget()
                await getattr(reading, what)()
                await settle(pilot)
                # What is drawn ahead is drawn after the frame.
                await frame_shown(pilot)
                done.append(replace(work))
    short, long = done
    assert short.statements > 50
    assert long.statements <= short.statements + REPAINTS
    assert long.steps <= 1.3 * short.steps + DIRECTORY
    assert long.drawn <= short.drawn + 2


async def test_keys_are_answered_while_words_are_looked_for_and_escape_stops_that(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a list that is longer than anybody's patience.
    monkeypatch.setattr(RowSearch, "run", lambda search, most: True)
    with opened(many, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            screen = _screen(app)
            await pilot.press("slash", *"xyzzy", "enter")
            await pilot.press("j", "j")
            looking = [worker for worker in app.workers if worker.group == "search"]
            assert screen.queue.list.cursor == 2
            assert not looking[-1].is_finished
            await pilot.press("escape")
            await settle(pilot)
            assert looking[-1].is_cancelled
            assert not [words for words in notifications(app) if "No match" in words]


async def test_words_are_found_far_down_and_said_to_be_nowhere_only_after_a_look_everywhere(
    many: Path,
) -> None:
    with opened(many, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            screen = _screen(app)
            await pilot.press("slash", *"0003210", "enter")
            await settle(pilot)
            assert screen.queue.list.cursor == 3_210
            await pilot.press("N")
            await settle(pilot)
            assert screen.queue.list.cursor == 3_210


@pytest.mark.parametrize("keys", ["W", "E enter"])
async def test_what_looks_at_many_rows_reads_a_few_in_each_turn_of_the_loop(
    few: Path, keys: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    read, turns = 0, [0]
    get = Listing.__getitem__

    def counted(listing: Listing[Any], position: int) -> Any:
        nonlocal read
        read += 1
        turns[-1] += 1
        return get(listing, position)

    async def beat() -> None:
        while True:
            await asyncio.sleep(0)
            turns.append(0)

    with opened(few, offline()) as app:
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            *before, last = keys.split()
            await pilot.press(*before)
            await settle(pilot)
            monkeypatch.setattr(Listing, "__getitem__", counted)
            beats = asyncio.create_task(beat())
            await pilot.press(last)
            groups = (SEARCH, "alarm")
            await asyncio.gather(*(one.wait() for one in app.workers if one.group in groups))
            beats.cancel()
    assert read >= FEW
    # A frame reads the rows in view several times.
    assert max(turns) <= 5 * SIZE[1]


def _screen(app: FrontdeskApp) -> InboxScreen:
    assert isinstance(app.screen, InboxScreen)
    return app.screen
