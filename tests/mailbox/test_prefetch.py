"""Prefetching of the next page and of threads, and when it pauses."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta

import pytest
from tests.mailbox.inbox import ALL, NOW, Inbox, shown

from frontdesk.cache import Cache
from frontdesk.errors import InboxError, NotFound, Unauthorised, Unreachable
from frontdesk.mailbox import Mailbox


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def mailbox(inbox: Inbox, cache: Cache, clock: Clock) -> AsyncIterator[Mailbox]:
    mailbox = Mailbox(lambda: inbox, cache, clock=clock)
    await mailbox.connect()
    await mailbox.refresh_conversations(ALL)
    inbox.requests.clear()
    yield mailbox
    await mailbox.close()


async def test_the_thread_under_the_cursor_is_read_before_the_next_page_and_once(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.write("390", 5)
    assert await mailbox.prefetch(ALL, 0, "390")
    assert len(mailbox.thread("390")) == 5
    assert inbox.requests == ["messages"]
    assert await mailbox.prefetch(ALL, 0, "390")
    assert not await mailbox.prefetch(ALL, 0, "390")
    assert len(inbox.requests) == 2


async def test_an_empty_thread_is_not_asked_for_again_until_something_happens(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for _ in range(3):
        await mailbox.prefetch(ALL, 0, "390")
    assert inbox.requests.count("messages") == 1
    inbox.bump("390")
    await mailbox.refresh_conversations(ALL)
    await mailbox.prefetch(ALL, 0, "390")
    assert inbox.requests.count("messages") == 2


async def test_the_next_page_is_read_when_the_cursor_is_near_the_end(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    assert await mailbox.prefetch(ALL, 10)
    assert len(shown(mailbox)) == 100
    assert not await mailbox.prefetch(ALL, 10)
    assert await mailbox.prefetch(ALL, 60)
    assert len(inbox.requests) == 2


async def test_a_whole_list_is_not_read_on(inbox: Inbox, mailbox: Mailbox) -> None:
    while not mailbox.conversations(ALL).complete:
        await mailbox.older_conversations(ALL)
    inbox.requests.clear()
    assert not await mailbox.prefetch(ALL, 399)
    assert inbox.requests == []


async def test_without_a_connection_nothing_is_asked(inbox: Inbox, cache: Cache) -> None:
    mailbox = Mailbox(lambda: inbox, cache)
    assert not await mailbox.prefetch(ALL, 0, "390")
    assert inbox.requests == []


@pytest.mark.parametrize(
    ("failure", "rest"),
    [
        (Unreachable("Too many requests", retry_after=120.0), timedelta(seconds=120)),
        (Unreachable("No route"), timedelta(seconds=30)),
    ],
)
async def test_while_the_server_is_away_or_asks_for_rest_nothing_is_asked(
    inbox: Inbox, mailbox: Mailbox, clock: Clock, failure: InboxError, rest: timedelta
) -> None:
    inbox.failures["counts"] = failure
    with pytest.raises(Unreachable):
        await mailbox.refresh_counts(ALL)
    inbox.requests.clear()
    clock.now += rest - timedelta(seconds=1)
    assert not await mailbox.prefetch(ALL, 10)
    assert inbox.requests == []
    clock.now += timedelta(seconds=1)
    assert await mailbox.prefetch(ALL, 10)


async def test_a_refused_key_ends_reading_ahead_until_the_server_answers_again(
    inbox: Inbox, mailbox: Mailbox, clock: Clock
) -> None:
    inbox.failures["counts"] = Unauthorised("The server refuses the key")
    with pytest.raises(Unauthorised):
        await mailbox.refresh_counts(ALL)
    clock.now += timedelta(days=300)
    assert not await mailbox.prefetch(ALL, 10)
    del inbox.failures["counts"]
    await mailbox.refresh_counts(ALL)
    assert await mailbox.prefetch(ALL, 10)


async def test_prefetching_a_deleted_conversation_removes_it_and_raises_nothing(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.failures["messages"] = NotFound("Gone")
    assert not await mailbox.prefetch(ALL, 0, "390")
    assert "390" not in shown(mailbox)


async def test_the_threads_of_other_rows_come_after_the_next_page_and_once(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    for id in ("390", "380", "370"):
        inbox.write(id, 1)
    while await mailbox.prefetch(ALL, 10, "390", "380", "370"):
        continue
    kinds = [request.split()[0] for request in inbox.requests]
    assert kinds == ["messages", "conversations", "messages", "messages"]
    assert [len(mailbox.thread(id)) for id in ("390", "380", "370")] == [1, 1, 1]
