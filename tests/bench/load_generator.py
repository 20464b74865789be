"""Readers and senders of webhooks that press on a service, and check every word it answers."""

import asyncio
import hashlib
import hmac
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.bench.ingest import body

SECRET, TOKEN = "the app's secret", "a verify token"
MOST_PAGES = 4
# What is turned away with words has one of these; each says when to come again.
BUSY = (429, 503)
_LATER = ("rate_limited", "service_unavailable", "query_timeout")
# Retries come sooner here than Retry-After asks for.
PAUSE_SECONDS = 0.02


@dataclass
class Tally:
    """What came of asking. times: seconds of what was answered; acknowledged: digests of bodies.

    closed: connections that ended without a word. wrong: whatever should not be, in words.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    closed: int = 0
    torn: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def turned_away(self) -> int:
        return sum(self.statuses[status] for status in BUSY)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class Closed(Exception):
    """The connection ended before the first byte of an answer."""


class Torn(Exception):
    """It ended within one."""


class Client:
    """One connection after the other to a service, with one thing asked at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def ask(self, request: bytes) -> Answer:
        """Raises: Closed, Torn."""
        if self._writer is None:
            try:
                self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError as error:
                raise Closed from error
        try:
            return await self._asked(request)
        except (Closed, Torn):
            self.close()
            raise

    def close(self) -> None:
        if self._writer is not None:
            self._writer.transport.abort()
        self._reader = self._writer = None

    async def _asked(self, request: bytes) -> Answer:
        assert self._reader is not None
        assert self._writer is not None
        try:
            self._writer.write(request)
            head = await self._reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError as error:
            raise (Torn if error.partial else Closed) from error
        except OSError as error:
            raise Closed from error
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        try:
            contents = await self._reader.readexactly(int(headers.get("content-length", "0")))
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Torn from error
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(int(first.split()[1]), headers, contents)


class LoadGenerator:
    """Clients that send requests until stopped, or a number of them; `tally` says what came of it.

    numbers: of the bodies that are sent; who goes on with them sends others.
    """

    def __init__(self, port: int, key: str, numbers: Iterator[int]) -> None:
        self.tally = Tally()
        self._port = port
        self._key = key
        self._ending = asyncio.Event()
        self._answered = asyncio.Semaphore(0)
        self._numbers = numbers

    async def answered(self, times: int) -> None:
        """Wait until so many more requests were answered."""
        for _ in range(times):
            await self._answered.acquire()

    def stop(self) -> None:
        self._ending.set()

    async def run(self, readers: int, senders: int, times: int | None = None) -> None:
        """times: how often each asks; None: until it is stopped."""
        async with asyncio.TaskGroup() as group:
            for _ in range(readers):
                group.create_task(self._repeated(self._walk, times))
            for _ in range(senders):
                group.create_task(self._repeated(self._send, times))

    async def _repeated(self, work: Any, times: int | None) -> None:
        client = Client(self._port)
        try:
            for number in count():
                if self._ending.is_set() or number == times:
                    return
                await work(client)
        finally:
            client.close()

    async def _walk(self, client: Client) -> None:
        """Some pages of the queue, one after the other: in order, and no row twice."""
        seen: set[str] = set()
        last, cursor = "~", ""
        for _ in range(MOST_PAGES):
            path = f"/v1/conversations?limit=25{cursor and f'&cursor={cursor}'}"
            page = await self._page(client, path)
            if page is None:
                return
            for row in page["data"]:
                if row["last_activity_at"] > last or row["id"] in seen:
                    self.tally.wrong.append(f"{row['id']} is out of order on a page")
                last = row["last_activity_at"]
                seen.add(row["id"])
            if page["has_more"] != (page["next_cursor"] is not None):
                self.tally.wrong.append("has_more contradicts the cursor")
            cursor = page["next_cursor"] or ""
            if not cursor:
                return

    async def _page(self, client: Client, path: str) -> Any:
        head = f"GET {path} HTTP/1.1\r\nHost: inbox\r\nAuthorization: Bearer {self._key}\r\n\r\n"
        answer = await self._answer(client, head.encode())
        if answer is None:
            return None
        try:
            page = json.loads(answer.body)
        except ValueError:
            self.tally.wrong.append(f"not JSON: {answer.body[:80]!r}")
            return None
        if list(page) != ["data", "next_cursor", "has_more"]:
            self.tally.wrong.append(f"no page: {list(page)}")
            return None
        return page

    async def _send(self, client: Client) -> None:
        """A new message, as often as it takes to have it acknowledged."""
        number = next(self._numbers)
        sent = json.dumps(body(number)).encode()
        request = posted(sent)
        while not self._ending.is_set():
            answer = await self._answer(client, request)
            if answer is not None:
                self.tally.acknowledged.add(hashlib.sha256(sent).hexdigest())
                return

    async def _answer(self, client: Client, request: bytes) -> Answer | None:
        """The answer, None for one that says to come again: that it says so is checked."""
        started = time.perf_counter()
        try:
            answer = await client.ask(request)
        except Closed:
            self.tally.closed += 1
            await asyncio.sleep(PAUSE_SECONDS)
            return None
        except Torn:
            self.tally.torn += 1
            return None
        self.tally.statuses[answer.status] += 1
        if answer.status == 200:
            self.tally.times.append(time.perf_counter() - started)
            self._answered.release()
            return answer
        self.tally.wrong += faults_of(answer)
        await asyncio.sleep(PAUSE_SECONDS)
        return None


def faults_of(answer: Answer) -> Iterator[str]:
    """What is wrong about an answer that asks to come again."""
    if answer.status not in BUSY:
        yield f"{answer.status}: {answer.body[:200]!r}"
        return
    if answer.headers.get("content-type") != "application/problem+json":
        yield f"{answer.status} is no problem document"
    elif json.loads(answer.body)["code"] not in _LATER:
        yield f"{answer.status}: {answer.body[:200]!r}"
    if not answer.headers.get("retry-after", "").isdigit():
        yield f"{answer.status} does not say when to come again"


def posted(sent: bytes) -> bytes:
    """The request by which Meta delivers a body."""
    signature = hmac.new(SECRET.encode(), sent, hashlib.sha256).hexdigest()
    head = (
        "POST /webhooks/whatsapp HTTP/1.1\r\nHost: inbox\r\nContent-Type: application/json\r\n"
        f"X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {len(sent)}\r\n\r\n"
    )
    return head.encode() + sent
