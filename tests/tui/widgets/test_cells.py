"""Text is fitted to exact widths, whatever its characters."""

import ast
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len, get_character_cell_size

from frontdesk.text.clean import clean, draws_sequences, width_safe
from frontdesk.tui.widgets.text_layout import cut, fit, spread, width_of, wrap, wrap_pieces
from tests.tui.texts import AWKWARD, drawn_text

WIDTHS = st.integers(0, 60)
ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"
PIECES = st.lists(st.tuples(st.sampled_from(["text", "dim"]), drawn_text()), max_size=4)


def each_cell(text: str) -> int:
    """The width of the characters one by one, as a terminal without a shaper puts them."""
    return sum(get_character_cell_size(character) for character in text)


@given(drawn_text(), WIDTHS)
def test_cut_text_is_one_line_and_never_longer(text: str, width: int) -> None:
    shown = cut(text, width)
    assert cell_len(shown) <= width
    assert "\n" not in shown
    assert "\t" not in shown


@given(drawn_text(), WIDTHS)
def test_fitted_text_is_exactly_as_wide(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


@given(drawn_text(), st.integers(1, 60))
def test_wrapped_text_has_a_line_and_none_is_longer(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert lines
    assert all(cell_len(line) <= width for line in lines)
    assert not any("\n" in line or "\t" in line for line in lines)


@given(drawn_text(), st.integers(2, 60))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    assert "".join("".join(wrap(text, width)).split()) == "".join(width_safe(text).split())


@given(PIECES, st.integers(2, 60))
def test_wrapped_pieces_lose_no_letter_and_no_line_is_longer(
    pieces: list[tuple[str, str]], width: int
) -> None:
    lines = wrap_pieces(pieces, width)
    assert lines
    assert all(width_of(line) <= width for line in lines)
    assert not any("\n" in text or "\t" in text for line in lines for _, text in line)
    for part in ("text", "dim"):
        shown = "".join(text for line in lines for name, text in line if name == part)
        text = "".join(width_safe(text) for name, text in pieces if name == part)
        assert "".join(shown.split()) == "".join(text.split())


@given(PIECES, PIECES, WIDTHS)
def test_two_ends_are_a_line_of_exactly_the_width(
    left: list[tuple[str, str]], right: list[tuple[str, str]], width: int
) -> None:
    line = spread(left, right, width)
    assert width_of(line) == width
    assert not any("\n" in text for _, text in line)


@given(drawn_text(), WIDTHS)
def test_no_character_changes_the_width_of_another(text: str, width: int) -> None:
    shown = fit(text, width)
    assert each_cell(shown) == width
    assert cell_len(shown + "x") == width + 1


@given(drawn_text())
def test_steady_text_stays_as_it_is(text: str) -> None:
    assert width_safe(width_safe(text)) == width_safe(text)


@pytest.mark.parametrize("width", [1, 2, 3, 7, 20])
def test_awkward_texts_keep_their_place(width: int) -> None:
    for text in map(clean, AWKWARD):
        assert each_cell(fit(text, width)) == width
        assert all(each_cell(line) <= width for line in wrap(text, width))


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("Sheena Nelson", 20, "Sheena Nelson"),
        ("Sheena Nelson", 13, "Sheena Nelson"),
        ("Sheena Nelson", 12, "Sheena Nels…"),
        ("Sheena Nelson", 8, "Sheena…"),
        ("Sheena Nelson", 1, "…"),
        ("Sheena Nelson", 0, ""),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("one\ntwo\tthree", 20, "one two three"),
    ],
)
def test_cut_text_ends_with_an_ellipsis(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👩\u200d👩\u200d👧 family", "👩👩👧 family"),
        ("👩🏽\u200d🦽", "👩🦽"),
        ("🏳\ufe0f\u200d🌈", "🏳🌈"),
        ("👩\u200d⚕\ufe0f", "👩⚕"),
        ("👍🏽 ok", "👍 ok"),
        ("🏽", "■"),
        ("❤\ufe0f", "❤"),
        ("1\ufe0f\u20e3", "1\u20e3"),
        ("🇬🇧", "🇬🇧"),
        (ENGLAND, "🏴gbeng"),
        ("a\u200db", "ab"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("e\u0301", "e\u0301"),
        ("z" + "\u0301" * 500 + "!", "z" + "\u0301" * 4 + "!"),
    ],
)
def test_a_sequence_that_terminals_draw_differently_is_shown_as_its_parts(
    text: str, shown: str
) -> None:
    assert width_safe(text) == shown


