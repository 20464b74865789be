"""The viewer in all weathers: it takes keys, keeps what it has, says how old that is, recovers."""

import asyncio
from pathlib import Path

import pytest

from tests.soak.stage import Stage, send, staged
from tests.soak.weather import FINE, REFUSED

SIZE = (120, 40)
OFFLINE, UNREADABLE = "offline · as of 10:0", "unreadable answer"

# What the status line says after a minute and a half.
SAID = {
    "dripping": OFFLINE,
    "silent": OFFLINE,
    "refused": OFFLINE,
    "reset": OFFLINE,
    "failing": OFFLINE,
    "too many": "slow down",
    "cut short": OFFLINE,
    "garbage": UNREADABLE,
    "forbidden": "(40",
    REFUSED: "key refused (401)",
}


async def weathered(stage: Stage, kind: str, said: str) -> None:
    async with stage.viewer(SIZE) as (app, watch, weather):
        inbox = watch.inbox
        status = inbox.query_one("#status")
        assert "live" in status.words  # type: ignore[attr-defined]
        rows = len(inbox.queue.listing)
        weather.kind = kind
        for second in range(90):
            before = inbox.queue.list.cursor
            send(app, "j" if second % 2 == 0 else "k")
            await asyncio.sleep(0.05)
            assert inbox.queue.list.cursor != before
            await asyncio.sleep(0.95)
            watch.honest()
        assert said in status.words  # type: ignore[attr-defined]
        # A conversation that is said to be gone is gone.
        assert kind == "forbidden" or len(inbox.queue.listing) == rows
        weather.kind = FINE
        asked = sum(weather.met.values())
        await asyncio.sleep(700.0)
        if kind == REFUSED:
            assert sum(weather.met.values()) == asked
            assert said in status.words  # type: ignore[attr-defined]
        else:
            assert "live" in status.words  # type: ignore[attr-defined]
        watch.honest()


@pytest.mark.parametrize("kind", SAID)
def test_the_viewer_bears_it(kind: str, tmp_path: Path) -> None:
    with staged(tmp_path, 1) as (runner, stage):
        runner.run(weathered(stage, kind, SAID[kind]))


def test_a_list_in_circles_is_told_and_goes_no_further(tmp_path: Path) -> None:
    async def walk(stage: Stage) -> None:
        async with stage.viewer(SIZE) as (app, watch, weather):
            weather.kind = "in circles"
            for _ in range(10):
                send(app, "G")
                await asyncio.sleep(5.0)
            assert weather.met["in circles"] < 200
            weather.kind = FINE
            await asyncio.sleep(60.0)
            watch.honest()

    with staged(tmp_path, 1) as (runner, stage):
        runner.run(walk(stage))


@pytest.mark.parametrize("kind", ["forbidden", "failing", "garbage", "silent", "refused"])
def test_a_thread_that_is_behind_says_of_when_it_is(kind: str, tmp_path: Path) -> None:
    async def read(stage: Stage) -> None:
        async with stage.viewer(SIZE) as (_, watch, weather):
            foot = watch.inbox.panes["thread"].foot
            assert foot is not None
            assert "as of" not in foot.words
            weather.kind, weather.upon = kind, "/messages"
            await asyncio.sleep(90.0)
            assert "as of 10:00" in foot.words
            watch.honest()
            weather.kind = FINE
            await asyncio.sleep(700.0)
            assert "as of" not in foot.words

    with staged(tmp_path, 1) as (runner, stage):
        runner.run(read(stage))
