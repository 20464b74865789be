"""Normalises text of phones: direction marks, special spaces and digits of other scripts (pure)."""

_MARKS = "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_SPACES = (
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


def plain(text: str) -> str:
    """Remove direction marks, and convert spaces and digits to ASCII."""
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if character in _MARKS:
        return ""
    if character in _SPACES:
        return " "
    return str(int(character)) if character.isdecimal() else character
