"""Reactions, footers and buttons are shown once, and not as words of the message."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontdesk.inbox.rows import FixedRows
from frontdesk.text.entries import NewSinceVisit
from frontdesk.text.messages import author_word
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.glyphs import ASCII_SYMBOLS, EMOJI, MessageSymbols
from frontdesk.tui.widgets.message_list import (
    Line,
    MessageContext,
    Thread,
    ThreadContents,
    message_lines,
)
from frontdesk.tui.widgets.text_layout import Piece
from frontdesk.wire import Message

AT = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
CLOCK = Clock(UTC, lambda: AT + timedelta(minutes=30))
# Inks of the words of a message; no other ink is used for them.
WORDS = {"text", "strong", "italic", "strike", "code", "block"}
AUTHORS = {
    "contact": "Sheena Nelson",
    **{author: author_word(author) for author in ("user", "ai_agent", "phone")},
}

words = st.lists(st.sampled_from(["yes", "no", "*now*", "_soon_", "+", "[ ok ]", "↳"]), max_size=12)
reactions = st.lists(
    st.fixed_dictionaries(
        {"emoji": st.sampled_from(["🥳", "👍", "🙏"]), "author": st.sampled_from(sorted(AUTHORS))}
    ),
    max_size=3,
    unique_by=lambda one: (one["emoji"], one["author"]),
)
buttons = st.lists(st.sampled_from(["Pay now", "Later", "Ask a person"]), max_size=3, unique=True)


def sent(
    text: list[str],
    reactions_drawn: list[dict[str, str]],
    titles: list[str],
    footer: bool,
    kind: str,
) -> Message:
    """A message whose words begin with SAID, its footer with FOOT, each button with a B."""
    listed = [{"title": f"B{title}", "text": f"B{title}"} for title in titles]
    content: dict[str, object] = {"buttons": listed, "footer": "FOOTER"} if footer else {}
    if kind == "template":
        end = [{"type": "footer", "text": "FOOTER"}] if footer else []
        content = {"components": [*end, {"type": "buttons", "buttons": listed}]}
    elif kind == "interactive":
        content = {"buttons": listed, **({"footer": "FOOTER"} if footer else {})}
    moment = AT.isoformat()
    return Message.model_validate(
        {
            "id": "1",
            "direction": "outbound",
            "author": "user",
            "type": kind,
            "text": " ".join(["SAID", *text]),
            "content": content,
            "reactions": [
                {**one, "direction": _way(one), "created_at": moment} for one in reactions_drawn
            ],
            "created_at": moment,
        }
    )


def _way(reaction: dict[str, str]) -> str:
    return "inbound" if reaction["author"] == "contact" else "outbound"


def lines_of(message: Message, width: int, symbols: MessageSymbols) -> list[Line]:
    context = MessageContext(CLOCK, contact="Sheena Nelson", symbols=symbols)
    return message_lines(message, context, width)


def text_of(line: list[Piece]) -> str:
    """The line without its bar."""
    return "".join(text for _, text in line[2:]).strip()


messages = st.builds(
    sent, words, reactions, buttons, st.booleans(), st.sampled_from(["template", "interactive"])
)


@pytest.mark.parametrize("symbols", [EMOJI, ASCII_SYMBOLS], ids=["emoji", "ascii"])
@settings(max_examples=40, deadline=None)
@given(message=messages, width=st.sampled_from([30, 47, 66, 90, 120, 200]))
def test_by_colour_only_the_words_are_words(
    message: Message, width: int, symbols: MessageSymbols
) -> None:
    content = message.content or {}
    titles = re.findall(r"'title': '(B[^']+)'", str(content))
    drawn = lines_of(message, width, symbols)
    pieces = [(part.partition("@")[0], text) for line in drawn for part, text in line]
    every = "\n".join(text for _, text in pieces)
    assert every.count("SAID") == 1
    assert every.count("FOOTER") == str(content).count("FOOTER")
    assert {part for part, text in pieces if "FOOTER" in text} <= {"dim italic"}
    for title in titles:
        assert [part for part, text in pieces if f"[ {title} ]" in text] == ["strong"]
        assert every.count(title) == 1
    for one in message.reactions:
        said = f"{one.emoji} {AUTHORS[one.author]}"
        reactions_drawn = [part for part, text in pieces if said in text]
        assert reactions_drawn == ["dim"] or width < 90
        assert len(reactions_drawn) <= 1
        assert not WORDS.intersection(reactions_drawn)


@pytest.mark.parametrize("symbols", [EMOJI, ASCII_SYMBOLS], ids=["emoji", "ascii"])
@settings(max_examples=40, deadline=None)
@given(message=messages, width=st.sampled_from([30, 47, 66, 90, 120, 200]))
def test_without_colour_each_has_a_shape_and_a_line_of_its_own(
    message: Message, width: int, symbols: MessageSymbols
) -> None:
    lines = list(map(text_of, lines_of(message, width, symbols)))
    titles = re.findall(r"'title': '(B[^']+)'", str(message.content))
    for line in lines:
        if any(title in line for title in titles):
            assert re.fullmatch(r"(\[ B[^\[\]]+ \]  )*\[ B[^\[\]]+ \]", line)
    if message.reactions:
        assert lines[-1].startswith(f"{symbols.reaction} ")
    footers = [line for line in lines if "FOOTER" in line]
    assert footers in ([], ["FOOTER"])


@settings(max_examples=30, deadline=None)
@given(reactions_drawn=reactions, between=st.integers(0, 12))
def test_a_reaction_that_is_a_message_too_is_shown_once(
    reactions_drawn: list[dict[str, str]], between: int
) -> None:
    target = sent([], reactions_drawn, [], False, "interactive")
    entries = [target]
    for number in range(between):
        entries.append(target.model_copy(update={"id": f"2{number}", "reactions": ()}))
    for number, one in enumerate(reactions_drawn):
        row = {"id": f"3{number}", "type": "reaction", "direction": _way(one), **one}
        row |= {"content": {"emoji": one["emoji"]}, "created_at": AT.isoformat()}
        entries.append(Message.model_validate(row))
    thread = Thread(CLOCK)
    rows = FixedRows([(f"message {entry.id}", entry) for entry in entries])
    thread.open(ThreadContents(rows, "Sheena Nelson", NewSinceVisit(), ""))
    drawn = [line for at in range(len(entries)) for line in thread.draw(at, 120)]
    text = "\n".join(map(text_of, drawn))
    for one in reactions_drawn:
        assert text.count(f"{one['emoji']} {AUTHORS[one['author']]}") == 1
        assert "reacted" not in text
