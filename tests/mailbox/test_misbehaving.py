"""The mailbox over servers that misbehave."""

from collections.abc import Sequence

import pytest
from tests.mailbox.inbox import (
    ALL,
    NOW,
    Inbox,
    shown,
)

from frontdesk.errors import BadResponse
from frontdesk.mailbox import Mailbox, RefreshResult
from frontdesk.wire import (
    Conversation,
    ConversationFilter,
    Page,
    PartialPage,
)


def scripted(inbox: Inbox, pages: Sequence[Page[Conversation]]) -> None:
    """Let the server give these pages, the last one for ever."""
    left = list(pages)

    async def conversation_page(
        filter: ConversationFilter, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Conversation]:
        inbox.ask("conversations", cursor)
        return left.pop(0) if len(left) > 1 else left[0]

    inbox.conversation_page = conversation_page  # type: ignore[method-assign]


def rows(inbox: Inbox, *numbers: int) -> tuple[Conversation, ...]:
    return tuple(inbox.conversations[str(number)] for number in numbers)


async def test_a_server_that_repeats_its_cursor_is_asked_no_more(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    first = Page[Conversation](data=rows(inbox, 9, 8), next_cursor="a", has_more=True)
    again = Page[Conversation](data=rows(inbox, 7, 6), next_cursor="a", has_more=True)
    scripted(inbox, [first, again])
    await mailbox.refresh_conversations(ALL)
    with pytest.raises(BadResponse):
        await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8", "7", "6"]
    asked = len(inbox.requests)
    assert await mailbox.older_conversations(ALL) == RefreshResult(False)
    assert len(inbox.requests) == asked


async def test_cursors_in_a_circle_end_the_walk(inbox: Inbox, mailbox: Mailbox) -> None:
    pages = [
        Page[Conversation](data=rows(inbox, 9, 8), next_cursor=cursor, has_more=True)
        for cursor in "abababababab"
    ]
    scripted(inbox, pages)
    await mailbox.refresh_conversations(ALL)
    with pytest.raises(BadResponse):
        await mailbox.older_conversations(ALL)
    assert len(inbox.requests) <= 6


async def test_pages_without_rows_end_a_walk_down_to_a_time(inbox: Inbox, mailbox: Mailbox) -> None:
    cursors = "abcdefghij"
    scripted(inbox, [Page[Conversation](data=(), next_cursor=at, has_more=True) for at in cursors])
    with pytest.raises(BadResponse, match="sends none"):
        await mailbox.refresh_conversations(ALL, down_to=NOW)
    assert len(inbox.requests) == 5


async def test_an_empty_page_with_a_cursor_is_not_the_end(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(
        inbox,
        [
            Page[Conversation](data=(), next_cursor="a", has_more=True),
            Page[Conversation](data=rows(inbox, 9), next_cursor="b", has_more=True),
            Page[Conversation](data=(), next_cursor="c", has_more=True),
            Page[Conversation](data=rows(inbox, 8), next_cursor=None, has_more=False),
        ],
    )
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8"]
    assert mailbox.conversations(ALL).complete


async def test_a_server_that_says_more_but_gives_no_cursor_is_believed_to_have_more(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    scripted(inbox, [Page[Conversation](data=rows(inbox, 9), next_cursor=None, has_more=True)])
    await mailbox.refresh_conversations(ALL)
    assert not mailbox.conversations(ALL).complete
    assert await mailbox.older_conversations(ALL) == RefreshResult(False)


async def test_a_cursor_without_a_word_on_more_means_more(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(inbox, [Page[Conversation](data=rows(inbox, 9), next_cursor="a")])
    await mailbox.refresh_conversations(ALL)
    assert mailbox.conversations(ALL).cursor == "a"


async def test_a_row_on_two_pages_is_shown_once(inbox: Inbox, mailbox: Mailbox) -> None:
    scripted(
        inbox,
        [
            Page[Conversation](data=rows(inbox, 9, 8), next_cursor="a", has_more=True),
            Page[Conversation](data=rows(inbox, 8, 7), next_cursor=None, has_more=False),
        ],
    )
    await mailbox.refresh_conversations(ALL)
    await mailbox.older_conversations(ALL)
    assert shown(mailbox) == ["9", "8", "7"]


async def test_a_row_that_cannot_be_read_is_counted_and_its_old_state_stays(
    inbox: Inbox, mailbox: Mailbox
) -> None:
    whole = Page[Conversation](data=rows(inbox, 9, 8, 7), next_cursor=None, has_more=False)
    part = PartialPage[Conversation](data=rows(inbox, 9, 7), has_more=False, unreadable=1)
    scripted(inbox, [whole, part])
    await mailbox.refresh_conversations(ALL)
    assert (await mailbox.refresh_conversations(ALL)).unreadable == 1
    assert shown(mailbox) == ["9", "8", "7"]
