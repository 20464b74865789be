"""What a failed attempt to fetch a file means, and when a number rests."""

import pytest

from frontdesk.errors import (
    BadResponse,
    FileTooLarge,
    Forbidden,
    InboxError,
    NoRoom,
    NotFound,
    Unauthorised,
    Unreachable,
)
from frontdesk.ingest.media.fetching import (
    ERROR_BUDGET,
    HOUR,
    MINUTE,
    RETRY_MILLISECONDS,
    Failure,
    Rests,
    failure,
)
from frontdesk.store.incoming_files import FilesUnusable

NOW = 1_000_000_000
ANY, OTHER = (1, 7), (1, 8)


@pytest.mark.parametrize(
    ("error", "state"),
    [(NotFound("gone"), "expired"), (FileTooLarge("large"), "refused")],
)
def test_some_failures_are_final_at_once(error: InboxError, state: str) -> None:
    assert failure(error, 1, NOW, 0.5) == Failure(str(error), state)


def test_an_attempt_is_repeated_ever_later_and_then_given_up() -> None:
    waits = []
    for attempts in range(1, len(RETRY_MILLISECONDS) + 1):
        result = failure(Unreachable("no answer"), attempts, NOW, 0.5)
        assert (result.state, result.counted, result.rest) == (None, True, None)
        waits.append(result.due_at - NOW)
    assert waits == list(RETRY_MILLISECONDS)
    last = failure(Unreachable("no answer"), len(RETRY_MILLISECONDS) + 1, NOW, 0.5)
    assert (last.state, last.reason) == ("failed", "no answer")


def test_retries_differ_by_a_fifth_at_most() -> None:
    early, late = (failure(Unreachable("x"), 1, NOW, chance).due_at - NOW for chance in (0, 1))
    assert (early, late) == (24_000, 36_000)


def test_an_answer_that_breaks_the_rules_is_given_up_the_second_time() -> None:
    assert failure(BadResponse("elsewhere"), 1, NOW, 0.5).state is None
    assert failure(BadResponse("elsewhere"), 2, NOW, 0.5).state == "failed"


@pytest.mark.parametrize(
    ("error", "why", "milliseconds", "everywhere"),
    [
        (Unauthorised("token"), "token", 15 * MINUTE, False),
        (Forbidden("token"), "token", 15 * MINUTE, False),
        (Unreachable("slower", retry_after=30.0), "rate", 30_000, False),
        (NoRoom("full"), "room", MINUTE, True),
        (FilesUnusable("read-only"), "room", MINUTE, True),
    ],
)
def test_a_pause_counts_no_attempt(
    error: InboxError, why: str, milliseconds: int, everywhere: bool
) -> None:
    result = failure(error, 9, NOW, 0.5)
    assert (result.state, result.counted, result.due_at) == (None, False, NOW + milliseconds)
    assert result.rest is not None
    assert (result.rest.why, result.rest.everywhere) == (why, everywhere)


def test_a_number_rests_while_others_do_not() -> None:
    rests = Rests()
    rests.failed(ANY, failure(Unauthorised("token"), 1, NOW, 0.5), NOW)
    assert rests.resting(1, NOW) == {7}
    assert not rests.is_resting(NOW)
    assert rests.reasons(NOW) == ["token"]
    assert rests.resting(1, NOW + 15 * MINUTE) == set()


def test_all_rest_while_there_is_no_room() -> None:
    rests = Rests()
    rests.failed(ANY, failure(NoRoom("full"), 1, NOW, 0.5), NOW)
    assert rests.is_resting(NOW)
    assert not rests.is_resting(NOW + MINUTE)


def test_a_number_rests_before_its_provider_blocks_it() -> None:
    rests = Rests()
    gone = failure(NotFound("gone"), 1, NOW, 0.5)
    for _ in range(ERROR_BUDGET - 1):
        rests.failed(ANY, gone, NOW)
        rests.failed(OTHER, gone, NOW - HOUR)
    assert rests.resting(1, NOW) == set()
    rests.failed(OTHER, gone, NOW)
    rests.failed(ANY, gone, NOW)
    assert rests.resting(1, NOW) == {7}
    assert rests.reasons(NOW) == ["budget"]
    assert rests.resting(1, NOW + 30 * MINUTE) == set()
