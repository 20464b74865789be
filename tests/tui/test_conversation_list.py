"""A conversation in one, two or three lines, each exactly as wide as the list."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.conversation_list import ConversationList, snippet, window_left
from frontdesk.tui.widgets.line_widget import Piece
from frontdesk.tui.widgets.virtual_list import FixedRows
from frontdesk.wire import Conversation, MessagePreview
from tests.tui.texts import AWKWARD, drawn_text

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


def pieces(row: Conversation, width: int, density: int) -> list[list[Piece]]:
    widget = ConversationList(CLOCK)
    widget.set_density(density)
    widget.rows = FixedRows([(row.id, row)])
    widget.begin([0])
    return widget.draw(0, width)


def drawn(row: Conversation, width: int = 50, density: int = 2) -> list[str]:
    """The lines of a row as text."""
    lines = ["".join(text for _, text in line) for line in pieces(row, width, density)]
    assert [cell_len(line) for line in lines] == [width] * density
    assert not any("\n" in line or "\t" in line for line in lines)
    return lines


def parts(row: Conversation) -> dict[str, str]:
    """What is drawn in which colour, the last piece of each."""
    return {part: text for line in pieces(row, 50, 2) for part, text in line if text.strip()}


def test_a_row_says_who_when_what_and_the_label() -> None:
    row = conversation(labels=("billing", "vip"))
    name, said = drawn(row)
    assert name == "   Sheena Nelson" + "12m".rjust(34)
    assert said == "   Where is my order?" + " #billing".rjust(29)


def test_one_line_is_who_and_when() -> None:
    assert drawn(conversation(), density=1) == ["   Sheena Nelson" + "12m".rjust(34)]


def test_three_lines_add_channel_assignee_labels_and_window() -> None:
    row = conversation(
        labels=("billing", "vip"),
        assignee={"id": "7", "name": "Ana Souza"},
        service_window_expires_at=before(hours=-21.5),
    )
    lines = drawn(row, 80, 3)
    assert lines[1].rstrip() == "   Where is my order?"
    assert lines[2].rstrip() == "   Support EU · @Ana Souza · #billing #vip · window 21h"


def test_without_a_label_the_assignee_stands_there() -> None:
    assert drawn(conversation(assignee={"id": "7", "name": "Ana"}))[1].endswith(" @Ana")
    assert drawn(conversation())[1].endswith(" @--")


@pytest.mark.parametrize(
    ("unread", "mark"),
    [(None, "  "), (0, "  "), (1, " 1"), (99, "99"), (100, "99+"), (10**9, "99+")],
)
def test_unread_messages_are_counted_up_to_99(unread: int | None, mark: str) -> None:
    row = conversation(unread_count=unread)
    assert drawn(row)[0].startswith(f"{mark} Sheena Nelson")
    assert parts(row)["strong" if unread else "text"] == " Sheena Nelson"


@pytest.mark.parametrize(
    ("passed", "word", "part"),
    [
        ({"minutes": 16}, " w16m", "warning"),
        ({"minutes": 61}, " w1h", "error"),
        ({"days": 3}, " w3d", "error"),
    ],
)
def test_a_waiting_customer_is_marked_with_how_long(
    passed: dict[str, float], word: str, part: str
) -> None:
    row = conversation(waiting_since=before(**passed))
    assert drawn(row)[0].startswith(" · Sheena Nelson")
    assert parts(row)[part] == word


@pytest.mark.parametrize(("minutes", "word"), [(12, " w12m"), (-5, " w0m")])
def test_a_short_wait_is_calm(minutes: int, word: str) -> None:
    row = conversation(waiting_since=before(minutes=minutes))
    assert ("dim", word) in pieces(row, 50, 2)[0]


def test_nobody_waits_in_a_resolved_conversation() -> None:
    assert " w" not in drawn(conversation(status="resolved", waiting_since=before(hours=3)))[0]


def test_a_conversation_that_needs_a_human_says_so() -> None:
    row = conversation(awaiting_human=True, waiting_since=before(minutes=12))
    assert " !HUMAN w12m" in drawn(row)[0]
    assert " !H w12m" in drawn(row, 39)[0]
    assert "!HUMAN" not in drawn(conversation(awaiting_human=None))[0]


@pytest.mark.parametrize(
    ("active", "age"),
    [
        (before(seconds=30), "now"),
        (before(hours=3), "3h"),
        (before(days=3), "Wed"),
        (before(days=20), "22 Feb"),
        (before(days=800), "2024"),
        ("0001-01-01T00:00:00Z", "1"),
        ("9999-12-31T23:59:59Z", "now"),
        ("long ago", "?"),
    ],
)
def test_the_age_of_the_newest_activity_ends_the_line(active: str, age: str) -> None:
    assert drawn(conversation(last_activity_at=active))[0].endswith(f" {age}")


@pytest.mark.parametrize(
    ("contact", "name"),
    [
        ({"id": "88", "name": None, "phone": "+16505551234"}, "+16505551234"),
        ({"id": "88", "name": " \n", "phone": "+16505551234"}, "+16505551234"),
        ({"id": "88", "name": None, "phone": None}, "contact 88"),
        ({"id": "88", "name": "two\nlines\tof name", "phone": None}, "two lines of name"),
    ],
)
def test_who_hides_the_name_is_named_otherwise(contact: dict[str, Any], name: str) -> None:
    assert drawn(conversation(contact=contact))[0].startswith(f"   {name} ")


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "Where is my order?"),
        ({"text": "two\n\nlines"}, "two lines"),
        ({"type": "image", "text": None}, "[image]"),
        ({"type": "image", "text": "this one"}, "[image] this one"),
        ({"type": "unsupported", "text": None}, "[unsupported]"),
        ({"type": "text", "text": None}, "[text]"),
        (
            {
                "type": "template",
                "text": "Your order",
                "direction": "outbound",
                "author": "campaign",
            },
            "Campaign: Your order",
        ),
        ({"direction": "outbound", "author": "user"}, "Agent: Where is my order?"),
        ({"direction": "outbound", "author": "ai_agent"}, "AI: Where is my order?"),
        ({"direction": "outbound", "author": "phone"}, "Phone: Where is my order?"),
        ({"direction": "outbound", "author": "api"}, "API: Where is my order?"),
        ({"direction": "outbound", "author": "automation"}, "Auto: Where is my order?"),
        ({"direction": "outbound", "author": "system"}, "System: Where is my order?"),
        (
            {"direction": "outbound", "author": "carrier_pigeon"},
            "Carrier pigeon: Where is my order?",
        ),
    ],
)
def test_the_newest_message_says_who_wrote_it_unless_the_customer(
    members: dict[str, Any], said: str
) -> None:
    assert snippet(MessagePreview.model_validate(preview(**members))) == said


def test_a_failed_message_is_marked() -> None:
    row = conversation(
        last_message=preview(direction="outbound", author="user", delivery_status="failed")
    )
    assert drawn(row)[1].startswith("   ✗ Agent: Where")
    assert parts(row)["error"] == "   ✗ "


def test_a_key_that_may_not_read_messages_sees_none() -> None:
    assert drawn(conversation(last_message=None))[1].strip() == "@--"


@pytest.mark.parametrize(
    ("ends", "long", "short"),
    [
        (None, "", ""),
        (before(minutes=1), "window closed", "window closed"),
        (before(hours=-21, minutes=-40), "21 h 40 m", "window 21h"),
    ],
)
def test_the_rest_of_the_reply_window(ends: str | None, long: str, short: str) -> None:
    row = conversation(service_window_expires_at=ends)
    assert window_left(row, CLOCK) == long
    assert window_left(row, CLOCK, short=True) == short


@pytest.mark.parametrize("text", AWKWARD)
@pytest.mark.parametrize("width", [6, 7, 20, 46])
def test_awkward_texts_keep_the_width(text: str, width: int) -> None:
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
    maybe, counts = st.none() | words, st.none() | st.integers()
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
