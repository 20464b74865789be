"""Phone numbers: parses what people type to E.164, formats E.164 for people, national variants.

Everything but what a person reads has E.164: the wire, databases, exports, filters, the clipboard.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

from frontdesk.text.clean import one_line, shown_line
from frontdesk.wire.values import PHONE_DIGITS

_TRUNK = re.compile(r"\(0\)")
_BETWEEN = re.compile(r"[\s().,/‐-―−-]+")
_NUMBER = re.compile(rf"(?:\+|00)?({PHONE_DIGITS})")
_WRITTEN = re.compile(r"(\+|00|0|)([1-9][0-9]{0,14})|(0[0-9]{2,14})")
_LEAST_DIGITS = 3
_E164 = re.compile(rf"\+{PHONE_DIGITS}")
# Brazil: mobile numbers have a 9 after the area code that WhatsApp often omits.
_BRAZIL = re.compile(r"\+55([1-9][0-9])(9?)([6-9][0-9]{7})")
# Brazil: radio numbers, which never had the 9, so that with it they are somebody else's.
_BRAZIL_RADIO = re.compile(r"\+55[1-9][0-9]7[0789][0-9]{6}")
# Argentina and Mexico: a 9 or 1 after the country code marks a mobile number.
_ARGENTINA = re.compile(r"\+54(9?)([1-8][0-9]{9})")
_MEXICO = re.compile(r"\+52(1?)([2-9][0-9]{9})")
# Country codes of numbers with two forms, with the length of the canonical one.
_CANONICAL_LENGTHS = {"+52": 13, "+54": 14, "+55": 14}
_TWO_FORMS = tuple(_CANONICAL_LENGTHS)
# Numbers without a country code whose E.164 does not contain them: Brazil (by the 9, see above),
# Argentina (15 after the area code marks a mobile number), Russia and Kazakhstan (8 for 0).
_BRAZIL_NATIONAL = re.compile(r"[1-9][0-9]9?[6-9][0-9]{7}")
_ARGENTINA_NATIONAL = re.compile(r"(?=[0-9]{12}$)[1-3][0-9]{1,3}15[0-9]{6,8}")
_RUSSIA_NATIONAL = re.compile(r"8([3489][0-9]{9})")

R = TypeVar("R")


def parse_phone(text: str) -> str | None:
    """Parse an international number to E.164; None if invalid.

    >>> parse_phone("0044 (0)20 7946-0018"), parse_phone("tel:+44-20-7946-0018")
    ('+442079460018', '+442079460018')
    """
    match = _NUMBER.fullmatch(_compact(text))
    return f"+{match[1]}" if match else None


class PhonePattern(NamedTuple):
    """Numbers that a text means which is one number, whole or a part.

    whole: E.164 of the numbers that it may be, the likeliest first. parts: digits, any of which a
    number contains; after a +, it begins with them. The first are those that are written.
    """

    whole: tuple[str, ...]
    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The number without what is between its digits, and without a 0 or 00 in front."""
        return self.parts[0]

    def matches(self, phone: str | None) -> bool:
        """True if an E.164 number contains one of the parts."""
        return phone is not None and any(part in phone for part in self.parts)

    def select(self, rows: Iterable[R], phone: Callable[[R], str | None]) -> list[R]:
        """Rows that have the whole number; if there is none, those whose number matches."""
        matching = [row for row in rows if self.matches(phone(row))]
        exact = ([row for row in matching if phone(row) == number] for number in self.whole)
        return next(filter(None, exact), matching)


@lru_cache(maxsize=256)
def phone_pattern(text: str) -> PhonePattern | None:
    """Parse digits, blanks, `()`, `+`, `-`, `.` and `/` as one number; None for any other text.

    It has three digits at least, or one after a +, and 15 at most. Whoever has the whole number is
    meant alone, see `PhonePattern.select`; else it is a part, the beginning after a +, or the
    national form with its 0.

    >>> phone_pattern("+44 (0)20 7946-0018").whole, phone_pattern("020 7946").parts
    (('+442079460018',), ('207946',))
    >>> phone_pattern("Ana 7946")
    """
    number = _compact(text)
    match = _WRITTEN.fullmatch(number)
    if match is None:
        return None
    prefix, digits = match[1] or "", match[2] or match[3]
    if prefix != "+" and len(digits) < _LEAST_DIGITS:
        # The 0 is a digit of 010, which begins no national number.
        return PhonePattern((), (number,)) if len(number) >= _LEAST_DIGITS else None
    international = f"+{digits}"
    without_trunk = _without_trunk(international) if prefix in ("+", "00") else ()
    whole = [phone for one in without_trunk for phone in _with_variants(one)]
    if prefix != "0" and is_e164(international):
        whole += _with_variants(international)
    parts = [international if prefix == "+" else digits]
    parts += [phone for phone in whole if digits not in phone]
    parts += [] if prefix in ("+", "00") else _national(digits)
    return PhonePattern(tuple(dict.fromkeys(whole)), tuple(dict.fromkeys(parts)))


