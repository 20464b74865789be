"""Symbols of messages, and ASCII in place of the characters that some terminals lack."""

from collections.abc import Mapping
from typing import NamedTuple

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from frontdesk.text import humanize, is_ascii_terminal


class Symbol(NamedTuple):
    """icon: in front of a caption. words: without a caption."""

    icon: str
    words: str


class MessageSymbols(NamedTuple):
    """Symbols of message types and delivery states; `others` shows the name of an unknown type."""

    media: Mapping[str, tuple[str, str]]
    ticks: Mapping[str, str]
    others: str
    reaction: str
    deleted: str

    def of(self, type: str) -> Symbol:
        """Symbol of a message type."""
        icon, name = self.media.get(type, ("", humanize(type)))
        icon = icon or self.others.format(name)
        return Symbol(icon, f"{icon} {name}" if type in self.media and self is EMOJI else icon)


_MEDIA = {
    "image": ("📷", "photo"),
    "video": ("🎬", "video"),
    "audio": ("🎵", "audio"),
    "voice": ("🎤", "voice"),
    "document": ("📄", "document"),
    "sticker": ("🙂", "sticker"),
    "location": ("📍", "location"),
    "contacts": ("👤", "contact"),
    "order": ("🛒", "order"),
    "product": ("🛒", "product"),
}
EMOJI = MessageSymbols(
    _MEDIA,
    {"pending": "…", "sent": "✓", "delivered": "✓✓", "read": "✓✓", "played": "✓✓", "failed": "✗"},
    "[{}]",
    "↳",
    "⊘",
)
ASCII_SYMBOLS = MessageSymbols(
    {type: (f"[{name}]", name) for type, (_, name) in _MEDIA.items()},
    {"pending": "...", "delivered": "dlvd"},
    "[{}]",
    "+",
    "x",
)


class PlainCharacters(LineFilter):
    """Replaces characters of the frame and of rows, for terminals whose fonts lack them."""

    TABLE = str.maketrans("◔◑◕●─━┬┯│┃║┇╏✓✗■▼▾…▸·•", ".:!#-=++|#=:;vx#vv~>-o")

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text.translate(self.TABLE), style) for text, style, _ in segments]


def symbols_for(environment: Mapping[str, str]) -> MessageSymbols:
    """Emoji, unless the terminal or the locale is known not to support them."""
    return ASCII_SYMBOLS if is_ascii_terminal(environment) else EMOJI
