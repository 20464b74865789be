"""Characters that a terminal lacks are others of the same width."""

import pytest
from hypothesis import given
from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from frontdesk.text.clean import clean
from frontdesk.tui.widgets.glyphs import PlainCharacters
from tests.tui.texts import drawn_text


def written(text: str, encoding: str) -> str:
    segments = PlainCharacters(encoding).apply([Segment(text)], Color(0, 0, 0))
    return "".join(segment.text for segment in segments)


@given(drawn_text())
def test_what_a_terminal_with_ascii_gets_is_ascii_in_as_many_cells(text: str) -> None:
    text = clean(text)
    shown = written(text, "ascii")
    assert shown.isascii()
    assert cell_len(shown) >= cell_len(text)


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("╭─ Zoë ─╮", "ascii", "+- Zoe -+"),
        ("╭─ Zoë ─╮", "iso8859-1", "+- Zoë -+"),
        ("╰ 京都 ⏰ ≈ £5", "ascii", "+ ???? ?? ~ ?5"),
        ("Zoë 京都", "utf-8", "Zoë 京都"),
    ],
)
def test_letters_lose_their_marks_and_others_are_question_marks(
    text: str, encoding: str, shown: str
) -> None:
    assert written(text, encoding) == shown
