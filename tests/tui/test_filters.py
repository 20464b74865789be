"""What was remembered of a filter, and where an inbox opens that remembers nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.filters import without
from frontdesk.tui.inbox.queue_pane import first_filter
from frontdesk.tui.labels import Names, chips
from frontdesk.tui.local_filter import ORDERS, Sieve, View, stored_view
from frontdesk.wire import ConversationFilter, Counts

CHOSEN = st.builds(
    ConversationFilter,
    status=st.none() | st.text(),
    assignee=st.none() | st.text(),
    channel=st.none() | st.text(),
    label=st.none() | st.text(),
)
SIEVES = st.builds(
    Sieve,
    unread=st.booleans(),
    awaiting_human=st.booleans(),
    text=st.text(),
    order=st.sampled_from(sorted(ORDERS)),
    contact=st.text(),
    contact_name=st.text(),
)


@given(st.builds(View, filter=CHOSEN, sieve=SIEVES))
def test_a_view_comes_back_as_it_was_stored(view: View) -> None:
    assert stored_view(view.model_dump_json()) == view


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "null",
        "[]",
        "7",
        '"open"',
        "{",
        '{"filter": 5}',
        '{"filter": {"label": ["a"]}}',
        '{"sieve": {"unread": "perhaps"}}',
        "\x00",
        "open",
        '{"filter": {"status": "\ud800"}}',
        "[" * 100_000,
    ],
)
def test_what_is_no_filter_is_forgotten(text: str | None) -> None:
    assert stored_view(text) is None


def test_members_that_a_later_version_stored_are_left_out() -> None:
    stored = stored_view('{"filter": {"status": "open", "team": "7"}, "teams": 1}')
    assert stored == View(filter=ConversationFilter(status="open"))


@given(SIEVES)
def test_a_view_whose_chips_are_all_taken_off_is_the_servers_own_list(sieve: Sieve) -> None:
    view = View(sieve=sieve)
    while shown := chips(view, Names.of((), ())):
        view = without(view, shown[-1][0])
    assert view.sieve.idle
    assert not view.sieve.filters


@given(st.text())
def test_no_garbage_is_fatal(text: str) -> None:
    assert stored_view(text) is None or stored_view(text)


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
    assert first_filter(counts) == ConversationFilter(status=status)


@pytest.mark.parametrize("counts", [None, Counts()])
def test_while_nothing_is_counted_it_opens_on_open(counts: Counts | None) -> None:
    assert first_filter(counts) == ConversationFilter(status="open")