SEQUENCES = [
    *("👩🏽\u200d🦽", "👍🏽", "👩\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "👩\u200d⚕\ufe0f"),
    *(
        "1\ufe0f\u20e3",
        "🇬🇧",
        ENGLAND,
        "👩🏻\u200d❤\ufe0f\u200d💋\u200d👨🏽",
        "❤\ufe0f\u200d🔥",
        "❤\ufe0f",
    ),
]
COUNTS_SEQUENCES = cell_len(SEQUENCES[0]) == 2


@pytest.mark.skipif(not COUNTS_SEQUENCES, reason="this Rich counts the parts, so they are drawn")
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_terminal_that_draws_sequences_gets_them_whole(sequence: str) -> None:
    text = f"a {sequence}{sequence} b"
    assert width_safe(text, whole=True) == text
    assert cell_len(text) == 8


PROGRAM = """
from frontdesk.tui.widgets.text_layout import cut, wrap
print(ascii([*wrap("👩🏽\u200d🦽" * 4, 5), cut("👩🏽\u200d🦽" * 4, 4)]))
"""


@pytest.mark.skipif(not COUNTS_SEQUENCES, reason="this Rich counts the parts, so they are drawn")
def test_lines_are_cut_between_whole_sequences() -> None:
    environment = {**os.environ, "TERM": "xterm-kitty"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True
    )
    one = SEQUENCES[0]
    assert ast.literal_eval(done.stdout.decode()) == [one * 2, one * 2, f"{one}…"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # No font has a picture of these.
        ("👩\u200d🍌", "👩🍌"),
        ("👨\u200d👨\u200d👨\u200d👨\u200d👨", "👨👨👨👨👨"),
        # Terminals disagree on their widths.
        ("🏳\u200d🌈", "🏳🌈"),
        ("🕵🏽\u200d♂\ufe0f", "🕵♂"),
        ("a\u200db\ufe0f🏽", "ab■"),
    ],
)
def test_a_sequence_that_no_terminal_draws_whole_is_shown_as_its_parts(
    text: str, shown: str
) -> None:
    assert width_safe(text, whole=True) == shown


@given(drawn_text())
def test_a_text_with_whole_sequences_is_as_wide_as_it_is_counted(text: str) -> None:
    shown = width_safe(text, whole=True)
    assert width_safe(shown, whole=True) == shown
    assert cell_len(f"{shown}x") == cell_len(shown) + 1


def test_terminals_that_draw_sequences_in_two_cells_are_known_by_name() -> None:
    assert all(draws_sequences({"TERM": name}) for name in ("xterm-kitty", "foot"))
    for name in ("xterm-256color", "tmux-256color", "screen", "linux", "alacritty", ""):
        assert not draws_sequences({"TERM": name, "KITTY_WINDOW_ID": "1"})
    page = {"TERM": "xterm-kitty", "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver"}
    assert not draws_sequences(page)


def test_words_break_between_each_other_and_long_ones_anywhere() -> None:
    assert wrap("the order has been sent", 10) == ["the order", "has been", "sent"]
    assert wrap("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap("漢字漢字漢", 4) == ["漢字", "漢字", "漢"]
    assert wrap("one\n\ntwo", 10) == ["one", "", "two"]
    assert wrap("", 10) == [""]


def test_the_right_end_stays_when_both_do_not_fit() -> None:
    line = spread([("text", "a very long name")], [("dim", " 12m")], 10)
    assert "".join(text for _, text in line) == "a ver… 12m"


def test_a_right_end_that_is_too_long_is_cut_too() -> None:
    line = spread([("text", "name")], [("dim", " #label"), ("dim", " 12m")], 6)
    assert "".join(text for _, text in line) == " #lab…"


def test_a_right_end_is_one_line_too() -> None:
    line = spread([("text", "name")], [("dim", "open\nsnoozed")], 20)
    assert "".join(text for _, text in line) == "name    open snoozed"
