"""Commands that go on: what they print, and what they do while a server is away."""

import io
from types import SimpleNamespace

import pytest
from tests.commands import Terminal

from frontdesk.cli.output import Output
from frontdesk.cli.polling import after_news, follow, printer
from frontdesk.errors import NetworkMisconfigured, ServerFailed, Unauthorised, Unreachable


class Script:
    """Feed of prepared answers; an exception is raised."""

    def __init__(self, *answers: Exception | list[str], chance: float = 0.5) -> None:
        self._answers = iter(answers)
        self._chance = chance
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
                sleep=self.sleep,
                chance=lambda: self._chance,
            )
        return printed


REFUSED = Unauthorised("no")
GONE = Unreachable("The server cannot be reached")


async def test_it_asks_again_at_once_after_an_answer():
    script = Script([], ["a"], [], ["b"], REFUSED)
    assert await script.run() == ["a", "b"]
    assert script.pauses == []


async def test_an_unreachable_server_is_reported_once_and_asked_again(
    capsys: pytest.CaptureFixture[str],
):
    script = Script(GONE, GONE, ["a"], ["b"], REFUSED)
    assert await script.run() == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == [
        "frontdesk: The server cannot be reached; trying again",
        "frontdesk: the server answers again",
    ]


async def test_pauses_grow_to_a_minute_while_a_server_is_away_and_begin_anew():
    script = Script(*[GONE] * 9, ["a"], GONE, REFUSED)
    assert await script.run() == ["a"]
    assert script.pauses == [1, 2, 5, 10, 20, 40, 60, 60, 60, 1]


async def test_a_server_is_asked_no_earlier_than_it_says():
    script = Script(Unreachable("Too many requests", retry_after=7), GONE, REFUSED)
    await script.run()
    assert script.pauses == [7, 2]


async def test_the_sentence_of_a_server_goes_on_without_its_full_stop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    await Script(Unreachable("Back at noon."), REFUSED).run()
    assert capsys.readouterr().err == "frontdesk: Back at noon; trying again\n"


async def test_a_server_that_fails_is_asked_again() -> None:
    script = Script(ServerFailed("The server has failed (500)"), ["a"], REFUSED)
    assert await script.run() == ["a"]
    assert script.pauses == [1]


@pytest.mark.parametrize(("chance", "pauses"), [(0.0, [0.9, 1.8]), (1.0, [1.1, 2.2])])
async def test_programs_that_lost_a_server_together_do_not_ask_together(
    chance: float, pauses: list[float]
) -> None:
    script = Script(GONE, GONE, REFUSED, chance=chance)
    await script.run()
    assert script.pauses == pauses


async def test_what_asking_again_does_not_mend_ends_it():
    script = Script(["a"], NetworkMisconfigured("Its certificate has expired"))
    assert await script.run(NetworkMisconfigured) == ["a"]


async def test_news_whose_rows_could_not_be_read_are_read_without_waiting_for_more() -> None:
    log: list[str] = []
    answers = iter([["a"], GONE, ["b"], ["c"]])

    async def next_news() -> None:
        log.append("news")

    async def poll() -> list[str]:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        log.extend(answer)
        return answer

    read = after_news(SimpleNamespace(next=next_news), poll)  # type: ignore[arg-type]
    assert await read() == ["a"]
    with pytest.raises(Unreachable):
        await read()
    assert await read() == ["b"]
    assert await read() == ["c"]
    assert log == ["news", "a", "news", "b", "news", "c"]


@pytest.mark.parametrize(
    ("out", "style", "printed"),
    [
        (io.StringIO(), "text", "x None\ny None\n"),
        (Terminal(), "text", "x 80\ny 80\n"),
        (io.StringIO(), "jsonl", "['id'] x\n['id'] y\n"),
    ],
)
def test_rows_are_lines_of_text_or_of_json(
    out: io.StringIO, style: str, printed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    show = printer(
        out,
        Output(style, ("id",)),
        lambda row, width: f"{row} {width}",
        lambda row, fields: f"{[*fields]} {row}",
    )
    show(["x", "y"])
    assert out.getvalue() == printed
