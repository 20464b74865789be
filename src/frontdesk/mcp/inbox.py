"""The inbox that the tools read: a client, and the clock and zone of all times in answers."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from frontdesk.client import InboxClient
from frontdesk.errors import BadSettings, Forbidden, NotFound
from frontdesk.exports import brief
from frontdesk.selection.customers import find_customer
from frontdesk.text.dates import parse_moment
from frontdesk.text.phones import username
from frontdesk.wire import Contact, Conversation
from frontdesk.wire.values import utc_now

# Lets the notice of a cancellation be read: a service in this process seldom suspends.
_PAUSE_SECONDS = 0.001
_MOST_FIELDS = 300
_MASKED = "customers are masked, files left out"


@dataclass(frozen=True)
class InboxReader:
    """zone: of all times, None for the computer's. masked: what the client answers is."""

    client: InboxClient
    zone: ZoneInfo | None = None
    now: Callable[[], datetime] = utc_now
    masked: bool = False

    @property
    def heading(self) -> str:
        heading = brief.heading(self.now(), self.zone)
        return f"{heading} · {_MASKED}" if self.masked else heading

    @property
    def advice(self) -> str:
        """How a conversation or customer is found that was named wrongly."""
        named = 'by the stand-in, as "customer 4f2a"' if self.masked else 'by query from:"name"'
        return f"list_conversations has ids, and finds a customer {named}."

    def local_now(self) -> datetime:
        """The time in the reader's zone, whose days those of a query are."""
        return self.now().astimezone(self.zone)

    def moment(self, text: str | None, name: str) -> datetime | None:
        """Parse an argument that is a day or a time. Raises: ToolError."""
        try:
            return None if text is None else parse_moment(text, self.now(), self.zone)
        except ValueError as error:
            raise ToolError(f"{name}: {error}.") from None

    async def facts(self, row: Conversation) -> str:
        """Line of a conversation, with the e-mail address and the fields of its customer."""
        line = brief.conversation_line(row, self.now(), self.zone)
        contact = await self._contact(row)
        facts = contact_facts(contact) if contact is not None else ""
        return f"{line} · {facts}" if facts else line

    async def _contact(self, row: Conversation) -> Contact | None:
        known_by = row.contact.phone or username(row.contact)
        if not known_by:
            return None
        try:
            return await find_customer(self.client, known_by)
        except (BadSettings, Forbidden, NotFound):
            return None


def contact_facts(contact: Contact) -> str:
    """E-mail address and custom fields of a customer, whose values are in quotes."""
    facts = [("email", contact.email), *contact.custom_fields.items()]
    words = [f"{brief.short_name(key)} {_fact(value)}" for key, value in facts if value is not None]
    return brief.cut(", ".join(words), _MOST_FIELDS)


def _fact(value: object) -> str:
    return str(value) if isinstance(value, int | float) else brief.customers_name(str(value))


def progress_of(context: Context[Any, Any], words: str) -> Callable[[int], Any]:
    """Return a function that tells the client how many rows were read, and can be cancelled."""

    async def report(examined: int) -> None:
        await context.report_progress(examined, None, words.format(examined))
        await asyncio.sleep(_PAUSE_SECONDS)

    return report
