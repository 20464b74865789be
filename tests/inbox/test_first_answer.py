"""A view before the first answer of the server for it."""

from frontdesk.errors import Unreachable
from frontdesk.inbox import refreshing, words
from frontdesk.query import SavedView, parse
from tests.inbox.asked import Description, FetchCounts
from tests.inbox.memory import Server, Terminal

AWAY = Unreachable("Nobody answers")


def needing_a_human(terminal: Terminal) -> set[str]:
    return {row.id for row in terminal.listed if row.awaiting_human}


def test_a_filter_may_be_chosen_before_the_first_answer() -> None:
    terminal = Terminal(Server(30, seconds=1.0), settle=0.3)
    assert not terminal.ids
    terminal.query("is:snoozed", seconds=5.0)
    assert words.title(terminal.inbox).startswith("Snoozed")
    assert {row.status for row in terminal.listed} == {"snoozed"}
    assert "live" in terminal.status


def test_a_first_start_shows_its_rows_before_it_knows_the_counts() -> None:
    def takes(request: Description) -> float | None:
        return 30.0 if isinstance(request, FetchCounts) else None

    terminal = Terminal(Server(30, takes=takes))
    assert {row.status for row in terminal.listed} == {"open"}


def test_what_is_beside_the_list_is_shown_anew_with_its_rows_and_before_the_counts() -> None:
    terminal = Terminal(server := Server(30))
    terminal.wait(5.0)
    server.takes = lambda request: 30.0 if isinstance(request, FetchCounts) else None
    server.change("7", status="open")
    terminal.told.clear()
    terminal.press("ctrl+r", seconds=1.0)
    assert terminal.ids[0] == "7"
    assert {"show_renewed", "highlight_new"} <= {*terminal.told}


def test_a_first_start_without_an_open_conversation_shows_those_that_there_are() -> None:
    server = Server(30, seconds=1.0, counts_by=True)
    for id, row in server.rows.items():
        server.rows[id] = row.model_copy(update={"status": "resolved"})
    terminal = Terminal(server, settle=5.0)
    assert {row.status for row in terminal.listed} == {"resolved"}
    assert words.title(terminal.inbox).startswith("Resolved")


def test_loaded_rows_that_match_are_there_at_once_with_the_cursor_on_the_last_selected() -> None:
    terminal = Terminal(Server(30))
    others = [id for id in terminal.ids if id not in needing_a_human(terminal)]
    terminal.window.go_to(terminal.ids.index(others[3]))
    terminal.press("enter")
    terminal.do(refreshing.show_query, terminal.inbox, parse("is:open -needs:human"))
    assert terminal.ids == others
    assert terminal.window.selected_id == others[3]


def test_rows_do_not_wait_for_the_counts_of_tabs() -> None:
    def takes(request: Description) -> float | None:
        labelled = isinstance(request, FetchCounts) and request.filter.label is not None
        return 30.0 if labelled else None

    views = [SavedView("Refunds", parse("is:open #refund"), "8")]
    terminal = Terminal(server := Server(30, takes=takes), views=views)
    assert terminal.ids
    terminal.query("is:snoozed")
    assert {row.status for row in terminal.listed} == {"snoozed"}
    assert "live" not in terminal.status
    server.asked.clear()
    terminal.wait(30.0)
    counted = [one.filter.label for one in server.asked if isinstance(one, FetchCounts)]
    assert "refund" in counted
    assert "live" in terminal.status


def test_offline_a_view_that_was_never_loaded_is_filtered_from_the_list_of_its_status() -> None:
    terminal = Terminal(server := Server(90))
    terminal.press("G", seconds=5.0)
    every, waiting = terminal.ids, needing_a_human(terminal)
    server.error = AWAY
    terminal.press("ctrl+r")
    assert "offline" in terminal.status
    terminal.query("is:open needs:human")
    assert set(terminal.ids) == waiting
    assert 0 < len(waiting) < len(every) == 60
    assert f"{len(waiting)} from the open list" in terminal.status
    terminal.query("is:snoozed needs:human")
    assert terminal.ids == []
    server.error = None
    terminal.query("is:open needs:human")
    terminal.press("ctrl+r")
    assert "live" in terminal.status
    assert set(terminal.ids) == waiting


def test_a_slow_server_leaves_nobody_without_the_rows_that_are_here() -> None:
    terminal = Terminal(server := Server(90))
    terminal.press("G", seconds=5.0)
    waiting = needing_a_human(terminal)
    server.seconds = 30.0
    terminal.query("is:open needs:human")
    assert set(terminal.ids) == waiting
    assert "loading…" in terminal.status or "from the open list" in terminal.status
    # Nothing of this status was loaded.
    terminal.query("is:snoozed needs:human")
    assert terminal.ids == []
    assert not terminal.inbox.partial_terms
    server.seconds = 0.0
    terminal.query("is:open needs:human")
    assert "live" in terminal.status
    assert set(terminal.ids) == waiting


def test_last_pressed_before_the_first_answer_leads_to_the_last_row() -> None:
    terminal = Terminal(Server(90, seconds=1.0), settle=0.3)
    terminal.press("G", seconds=30.0)
    assert terminal.inbox.selection.id == terminal.ids[-1]
    assert len(terminal.ids) == 60
