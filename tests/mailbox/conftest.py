"""A mailbox over a server with 400 conversations."""

from collections.abc import AsyncIterator

import pytest
from tests.mailbox.inbox import (
    NOW,
    Inbox,
)

from frontdesk.cache import Cache
from frontdesk.mailbox import Mailbox


@pytest.fixture
def inbox() -> Inbox:
    inbox = Inbox()
    for number in range(1, 401):
        inbox.bump(str(number))
    return inbox


@pytest.fixture
async def mailbox(inbox: Inbox, cache: Cache) -> AsyncIterator[Mailbox]:
    mailbox = Mailbox(lambda: inbox, cache, clock=lambda: NOW)
    await mailbox.connect()
    yield mailbox
    await mailbox.close()
