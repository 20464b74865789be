"""Labels as chips: their pieces, and the label at a cell of a line."""

import re
from collections.abc import Sequence

from rich.cells import cell_len

from frontdesk.text.clean import one_line
from frontdesk.tui.widgets.text_layout import ELLIPSIS, Piece

HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def chip(label: str, colour: str | None, *, plain: bool = False) -> Piece:
    """A label on a ground in its colour; with `plain` as a word."""
    if plain:
        return "text", f"#{label} "
    return colour if colour and HEX_COLOUR.fullmatch(colour) else "text@card", f" {label} "


def label_at(line: Sequence[Piece], x: int, labels: Sequence[str]) -> str | None:
    """Label whose chip is at a cell of a drawn line, also one that was cut."""
    for part, text in line:
        if 0 <= x < cell_len(text):
            is_chip = part.startswith("#") or part == "text@card" or text.startswith("#")
            word = text.strip().removeprefix("#")
            beginning = word.removesuffix(ELLIPSIS)
            fits = [label for label in labels if word == one_line(label)]
            fits += [label for label in labels if word != beginning and label.startswith(beginning)]
            return fits[0] if is_chip and word and fits else None
        x -= cell_len(text)
    return None
