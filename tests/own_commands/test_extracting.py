"""Matches of a regular expression of the user in texts of customers."""

import pytest

from frontdesk.errors import BadSettings
from frontdesk.own_commands.extracting import MOST_MATCHES, check_expression, matches


async def test_different_matches_are_found_in_the_order_of_the_texts() -> None:
    texts = ["order VD-12345 and VD-12345", "no", "VD-00001, VD-12345"]
    assert await matches("VD-[0-9]{5}", texts) == ["VD-12345", "VD-00001"]


async def test_the_first_group_is_the_match_where_there_is_one() -> None:
    assert await matches(r"(?i)order\s+no\.?\s*([0-9]+)", ["Order no. 42", "order no 7"]) == [
        "42",
        "7",
    ]


async def test_a_match_is_one_line_and_not_more_than_a_picker_has() -> None:
    assert await matches("a\\s+b", ["a\n\t b"]) == ["a b"]
    assert len(await matches("[0-9]+", [" ".join(map(str, range(100)))])) == MOST_MATCHES


async def test_only_the_beginning_of_a_text_is_looked_at() -> None:
    assert await matches("VD-[0-9]", [f"{'x' * 4000}VD-1", "VD-2"]) == ["VD-2"]


async def test_a_text_of_the_longest_length_is_looked_at_to_its_end() -> None:
    assert await matches("VD-[0-9]", [f"{'x' * 3996}VD-1", f"{'x' * 3997}VD-2"]) == ["VD-1"]


async def test_only_so_many_texts_are_looked_at() -> None:
    assert await matches("[a-z]", ["1"] * 499 + ["a", "b"]) == ["a"]


async def test_a_match_is_neither_blank_nor_longer_than_200_letters() -> None:
    assert await matches("x+|o*| ", ["x" * 200, "x" * 201, " ", "oo"]) == ["x" * 200, "oo"]
    assert await matches("a(b)?", ["a", "ab"]) == ["b"]


async def test_what_controls_a_terminal_is_no_part_of_a_match() -> None:
    [found] = await matches("a.b", ["a\x1bb"])
    assert "\x1b" not in found


@pytest.mark.slow
async def test_an_expression_that_takes_too_long_is_ended() -> None:
    with pytest.raises(BadSettings, match="ended after 2 s"):
        await matches("(x|xx|x)*y", ["x" * 4000])


@pytest.mark.parametrize("pattern", ["(a+)+", "(a*)*b", "([a-z]+){2,}", "(?:a+)*"])
def test_nested_repeats_that_take_forever_are_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="can take forever"):
        check_expression(pattern)


@pytest.mark.parametrize("pattern", ["VD-[0-9]{5}", "(?:ab)+", "(a+)", r"(\(a\+\))+", "(a+){2}"])
def test_other_expressions_are_allowed(pattern: str) -> None:
    check_expression(pattern)
