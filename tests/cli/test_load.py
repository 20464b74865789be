"""The service under a crowd: it answers nothing wrongly and loses no accepted webhook.

Whether the crowd is too many depends on the machine; `service/test_shedding` has those who are.
"""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.bench.load import ended, lost, resident_megabytes, served, wrong
from tests.bench.load_generator import LoadGenerator

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.connect import open_database

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looked up in /proc"),
]

CROWD = 400


# Each engine with one number of workers: the workers share nothing but the database.
both_engines = pytest.mark.parametrize(
    ("target", "workers"),
    [("sqlite", 2), pytest.param("postgresql", 1, marks=pytest.mark.postgres)],
    indirect=["target"],
)


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty inbox; what is written to it while it is read fills it."""
    if request.param == "sqlite":
        path = str(tmp_path / "inbox.db")
        open_database(path, create=True).close()
        yield path
    else:
        with request.getfixturevalue("postgres").database() as address:
            open_database(address, create=True).close()
            yield address


@pytest.fixture
def key(target: str) -> str:
    return str(make_key(target, KeyOrder("default", "x", None, SCOPES, None), now=0)["key"])


@both_engines
async def test_a_crowd_gets_no_wrong_answer_loses_no_webhook_and_leaves_no_trace(
    target: str, key: str, workers: int
):
    numbers = count(1)
    with served(target, workers) as (process, port):
        few = LoadGenerator(port, key, numbers)
        await few.run(readers=2, senders=1, times=10)
        before = resident_megabytes(process.pid)
        crowd = LoadGenerator(port, key, numbers)
        await crowd.run(readers=CROWD, senders=CROWD, times=2)
        after = resident_megabytes(process.pid)
        again = LoadGenerator(port, key, numbers)
        await again.run(readers=2, senders=1, times=10)
    assert [wrong(press.tally) for press in (few, crowd, again)] == [[], [], []]
    assert len(crowd.tally.acknowledged) == 2 * CROWD
    # A second crowd of the same size would find the room that the first one took.
    assert after - before < 60 * workers
    assert (again.tally.turned_away, again.tally.closed) == (0, 0)
    everything = (few, crowd, again)
    assert lost(target, set().union(*(press.tally.acknowledged for press in everything))) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@both_engines
async def test_webhooks_acknowledged_under_load_survive_termination(
    target: str, key: str, workers: int, number: signal.Signals
):
    assert await ended(target, key, workers, number, clients=40, answers=80) == []
