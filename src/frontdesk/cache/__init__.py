"""SQLite cache of fetched rows, for instant start-up and offline reading."""

from frontdesk.cache.cache import Cache, CacheUsage
from frontdesk.cache.coverage import Coverage, FillState
from frontdesk.cache.listing import Listing
from frontdesk.cache.lists import FetchedRows, ListName, SaveResult, notes_name, thread_name
from frontdesk.cache.rows import (
    CONTACT,
    CONVERSATION,
    MESSAGE,
    Hit,
    key_of,
    row_of,
    rows_of,
)

__all__ = [
    "CONTACT",
    "CONVERSATION",
    "MESSAGE",
    "Cache",
    "CacheUsage",
    "Coverage",
    "FetchedRows",
    "FillState",
    "Hit",
    "ListName",
    "Listing",
    "SaveResult",
    "key_of",
    "notes_name",
    "row_of",
    "rows_of",
    "thread_name",
]
