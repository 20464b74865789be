"""Data source of the screens: cached rows at once, server requests on demand."""

from frontdesk.cache import Hit, Kept, Listing
from frontdesk.mailbox.catalogues import Catalogues
from frontdesk.mailbox.lists import Refreshed
from frontdesk.mailbox.mailbox import Mailbox, Seen
from frontdesk.mailbox.protocols import Feature, Server, Source

__all__ = [
    "Catalogues",
    "Feature",
    "Hit",
    "Kept",
    "Listing",
    "Mailbox",
    "Refreshed",
    "Seen",
    "Server",
    "Source",
]
