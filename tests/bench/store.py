"""Pages, reports and writes of a store, and pages over HTTP."""

import asyncio
import time
from collections.abc import Awaitable, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from statistics import median
from unittest.mock import patch

import httpx

from frontdesk.sample.bulk_rows import ACCOUNT
from frontdesk.service.app import Options, create_app
from frontdesk.service.rate_limit import RateLimit
from frontdesk.store import conversations, counters
from frontdesk.store.connect import open_database
from frontdesk.store.contacts import contact_page
from frontdesk.store.conversations import ConversationSelection
from frontdesk.store.database import Connection, Database
from frontdesk.store.dsn import is_address
from frontdesk.wire.queries import REPORT_PARTS
from tests.bench import pages
from tests.bench.inboxes import last_activity, make_inbox, message_writes, served, targets_of
from tests.bench.measure import Result, of_medians, seconds_in_turn
from tests.bench.pages import ANY, FEW, PAGE, answer

# The list of a search that finds very many is slow: the most that a thread is busy with.
SLOW_WORD = "an"


def results(conversations: int = 20_000, rounds: int = 100, database: str = "") -> Iterator[Result]:
    """The lines of the table. database: one that may be written to, instead of both engines.

    Only those of V3 are of PostgreSQL.
    """
    with targets_of(database) as (home, targets):
        for target in targets:
            key = make_inbox(target, conversations)
            with closing(open_database(target)) as many:
                if not is_address(target):
                    make_inbox(str(home / "few.db"), FEW)
                    with closing(open_database(home / "few.db")) as few:
                        yield from pages.depths(many, rounds)
                        yield from pages.extensions(many, few, rounds)
                    yield from _reports(many, max(rounds // 20, 3))
                    yield _writes(many, 3 * rounds)
                    yield from _requests(target, many, key, rounds)
                yield from pages.filters(many, max(rounds // 10, 1))


def _reports(database: Database, rounds: int) -> Iterator[Result]:
    """Each part of a report beside a plain one; the worst of three periods."""
    # That of persons by day is of the other parts and a granularity.
    alone = [part for part in REPORT_PARTS if part != "person_series"]
    parts: dict[str, dict[str, str]] = {part: {"include": part} for part in alone}
    parts |= {"targets": {"target_reply": "3600"}, "": {}}
    now = database.read(last_activity)
    end = datetime.fromtimestamp(now / 1000, UTC)

    def report(number: int, days: int, query: Mapping[str, str]) -> object:
        period = {"from": f"{(end - timedelta(days)).date()}", "to": f"{end.date()}"}
        asked = {**period, "timezone": "Europe/Madrid", **query}
        return answer(database, "inbox_report", asked, now)

    by_days = [
        seconds_in_turn(
            rounds, {part: partial(report, days=days, query=query) for part, query in parts.items()}
        )
        for days in (7, 30, 360)
    ]
    for part in filter(None, parts):
        value = max(of_medians(taken[part], taken[""]) for taken in by_days)
        yield Result("R1", f"report with {part} / without", value, 4)


def _writes(database: Database, rounds: int) -> Result:
    # A function: to make a mock would be part of the time.
    without = patch.object(counters, "move", lambda *_, **__: None)
    value = message_writes(database, rounds * ["How much is it?"], without, keep=False)
    return Result("W1", "message write with filter table and cells / without", value, 1.7)


def _requests(target: str, database: Database, key: str, rounds: int) -> Iterator[Result]:
    """Pages in this process and over a socket, and how long a slow search blocks the event loop."""
    path, slow = "/v1/conversations?limit=25", f"/v1/contacts?limit=100&q={SLOW_WORD}"
    app = create_app(database, options=Options(rate_limit=RateLimit(requests=0)))
    headers = {"Authorization": f"Bearer {key}"}
    inside = httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://inbox", headers=headers
    )

    def raw_page(connection: Connection) -> object:
        everything = ConversationSelection(ANY)
        rows = conversations.conversation_page(connection, ACCOUNT, everything, None, PAGE)
        return conversations.labels_of(connection, ACCOUNT, [row["id"] for row in rows])

    async def ask(client: httpx.AsyncClient, path: str) -> None:
        (await client.get(path)).raise_for_status()

    async def inline() -> None:
        database.read(lambda c: contact_page(c, ACCOUNT, [SLOW_WORD], None, 101))

    with served(target, 1) as (_, port), asyncio.Runner() as runner:
        outside = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers)
        works = {
            "raw": lambda _: runner.run(asyncio.to_thread(database.read, raw_page)),
            "inside": lambda _: runner.run(ask(inside, path)),
            "outside": lambda _: runner.run(ask(outside, path)),
        }
        taken = seconds_in_turn(rounds, works).values()
        threads, inlines = [], []
        for _ in range(max(rounds // 10, 5)):
            threads.append(runner.run(_stall(ask(inside, slow))))
            inlines.append(runner.run(_stall(inline())))
        runner.run(outside.aclose())
        app.close()
    raw, answered, sent = taken
    yield Result("H1", "in-process page / raw SQL (in a thread)", of_medians(answered, raw), 4.5)
    yield Result("H2", "loopback page / in-process page", of_medians(sent, answered), 3)
    value = of_medians(threads, inlines)
    yield Result("H3", "event-loop stall in a slow search, in a thread / inline", value, 0.5)
    yield Result("H3", "event-loop stall in a slow search, ms", 1000 * median(threads), 16)


async def _stall(work: Awaitable[None]) -> float:
    """The longest that the loop took beyond a millisecond for a sleep of one."""
    pauses: list[float] = []

    async def watch() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.001)
            pauses.append(time.perf_counter() - started - 0.001)

    watcher = asyncio.create_task(watch())
    await asyncio.sleep(0.005)
    pauses.clear()
    await work
    await asyncio.sleep(0.002)
    watcher.cancel()
    return max(pauses)
