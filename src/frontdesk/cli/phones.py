"""Phone numbers as people write them, as E.164."""

import re
import unicodedata

from frontdesk.wire.words import PHONE_DIGITS

_TRUNK = re.compile(r"\(0\)")
_BETWEEN = re.compile(r"[\s().,/‐-―−-]+")
_NUMBER = re.compile(rf"(?:\+|00)?({PHONE_DIGITS})")


def international(text: str) -> str | None:
    """The number that an international spelling means; None where it is none.

    >>> international("0044 (0)20 7946-0018"), international("tel:+44-20-7946-0018")
    ('+442079460018', '+442079460018')
    """
    digits = unicodedata.normalize("NFKC", text).strip().lower().removeprefix("tel:")
    digits = "".join(_ascii_digit(one) for one in digits)
    digits = _BETWEEN.sub("", _TRUNK.sub("", digits))
    found = _NUMBER.fullmatch(digits)
    return f"+{found[1]}" if found else None


def _ascii_digit(one: str) -> str:
    """Digits of any script are digits; marks of direction, which come along when copied, go."""
    if unicodedata.category(one) == "Cf":
        return ""
    value = unicodedata.decimal(one, None)
    return one if value is None else str(value)
