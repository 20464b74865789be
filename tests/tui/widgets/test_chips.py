"""Labels as chips, and which of them is at a cell."""

import pytest

from frontdesk.tui.widgets.chips import chip, label_at
from frontdesk.tui.widgets.text_layout import Piece

LINE: list[Piece] = [
    *(("strong", "Ana vip "), ("#2e9e5b", " vip "), ("text", " "), ("text@card", " compl… ")),
    ("dim", "+1"),
]
LABELS = ("complaint", "vip", "late")


@pytest.mark.parametrize(
    ("colour", "plain", "drawn"),
    [
        ("#2e9e5b", False, ("#2e9e5b", " vip ")),
        ("#2e9e5b", True, ("text", "#vip ")),
        (None, False, ("text@card", " vip ")),
        ("#2e9e5", False, ("text@card", " vip ")),
        ("#2e9e5b; }", False, ("text@card", " vip ")),
    ],
)
def test_a_chip_is_on_its_colour_if_that_is_one(
    colour: str | None, plain: bool, drawn: Piece
) -> None:
    assert chip("vip", colour, plain=plain) == drawn


@pytest.mark.parametrize(
    ("x", "label"),
    [
        (-1, None),
        # The name of the customer has the word of a label too.
        (4, None),
        (7, None),
        (8, "vip"),
        (12, "vip"),
        (13, None),
        (14, "complaint"),
        (21, "complaint"),
        (22, None),
        (99, None),
    ],
)
def test_the_label_under_a_click_is_found_also_if_it_was_cut(x: int, label: str | None) -> None:
    assert label_at(LINE, x, LABELS) == label


def test_labels_that_are_words_are_found_by_their_sign() -> None:
    line: list[Piece] = [("text", "#vip "), ("text", "#la… "), ("text", " ")]
    assert [label_at(line, x, LABELS) for x in (0, 4, 5, 9, 10)] == [
        *("vip", "vip", "late", "late", None)
    ]
    assert label_at([("text@card", " gone ")], 1, LABELS) is None
    assert label_at([("text@card", "  ")], 1, LABELS) is None
