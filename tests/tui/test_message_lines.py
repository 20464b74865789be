"""Every kind of message as lines, and no line is longer or shorter than the pane."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.tui.widgets.message_list import SHOWN_CHARACTERS, centred, message_lines, same_sender
from frontdesk.wire import Message, Note
from tests.tui.drawn_messages import AT, CLOCK, TYPES, drawn, message, sent
from tests.tui.texts import AWKWARD, drawn_text

AUTHORS = ("contact", "user", "ai_agent", "phone", "campaign", "api", "automation", "system")


def parts(entry: Message) -> set[str]:
    lines = message_lines(entry, CLOCK, 70, contact="Sheena Nelson")
    return {part for line in lines for part, text in line if text.strip()}


# Who


@pytest.mark.parametrize(
    ("author", "name", "head"),
    [
        ("contact", None, "Sheena Nelson"),
        ("contact", "Sheena N", "Sheena N"),
        ("user", "Ana Souza", "Ana Souza"),
        ("user", None, "Agent"),
        ("ai_agent", "Ada", "AI agent · Ada"),
        ("ai_agent", None, "AI agent"),
        ("phone", None, "Business phone"),
        ("campaign", "Spring sale", "Campaign · Spring sale"),
        ("api", None, "API"),
        ("automation", None, "Automation"),
        ("system", None, "System"),
        ("carrier_pigeon", None, "Carrier pigeon"),
        ("carrier_pigeon", "Bert", "Carrier pigeon · Bert"),
        ("_", None, "Unknown"),
    ],
)
def test_the_head_names_every_author_also_an_unknown_one(
    author: str, name: str | None, head: str
) -> None:
    direction = "inbound" if author == "contact" else "outbound"
    entry = message(
        author=author, direction=direction, text="hello", author_ref=name and {"name": name}
    )
    first, second = drawn(entry)
    assert first.startswith(head + "  ")
    assert first.endswith("09:26")
    assert second == ("│ hello" if direction == "inbound" else "┃ hello")


def test_without_a_head_a_message_joins_the_one_above() -> None:
    assert drawn(message(text="hello"), head=False) == ["│ hello"]


def test_a_customer_without_a_name_is_the_customer() -> None:
    lines = message_lines(message(text="hi"), CLOCK, 40, contact="")
    assert lines[0][0] == ("strong", "Customer")


def test_a_timestamp_that_cannot_be_read_is_shown_as_it_is() -> None:
    assert drawn(message(text="hi", created_at="some\nday"))[0].endswith(" some day")


# What became of it


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("pending", "…"),
        ("sent", "sent"),
        ("delivered", "dlvd"),
        ("read", "read"),
        ("played", "played"),
        ("failed", "✗ failed"),
        ("lost_at_sea", "lost at sea"),
    ],
)
def test_the_head_of_a_sent_message_says_how_far_it_came(status: str, word: str) -> None:
    assert drawn(sent(text="hi", delivery_status=status))[0].endswith(f"09:26 {word}")


def test_a_received_message_has_no_delivery() -> None:
    assert drawn(message(text="hi", delivery_status="read"))[0].endswith("09:26")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "✗ not delivered"),
        ({"code": 131026, "title": "Undeliverable"}, "✗ Undeliverable (131026)"),
        (
            {"code": 131047, "title": "Re-engagement", "details": "More than\n24 hours"},
            "✗ Re-engagement (131047) — More than 24 hours",
        ),
    ],
)
def test_a_failure_says_why(error: dict[str, Any] | None, reason: str) -> None:
    entry = sent(text="hi", delivery_status="failed", error=error)
    assert drawn(entry, head=False) == ["┃ hi", f"┃ {reason}"]
    assert "error" in parts(entry)


# Notes


def test_a_note_is_named_as_one() -> None:
    note = Note(id="1", text="Call\nback", author_ref={"name": "Ana Souza"}, created_at=AT)
    assert drawn(note)[0].startswith("┊ NOTE · Ana Souza · only visible to the team")
    assert drawn(note)[0].endswith("09:26")
    assert drawn(note)[1:] == ["┊ Call", "┊ back"]
    assert drawn(note, head=False) == ["┊ Call", "┊ back"]
    assert drawn(note, 40)[0].startswith("┊ NOTE · Ana Souza  ")


@pytest.mark.parametrize(
    ("author", "who"),
    [("user", "Agent"), ("ai_agent", "AI agent"), ("robot_vacuum", "Robot vacuum")],
)
def test_a_note_without_a_name_says_what_wrote_it(author: str, who: str) -> None:
    assert drawn(Note(id="1", text="x", author=author, created_at=AT))[0].startswith(
        f"┊ NOTE · {who} "
    )


# Measure


def test_lines_are_no_longer_than_can_be_read() -> None:
    lines = drawn(message(text="word " * 100), 200, head=False)
    assert max(cell_len(line) for line in lines) <= 100


def test_a_long_word_is_broken() -> None:
    lines = drawn(message(text="x" * 10_000), 50, head=False)
    assert len(lines) == -(-10_000 // 48)
    assert "".join(line[2:] for line in lines) == "x" * 10_000


def test_of_a_huge_message_the_beginning_is_shown_and_how_much_is_not() -> None:
    lines = drawn(message(text="x" * (SHOWN_CHARACTERS + 41)), 50, head=False)
    assert lines[-1] == "│ [41 more characters]"


@pytest.mark.parametrize("width", [8, 9, 20, 33, 80, 120])
@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_keep_the_width(text: str, width: int) -> None:
    entry = sent(
        text=text,
        type="template",
        content={"name": text, "buttons": [{"title": text}]},
        author_ref={"name": text},
        reply_to={"text": text},
        delivery_status="failed",
        error={"code": 1, "title": text, "details": text},
    )
    assert drawn(entry, width)
    assert drawn(Note(id="1", text=text, author_ref={"name": text}, created_at=text), width)


def test_a_mark_across_the_pane_is_as_wide_as_the_pane() -> None:
    for width in range(8, 121):
        for words in ("3 new", "Saturday 14 March 2026", "older messages above"):
            assert cell_len("".join(text for _, text in centred(words, width))) == width


def members() -> st.SearchStrategy[dict[str, Any]]:
    """A message with anything in it that the interface allows."""
    words, maybe = drawn_text(40), st.none() | drawn_text(40)
    scalar = st.none() | st.booleans() | st.integers() | st.floats() | words
    anything = st.recursive(
        scalar,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    )
    known = (
        "name",
        "address",
        "latitude",
        "contacts",
        "items",
        "buttons",
        "emoji",
        "kind",
        "event",
    )
    content = st.dictionaries(st.sampled_from(known), anything, max_size=4)
    card = st.fixed_dictionaries(
        {"name": maybe, "phones": st.lists(st.fixed_dictionaries({"phone": maybe}), max_size=2)}
    )
    media = st.fixed_dictionaries(
        {"mime_type": maybe, "filename": maybe, "size_bytes": st.none() | st.integers()}
    )
    reaction = st.fixed_dictionaries(
        {"emoji": words, "direction": words, "author": words, "created_at": words}
    )
    failure = st.fixed_dictionaries({"code": st.integers(), "title": words, "details": maybe})
    return st.fixed_dictionaries(
        {
            "direction": st.sampled_from(["inbound", "outbound"]) | words,
            "author": st.sampled_from(AUTHORS) | words,
            "author_ref": st.none() | st.fixed_dictionaries({"name": maybe}),
            "type": st.sampled_from(TYPES) | words,
            "text": maybe,
            "content": st.none()
            | content
            | st.fixed_dictionaries({"contacts": st.lists(card, max_size=3)})
            | st.fixed_dictionaries(
                {"buttons": st.lists(st.fixed_dictionaries({"title": maybe}), max_size=3)}
            ),
            "media": st.none() | media,
            "reply_to": st.none() | st.fixed_dictionaries({"text": maybe, "type": maybe}),
            "forwarded": st.none() | st.sampled_from(["once", "many"]) | words,
            "reactions": st.lists(reaction, max_size=3),
            "delivery_status": st.none() | st.sampled_from(["sent", "failed"]) | words,
            "error": st.none() | failure,
            "edited_at": st.none() | words,
            "deleted_at": st.none() | st.just(AT),
            "created_at": st.just(AT) | words,
        }
    )


@given(members(), st.integers(8, 120), st.booleans())
def test_every_line_of_every_message_is_exactly_as_wide_as_the_pane(
    members: dict[str, Any], width: int, head: bool
) -> None:
    assert drawn(message(**members), width, head=head)


@given(drawn_text(), st.none() | drawn_text(), st.integers(8, 120), st.booleans())
def test_every_line_of_every_note_is_exactly_as_wide_as_the_pane(
    text: str, name: str | None, width: int, head: bool
) -> None:
    note = Note(id="1", text=text, author_ref={"name": name}, created_at=AT)
    assert drawn(note, width, head=head)


# What joins what


def test_messages_of_one_sender_within_a_minute_stand_under_one_head() -> None:
    first, second = message(id="1"), message(id="2", created_at="2026-03-14T09:27:52.000Z")
    assert same_sender(second, first)
    assert not same_sender(first, None)


@pytest.mark.parametrize(
    "other",
    [
        {"created_at": "2026-03-14T09:27:53.000Z"},
        {"created_at": "some day"},
        {"author": "phone"},
        {"author_ref": {"name": "Somebody else"}},
        {"direction": "outbound"},
        {"type": "system"},
        {"type": "template"},
        {"delivery_status": "failed"},
    ],
)
def test_another_sender_kind_or_fate_has_a_head_of_its_own(other: dict[str, Any]) -> None:
    assert not same_sender(message(**other), message())


def test_a_note_never_joins_a_message() -> None:
    assert not same_sender(Note(id="1", text="x", author="contact", created_at=AT), message())
