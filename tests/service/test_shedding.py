"""Load shedding: requests beyond the limits get 503 with Retry-After at once."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
import pytest
from tests.patience import HANG_SECONDS
from tests.stores import NeverAtOnce

from frontdesk.service import executors
from frontdesk.service.api_keys import new_ephemeral_key
from frontdesk.service.app import create_app
from frontdesk.store import sqlite
from frontdesk.store.database import Connection, Database

T = TypeVar("T")

# Requests under way, and how long one of them may wait for a thread.
MOST_AT_ONCE, MOST_WAITING_MILLISECONDS = 128, 5_000


class Gated(NeverAtOnce):
    """A database that is read only once its gate is open, and says how often it was asked."""

    def __init__(self, database: Database) -> None:
        self.asked = 0
        self.gate = threading.Event()
        self.database = database

    def read(self, work: Callable[[Connection], T]) -> T:
        self.asked += 1
        assert self.gate.wait(HANG_SECONDS)
        return self.database.read(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.database, name)


@pytest.fixture
def gated(database: Database) -> Gated:
    return Gated(database)


async def asked_at_once(client: httpx.AsyncClient, count: int) -> "list[asyncio.Task[Any]]":
    """So many requests under way, each as far as it gets."""
    tasks = [asyncio.create_task(client.get("/v1/labels")) for _ in range(count)]
    # httpx takes some turns of the loop to hand a request on.
    for _ in range(50):
        await asyncio.sleep(0)
    return tasks


async def test_requests_over_the_limit_get_503_and_the_others_are_answered(
    clients, gated, is_problem
):
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(gated, ephemeral_keys=[guest]), key)
    inside = await asked_at_once(client, MOST_AT_ONCE)
    for _ in range(3):
        refused = await client.get("/v1/labels")
        document = is_problem(refused, 503, "service_unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert document["retry_after"] == 1
    assert not [task for task in inside if task.done()]
    assert (await client.get("/healthz")).status_code == 200
    gated.gate.set()
    assert {task.status_code for task in await asyncio.gather(*inside)} == {200}
    assert (await client.get("/v1/labels")).status_code == 200


async def test_a_cancelled_request_is_cancelled_and_the_next_one_is_answered(clients, gated):
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(gated, ephemeral_keys=[guest]), key)
    (request,) = await asked_at_once(client, 1)
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    gated.gate.set()
    assert (await client.get("/v1/labels")).status_code == 200


async def test_what_a_shutdown_cancels_is_asked_to_retry(clients, gated, is_problem):
    key, guest = new_ephemeral_key(1)
    app = create_app(gated, ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    (request,) = await asked_at_once(client, 1)
    app.drain()
    request.cancel()
    answer = await request
    is_problem(answer, 503, "service_unavailable")
    assert answer.headers["Retry-After"] == "1"
    gated.gate.set()


async def test_cheap_requests_are_answered_while_every_thread_is_busy(
    clients, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sqlite, "AT_ONCE_SECONDS", 60.0)
    gated = Gated(sqlite.SQLiteDatabase(tmp_path / "inbox.db", create=True, durable=False))
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(gated, ephemeral_keys=[guest]), key)
    inside = await asked_at_once(client, MOST_AT_ONCE)
    monkeypatch.setattr(gated, "read_inline", gated.database.read_inline)
    first = await client.get("/v1/labels")
    tag = {"If-None-Match": first.headers["ETag"]}
    assert (await client.get("/v1/labels", headers=tag)).status_code == 304
    assert (await client.get("/v1/nope")).status_code == 404
    assert (await client.get("/v1/conversations/counts")).status_code == 503
    assert not [task for task in inside if task.done()]
    gated.gate.set()
    assert {task.status_code for task in await asyncio.gather(*inside)} == {200}


async def test_the_database_is_asked_by_as_many_as_there_are_threads(clients, gated):
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(create_app(gated, ephemeral_keys=[guest]), key)
    inside = await asked_at_once(client, 3 * executors.THREADS)
    assert gated.asked <= executors.THREADS
    gated.gate.set()
    await asyncio.gather(*inside)


async def test_who_waited_too_long_is_asked_to_retry_without_asking_the_database(
    clients, gated, is_problem, now
):
    moment = now
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(
        create_app(gated, ephemeral_keys=[guest], clock=lambda: moment), key
    )
    inside = await asked_at_once(client, executors.THREADS + 5)
    # The clock goes on once the threads have begun, which is up to the system.
    while gated.asked < executors.THREADS:  # noqa: ASYNC110
        await asyncio.sleep(0)
    moment += MOST_WAITING_MILLISECONDS + 1
    gated.gate.set()
    answers = await asyncio.gather(*inside)
    late = [answer for answer in answers if answer.status_code != 200]
    assert len(late) == 5
    for answer in late:
        is_problem(answer, 503, "service_unavailable")
        assert answer.headers["Retry-After"] == "1"
    assert gated.asked == executors.THREADS
    assert (await client.get("/v1/labels")).status_code == 200
