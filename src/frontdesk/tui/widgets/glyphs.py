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
        named = type in self.media and self.media is _MEDIA
        return Symbol(icon, f"{icon} {name}" if named else icon)


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
# Elsewhere, the colour of the ticks tells read messages from delivered ones.
_TICKS_IN_WORDS = {**EMOJI.ticks, "delivered": "dlvd", "read": "read", "played": "played"}
ASCII_SYMBOLS = MessageSymbols(
    {type: (f"[{name}]", name) for type, (_, name) in _MEDIA.items()},
    {"pending": "...", "delivered": "dlvd"},
    "[{}]",
    "+",
    "x",
)


class PlainCharacters(LineFilter):
    """Replaces characters of the frame and of rows, for terminals whose fonts lack them."""

    TABLE = str.maketrans("◔◑◕●─━┬┯│┃║┇╏✓✗■▪▼▾…▸·•", ".:!#-=++|#=:;vx#*vv~>-o")

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [Segment(text.translate(self.TABLE), style) for text, style, _ in segments]


def symbols_for(environment: Mapping[str, str], *, no_color: bool = False) -> MessageSymbols:
    """Emoji, unless the terminal or the locale is known not to support them.

    no_color: delivery states that differ only in colour are words.
    """
    if is_ascii_terminal(environment):
        return ASCII_SYMBOLS
    return EMOJI._replace(ticks=_TICKS_IN_WORDS) if no_color else EMOJI
