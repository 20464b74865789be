"""Who "me" is: learned from the server's lists, only where they prove it, and corrected by them."""

from datetime import timedelta

import pytest
from tests.mailbox.inbox import NOW, Inbox

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter, UserRef

MINE = ConversationFilter(assignee="me", status="open")
ANA, BEN = UserRef(id="3", name="Ana"), UserRef(id="4", name="Ben")


@pytest.fixture
def inbox() -> Inbox:
    """A small inbox of a server that ignores the filter by assignee."""
    return Inbox()


async def test_a_server_that_answers_me_tells_who_it_is(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.me = ANA.id
    inbox.bump("1", assignee=ANA)
    inbox.bump("2", assignee=BEN)
    inbox.bump("3")
    await mailbox.find_me()
    assert mailbox.me == ANA.id


async def test_of_a_server_that_ignores_the_filter_no_colleague_is_me(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    inbox.bump("1", assignee=BEN)
    await mailbox.find_me()
    await mailbox.refresh_conversations(MINE)
    assert mailbox.me == ""


async def test_a_colleague_who_was_taken_for_me_is_forgotten(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    mailbox.set_setting("me", BEN.id)
    inbox.bump("1", assignee=BEN)
    inbox.bump("2", assignee=ANA)
    await mailbox.refresh_conversations(MINE)
    assert mailbox.me == ""


async def test_another_user_takes_the_place_of_the_one_before(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    mailbox.set_setting("me", BEN.id)
    inbox.me = ANA.id
    inbox.bump("1", assignee=ANA)
    inbox.bump("2", assignee=BEN)
    await mailbox.refresh_conversations(MINE)
    assert mailbox.me == ANA.id


async def test_no_list_changes_a_user_who_was_given(inbox: Inbox, cache: Cache) -> None:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW, me=ANA.id)
    await mailbox.connect()
    inbox.bump("1", assignee=BEN)
    inbox.bump("2", assignee=ANA)
    await mailbox.refresh_conversations(MINE)
    assert mailbox.me == ANA.id
    await mailbox.close()


async def test_the_proof_is_asked_for_once_and_again_only_after_a_while(
    inbox: Inbox, cache: Cache
) -> None:
    now = NOW
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: now)
    await mailbox.connect()
    inbox.me = ANA.id
    inbox.bump("1", assignee=ANA)
    for _ in range(3):
        await mailbox.refresh_conversations(MINE)
    assert inbox.requests.count("conversations") == 4
    assert mailbox.me == ""
    inbox.bump("2", assignee=BEN)
    now += timedelta(hours=1)
    for _ in range(3):
        await mailbox.refresh_conversations(MINE)
    assert inbox.requests.count("conversations") == 8
    assert mailbox.me == ANA.id
    await mailbox.close()


async def test_what_is_cached_proves_it_without_a_request(inbox: Inbox, mailbox: Mailbox) -> None:
    inbox.me = ANA.id
    inbox.bump("1", assignee=ANA)
    inbox.bump("2", assignee=BEN)
    await mailbox.refresh_conversations(ConversationFilter(status="open"))
    before = len(inbox.requests)
    await mailbox.find_me()
    assert mailbox.me == ANA.id
    assert len(inbox.requests) == before + 1


async def test_what_is_cached_proves_nothing_where_the_filter_is_ignored(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    """Also if a conversation was assigned to the colleague since."""
    inbox.bump("1", assignee=BEN)
    inbox.bump("2")
    await mailbox.refresh_conversations(ConversationFilter(status="open"))
    inbox.bump("2", assignee=BEN)
    await mailbox.find_me()
    assert mailbox.me == ""
