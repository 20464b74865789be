"""Every kind of message as lines, and no line is longer or shorter than the pane."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.entries import NewSinceVisit
from frontdesk.tui.widgets.glyphs import ASCII_SYMBOLS
from frontdesk.tui.widgets.message_list import (
    SHOWN_CHARACTERS,
    SHOWN_LINES,
    Thread,
    ThreadContents,
    message_lines,
    note_lines,
    rule,
    same_sender,
)
from frontdesk.wire import Message, Note
from tests.tui.compared_drawings import Drawing
from tests.tui.drawn_messages import AT, CLOCK, CONTEXT, TYPES, drawn, message, sent
from tests.tui.texts import AWKWARD, drawn_text

AUTHORS = ("contact", "user", "ai_agent", "phone", "campaign", "api", "automation", "system")


def parts(entry: Message) -> set[str]:
    lines = message_lines(entry, CONTEXT, 70)
    return {part for line in lines for part, text in line if text.strip()}


# Who


@pytest.mark.parametrize(
    ("author", "name", "head"),
    [
        ("contact", None, "Sheena Nelson"),
        ("contact", "Sheena N", "Sheena N"),
        ("user", "Ana Souza", "Ana Souza"),
        ("user", None, "Agent"),
        ("ai_agent", "Ada", "Ada · AI agent"),
        ("ai_agent", None, "AI agent"),
        ("phone", None, "Business phone"),
        ("phone", "Tom Baker", "Tom Baker · phone app"),
        ("campaign", "Spring sale", "Campaign · Spring sale"),
        ("api", None, "API"),
        ("automation", None, "Automation"),
        ("system", None, "System"),
        ("carrier_pigeon", None, "Unknown author (carrier pigeon)"),
        ("carrier_pigeon", "Bert", "Unknown author (carrier pigeon) · Bert"),
        ("_", None, "Unknown author"),
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
    assert first.lstrip(" │┃║┇╏").startswith(head + "  ")
    assert first.endswith("09:26")
    assert second.lstrip(" │┃║┇╏") == "hello"


@pytest.mark.parametrize(
    ("author", "bar", "ink"),
    [
        ("contact", "│ ", "customer"),
        ("user", "    ┃ ", "team"),
        ("ai_agent", "    ║ ", "ai"),
        ("campaign", "    ┇ ", "campaign"),
        ("phone", "    ╏ ", "phone"),
    ],
)
def test_five_voices_differ_in_colour_and_in_the_shape_of_their_bar(
    author: str, bar: str, ink: str
) -> None:
    """Messages of the customer start at the left, all others four cells in."""
    direction = "inbound" if author == "contact" else "outbound"
    entry = message(author=author, direction=direction, text="hello")
    assert [line[: len(bar)] for line in drawn(entry)] == [bar, bar]
    assert {ink, f"{ink} bold"} <= parts(entry)


def test_the_own_messages_say_so() -> None:
    own = message(author="user", author_ref={"id": "7", "name": "Ana Souza"}, text="hello")
    (first, *_) = message_lines(own, CONTEXT._replace(me="7"), 70)
    assert "Ana Souza · you  " in "".join(text for _, text in first)
    (first, *_) = message_lines(own, CONTEXT._replace(me="8"), 70)
    assert "you" not in "".join(text for _, text in first)


def test_without_a_head_a_message_joins_the_one_above_with_its_time_where_there_is_room() -> None:
    (line,) = drawn(message(text="hello"), head=False)
    assert line == "│ hello" + "09:26".rjust(62)
    assert drawn(message(text="x" * 64), head=False) == ["│ " + "x" * 64]


def test_a_customer_without_a_name_is_the_customer() -> None:
    lines = message_lines(message(text="hi"), CONTEXT._replace(contact=""), 40)
    assert ("customer bold", "Customer") in lines[0]


def test_a_timestamp_that_cannot_be_read_is_shown_as_it_is() -> None:
    assert drawn(message(text="hi", created_at="some\nday"))[0].endswith(" some day")


# What became of it


@pytest.mark.parametrize(
    ("status", "tick", "word", "part"),
    [
        ("pending", "…", "...", "dim"),
        ("sent", "✓", "sent", "dim"),
        ("delivered", "✓✓", "dlvd", "dim"),
        ("read", "✓✓", "read", "read"),
        ("played", "✓✓", "played", "read"),
        ("failed", "✗", "failed", "error"),
        ("lost_at_sea", "lost at sea", "lost at sea", "dim"),
    ],
)
def test_ticks_say_how_far_a_sent_message_came(
    status: str, tick: str, word: str, part: str
) -> None:
    entry = sent(text="hi", delivery_status=status)
    assert drawn(entry)[0].endswith(f"09:26 {tick}")
    plain = message_lines(entry, CONTEXT._replace(symbols=ASCII_SYMBOLS), 70)
    assert (part, f" {word}") in plain[0]


def test_a_received_message_has_no_delivery() -> None:
    assert drawn(message(text="hi", delivery_status="read"))[0].endswith("09:26")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (None, "Not delivered"),
        ({"code": 131026, "title": "Undeliverable"}, "Not delivered: Undeliverable (131026)"),
        (
            {"code": 131047, "title": "Re-engagement", "details": "More than\n24 h"},
            "Not delivered: Re-engagement (131047) — More than 24 h",
        ),
    ],
)
def test_a_failure_says_why(error: dict[str, Any] | None, reason: str) -> None:
    entry = sent(text="hi", delivery_status="failed", error=error)
    assert drawn(entry)[1:] == ["    ┃ hi", f"    ┃ {reason}"]
    assert "error" in parts(entry)


# Notes


def test_a_note_is_named_as_one_and_stands_on_a_ground_of_its_own() -> None:
    note = Note(id="1", text="Call\nback", author_ref={"name": "Ana Souza"}, created_at=AT)
    assert drawn(note)[0].startswith("NOTE  Ana Souza  only the team sees this  ")
    assert drawn(note)[0].endswith("09:26")
    assert drawn(note)[1:] == ["Call", "back"]
    assert drawn(note, 40)[0].startswith("NOTE  Ana Souza   ")
    pieces = [piece for line in note_lines(note, CONTEXT, 70) for piece in line]
    assert all(part.endswith("@note-ground") for part, _ in pieces)


@pytest.mark.parametrize(
    ("author", "who"),
    [
        ("user", "Agent"),
        ("ai_agent", "AI agent"),
        ("robot_vacuum", "Unknown author (robot vacuum)"),
    ],
)
def test_a_note_without_a_name_says_what_wrote_it(author: str, who: str) -> None:
    assert drawn(Note(id="1", text="x", author=author, created_at=AT))[0].startswith(
        f"NOTE  {who} "
    )


# Measure


def test_text_wraps_at_90_and_times_end_at_98_of_the_pane() -> None:
    """The first column of the pane is a blank in front of these lines."""
    for entry in (message(text="word " * 100), sent(text="word " * 100)):
        first, *others = drawn(entry, 200)
        assert cell_len(first) == 97
        assert max(cell_len(line.lstrip(" │┃")) for line in others) in (88, 89, 90)


def test_a_long_word_is_broken() -> None:
    lines = drawn(message(text="x" * 10_000), 50, head=False)
    assert "".join(line[2:] for line in lines) == "x" * 10_000


def test_of_a_huge_message_the_beginning_is_shown_and_how_much_is_not() -> None:
    lines = drawn(message(text="x" * (SHOWN_CHARACTERS + 41)), 50, head=False)
    assert lines[-1] == "│ [41 more characters]"


def test_of_a_message_of_many_lines_the_beginning_is_shown_and_how_many_are_not() -> None:
    text = "a" + "\n" * 65_000 + "*z*"
    lines = drawn(message(text=text), 50, head=False)
    assert SHOWN_LINES < len(lines) < SHOWN_LINES + 5
    assert lines[-1].strip("│ ") == f"[{65_001 - SHOWN_LINES:d} more lines]"


@pytest.mark.parametrize("width", [8, 9, 20, 33, 80, 120])
def test_awkward_texts_keep_the_width(width: int) -> None:
    for text in AWKWARD:
        keeps_the_width(text, width)


def keeps_the_width(text: str, width: int) -> None:
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


def test_a_rule_across_the_pane_is_as_wide_as_the_pane() -> None:
    for width in range(8, 121):
        for words, new in (("", 3), ("Saturday 14 March 2026", 3), ("older messages above", 0)):
            assert cell_len("".join(text for _, text in rule(words, width, new=new))) == width


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
        {
            "mime_type": maybe,
            "filename": maybe,
            "size_bytes": st.none() | st.integers(max_value=2**63 - 1),
        }
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


@given(drawn_text(), st.none() | drawn_text(), st.integers(8, 120))
def test_every_line_of_every_note_is_exactly_as_wide_as_the_pane(
    text: str, name: str | None, width: int
) -> None:
    note = Note(id="1", text=text, author_ref={"name": name}, created_at=AT)
    assert drawn(note, width)


# What joins what


def test_messages_of_one_sender_within_five_minutes_stand_under_one_head() -> None:
    first, second = message(id="1"), message(id="2", created_at="2026-03-14T09:31:53.000Z")
    assert same_sender(second, first)
    assert not same_sender(first, None)


@pytest.mark.parametrize(
    "other",
    [
        {"created_at": "2026-03-14T09:31:54.000Z"},
        {"created_at": "some day"},
        {"author": "phone"},
        {"author_ref": {"name": "Somebody else"}},
        {"direction": "outbound"},
        {"type": "system"},
        {"type": "template"},
        {"forwarded": "once"},
        {"reply_to": {"text": "what was said"}},
    ],
)
def test_another_sender_kind_or_fate_has_a_head_of_its_own(other: dict[str, Any]) -> None:
    assert not same_sender(message(**other), message())


def test_a_note_never_joins_a_message() -> None:
    assert not same_sender(Note(id="1", text="x", author="contact", created_at=AT), message())


MESSAGES = {
    "of the customer": message(text="Where is my order? It should have come on *Friday*."),
    "of the team": sent(
        text="It is on its way.",
        author_ref={"id": "7", "name": "Ana Souza"},
        delivery_status="read",
        edited_at=AT,
        forwarded="once",
    ),
    "with a quote and reactions": message(
        text="Yes",
        reply_to={"id": "2", "text": "Is it the blue one?", "author": "user", "type": "text"},
        reactions=[
            {"emoji": "👍", "direction": "outbound", "author": "user", "created_at": AT},
            {"emoji": "🎉", "direction": "inbound", "author": "contact", "created_at": AT},
        ],
    ),
    "with a quote of a picture": message(text="Yes", reply_to={"id": "2", "type": "image"}),
    "with buttons": sent(
        type="template",
        content={
            "name": "shipped",
            "buttons": [{"title": "Track"}, {"title": "Talk to us"}, {"title": "A long " * 5}],
        },
        text="Your order was shipped",
    ),
    "that failed": sent(
        text="Hello", delivery_status="failed", error={"code": 1, "title": "Undeliverable"}
    ),
    "with a file": message(
        type="document",
        text="the bill",
        media={
            "mime_type": "application/pdf",
            "filename": "bill.pdf",
            "size_bytes": 4096,
            "url": "/v1/media/1",
            "key": "1",
            "status": "available",
        },
    ),
    "system": message(type="system", text="Ana changed her number, " * 3),
    "reaction": message(type="reaction", content={"emoji": "👍"}),
    "by a campaign": sent(author="campaign", author_ref={"name": "Spring sale"}, text="x" * 100),
}
NOTES = {
    "short": Note(id="1", text="Call back", author_ref={"name": "Ana Souza"}, created_at=AT),
    "long": Note(id="1", text="Call back " * 20, created_at=AT),
}


def test_messages_are_drawn_in_the_room_that_there_is(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    keys = CONTEXT._replace(open_key="o", save_key="s", me="7")
    for name, entry in MESSAGES.items():
        for width in (12, 23, 24, 40, 99, 120):
            drawing.add(f"{name}, {width} cells", message_lines(entry, keys, width))
        for width in (24, 60):
            lines = message_lines(entry, keys, width, head=False)
            drawing.add(f"{name}, {width} cells, no head", lines)
    drawing.compare(pytestconfig, "messages")


def test_notes_and_rules_are_drawn_in_the_room_that_there_is(pytestconfig: pytest.Config) -> None:
    drawing = Drawing()
    for name, note in NOTES.items():
        for width in (12, 40, 59, 60, 97, 99, 120):
            drawing.add(f"{name} note, {width} cells", note_lines(note, CONTEXT, width))
    for width in (8, 20, 30, 41, 97, 98, 120):
        rules = [
            rule(words, width, new=new)
            for words in ("", "Saturday 14 March 2026")
            for new in (0, 1, 120)
        ]
        drawing.add(f"rules, {width} cells", rules)
    drawing.compare(pytestconfig, "notes-and-rules")


@pytest.mark.parametrize(
    ("unread", "position"), [(-1, 5), (0, 5), (1, 4), (2, 1), (3, 0), (4, 5), (99, 5)]
)
def test_a_thread_opens_at_the_first_of_its_unread_messages_of_the_customer(
    unread: int, position: int
) -> None:
    note = Note(id="3", text="x", created_at=AT)
    entries = [message(id="0"), message(id="1"), sent(id="2"), note, message(id="4"), sent(id="5")]
    rows = FixedRows([(entry.id, entry) for entry in entries])
    thread = Thread(CLOCK)
    thread.open(ThreadContents(rows, "Ana", NewSinceVisit(unread), ""))
    assert thread.cursor == position


@pytest.mark.parametrize(("later", "position"), [(499, 0), (500, 500)])
def test_the_first_unread_message_is_looked_for_among_500_entries(
    later: int, position: int
) -> None:
    entries = [message(id="0"), *(sent(id=str(at)) for at in range(1, later + 1))]
    rows = FixedRows([(entry.id, entry) for entry in entries])
    thread = Thread(CLOCK)
    thread.open(ThreadContents(rows, "Ana", NewSinceVisit(1), ""))
    assert thread.cursor == position
