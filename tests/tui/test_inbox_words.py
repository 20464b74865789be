"""What the bars say about filters, counts, the open conversation and the keys."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.labels import (
    Names,
    count_for,
    empty_words,
    header_counts,
    hint_pieces,
    proved_by,
    rounded,
    status_tabs,
    thread_foot,
    thread_head,
    view_words,
)
from frontdesk.tui.local_filter import Sieve, View
from frontdesk.tui.widgets.line_widget import Piece, spread, width_of
from frontdesk.wire import Channel, Conversation, ConversationFilter, Counts, User
from tests.tui.texts import drawn_text

NAMES = Names.of([Channel(id="1", name="Support\nEU")], [User(id="7", name="Ana Souza")])
KEYS = KeyNames([InboxScreen], {"inbox.take_off": "f6"})
CLOCK = Clock(UTC, lambda: datetime(2026, 3, 14, 10, 0, tzinfo=UTC))


def count_set(every: int, mine: int | None = None) -> dict[str, int | None]:
    return {"all": every, "mine": mine, "assigned": every - 1, "unassigned": 1}


COUNTS = Counts.model_validate(
    {
        "open": 12,
        "mine": 3,
        "unassigned": 1,
        "awaiting_human": 2,
        "unread": 5,
        "by_status": {
            "open": count_set(12, 3),
            "snoozed": count_set(4, 0),
            "resolved": count_set(20, 9),
        },
    }
)


def conversation(**members: Any) -> Conversation:
    base = {
        "id": "1042",
        "status": "open",
        "channel": {"id": "1", "name": "Support EU"},
        "contact": {"id": "88", "name": "Sheena Nelson", "phone": "+16505551234"},
        "last_activity_at": "2026-03-14T09:48:00Z",
    }
    return Conversation.model_validate({**base, **members})


HEADER = {
    "open": "open",
    "mine": "mine",
    "unassigned": "unassigned",
    "awaiting_human": "need a human",
    "unread": "unread",
}


def said(pieces: list[Piece]) -> str:
    return "".join(text for _, text in pieces)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({}, "any status · all channels"),
        ({"status": "open"}, "open · all channels"),
        ({"status": "open", "assignee": "me"}, "open · mine · all channels"),
        ({"assignee": "unassigned"}, "any status · unassigned · all channels"),
        ({"assignee": "7", "channel": "1"}, "any status · @Ana Souza · Support EU"),
        ({"assignee": "8", "channel": "2"}, "any status · @8 · 2"),
        ({"label": "two\nwords"}, "any status · #two words · all channels"),
    ],
)
def test_a_filter_is_a_phrase(chosen: dict[str, str], words: str) -> None:
    assert view_words(View(filter=ConversationFilter(**chosen)), NAMES) == words


def test_the_header_counts_as_much_as_there_is_room_for() -> None:
    whole = said(header_counts(COUNTS, 200))
    assert whole.split(" · ") == [
        "  12 open",
        "3 mine",
        "1 unassigned",
        "2 need a human",
        "5 unread ",
    ]
    assert said(header_counts(COUNTS, 25)) == "  12 open · 3 mine "
    for room in range(3, 80):
        assert len(said(header_counts(COUNTS, room))) <= room
    assert header_counts(None, 80) == []


@given(
    told=st.dictionaries(st.sampled_from(tuple(HEADER)), st.integers(0, 9)), proved=st.booleans()
)
def test_the_header_has_a_number_for_what_is_told_or_proved_and_for_nothing_else(
    told: dict[str, int], proved: bool
) -> None:
    rows = [conversation(assignee=None, awaiting_human=True), conversation(status="resolved")]
    least = proved_by(rows) if proved else None
    shown = said(header_counts(Counts(**told), 300, least=least)).strip()
    expected = []
    for name, words in HEADER.items():
        if name in told:
            expected.append(f"{told[name]} {words}")
        elif proved and name in ("open", "unassigned", "awaiting_human"):
            expected.append(f"at least 1 {words}")
    assert shown == " · ".join(expected)


def test_a_row_whose_assignee_nobody_told_proves_nothing() -> None:
    rows = [conversation(), conversation(assignee=None), conversation(unread_count=2)]
    least = proved_by(rows)
    assert (least.open, least.unassigned, least.awaiting_human, least.unread) == (3, 1, 0, 1)


def test_counts_without_those_of_each_status_count_the_tabs_but_no_assignees() -> None:
    flat = Counts(all=36, open=12, snoozed=4, unassigned=3)
    tabs = said(status_tabs(flat, ConversationFilter(status="open"), 60))
    assert tabs.split() == ["Open", "12", "Snoozed", "4", "Resolved"]
    assert count_for(flat, ConversationFilter()) == 36
    assert count_for(flat, ConversationFilter(status="open", assignee="unassigned")) is None


def test_without_a_user_nothing_is_mine() -> None:
    assert "mine" not in said(header_counts(Counts(open=1), 80))


def test_the_tabs_count_every_status_and_mark_the_chosen_one() -> None:
    pieces = status_tabs(COUNTS, ConversationFilter(status="snoozed"), 60)
    assert said(pieces).split() == ["Open", "12", "Snoozed", "4", "Resolved", "20"]
    assert [text for part, text in pieces if part == "chip"] == [" Snoozed 4 "]


def test_the_tabs_say_when_every_status_is_shown() -> None:
    assert said(status_tabs(None, ConversationFilter(), 39)) == "Open Snoozed Resolved Any"


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ({"status": "open"}, 12),
        ({"status": "open", "assignee": "me"}, 3),
        ({"status": "open", "assignee": "assigned"}, 11),
        ({"assignee": "unassigned"}, 3),
        ({}, 36),
        ({"status": "open", "assignee": "7"}, None),
    ],
)
def test_a_filter_is_counted_where_the_counts_tell(
    chosen: dict[str, str], count: int | None
) -> None:
    assert count_for(COUNTS, ConversationFilter(**chosen)) == count
    assert count_for(None, ConversationFilter(**chosen)) is None


def test_a_thread_says_who_it_is_and_how_it_stands() -> None:
    row = conversation(labels=("a", "b", "c", "d"), assignee={"id": "7", "name": "Ana"})
    left, right = thread_head(row, 80)
    assert said(left) == "Sheena Nelson  +1 650-555-1234 · Support EU"
    assert said(right) == "Ana"
    left, right = thread_head(row.model_copy(update={"awaiting_human": True}), 80)
    assert said(right) == "needs a human · Ana"
    left, right = thread_head(row.model_copy(update={"status": "resolved"}), 50)
    assert said(left) == "Sheena Nelson  +1 650-555-1234"
    assert said(right) == "resolved · Ana"


def test_a_thread_without_a_name_is_named_by_number_or_id() -> None:
    nameless = conversation(contact={"id": "8", "phone": "+1650"})
    assert said(thread_head(nameless, 24)[0]) in ("+1650", "+1 650")
    assert said(thread_head(conversation(contact={"id": "8"}), 24)[0]) == "contact 8"


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (None, " "),
        ("2026-03-14T12:00:00Z", " Reply window: 2 h 0 m left"),
        ("2026-03-14T09:00:00Z", " Reply window: closed"),
    ],
)
def test_the_foot_says_how_long_a_reply_is_allowed(ends: str | None, words: str) -> None:
    row = conversation(service_window_expires_at=ends)
    assert said(thread_foot(row, CLOCK, below_key="")) == words
    assert said(thread_foot(row, CLOCK, below_key="G")) == f"{words}   more below ▼ G"


def test_as_many_keys_are_named_as_fit_and_always_where_the_others_are() -> None:
    hints, last = (("↵", "open"), ("f", "filter")), ("?", "help")
    assert said(hint_pieces(hints, 40, last)) == "  ↵ open   f filter   ? help  "
    assert said(hint_pieces(hints, 20, last)) == "  ↵ open   ? help  "
    assert said(hint_pieces(hints, 5, last)) == "  ? help  "


def test_an_empty_list_says_why_and_what_helps() -> None:
    chosen = View(filter=ConversationFilter(status="open"))
    assert empty_words(chosen, NAMES, KEYS, loaded=True, problem="").endswith(
        "f changes the filter."
    )
    assert empty_words(chosen, NAMES, KEYS, loaded=False, problem="") == "loading…"
    sifted = View(filter=chosen.filter, sieve=Sieve(unread=True))
    words = empty_words(sifted, NAMES, KEYS, loaded=True, problem="")
    assert words.startswith("Nothing loaded so far is open · ~unread")
    assert words.endswith("f6 takes off the last filter.")
    assert empty_words(chosen, NAMES, KEYS, loaded=False, problem="Offline.").startswith(
        "Offline. "
    )


def test_an_empty_list_of_a_customer_names_the_filters_that_their_conversations_do_not_match() -> (
    None
):
    customer = Sieve(contact="9", contact_name="Harry Patel")
    resolved = View(filter=ConversationFilter(status="resolved", channel="1"), sieve=customer)
    words = empty_words(resolved, NAMES, KEYS, loaded=True, problem="", complete=True)
    assert words.startswith("No conversation of Harry Patel is resolved · Support EU.")
    alone = View(sieve=customer)
    words = empty_words(alone, NAMES, KEYS, loaded=True, problem="", complete=True)
    assert words == "Harry Patel has no conversations.  f6 takes off the last filter."


@given(drawn_text(), drawn_text(), drawn_text(), st.integers(1, 120))
def test_the_bar_over_a_thread_is_one_line_whatever_the_names(
    name: str, status: str, label: str, width: int
) -> None:
    row = conversation(
        contact={"id": "8", "name": name, "phone": name},
        status=status,
        labels=(label,),
        assignee={"id": "7", "name": name},
    )
    line = spread(*thread_head(row, width), width)
    assert width_of(line) == width
    assert "\n" not in said(line)


@given(drawn_text(), drawn_text(), drawn_text(), st.integers(20, 200))
def test_the_name_is_the_last_thing_that_the_bar_over_a_thread_gives_up(
    status: str, label: str, assignee: str, width: int
) -> None:
    row = conversation(
        contact={"id": "8", "name": "Sheena Nelson", "phone": "+16505551234"},
        status=status,
        labels=(label, label, label),
        assignee={"id": "7", "name": assignee},
    )
    assert "Sheena Nelson" in said(spread(*thread_head(row, width), width - 1))


def test_the_number_outlasts_the_assignee_and_that_the_status_and_channel() -> None:
    row = conversation(status="snoozed", awaiting_human=True, assignee={"id": "7", "name": "Ana"})
    parts = ("Support EU", "snoozed", "!", "Ana", "+1 650-555-1234", "Sheena Nelson")
    lines = [
        said([*left, *right]).replace("needs a human", "!")
        for left, right in (thread_head(row, w) for w in range(80, 10, -1))
    ]
    missing = [{part for part in parts if part not in line} for line in lines]
    assert all(gone in [set(parts[:n]) for n in range(len(parts))] for gone in missing)
    assert missing[0] == set()
    assert missing[-1] == set(parts[:-1])


def test_numbers_of_a_tab_are_rounded_before_they_are_cut_off() -> None:
    every = {"open": 27_923, "snoozed": 6_872, "resolved": 965_205}
    sets = {status: count_set(number) for status, number in every.items()}
    counts = Counts.model_validate({"by_status": sets})
    chosen = ConversationFilter(status="open")
    for width, words in (
        (60, "  Open 27923   Snoozed 6872   Resolved 965205 "),
        (40, " Open 27923 Snoozed 6872 Resolved 965205"),
        (37, " Open 27k Snoozed 6872 Resolved 965k"),
    ):
        assert said(status_tabs(counts, chosen, width)).split() == words.split()
        assert len(said(status_tabs(counts, chosen, width))) < width


@given(
    st.tuples(*[st.integers(0, 10**9)] * 3),
    st.sampled_from([None, "open", "snoozed", "resolved"]),
    st.integers(33, 200),
)
def test_no_number_of_a_tab_is_cut_off(
    numbers: tuple[int, ...], status: str | None, width: int
) -> None:
    """At 33 cells, the least of a list, `Resolved 4801` would say 48."""
    names = ("open", "snoozed", "resolved")
    sets = {name: count_set(number) for name, number in zip(names, numbers, strict=True)}
    counts = Counts.model_validate({"by_status": sets})
    tabs = said(status_tabs(counts, ConversationFilter(status=status), width))
    assert len(tabs) < width
    assert all(name.capitalize() in tabs for name in names)


def test_the_chosen_tabs_number_is_the_last_to_be_left_out() -> None:
    sets = {name: count_set(4801) for name in ("open", "snoozed", "resolved")}
    counts = Counts.model_validate({"by_status": sets})
    tabs = said(status_tabs(counts, ConversationFilter(status="resolved"), 33))
    assert tabs.split() == ["Open", "4801", "Snoozed", "Resolved", "4801"]


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0"), (9_999, "9999"), (10_999, "10k"), (999_999, "999k"), (12_900_000, "12M")],
)
def test_a_rounded_number_is_never_more_than_there_are(number: int, words: str) -> None:
    assert rounded(number) == words
