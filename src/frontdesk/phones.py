"""Phone numbers: parses what people type to E.164, formats E.164 for people, national variants.

Everything but what a person reads has E.164: the wire, databases, exports, filters, the clipboard.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Protocol

from frontdesk.text import one_line
from frontdesk.wire.values import PHONE_DIGITS

_TRUNK = re.compile(r"\(0\)")
_BETWEEN = re.compile(r"[\s().,/‐-―−-]+")
_NUMBER = re.compile(rf"(?:\+|00)?({PHONE_DIGITS})")
_PREFIXED = re.compile(r"00?([1-9][0-9]{2,14})")
_E164 = re.compile(rf"\+{PHONE_DIGITS}")
# Brazil: mobile numbers have a 9 after the area code that WhatsApp often omits.
_BRAZIL = re.compile(r"\+55([1-9][0-9])(9?)([6-9][0-9]{7})")
# Argentina and Mexico: a 9 or 1 after the country code marks a mobile number.
_ARGENTINA = re.compile(r"\+54(9?)([1-8][0-9]{9})")
_MEXICO = re.compile(r"\+52(1?)([2-9][0-9]{9})")


def parse_phone(text: str) -> str | None:
    """Parse an international number to E.164; None if invalid.

    >>> parse_phone("0044 (0)20 7946-0018"), parse_phone("tel:+44-20-7946-0018")
    ('+442079460018', '+442079460018')
    """
    match = _NUMBER.fullmatch(_compact(text))
    return f"+{match[1]}" if match else None


def without_prefix(text: str) -> str | None:
    """Digits after the 0 or 00 of a number, which E.164 lacks; None for any other text.

    The number may be incomplete, but has three digits at least.

    >>> without_prefix("07700 900001"), without_prefix("0044 7700"), without_prefix("7700 900001")
    ('7700900001', '447700', None)
    """
    match = _PREFIXED.fullmatch(_compact(text))
    return match[1] if match else None


def _compact(text: str) -> str:
    """A number as it is written, without what is between its digits."""
    digits = unicodedata.normalize("NFKC", text).strip().lower().removeprefix("tel:")
    digits = "".join(_ascii_digit(character) for character in digits)
    return _BETWEEN.sub("", _TRUNK.sub("", digits))


def is_e164(text: str) -> bool:
    """True for a number as it is stored: a plus, and the digits from the country code on."""
    return _E164.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def format_phone(phone: str | None) -> str:
    """Group the digits of an E.164 number as its country does; any other text is unchanged.

    >>> format_phone("+442079460018"), format_phone("+16505551234"), format_phone("Ana")
    ('+44 20 7946 0018', '+1 650-555-1234', 'Ana')
    """
    if not phone or not is_e164(phone):
        return phone or ""
    # Takes a tenth of the viewer's start, which may show no number at all.
    from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, parse

    try:
        text = format_number(parse(phone), PhoneNumberFormat.INTERNATIONAL)
    except NumberParseException:
        return phone
    # Versions of the library differ on the mobile prefixes of Argentina and Mexico.
    return text if _digits(text) == _digits(phone) else phone


def is_possible(phone: str) -> bool:
    """True if an E.164 number has as many digits as numbers of its country have.

    >>> is_possible("+447700900001"), is_possible("+7700900001")
    (True, False)
    """
    # Deferred as in `format_phone`.
    from phonenumbers import NumberParseException, is_possible_number, parse

    try:
        return bool(is_possible_number(parse(phone)))
    except NumberParseException:
        return False


class NamedRow(Protocol):
    """Contact or channel."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def phone(self) -> str | None: ...


def contact_name(contact: NamedRow) -> str:
    """Name of a contact for people: the name, else the number, else its id."""
    return name_or_phone(contact) or f"contact {contact.id}"


def channel_name(channel: NamedRow) -> str:
    """Name of a channel for people: the name, else the number, else its id."""
    return name_or_phone(channel) or one_line(channel.id)


def name_or_phone(named: NamedRow) -> str:
    """The name, else the number; "" if there is neither."""
    # The number only if it is shown: see `format_phone`.
    return one_line(named.name or "") or one_line(format_phone(named.phone))


def _digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))


def _ascii_digit(character: str) -> str:
    """Convert a digit of any script to ASCII; direction marks of copied text are removed."""
    if unicodedata.category(character) == "Cf":
        return ""
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def national_variants(phone: str) -> tuple[str, ...]:
    """Return the other national spellings of a mobile number, for searches; E.164.

    Contacts are not merged by them, see `ingest/apply/contact_merging.py`.

    >>> national_variants("+5511987654321"), national_variants("+551187654321")
    (('+551187654321',), ('+5511987654321',))
    """
    if match := _BRAZIL.fullmatch(phone):
        area, nine, number = match.groups()
        return (f"+55{area}{'' if nine else '9'}{number}",)
    if match := _ARGENTINA.fullmatch(phone):
        nine, number = match.groups()
        return (f"+54{'' if nine else '9'}{number}",)
    if match := _MEXICO.fullmatch(phone):
        one, number = match.groups()
        return (f"+52{'' if one else '1'}{number}",)
    return ()
