"""Merged rows of a list are the same as a plain list of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from frontdesk.inbox.rows import FixedRows, MergedRows, RowsWithout, place_of

RANKS = some.lists(some.integers(0, 12), max_size=6).map(sorted)


@given(some.integers(0, 12), RANKS)
def test_merged_rows_are_found_and_read_as_in_one_list(count: int, ranks: list[int]) -> None:
    ranks = [min(rank, count) for rank in ranks]
    rows = [(f"row {at}", at) for at in range(count)]
    others = [(rank, f"other {number}", -number) for number, rank in enumerate(ranks)]
    expected = list(rows)
    for number, (rank, key, other) in enumerate(others):
        expected.insert(rank + number, (key, other))
    merged = MergedRows(FixedRows(rows), others)
    assert [(merged.key(at), merged[at]) for at in range(len(merged))] == expected
    assert [merged.find(key) for key, _ in expected] == list(range(len(expected)))
    assert merged.find("nobody") is None


@given(some.integers(0, 12), some.sets(some.integers(0, 11)))
def test_rows_without_some_are_found_and_read_as_a_list_of_the_others(
    count: int, left_out: set[int]
) -> None:
    positions = sorted(at for at in left_out if at < count)
    rows = FixedRows([(f"row {at}", at) for at in range(count)])
    others = RowsWithout(rows, positions)
    expected = [at for at in range(count) if at not in positions]
    assert [others[at] for at in range(len(others))] == expected
    assert [others.key(at) for at in range(len(others))] == [f"row {at}" for at in expected]
    assert [others.find(f"row {at}") for at in expected] == list(range(len(expected)))
    assert {others.find(f"row {at}") for at in positions} <= {None}
    assert others.find("nobody") is None
    assert others.left_out == len(positions)
    assert others.rows is rows


@pytest.mark.parametrize(
    ("rows", "key", "shown", "place"),
    [
        ("abc", None, "abc", None),
        ("abc", "b", "", 1),
        ("abc", "b", "cba", 1),
        ("ac", "b", "", None),
        ("ac", "b", "ac", None),
        # Gone: the row that followed it, or the first of those that did.
        ("ac", "b", "abc", 1),
        ("cda", "b", "abcd", 0),
        ("ad", "b", "abcd", 1),
        # Nothing followed: behind the row before it, unless that is the last.
        ("ax", "b", "ab", 1),
        ("xa", "b", "ab", 1),
        ("axy", "b", "azb", 1),
        ("xyz", "b", "ab", None),
        ("", "b", "abc", None),
    ],
)
def test_the_place_of_a_row_that_is_gone_is_that_of_the_row_after_it(
    rows: str, key: str | None, shown: str, place: int | None
) -> None:
    assert place_of(FixedRows([(row, row) for row in rows]), key, shown) == place
