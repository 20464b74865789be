"""The way of a page of conversations, in modules, and its number."""

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


async def test_counts_of_a_query_are_those_of_the_server_or_the_number_of_its_list(
    client: InboxClient, cache: Cache
) -> None:
    mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
    await mailbox.connect()
    for query, counted in (("@me,unassigned -is:resolved", True), ("has:image", False)):
        filter = ConversationFilter(query=query, sort="waiting")
        assert await mailbox.refresh_counts(filter)
        rows = [row async for row in client.conversations(query=query)]
        counts, total = mailbox.counts(filter), mailbox.total(filter)
        assert (counts is not None, total is not None) == (counted, not counted)
        assert (counts.all if counts is not None else total) == len(rows) > 0
        # The first page of its list has the same number.
        await mailbox.refresh_conversations(filter)
        assert mailbox.total(filter) == len(rows)
        assert mailbox.counts(filter) == counts
