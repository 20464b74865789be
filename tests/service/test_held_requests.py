"""Requests that are held by `Prefer: wait` until something changes, or for so long."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from small_inbox import CHANNELS, catalogue, conversations, person
from stored_keys import keep

from frontdesk.errors import Unreachable
from frontdesk.ingest.apply.batch import wake
from frontdesk.ingest.events import ConversationEvent
from frontdesk.service import held_requests
from frontdesk.service.access_control import RequestContext
from frontdesk.service.access_log import ResponseObserver, Telemetry
from frontdesk.service.api_keys import (
    SCOPES,
    EphemeralKey,
    KeyGrant,
    key_hash,
    key_id,
    new_ephemeral_key,
    new_key,
)
from frontdesk.service.app import Application, Options, create_app
from frontdesk.service.endpoint import JsonBody
from frontdesk.service.executors import Reads
from frontdesk.service.held_requests import (
    LONGEST_SECONDS,
    MOST_HELD,
    HeldRequests,
    Hold,
    Unchanged,
    preferred_seconds,
)
from frontdesk.service.problems import too_busy
from frontdesk.service.prometheus_metrics import ServiceMetrics
from frontdesk.service.rate_limit import RateLimit
from frontdesk.store import sqlite
from frontdesk.store.accounts import add_account, disable_account, revision, revoke_key
from frontdesk.store.database import Database, WouldBlock
from frontdesk.store.writes import bump_revision

WAIT = {"Prefer": "wait=50"}


class Looks:
    """The pauses between two looks, each of which ends when the test says so."""

    def __init__(self) -> None:
        self.count = 0
        self._begun = asyncio.Event()
        self._end = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        assert seconds == 0.2
        self.count += 1
        self._begun.set()
        try:
            await self._end.wait()
        finally:
            # Set again by the next pause; nobody waits for a look where this one was cancelled.
            self._begun.clear()
            self._end.clear()

    async def begun(self) -> None:
        """Wait until somebody waits for a look."""
        await self._begun.wait()

    def look(self) -> None:
        self._end.set()

    async def look_again(self) -> None:
        """Look, and wait until that is over."""
        self._begun.clear()
        self._end.set()
        await self.begun()


class Held(Telemetry):
    """Counts the requests that may be held."""

    count = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        self.count += 1
        yield
        self.count -= 1


class Clock:
    """A clock that a test sets, in epoch milliseconds."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def looks() -> Looks:
    return Looks()


@pytest.fixture
def telemetry() -> Held:
    return Held()


@pytest.fixture
def clock(now: int) -> Clock:
    return Clock(now)


@pytest.fixture
def inbox(add_events: Any, database: Database, now: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that requests are held in the order in which they are made.
    monkeypatch.setattr(sqlite, "AT_ONCE_SECONDS", 60.0)
    add_events(catalogue())
    add_events(conversations(6))
    database.write(lambda connection: wake(connection, 1, now))


@pytest.fixture
def application(
    inbox: None, database: Database, looks: Looks, telemetry: Held, clock: Clock
) -> Callable[..., Application]:
    def create(**options: Any) -> Application:
        used = {"clock": clock, "telemetry": telemetry, "pause": looks, **options}
        return create_app(used.pop("database", database), **used)

    return create


@pytest.fixture
async def reader(clients: Any, application: Any) -> httpx.AsyncClient:
    key, guest = new_ephemeral_key(1)
    return await clients.client_of(application(ephemeral_keys=[guest]), key)


@pytest.fixture
def change(database: Database) -> Callable[..., None]:
    def changed(*ids: int) -> None:
        database.write(lambda connection: bump_revision(connection, 1, ids or (1,)))

    return changed


async def position(client: httpx.AsyncClient) -> str:
    return (await client.get("/v1/changes")).json()["next"]


def following(
    client: httpx.AsyncClient, after: str, headers: Any = WAIT, **parameters: str
) -> "asyncio.Task[httpx.Response]":
    asked = {"after": after, **parameters}
    return asyncio.create_task(client.get("/v1/changes", params=asked, headers=headers))


async def until(holds: Callable[[], bool]) -> None:
    while not holds():  # noqa: ASYNC110
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([], 0),
        (["wait=25"], 25),
        (["respond-async, WAIT = 7 ; x=1"], 7),
        (["respond-async", 'wait="9"'], 9),
        (["wait=300"], LONGEST_SECONDS),
        (["wait=0"], 0),
        (["wait=4, wait=8"], 4),
        (["wait"], 0),
        (["wait=-1"], 0),
        (["wait=1.5"], 0),
        (['wait="5'], 0),
        (["wait=٥"], 0),
        (["await=5"], 0),
        (["wait=" + "9" * 5_000], 0),
    ],
)
def test_the_wait_is_that_of_the_first_usable_preference(headers: list[str], seconds: int) -> None:
    assert preferred_seconds(headers) == seconds


