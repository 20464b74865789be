"""Customers who wait: the longer one does, the further down the list of the server."""

from collections.abc import Callable
from datetime import timedelta

from frontdesk.errors import InboxError
from frontdesk.wire.queries import EXTENSIONS
from frontdesk.wire.values import timestamp
from tests.inbox.asked import Description, FetchOlder
from tests.inbox.memory import START, Server, Terminal, conversation

CONVERSATIONS = 260
# Their ids are numbered from the oldest activity: nobody waits longer than the first.
LONGEST = "1"


def waiting(count: int = CONVERSATIONS) -> Server:
    """A server with so many open conversations; each fiftieth is unread."""
    server = Server(0)
    for number in range(1, count + 1):
        moment = START - timedelta(seconds=count + 60 - number)
        written = timestamp(round(moment.timestamp() * 1000))
        members = {
            "id": str(number),
            "status": "open",
            "unread_count": int(number % 50 == 0),
            "contact": {"id": f"c{number}", "name": "Sheena Nelson", "phone": phone(number)},
            "waiting_since": written,
            "last_activity_at": written,
        }
        row = {**conversation(number).model_dump(), **members}
        server.rows[str(number)] = type(conversation(number)).model_validate(row)
    return server


def waiting_elsewhere(count: int = CONVERSATIONS) -> Server:
    """The same customers on a server that has only the filters of `/v1`."""
    server = waiting(count)
    server.lacks = EXTENSIONS
    return server


def phone(number: int) -> str:
    return f"+1650555{number:04}"


def holds_pages(server: Server, seconds: float = 1.0) -> None:
    """Let each further page take so long."""
    server.takes = lambda request: seconds if isinstance(request, FetchOlder) else None


def further_pages(server: Server) -> int:
    """How many pages of conversations were asked for below the first."""
    return sum(isinstance(request, FetchOlder) for request in server.asked)


def outcomes_of(
    outcomes: list[InboxError | None], then: Callable[[InboxError], object] = lambda error: None
) -> Callable[[Description], InboxError | None]:
    """What the next further pages end with. then: called with each failure."""

    def fails(request: Description) -> InboxError | None:
        if not isinstance(request, FetchOlder) or not outcomes:
            return None
        outcome = outcomes.pop(0)
        if outcome is not None:
            then(outcome)
        return outcome

    return fails


def held(terminal: Terminal) -> int:
    """Number of rows of the server's list that are here."""
    return len(terminal.inbox.view.list)
