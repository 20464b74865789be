"""What a request costs: in this process, over a socket, and many at once beside other servers."""

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import httpx

from frontdesk.service.api_keys import new_key
from frontdesk.store import conversations
from frontdesk.store.contacts import contact_page
from frontdesk.store.conversations import ConversationSelection
from frontdesk.store.database import Connection, Database
from frontdesk.store.dsn import is_address
from tests.bench.filter_shapes import ACCOUNT, PAGE
from tests.bench.ratios import Ratio, ratio
from tests.bench.served import KEY_VARIABLE, inbox

PATH = "/v1/conversations?limit=25"
EVERYTHING = ConversationSelection(conversations.states_of(range(3)))
CONNECTIONS = 8
# The list of a search that finds very many is slow: the most that a thread is busy with.
SLOW_WORDS = ("an",)

Work = Callable[[], Awaitable[object]]


def measured(
    target: str, database: Database, rounds: int, seconds: float, datasette: str
) -> list[Ratio]:
    """All that has to do with requests. seconds: how long a server is asked in each round."""
    found = asyncio.run(_one_by_one(target, database, rounds))
    found += _many_at_once(target, max(rounds // 20, 3), seconds, datasette)
    return [*found, *asyncio.run(_stalls(database, max(rounds // 10, 5)))]


async def _one_by_one(target: str, database: Database, rounds: int) -> list[Ratio]:
    key = new_key()
    async with AsyncExitStack() as ending:
        app = inbox(database, key)
        ending.callback(app.close)
        port = ending.enter_context(serving("inbox", target, key=key))
        headers = {"Authorization": f"Bearer {key}"}
        inside = await ending.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://inbox", headers=headers
            )
        )
        outside = await ending.enter_async_context(
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers)
        )
        taken = await _in_turn(
            rounds,
            {
                "raw": lambda: asyncio.to_thread(database.read, _raw_page),
                "inside": partial(_ask, inside),
                "outside": partial(_ask, outside),
            },
        )
    return [
        ratio("in-process page / raw SQL (in a thread)", "<=", 4.5, taken["inside"], taken["raw"]),
        ratio("loopback page / in-process page", "<=", 3, taken["outside"], taken["inside"]),
    ]


def _raw_page(connection: Connection) -> object:
    rows = conversations.conversation_page(connection, ACCOUNT, EVERYTHING, None, PAGE)
    return conversations.labels_of(connection, ACCOUNT, [row["id"] for row in rows])


async def _ask(client: httpx.AsyncClient) -> None:
    (await client.get(PATH)).raise_for_status()


async def _in_turn(rounds: int, works: Mapping[str, Work]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 5):
        for name, work in works.items():
            started = time.perf_counter()
            await work()
            if number >= 5:
                taken[name].append(time.perf_counter() - started)
    return taken


def _many_at_once(target: str, rounds: int, seconds: float, datasette: str) -> list[Ratio]:
    """Requests per second beside those of other servers, one server after the other."""
    key = new_key()
    beside = None if is_address(target) else shutil.which(datasette)
    with ExitStack() as ending:
        asked = {
            "page": (ending.enter_context(serving("inbox", target, key=key)), PATH),
            "hello": (ending.enter_context(serving("hello", key=key)), "/"),
            "page h11": (ending.enter_context(serving("h11", "inbox", target, key=key)), PATH),
            "hello h11": (ending.enter_context(serving("h11", "hello", key=key)), "/"),
        }
        if beside:
            table = f"/{Path(target).stem}/conversation.json?_size=25&_nocount=1&_shape=array"
            asked["datasette"] = (ending.enter_context(_datasette(beside, target)), table)
        taken: dict[str, list[float]] = {name: [] for name in asked}
        for _ in range(rounds):
            for name, (port, path) in asked.items():
                answered = asyncio.run(_answered(port, path, key, seconds))
                taken[name].append(answered / seconds)
    per_second = {name: median(rates) for name, rates in taken.items()}
    note = ", ".join(f"{name} {rate:,.0f}/s" for name, rate in per_second.items())
    missing = "SQLite only" if is_address(target) else "datasette is missing: give --datasette"
    hellos = per_second["page h11"] / per_second["hello h11"]
    faster = per_second["page"] / per_second["hello"]
    tables = per_second["page"] / per_second["datasette"] if beside else None
    return [
        Ratio("pages / hellos a second, parser h11", hellos, ">=", 0.09, note=note),
        Ratio("pages / hellos a second, our parser", faster, ">=", 0.09),
        Ratio(
            "pages / pages of datasette a second", tables, ">=", 5, note="" if beside else missing
        ),
    ]


async def _answered(port: int, path: str, key: str, seconds: float) -> int:
    """How many requests are answered while some connections ask without a pause."""
    loop = asyncio.get_running_loop()
    request = (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {key}\r\n\r\n"
    ).encode()
    askers = [_Asker(request) for _ in range(CONNECTIONS)]
    for asker in askers:
        await loop.create_connection(partial(_itself, asker), "127.0.0.1", port)
    await asyncio.sleep(seconds / 4)
    before = sum(asker.answered for asker in askers)
    await asyncio.sleep(seconds)
    after = sum(asker.answered for asker in askers)
    for asker in askers:
        asker.close()
    return after - before


class _Asker(asyncio.Protocol):
    """Asks again as soon as it is answered."""

    def __init__(self, request: bytes) -> None:
        self.answered = 0
        self._request = request
        self._got = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._got += data
        head, found, body = self._got.partition(b"\r\n\r\n")
        if not found or self._transport is None:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(f"Not answered: {head[:200]!r}")
        if self._whole(head, body):
            self.answered += 1
            self._got = b""
            self._transport.write(self._request)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()
            self._transport = None

    def _whole(self, head: bytes, body: bytes) -> bool:
        length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
        return body.endswith(b"0\r\n\r\n") if length is None else len(body) >= int(length[1])


def _itself(asker: _Asker) -> _Asker:
    return asker


@contextmanager
def serving(*arguments: str, key: str) -> Iterator[int]:
    """The port of a server of ours."""
    with _process(
        [sys.executable, "-m", "tests.bench.served", *arguments], {KEY_VARIABLE: key}
    ) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())


@contextmanager
def _datasette(program: str, path: str) -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    # What it prints of every request nobody reads.
    with _process([program, "serve", path, "--port", str(port)], {}, subprocess.DEVNULL):
        ends = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/-/versions.json")
            except httpx.TransportError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.2)
            else:
                break
        yield port


@contextmanager
def _process(
    command: list[str], variables: Mapping[str, str], output: int = subprocess.PIPE
) -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(
        command,
        env={**os.environ, **variables},
        stdout=output,
        stderr=subprocess.DEVNULL,
    )
    with process:
        try:
            yield process
        finally:
            process.terminate()


async def _stalls(database: Database, rounds: int) -> list[Ratio]:
    """How long the event loop is blocked while a slow search runs in its process."""
    key = new_key()
    app = inbox(database, key)
    path = f"/v1/contacts?limit=100&q={' '.join(SLOW_WORDS)}"

    async def inline() -> None:
        database.read(lambda c: contact_page(c, ACCOUNT, list(SLOW_WORDS), None, 101))

    try:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app),
            base_url="http://inbox",
            headers={"Authorization": f"Bearer {key}"},
        ) as client:

            async def in_thread() -> None:
                (await client.get(path)).raise_for_status()

            threads, inlines = [], []
            for _ in range(rounds):
                threads.append(await _stall(in_thread))
                inlines.append(await _stall(inline))
    finally:
        app.close()
    return [
        ratio("event-loop stall in a slow search, thread / inline", "<=", 0.5, threads, inlines),
        Ratio("the same stall in milliseconds", 1000 * median(threads), "<=", 16),
    ]


async def _stall(work: Work) -> float:
    """The longest that the loop took beyond a millisecond for a sleep of one."""
    longest, ended = 0.0, False

    async def watch() -> None:
        nonlocal longest
        while not ended:
            started = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - started - 0.001)

    watcher = asyncio.create_task(watch())
    await asyncio.sleep(0.005)
    longest = 0.0
    await work()
    await asyncio.sleep(0)
    ended = True
    await watcher
    return longest
