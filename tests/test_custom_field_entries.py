"""Index entries of custom fields: which values a filter finds."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.text.custom_fields import EntryTest, compared, entries, equal_to
from frontdesk.wire.queries import MOST_FIELD_CHARACTERS


def finds(test: EntryTest | None, value: object) -> bool:
    assert test is not None
    return any(
        entry in test.equal or any(first <= entry < end for first, end in test.ranges)
        for entry in entries(value)
    )


@pytest.mark.parametrize(
    ("written", "value", "is_found"),
    [
        ("gold", "Gold", True),
        ("  GOLD ", "gold", True),
        ("gold", "golden", False),
        ("Zoë", "zoe", True),
        ("gold", ["silver", "gold"], True),
        ("gold", [["silver"], ["gold"]], True),
        ("gold", {"gold": "gold"}, False),
        ("gold", None, False),
        ("a b", "a\0b", True),
        ("7", 7, True),
        ("7", 7.0, True),
        ("7.0", "7", True),
        ("7", "07", True),
        ("7", 8, False),
        ("7", -7, False),
        ("-0", 0, True),
        ("1e3", 1000, True),
        ("yes", True, True),
        ("true", True, True),
        ("no", True, False),
        ("false", False, True),
        ("1", True, False),
        ("true", "true", True),
        ("2026-11", "2026-11-01", True),
        ("2026-11", "2026-11-30", True),
        ("2026-11", "2026-12-01", False),
        ("2026-11", "2026-10-31", False),
        ("2026", "2026-12-31", True),
        ("2026", "2027-01-01", False),
        ("2026-11-05", "2026-11-05", True),
        ("2026-13", "2026-12-01", False),
        ("x" * MOST_FIELD_CHARACTERS, "x" * MOST_FIELD_CHARACTERS, True),
        ("x" * (MOST_FIELD_CHARACTERS + 1), "x" * (MOST_FIELD_CHARACTERS + 1), False),
        ("x" * MOST_FIELD_CHARACTERS, "x" * (MOST_FIELD_CHARACTERS + 1), False),
    ],
)
def test_a_value_is_found_by_what_it_says(written: str, value: Any, is_found: bool) -> None:
    assert finds(equal_to(written), value) is is_found


@pytest.mark.parametrize("value", [None, "", "  ", "\0", [], [None, ""]])
def test_nothing_has_no_entries(value: object) -> None:
    assert [*entries(value)] == []


def test_an_object_and_a_long_text_have_an_entry_each() -> None:
    assert len([*entries({"a": 1, "b": 2})]) == 1
    assert len([*entries("x" * 10_000)]) == 1


@pytest.mark.parametrize(
    ("limit", "below", "same", "above"),
    [
        ("7", 6.9, 7, 7.1),
        ("-7", -7.1, "-7.0", -6.9),
        ("0", -1, 0, 1),
        ("2026-11-05", "2026-11-04", "2026-11-05", "2026-11-06"),
        ("2026-11", "2026-10-31", "2026-11-15", "2026-12-01"),
        ("2026", "2025-12-31", "2026-06-01", "2027-01-01"),
    ],
)
def test_numbers_and_days_are_compared(limit: str, below: Any, same: Any, above: Any) -> None:
    found = {
        sign: [finds(compared(sign, limit), value) for value in (below, same, above)]
        for sign in ("<", "<=", ">=", ">")
    }
    assert found == {
        "<": [True, False, False],
        "<=": [True, True, False],
        ">=": [False, True, True],
        ">": [False, False, True],
    }


@pytest.mark.parametrize("limit", ["gold", "", "2026-13", "2026-02-30", "1.2.3", "+", "."])
def test_texts_are_not_compared(limit: str) -> None:
    assert compared(">", limit) is None


@pytest.mark.parametrize("value", ["gold", True, {"a": 9}, None, [], "2026-11-05"])
def test_a_number_is_not_compared_with_other_values(value: object) -> None:
    for sign in ("<", "<=", ">=", ">"):
        assert not finds(compared(sign, "7"), value)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(NUMBERS, NUMBERS)
def test_a_number_is_above_another_as_numbers_are(one: float, other: float) -> None:
    assert finds(compared(">", repr(one)), other) is (other > one)
    assert finds(compared("<=", repr(one)), other) is (other <= one)
