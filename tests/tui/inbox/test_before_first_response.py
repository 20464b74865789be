"""The inbox before the first response of the server."""

import asyncio
from typing import Any

from frontdesk.client import InboxClient
from tests.tui.conftest import Viewer


class Slow:
    """A server whose first count takes until `answer` is set."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client
        self.asked, self.answer = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def counts(self, *arguments: Any, **options: Any) -> Any:
        self.asked.set()
        await self.answer.wait()
        return await self._client.counts(*arguments, **options)


async def test_it_may_be_left_before_the_first_answer(viewer: Viewer, client: InboxClient) -> None:
    slow: Any = Slow(client)
    app = viewer(slow)
    async with app.run_test(size=(120, 40)) as pilot:
        await slow.asked.wait()
        await pilot.press("ctrl+q")
    assert app.return_code == 0
