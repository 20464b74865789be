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
from frontdesk.ingest.media.fetching import Failure, Rests, failure
from frontdesk.store.incoming_files import FilesUnusable

NOW = 1_000_000_000
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
# Half a minute, two and ten minutes, one hour, six hours and a day.
PAUSES = [30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, 24 * HOUR]
ANY, OTHER = (1, 7), (1, 8)


@pytest.mark.parametrize(
    ("error", "state"),
    [(NotFound("gone"), "expired"), (FileTooLarge("large"), "refused")],
)
def test_some_failures_are_final_at_once(error: InboxError, state: str) -> None:
    assert failure(error, 1, NOW, 0.5) == Failure(str(error), state)


def test_an_attempt_is_repeated_ever_later_and_then_given_up() -> None:
    waits = []
    for attempts in range(1, 7):
        result = failure(Unreachable("no answer"), attempts, NOW, 0.5)
        assert (result.state, result.counted, result.rest) == (None, True, None)
        waits.append(result.due_at - NOW)
    assert waits == PAUSES
    last = failure(Unreachable("no answer"), 7, NOW, 0.5)
    assert (last.state, last.reason) == ("failed", "no answer")


def test_retries_differ_by_a_fifth_at_most() -> None:
    early, late = (failure(Unreachable("x"), 1, NOW, chance).due_at - NOW for chance in (0, 1))
    assert (early, late) == (24_000, 36_000)


def test_an_answer_that_breaks_the_rules_is_asked_for_again_like_any_failure() -> None:
    for attempts in range(1, 8):
        assert failure(BadResponse("a page"), attempts, NOW, 0.5) == failure(
            Unreachable("a page"), attempts, NOW, 0.5
        )


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
    for _ in range(9):
        rests.failed(ANY, gone, NOW)
        rests.failed(OTHER, gone, NOW - HOUR)
    assert rests.resting(1, NOW) == set()
    rests.failed(OTHER, gone, NOW)
    rests.failed(ANY, gone, NOW)
    assert rests.resting(1, NOW) == {7}
    assert rests.reasons(NOW) == ["budget"]
    assert rests.resting(1, NOW + 30 * MINUTE) == set()


def test_the_first_attempt_is_repeated_like_one_that_was_not_counted() -> None:
    assert failure(Unreachable("x"), 0, NOW, 0.5).due_at == NOW + 30 * SECOND


def gone(rests: Rests, now: int, times: int = 1, number: tuple[int, int] = ANY) -> None:
    for _ in range(times):
        rests.failed(number, failure(NotFound("gone"), 1, now, 0.5), now)


def test_errors_of_an_hour_ago_do_not_count() -> None:
    rests = Rests()
    gone(rests, NOW, 9)
    gone(rests, NOW + HOUR)
    assert rests.resting(1, NOW + HOUR) == set()
    gone(rests, NOW + HOUR, 8)
    assert rests.resting(1, NOW + HOUR) == set()
    gone(rests, NOW + HOUR)
    assert rests.resting(1, NOW + HOUR) == {7}


def test_errors_of_less_than_an_hour_ago_count() -> None:
    rests = Rests()
    gone(rests, NOW, 9)
    gone(rests, NOW + HOUR - 1)
    assert rests.resting(1, NOW + HOUR - 1) == {7}


def test_after_a_rest_errors_are_counted_anew() -> None:
    rests = Rests(budget=3)
    gone(rests, NOW, 3)
    after = NOW + 30 * MINUTE
    gone(rests, after, 2)
    assert rests.resting(1, after) == set()
    gone(rests, after)
    assert rests.resting(1, after) == {7}


def test_numbers_have_budgets_of_their_own() -> None:
    rests = Rests(budget=2)
    for number in ((1, 7), (1, 8), (2, 7)):
        gone(rests, NOW, number=number)
    assert rests.resting(1, NOW) == rests.resting(2, NOW) == set()
    gone(rests, NOW, number=(2, 7))
    assert (rests.resting(1, NOW), rests.resting(2, NOW)) == (set(), {7})


def test_a_shorter_rest_does_not_end_a_longer_one() -> None:
    rests = Rests()
    for error in (Unauthorised("token"), Unreachable("slower", retry_after=30.0)):
        rests.failed(ANY, failure(error, 1, NOW, 0.5), NOW)
    assert rests.reasons(NOW) == ["token"]
    assert rests.resting(1, NOW + 15 * MINUTE - 1) == {7}
    later = failure(Unreachable("slower", retry_after=3_600), 1, NOW, 0.5)
    rests.failed(ANY, later, NOW)
    assert rests.reasons(NOW) == ["rate"]
    assert rests.resting(1, NOW + HOUR - 1) == {7}


def test_a_refused_token_counts_as_an_error_of_its_number_and_a_full_disk_does_not() -> None:
    for error, resting in ((Unauthorised("token"), {7}), (NoRoom("full"), set())):
        rests = Rests(budget=2)
        gone(rests, NOW)
        rests.failed(ANY, failure(error, 1, NOW, 0.5), NOW)
        assert rests.resting(1, NOW + 20 * MINUTE) == resting


def test_who_rests_and_why_is_known_until_it_ends() -> None:
    rests = Rests()
    assert not rests.is_resting(NOW)
    assert rests.reasons(NOW) == []
    rests.failed(ANY, failure(NoRoom("full"), 1, NOW, 0.5), NOW)
    assert rests.resting(1, NOW) == set()
    assert rests.is_resting(NOW + MINUTE - 1)
    assert rests.reasons(NOW + MINUTE - 1) == ["room"]
    assert rests.reasons(NOW + MINUTE) == []
