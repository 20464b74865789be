"""What was remembered of a filter, and where an inbox opens that remembers nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.screens.filters import first_filter, stored_filter
from frontdesk.wire import ConversationFilter, Counts


@given(
    st.builds(
        ConversationFilter,
        status=st.none() | st.text(),
        assignee=st.none() | st.text(),
        channel=st.none() | st.text(),
        label=st.none() | st.text(),
    )
)
def test_a_filter_comes_back_as_it_was_stored(chosen: ConversationFilter) -> None:
    assert stored_filter(chosen.model_dump_json()) == chosen


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
        '{"status": 5}',
        '{"label": ["a"]}',
        '{"channel": {"id": "1"}}',
        "\x00",
        "open",
        '{"status": "\ud800"}',
        "[" * 100_000,
    ],
)
def test_what_is_no_filter_is_forgotten(text: str | None) -> None:
    assert stored_filter(text) is None


def test_members_that_a_later_version_stored_are_left_out() -> None:
    stored = stored_filter('{"status": "open", "team": "7"}')
    assert stored == ConversationFilter(status="open")


@given(st.text())
def test_no_garbage_is_fatal(text: str) -> None:
    assert stored_filter(text) is None or stored_filter(text)


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
