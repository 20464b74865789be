"""What is observed of a server: features, latency, its clock, deviations."""

from datetime import UTC, datetime, timedelta

import pytest

from frontdesk.client.server_info import (
    ABSENT,
    FEATURES,
    FORBIDDEN,
    IGNORED,
    MOST_DIFFERENCES,
    PRESENT,
    UNKNOWN,
    ServerState,
)

NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


@pytest.fixture
def state() -> ServerState:
    return ServerState("https://inbox.example", lambda: NOW)


def test_nothing_is_known_of_a_server_before_its_first_answer(state: ServerState) -> None:
    server = state.server()
    assert {feature.state for feature in server.features.values()} == {UNKNOWN}
    assert [*server.features] == [*FEATURES]
    assert (server.latency, server.clock_skew, server.key_scopes) == (None, None, None)
    assert (server.requests, server.unchanged, server.received_bytes) == (0, 0, 0)
    assert server.missing == ()
    assert state.server_now() == NOW


@pytest.mark.parametrize(
    ("seconds", "median"),
    [
        ([3.0], 3.0),
        ([1.0, 3.0], 3.0),
        ([5.0, 1.0, 3.0], 3.0),
        # Those of the last fifteen requests.
        ([*[1.0] * 9, *[2.0] * 8], 2.0),
        ([*[1.0] * 10, *[2.0] * 7], 1.0),
    ],
)
def test_the_latency_is_the_median_of_the_last_requests(
    state: ServerState, seconds: list[float], median: float
) -> None:
    for one in seconds:
        state.answered(one, 100, None)
    assert state.server().latency == timedelta(seconds=median)
    assert state.server().received_bytes == 100 * len(seconds)


@pytest.mark.parametrize(
    ("ahead", "latency", "skew"),
    [
        # The header has whole seconds.
        (0.0, 0.0, 0.0),
        (-1.5, 0.0, 0.0),
        (0.5, 0.0, 0.0),
        (0.6, 0.0, 1.1),
        (-1.6, 0.0, -1.1),
        (90.0, 0.0, 90.5),
        (-90.0, 0.0, -89.5),
        # It is set in the middle of the request.
        (90.0, 2.0, 91.5),
        (1.5, 2.0, 0.0),
    ],
)
def test_the_clock_of_a_server_is_ahead_or_behind_beyond_what_cannot_be_told(
    state: ServerState, ahead: float, latency: float, skew: float
) -> None:
    state.answered(latency, 0, NOW + timedelta(seconds=ahead))
    assert state.server().clock_skew == timedelta(seconds=skew)
    assert state.server_now() == NOW + timedelta(seconds=skew)


def test_a_clock_that_may_still_be_as_far_ahead_stays_so(state: ServerState) -> None:
    for ahead, skew in ((90, 90.5), (91, 90.5), (89, 90.5), (92, 92.5), (0, 0.0)):
        state.answered(0.0, 0, NOW + timedelta(seconds=ahead))
        assert state.server().clock_skew == timedelta(seconds=skew)


def test_a_feature_that_is_absent_or_forbidden_is_missing(state: ServerState) -> None:
    state.feature("teams", ABSENT, "Not here.")
    state.feature("notes", FORBIDDEN)
    state.feature("filter_label", IGNORED)
    state.mark_present("labels")
    state.mark_present("teams")
    server = state.server()
    assert server.missing == ("notes", "teams")
    assert [server.has(name) for name in ("teams", "notes", "filter_label", "users")] == [
        *(False, False, True, True),
    ]
    assert (server.features["teams"].state, server.features["teams"].detail) == (
        ABSENT,
        "Not here.",
    )
    assert server.features["labels"].state == PRESENT
    assert (state.is_present("labels"), state.is_present("teams")) == (True, False)


def test_what_a_server_may_send_without_end_is_kept_within_limits(state: ServerState) -> None:
    for number in range(MOST_DIFFERENCES + 1):
        state.record_deviation(f"Difference {number}")
        state.record_deviation(f"Difference {number}")
    assert len(state.server().differences) == MOST_DIFFERENCES
    assert state.has_deviation("Difference 99")
    assert not state.has_deviation("Difference 100")
    state.record_scopes(tuple(f"scope:{number}" for number in range(51)))
    scopes = state.server().key_scopes
    assert scopes is not None
    assert len(scopes) == 50


def test_requests_and_what_was_unchanged_are_counted(state: ServerState) -> None:
    for _ in range(3):
        state.count_request()
    state.was_unchanged()
    state.record_spacing(0.5)
    state.lacks_extensions(["unread"])
    state.lacks_extensions(["fields"])
    server = state.server()
    assert (server.requests, server.unchanged, server.spacing) == (3, 1, 0.5)
    assert server.no_extensions == {"unread", "fields"}
