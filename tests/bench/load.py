"""A service at its limit and past it, and under floods.

Readers that walk through the queue and senders of webhooks press on `frontdesk serve` together:
few of them, as many as it holds, many more, and few again. Then it is terminated, and killed,
under load. Then hostile requests without a key are sent to it.
"""

import asyncio
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import count
from pathlib import Path

from frontdesk.ingest.audit import differences
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.store.connect import open_database
from frontdesk.store.raw_events import APPLIED, IGNORED
from frontdesk.wire.values import epoch_milliseconds
from tests.bench.floods import FLOODS, peaks, resident_megabytes
from tests.bench.inboxes import make_inbox, served
from tests.bench.load_generator import LoadGenerator, Tally
from tests.bench.measure import Result, percentile

# Of those who press, one in so many sends webhooks.
SENDERS_IN = 4
FEW = 4


def results(
    conversations: int = 5_000, seconds: float = 10.0, many: int = 100, crowd: int = 1_500
) -> Iterator[Result]:
    """many: clients that are just held; crowd: more. What is wrong goes to standard error."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        target = str(Path(name, "inbox.db"))
        key = make_inbox(target, conversations)
        clients = {"few": FEW, "many": many, "a crowd": crowd, "few again": FEW}
        yield from asyncio.run(_pressed(target, key, clients, seconds))
        for number in (signal.SIGTERM, signal.SIGKILL):
            faults = asyncio.run(ended(target, key, 1, number, many))
            yield _faults("O6", f"the same after {number.name} under load", faults)
        for flood in FLOODS:
            before, after = peaks(target, flood)
            yield Result("O7", f"MB more for a flood of {flood.name}", after - before, 20)


async def _pressed(
    target: str, key: str, phases: Mapping[str, int], seconds: float
) -> list[Result]:
    times: dict[str, list[float]] = {}
    faults: list[str] = []
    acknowledged: set[str] = set()
    memory: dict[str, float] = {}
    numbers = count(1)
    with served(target, 1) as (process, port):
        for name, clients in phases.items():
            press = LoadGenerator(port, key, numbers)
            senders = max(clients // SENDERS_IN, 1)
            asking = asyncio.create_task(press.run(clients - senders, senders))
            await asyncio.sleep(seconds)
            memory[name] = resident_megabytes(process.pid)
            press.stop()
            await asking
            times[name] = press.tally.times
            faults += wrong(press.tally)
            acknowledged |= press.tally.acknowledged
    grown = memory["a crowd"] - memory["few"]
    refused = press.tally.turned_away + press.tally.closed
    names = ("many", "a crowd")
    slow = {name: 1000 * percentile(times[name], 0.99) for name in names}
    return [
        *(Result("O1", f"answers a second, {name}", len(times[name]) / seconds) for name in names),
        *(Result("O2", f"p99 of an answer, {name}, ms", slow[name]) for name in names),
        Result("O3", "MB more for a crowd than for few", grown, 60),
        Result("O4", "refusals once few clients are left", refused, 0),
        _faults("O5", "wrong or torn answers, lost webhooks", faults + lost(target, acknowledged)),
    ]


def _faults(id: str, quantity: str, faults: list[str]) -> Result:
    sys.stderr.writelines(f"{fault}\n" for fault in faults)
    return Result(id, quantity, len(faults), 0)


async def ended(
    target: str, key: str, workers: int, number: signal.Signals, clients: int, answers: int = 500
) -> list[str]:
    """What is wrong once the service was ended by a signal, after so many answers, and is back."""
    with served(target, workers) as (process, port):
        press = LoadGenerator(port, key, count(10_000 * number))
        asking = asyncio.create_task(press.run(clients // 2, clients // 2))
        await press.answered(answers)
        process.send_signal(number)
        assert process.stdout is not None
        # The workers have it too: it ends with the last of them.
        await asyncio.to_thread(process.stdout.read)
        code = await asyncio.to_thread(process.wait)
        press.stop()
        await asking
    faults = [*press.tally.wrong]
    if number == signal.SIGTERM:
        faults = wrong(press.tally) + [f"It ended with {code}"] * bool(code)
    faults += lost(target, press.tally.acknowledged)
    return [f"{number.name}: {fault}" for fault in faults]


def wrong(tally: Tally) -> list[str]:
    """What should not have been answered, whoever asked."""
    return tally.wrong + [f"{tally.torn} answers were torn"] * bool(tally.torn)


def lost(target: str, acknowledged: set[str]) -> list[str]:
    """What was acknowledged and is not there, and what does not add up once all is applied."""
    with closing(open_database(target)) as database:
        intake = WebhookProcessor(database, epoch_milliseconds)
        while intake.step(1).moved:
            pass
        rows = database.read(lambda c: c.rows("SELECT digest, state FROM raw_event"))
        faults = database.read(lambda c: [*differences(c, 1)])
    missing = len(acknowledged - {row["digest"] for row in rows})
    left = sum(row["state"] not in (APPLIED, IGNORED) for row in rows)
    of = f"of {len(acknowledged)} that were acknowledged"
    fates = {f"{missing} webhooks are lost, {of}": missing, f"{left} are not applied, {of}": left}
    return [*faults, *(fate for fate, number in fates.items() if number)]
