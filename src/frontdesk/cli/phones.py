"""Parses phone numbers as typed by people to E.164."""

import re
import unicodedata

from frontdesk.wire.values import PHONE_DIGITS

_TRUNK = re.compile(r"\(0\)")
_BETWEEN = re.compile(r"[\s().,/‐-―−-]+")
_NUMBER = re.compile(rf"(?:\+|00)?({PHONE_DIGITS})")


def international(text: str) -> str | None:
    """Parse an international number; None if invalid.

    >>> international("0044 (0)20 7946-0018"), international("tel:+44-20-7946-0018")
    ('+442079460018', '+442079460018')
    """
    digits = unicodedata.normalize("NFKC", text).strip().lower().removeprefix("tel:")
    digits = "".join(_ascii_digit(one) for one in digits)
    digits = _BETWEEN.sub("", _TRUNK.sub("", digits))
    found = _NUMBER.fullmatch(digits)
    return f"+{found[1]}" if found else None


def _ascii_digit(one: str) -> str:
    """Convert a digit of any script to ASCII; direction marks of copied text are removed."""
    if unicodedata.category(one) == "Cf":
        return ""
    value = unicodedata.decimal(one, None)
    return one if value is None else str(value)
