"""The server's timestamps in the reader's zone, whatever they say."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest

from frontdesk.tui.clock import Clock

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
EAST, WEST = timezone(timedelta(hours=9)), timezone(timedelta(hours=-8))


def test_now_and_timestamps_are_in_the_readers_zone() -> None:
    clock = Clock(EAST, lambda: NOW)
    assert f"{clock.now():%H:%M}" == "19:00"
    local = clock.local("2026-03-14T09:26:53.000Z")
    assert local is not None
    assert f"{local:%H:%M}" == "18:26"


@pytest.mark.parametrize("timestamp", [None, "", "yesterday", "2026-13-45T00:00:00Z", "\ufffd"])
def test_what_is_no_timestamp_is_none(timestamp: str | None) -> None:
    assert Clock(EAST, lambda: NOW).local(timestamp) is None


@pytest.mark.parametrize("zone", [EAST, WEST, UTC, None])
@pytest.mark.parametrize("timestamp", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_the_ends_of_the_calendar_are_moments_too(zone: tzinfo | None, timestamp: str) -> None:
    local = Clock(zone, lambda: NOW).local(timestamp)
    assert local is not None
    assert local - NOW != timedelta()
