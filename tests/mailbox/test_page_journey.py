"""The way of a page of conversations, in modules."""

from tests.conftest import NOW
from tests.journeys import recorded_modules

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter


async def test_a_page_goes_through_42_modules_at_most_from_the_mailbox_to_the_service_and_back(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    # Tables of the models are made for the first page of a process.
    await mailbox.refresh_conversations(ConversationFilter(status="resolved"))
    with recorded_modules() as modules:
        await mailbox.refresh_conversations(ConversationFilter(status="open"))
    assert {"store/conversations.py", "client/decode.py", "cache/lists.py"} <= modules
    # A read that is not quick is interrupted by an error, and runs in a thread.
    assert len(modules - {"errors.py"}) <= 42
