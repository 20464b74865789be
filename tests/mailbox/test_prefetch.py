"""Prefetching of the next page and of threads."""

from collections.abc import AsyncIterator

import pytest
from tests.mailbox.inbox import ALL, NOW, Inbox, shown

from frontdesk.cache import Cache
from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.wire import MessagePreview


@pytest.fixture
async def mailbox(inbox: Inbox, cache: Cache) -> AsyncIterator[Mailbox]:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
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


async def test_a_thread_is_read_again_for_an_answer_in_the_second_of_its_question(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.write("390", 1)
    (question,) = inbox.messages["390"]
    for last in (question, question.model_copy(update={"id": "2", "direction": "outbound"})):
        inbox.messages["390"] = [*{row.id: row for row in (question, last)}.values()]
        row = inbox.conversations["390"]
        preview = MessagePreview.model_validate(last.model_dump(exclude_unset=True))
        members = {"last_activity_at": last.created_at, "last_message": preview}
        inbox.conversations["390"] = row.model_copy(update=members)
        await mailbox.refresh_conversations(ALL)
        assert await mailbox.prefetch(ALL, 0, "390")
    assert [entry.id for entry in mailbox.thread("390")] == [question.id, "2"]
    assert mailbox.has_newest(inbox.conversations["390"])


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
