"""WhatsApp markup is rendered where WhatsApp would render it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.widgets.message_list import marked_pieces
from frontdesk.tui.widgets.text_layout import Piece, width_of, wrap_pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("plain", [("text", "plain")]),
        ("*bold* word", [("strong", "bold"), ("text", " word")]),
        ("a _b c_ d", [("text", "a "), ("italic", "b c"), ("text", " d")]),
        ("~gone~!", [("strike", "gone"), ("text", "!")]),
        ("run `x *y*` now", [("text", "run "), ("code", "x *y*"), ("text", " now")]),
        ("```one\ntwo```", [("code", "one\ntwo")]),
        ("*_both_*", [("italic", "both")]),
        ("*a _b_*", [("strong", "a "), ("italic", "b")]),
        ("2 * 3 * 4", [("text", "2 * 3 * 4")]),
        ("snake_case_name", [("text", "snake_case_name")]),
        ("* not bold*", [("text", "* not bold*")]),
        ("*over\nlines*", [("text", "*over\nlines*")]),
        ("", []),
    ],
)
def test_marks_are_read_as_whatsapp_reads_them(text: str, pieces: list[Piece]) -> None:
    assert marked_pieces(text) == pieces


@given(st.text(alphabet="ab *_~`\n"))
def test_only_marks_are_taken_away(text: str) -> None:
    shown = "".join(piece for _, piece in marked_pieces(text))
    assert [c for c in shown if c in "ab"] == [c for c in text if c in "ab"]


@given(st.text(alphabet="ab 漢👍*_~`\n"), st.integers(2, 30))
def test_marked_lines_fit(text: str, width: int) -> None:
    lines = wrap_pieces(marked_pieces(text), width)
    assert lines
    assert all(width_of(line) <= width for line in lines)
