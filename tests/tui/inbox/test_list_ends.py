"""Lists with broken ends are not requested again and again."""

from typing import Any

import pytest

from frontdesk.client import InboxClient
from frontdesk.errors import BadResponse, CircuitOpen, CursorRefused, Unreachable
from frontdesk.wire import Page
from tests.tui.conftest import Viewer, settle

# More than a page of any list, as seen at this height.
TALL = (120, 60)


class Endless:
    """The real client, whose further pages fail, or say that there is more but not where."""

    def __init__(self, client: InboxClient, error: Exception | None) -> None:
        self._client = client
        self._error = error
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if name not in ("conversation_page", "message_page"):
            return method

        async def page(*arguments: Any, **options: Any) -> Page[Any]:
            self.asked += 1
            if options.get("cursor") and self._error is not None:
                raise self._error
            page: Page[Any] = await method(*arguments, **{**options, "limit": 20})
            if self._error is not None:
                return page
            return page.model_copy(update={"next_cursor": None, "has_more": True})

        return page


@pytest.mark.parametrize(
    "error",
    [
        None,
        Unreachable("The server cannot be reached"),
        CircuitOpen("It is asked again in 30 seconds", retry_after=30.0),
        BadResponse("The server sends nothing new: the list stops here."),
        CursorRefused("Start again", code="invalid_cursor"),
    ],
)
async def test_an_end_without_a_way_on_is_asked_for_when_the_reader_moves(
    viewer: Viewer, client: InboxClient, error: Exception | None
) -> None:
    source = Endless(client, error)
    async with viewer(source).run_test(size=TALL) as pilot:
        await settle(pilot)
        for key in ("2", *"GgGg", "3", *"GgGg"):
            asked = source.asked
            await pilot.press(key)
            await settle(pilot)
            assert source.asked - asked <= 20
