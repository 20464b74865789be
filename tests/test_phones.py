"""Phone numbers: spellings of one number, and how they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.phones import format_phone, national_variants, parse_phone


@pytest.mark.parametrize(
    ("phone", "other"),
    [
        ("+5511987654321", "+551187654321"),
        ("+551187654321", "+5511987654321"),
        ("+5491123456789", "+541123456789"),
        ("+541123456789", "+5491123456789"),
        ("+5215512345678", "+525512345678"),
        ("+525512345678", "+5215512345678"),
    ],
)
def test_a_mobile_number_has_its_other_spelling(phone, other):
    assert national_variants(phone) == (other,)


@pytest.mark.parametrize(
    "phone",
    [
        "+16505551234",
        "+551132654321",  # a fixed line of São Paulo
        "+5511887654321",  # too long without its 9
        "+5501987654321",  # no area begins with 0
        "+54112345678",
        "+52155123456789",
        "+49521987654321",
        "5511987654321",
    ],
)
def test_any_other_number_has_none(phone):
    assert national_variants(phone) == ()


@pytest.mark.parametrize(
    ("phone", "shown"),
    [
        ("+442079460018", "+44 20 7946 0018"),
        ("+16505551234", "+1 650-555-1234"),
        ("+5491123456789", "+54 9 11 2345-6789"),
        ("+999123456789", "+999123456789"),
        ("Ana +44", "Ana +44"),
        ("", ""),
    ],
)
def test_a_number_is_shown_as_its_country_groups_it_and_any_other_text_as_it_is(phone, shown):
    assert format_phone(phone) == shown


@given(st.from_regex(r"\+[1-9][0-9]{6,14}", fullmatch=True))
def test_a_shown_number_is_still_the_same_number(phone):
    assert parse_phone(format_phone(phone)) == phone
