"""What is said and asked for while the server fails, or refuses."""

import pytest

from frontdesk.errors import (
    BadResponse,
    Forbidden,
    InboxError,
    NetworkMisconfigured,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.inbox import words
from tests.inbox.asked import Description, FetchHead, FetchNames, FetchThread
from tests.inbox.memory import Server, Terminal

AWAY = Unreachable("The server does not answer")


def all_loaded() -> Terminal:
    terminal = Terminal(Server(90))
    terminal.press("G", seconds=5.0)
    terminal.press("g", seconds=5.0)
    assert terminal.status == "live"
    return terminal


def test_the_thread_is_requested_again_when_the_list_is_back() -> None:
    is_open, is_away = False, False

    def fails(request: Description) -> InboxError | None:
        """Messages fail until the list was answered, as with a circuit breaker."""
        nonlocal is_open
        if isinstance(request, FetchHead):
            is_open = is_open and is_away
            return AWAY if is_away else None
        return AWAY if is_open and isinstance(request, FetchThread) else None

    terminal = all_loaded()
    terminal.server.fails = fails
    is_open = is_away = True
    terminal.press("ctrl+r", "G", "k", "enter")
    assert terminal.thread is None
    assert terminal.problems[-1] == "The server does not answer"
    is_away = False
    terminal.wait(0.6)
    terminal.press("ctrl+r")
    assert terminal.status == "live"
    assert terminal.thread == terminal.inbox.selection.id


@pytest.mark.parametrize(
    ("error", "state", "said"),
    [
        (Unreachable("The server does not answer"), "offline", "The server does not answer"),
        (Unauthorised("The server refused the key"), "key refused (401)", "refused the key"),
        (BadResponse("The server sent a web page"), "unreadable answer", "sent a web page"),
        (NetworkMisconfigured("Its certificate has expired"), "offline", "certificate has expired"),
        (Forbidden("The key lacks conversations:read"), "403", "lacks conversations:read"),
        (NotFound("The server does not have this"), "no inbox here", "does not have this"),
    ],
)
def test_a_failure_without_a_cache_is_a_clear_state(
    error: InboxError, state: str, said: str
) -> None:
    terminal = Terminal(Server(30, error=error))
    assert state in terminal.status
    assert said in words.empty(terminal.inbox)


def test_a_refused_certificate_is_said_once_beside_the_state() -> None:
    terminal = Terminal(Server(30, error=NetworkMisconfigured("Its certificate has expired")))
    terminal.press("ctrl+r", seconds=60.0)
    assert terminal.warned == ["Its certificate has expired"]


def test_a_refused_key_is_not_tried_again() -> None:
    terminal = Terminal(server := Server(30, error=Unauthorised("The server refused the key")))
    asked = len(server.asked)
    terminal.press("ctrl+r", "j", "6", seconds=60.0)
    assert len(server.asked) == asked
    words = "The server refused the key (frontdesk doctor says where the key comes from)"
    assert terminal.warned == [words]


@pytest.mark.parametrize("error", [NotFound("No such route"), BadResponse("A web page")])
def test_names_that_are_not_given_are_asked_for_again_once_the_list_is_back(
    error: InboxError,
) -> None:
    server = Server(30, fails=lambda request: error if isinstance(request, FetchNames) else None)
    terminal = Terminal(server)
    terminal.wait(120.0)
    assert [type(request) for request in server.asked].count(FetchNames) == 1
    server.error = AWAY
    terminal.press("ctrl+r")
    assert "offline" in terminal.status
    server.error = None
    terminal.press("ctrl+r", seconds=30.0)
    assert [type(request) for request in server.asked].count(FetchNames) == 2
