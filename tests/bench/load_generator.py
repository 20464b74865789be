"""Readers and senders of webhooks that press on a service, and check every word it answers."""

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import aiohttp

from tests.ingest.webhook_bodies import text_body
from tests.service.webhook_receivers import PATH, signed

MOST_PAGES = 4
# Retries come sooner here than Retry-After asks for.
PAUSE_SECONDS = 0.02
# What asks to come again has one of these.
LATER = ("rate_limited", "service_unavailable", "query_timeout")
# Messages of the customer in a dialogue; the phone answers each.
TURNS = 7


@dataclass
class Tally:
    """What came of asking. times: seconds of what was answered; acknowledged: digests of bodies.

    turned_away: requests that are to come again. closed: connections that ended without a word.
    wrong: whatever should not be, in words.
    """

    times: list[float] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    turned_away: int = 0
    closed: int = 0
    torn: int = 0
    wrong: list[str] = field(default_factory=list)


class LoadGenerator:
    """Clients that send requests until stopped, or a number of them; `tally` says what came of it.

    numbers: of webhook bodies, each used once. ending: set, it stops them.
    """

    def __init__(self, port: int, key: str, numbers: Iterator[int]) -> None:
        self.tally = Tally()
        self._origin = f"http://127.0.0.1:{port}"
        self._authorization = {"Authorization": f"Bearer {key}"}
        self.ending = asyncio.Event()
        self._answered = asyncio.Semaphore(0)
        self._numbers = numbers

    async def answered(self, times: int) -> None:
        """Wait until so many more requests were answered."""
        for _ in range(times):
            await self._answered.acquire()

    async def run(self, readers: int, senders: int, times: int | None = None) -> None:
        """times: how often each asks; None: until it is stopped."""
        async with (
            aiohttp.ClientSession(self._origin, connector=aiohttp.TCPConnector(limit=0)) as session,
            asyncio.TaskGroup() as group,
        ):

            async def repeat(work: Callable[[aiohttp.ClientSession], Awaitable[None]]) -> None:
                for number in count():
                    if self.ending.is_set() or number == times:
                        return
                    await work(session)

            for work in [self._walk] * readers + [self._send] * senders:
                group.create_task(repeat(work))

    async def _walk(self, session: aiohttp.ClientSession) -> None:
        """Some pages of the queue, one after the other: in order, and no row twice."""
        seen: set[str] = set()
        last, cursor = "~", ""
        for _ in range(MOST_PAGES):
            path = f"/v1/conversations?limit=25{cursor and f'&cursor={cursor}'}"
            body = await self._ask(session.get(path, headers=self._authorization))
            if body is None:
                return
            page = json.loads(body)
            cursor = page["next_cursor"]
            for row in page["data"]:
                if row["last_activity_at"] > last or row["id"] in seen:
                    self.tally.wrong.append(f"{row['id']} is out of order on a page")
                last = row["last_activity_at"]
                seen.add(row["id"])
            if page["has_more"] != (cursor is not None):
                self.tally.wrong.append("has_more contradicts the cursor")
            if not cursor:
                return

    async def _send(self, session: aiohttp.ClientSession) -> None:
        """A new message, as often as it takes to have it acknowledged."""
        sent = json.dumps(_body(next(self._numbers))).encode()
        headers = signed(sent)["headers"]
        while not self.ending.is_set():
            post = session.post(PATH, data=sent, headers=headers)
            if await self._ask(post) is not None:
                self.tally.acknowledged.add(hashlib.sha256(sent).hexdigest())
                return

    async def _ask(self, request: Any) -> bytes | None:
        """The body, None of an answer that says to come again: that it says so is checked."""
        started = time.perf_counter()
        try:
            async with request as answer:
                body: bytes = await answer.read()
        except aiohttp.ClientPayloadError:
            self.tally.torn += 1
            return None
        except (aiohttp.ClientError, OSError):
            self.tally.closed += 1
            await asyncio.sleep(PAUSE_SECONDS)
            return None
        if answer.status == 200:
            self.tally.times.append(time.perf_counter() - started)
            self._answered.release()
            return body
        self.tally.turned_away += answer.status in (429, 503)
        if not _comes_again(answer, body):
            self.tally.wrong.append(f"{answer.status} {dict(answer.headers)}: {body[:200]!r}")
        await asyncio.sleep(PAUSE_SECONDS)
        return None


def _comes_again(answer: aiohttp.ClientResponse, body: bytes) -> bool:
    """A problem document that asks to come again, and says when."""
    return (
        answer.status in (429, 503)
        and answer.content_type == "application/problem+json"
        and json.loads(body)["code"] in LATER
        and answer.headers.get("Retry-After", "").isdigit()
    )


def _body(number: int) -> dict[str, Any]:
    """A webhook body by its number: a message of one of many dialogues."""
    dialogue, turn = divmod(number, 2 * TURNS)
    person, moment = str(34_600_000_000 + dialogue), 1_780_000_000 + 60 * number
    wamid = f"wamid.HBgLMzQ2MDAwMDAwMDAVAgASGBQz{number:016X}"
    text = f"Do you have it in blue, and could it be here soon? ({number})"
    if turn % 2:
        return text_body(wamid, person, moment, text, echo=True)
    contacts = [{"profile": {"name": f"Åse Nº {dialogue}"}, "wa_id": person}]
    return text_body(wamid, person, moment, text, contacts=contacts)
