"""Periods as sums of roll-up buckets and corrections at their ends."""

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.store.rollups import SignedInterval, cut


@given(
    st.integers(0, 40), st.integers(1, 40), st.sampled_from((1, -1)), st.sampled_from((2, 6, 10))
)
def test_buckets_and_the_edges_beside_them_add_up_to_a_stretch(
    start: int, duration: int, sign: int, length: int
) -> None:
    stretch = SignedInterval(start, start + duration, sign)
    whole, edges = cut(stretch, length)
    assert whole.start == whole.end or whole.start % length == whole.end % length == 0
    for moment in range(100):
        parts = [part.sign for part in (whole, *edges) if part.start <= moment < part.end]
        assert sum(parts) == (sign if stretch.start <= moment < stretch.end else 0)


@given(st.integers(0, 40), st.integers(5, 40))
def test_no_edge_is_longer_than_half_a_bucket_where_there_is_one(start: int, duration: int) -> None:
    whole, edges = cut(SignedInterval(start, start + duration), 10)
    if whole.start < whole.end:
        assert all(edge.end - edge.start <= 5 for edge in edges)
