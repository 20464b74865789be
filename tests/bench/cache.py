"""Measures the cache: its size, its memory and its search.

Everything is measured in one run on one machine; compare the ratios, not the times.
"""

import argparse
import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median

from frontdesk.cache import CONVERSATION, Cache, FetchedRows, ListName, row_of, thread_name
from frontdesk.cache.rows import Row
from frontdesk.timeline import stretch
from frontdesk.wire import ConversationFilter, Message
from frontdesk.wire.values import timestamp
from tests.bench import warm_cache

SIZE = 100_000
NEWEST = 1_794_000_000_000
NOW = datetime(2026, 11, 7, tzinfo=UTC)
TYPED = ("factura", "zq", "ya", "monday nothing", "0031", "退款", "the")


def add_options(parser: argparse.ArgumentParser) -> None:
    """How much is walked."""
    parser.add_argument("--size", type=int, default=SIZE, help="conversations, and messages")


def run(options: argparse.Namespace) -> None:
    """Print one line a measure."""
    size: int = options.size
    with tempfile.TemporaryDirectory() as directory:
        walked = Path(directory) / "walked.db"
        before = _memory()
        asyncio.run(warm_cache.fill(walked, size, "bench"))
        _say(f"walked {size:,} conversations")
        _say(f"  memory     {(_memory() - before) / 1e6:8.1f} MB more at its highest")
        _say(f"  file       {walked.stat().st_size / 1e6:8.1f} MB")
        _say(f"  each       {walked.stat().st_size / size:8.0f} bytes")
        _open(walked)
        words = Path(directory) / "words.db"
        asyncio.run(_hold_messages(words, size))
        _say(f"{size:,} messages, in a file of {words.stat().st_size / 1e6:.1f} MB")
        _search(words)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _open(path: Path) -> None:
    def opened() -> None:
        cache = Cache(path, "bench", check_after_seconds=1_000)
        listing = cache.listing(_queue())
        assert [row.id for row in (listing[at] for at in range(50))]
        cache.close()

    _say(f"  opened     {_timed(opened):8.2f} ms, with the first 50 rows, and closed")


def _search(path: Path) -> None:
    cache = Cache(path, "bench", check_after_seconds=1_000)
    for typed in TYPED:
        asked = partial(cache.search, typed, limit=50)
        _say(f"  search     {_timed(asked):8.2f} ms, {len(asked()):2} hits  {typed}")
    _say(f"  count      {_timed(lambda: cache.count('message')):8.2f} ms")
    cache.close()


async def _hold_messages(path: Path, size: int) -> None:
    cache = Cache(path, "bench")
    chance = random.Random(7)
    for start in range(0, size, 1_000):
        await _save(cache, str(start), chance, min(1_000, size - start))
    cache.close()


async def _save(cache: Cache, conversation_id: str, chance: random.Random, count: int) -> float:
    """How many milliseconds of CPU it takes to save a page of a thread."""
    rows = [_message(conversation_id, number, chance) for number in range(count)]
    part = FetchedRows.of(rows, stretch([[row.key for row in rows]], end=True), None)
    start = time.process_time()
    await cache.save_head(thread_name(conversation_id), part, NOW)
    return (time.process_time() - start) * 1e3


def _message(conversation_id: str, number: int, chance: random.Random) -> Row:
    words = [chance.choice(_WORDS) for _ in range(min(60, int(chance.expovariate(1 / 9)) + 2))]
    return row_of(
        Message(
            id=f"{conversation_id}.{number}",
            direction="inbound",
            author="contact",
            text=" ".join(words),
            wamid=f"wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQTRB{conversation_id}{number}",
            created_at=timestamp(NEWEST - int(conversation_id) * 61_000 - number * 1_000),
        )
    )


def _words() -> list[str]:
    """Common words often, and thousands of rare ones."""
    chance = random.Random(1)
    parts = ("ba", "co", "di", "fu", "ge", "ha", "in", "jo", "ka", "le", "mi", "tion", "ing", "wa")
    rare = ["".join(chance.choices(parts, k=chance.randint(1, 4))) for _ in range(6_000)]
    return [*rare, *(" ".join(warm_cache.TEXTS).split() * 40), "退款请求", "4711-0031"]


_WORDS = _words()


def _queue() -> ListName:
    status = ConversationFilter(status="open").parameters()["status"]
    return ListName(f"conversations?status={status}", CONVERSATION)


def _timed(work: Callable[[], object], rounds: int = 15) -> float:
    """The median time of some work in milliseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e3)
    return median(times)


def _memory() -> int:
    """The most bytes that this process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most * (1 if sys.platform == "darwin" else 1024)
