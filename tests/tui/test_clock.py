"""Timestamps of the server in the local time zone."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pytest

from frontdesk.client import InboxClient
from frontdesk.client.server_info import Server
from frontdesk.tui.clock import Clock
from frontdesk.tui.widgets.conversation_list import ConversationList
from tests.tui.conftest import Viewer, settle, shown

NOW = datetime(2026, 3, 14, 10, 0, tzinfo=UTC)
EAST, WEST = timezone(timedelta(hours=9)), timezone(timedelta(hours=-8))


def test_now_and_timestamps_are_in_the_readers_zone() -> None:
    clock = Clock(EAST, lambda: NOW)
    assert f"{clock.now():%H:%M}" == "19:00"
    local = clock.local("2026-03-14T09:26:53.000Z")
    assert local is not None
    assert f"{local:%H:%M}" == "18:26"


@pytest.mark.parametrize("timestamp", [None, "", "yesterday", "2026-13-45T00:00:00Z", "\ufffd"])
def test_invalid_timestamps_are_none(timestamp: str | None) -> None:
    assert Clock(EAST, lambda: NOW).local(timestamp) is None


@pytest.mark.parametrize("zone", [EAST, WEST, UTC, None])
@pytest.mark.parametrize("timestamp", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_the_ends_of_the_calendar_are_moments_too(zone: tzinfo | None, timestamp: str) -> None:
    local = Clock(zone, lambda: NOW).local(timestamp)
    assert local is not None
    assert local - NOW != timedelta()


def test_ages_are_measured_by_the_clock_of_the_server() -> None:
    clock = Clock(UTC, lambda: NOW)
    assert clock.server_now() == NOW
    clock.follow(lambda: timedelta(hours=-3))
    assert clock.server_now() == NOW - timedelta(hours=3)
    assert clock.now() == NOW
    clock.follow(lambda: timedelta(days=3_000_000))
    assert clock.server_now() == NOW


class Ahead:
    """The real client of a server whose clock is five days ahead of this machine's."""

    def __init__(self, client: InboxClient) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    @property
    def server(self) -> Server:
        return replace(self._client.server, clock_skew=timedelta(days=5))


# Times at the right end of rows with activity today.
TODAY = re.compile(r" \d\d:\d\d +│")


@pytest.mark.parametrize("ahead", [False, True])
async def test_rows_have_the_time_by_the_clock_of_the_server(
    viewer: Viewer, client: InboxClient, ahead: bool
) -> None:
    app = viewer(Ahead(client) if ahead else client)
    async with app.run_test(size=(90, 40)) as pilot:
        await settle(pilot)
        app.screen.query_one(ConversationList).update_ages()
        await settle(pilot)
        assert bool(TODAY.search(shown(app))) != ahead


def test_ages_advance_with_each_tick_and_with_a_jump_of_the_clock() -> None:
    passed = timedelta()
    clock = Clock(UTC, lambda: NOW + passed)
    passed = timedelta(seconds=1)
    assert clock.shown_now() == NOW + passed
    clock.tick()
    passed = timedelta(seconds=59)
    assert clock.shown_now() == NOW + timedelta(seconds=1)
    clock.tick()
    assert clock.shown_now() == NOW + passed
    for passed in (timedelta(minutes=5), timedelta(minutes=-5)):
        assert clock.shown_now() == NOW + passed
