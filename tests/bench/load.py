"""A service at its limit and past it: `python -m tests.bench load`.

Readers that walk through the queue and senders of webhooks press on `frontdesk serve` together:
few of them, as many as it holds, many more, and few again. Then it is terminated, and killed,
under load. Times are those of this machine at this hour; counts are what is to be looked at.
"""

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from frontdesk.cli.commands.keys import KeyOrder, make_key
from frontdesk.ingest.audit import differences
from frontdesk.ingest.webhooks.processor import WebhookProcessor
from frontdesk.sample.bulk import Size
from frontdesk.sample.bulk_rows import ACCOUNT, fill
from frontdesk.service.api_keys import SCOPES
from frontdesk.store.connect import open_database
from frontdesk.store.raw_events import APPLIED, IGNORED
from frontdesk.subprocess_environment import APP_SECRET_VARIABLE, VERIFY_TOKEN_VARIABLE
from tests.bench.load_generator import SECRET, TOKEN, LoadGenerator, Tally
from tests.bench.ratios import percentile, table

# Of those who press, one in so many sends webhooks.
SENDERS_IN = 4
DAY = 86_400_000


@dataclass(frozen=True)
class Phase:
    """So many clients at once for some seconds."""

    name: str
    clients: int


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--database", help="an empty one; a new file if unsaid")
    parser.add_argument("--conversations", type=int, default=5_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each phase")
    parser.add_argument("--few", type=int, default=4, help="clients that are easily answered")
    parser.add_argument("--many", type=int, default=100, help="clients that are just held")
    parser.add_argument("--crowd", type=int, default=1_500, help="more clients than are held")


def run(options: argparse.Namespace) -> None:
    """Press, and print a table; exits with 1 if anything was answered wrongly or lost."""
    with tempfile.TemporaryDirectory(prefix="frontdesk-bench-") as name:
        target = options.database or str(Path(name) / "inbox.db")
        key = prepared(target, options.conversations)
        phases = [
            Phase("few", options.few),
            Phase("as many as it holds", options.many),
            Phase("a crowd", options.crowd),
            Phase("few again", options.few),
        ]
        lines, faults = asyncio.run(pressed(target, key, options.workers, phases, options.seconds))
        for number in (signal.SIGTERM, signal.SIGKILL):
            faults += asyncio.run(ended(target, key, options.workers, number, options.many))
    print(table(lines))  # noqa: T201
    print("\n".join(faults) or "Nothing wrong, torn or lost; everything adds up.")  # noqa: T201
    sys.exit(bool(faults))


def prepared(target: str, conversations: int) -> str:
    """Make an inbox of a size; gives a key to it."""
    now = time.time_ns() // 1_000_000
    size = Size(conversations, 10 * conversations, 1, now - now % DAY)
    fill(target, size, lambda more: None, lambda stage: None)
    return str(make_key(target, KeyOrder("default", "load", None, SCOPES, None), now=0)["key"])


@contextmanager
def served(target: str, workers: int) -> "Iterator[tuple[subprocess.Popen[str], int]]":
    """The program and its port; it is terminated at the end."""
    options = ["--database", target, "--port", "0", "--workers", str(workers), "--rate-limit", "0"]
    # All clients come from one address, as through a proxy: its share is not what is measured.
    options += ["--proxy", "127.0.0.1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "frontdesk", "serve", *options],
        env={**os.environ, APP_SECRET_VARIABLE: SECRET, VERIFY_TOKEN_VARIABLE: TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.terminate()


async def pressed(
    target: str, key: str, workers: int, phases: Sequence[Phase], seconds: float
) -> tuple[list[list[str]], list[str]]:
    """A table with a line for each phase, and what was wrong."""
    lines = [["clients", "", *HEADINGS]]
    faults: list[str] = []
    numbers = count(1)
    acknowledged: set[str] = set()
    with served(target, workers) as (process, port):
        for phase in phases:
            press = LoadGenerator(port, key, numbers)
            senders = max(phase.clients // SENDERS_IN, 1)
            asking = asyncio.create_task(press.run(phase.clients - senders, senders))
            await asyncio.sleep(seconds)
            memory = resident_megabytes(process.pid)
            press.stop()
            await asking
            lines.append([f"{phase.clients:,}", phase.name, *cells(press.tally, seconds, memory)])
            faults += wrong(press.tally)
            acknowledged |= press.tally.acknowledged
    return lines, [*faults, *lost(target, acknowledged)]


HEADINGS = ("answers/s", "webhooks/s", "p50 ms", "p99 ms", "longest ms", "503", "closed", "MB")


def cells(tally: Tally, seconds: float, memory: float) -> Iterator[str]:
    """What a table says of a phase."""
    yield f"{len(tally.times) / seconds:,.0f}"
    yield f"{len(tally.acknowledged) / seconds:,.0f}"
    for share in (0.5, 0.99, 1):
        yield f"{1000 * percentile(tally.times, share):,.1f}" if tally.times else "–"
    yield f"{tally.turned_away:,}"
    yield f"{tally.closed:,}"
    yield f"{memory:,.0f}"


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
        faults += wrong(press.tally)
        if code:
            faults.append(f"It ended with {code}")
    return [
        f"{number.name}: {fault}" for fault in [*faults, *lost(target, press.tally.acknowledged)]
    ]


def wrong(tally: Tally) -> list[str]:
    """What should not have been answered, whoever asked."""
    return tally.wrong + [f"{tally.torn} answers were torn"] * bool(tally.torn)


def lost(target: str, acknowledged: set[str]) -> list[str]:
    """What was acknowledged and is not there, and what does not add up once all is applied."""
    with closing(open_database(target)) as database:
        intake = WebhookProcessor(database, now_milliseconds)
        while intake.step(ACCOUNT).moved:
            pass
        rows = database.read(lambda c: c.rows("SELECT digest, state FROM raw_event"))
        faults = database.read(lambda c: [*differences(c, ACCOUNT)])
    missing = len(acknowledged - {row["digest"] for row in rows})
    left = sum(row["state"] not in (APPLIED, IGNORED) for row in rows)
    for number, fate in ((missing, "are lost"), (left, "are not applied")):
        if number:
            faults.append(
                f"{number} webhooks {fate}, of {len(acknowledged)} that were acknowledged"
            )
    return faults


def now_milliseconds() -> int:
    return time.time_ns() // 1_000_000


def resident_megabytes(pid: int) -> float:
    """Of a process and those that it has forked; what they share counts for each."""
    everyone = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        everyone += [int(child) for child in task.read_text().split()]
    found = [
        re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{one}/status").read_text()) for one in everyone
    ]
    return sum(int(one[1]) for one in found if one) / 1024
