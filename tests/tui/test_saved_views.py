"""Saved views, histories of views and queries, and the first view of a new inbox."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontdesk.cache import Cache
from frontdesk.inbox.planning import first_query, stored_query
from frontdesk.inbox.view import ViewHistory
from frontdesk.mailbox import Mailbox
from frontdesk.query import SavedView, parse
from frontdesk.tui.saved_views import FIRST_VIEWS, QueryHistory, SavedViews
from frontdesk.wire import Counts
from tests.mailbox.inbox import Inbox
from tests.query.test_language import QUERIES

BILLING = SavedView("Billing", parse("is:open #billing sort:waiting"), "8")
SPAM = SavedView("Spam", parse("#spam"))


@pytest.fixture
def mailbox(cache: Cache) -> Mailbox:
    return Mailbox(Inbox, cache)


@given(st.text())
def test_a_stored_text_that_is_no_query_is_forgotten(text: str) -> None:
    query = stored_query(text)
    assert query is None or stored_query(str(query)) == query


def test_the_configuration_changes_defaults_and_what_is_saved_here_changes_both(
    mailbox: Mailbox,
) -> None:
    views = SavedViews(mailbox, [BILLING, SPAM])
    assert [view.name for view in views.all()] == [
        *("Mine", "Unassigned", "Needs a human", "Billing", "All open", "Spam")
    ]
    mine = SavedView("My billing", parse("@me #billing"), "8")
    views.save(mine)
    assert SavedViews(mailbox, [BILLING]).of("8") == mine
    assert views.named(parse("#billing @me")) == mine
    # The configured view of that key is without one.
    assert BILLING._replace(key="") in views.all()
    views.save(BILLING._replace(query=parse("is:open #billing")))
    assert [view.key for view in views.all() if view.name == "Billing"] == ["8"]


def test_a_view_has_a_namesake_in_another_place_only(mailbox: Mailbox) -> None:
    views = SavedViews(mailbox, [BILLING, SPAM])
    assert views.namesake(BILLING._replace(key="9")) == BILLING
    assert views.namesake(BILLING._replace(key="")) == BILLING
    assert views.namesake(SPAM._replace(key="9")) == SPAM
    assert views.namesake(BILLING) is None
    assert views.namesake(SPAM) is None
    # The default of this key was replaced.
    assert views.namesake(SavedView("Waiting >1h", parse("#vip"), "9")) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(QUERIES, st.sampled_from(["", "5", "9"]))
def test_a_saved_view_comes_back_as_it_was_and_its_undoing_too(
    mailbox: Mailbox, query: object, key: str
) -> None:
    views = SavedViews(mailbox)
    before, snapshot = views.all(), views.snapshot()
    view = SavedView("A view", query, key)  # type: ignore[arg-type]
    views.save(view)
    assert view in SavedViews(mailbox).all()
    views.restore(snapshot)
    assert SavedViews(mailbox).all() == before


@pytest.mark.parametrize("text", ["", "{}", "7", '[{"name": 1}]', '{"5": {"filter": {}}}', "{"])
def test_views_of_another_version_are_forgotten(mailbox: Mailbox, text: str) -> None:
    mailbox.set_setting("inbox.views", text)
    mailbox.set_setting("inbox.queries", text)
    assert SavedViews(mailbox).all() == list(FIRST_VIEWS)
    assert QueryHistory(mailbox).all() == []


def test_the_history_of_the_filter_line_has_each_query_once_newest_first(mailbox: Mailbox) -> None:
    history = QueryHistory(mailbox)
    for text in ("is:open", "@me", "is:open"):
        history.add(text)
    assert QueryHistory(mailbox).all() == ["is:open", "@me"]


def test_the_history_of_the_filter_line_has_fifty_queries(mailbox: Mailbox) -> None:
    history = QueryHistory(mailbox)
    for number in range(51):
        history.add(f"#label{number}")
    assert history.all() == [f"#label{number}" for number in range(50, 0, -1)]


def test_back_and_forward_lead_to_the_same_views_with_their_selection() -> None:
    history = ViewHistory()
    first, second, third = map(parse, ("is:open", "@me", "#vip"))
    history.leave(first, "1")
    history.leave(second, "2")
    assert history.step(-1, third, "3") == (second, "2")
    assert history.step(-1, second, "2") == (first, "1")
    assert history.step(-1, first, "1") is None
    assert history.step(1, first, "1") == (second, "2")
    history.leave(second, "2")
    assert history.step(1, first, "1") is None


@pytest.mark.parametrize(
    ("numbers", "status"),
    [
        ((3, 2, 1), "open"),
        ((0, 2, 1), "snoozed"),
        ((0, 0, 1), "resolved"),
        ((0, 0, 0), "open"),
    ],
)
def test_an_inbox_opens_on_the_first_status_that_has_conversations(
    numbers: tuple[int, int, int], status: str
) -> None:
    names = ("open", "snoozed", "resolved")
    by_status = {name: {"all": number} for name, number in zip(names, numbers, strict=True)}
    counts = Counts.model_validate({"by_status": by_status})
    assert str(first_query(counts)) == f"is:{status}"


@pytest.mark.parametrize("counts", [None, Counts()])
def test_while_nothing_is_counted_it_opens_on_open(counts: Counts | None) -> None:
    assert str(first_query(counts)) == "is:open"
