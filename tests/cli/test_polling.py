"""Commands that go on: how often they ask, and what they say of a server that is away."""

import pytest

from frontdesk.cli.polling import follow
from frontdesk.errors import NetworkMisconfigured, Unauthorised, Unreachable


class Script:
    """Feed of prepared answers; an exception is raised."""

    def __init__(self, *answers: Exception | list[str]) -> None:
        self._answers = iter(answers)
        self.pauses: list[float] = []

    async def poll(self) -> list[str]:
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(round(seconds, 2))

    async def run(self, end: type[Exception] = Unauthorised) -> list[str]:
        """Rows that are printed before this error ends it."""
        printed: list[str] = []
        with pytest.raises(end):
            await follow(
                self.poll,
                printed.extend,  # type: ignore[arg-type]
                interval=4,
                sleep=self.sleep,
                chance=lambda: 0.5,
            )
        return printed


REFUSED = Unauthorised("no")


async def test_it_asks_less_often_while_nothing_happens():
    script = Script([], [], ["a"], [], REFUSED)
    assert await script.run() == ["a"]
    assert script.pauses == [4, 6, 9, 4, 6]


async def test_it_never_waits_longer_than_a_minute_by_itself():
    script = Script(*[[] for _ in range(12)], REFUSED)
    await script.run()
    assert max(script.pauses) == 60


async def test_an_unreachable_server_is_reported_once_and_polled_again(
    capsys: pytest.CaptureFixture[str],
):
    gone = Unreachable("The server cannot be reached")
    script = Script(gone, gone, ["a"], ["b"], REFUSED)
    assert await script.run() == ["a", "b"]
    assert script.pauses == [4] * 5
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "frontdesk: The server cannot be reached; trying again",
        "frontdesk: the server answers again",
    ]


async def test_what_asking_again_does_not_mend_ends_it():
    script = Script(["a"], NetworkMisconfigured("Its certificate has expired"))
    assert await script.run(NetworkMisconfigured) == ["a"]


@pytest.mark.parametrize(("chance", "pauses"), [(0.0, [3.6, 5.4]), (1.0, [4.4, 6.6])])
async def test_programs_that_begin_together_do_not_ask_together(
    chance: float, pauses: list[float]
) -> None:
    script = Script([], REFUSED)
    with pytest.raises(Unauthorised):
        await follow(
            script.poll, lambda rows: None, interval=4, sleep=script.sleep, chance=lambda: chance
        )
    assert script.pauses == pauses


async def test_a_pause_is_no_shorter_after_a_server_was_away(
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = Unreachable("Away")
    script = Script([], gone, ["a"], gone, [], REFUSED)
    assert await script.run() == ["a"]
    assert script.pauses == [4, 6, 6, 4, 4, 6]
    assert len(capsys.readouterr().err.splitlines()) == 4
