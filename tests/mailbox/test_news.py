"""News of an inbox: held requests, pages, failures, and servers that do not say what changed."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from frontdesk.client import InboxClient, ReceivedChanges
from frontdesk.errors import NotOffered, Unauthorised, Unreachable
from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import Author, MessageUpsert, Person
from frontdesk.mailbox.news import ChangeFeed, News
from frontdesk.store.sqlite import SQLiteDatabase
from frontdesk.wire import Changes, Conversation


def page(next: str, *, has_more: bool = False, gone: Sequence[str] = ()) -> Changes:
    return Changes(data=(), gone=tuple(gone), next=next, has_more=has_more)


class Script:
    """A server of prepared answers, with what it is asked for and how long is waited between."""

    def __init__(self, *answers: Exception | ReceivedChanges) -> None:
        self._answers = iter(answers)
        self.log: list[object] = []

    async def changes(self, after: str | None, *, wait_seconds: int = 0) -> ReceivedChanges:
        self.log.append((after, wait_seconds))
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.log.append(seconds)

    def feed(self, position: str | None = None, **options: Any) -> ChangeFeed:
        return ChangeFeed(self, position, sleep=self.sleep, **options)  # type: ignore[arg-type]


def held(next: str, **members: Any) -> ReceivedChanges:
    return ReceivedChanges(page(next, **members), True)


def at_once(next: str, **members: Any) -> ReceivedChanges:
    return ReceivedChanges(page(next, **members), False)


async def test_the_first_answer_is_the_position_of_now_and_the_next_ones_are_waited_for() -> None:
    script = Script(at_once("a-1"), held("a-2", gone=["7"]), held("a-2"), held("a-3"))
    feed = script.feed()
    for position in ("a-1", "a-2", "a-2", "a-3"):
        assert (await feed.next()).next == feed.position == position
    assert script.log == [(None, 0), ("a-1", 50), 0.75, ("a-2", 50), 0.75, ("a-2", 50)]


async def test_the_rest_of_many_changes_is_not_waited_for() -> None:
    script = Script(at_once("a-5-9", has_more=True), at_once("a-6-2", has_more=True), held("a-9"))
    feed = script.feed("a-1")
    assert [(await feed.next()).next for _ in range(3)] == ["a-5-9", "a-6-2", "a-9"]
    assert script.log == [("a-1", 50), ("a-5-9", 0), ("a-6-2", 0)]


async def test_who_does_not_wait_gets_what_there_is() -> None:
    script = Script(at_once("a-1"))
    assert (await script.feed("a-1").next(waits=False)).next == "a-1"
    assert script.log == [("a-1", 0)]


async def test_a_server_that_holds_nothing_is_asked_every_half_minute() -> None:
    script = Script(at_once("a-1"), at_once("a-2", gone=["7"]), at_once("a-2"))
    feed = script.feed("a-1")
    for _ in range(3):
        await feed.next()
    assert script.log == [("a-1", 50), 30.0, ("a-1", 50), 30.0, ("a-2", 50)]


AWAY = Unreachable("away")


async def waits_of(*answers: Exception | ReceivedChanges) -> list[object]:
    """The waits that a feed asks for, failures included."""
    script = Script(*answers)
    feed = script.feed("a-1", spacing_seconds=0)
    for answer in answers:
        before = feed.position
        if isinstance(answer, Exception):
            with pytest.raises(type(answer)):
                await feed.next()
            assert feed.position == before
        else:
            await feed.next()
    return [entry[1] for entry in script.log if isinstance(entry, tuple)]


async def test_after_a_failure_the_position_is_what_it_was_and_one_wait_is_shorter() -> None:
    assert await waits_of(held("a-1"), AWAY, held("a-2"), held("a-2")) == [50, 50, 25, 50]
    assert await waits_of(AWAY, AWAY, AWAY, held("a-1"), held("a-1")) == [50, 25, 25, 25, 50]


async def test_behind_a_proxy_that_cuts_long_waits_off_all_are_shorter() -> None:
    quiet = held("a-1")
    assert await waits_of(AWAY, quiet, AWAY, quiet, quiet) == [50, 25, 50, 25, 25]
    # News come before anything is cut off, and prove nothing.
    news = (AWAY, quiet, held("a-2"), AWAY, held("a-2"), held("a-2"))
    assert await waits_of(*news) == [50, 25, 50, 50, 25, 25]
    # A long wait without news does.
    restarts = (AWAY, quiet, quiet, AWAY, quiet, quiet)
    assert await waits_of(*restarts) == [50, 25, 50, 50, 25, 50]


async def test_a_pause_that_the_server_asks_for_says_nothing_about_waits() -> None:
    busy = Unreachable("Too many requests", retry_after=3)
    assert await waits_of(busy, busy, busy, held("a-1")) == [50, 50, 50, 50]


async def test_a_computer_that_was_asleep_asks_anew() -> None:
    asked: list[asyncio.Future[ReceivedChanges]] = []
    watched, passed = asyncio.Event(), asyncio.Event()
    now = datetime(2026, 3, 14, tzinfo=UTC)

    class Silent:
        async def changes(self, after: str | None, *, wait_seconds: int = 0) -> ReceivedChanges:
            asked.append(asyncio.get_running_loop().create_future())
            return await asked[-1]

    async def tick(seconds: float) -> None:
        watched.set()
        await passed.wait()
        passed.clear()

    async def goes_by(time: timedelta) -> None:
        nonlocal now
        await watched.wait()
        watched.clear()
        now += time
        passed.set()
        await watched.wait()

    feed = ChangeFeed(Silent(), "a-1", tick=tick, now=lambda: now)  # type: ignore[arg-type]
    request = asyncio.create_task(feed.next())
    for _ in range(20):
        await goes_by(timedelta(seconds=5))
    assert len(asked) == 1
    for jump in (timedelta(hours=8), -timedelta(hours=1)):
        await goes_by(jump)
        assert asked[-2].cancelled()
    asked[-1].set_result(held("a-2"))
    assert (await request).next == "a-2"
    assert len(asked) == 3


async def test_a_shorter_wait_stays_as_it_is_after_a_failure() -> None:
    script = Script(Unreachable("away"), held("a-1"))
    feed = script.feed("a-1", wait_seconds=20, spacing_seconds=5.0)
    with pytest.raises(Unreachable):
        await feed.next()
    await feed.next()
    assert script.log == [("a-1", 20), ("a-1", 20)]


def hello(number: int, at: int = 1_774_200_000_000) -> MessageUpsert:
    return MessageUpsert(
        "108200000000011", Person(f"+3460000{number:04}"), f"n{number}-{at}", at + number, False,
        Author("contact"), "text", "webhook", text="Hello",
    )  # fmt: skip


def phones(rows: Sequence[Conversation]) -> list[str | None]:
    return [row.contact.phone for row in rows]


async def test_a_service_in_this_process_holds_the_request(
    client: InboxClient, sample_database: SQLiteDatabase
) -> None:
    news = News(client)
    first = await news.next()
    assert (first.data, first.reset, first.next) == ((), False, news.position)
    sample_database.write(lambda c: apply_events(c, 1, [hello(1)], now=1))
    assert phones((await news.next()).data) == ["+34600000001"]
    assert client.server.features["changes"].state == "present"


class WithoutChanges:
    """A server of the interface without extensions, as far as it is asked."""

    def __init__(self, client: InboxClient) -> None:
        self.conversation_page = client.conversation_page
        self.asked = 0

    async def changes(self, after: str | None, *, wait_seconds: int = 0) -> ReceivedChanges:
        self.asked += 1
        raise NotOffered("This server does not say what changed")


async def test_a_server_that_does_not_say_what_changed_is_asked_for_the_head_of_its_list(
    client: InboxClient, sample_database: SQLiteDatabase
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            events = [hello(2), hello(1)]
            sample_database.write(lambda c: apply_events(c, 1, events, now=1))

    server = WithoutChanges(client)
    news = News(server, sleep=sleep)  # type: ignore[arg-type]
    first = await news.next()
    assert (first.reset, first.data, news.position) == (True, (), None)
    nothing = await news.next()
    assert (nothing.reset, nothing.data) == (False, ())
    some = await news.next()
    # The one that changed last at the end.
    assert (some.reset, phones(some.data)) == (False, ["+34600000001", "+34600000002"])
    assert (await news.next()).data == ()
    assert (pauses, server.asked) == ([30.0] * 3, 1)


async def test_a_head_of_nothing_but_news_says_that_there_may_be_more(
    client: InboxClient, sample_database: SQLiteDatabase
) -> None:
    async def sleep(seconds: float) -> None:
        assert seconds == 5
        events = [hello(number) for number in range(120)]
        sample_database.write(lambda c: apply_events(c, 1, events, now=1))

    news = News(WithoutChanges(client), poll_seconds=5, sleep=sleep)  # type: ignore[arg-type]
    await news.next()
    many = await news.next()
    assert many.reset
    assert phones(many.data)[-1] == "+34600000119"


async def test_a_key_that_is_refused_ends_the_news() -> None:
    script = Script(Unauthorised("no"))
    with pytest.raises(Unauthorised):
        await News(script, sleep=script.sleep).next()  # type: ignore[arg-type]
