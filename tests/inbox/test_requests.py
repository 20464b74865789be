"""What is requested, when, and what is said meanwhile."""

import re

import pytest

from frontdesk.errors import ME_UNAVAILABLE, InboxError, Refused
from frontdesk.inbox import words
from frontdesk.inbox.sentences import NOT_KNOWN
from frontdesk.wire import ConversationFilter
from tests.inbox.asked import Description, FetchConversation, FetchThread, FindMe
from tests.inbox.memory import DOWN, Server, Terminal, basic, waiting_on


def filter_of(request: Description) -> ConversationFilter:
    """The filter of a request for rows or counts."""
    filter = getattr(request, "filter", None)
    return filter if isinstance(filter, ConversationFilter) else ConversationFilter()


def nobody(request: Description) -> InboxError | None:
    """The key belongs to no user."""
    if filter_of(request).assignee == "me" or isinstance(request, FindMe):
        return Refused("assignee: this key belongs to no user", code=ME_UNAVAILABLE)
    return None


def seconds_left(terminal: Terminal) -> int:
    found = re.search(r"retrying in (\d+) s", terminal.status)
    assert found, terminal.status
    return int(found[1])


def test_a_thread_that_takes_longer_than_the_list_is_requested_once() -> None:
    terminal = Terminal(server := Server(15))
    server.takes = lambda request: 25.0 if isinstance(request, FetchThread) else None
    terminal.press(*"jjjjj", seconds=24.0)
    here = terminal.inbox.selection.id
    assert here not in terminal.cache.threads
    terminal.wait(2.0)
    assert here in terminal.cache.threads
    terminal.wait(25.0)
    threads = [one.conversation.id for one in server.asked if isinstance(one, FetchThread)]
    assert threads.count(here or "") == 1


def test_a_request_that_is_not_answered_is_seen_with_its_seconds() -> None:
    terminal = Terminal(server := Server(30))
    terminal.wait(4.0)
    assert terminal.status == "live"
    server.error, server.seconds = DOWN, 8.5
    terminal.press("ctrl+r", seconds=0.5)
    assert terminal.status == "live"
    for passed in range(1, 8):
        terminal.wait(1.0)
        asking = f" · asking… {passed} s" if passed > 2 else ""
        assert terminal.status == f"live{asking}"
    terminal.wait(1.5)
    retry = r"offline · as of [\d:]+ · retrying"
    assert re.fullmatch(rf"{retry} in \d s", terminal.status)
    terminal.wait(8.0)
    assert re.fullmatch(rf"{retry} now… [34] s", terminal.status)
    server.error, server.seconds = None, 0.0
    terminal.press("6", seconds=1.0)
    assert "asking" not in terminal.status
    assert terminal.status.startswith("live")
    server.seconds = 3.5
    terminal.press("8", seconds=2.5)
    assert " loading… 2 s · " in terminal.status


def test_the_list_and_the_status_line_say_the_same_seconds_of_this_view() -> None:
    terminal = Terminal(Server(30, seconds=9.0))

    def waited() -> set[str]:
        """What the list and the status line say."""
        said = re.findall(r"(?:connecting|loading)…(?: \d+ s)?", terminal.status)
        assert len(said) == 1, terminal.status
        return {text.partition("…")[2] for text in (*said, words.empty(terminal.inbox))}

    terminal.wait(0.6)
    for seconds in (1, 2, 3):
        assert waited() == {f" {seconds} s"}
        terminal.wait(1.0)
    for key in ("6", "7", "9"):
        terminal.press(key, seconds=0.5)
        assert waited() == {""}
        for seconds in (1, 2, 3):
            terminal.wait(1.0)
            assert waited() == {f" {seconds} s"}