def _national(digits: str) -> list[str]:
    """E.164 of numbers without a country code that is more than that put before them."""
    if _BRAZIL_NATIONAL.fullmatch(digits):
        return [*national_variants(f"+55{digits}")]
    if _ARGENTINA_NATIONAL.fullmatch(digits):
        return [phone for one in _without_trunk(f"+540{digits}") for phone in _with_variants(one)]
    match = _RUSSIA_NATIONAL.fullmatch(digits)
    return [f"+7{match[1]}"] if match else []


def _with_variants(phone: str) -> list[str]:
    return [phone, *national_variants(phone)]


def _without_trunk(phone: str) -> Sequence[str]:
    """E.164 of +44 07700 900001, which people write with both prefixes; () for any other."""
    # Deferred as in `format_phone`.
    from phonenumbers import NumberParseException, PhoneNumberFormat, format_number, parse

    try:
        normal = format_number(parse(phone), PhoneNumberFormat.E164)
    except NumberParseException:
        return ()
    return (normal,) if normal != phone and is_e164(normal) else ()


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


# A user id of WhatsApp, in place of a number: the country, a dot, letters and digits.
_USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")


def is_user_id(text: str) -> bool:
    """True for the form of a user id, by which a customer is known without a number.

    >>> is_user_id("US.13491208655302741918"), is_user_id("@ida")
    (True, False)
    """
    return _USER_ID.fullmatch(text) is not None


class NamedRow(Protocol):
    """Contact or channel."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str | None: ...
    @property
    def phone(self) -> str | None: ...


class CustomerRow(NamedRow, Protocol):
    """Contact, who may have a username in place of a number."""

    @property
    def username(self) -> str | None: ...


def contact_name(contact: CustomerRow) -> str:
    """Name of a contact for people: the name, else the number, the username or its id."""
    return shown_line(contact.name) or number_or_username(contact) or f"contact {contact.id}"


def number_or_username(contact: CustomerRow) -> str:
    """The number as people write it, else the username after @; "" if there is neither."""
    return one_line(format_phone(contact.phone)) or username(contact)


def username(contact: CustomerRow) -> str:
    """The username after @; "" if there is none."""
    name = shown_line(contact.username)
    return f"@{name.removeprefix('@')}" if name else ""


def channel_name(channel: NamedRow) -> str:
    """Name of a channel for people: the name, else the number, else its id."""
    return name_or_phone(channel) or one_line(channel.id)


def name_or_phone(named: NamedRow) -> str:
    """The name, else the number; "" if there is neither."""
    # The number only if it is shown: see `format_phone`.
    return shown_line(named.name) or one_line(format_phone(named.phone))


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

    Contacts are merged by `canonical_phone`, which is stricter.

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


def canonical_phone(name: str) -> str:
    """Return one form for all E.164 forms of one line; any other text is unchanged.

    Argentina and Brazil: with the mobile 9; Mexico: without the mobile 1.

    >>> canonical_phone("+541123456789"), canonical_phone("+5215512345678")
    ('+5491123456789', '+525512345678')
    """
    if not name.startswith(_TWO_FORMS) or _BRAZIL_RADIO.fullmatch(name):
        return name
    return max((name, *national_variants(name)), key=_is_canonical)


def _is_canonical(phone: str) -> bool:
    return len(phone) == _CANONICAL_LENGTHS[phone[:3]]


def phone_forms(name: str) -> tuple[str, ...]:
    """Return a number in all forms that have the same `canonical_phone`, itself first.

    >>> phone_forms("+541123456789"), phone_forms("+16505551234")
    (('+541123456789', '+5491123456789'), ('+16505551234',))
    """
    line = canonical_phone(name)
    return (name, *(form for form in national_variants(name) if canonical_phone(form) == line))


def is_same_phone(name: str | None, other: str | None) -> bool:
    """True for two forms of one line, and for two equal texts.

    >>> is_same_phone("+541123456789", "+5491123456789"), is_same_phone("US.1", None)
    (True, False)
    """
    if name is None or other is None:
        return False
    return name == other or canonical_phone(name) == canonical_phone(other)
