"""The `/v1` interface over HTTP, for the viewer, the shell and programs of your own.

    async with InboxClient("https://inbox.example.com", key) as inbox:
        async for conversation in inbox.conversations(status="open"):
            print(conversation.contact.name, conversation.last_activity_at)

What comes back are the frozen values of `frontdesk.wire`; what fails is an `InboxError`. Texts are
without anything that a terminal would obey.
"""

from frontdesk.client.discovery import discover
from frontdesk.client.inbox_client import InboxClient
from frontdesk.client.network import Network
from frontdesk.client.rows import Rows
from frontdesk.client.server import FEATURES, Feature, Server

__all__ = ["FEATURES", "Feature", "InboxClient", "Network", "Rows", "Server", "discover"]