# In a short list the row leaves the page; in a long one it is below the page that is loaded again.
@pytest.mark.parametrize("server", [Server(60), basic(200)], ids=["leaves", "is_below"])
def test_a_resolved_conversation_that_opens_again_is_shown_as_open(server: Server) -> None:
    terminal = Terminal(server)
    terminal.query("is:resolved", seconds=5.0)
    terminal.press("G", seconds=60.0)
    inbox, here = terminal.inbox, terminal.inbox.selection.id or ""
    assert inbox.selected is not None
    assert inbox.selected.status == "resolved"
    server.change(here, status="open")
    terminal.wait(130.0)
    assert inbox.selection.id == here
    assert terminal.cache.threads[here] == server.rows[here].last_activity_at
    assert inbox.selected.status == "open"
    assert here in terminal.window.dimmed
    # Not with each poll: for its message, and when it has left the list.
    asked = [one for one in server.asked if isinstance(one, FetchConversation)]
    assert len(asked) <= 2


def test_names_that_were_missed_offline_are_asked_for_once_the_server_is_back() -> None:
    terminal = Terminal(server := Server(30, error=DOWN))
    terminal.wait(10.0)
    assert not terminal.inbox.planning.names.users
    server.error = None
    terminal.wait(120.0)
    assert terminal.inbox.planning.names.users == {"1": "Grace Okafor"}
    assert "Madrid" in terminal.inbox.planning.names.channels


def test_an_answer_that_fails_after_the_key_is_said_to_be_unknown() -> None:
    terminal = Terminal(Server(15, error=DOWN, seconds=1.0))
    terminal.press("ctrl+r", "W", seconds=0.2)
    assert NOT_KNOWN not in terminal.said
    terminal.wait(2.0)
    assert NOT_KNOWN in terminal.said


def test_a_server_that_refuses_orders_is_asked_for_one_once() -> None:
    terminal = Terminal(server := basic(120))
    terminal.press("G", seconds=20.0)
    terminal.query("is:open sort:waiting", seconds=20.0)
    for key in ("9", "8"):
        terminal.press(key, seconds=20.0)
    terminal.query("is:open waiting:>1h sort:window", seconds=20.0)
    terminal.press("W", seconds=20.0)
    terminal.press("9")
    terminal.query("is:open sort:waiting", seconds=20.0)
    assert terminal.in_view[:15] == waiting_on(server)[:15]
    orders = [filter_of(one).sort for one in server.asked]
    assert [order for order in orders if order] == ["waiting"]


def test_refresh_asks_at_once_and_never_makes_the_wait_longer() -> None:
    terminal = Terminal(server := Server(15))
    server.error = DOWN
    terminal.wait(40.0)
    left = seconds_left(terminal)
    for _ in range(6):
        asked = len(server.asked)
        terminal.press("ctrl+r", seconds=0.5)
        assert len(server.asked) > asked
        assert seconds_left(terminal) <= left
        left = seconds_left(terminal)
    server.error = None
    terminal.press("ctrl+r")
    assert terminal.status.startswith("live")


def test_live_is_said_after_the_first_answer_only() -> None:
    terminal = Terminal(Server(30, seconds=1.0))
    terminal.wait(10.0)
    assert "live" in terminal.status
    terminal.press("9", seconds=0.5)
    assert "live" not in terminal.status
    assert "loading…" in terminal.status
    terminal.wait(5.0)
    assert "live" in terminal.status


def test_mine_without_a_user_says_what_to_do_and_is_not_asked_for_again() -> None:
    terminal = Terminal(server := Server(15, fails=nobody))
    terminal.press("5", seconds=2.0)
    said = "Nobody is “me” here: use a key of your own (or --as you@example.com"
    assert words.empty(terminal.inbox).startswith(said)
    assert "not been loaded" not in words.empty(terminal.inbox)
    asked = len(server.asked)
    terminal.wait(600.0)
    assert len(server.asked) == asked
    terminal.press("6", seconds=2.0)
    assert "live" in terminal.status


def test_offline_nothing_is_said_to_be_mine_while_nobody_is_me() -> None:
    terminal = Terminal(server := Server(15, fails=nobody))
    server.error = DOWN
    terminal.press("ctrl+r", seconds=1.0)
    terminal.press("5", seconds=2.0)
    assert "not been loaded yet" in words.empty(terminal.inbox)
    assert words.title(terminal.inbox) == "Mine"
    assert "from the open list" not in terminal.status
    assert not terminal.names
