"""What the panes are told to do after a key and after an answer."""

import pytest

from frontdesk.inbox import navigating, selecting
from frontdesk.wire import Contact, PhoneRef
from tests.inbox.asked import Description, FetchConversation, FetchHead, FetchNames, FetchThread
from tests.inbox.memory import DOWN, Server, Terminal, name


def settled() -> tuple[Terminal, Server]:
    """A terminal whose thread is loaded, and that was told nothing since."""
    terminal = Terminal(server := Server(30))
    terminal.wait(3.0)
    forget(terminal, server)
    return terminal, server


def forget(terminal: Terminal, server: Server) -> None:
    terminal.told.clear()
    server.asked.clear()


def test_what_runs_in_the_background_begins_once_with_the_first_answer() -> None:
    terminal = Terminal(Server(30, seconds=1.0), settle=0.5)
    assert "begin_background" not in terminal.told
    terminal.wait(60.0)
    assert terminal.told.count("begin_background") == 1


def test_what_runs_in_the_background_begins_without_an_answer_too() -> None:
    terminal = Terminal(Server(30, error=DOWN))
    assert terminal.told.count("begin_background") == 1
    assert "look_ahead" not in terminal.told
    assert "highlight_new" not in terminal.told


def test_an_answer_is_shown_and_what_moved_is_highlighted() -> None:
    terminal, _ = settled()
    terminal.wait(31.0)
    # The rows come first, then the thread, then the counts.
    rows, thread = ["highlight_new", "show_renewed"], ["look_ahead"]
    assert terminal.told == [*rows, *thread, "show_renewed", "look_ahead"]


def test_names_that_have_come_are_drawn() -> None:
    def takes(request: Description) -> float | None:
        return 5.0 if isinstance(request, FetchNames) else None

    server = Server(30)
    server.takes = takes
    terminal = Terminal(server)
    terminal.wait(2.0)
    terminal.told.clear()
    terminal.wait(5.0)
    assert terminal.told == ["draw_ahead"]


def test_new_activity_rings_once() -> None:
    terminal, server = settled()
    server.change("7", unread_count=2)
    terminal.wait(40.0)
    assert terminal.told.count("ring") == 1


def test_activity_that_was_read_does_not_ring() -> None:
    terminal, server = settled()
    server.change("7", unread_count=0)
    terminal.wait(40.0)
    assert "ring" not in terminal.told


def test_a_conversation_that_is_opened_is_drawn_and_looked_ahead_of() -> None:
    terminal, _ = settled()
    terminal.press("j", seconds=0.1)
    assert terminal.told == []
    terminal.wait(0.4)
    assert terminal.told == ["draw_ahead", "look_ahead"]


def test_a_thread_that_does_not_come_says_why() -> None:
    terminal, server = settled()
    server.fails = lambda request: DOWN if isinstance(request, FetchThread) else None
    terminal.press("j")
    assert terminal.problems == ["The server does not answer"]
    assert "look_ahead" not in terminal.told


def test_another_view_ends_the_notices_of_the_one_before() -> None:
    terminal, _ = settled()
    terminal.query("is:snoozed")
    assert terminal.told.count("end_notices") == 1
    terminal.query("is:snoozed")
    assert terminal.told.count("end_notices") == 1
    terminal.press("H")
    assert terminal.told.count("end_notices") == 2


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("message 7", ["show_entry message 7"]),
        ("note 7", ["show_entry note 7"]),
        ("event 7", []),
        ("", []),
    ],
)
def test_a_found_entry_is_shown_in_its_thread(entry: str, told: list[str]) -> None:
    terminal, _ = settled()
    id = terminal.ids[4]
    terminal.do(selecting.go_to_conversation, terminal.inbox, id, entry)
    assert terminal.window.selected_id == id
    assert [one for one in terminal.told if one.startswith("show_entry")] == told


def test_a_conversation_that_is_not_listed_is_not_gone_to() -> None:
    terminal, _ = settled()
    before = terminal.selected
    assert not selecting.go_to_conversation(terminal.inbox, "900", "message 7")
    assert terminal.selected == before
    assert selecting.go_to_conversation(terminal.inbox, terminal.ids[4])


def test_a_found_message_is_shown_among_the_conversations_of_its_customer() -> None:
    terminal, server = settled()
    terminal.press("enter")
    row = server.rows["7"]
    terminal.do(navigating.show_conversation, terminal.inbox, "7", "message 9")
    terminal.wait(1.0)
    assert terminal.pane == "list"
    assert terminal.ids == ["7"]
    assert str(terminal.inbox.view.query) == f"from:{row.contact.phone}"
    assert terminal.told.count("show_entry message 9") == 1
    assert terminal.thread == "7"
    # The way back is told once.
    assert len(terminal.said) == 1
    terminal.said.clear()
    terminal.do(navigating.show_customer, terminal.inbox, row.contact)
    assert terminal.said == []


def test_a_conversation_that_is_not_on_this_computer_is_not_shown() -> None:
    terminal, _ = settled()
    before = terminal.inbox.view.query
    terminal.do(navigating.show_conversation, terminal.inbox, "900")
    assert terminal.inbox.view.query == before
    assert len(terminal.said) == 1


@pytest.mark.parametrize("contact", [Contact(id="c7", name="x"), PhoneRef(id="c7")])
def test_a_customer_without_a_number_is_shown_by_id(contact: Contact | PhoneRef) -> None:
    terminal, _ = settled()
    terminal.do(navigating.show_customer, terminal.inbox, contact)
    terminal.wait(1.0)
    assert str(terminal.inbox.view.query) == "from:id:c7"
    assert terminal.names == [name(7)]


def asked_for_rows(server: Server) -> list[Description]:
    return [request for request in server.asked if isinstance(request, FetchConversation)]


def test_a_conversation_that_left_the_list_is_asked_for_once() -> None:
    terminal, server = settled()
    terminal.press("j", seconds=3.0)
    id = terminal.window.selected_id or ""
    forget(terminal, server)
    server.change(id, status="resolved")
    terminal.wait(65.0)
    assert terminal.window.dimmed == {id}
    asked = len(asked_for_rows(server))
    assert asked > 0
    terminal.wait(300.0)
    # Once for each message, and once as it has left.
    assert len(asked_for_rows(server)) == asked <= 2
    assert terminal.listed[terminal.window.cursor].status == "resolved"
    assert terminal.told.count("show_renewed") > 1


def test_a_conversation_as_it_is_listed_is_not_asked_for() -> None:
    terminal, server = settled()
    terminal.press("j", "k", "j", seconds=60.0)
    assert asked_for_rows(server) == []


def test_a_refresh_by_hand_asks_for_the_list_and_the_thread() -> None:
    terminal, server = settled()
    terminal.press("ctrl+r", seconds=0.0)
    asked = {type(one.request) for one in terminal.awaited} | {type(one) for one in server.asked}
    assert asked >= {FetchHead, FetchThread}
