"""Phone numbers: spellings of one number, and their display."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.phones import (
    canonical_phone,
    channel_name,
    format_phone,
    is_same_phone,
    national_variants,
    parse_phone,
    phone_forms,
    phone_pattern,
)
from frontdesk.wire import PhoneRef


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


def test_a_contact_with_a_name_is_named_without_the_library_for_numbers():
    program = (
        "import sys;from frontdesk.text.phones import contact_name;"
        "from frontdesk.wire import PhoneRef;"
        "contact_name(PhoneRef(id='1', name='Ana', phone='+442079460018'));"
        "sys.exit('phonenumbers' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("name", "phone", "shown"),
    [("London", "+442079460018", "London"), (" ", "+442079460018", "+44 20 7946 0018")],
)
def test_a_channel_is_named_by_its_number_only_if_it_has_no_name(name, phone, shown):
    assert channel_name(PhoneRef(id="7", name=name, phone=phone)) == shown


def test_a_channel_without_name_and_number_is_named_by_its_id():
    assert channel_name(PhoneRef(id="7")) == "7"


@pytest.mark.parametrize(
    "text",
    [
        "+44 20 7946 0018",
        "+44 (0)20 7946-0018",
        "0044 20 7946.0018",
        "442079460018",
        "tel:+44-20-7946-0018",
        "TEL:+44/20/79460018",
        "+44\u00a020\u202f7946\u20110018",
        "\u202a+44 20 7946 0018\u202c",
        "＋４４２０７９４６００１８",
        "+٤٤٢٠٧٩٤٦٠٠١٨",
    ],
)
def test_spellings_of_one_number(text: str):
    assert parse_phone(text) == "+442079460018"


UK, UK_LONGER, US, BRAZIL = "+447700900002", "+4477009000023", "+12125550100", "+5511987654321"
BRAZIL_WITHOUT_9, ARGENTINA, ITALY, RUSSIA = (
    *("+551187654321", "+5491123456789"),
    *("+390612345678", "+74951234567"),
)
STORED = (
    *(UK, UK_LONGER, US, BRAZIL, BRAZIL_WITHOUT_9, ARGENTINA, ITALY, RUSSIA),
    *("+49301234567", "+4930123456789", "+15511010055"),
)


@pytest.mark.parametrize(
    ("text", "phones"),
    [
        # Whole numbers.
        ("+44 7700 900 002", [UK]),
        ("+447700900002", [UK]),
        ("0044 7700/900.002", [UK]),
        ("+44 (0)7700 900002", [UK]),
        ("+44 07700 900002", [UK]),
        ("44 7700 900 002", [UK]),
        ("tel:+44-7700-900002", [UK]),
        ("+1 212-555-0100", [US]),
        ("+1 (212) 555 0100", [US]),
        ("1.212.555.0100", [US]),
        ("+49 30 1234567", ["+49301234567"]),
        ("+55 11 98765-4321", [BRAZIL]),
        ("+55 11 8765-4321", [BRAZIL_WITHOUT_9]),
        ("+54 11 15 2345-6789", [ARGENTINA]),
        ("+54 11 2345-6789", [ARGENTINA]),
        # Parts: the beginning after a plus, else anywhere.
        ("+44 7700 900", [UK, UK_LONGER]),
        ("+49 30 12345", ["+49301234567", "+4930123456789"]),
        ("+1", [US, "+15511010055"]),
        ("+7700", []),
        ("212 555 01 00", [US]),
        ("(212) 555-0100", [US]),
        ("212/555 0100", [US]),
        ("11 010 055", ["+15511010055"]),
        ("1234567", ["+49301234567", "+4930123456789", *(ARGENTINA, ITALY, RUSSIA)]),
        ("002", [UK, UK_LONGER]),
        ("0 0 2", [UK, UK_LONGER]),
        # National forms.
        ("07700 900002", [UK, UK_LONGER]),
        ("0770", [UK, UK_LONGER]),
        ("(11) 98765-4321", [BRAZIL, BRAZIL_WITHOUT_9]),
        ("11 8765-4321", [BRAZIL, BRAZIL_WITHOUT_9]),
        ("011 15-2345-6789", [ARGENTINA]),
        ("06 1234 5678", [ITALY]),
        ("8 (495) 123-45-67", [RUSSIA]),
    ],
)
def test_a_written_number_means_these_of_the_stored_ones(text: str, phones: list[str]) -> None:
    pattern = phone_pattern(text)
    assert pattern is not None
    assert sorted(pattern.select(STORED, str)) == sorted(phones)
    normal = phone_pattern(pattern.text)
    assert normal is not None
    assert sorted(normal.select(STORED, str)) == sorted(phones)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "+", "()", "12", "1 2", "00", "0-1", "Ana", "Ana 7700", "7700 ext", "#7700"),
        *("44+7700", "++44", "+44 7700 900002 2026", "12:30", "7700, Ana", "x7700", "%770"),
    ],
)
def test_any_other_text_is_no_number(text: str) -> None:
    assert phone_pattern(text) is None


@given(st.sampled_from(STORED), st.data())
def test_the_digits_of_a_number_mean_it_with_anything_between_them(
    phone: str, data: st.DataObject
) -> None:
    between = data.draw(st.lists(st.sampled_from([*" ()-./", ""]), min_size=len(phone)))
    text = "".join(digit + mark for digit, mark in zip(phone, between, strict=False))
    pattern = phone_pattern(text)
    assert "(0)" in text or (pattern is not None and pattern.select(STORED, str) == [phone])


@given(st.text(max_size=25))
def test_whatever_is_typed_gives_a_number_or_nothing(text: str):
    number = parse_phone(text)
    assert number is None or (number[0] == "+" and number[1:].isdecimal() and number.isascii())


@pytest.mark.parametrize(
    ("canonical", "other"),
    [
        ("+5491123456789", "+541123456789"),
        ("+525512345678", "+5215512345678"),
        ("+5511987654321", "+551187654321"),
        ("+5531971234567", "+553171234567"),
    ],
)
def test_two_forms_of_a_line_are_the_same_number(canonical: str, other: str) -> None:
    assert canonical_phone(canonical) == canonical_phone(other) == canonical
    assert phone_forms(other) == (other, canonical)
    assert is_same_phone(canonical, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Radio numbers of Brazil never had the ninth digit.
        ("+5511977654321", "+551177654321"),
        ("+5511970654321", "+551170654321"),
        # Landlines of Brazil have none.
        ("+551123456789", "+5511923456789"),
        ("+541123456789", "+541123456780"),
        ("+16505551234", "+116505551234"),
        ("US.1", "US.2"),
    ],
)
def test_numbers_of_two_lines_differ(one: str, other: str) -> None:
    assert not is_same_phone(one, other)
    assert phone_forms(one) == (one,) or other not in phone_forms(one)


@given(st.from_regex(r"\+5[245][0-9]{8,12}", fullmatch=True))
def test_all_forms_of_a_number_have_one_canonical_form(phone: str) -> None:
    forms = phone_forms(phone)
    assert {canonical_phone(form) for form in forms} == {canonical_phone(phone)}
    assert canonical_phone(phone) in forms
    assert all(set(phone_forms(form)) == set(forms) for form in forms)
