"""Each network fault: the viewer takes keys, keeps its rows, says how old they are, recovers."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.soak.faults import FINE, REFUSED
from tests.soak.sandbox import Sandbox, open_sandbox, send

SIZE = (120, 40)
RECOVERY_SECONDS = 700.0
OFFLINE, UNREADABLE = "offline · as of 10:0", "unreadable answer"

# What the status line says after a minute and a half.
SAID = {
    "dripping": OFFLINE,
    "silent": OFFLINE,
    "refused": OFFLINE,
    "reset": OFFLINE,
    "failing": OFFLINE,
    "too many": "slow down",
    # Offline once the breaker is open; the try that it lets through finds the answer unreadable.
    "cut short": "as of 10:0",
    "garbage": UNREADABLE,
    "forbidden": "(40",
    REFUSED: "key refused (401)",
}


async def until(claim: Callable[[], bool]) -> None:
    """Wait until something holds, as long as the longest pause between two requests."""
    deadline = asyncio.get_running_loop().time() + RECOVERY_SECONDS
    while not claim():
        assert asyncio.get_running_loop().time() < deadline
        await asyncio.sleep(5.0)


async def use_under_fault(sandbox: Sandbox, kind: str, said: str) -> None:
    async with sandbox.viewer(SIZE) as (app, invariants, network):
        inbox = invariants.inbox
        status = inbox.query_one("#status")
        assert "live" in status.words  # type: ignore[attr-defined]
        rows = len(inbox.queue.inbox.view.list)
        network.fault = kind
        for turn in range(30):
            before = inbox.queue.list.cursor
            send(app, "j" if turn % 2 == 0 else "k")
            await asyncio.sleep(0.05)
            assert inbox.queue.list.cursor != before
            await asyncio.sleep(2.95)
            invariants.check_freshness()
        assert said in status.words  # type: ignore[attr-defined]
        # A conversation that is said to be gone is gone.
        assert kind == "forbidden" or len(inbox.queue.inbox.view.list) == rows
        network.fault = FINE
        if kind == REFUSED:
            asked = sum(network.counts.values())
            await asyncio.sleep(RECOVERY_SECONDS)
            assert sum(network.counts.values()) == asked
            assert said in status.words  # type: ignore[attr-defined]
        else:
            await until(lambda: "live" in status.words)  # type: ignore[attr-defined]
        invariants.check_freshness()


@pytest.mark.slow
@pytest.mark.parametrize("kind", SAID)
def test_the_viewer_stays_usable_under_a_fault_and_recovers(kind: str, tmp_path: Path) -> None:
    with open_sandbox(tmp_path, 1) as (runner, sandbox):
        runner.run(use_under_fault(sandbox, kind, SAID[kind]))


def test_a_list_in_circles_is_reported_and_goes_no_further(tmp_path: Path) -> None:
    async def walk(sandbox: Sandbox) -> None:
        async with sandbox.viewer(SIZE) as (app, invariants, network):
            network.fault = "in circles"
            for _ in range(10):
                send(app, "G")
                await asyncio.sleep(5.0)
            assert network.counts["in circles"] < 200
            network.fault = FINE
            await asyncio.sleep(60.0)
            invariants.check_freshness()

    with open_sandbox(tmp_path, 1) as (runner, sandbox):
        runner.run(walk(sandbox))


@pytest.mark.parametrize("kind", ["forbidden", "failing", "garbage", "silent", "refused"])
def test_a_thread_that_is_behind_says_of_when_it_is(kind: str, tmp_path: Path) -> None:
    async def read(sandbox: Sandbox) -> None:
        async with sandbox.viewer(SIZE) as (_, invariants, network):
            foot = invariants.inbox.panes["thread"].foot
            assert foot is not None
            assert "as of" not in foot.words
            network.fault, network.path = kind, "/messages"
            await asyncio.sleep(90.0)
            assert "as of 10:00" in foot.words
            invariants.check_freshness()
            network.fault = FINE
            await until(lambda: "as of" not in foot.words)

    with open_sandbox(tmp_path, 1) as (runner, sandbox):
        runner.run(read(sandbox))
