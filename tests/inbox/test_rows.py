"""Merged rows of a list are the same as a plain list of them."""

from hypothesis import given
from hypothesis import strategies as some

from frontdesk.inbox.rows import FixedRows, MergedRows

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
