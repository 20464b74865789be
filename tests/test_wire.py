"""Moments as the interface writes them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.wire import timestamp
from frontdesk.wire.values import instant

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_timestamp_is_its_moment_to_the_millisecond(moment: datetime) -> None:
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    text = timestamp(milliseconds)
    assert instant(text) == EPOCH + timedelta(milliseconds=milliseconds)
    assert len(text) == len("2026-03-14T09:26:53.000Z")
    assert text.endswith("Z")


@given(st.integers(0, 4_000_000_000_000), st.integers(0, 4_000_000_000_000))
def test_the_order_of_timestamps_is_that_of_moments(one: int, other: int) -> None:
    assert (timestamp(one) < timestamp(other)) == (one < other)
