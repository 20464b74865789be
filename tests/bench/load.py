"""A service at its limit and past it, and under floods.

Readers that walk through the queue and senders of webhooks press on `frontdesk serve` together:
few of them, as many as it holds, many more, and few again. Then it is terminated, and killed,
under load. Then it is flooded over loopback with hostile requests without a key, which are bounded
in size, so that a service without limits survives them too.
"""

import asyncio
import os
import re
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import count
from pathlib import Path

import httpx

from frontdesk.ingest.audit import differences
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.store.connect import open_database
from frontdesk.store.raw_events import APPLIED, IGNORED
from frontdesk.wire.values import epoch_milliseconds
from tests.bench.inboxes import make_inbox, served
from tests.bench.load_generator import LoadGenerator, Tally
from tests.bench.measure import Result, percentile

# Of those who press, one in so many sends webhooks.
SENDERS_IN = 4
FEW = 4
MEBIBYTE = 2**20
CHUNKED = b"POST /webhooks/whatsapp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
SEND_SECONDS = 2.0

# Connections, and what is sent on each of them: a head, and a piece so many times.
FLOODS = {
    # Whose answers are not read.
    "pipelined requests": (40, b"", b"GET / HTTP/1.1\r\n\r\n", 14_000),
    # Of 64 MiB.
    "trailers": (1, CHUNKED + b"0\r\n", b"a:\r\n", 16 * MEBIBYTE),
    "one long trailer": (1, CHUNKED + b"0\r\na:", b"x", 16 * MEBIBYTE),
    # Of 250 KB each.
    "unfinished heads": (40, b"GET / HTTP/1.1\r\n", b"a:\r\n", 62_500),
}


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
            yield Result("O7", f"MB more for a flood of {flood}", after - before, 20)


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
            press.ending.set()
            await asking
            times[name] = press.tally.times
            faults += wrong(press.tally)
            acknowledged |= press.tally.acknowledged
    refused = press.tally.turned_away + press.tally.closed
    names = ("many", "a crowd")
    slow = {name: 1000 * percentile(times[name], 0.99) for name in names}
    return [
        *(Result("O1", f"answers a second, {name}", len(times[name]) / seconds) for name in names),
        *(Result("O2", f"p99 of an answer, {name}, ms", slow[name]) for name in names),
        Result("O3", "MB more for a crowd than for few", memory["a crowd"] - memory["few"], 60),
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
        press.ending.set()
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


def peaks(target: str, flood: str) -> tuple[float, float]:
    """The largest resident size, in MB, before a flood and once all of it is parsed."""
    connections, head, piece, pieces = FLOODS[flood]
    with served(target, 1) as (process, port), ExitStack() as opened:
        # It answers after what was sent before is parsed.
        ask = partial(httpx.get, f"http://127.0.0.1:{port}/healthz", timeout=None)
        ask()
        before = resident_megabytes(process.pid, "VmHWM")
        for _ in range(connections):
            connection = opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.settimeout(SEND_SECONDS)
            # As far as the service takes it.
            with suppress(OSError):
                connection.sendall(head + piece * pieces)
        ask()
        return before, resident_megabytes(process.pid, "VmHWM")


def resident_megabytes(pid: int, field: str = "VmRSS") -> float:
    """Of a process and those that it has forked; what they share counts for each.

    field: VmHWM for the largest so far.
    """
    status = "".join(Path(f"/proc/{one}/status").read_text() for one in _with_forked(pid))
    return sum(map(int, re.findall(rf"{field}:\s+(\d+)", status))) / 1024


def processor_seconds(pid: int) -> float:
    """Of a process and those that it has forked."""
    stats = (Path(f"/proc/{one}/stat").read_text() for one in _with_forked(pid))
    ticks = (map(int, stat.rpartition(")")[2].split()[11:13]) for stat in stats)
    return sum(map(sum, ticks)) / os.sysconf("SC_CLK_TCK")


def _with_forked(pid: int) -> list[int]:
    everyone = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        everyone += [int(child) for child in task.read_text().split()]
    return everyone
