"""Cached catalogues (labels, users, channels, …), refreshed as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from frontdesk.cache import Cache
from frontdesk.errors import BadResponse, Forbidden, InboxError, NotFound
from frontdesk.text.clean import one_line
from frontdesk.wire import (
    CATALOGUES,
    CannedResponse,
    Channel,
    CustomField,
    Label,
    Team,
    Template,
    User,
    body_of,
)

if TYPE_CHECKING:
    from frontdesk.client import InboxClient

CATALOGUE_PAGES = 50

# Catalogues that the inbox needs for names.
NAMES = ("labels", "users", "channels", "custom_fields", "teams")


class Catalogues:
    """Cached catalogues in the server's order. Keep the results: each call parses them again."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def labels(self) -> list[Label]:
        return self._saved("labels")

    def users(self) -> list[User]:
        """Users, including the one of this key."""
        return self._saved("users")

    def channels(self) -> list[Channel]:
        return self._saved("channels")

    def channel_names(self) -> dict[str, str]:
        """Names of channels by id."""
        return {channel.id: one_line(channel.name) for channel in self.channels()}

    def custom_fields(self) -> list[CustomField]:
        """Definitions of custom contact fields."""
        return self._saved("custom_fields")

    def teams(self) -> list[Team]:
        """Teams, with members and channels."""
        return self._saved("teams")

    def canned_responses(self) -> list[CannedResponse]:
        """Canned responses (quick replies)."""
        return self._saved("canned_responses")

    def templates(self) -> list[Template]:
        return self._saved("templates")

    async def refresh(
        self, client: InboxClient, names: Iterable[str] = NAMES
    ) -> dict[str, InboxError]:
        """Refresh catalogues, by the names of the methods above.

        Returns errors by name, for catalogues that are forbidden, missing or unreadable; these do
        not prevent the others. Other errors are raised.
        """
        requested = tuple(names)
        outcomes = await asyncio.gather(*(self._refresh(client, name) for name in requested))
        return {
            name: error
            for name, error in zip(requested, outcomes, strict=True)
            if error is not None
        }

    async def _refresh(self, client: InboxClient, name: str) -> InboxError | None:
        try:
            values = await _read_all(client, name)
        except (Forbidden, NotFound, BadResponse) as error:
            return error
        rows = b",".join(map(body_of, values))
        await self._cache.save("catalogue", name, b'{"data":[%b]}' % rows)
        return None

    def _saved(self, name: str) -> list[Any]:
        return self._cache.rows_of("catalogue", name, CATALOGUES[name])


async def _read_all(client: InboxClient, name: str) -> list[Any]:
    """All values of a catalogue."""
    from frontdesk.client.paging import RowPages

    rows = RowPages[Any](lambda cursor: client.catalogue_page(CATALOGUES[name], cursor=cursor))
    return [value async for page in rows.pages(CATALOGUE_PAGES) for value in page.data]
