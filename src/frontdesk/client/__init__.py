"""Client of the `/v1` HTTP API, for the viewer, the shell and other programs.

    async with InboxClient("https://inbox.example.com", key) as inbox:
        async for conversation in inbox.conversations(status="open"):
            print(conversation.contact.name, conversation.last_activity_time)

Methods return the frozen values of `frontdesk.wire` and raise `InboxError`. Control characters are
removed from all texts.
"""

from frontdesk.client import httpx_import  # noqa: F401 - before all others
from frontdesk.client.client import InboxClient, ReceivedChanges
from frontdesk.client.discovery import discover
from frontdesk.client.media import ReceivedFile
from frontdesk.client.network import Network
from frontdesk.client.paging import RowPages
from frontdesk.client.server_info import FEATURES, Feature, Server

__all__ = [
    "FEATURES",
    "Feature",
    "InboxClient",
    "Network",
    "ReceivedChanges",
    "ReceivedFile",
    "RowPages",
    "Server",
    "discover",
]
