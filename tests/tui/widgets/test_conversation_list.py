"""A conversation in one, two or three lines or a table, each exactly as wide as the list."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual import on
from textual.screen import Screen

from frontdesk.inbox.rows import FixedRows
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.conversation_list import ConversationList
from frontdesk.tui.widgets.conversation_row import (
    COLUMNS,
    LEAST_TABLE_WIDTH,
    RowContext,
    RowState,
    column_widths,
    heading,
    order_of,
    row_lines,
    snippet,
    table_row,
    window_left,
)
from frontdesk.tui.widgets.glyphs import ASCII_SYMBOLS
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Conversation, MessagePreview
from tests.tui.compared_drawings import Drawing
from tests.tui.screen_text import strips
from tests.tui.texts import AWKWARD, drawn_text
from tests.tui.widgets.test_partial_repaints import OneWidgetApp

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: NOW)


def before(**passed: float) -> str:
    return (NOW - timedelta(**passed)).isoformat()


def conversation(**members: Any) -> Conversation:
    base = {
        "id": "1042",
        "status": "open",
        "channel": {"id": "106540352242922", "name": "Support EU", "phone": "+34600000001"},
        "contact": {"id": "88", "name": "Sheena Nelson", "phone": "+16505551234"},
        "last_activity_at": before(minutes=12),
        "last_message": preview(),
    }
    return Conversation.model_validate({**base, **members})


def preview(**members: Any) -> dict[str, Any]:
    return {"id": "1", "text": "Where is my order?", "created_at": before(minutes=12), **members}


CONTEXT = RowContext(CLOCK, NOW, {"billing": "#d93f3f", "vip": "#2e9e5b"})
NEW = RowState(new=True)


def pieces(row: Conversation, width: int, density: int, **changes: Any) -> list[list[Piece]]:
    state = RowState(new=bool(row.unread_count), unread=row.unread_count or 0)
    return row_lines(row, CONTEXT._replace(**changes), state, width, density)


def drawn(row: Conversation, width: int = 50, density: int = 2, **changes: Any) -> list[str]:
    """The lines of a row as text."""
    lines = ["".join(text for _, text in line) for line in pieces(row, width, density, **changes)]
    assert [cell_len(line) for line in lines] == [width] * density
    assert not any("\n" in line or "\t" in line for line in lines)
    return lines


def parts(row: Conversation, width: int = 50) -> dict[str, str]:
    """What is drawn in which colour, the last piece of each."""
    return {part: text for line in pieces(row, width, 2) for part, text in line if text.strip()}


ANA = {"id": "7", "name": "Ana Souza"}


def test_a_row_says_who_labels_when_what_and_whose() -> None:
    row = conversation(labels=("billing", "vip"), assignee=ANA, unread_count=2)
    assert drawn(row, 60) == [
        " 2 Sheena Nelson" + " billing   vip     09:48 ".rjust(44),
        "   Where is my order?" + "Ana ".rjust(39),
    ]


def test_a_row_says_where_words_were_found_in_place_of_the_last_message() -> None:
    row = conversation(assignee=ANA, unread_count=2, last_message=preview())
    state = RowState(new=True, unread=2, excerpt="…the plum of yesterday")
    lines = row_lines(row, CONTEXT, state, 60, 2)
    assert "".join(text for _, text in lines[1]) == "   » …the plum of yesterday" + "Ana ".rjust(33)


def test_a_label_stands_on_the_colour_of_the_server_if_it_is_one() -> None:
    row = conversation(labels=("billing", "vip", "other"))
    assert parts(row, 80)["#d93f3f"] == " billing "
    assert parts(row, 80)["#2e9e5b"] == " vip "
    assert parts(row, 80)["text@card"] == " other "
    wrong = CONTEXT._replace(colours={"billing": "red; }"})
    assert ("text@card", " billing ") in row_lines(row, wrong, NEW, 80, 2)[0]
    assert "#billing #vip #other" in " ".join(drawn(row, 80, plain=True)[0].split())


def test_labels_give_way_before_the_name_and_clock_and_owner_never() -> None:
    row = conversation(
        labels=("billing", "vip", "other"), assignee=ANA, waiting_since=before(minutes=26)
    )
    for width, labels in (
        (70, " billing   vip   other "),
        (47, " billing   vip  +1"),
        (43, " billing  +2"),
        (32, "■■■"),
        (24, ""),
    ):
        name, said = drawn(row, width)
        assert name.startswith("   Sheena Nel")
        assert f"{labels} ◑  09:48 " in name
        assert said.endswith(" Ana ")
    assert "…" not in drawn(row, 32)[0]


@given(st.lists(st.sampled_from(["complaint", "vip", "campaign"]), max_size=3), st.integers(32, 90))
def test_a_cut_label_has_at_least_four_letters(labels: list[str], width: int) -> None:
    name_line = drawn(conversation(labels=tuple(labels)), width)[0]
    assert all(len(beginning) >= 4 for beginning in re.findall(r"(\w*)…", name_line))


def test_a_label_is_cut_before_it_becomes_a_square() -> None:
    name_line = [drawn(conversation(labels=("complaint",)), width)[0] for width in range(32, 42)]
    assert any(" comp… " in line for line in name_line)
    assert all("■" in line or "comp" in line for line in name_line)


def test_one_line_is_who_and_when() -> None:
    assert drawn(conversation(), density=1) == ["   Sheena Nelson" + "09:48 ".rjust(34)]


def test_a_third_line_has_the_channel_and_the_reply_window() -> None:
    row = conversation(service_window_expires_at=before(hours=-21.5))
    assert drawn(row, 80, 3)[2].rstrip() == "   Support EU · reply window 21h 30m left"


@pytest.mark.parametrize(
    ("members", "width", "owner", "part"),
    [
        ({"assignee": ANA}, 40, "Ana", "dim"),
        ({}, 40, "unassigned", "text"),
        ({}, 27, "–", "text"),
        ({"awaiting_human": True}, 40, "! needs human", "warning"),
        ({"awaiting_human": True}, 35, "! human", "warning"),
        ({"awaiting_human": True, "assignee": ANA}, 40, "! Ana", "warning"),
    ],
)
def test_the_owner_ends_the_second_line(
    members: dict[str, Any], width: int, owner: str, part: str
) -> None:
    row = conversation(**members)
    assert drawn(row, width)[1].endswith(f" {owner} ")
    assert (part, f" {owner}") in pieces(row, width, 2)[1]


def test_where_all_rows_have_one_owner_the_channel_stands_there() -> None:
    row = conversation(assignee=ANA)
    assert drawn(row, same_owner=True)[1].endswith(" in Support EU ")
    assert drawn(conversation(awaiting_human=True), same_owner=True)[1].endswith(" ! needs human ")


@pytest.mark.parametrize(
    ("unread", "mark"),
    [(None, "   "), (0, "   "), (1, " 1 "), (99, "99 "), (100, "99+"), (10**9, "99+"), (-4, " • ")],
)
def test_unread_messages_are_counted_up_to_99(unread: int | None, mark: str) -> None:
    row = conversation(unread_count=unread)
    assert drawn(row)[0].startswith(f"{mark}Sheena Nelson")
    assert parts(row)["strong" if unread else "text"].strip()


@pytest.mark.parametrize(
    ("passed", "clock", "part"),
    [
        ({"minutes": -5}, "◔  0m", "text"),
        ({"minutes": 14}, "◔ 14m", "text"),
        ({"minutes": 15}, "◑ 15m", "early"),
        ({"minutes": 60}, "◕  1h", "warning"),
        ({"hours": 8}, "●  8h", "overdue"),
        ({"days": 3}, "●  3d", "overdue"),
        ({"days": 249}, "● 249d", "overdue"),
    ],
)
def test_a_waiting_time_ages_by_shape_and_colour(
    passed: dict[str, float], clock: str, part: str
) -> None:
    row = conversation(waiting_since=before(**passed))
    assert drawn(row, order="waiting")[0].endswith(f"  {clock} ")
    assert {(part, clock[0]), (part, clock[1:])} <= set(pieces(row, 50, 2, order="waiting")[0])
    for order in ("newest", "oldest", "unread"):
        assert drawn(row, order=order)[0].endswith(f"  {clock[0]}  09:48 ")
        assert (part, f"{clock[0]} ") in pieces(row, 50, 2, order=order)[0]


def test_nobody_waits_in_a_resolved_conversation() -> None:
    row = conversation(status="resolved", waiting_since=before(hours=3))
    assert drawn(row)[0].endswith("    09:48 ")
    assert drawn(row, order="waiting")[0].endswith("          ")


def test_the_clock_starts_in_the_same_column_for_every_row() -> None:
    labelled = conversation(labels=("billing", "vip"), waiting_since=before(hours=26))
    plain = conversation(waiting_since=before(minutes=26))
    for width in range(12, 200):
        assert drawn(labelled, width)[0].index("●") == drawn(plain, width)[0].index("◑")


def test_the_column_of_assignees_says_of_whom_a_person_is_needed_that_there_is_none() -> None:
    row = conversation(awaiting_human=True, assignee=None)
    line = "".join(text for _, text in table_row(row, CONTEXT, NEW, 180))
    assert " ! unassigned " in line


def test_a_table_row_has_every_column_at_the_place_of_its_heading() -> None:
    row = conversation(
        labels=("billing",), assignee=ANA, unread_count=4, waiting_since=before(minutes=26)
    )
    width = 198
    line = "".join(text for _, text in table_row(row, CONTEXT, NEW, width))
    names = "".join(text for _, text in heading(width, "waiting"))
    assert cell_len(line) == cell_len(names) == width
    for name, value in (
        ("Name", "Sheena Nelson"),
        ("Last message", "Where is my order?"),
        ("Labels", " billing "),
        ("Assignee", "Ana Souza"),
        ("Channel", "Support EU"),
    ):
        assert names.index(name) == line.index(value)
    assert line.endswith("  ◑ 26m     09:48 ")
    assert "Waits ▾" in names
    oldest = "".join(text for _, text in heading(width, "oldest"))
    assert oldest.endswith("Last ▴ ")
    assert sum(column_widths(width)) == width - 1 - 2 * (len(COLUMNS) - 2)
    # At the least width, a third of a usual message is seen; the rest of a wider screen is its.
    assert column_widths(LEAST_TABLE_WIDTH) == [3, 24, 31, 26, 15, 11, 7, 8]
    assert column_widths(LEAST_TABLE_WIDTH + 50) == [3, 24, 81, 26, 15, 11, 7, 8]


@pytest.mark.parametrize(
    ("active", "age"),
    [
        (before(seconds=30), "09:59"),
        (before(hours=3), "07:00"),
        (before(hours=11), "Fri"),
        (before(days=3), "Wed"),
        (before(days=20), "22 Feb"),
        (before(days=800), "2024"),
        ("0001-01-01T00:00:00Z", "1"),
        ("9999-12-31T23:59:59Z", "9999"),
        ("long ago", "?"),
    ],
)
def test_the_time_of_the_newest_activity_ends_the_line(active: str, age: str) -> None:
    assert drawn(conversation(last_activity_at=active))[0].endswith(f" {age} ")


@pytest.mark.parametrize(
    ("contact", "name"),
    [
        ({"id": "88", "name": None, "phone": "+16505551234"}, "+1 650-555-1234"),
        ({"id": "88", "name": " \n", "phone": "+16505551234"}, "+1 650-555-1234"),
        ({"id": "88", "name": None, "phone": None}, "contact 88"),
        ({"id": "88", "name": "two\nlines\tof name", "phone": None}, "two lines of name"),
    ],
)
def test_who_hides_the_name_is_named_otherwise(contact: dict[str, Any], name: str) -> None:
    assert drawn(conversation(contact=contact))[0].startswith(f"   {name} ")


@pytest.mark.parametrize(
    ("members", "said", "ascii"),
    [
        ({}, "Where is my order?", None),
        ({"text": "two\n\nlines"}, "two lines", None),
        ({"type": "image", "text": None}, "📷 photo", "[photo]"),
        ({"type": "image", "text": "this one"}, "📷 this one", "[photo] this one"),
        ({"type": "unsupported", "text": None}, "[not shown here]", None),
        ({"type": "text", "text": None}, "⊘ deleted", "x deleted"),
    ],
)
def test_the_newest_message_has_a_symbol_for_media(
    members: dict[str, Any], said: str, ascii: str | None
) -> None:
    last = MessagePreview.model_validate(preview(**members))
    assert snippet(last) == said
    assert snippet(last, ASCII_SYMBOLS) == (ascii or said)


@pytest.mark.parametrize(
    ("author", "who"),
    [
        ("user", "Agent"),
        ("ai_agent", "AI"),
        ("phone", "Phone"),
        ("campaign", "Campaign"),
        ("api", "API"),
        ("automation", "Auto"),
        ("system", "System"),
        ("carrier_pigeon", "Carrier pigeon"),
    ],
)
def test_the_newest_message_says_who_wrote_it_unless_the_customer(author: str, who: str) -> None:
    sent = conversation(last_message=preview(direction="outbound", author=author))
    assert drawn(sent)[1].startswith(f"   {who}: Where is")
    assert drawn(conversation())[1].startswith("   Where is my order?")


def test_a_failed_message_is_marked() -> None:
    row = conversation(
        last_message=preview(direction="outbound", author="user", delivery_status="failed")
    )
    assert drawn(row)[1].startswith("   ✗ Agent: Where")
    assert parts(row)["error"] == "✗ "


def test_a_key_that_may_not_read_messages_sees_none() -> None:
    assert drawn(conversation(last_message=None))[1].strip() == "unassigned"


@pytest.mark.parametrize(
    ("ends", "left"),
    [
        (None, None),
        (before(minutes=1), ("text", "closed")),
        (before(minutes=-59), ("warning", "59m left")),
        (before(hours=-1), ("text", "1h 0m left")),
        (before(hours=-21, minutes=-40), ("text", "21h 40m left")),
    ],
)
def test_the_rest_of_the_reply_window(ends: str | None, left: Piece | None) -> None:
    assert window_left(conversation(service_window_expires_at=ends), CLOCK) == left


@pytest.mark.parametrize("width", [6, 7, 20, 46])
def test_awkward_texts_keep_the_width(width: int) -> None:
    for text in AWKWARD:
        keeps_the_width(text, width)


def keeps_the_width(text: str, width: int) -> None:
    row = conversation(
        contact={"id": text, "name": text, "phone": text},
        channel={"id": text, "name": text, "phone": text},
        assignee={"id": text, "name": text},
        labels=(text,),
        last_message=preview(text=text, type=text, author=text, direction="outbound"),
    )
    for density in (1, 2, 3):
        drawn(row, width, density)


def rows() -> st.SearchStrategy[Conversation]:
    """A conversation with anything in it that the interface allows."""
    words = drawn_text(30)
    maybe, counts = st.none() | words, st.none() | st.integers(max_value=2**63 - 1)
    when = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat) | words
    reference = st.fixed_dictionaries({"id": words, "name": maybe, "phone": maybe})
    last = st.fixed_dictionaries(
        {
            "id": words,
            "direction": st.sampled_from(["inbound", "outbound"]) | words,
            "author": st.sampled_from(["contact", "user", "ai_agent"]) | words,
            "type": st.sampled_from(["text", "image"]) | words,
            "text": maybe,
            "delivery_status": st.none() | st.sampled_from(["failed", "read"]) | words,
            "created_at": when,
        }
    )
    return st.fixed_dictionaries(
        {
            "id": words,
            "status": st.sampled_from(["open", "snoozed", "resolved"]) | words,
            "awaiting_human": st.none() | st.booleans(),
            "channel": reference,
            "contact": reference,
            "assignee": st.none() | st.fixed_dictionaries({"id": words, "name": words}),
            "labels": st.lists(words, max_size=4),
            "unread_count": counts,
            "waiting_since": st.none() | when,
            "service_window_expires_at": st.none() | when,
            "last_activity_at": when,
            "last_message": st.none() | last,
        }
    ).map(Conversation.model_validate)


@given(rows(), st.integers(6, 80), st.sampled_from([1, 2, 3]))
def test_every_line_of_every_row_is_exactly_as_wide_as_the_list(
    row: Conversation, width: int, density: int
) -> None:
    drawn(row, width, density)


@given(rows(), st.integers(140, 400))
def test_every_row_of_the_table_is_exactly_as_wide_as_the_list(
    row: Conversation, width: int
) -> None:
    line = table_row(row, CONTEXT, NEW, width - 2)
    assert sum(cell_len(text) for _, text in line) == width - 2


ROWS = {
    "plain": (conversation(), RowState()),
    "assigned": (
        conversation(
            labels=("billing", "vip", "other", "more"),
            assignee=ANA,
            waiting_since=before(minutes=59),
            service_window_expires_at=before(minutes=-59),
        ),
        RowState(new=True, unread=3, marked=True, highlighted=True),
    ),
    "needs a human": (
        conversation(
            awaiting_human=True,
            labels=("complaint",),
            waiting_since=before(hours=8),
            service_window_expires_at=before(hours=-1),
            last_message=preview(
                direction="outbound", author="ai_agent", type="image", delivery_status="failed"
            ),
        ),
        RowState(new=True, unread=100, follow_up=True),
    ),
    "hidden": (
        conversation(
            contact={"id": "1", "name": "A customer with an exceptionally long name"},
            channel={"id": "1", "name": "A channel with a very long name too"},
            assignee={"id": "8", "name": "Bartholomew-Alexander Featherstonehaugh"},
            last_activity_at=before(days=3),
            service_window_expires_at=before(hours=1),
        ),
        RowState(hidden_until=NOW + timedelta(hours=30), highlighted=True),
    ),
    "resolved": (
        conversation(status="resolved", last_message=None, waiting_since=before(hours=1)),
        RowState(new=True, unread=-1),
    ),
}
CONTEXTS = {
    "usual": CONTEXT,
    "one owner": CONTEXT._replace(same_owner=True, me="7"),
    "by reply window": CONTEXT._replace(order="window"),
    "by wait": CONTEXT._replace(order="waiting"),
    "plain": CONTEXT._replace(plain=True, symbols=ASCII_SYMBOLS),
}


def test_a_row_gives_up_what_there_is_no_room_for(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for name, (row, state) in ROWS.items():
        for width in (12, 20, 27, 28, 35, 36, 44, 60, 90):
            lines = row_lines(row, CONTEXT, state, width, 3)
            drawing.add(f"{name}, {width} cells", lines)
        for kind, context in CONTEXTS.items():
            drawing.add(f"{name}, {kind}", row_lines(row, context, state, 64, 3))
    drawing.compare(pytestconfig, "conversation-rows")


def test_the_table_of_conversations_has_all_of_a_row(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for width in (LEAST_TABLE_WIDTH, 170):
        for order in ("", "newest", "oldest", "waiting", "window", "unread"):
            drawing.add(f"{width} cells, by {order or 'nothing'}", [heading(width, order)])
    for kind, context in CONTEXTS.items():
        lines = [table_row(row, context, state, 140) for row, state in ROWS.values()]
        drawing.add(kind, lines)
    drawing.compare(pytestconfig, "conversation-table")


def test_the_headings_of_times_sort_by_them_however_they_are_marked() -> None:
    for name, order in (("Waits", "waiting"), ("Last", "active"), ("Left", "window")):
        assert order_of(name) == order_of(f"{name} ▾") == order_of(f"{name} ▴") == order
    assert order_of("Name") == order_of("") == order_of("nothing") == ""


def listed(*rows: Conversation) -> FixedRows[Conversation]:
    return FixedRows([(f"conversation {row.id}", row) for row in rows])


@pytest.mark.parametrize(
    ("columns", "is_table"), [(LEAST_TABLE_WIDTH + 2, True), (LEAST_TABLE_WIDTH + 1, False)]
)
async def test_rows_are_a_table_from_the_width_on_at_which_its_columns_fit(
    columns: int, is_table: bool
) -> None:
    conversations = ConversationList(CLOCK)
    app = OneWidgetApp(conversations)
    async with app.run_test(size=(columns, 6)):
        conversations.replace_rows(listed(conversation()))
        assert not conversations.draws_table
        assert conversations.height_of(0) == 2
        conversations.set_table(True)
        assert conversations.draws_table == is_table
        assert conversations.height_of(0) == (1 if is_table else 2)
        conversations.set_density(3)
        assert conversations.height_of(0) == (1 if is_table else 3)
        conversations.after_gap = frozenset({"1042"})
        conversations.rows_changed()
        assert conversations.height_of(0) == (2 if is_table else 4)


async def test_new_activity_is_highlighted_for_five_seconds() -> None:
    moments = [NOW]
    conversations = ConversationList(Clock(UTC, lambda: moments[-1]))
    app = OneWidgetApp(conversations)

    def ages() -> list[str]:
        return [conversations.draw(at, 60)[0][-2][0] for at in range(2)]

    async with app.run_test(size=(62, 6)):
        conversations.replace_rows(listed(conversation(), conversation(id="1043")))
        assert conversations.end_cues() is None
        conversations.cue(["1042", "1050"])
        moments.append(NOW + timedelta(seconds=2))
        conversations.cue(["1043"])
        assert ages() == ["strong", "strong"]
        moments.append(NOW + timedelta(seconds=4.999))
        assert conversations.end_cues() == timedelta(milliseconds=1)
        assert ages() == ["strong", "strong"]
        moments.append(NOW + timedelta(seconds=5))
        assert conversations.end_cues() == timedelta(seconds=2)
        assert ages() == ["dim", "strong"]
        moments.append(NOW + timedelta(seconds=7))
        assert conversations.end_cues() is None
        assert ages() == ["dim", "dim"]


async def test_the_inbox_can_move_the_list_and_ask_what_is_selected() -> None:
    conversations = ConversationList(CLOCK)
    app = OneWidgetApp(conversations)
    async with app.run_test(size=(60, 8)) as pilot:
        assert conversations.is_shown
        assert conversations.selected_id is None
        conversations.take_for_input()
        assert not conversations.is_by_input
        # The next one is taken for one that a key selected.
        conversations.take_for_input(also_none=True)
        rows = [conversation(id=str(number)) for number in range(20)]
        conversations.replace_rows(listed(*rows))
        assert conversations.selected_id == "0"
        assert conversations.is_by_input
        conversations.go_to_last()
        assert conversations.selected_id == "19"
        conversations.focus()
        await pilot.pause()
        assert conversations.is_entered
        assert not conversations.is_covered
        app.push_screen(Screen())
        await pilot.pause()
        assert conversations.is_covered
        assert conversations.is_entered


def test_rows_that_have_left_the_view_are_dimmed() -> None:
    conversations = ConversationList(CLOCK, has_left=lambda row: row.id == "1")
    conversations.dimmed = frozenset({"2"})
    conversations.replace_rows(listed(*(conversation(id=number) for number in "123")))
    for at, is_dimmed in enumerate((True, True, False)):
        inks = {part for line in conversations.draw(at, 60) for part, _ in line}
        assert (inks == {"dim"}) == is_dimmed


async def test_marks_are_kept_in_the_order_of_marking_until_they_are_taken_away() -> None:
    conversations = ConversationList(CLOCK)
    app = OneWidgetApp(conversations)
    async with app.run_test(size=(60, 8)) as pilot:
        conversations.action_mark()
        assert conversations.marked == ()
        rows = [conversation(), conversation(id="1043", contact={"id": "2", "name": "Ana"})]
        conversations.replace_rows(listed(*rows))
        conversations.focus()
        assert [conversations.words_at(at).split()[0] for at in range(2)] == ["Sheena", "Ana"]
        assert conversations.copied() == "+16505551234"
        for key, marked in (
            ("space", ("1042",)),
            ("j", ("1042",)),
            ("space", ("1042", "1043")),
            ("k", ("1042", "1043")),
            ("space", ("1043",)),
            ("space", ("1043", "1042")),
        ):
            await pilot.press(key)
            assert conversations.marked == marked
        await pilot.press("j")
        assert conversations.copied() == ""
        conversations.mark_only(())
        assert conversations.marked == ()


class LabelApp(OneWidgetApp):
    """Keeps which labels were clicked."""

    def __init__(self, conversations: ConversationList) -> None:
        super().__init__(conversations)
        self.pressed: list[str] = []

    @on(ConversationList.LabelPressed)
    def _press(self, event: ConversationList.LabelPressed) -> None:
        self.pressed.append(event.label)


async def test_a_click_on_a_label_names_it_and_one_beside_selects_the_row() -> None:
    conversations = ConversationList(CLOCK)
    app = LabelApp(conversations)
    rows = [conversation(id="1"), conversation(id="2", labels=("billing", "vip"))]
    async with app.run_test(size=(62, 8)) as pilot:
        conversations.replace_rows(listed(*rows))
        await pilot.pause()
        line = strips(app.screen)[2].text
        for x, label in (
            (line.index("billing"), "billing"),
            (line.index("billing") - 1, "billing"),
            (line.index("billing") - 2, None),
            (line.index("vip") + 3, "vip"),
            (line.index("vip") + 4, None),
        ):
            app.pressed.clear()
            await pilot.click(ConversationList, offset=(x, 2))
            await pilot.pause()
            assert app.pressed == ([label] if label else [])
            assert conversations.selected_id == "2"
        await pilot.click(ConversationList, offset=(line.index("vip"), 3))
        await pilot.click(ConversationList, offset=(line.index("vip"), 0))
        await pilot.pause()
        assert app.pressed == []
        assert conversations.selected_id == "1"
