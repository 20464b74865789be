"""What a screen asks for data: the cache at once, the server on request."""

from frontdesk.cache import Hit, Listing
from frontdesk.mailbox.catalogues import Catalogues
from frontdesk.mailbox.lists import Refreshed
from frontdesk.mailbox.mailbox import Mailbox, Seen, ThreadRow
from frontdesk.mailbox.source import Source

__all__ = ["Catalogues", "Hit", "Listing", "Mailbox", "Refreshed", "Seen", "Source", "ThreadRow"]
