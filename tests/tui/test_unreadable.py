"""Unreadable rows are left out and counted; the others are shown."""

from typing import Any

from frontdesk.client import InboxClient
from frontdesk.wire import Page, PartialPage
from tests.tui.conftest import Viewer, settle, shown


class Partial:
    """The real client, of whose pages the first rows cannot be read."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.lost = {"conversation_page": 2, "message_page": 1}

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        lost = self.lost.get(name, 0)
        if not lost:
            return method

        async def page(*arguments: Any, **options: Any) -> Page[Any]:
            page: Page[Any] = await method(*arguments, **options)
            rest = {"next_cursor": page.next_cursor, "has_more": page.has_more}
            return PartialPage[Any](data=page.data[lost:], unreadable=lost, **rest)

        return page


async def test_rows_that_cannot_be_read_are_counted(viewer: Viewer, client: InboxClient) -> None:
    source = Partial(client)
    async with viewer(source).run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        *others, status = shown(pilot.app).split("\n")
        assert "4 unreadable" in status
        assert "1 unreadable" in "\n".join(others)
        source.lost = {}
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "All open 60" in shown(pilot.app)
        assert "unreadable" not in shown(pilot.app)