def test_a_hold_ends_after_its_seconds_or_earlier_or_when_the_clock_is_set_back() -> None:
    hold = Hold(1_000, 50)
    assert hold.lasts(1_000)
    assert hold.lasts(50_999)
    assert not hold.lasts(51_000)
    assert not hold.lasts(999)
    assert hold.lasts(1_999, 2_000)
    assert not hold.lasts(2_000, 2_000)
    assert not hold.lasts(51_000, 60_000)


@pytest.mark.both_engines
@pytest.mark.parametrize(("prefer", "applied"), [("wait=10", "10"), ("wait=300", "50")])
async def test_a_held_request_is_answered_by_the_next_change(
    reader: httpx.AsyncClient, looks: Looks, change: Any, prefer: str, applied: str
) -> None:
    before = await position(reader)
    request = following(reader, before, {"Prefer": prefer})
    await looks.begun()
    await looks.look_again()
    assert not request.done()
    change(2)
    looks.look()
    answer = await request
    assert answer.headers["Preference-Applied"] == f"wait={applied}"
    page = answer.json()
    assert [row["id"] for row in page["data"]] == ["2"]
    assert page["next"] == await position(reader) != before


async def test_what_changed_before_is_said_at_once(reader: httpx.AsyncClient, change: Any) -> None:
    before = await position(reader)
    change(3)
    answer = await following(reader, before)
    assert [row["id"] for row in answer.json()["data"]] == ["3"]
    assert answer.headers["Preference-Applied"] == "wait=50"


async def test_a_hold_without_news_ends_empty_and_costs_what_an_unchanged_answer_does(
    clients: Any, application: Any, database: Database, looks: Looks, clock: Clock
) -> None:
    limits = Options(rate_limit=RateLimit(requests=1, seconds=1_000_000, burst=9))
    client = await clients.client_of(application(options=limits), keep(database))
    before = await position(client)
    request = following(client, before, {"Prefer": "wait=2"})
    await looks.begun()
    clock.now += 1_999
    await looks.look_again()
    assert not request.done()
    clock.now += 1
    looks.look()
    answer = await request
    assert answer.json()["next"] == before
    assert answer.headers["Preference-Applied"] == "wait=2"
    # Nine less one, and five times a fifth.
    assert '"default";r=7;' in answer.headers["RateLimit"]
    for _ in range(3):
        answer = await following(client, before, {})
    assert '"default";r=7;' in answer.headers["RateLimit"]
    answer = await following(client, before, {})
    assert '"default";r=7;' in answer.headers["RateLimit"]
    answer = await following(client, before, {})
    assert '"default";r=6;' in answer.headers["RateLimit"]


@pytest.mark.parametrize("headers", [{}, {"Prefer": "wait=0"}, {"Prefer": "wait=soon"}])
async def test_without_a_usable_wait_the_answer_comes_at_once(
    reader: httpx.AsyncClient, looks: Looks, headers: dict[str, str]
) -> None:
    answer = await following(reader, await position(reader), headers)
    assert answer.status_code == 200
    assert "Preference-Applied" not in answer.headers
    assert not looks.count


