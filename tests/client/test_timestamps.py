"""All timestamp formats of one moment are read as the same moment."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.client.member_values import moment, phone
from frontdesk.client.other_rows import snake
from frontdesk.wire import timestamp

MOMENTS = st.datetimes(datetime(1980, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
OFFSETS = st.integers(-14 * 60, 14 * 60)


def canonical(at: datetime) -> str:
    return timestamp((at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1))


@given(MOMENTS, OFFSETS, st.sampled_from("T t"), st.sampled_from(".,"), st.integers(3, 9))
def test_any_offset_and_fraction_is_the_same_moment(
    at: datetime, minutes: int, between: str, mark: str, digits: int
) -> None:
    there = at.astimezone(timezone(timedelta(minutes=minutes)))
    fraction = f"{at.microsecond:06d}000"[:digits]
    sign = "-" if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    for offset in (f"{sign}{hours:02d}:{rest:02d}", f"{sign}{hours:02d}{rest:02d}"):
        text = f"{there:%Y-%m-%d}{between}{there:%H:%M:%S}{mark}{fraction}{offset}"
        assert moment(text) == canonical(at)


@given(MOMENTS)
def test_numbers_of_seconds_milliseconds_and_microseconds_are_distinguished(at: datetime) -> None:
    milliseconds = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    if milliseconds < 10**11:
        return
    assert moment(milliseconds) == moment(str(milliseconds)) == timestamp(milliseconds)
    assert moment(milliseconds * 1000 + 7) == timestamp(milliseconds)
    assert moment(milliseconds // 1000) == timestamp(milliseconds // 1000 * 1000)
    assert moment(milliseconds / 1000) in (timestamp(milliseconds), timestamp(milliseconds - 1))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-03-14", "2026-03-14T00:00:00.000Z"),
        ("2026-03-14T09:26", "2026-03-14T09:26:00.000Z"),
        ("2026-03-14 09:26:53", "2026-03-14T09:26:53.000Z"),
        ("2026-03-14 09:26:53 UTC", "2026-03-14T09:26:53.000Z"),
        ("2026-03-14T09:26:53.5+02", "2026-03-14T07:26:53.500Z"),
        ("0001-01-01T00:00:00+14:00", "(0001-01-01T00:00:00+14:00)"),
        ("2026-02-30", "(2026-02-30)"),
        ("soon", "(soon)"),
        ("", ""),
        (True, None),
        (None, None),
        ({}, None),
        (float("inf"), "(inf)"),
        (10**40, f"({10**40})"),
    ],
)
def test_timestamps_are_normalised_and_invalid_ones_are_parenthesised_or_dropped(
    text: object, read: str | None
) -> None:
    assert moment(text) == read


@given(st.text())
def test_text_that_is_no_moment_stands_below_every_moment(text: str) -> None:
    read = moment(text)
    assert read is not None
    assert read < "1" or read[:1].isdecimal()


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("nextCursor", "next_cursor"),
        ("NextCursor", "next_cursor"),
        ("next-cursor", "next_cursor"),
        ("next_cursor", "next_cursor"),
        ("customerURL", "customer_url"),
        ("HTTPStatus", "http_status"),
        ("id", "id"),
    ],
)
def test_names_in_any_case_are_our_names(name: str, ours: str) -> None:
    assert snake(name) == ours


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("+16505551234", "+16505551234"),
        ("16505551234", "+16505551234"),
        (16505551234, "+16505551234"),
        ("+1 (650) 555-1234", "+16505551234"),
        ("whatsapp:+16505551234", "+16505551234"),
        ("hidden", "hidden"),
        ("0123", "0123"),
    ],
)
def test_phones_are_e164_where_they_can_be(written: object, read: str) -> None:
    assert phone(written) == read
