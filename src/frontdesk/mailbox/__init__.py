"""Data source of the screens: cached rows at once, server requests on demand."""

from frontdesk.cache import CacheUsage, Listing
from frontdesk.mailbox.lists import RefreshResult
from frontdesk.mailbox.mailbox import Mailbox

__all__ = ["CacheUsage", "Listing", "Mailbox", "RefreshResult"]
