"""The retry loop gives each failed attempt to its pause, and raises what the last one raised."""

import pytest

from frontdesk.client.retry import TransientFailure, random_pause, retry
from frontdesk.errors import Unreachable


class Attempts:
    """Fails as often as it is told, then returns "page"; notes the pauses between."""

    def __init__(self, failures: int, error: type[Exception] = TransientFailure) -> None:
        self._left = failures
        self._error = error
        self.pauses: list[tuple[int, str]] = []

    async def __call__(self) -> str:
        if self._left == 0:
            return "page"
        self._left -= 1
        reason = Unreachable(f"{self._left} left")
        raise self._error(reason)

    async def pause(self, number: int, failure: TransientFailure) -> None:
        self.pauses.append((number, str(failure.reason)))


async def test_a_transient_failure_is_tried_again_after_each_pause() -> None:
    attempts = Attempts(2)
    assert await retry(attempts, 3, TransientFailure, attempts.pause) == "page"
    assert attempts.pauses == [(1, "1 left"), (2, "0 left")]


async def test_the_failure_of_the_last_attempt_is_raised_without_a_pause() -> None:
    attempts = Attempts(5)
    with pytest.raises(TransientFailure, match="2 left"):
        await retry(attempts, 3, TransientFailure, attempts.pause)
    assert [number for number, _ in attempts.pauses] == [1, 2]


async def test_another_error_is_not_tried_again() -> None:
    attempts = Attempts(1, Unreachable)
    with pytest.raises(Unreachable):
        await retry(attempts, 3, TransientFailure, attempts.pause)
    assert attempts.pauses == []


@pytest.mark.parametrize(("number", "most"), [(1, 0.5), (2, 1.0), (3, 2.0)])
def test_pauses_are_random_and_grow_twofold(number: int, most: float) -> None:
    assert random_pause(number, 0.5, lambda: 1.0) == most
    assert random_pause(number, 0.5, lambda: 0.25) == most / 4
