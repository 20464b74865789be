"""Numbers that some countries write in two ways."""

import pytest

from frontdesk.store.phones import national_variants


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
