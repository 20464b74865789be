"""What a screen asks for data: the cache at once, the server on request."""

from frontdesk.cache import Listing
from frontdesk.mailbox.catalogues import Catalogues
from frontdesk.mailbox.lists import Refreshed
from frontdesk.mailbox.mailbox import Mailbox, ThreadRow
from frontdesk.mailbox.source import Source

__all__ = ["Catalogues", "Listing", "Mailbox", "Refreshed", "Source", "ThreadRow"]
