"""Styles the lines of a message (`message_text`) by their roles, with symbols of types."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from frontdesk.text.messages import (
    AD,
    CARD,
    DELETED,
    DETAIL,
    FAILURE,
    FOOTER,
    HEADER,
    ITEM,
    PLACEHOLDER,
    REMARK,
    TEXT,
    MessageLine,
    plain,
)
from frontdesk.tui.widgets.glyphs import EMOJI, MessageSymbols
from frontdesk.tui.widgets.text_layout import Piece

# Text that is wrapped, or a line of pieces that is truncated.
Block: TypeAlias = Piece | list[Piece]

_PARTS: Mapping[str, str] = MappingProxyType(
    {
        TEXT: "text",
        HEADER: "strong",
        FOOTER: "dim italic",
        ITEM: "text",
        DETAIL: "dim",
        AD: "dim",
        REMARK: "dim",
        PLACEHOLDER: "dim",
        DELETED: "dim italic",
        FAILURE: "error",
    }
)
# Told from the words of the sender by their style alone.
_WITHOUT_BRACKETS = (AD, REMARK, FAILURE)


def block_of(line: MessageLine, symbols: MessageSymbols = EMOJI, *, hint: str = "") -> Block:
    """A line as a block that starts on a new line; not for buttons.

    hint: words after a card, on keys for its file.
    """
    if line.role == CARD:
        return _card(line, symbols, hint)
    if line.role == DELETED:
        return _PARTS[DELETED], f"{symbols.deleted} {line.text}"
    return _PARTS[line.role], line.text if line.role in _WITHOUT_BRACKETS else plain(line)


def _card(line: MessageLine, symbols: MessageSymbols, hint: str) -> list[Piece]:
    """📷 photo · 240 KB, on a ground of its own."""
    details = f"· {line.text} " if line.text else ""
    card = [("strong@card", f" {symbols.of(line.type).words} "), ("text@card", details)]
    return [*card, ("dim", f"  {hint}")] if hint else card
