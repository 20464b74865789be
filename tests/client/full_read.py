"""Reads a whole inbox through the client, as a viewer and a program would."""

from dataclasses import dataclass, field
from typing import Any

from tests.client.other_server import BASE, OtherServer, Variant
from tests.client.prepared_server import KEY, Pauses

from frontdesk.client import InboxClient, RowPages
from frontdesk.errors import InboxError

CONVERSATION = "1006"
PHONE = "+16505551001"


@dataclass
class InboxContents:
    """What was read, by name, as plain objects; and what failed."""

    read: dict[str, Any] = field(default_factory=dict)
    failed: dict[str, InboxError] = field(default_factory=dict)

    def ids(self, name: str) -> list[str]:
        return [row["id"] for row in self.read[name]]


async def read_all(client: InboxClient, conversation: str = CONVERSATION) -> InboxContents:
    """Every list to its end, and every value."""
    contents = InboxContents()
    lists: dict[str, RowPages[Any]] = {
        "conversations": client.conversations(),
        "messages": client.messages(conversation),
        "notes": client.notes(conversation),
        "contacts": client.contacts(),
        "labels": client.labels(),
        "custom_fields": client.custom_fields(),
        "users": client.users(),
        "teams": client.teams(),
        "channels": client.channels(),
        "canned_responses": client.canned_responses(),
        "templates": client.templates(),
    }
    for name, rows in lists.items():
        try:
            contents.read[name] = [row.model_dump(mode="json") async for row in rows]
        except InboxError as error:
            contents.failed[name] = error
    values = {
        "contact": lambda: client.contact_by_phone(PHONE),
        "counts": client.counts,
        "report": client.report,
    }
    for name, ask in values.items():
        try:
            contents.read[name] = (await ask()).model_dump(mode="json")
        except InboxError as error:
            contents.failed[name] = error
    return contents


def client_of(server: OtherServer, pauses: Pauses | None = None) -> InboxClient:
    """A client of the server, for which no time passes."""
    return InboxClient(BASE, KEY, app=server, sleep=pauses or Pauses(), chance=lambda: 0.5)


async def read_from(*variants: Variant, conversation: str = CONVERSATION) -> InboxContents:
    """What a server with these variants gives."""
    async with client_of(OtherServer(variants)) as client:
        return await read_all(client, conversation)
