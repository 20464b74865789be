"""Opens a report on the screen and reads it, also of servers that deviate."""

from collections.abc import Callable
from typing import Any

from frontdesk.client import InboxClient
from frontdesk.errors import InboxError
from frontdesk.wire import ReportQuery
from frontdesk.wire.reports import Report
from tests.tui.conftest import lines
from tests.tui.views import ViewApp


class Answering:
    """The sample's server, but reports are answered by a function of the query."""

    def __init__(self, client: InboxClient, answer: Callable[[ReportQuery], Report]) -> None:
        self._client = client
        self._answer = answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def report(self, query: ReportQuery | None = None) -> Report:
        assert query is not None
        return self._answer(query)


def failing(client: InboxClient, error: InboxError) -> Answering:
    def answer(query: ReportQuery) -> Report:
        raise error

    return Answering(client, answer)


def title_of(app: ViewApp) -> str:
    return lines(app)[0]


def line_with(app: ViewApp, words: str) -> str:
    return next((line for line in lines(app) if words in line), "")
