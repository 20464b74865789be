"""Fills in names of contacts, channels and users that a server references by id only."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from frontdesk.client.spelling import BARE
from frontdesk.errors import InboxError
from frontdesk.wire import Conversation, Page, PhoneRef, UserRef

MOST_PAGES = 5
LOOK_UP_SECONDS = 600.0

PARTS = ("contact", "channel", "assignee")
Fetch = Callable[[str | None], Awaitable[Page[Any]]]


class Names:
    """Names by id, loaded from the lists when the first row without a name arrives."""

    def __init__(self, lists: Mapping[str, Fetch], clock: Callable[[], float]) -> None:
        """`lists`: for each of PARTS, a function that returns the page after a cursor."""
        self._lists = lists
        self._clock = clock
        self._known: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        self._looked_up: dict[str, float] = {}

    async def filled(
        self, page: Page[Conversation], differences: Callable[[str], bool]
    ) -> Page[Conversation]:
        """Fill in the known names. `differences`: tests if a deviation from `/v1` was recorded."""
        bare = [part for part in PARTS if differences(f"Conversation: {part} is {BARE}")]
        if not bare:
            return page
        for part in bare:
            if any(self._lacks(row, part) for row in page.data):
                await self._look_up(part)
        rows = tuple(self._named(row, bare) for row in page.data)
        return page.model_copy(update={"data": rows})

    def _lacks(self, row: Conversation, part: str) -> bool:
        value = getattr(row, part)
        return value is not None and value.id and value.id not in self._known[part]

    async def _look_up(self, part: str) -> None:
        """Load the list, at most every ten minutes; on an error the names stay unknown."""
        now = self._clock()
        if now - self._looked_up.get(part, -LOOK_UP_SECONDS) < LOOK_UP_SECONDS:
            return
        self._looked_up[part] = now
        cursor = None
        try:
            for _ in range(MOST_PAGES):
                page = await self._lists[part](cursor)
                self._known[part].update((row.id, row) for row in page.data)
                cursor = page.next_cursor
                if page.ended or not cursor:
                    break
        except InboxError:
            return

    def _named(self, row: Conversation, parts: list[str]) -> Conversation:
        named = {part: self._ref(part, getattr(row, part)) for part in parts}
        return row.model_copy(update=named)

    def _ref(self, part: str, value: Any) -> Any:
        found = self._known[part].get(value.id) if value is not None else None
        if found is None:
            return value
        if part == "assignee":
            return UserRef(id=value.id, name=found.name)
        return PhoneRef(
            id=value.id, name=value.name or found.name, phone=value.phone or found.phone
        )
