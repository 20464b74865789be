"""Members of untrusted JSON: what is taken, and where a mistake is."""

from typing import Any

import pytest

from frontdesk.ingest.json_reader import (
    LAST_SECOND,
    JsonObject,
    Malformed,
    digits_of,
    instant,
    is_phone,
    phone_of,
    shown_number,
)


def read(method: str, value: Any) -> Any:
    """What a method reads of the member `a` of an object in a list."""
    (element,) = JsonObject({"list": [{"a": value}]}, "body").parts("list")
    return getattr(element, method)("a")


@pytest.mark.parametrize(
    ("method", "value", "expected"),
    [
        ("text", "x", "x"),
        ("text", 7, "7"),
        ("optional_text", None, None),
        ("optional_text", "", ""),
        ("optional_id", "", None),
        ("optional_id", "x" * 512, "x" * 512),
        ("optional_id", "é" * 256, "é" * 256),
        ("id", 7, "7"),
        ("flag", None, None),
        ("flag", False, False),
        ("moment", 1, 1_000),
        ("moment", "1773480000", 1_773_480_000_000),
        ("moment", "1773480000123", 1_773_480_000_123),
        ("moment", LAST_SECOND - 1, (LAST_SECOND - 1) * 1000),
        ("moment", LAST_SECOND * 1000 - 1, LAST_SECOND * 1000 - 1),
        ("measure", 0, 0),
        ("measure", "1.5", 1.5),
        ("measure", "-3", -3),
        ("number", None, 0),
        ("number", "", 0),
        ("number", "-12", -12),
        ("number", 10**15 - 1, 10**15 - 1),
        ("parts", None, []),
        ("optional_part", None, None),
    ],
)
def test_a_member_is_read_by_its_type(method: str, value: Any, expected: Any) -> None:
    assert read(method, value) == expected


@pytest.mark.parametrize(
    ("method", "value", "mistake"),
    [
        ("text", None, "is missing"),
        ("text", "", "is missing"),
        ("text", True, "is not a string"),
        ("text", 1.5, "is not a string"),
        ("text", [], "is not a string"),
        ("id", "", "is missing"),
        ("id", "x" * 513, "is too long: it may have 512 bytes"),
        ("optional_id", "é" * 257, "is too long: it may have 512 bytes"),
        ("flag", 1, "is not true or false"),
        ("part", None, "is missing"),
        ("part", [], "is not an object"),
        ("parts", {}, "is not an array"),
        ("parts", [{}, 7], "[1] is not an object"),
        ("moment", None, "is missing"),
        ("moment", 0, "is not a time in Unix seconds"),
        ("moment", -1, "is not a time in Unix seconds"),
        ("moment", LAST_SECOND, "is not a time in Unix seconds"),
        ("moment", LAST_SECOND * 1000, "is not a time in Unix seconds"),
        ("moment", "17734800001234", "is not a time in Unix seconds"),
        ("moment", "١", "is not a time in Unix seconds"),
        ("measure", None, "is not a number"),
        ("measure", True, "is not a number"),
        ("measure", "nan", "is not a number"),
        ("measure", float("inf"), "is not a number"),
        ("number", "1.5", "is not a whole number"),
        ("number", "--1", "is not a whole number"),
        ("number", 10**15, "is not a whole number"),
    ],
)
def test_a_mistake_is_named_with_its_place(method: str, value: Any, mistake: str) -> None:
    with pytest.raises(Malformed) as refused:
        read(method, value)
    assert str(refused.value) == f"body.list[0].a{'' if mistake[0] == '[' else ' '}{mistake}"


def test_of_a_list_what_is_no_object_is_a_mistake_in_its_place() -> None:
    first, second = JsonObject({"list": [{"a": 1}, 7]}).elements("list")
    assert isinstance(first, JsonObject)
    assert (first.where, first.text("a")) == ("list[0]", "1")
    assert str(second) == "list[1] is not an object"


def test_a_part_that_is_absent_can_be_empty() -> None:
    outer = JsonObject({"b": None, "c": {"d": 1}})
    assert [name in outer for name in ("a", "b", "c")] == [False, False, True]
    assert outer.part_or_empty("a").members == {}
    assert outer.part_or_empty("a").where == "a"
    assert outer.part_or_empty("c").optional_texts("d", "e") == {"d": "1", "e": None}


@pytest.mark.parametrize(
    ("written", "phone"),
    [
        ("+44 7700 900-001", "+447700900001"),
        ("447700900001", "+447700900001"),
        ("1234567", "+1234567"),
        ("123456", None),
        ("1" * 15, "+" + "1" * 15),
        ("1" * 16, None),
        ("0447700900001", None),
        ("Ana", None),
        ("", None),
        (None, None),
    ],
)
def test_a_number_in_any_format_is_one(written: str | None, phone: str | None) -> None:
    assert phone_of(written) == phone
    assert is_phone(digits_of(written)) == (phone is not None)


def test_a_display_number_has_at_most_forty_characters() -> None:
    assert shown_number(JsonObject({"display_phone_number": "1" * 40})) == "1" * 40
    assert shown_number(JsonObject({})) is None
    with pytest.raises(Malformed, match=r"^display_phone_number has more than 40 characters$"):
        shown_number(JsonObject({"display_phone_number": "1" * 41}))


def test_an_instant_has_an_offset() -> None:
    assert instant("1970-01-01T00:00:01Z") == 1_000
    assert instant("2026-03-14T09:26:53.589+01:00") == 1_773_476_813_589
    for text in ("2026-03-14T09:26:53", "2026-13-14T09:26:53Z", "soon", None, 7):
        with pytest.raises(Malformed, match="is not a time such as"):
            instant(text)
