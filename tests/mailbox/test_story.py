"""All conversations of a customer as one thread: in order, without holes, by few requests."""

import asyncio
from collections.abc import Callable, Collection
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.mailbox.inbox import ALL, NOW, Inbox, at

from frontdesk.cache import Cache
from frontdesk.errors import NotFound, ServerFailed, Unreachable
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.story import Story
from frontdesk.text.messages import Entry
from frontdesk.wire import PhoneRef

CUSTOMER = PhoneRef(id="c", name="Vera Lindqvist", phone="+16505550100")


def of_customer(server: Inbox, *ids: str) -> None:
    """Conversations of one customer; `write` makes them active."""
    for id in ids:
        server.bump(id, contact=CUSTOMER, channel=PhoneRef(id=f"channel {id}", name=f"Shop {id}"))


def write(server: Inbox, id: str, count: int = 1) -> None:
    server.write(id, count)
    row = server.conversations[id]
    server.conversations[id] = row.model_copy(update={"last_activity_at": at(server.clock)})


def written(server: Inbox, without_notes_of: Collection[str] = ()) -> list[str]:
    """Keys of all messages and notes of the customer, oldest first."""
    entries: list[tuple[str, int, str]] = []
    for id, row in server.conversations.items():
        if row.contact.id == CUSTOMER.id:
            entries += [
                (one.created_at, int(one.id), f"message {one.id}")
                for one in server.messages.get(id, ())
            ]
            entries += [
                (one.created_at, int(one.id), f"note {one.id}")
                for one in server.notes.get(id, ())
                if id not in without_notes_of
            ]
    return [key for _, _, key in sorted(entries)]


def keys(story: Story) -> list[str]:
    shown = [story.key(position) for position in range(len(story))]
    assert [story.find(key) for key in shown] == [*range(len(shown))]
    assert [f"{kind(story[position])} {story[position].id}" for position in range(len(story))] == (
        shown
    )
    return shown


def kind(entry: Entry) -> str:
    return type(entry).__name__.casefold()


async def opened(mailbox: Mailbox, id: str) -> Story:
    """The story as it is asked for from an open thread."""
    await mailbox.refresh_conversations(ALL)
    await mailbox.refresh_thread(id)
    await mailbox.refresh_notes(id)
    conversation = mailbox.conversation(id)
    assert conversation is not None
    return Story(mailbox, conversation)


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


async def test_the_newest_of_a_story_takes_one_request_where_the_others_are_older(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    of_customer(inbox, "1", "2", "3")
    for id in ("1", "2", "3"):
        write(inbox, id, 300)
    story = await opened(mailbox, "3")
    del inbox.requests[:]
    await story.refresh()
    assert inbox.requests == ["conversations"]
    assert keys(story) == written(inbox)[-len(story) :]
    assert len(story) == 50
    assert {row.id for row in story.conversations} == {"1", "2", "3"}


async def test_a_story_loads_the_others_as_they_come_into_it(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    of_customer(inbox, "1", "2", "3")
    write(inbox, "1", 60)
    for id in ("2", "3") * 60:
        write(inbox, id)
    story = await opened(mailbox, "3")
    await story.refresh()
    assert not mailbox.thread("1").fetched_at
    while not story.complete:
        before = len(story)
        await story.load_older()
        assert keys(story) == written(inbox)[-len(story) :]
        assert len(story) >= before
    assert keys(story) == written(inbox)
    assert {story[at].conversation_id for at in range(len(story))} == {"1", "2", "3"}


async def test_what_cannot_be_loaded_is_left_out_and_said(inbox: Inbox, mailbox: Mailbox) -> None:
    of_customer(inbox, "1", "2")
    write(inbox, "2", 3)
    write(inbox, "1", 3)
    story = await opened(mailbox, "2")
    inbox.failures = {"messages": Unreachable("The server does not answer")}
    await story.refresh()
    assert [row.id for row in story.lacks] == ["1"]
    assert keys(story) == [f"message {one.id}" for one in inbox.messages["2"]]
    inbox.failures = {}
    assert not story.stale
    story.ask_again()
    assert [row.id for row in story.stale] == ["1"]
    await story.refresh()
    assert (story.lacks, keys(story)) == ([], written(inbox))


async def test_a_conversation_that_is_deleted_meanwhile_leaves_the_story(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    of_customer(inbox, "1", "2", "3")
    for id in ("1", "2", "3"):
        write(inbox, id, 3)
    story = await opened(mailbox, "3")
    await story.refresh()
    assert len(story.conversations) == 3
    for id in ("1", "2"):
        write(inbox, id)
    await mailbox.refresh_conversations(ALL)
    # Both are asked for, and are gone by the time.
    inbox.failures = {"messages": NotFound("There is no such conversation")}
    del inbox.conversations["1"], inbox.conversations["2"]
    await asyncio.gather(story.refresh(), story.refresh())
    assert [row.id for row in story.conversations] == ["3"]


async def test_without_any_other_conversation_the_failure_is_told(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    of_customer(inbox, "1")
    write(inbox, "1")
    story = await opened(mailbox, "1")
    inbox.failures = {"conversations": ServerFailed("The server fails")}
    with pytest.raises(ServerFailed):
        await story.refresh()


async def test_offline_a_story_has_what_was_read_here(inbox: Inbox, mailbox: Mailbox) -> None:
    of_customer(inbox, "1", "2")
    write(inbox, "1", 2)
    write(inbox, "2", 2)
    await (await opened(mailbox, "1")).refresh()
    gone = Unreachable("The server does not answer")
    inbox.failures = {"conversations": gone, "messages": gone, "notes": gone}
    conversation = mailbox.conversation("2")
    assert conversation is not None
    story = Story(mailbox, conversation)
    await story.refresh()
    assert keys(story) == written(inbox)


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_is_written_and_fails_a_story_has_no_hole(data: st.DataObject) -> None:
    random = Random(data.draw(st.integers(0, 2**32)))

    async def run(directory: Path) -> None:
        inbox = Inbox()
        ids = [str(number) for number in range(1, random.randrange(2, 5))]
        of_customer(inbox, *ids)
        acts: list[Callable[[], None]] = [
            lambda: write(inbox, random.choice(ids), random.randrange(1, 40)),
            lambda: inbox.annotate(random.choice(ids)),
        ]
        for _ in range(random.randrange(1, 12)):
            random.choice(acts)()
        cache = Cache(directory / "cache", "https://inbox.example")
        mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)  # type: ignore[arg-type,return-value]
        await mailbox.connect()
        story = await opened(mailbox, random.choice(ids))
        await story.refresh()
        for _ in range(12):
            inbox.failures = {"messages": ServerFailed("")} if not random.randrange(4) else {}
            if random.randrange(3):
                acts[0]()
                await mailbox.refresh_conversations(ALL)
            try:
                await random.choice([story.refresh, story.load_older])()
            except ServerFailed:
                story.reload()
            inbox.failures = {}
            story.ask_again()
            await story.refresh()
            # Notes come with a refresh of their thread.
            for id in ids:
                await mailbox.refresh_notes(id)
            story.reload()
            assert not story.lacks
            # A note is no activity: it comes with the thread of its conversation.
            unread = [id for id in ids if mailbox.thread(id).fetched_at is None]
            assert keys(story) == written(inbox, unread)[-len(story) :] if len(story) else True
            assert not story.complete or keys(story) == written(inbox)
        await mailbox.close()
        cache.close()

    with TemporaryDirectory() as directory:
        asyncio.run(run(Path(directory)))