async def test_another_account_does_not_end_a_hold(
    reader: httpx.AsyncClient, looks: Looks, database: Database, change: Any
) -> None:
    other = database.write(lambda connection: add_account(connection, "dock", "Dock", 1))
    request = following(reader, await position(reader))
    await looks.begun()
    database.write(lambda connection: bump_revision(connection, other, (1,)))
    await looks.look_again()
    assert not request.done()
    change()
    looks.look()
    assert (await request).status_code == 200


@pytest.mark.both_engines
async def test_reads_with_a_tag_are_held_too(
    reader: httpx.AsyncClient, looks: Looks, change: Any, clock: Clock
) -> None:
    first = await reader.get("/v1/conversations", headers=WAIT)
    assert "Preference-Applied" not in first.headers
    known = {**WAIT, "If-None-Match": first.headers["ETag"]}
    request = asyncio.create_task(reader.get("/v1/conversations", headers=known))
    await looks.begun()
    change()
    looks.look()
    answer = await request
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (200, "wait=50")
    known["If-None-Match"] = answer.headers["ETag"]
    request = asyncio.create_task(reader.get("/v1/conversations", headers=known))
    await looks.begun()
    clock.now += 50_000
    looks.look()
    answer = await request
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (304, "wait=50")


async def test_a_report_is_held_until_the_next_minute(
    reader: httpx.AsyncClient, looks: Looks, clock: Clock
) -> None:
    clock.now -= clock.now % 60_000
    path = "/v1/reports/inbox?from=2026-03-01"
    known = {**WAIT, "If-None-Match": (await reader.get(path)).headers["ETag"]}
    clock.now += 30_000
    request = asyncio.create_task(reader.get(path, headers=known))
    await looks.begun()
    clock.now += 29_999
    await looks.look_again()
    assert not request.done()
    clock.now += 1
    looks.look()
    assert (await request).status_code == 200


