"""What a screen asks for data: the cache at once, the server on request."""

from frontdesk.cache import Listing
from frontdesk.mailbox.mailbox import Mailbox, Refreshed, ThreadRow
from frontdesk.mailbox.source import Source

__all__ = ["Listing", "Mailbox", "Refreshed", "Source", "ThreadRow"]
