"""Bars of the inbox: filters, counts, the open conversation, key hints."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontdesk.inbox.chips import query_words
from frontdesk.inbox.counting import UnreadCount
from frontdesk.inbox.server_counts import count_for
from frontdesk.inbox.words import empty_words
from frontdesk.query import QueryNames, SavedView, parse
from frontdesk.text.clean import AtLeast
from frontdesk.tui.bar_texts import (
    chips,
    list_title,
    rounded,
    thread_foot,
    thread_foot_fitted,
    thread_head,
    unread_words,
    view_tabs,
)
from frontdesk.tui.clock import Clock
from frontdesk.tui.inbox.screen import InboxScreen
from frontdesk.tui.key_names import KeyNames
from frontdesk.tui.widgets.text_layout import Piece, spread, width_of
from frontdesk.wire import Channel, Conversation, ConversationFilter, Counts, PhoneRef, User
from tests.tui.compared_drawings import Drawing
from tests.tui.texts import drawn_text

NAMES = QueryNames.of([Channel(id="1", name="Support\nEU")], [User(id="7", name="Ana Souza")])
KEYS = KeyNames([InboxScreen], {"inbox.remove_filter": "f6"})
NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: NOW)


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
            "open": {**count_set(12, 3), "awaiting_human": 2},
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


def said(pieces: list[Piece]) -> str:
    return "".join(text for _, text in pieces)


def test_chips_are_the_query_with_names_for_ids() -> None:
    query = parse('is:open @id:7 in:id:1 #two -@id:8 #id:1 "id:1" from:id:7')
    assert [words for _, words in chips(query, NAMES, NOW)] == [
        "is:open",
        '@"Ana Souza"',
        "-@id:8",
        "#two",
        "#id:1",
        'in:"Support EU"',
        "from:id:7",
        '"id:1"',
    ]


def test_the_chip_of_a_customer_has_the_name_and_what_no_other_customer_has() -> None:
    contacts = [
        PhoneRef(id="1", name="Theo Kim", phone="+16505551234"),
        PhoneRef(id="2", name="Theo Kim", phone="+16505551235"),
        PhoneRef(id="3", name="Ana Souza"),
        PhoneRef(id="4", phone="+16505551237"),
    ]
    names = NAMES._replace(contacts=contacts)
    values = ["+16505551234", "id:2", "id:3", "id:4", "+16505551238", "Theo"]
    shown = [chips(parse(f"from:{value}"), names, NOW)[0][1] for value in values]
    assert shown == [
        'from:"Theo Kim" +1 650-555-1234',
        'from:"Theo Kim" +1 650-555-1235',
        'from:"Ana Souza" id:3',
        'from:"+1 650-555-1237"',
        'from:"+1 650-555-1238"',
        "from:Theo",
    ]


def test_chips_say_times_in_words_and_the_zone_where_the_account_has_another() -> None:
    query = parse("is:open waiting:>1h active:..2026-02 #two")
    channels = [Channel(id="1", name="Support", timezone=zone) for zone in ("UTC", "Asia/Tokyo")]
    here, away = (QueryNames.of([channel]) for channel in channels)
    assert query_words(query, here, NOW) == "is:open #two waiting over 1 h last active before 1 Mar"
    assert query_words(query, away, NOW).endswith(" last active before 1 Mar (UTC)")
    words = empty_words(query, here, KEYS, NOW, loaded=True, problem="")
    assert words.startswith(f"No conversation matches {query_words(query, here, NOW)}.")


def test_the_header_has_the_number_of_unread_or_why_nothing_is_counted() -> None:
    five, none = UnreadCount(5), UnreadCount(None)
    assert said(unread_words(five, 40)).strip() == "5 unread in the whole inbox"
    assert said(unread_words(five, 20)).strip() == "5 unread in all"
    assert (
        unread_words(five, 15) == unread_words(none, 30) == unread_words(UnreadCount(0), 30) == []
    )
    of_server = five._replace(of_server=True)
    assert said(unread_words(of_server, 60)).strip() == (
        "5 unread on the server, whatever was read here"
    )
    assert said(unread_words(of_server, 30)).strip() == "5 unread on the server"
    words = said(unread_words(none, 40, "This server sends no counts"))
    assert words.strip().endswith("no counts")


def test_counts_without_those_of_each_status_count_no_assignees() -> None:
    flat = Counts(all=36, open=12, snoozed=4, unassigned=3)
    assert count_for(flat, ConversationFilter()) == 36
    assert count_for(flat, ConversationFilter(status="open", assignee="unassigned")) is None
    assert count_for(flat, ConversationFilter(status="open", awaiting_human=True)) is None


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        ({"status": "open"}, 12),
        ({"status": "open", "assignee": "me"}, 3),
        ({"status": "open", "assignee": "assigned"}, 11),
        ({"assignee": "unassigned"}, 3),
        ({}, 36),
        ({"status": "open", "assignee": "7"}, None),
        ({"status": "open", "awaiting_human": True}, 2),
        # Counted by a request of its own: all that its answer has.
        ({"status": "open", "assignee": "me", "awaiting_human": True}, 12),
        ({"status": "open", "query": "@id:7,me"}, 12),
        ({"query": "is:open,snoozed"}, 16),
        ({"query": "is:open,snoozed", "assignee": "unassigned"}, 2),
        ({"status": "open", "query": "#billing,refund"}, None),
        ({"status": "open", "unread": True}, 5),
        ({"unread": True}, None),
        ({"contact": "88"}, None),
    ],
)
def test_a_filter_has_a_number_where_the_counts_contain_it(
    chosen: dict[str, Any], count: int | None
) -> None:
    assert count_for(COUNTS, ConversationFilter(**chosen)) == count
    assert count_for(None, ConversationFilter(**chosen)) is None


def test_a_thread_says_who_it_is_and_how_it_stands() -> None:
    row = conversation(labels=("a", "b", "c", "d"), assignee={"id": "7", "name": "Ana"})
    left, right = thread_head(row, CLOCK, 80)
    assert said(left) == "Sheena Nelson  +1 650-555-1234 · Support EU"
    assert said(right) == "Ana"
    left, right = thread_head(row.model_copy(update={"awaiting_human": True}), CLOCK, 80)
    assert said(right) == "needs a human · Ana"
    left, right = thread_head(row.model_copy(update={"status": "resolved"}), CLOCK, 50)
    assert said(left) == "Sheena Nelson  +1 650-555-1234"
    assert said(right) == "resolved · Ana"


def test_a_thread_without_a_name_is_named_by_number_or_id() -> None:
    nameless = conversation(contact={"id": "8", "phone": "+1650"})
    assert said(thread_head(nameless, CLOCK, 24)[0]) in ("+1650", "+1 650")
    assert said(thread_head(conversation(contact={"id": "8"}), CLOCK, 24)[0]) == "contact 8"


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        (None, " "),
        ("2026-03-14T12:00:00Z", " Reply window: 2h 0m left"),
        ("2026-03-14T10:40:00Z", " Reply window: 40m left"),
        ("2026-03-14T09:00:00Z", " Reply window: closed"),
    ],
)
def test_the_foot_says_how_long_a_reply_is_allowed(ends: str | None, words: str) -> None:
    row = conversation(service_window_expires_at=ends)
    assert said(thread_foot(row, CLOCK)) == words


def test_an_empty_list_says_why_and_what_helps() -> None:
    chosen = parse("is:open unread")
    words = empty_words(chosen, NAMES, KEYS, NOW, loaded=True, problem="")
    assert words == "No conversation matches is:open unread.  f6: remove filter"
    assert empty_words(chosen, NAMES, KEYS, NOW, loaded=False, problem="") == "Loading…"
    words = empty_words(chosen, NAMES, KEYS, NOW, loaded=False, problem="Offline.")
    assert words == "Offline. This view has not been loaded yet."
    unknown = empty_words(parse("in:paris"), NAMES, KEYS, NOW, loaded=False, problem="")
    assert unknown.startswith("No channel fits paris. There is Support EU.")


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
    line = spread(*thread_head(row, CLOCK, width), width)
    assert width_of(line) == width
    assert "\n" not in said(line)


@example("000\u200d⺀⺀⺀⺀⼀⼀⿰", "", "", 30)
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
    assert "Sheena Nelson" in said(spread(*thread_head(row, CLOCK, width), width - 1))


def test_the_status_outlasts_that_a_person_is_needed_then_number_assignee_and_channel() -> None:
    row = conversation(status="snoozed", awaiting_human=True, assignee={"id": "7", "name": "Ana"})
    parts = ("Support EU", "Ana", "+1 650-555-1234", "!", "snoozed", "Sheena Nelson")
    lines = [
        said([*left, *right]).replace("needs a human", "!")
        for left, right in (thread_head(row, CLOCK, w) for w in range(80, 10, -1))
    ]
    missing = [{part for part in parts if part not in line} for line in lines]
    assert all(gone in [set(parts[:n]) for n in range(len(parts))] for gone in missing)
    assert missing[0] == set()
    assert missing[-1] == set(parts[:-1])


def test_the_assignee_goes_before_that_a_person_is_needed() -> None:
    row = conversation(awaiting_human=True, assignee={"id": "7", "name": "Ana da Conceição"})
    words = {said(thread_head(row, CLOCK, width)[1]) for width in range(10, 60)}
    assert words == {"needs a human · Ana", "! · Ana", "!", ""}


VIEWS = [
    (SavedView("Mine", parse("is:open @me"), "5"), 8),
    (SavedView("Needs a human", parse("needs:human"), "7"), 965_205),
    (SavedView("Waiting >1h", parse("waiting:>1h"), "8"), None),
    (SavedView("A view with a name of a line", parse("#a"), "9"), 0),
]


def test_tabs_have_names_keys_and_counts_and_mark_the_shown_view() -> None:
    pieces = view_tabs(VIEWS, VIEWS[0][0], 120, "v more")
    assert said(pieces) == (
        "  5 Mine (8)   7 Needs a human (965k)   8 Waiting >1h   9 A view with a name of a line (0)"
        "   v more"
    )
    assert [text for part, text in pieces if part == "chip"] == [" 5 ", "Mine", " (8) "]
    assert next(text for part, text in pieces if part == "text") == "Needs a human"
    assert "7 Human (965k)   8 Waits >1h" in said(view_tabs(VIEWS, None, 80, "v more"))
    tight = said(view_tabs(VIEWS, None, 66, "v more"))
    assert tight == " 5 Mine (8) 7 Human (965k) 8 Waits >1h 9 A view wi… (0)  v more"


@given(st.integers(20, 130), st.sampled_from([None, *(view for view, _ in VIEWS)]))
def test_tabs_fit_and_the_shown_view_is_always_among_them(
    width: int, shown: SavedView | None
) -> None:
    pieces = view_tabs(VIEWS, shown, width, "v")
    assert width_of(pieces) <= max(width, 25)
    assert len([part for part, _ in pieces if part == "chip"]) == (3 if shown else 0)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (9_999, "9999"),
        (10_999, "10k"),
        (999_999, "999k"),
        (12_900_000, "12M"),
        (AtLeast(49), "49+"),
        (AtLeast(10_000), "10k+"),
    ],
)
def test_a_rounded_number_is_never_more_than_there_are(number: int, words: str) -> None:
    assert rounded(number) == words


@given(
    st.text("Waiting >1h", min_size=1, max_size=20),
    st.sampled_from([(), ("longest waiting", "waiting")]),
)
def test_the_title_of_the_list_keeps_the_view_and_its_count_the_longest(
    view: str, orders: tuple[str, ...]
) -> None:
    name = f"{view} 26"
    widths = range(len(name), 60)
    shown = ["".join(said(side) for side in list_title(name, orders, at)) for at in widths]
    for width, title in zip(widths, shown, strict=True):
        assert name in title
        assert len(title) <= width
        assert "Conversations" not in title or title.endswith(orders[:1] or "26")
        assert not orders or title.endswith(orders) or width < len(name) + len(orders[-1]) + 2
    assert shown[-1].startswith("Conversations · ")


def test_the_bars_of_the_inbox_give_up_what_there_is_no_room_for(
    pytestconfig: pytest.Config,
) -> None:
    drawing = Drawing()
    rows = {
        "open": conversation(assignee={"id": "7", "name": "Ana Souza"}),
        "snoozed": conversation(status="snoozed", awaiting_human=True),
    }
    for name, row in rows.items():
        lines = [spread(*thread_head(row, CLOCK, width), width) for width in range(12, 84, 6)]
        drawing.add(f"head of a thread, {name}", lines)
    tabs = [view_tabs(VIEWS, VIEWS[1][0], width, "v more") for width in range(24, 124, 8)]
    drawing.add("views", tabs)
    titles = [
        spread(*list_title("Waiting >1h 26", ("longest waiting", "waiting"), width), width)
        for width in range(14, 60, 5)
    ]
    drawing.add("title of the list", titles)
    numbers = [
        spread(unread_words(UnreadCount(number), width), [], 40)
        for number in (None, 0, 1, 12_345)
        for width in (15, 16, 20, 30, 31, 40)
    ]
    drawing.add("unread", numbers)
    drawing.compare(pytestconfig, "bars")


WHOLE = " showing: notes  f a all · 2 conversations  a only this one · ▼ more below  G "


@pytest.mark.parametrize(
    ("width", "left", "right"),
    [
        (120, " Reply window: 3h left", WHOLE),
        (90, "", WHOLE),
        (78, "", " f a all · a only this one · ▼ G "),
        (35, "", " f a all · a only this one · ▼ G "),
    ],
)
def test_the_foot_of_a_thread_gives_up_words_and_cuts_no_hint(
    width: int, left: str, right: str
) -> None:
    hints = [
        ("showing: notes  f a all", "f a all"),
        ("2 conversations  a only this one", "a only this one"),
        ("▼ more below  G", "▼ G"),
    ]
    shown = thread_foot_fitted([("dim", " Reply window: 3h left")], [], hints, width)
    assert tuple(map(said, shown)) == (left, right)
