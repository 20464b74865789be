"""Loads a thread back to its start."""

from collections.abc import Callable

from frontdesk.mailbox import Mailbox
from frontdesk.tui.clock import Clock
from frontdesk.wire import Message, Note


async def whole_thread(
    mailbox: Mailbox,
    clock: Clock,
    conversation_id: str,
    progress: Callable[[str], None],
    *,
    renew: bool = True,
) -> list[Message | Note]:
    """Load a whole thread and return its entries, oldest first. `progress` gets a description.

    renew: refresh the newest page too, instead of only adding older ones.

    Raises: InboxError; pages loaded before the error stay in the cache.
    """
    listing = mailbox.thread(conversation_id)
    if renew or not len(listing):
        await mailbox.refresh_thread(conversation_id)
        await mailbox.refresh_notes(conversation_id)
        listing.reload()
    while len(listing) and not listing.complete:
        oldest = clock.local(listing[0].created_at)
        progress(f"{len(listing)} messages" + (f", back to {oldest:%Y-%m-%d}" if oldest else ""))
        held = len(listing)
        await mailbox.older_messages(conversation_id)
        listing.reload()
        if len(listing) == held:
            break
    return list(listing)
