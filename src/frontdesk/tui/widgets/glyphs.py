"""Symbols of messages, and ASCII in place of the characters that some terminals lack."""

import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from frontdesk.text.calls import CALL_KINDS
from frontdesk.text.clean import is_ascii_terminal
from frontdesk.text.messages import KINDS, type_word

# The part of a list's last column that says which of its rows are shown.
SCROLL_BAR_THUMB = "┃"


class Symbol(NamedTuple):
    """icon: in front of a caption. words: without a caption."""

    icon: str
    words: str


class MessageSymbols(NamedTuple):
    """Symbols of message types and delivery states; a type without an icon is a word."""

    icons: Mapping[str, str]
    ticks: Mapping[str, str]
    reaction: str
    deleted: str
    follow_up: str

    def of(self, type: str) -> Symbol:
        """Symbol of a message type."""
        word, icon = type_word(type), self.icons.get(type)
        return Symbol(icon, f"{icon} {word}") if icon else Symbol(f"[{word}]", f"[{word}]")


_ICONS = {
    **{type: kind.icon for type, kind in KINDS.items() if kind.icon},
    **dict.fromkeys(CALL_KINDS, "📞"),
}
EMOJI = MessageSymbols(
    _ICONS,
    {"pending": "…", "sent": "✓", "delivered": "✓✓", "read": "✓✓", "played": "✓✓", "failed": "✗"},
    "↳",
    "⊘",
    "⏰",
)
# Elsewhere, the colour of the ticks tells read messages from delivered ones.
_TICKS_IN_WORDS = {**EMOJI.ticks, "delivered": "dlvd", "read": "read", "played": "played"}
ASCII_SYMBOLS = MessageSymbols({}, {"pending": "...", "delivered": "dlvd"}, "+", "x", "due")


class PlainCharacters(LineFilter):
    """Replaces characters of the frame and of rows, for terminals whose fonts lack them.

    Others are replaced where the encoding of the terminal lacks them, by a letter without its mark
    or a question mark for each cell.
    """

    TABLE = str.maketrans(
        "◔◑◕●─━┬┯┴┷├┤┼│┃║┇╏╭╮╰╯┌┐└┘✓✗■▪▼▾▲▴…▸·•↳⊘↵↑↓←→≈",
        ".:!#-=+++++++|#=:;++++++++vx#*vv^^~>-o+x<^v<>~",
    )

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(self._written(text), style) for text, style, _ in segments]

    def _written(self, text: str) -> str:
        if text.isascii():
            return text
        text = text.translate(self.TABLE)
        try:
            text.encode(self._encoding)
        except UnicodeEncodeError:
            plain = "".join(map(self._encodable, text))
            # A sequence may be wider than its characters.
            text = plain + " " * (cell_len(text) - cell_len(plain))
        return text

    def _encodable(self, character: str) -> str:
        try:
            character.encode(self._encoding)
        except UnicodeEncodeError:
            letter = unicodedata.normalize("NFKD", character)[:1]
            cells = cell_len(character)
            return letter if letter.isascii() and cells == 1 else "?" * cells
        return character


def symbols_for(environment: Mapping[str, str], *, no_color: bool = False) -> MessageSymbols:
    """Emoji, unless the terminal or the locale is known not to support them.

    no_color: delivery states that differ only in colour are words.
    """
    if is_ascii_terminal(environment):
        return ASCII_SYMBOLS
    return EMOJI._replace(ticks=_TICKS_IN_WORDS) if no_color else EMOJI
