"""The `/v1` interface over HTTP: httpx in, wire values and InboxError out."""

from frontdesk.client.inbox_client import InboxClient

__all__ = ["InboxClient"]
