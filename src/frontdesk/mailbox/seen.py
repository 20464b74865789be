"""Iteration over the cached conversations of the unfiltered lists."""

from collections.abc import Iterator

from frontdesk.mailbox import Mailbox
from frontdesk.wire import Conversation, ConversationFilter
from frontdesk.wire.values import STATUSES

_LIMIT = 1000


def seen_conversations(mailbox: Mailbox) -> Iterator[Conversation]:
    """The first conversations of each status list, without duplicates."""
    met: set[str] = set()
    for status in (None, *STATUSES):
        listing = mailbox.conversations(ConversationFilter(status=status))
        for conversation in (listing[at] for at in range(min(len(listing), _LIMIT))):
            if conversation.id not in met:
                met.add(conversation.id)
                yield conversation
