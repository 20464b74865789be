"""Data source of the screens: cached rows at once, server requests on demand."""

from frontdesk.cache import CacheUsage, Hit, Listing
from frontdesk.mailbox.catalogues import Catalogues
from frontdesk.mailbox.lists import RefreshResult
from frontdesk.mailbox.mailbox import Mailbox, SeenCounts

__all__ = [
    "CacheUsage",
    "Catalogues",
    "Hit",
    "Listing",
    "Mailbox",
    "RefreshResult",
    "SeenCounts",
]
