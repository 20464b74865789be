"""National variants of mobile numbers in Argentina, Brazil and Mexico."""

import re

# Brazil: mobile numbers have a 9 after the area code that WhatsApp often omits.
_BRAZIL = re.compile(r"\+55([1-9][0-9])(9?)([6-9][0-9]{7})")
# Argentina and Mexico: a 9 or 1 after the country code marks a mobile number.
_ARGENTINA = re.compile(r"\+54(9?)([1-8][0-9]{9})")
_MEXICO = re.compile(r"\+52(1?)([2-9][0-9]{9})")


def national_variants(phone: str) -> tuple[str, ...]:
    """Return the other national spellings of a mobile number; E.164.

    >>> national_variants("+5511987654321"), national_variants("+551187654321")
    (('+551187654321',), ('+5511987654321',))
    """
    if told := _BRAZIL.fullmatch(phone):
        area, nine, number = told.groups()
        return (f"+55{area}{'' if nine else '9'}{number}",)
    if told := _ARGENTINA.fullmatch(phone):
        nine, number = told.groups()
        return (f"+54{'' if nine else '9'}{number}",)
    if told := _MEXICO.fullmatch(phone):
        one, number = told.groups()
        return (f"+52{'' if one else '1'}{number}",)
    return ()
