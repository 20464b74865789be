"""Reverses message lists of servers that sort oldest first."""

from collections.abc import Awaitable, Callable

from frontdesk.wire import Message, Page

MOST_PAGES = 20
MOST_MESSAGES = 2000

NOT_REACHED = "Messages come oldest first, and the newest of a long thread are not reached"
OLDEST_FIRST = "Messages come oldest first"


def is_oldest_first(page: Page[Message]) -> bool:
    """True if the page is sorted oldest first."""
    return len(page.data) > 1 and page.data[0].created_at < page.data[-1].created_at


async def newest_first(
    page: Page[Message],
    following: Callable[[str], Awaitable[Page[Message]]],
    remark: Callable[[str], None],
) -> Page[Message]:
    """Load the rest of a thread, and return it as one page, newest first."""
    remark(OLDEST_FIRST)
    rows, asked = list(page.data), 1
    while not page.ended and page.next_cursor:
        if asked == MOST_PAGES or len(rows) >= MOST_MESSAGES:
            remark(NOT_REACHED)
            break
        page = await following(page.next_cursor)
        rows += page.data
        asked += 1
    # The sort is stable, so rows with equal timestamps are reversed as well.
    rows = sorted(reversed(rows), key=lambda row: row.created_at, reverse=True)
    return page.model_copy(update={"data": tuple(rows), "next_cursor": None, "has_more": False})