def snoozed(number: int, until: int) -> ConversationEvent:
    """The conversation of `small_inbox` with this number is snoozed."""
    return ConversationEvent(
        CHANNELS[number % 3], person(number // 2), f"z{number}", until - 9_000, "snoozed",
        {"until": until},
    )  # fmt: skip


@pytest.mark.both_engines
async def test_the_end_of_a_snooze_is_news_after_it_is_written(
    reader: httpx.AsyncClient, looks: Looks, add_events: Any, database: Database, clock: Clock
) -> None:
    first = clock.now + 5_000
    add_events([snoozed(0, first), snoozed(3, first + 1_000)])
    for number in (0, 3):
        before = await position(reader)
        known = database.read(lambda connection: revision(connection, 1))
        request = following(reader, before)
        await looks.begun()
        clock.now = first if number == 0 else first + 1_000
        # Read again, and written behind it.
        looks.look()
        await until(lambda known=known: database.read(lambda c: revision(c, 1)) > known)
        await looks.begun()
        looks.look()
        (row,) = (await request).json()["data"]
        assert (row["contact"]["phone"], row["status"]) == (person(number // 2).phone, "open")


async def test_a_snooze_that_ended_where_nothing_is_written_is_read_once(
    clients: Any,
    application: Any,
    add_events: Any,
    database: Database,
    looks: Looks,
    clock: Clock,
) -> None:
    class Standby:
        reads = 0

        def read_inline(self, work: Any) -> Any:
            self.reads += 1
            return database.read_inline(work)

        def write(self, work: Any) -> Any:
            raise Unreachable("It is a standby")

        def __getattr__(self, name: str) -> Any:
            return getattr(database, name)

    add_events([snoozed(0, clock.now + 1_000)])
    standby = Standby()
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(application(database=standby, ephemeral_keys=[guest]), key)
    request = following(client, await position(client))
    await looks.begun()
    clock.now += 1_000
    await looks.look_again()
    read = standby.reads
    for _ in range(9):
        clock.now += 1_000
        await looks.look_again()
    # The looks alone.
    assert standby.reads == read + 9
    request.cancel()


@pytest.mark.both_engines
async def test_the_key_is_checked_again_when_the_wait_ends(
    clients: Any, application: Any, database: Database, looks: Looks, change: Any, is_problem: Any
) -> None:
    key = keep(database)
    client = await clients.client_of(application(), key)
    request = following(client, await position(client))
    await looks.begun()
    database.write(lambda connection: revoke_key(connection, key_id(key), 1))
    change()
    looks.look()
    is_problem(await request, 401, "key_revoked")


async def test_the_account_is_checked_again_when_the_wait_ends(
    reader: httpx.AsyncClient,
    database: Database,
    looks: Looks,
    clock: Clock,
    is_problem: Any,
) -> None:
    request = following(reader, await position(reader))
    await looks.begun()
    database.write(lambda connection: disable_account(connection, 1))
    clock.now += 50_000
    looks.look()
    is_problem(await request, 403, "account_disabled")


async def test_beyond_the_limit_requests_are_answered_at_once(
    reader: httpx.AsyncClient,
    looks: Looks,
    change: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert MOST_HELD == 2_000
    monkeypatch.setattr(held_requests, "MOST_HELD", 2)
    before = await position(reader)
    requests = [following(reader, before) for _ in range(3)]
    done, held = await asyncio.wait(requests, return_when=asyncio.FIRST_COMPLETED)
    (answer,) = (task.result() for task in done)
    assert answer.json()["next"] == before
    assert "Preference-Applied" not in answer.headers
    assert len(held) == 2
    change()
    looks.look()
    await asyncio.wait(held)
    # Their places are free again.
    assert "Preference-Applied" in (await following(reader, before)).headers


async def test_one_look_is_for_all_that_wait(
    reader: httpx.AsyncClient, looks: Looks, telemetry: Held, change: Any
) -> None:
    before = await position(reader)
    requests = [following(reader, before) for _ in range(20)]
    await until(lambda: telemetry.count == 20)
    await looks.begun()
    change(4)
    looks.look()
    answers = await asyncio.gather(*requests)
    assert looks.count == 1
    assert {answer.content for answer in answers} == {answers[0].content}
    assert [row["id"] for row in answers[0].json()["data"]] == ["4"]
    assert telemetry.count == 0


async def test_those_who_waited_get_what_they_asked_for(
    clients: Any, application: Any, looks: Looks, telemetry: Held, change: Any
) -> None:
    guests, keys = [], []
    for scopes in (SCOPES, tuple(scope for scope in SCOPES if scope != "messages:read")):
        keys.append(key := new_key())
        grant = KeyGrant(key_id(key), 1, frozenset(scopes))
        guests.append(EphemeralKey(key_hash(key), grant))
    app = application(ephemeral_keys=guests)
    sighted, blind = [await clients.client_of(app, key) for key in keys]
    before = await position(sighted)
    requests = [
        following(sighted, before),
        following(sighted, before, limit="1"),
        following(blind, before),
    ]
    await until(lambda: telemetry.count == 3)
    change(1, 2)
    looks.look()
    assert_each_has_what_it_may_read(await asyncio.gather(*requests))
    # While another request waits, those that need not wait share what was read as well.
    resting = following(sighted, await position(sighted))
    await until(lambda: telemetry.count == 1)
    for client, parameters in (sighted, {}), (sighted, {"limit": "1"}), (blind, {}):
        requests.append(following(client, before, **parameters))
    assert_each_has_what_it_may_read([await request for request in requests[3:]])
    change(1)
    looks.look()
    await resting


def assert_each_has_what_it_may_read(answers: list[httpx.Response]) -> None:
    whole, short, without = [answer.json() for answer in answers]
    assert [row["id"] for row in whole["data"]] == ["1", "2"]
    assert all("last_message" in row for row in whole["data"])
    assert ([row["id"] for row in short["data"]], short["has_more"]) == (["1"], True)
    assert [row["id"] for row in without["data"]] == ["1", "2"]
    assert not any("last_message" in row for row in without["data"])


async def test_hundreds_are_read_again_without_being_refused(
    clients: Any, application: Any, database: Database, looks: Looks, telemetry: Held, change: Any
) -> None:
    class Busy:
        at_once = True

        def read_inline(self, work: Any) -> Any:
            if self.at_once:
                return database.read_inline(work)
            raise WouldBlock

        def __getattr__(self, name: str) -> Any:
            return getattr(database, name)

    busy = Busy()
    key, guest = new_ephemeral_key(1)
    app = application(database=busy, ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    before = await position(client)
    requests = [following(client, before) for _ in range(200)]
    await until(lambda: telemetry.count == 200)
    await looks.begun()
    busy.at_once = False
    change()
    looks.look()
    answers = await asyncio.gather(*requests)
    assert {answer.status_code for answer in answers} == {200}


class Caller:
    """Calls the application as its server does, and may leave."""

    def __init__(self, app: Application, key: str, after: str) -> None:
        self.sent: list[Any] = []
        self.leave = asyncio.Event()
        self._begun = False
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": "/v1/changes",
            "raw_path": b"/v1/changes",
            "query_string": f"after={after}".encode(),
            "headers": [
                (b"host", b"inbox"),
                (b"authorization", f"Bearer {key}".encode()),
                (b"prefer", b"wait=50"),
            ],
            "server": ("inbox", 80),
            "client": ("192.0.2.1", 1),
        }
        self.request = asyncio.create_task(app(self._scope, self._receive, self._send))

    async def _receive(self) -> Any:
        if not self._begun:
            self._begun = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.leave.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)


async def test_who_has_gone_is_released_at_once(
    clients: Any, application: Any, looks: Looks, telemetry: Held
) -> None:
    key, guest = new_ephemeral_key(1)
    app = application(ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    caller = Caller(app, key, await position(client))
    await looks.begun()
    caller.leave.set()
    await caller.request
    assert (caller.sent, telemetry.count, looks.count) == ([], 0, 1)


async def test_who_goes_as_the_wait_ends_is_sent_nothing(
    clients: Any, application: Any, looks: Looks, change: Any
) -> None:
    key, guest = new_ephemeral_key(1)
    app = application(ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    caller = Caller(app, key, await position(client))
    await looks.begun()
    change()
    looks.look()
    caller.leave.set()
    await caller.request
    assert caller.sent == []


async def test_an_end_of_the_service_answers_all_and_holds_no_more(
    clients: Any, application: Any, looks: Looks, telemetry: Held
) -> None:
    key, guest = new_ephemeral_key(1)
    app = application(ephemeral_keys=[guest])
    client = await clients.client_of(app, key)
    before = await position(client)
    requests = [following(client, before) for _ in range(5)]
    await until(lambda: telemetry.count == 5)
    await looks.begun()
    app.release()
    for answer in await asyncio.gather(*requests):
        assert answer.json()["next"] == before
        assert answer.headers["Preference-Applied"] == "wait=50"
    assert "Preference-Applied" not in (await following(client, before)).headers
    assert looks.count == 1


class Failing:
    """A database whose next read fails."""

    def __init__(self, database: Database) -> None:
        self.error: Exception | None = None
        self._database = database

    def read_inline(self, work: Any) -> Any:
        error, self.error = self.error, None
        if error is not None:
            raise error
        return self._database.read_inline(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Unreachable("The database is away"), 503, "service_unavailable"),
        (ZeroDivisionError("a bug"), 500, "internal_error"),
    ],
)
async def test_a_look_that_fails_ends_what_is_held_and_the_next_request_is_held_again(
    clients: Any,
    application: Any,
    database: Database,
    looks: Looks,
    telemetry: Held,
    change: Any,
    is_problem: Any,
    error: Exception,
    status: int,
    code: str,
) -> None:
    failing = Failing(database)
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(application(database=failing, ephemeral_keys=[guest]), key)
    before = await position(client)
    requests = [following(client, before) for _ in range(2)]
    await until(lambda: telemetry.count == 2)
    await looks.begun()
    failing.error = error
    looks.look()
    for answer in await asyncio.gather(*requests):
        is_problem(answer, status, code)
        assert ("Retry-After" in answer.headers) == (status == 503)
    request = following(client, before)
    await looks.begun()
    change()
    looks.look()
    assert (await request).json()["data"]


async def test_a_look_that_is_refused_for_overload_comes_again(
    clients: Any, application: Any, database: Database, looks: Looks, change: Any
) -> None:
    failing = Failing(database)
    key, guest = new_ephemeral_key(1)
    client = await clients.client_of(application(database=failing, ephemeral_keys=[guest]), key)
    request = following(client, await position(client))
    await looks.begun()
    change()
    failing.error = too_busy(1)
    await looks.look_again()
    assert not request.done()
    looks.look()
    assert (await request).json()["data"]


async def test_a_standby_that_is_behind_is_read_again_with_each_look(
    database: Database, looks: Looks, clock: Clock
) -> None:
    reads = Reads(database, clock, Telemetry())
    held = HeldRequests(reads, clock, Telemetry(), looks)
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    ahead = Unchanged(1, database.read(lambda connection: revision(connection, 1)) + 1)
    with held.hold(50) as hold:
        assert hold is not None
        for _ in range(3):
            waiting = asyncio.create_task(held.wait(hold, ahead, gone))
            await looks.begun()
            assert not waiting.done()
            looks.look()
            await waiting
    reads.close()


async def test_who_waits_as_the_last_one_leaves_is_looked_for_too(
    inbox: None, database: Database, clock: Clock, looks: Looks
) -> None:
    """Within one turn of the event loop, in which the look for others is not cancelled yet."""
    reads = Reads(database, clock, Telemetry())
    held = HeldRequests(reads, clock, Telemetry(), looks)
    left, gone = (asyncio.get_running_loop().create_future() for _ in range(2))
    left.set_result(None)
    ahead = Unchanged(1, database.read(lambda connection: revision(connection, 1)) + 1)
    with held.hold(50) as hold:
        assert hold is not None

        async def leave_and_wait() -> None:
            await held.wait(hold, ahead, left)
            await held.wait(hold, ahead, gone)

        waiting = asyncio.create_task(leave_and_wait())
        # Turns of the loop: of the waits, of the look that is cancelled and of the next one.
        for _ in range(10):
            await asyncio.sleep(0)
        assert looks.count == 2
        looks.look()
        await waiting
    reads.close()


def test_a_body_is_read_once_for_those_who_waited_for_the_same(
    database: Database, clock: Clock, looks: Looks
) -> None:
    held = HeldRequests(Reads(database, clock, Telemetry()), clock, Telemetry(), looks)
    read: list[str] = []

    def body(text: str) -> JsonBody[Any]:
        read.append(text)
        return JsonBody(text.encode())

    with held.hold(50):
        for key in ("a", "b", "a", "b"):
            assert held.shared_body(key, lambda key=key: body(key)).json == key.encode()
        assert read == ["a", "b"]
    with held.hold(50):
        held.shared_body("a", lambda: body("a"))
    assert read == ["a", "b", "a"]


async def test_the_time_of_a_hold_is_no_latency(clock: Clock) -> None:
    class Seconds(Telemetry):
        value = 0.0

        def response(self, context: RequestContext, status: int, seconds: float) -> None:
            self.value = seconds

    context, seen = RequestContext(clock()), Seconds()

    async def held(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        context.held_seconds = 1_000_000.0
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ignore(message: Any) -> None:
        pass

    scope = {"type": "http", "method": "GET"}
    context.attach(scope)
    await ResponseObserver(held, None, seen)(scope, None, ignore)  # type: ignore[arg-type]
    assert seen.value < 0


async def test_the_requests_that_are_held_are_counted(
    clients: Any, application: Any, looks: Looks, change: Any
) -> None:
    metrics = ServiceMetrics()
    key, guest = new_ephemeral_key(1)
    app = application(ephemeral_keys=[guest], telemetry=metrics)
    client = await clients.client_of(app, key)
    request = following(client, await position(client))
    await looks.begun()
    assert metrics.registry.get_sample_value("frontdesk_held") == 1
    change()
    looks.look()
    await request
    assert metrics.registry.get_sample_value("frontdesk_held") == 0
