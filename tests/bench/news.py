"""News: how soon many who follow a service have each message, and what those who wait cost."""

import asyncio
import json
import signal
import time
from collections.abc import Iterator
from subprocess import Popen
from typing import Any

import aiohttp

from frontdesk.mailbox.news import SPACING_SECONDS, WAIT_SECONDS
from tests.bench.inboxes import make_inbox, served, targets_of
from tests.bench.load import processor_seconds, resident_megabytes
from tests.bench.measure import Result, percentile
from tests.ingest.webhook_bodies import text_body
from tests.service.webhook_receivers import PATH, signed

Rows = Iterator[Result]
HELD, FOLLOWERS, A_SECOND, WORKERS, REST_SECONDS = 1_000, 200, 20, 2, 20.0


class Followers:
    """Clients that ask for changes as the viewer does. waits: seconds from a message to each."""

    def __init__(self, session: aiohttp.ClientSession, key: str) -> None:
        self._session, self._authorization = session, {"Authorization": f"Bearer {key}"}
        self.waits: list[float] = []
        self._sent: dict[str, float] = {}

    async def _changes(self, after: str, wait_seconds: int) -> tuple[str, list[Any]]:
        headers = {**self._authorization, "Prefer": f"wait={wait_seconds}"}
        path = f"/v1/changes?limit=100{after and f'&after={after}'}"
        async with self._session.get(path, headers=headers) as answer:
            body = json.loads(await answer.read())
        return body["next"], body["data"]

    async def follow(self) -> None:
        """Ask until cancelled; each conversation is of one message."""
        position, _ = await self._changes("", 0)
        while True:
            position, rows = await self._changes(position, WAIT_SECONDS)
            now = time.perf_counter()
            names = (row["contact"]["phone"].removeprefix("+") for row in rows)
            self.waits += [now - self._sent[name] for name in names if name in self._sent]
            await asyncio.sleep(SPACING_SECONDS)

    async def write(self, seconds: float) -> None:
        """Send messages of new customers, evenly."""
        begun = time.perf_counter()
        for number in range(round(seconds * A_SECOND)):
            await asyncio.sleep(begun + number / A_SECOND - time.perf_counter())
            person, moment = str(34_600_000_000 + number), 1_790_000_000 + number
            sent = json.dumps(text_body(f"wamid.{person}", person, moment, "Hi")).encode()
            self._sent[person] = time.perf_counter()
            headers = signed(sent)["headers"]
            async with self._session.post(PATH, data=sent, headers=headers) as answer:
                answer.raise_for_status()


async def _told(port: int, key: str, seconds: float) -> list[float]:
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", connector=connector) as session:
        every = Followers(session, key)
        following = [asyncio.create_task(every.follow()) for _ in range(FOLLOWERS)]
        await asyncio.sleep(2.0)
        await every.write(seconds)
        await asyncio.sleep(2.0)
        await _end(following)
    return every.waits


async def _end(following: list[asyncio.Task[None]]) -> None:
    for one in following:
        one.cancel()
    await asyncio.gather(*following, return_exceptions=True)


async def _held(port: int, key: str, process: Popen[str]) -> tuple[float, float, float]:
    """KB of one who waits, percent of a processor while all rest, and seconds to end them."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port}", connector=connector) as session:
        every = Followers(session, key)
        following = [asyncio.create_task(every.follow()) for _ in range(FOLLOWERS)]
        await asyncio.sleep(5.0)
        # What the first requests load is there by now.
        before, more = resident_megabytes(process.pid), HELD - FOLLOWERS
        following += [asyncio.create_task(every.follow()) for _ in range(more)]
        await asyncio.sleep(5.0)
        kilobytes = 1024 * (resident_megabytes(process.pid) - before) / more
        used = processor_seconds(process.pid)
        await asyncio.sleep(REST_SECONDS)
        percent = 100 * (processor_seconds(process.pid) - used) / REST_SECONDS
        asked = time.perf_counter()
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        ended = time.perf_counter() - asked
        await _end(following)
    return kilobytes, percent, ended


def results(database: str = "", conversations: int = 5_000, seconds: float = 20.0) -> Rows:
    """database: by default new ones of both engines."""
    with targets_of(database) as (_, targets):
        for target in targets:
            engine = "PostgreSQL" if "://" in target else "SQLite"
            key = make_inbox(target, conversations)
            with served(target, WORKERS) as (_process, port):
                waits = asyncio.run(_told(port, key, seconds))
            half, most = (1000 * percentile(waits, share) for share in (0.5, 0.99))
            yield Result("O8", f"{engine}: webhook to row, {FOLLOWERS} follow, p50, ms", half, 500)
            yield Result("O8", f"{engine}: webhook to row, {FOLLOWERS} follow, p99, ms", most, 2000)
            with served(target, 1) as (process, port):
                kilobytes, percent, ended = asyncio.run(_held(port, key, process))
            yield Result("O9", f"{engine}: KB of each of {HELD:,} that wait", kilobytes, 40)
            yield Result("O9", f"{engine}: percent of a processor while they do", percent, 2)
            yield Result("O9", f"{engine}: s from SIGTERM to the end", ended, 2)
