"""Limits of requests per key and of failures per address, and their headers."""

import subprocess
import sys
import threading

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_keys import keep

from frontdesk.service.api_keys import checksum, key_id, new_key
from frontdesk.service.app import Options, create_app
from frontdesk.service.rate_limit import (
    ROWS,
    SLOTS,
    WHOLE_COST,
    CounterValue,
    FailureLimit,
    KeyLimit,
    RateLimit,
    SharedCounters,
)
from frontdesk.store.accounts import revoke_key

ONE_A_SECOND = RateLimit(requests=60, seconds=60, burst=3)


class Timepiece:
    """A clock that a test sets, in epoch milliseconds."""

    def __init__(self, now: int) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def timepiece(now: int) -> Timepiece:
    return Timepiece(now)


@pytest.fixture
def limited(clients, database, timepiece):
    """Opens a client with a kept key of a service with this limit."""

    async def open_client(policy: RateLimit = ONE_A_SECOND, key: str | None = None):
        app = create_app(database, clock=timepiece, options=Options(rate_limit=policy))
        return await clients.client_of(app, key or keep(database))

    return open_client


def policy_and_limit(response: httpx.Response) -> tuple[str, str]:
    return response.headers["RateLimit-Policy"], response.headers["RateLimit"]


async def test_an_answer_says_what_is_left_to_its_key(limited):
    client = await limited(RateLimit())
    assert policy_and_limit(await client.get("/v1/labels")) == (
        '"default";q=600;w=60',
        '"default";r=119;t=1',
    )
    for _ in range(28):
        response = await client.get("/v1/labels")
    assert response.headers["RateLimit"] == '"default";r=91;t=3'


@pytest.mark.parametrize(
    "path", ["/v1/labels", "/v1/nope", "/v1/labels?limit=0", "/v1/conversations/7/messages"]
)
async def test_every_answer_to_a_key_has_the_limit(limited, path):
    response = await (await limited()).get(path)
    assert policy_and_limit(response) == ('"default";q=60;w=60', '"default";r=2;t=1')


async def test_an_answer_without_a_key_has_no_limit(clients):
    stranger = await clients.client_with(None)
    for path in ("/v1/labels", "/v2/labels", "/healthz"):
        assert "RateLimit" not in (await stranger.get(path)).headers


async def test_who_asks_too_often_learns_when_to_come_back(limited, timepiece, is_problem):
    client = await limited()
    for left in ("2;t=1", "1;t=2", "0;t=1"):
        response = await client.get("/v1/labels")
        assert response.status_code == 200
        assert response.headers["RateLimit"] == f'"default";r={left}'
    refused = await client.get("/v1/labels")
    document = is_problem(refused, 429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    assert document["retry_after"] == 1
    assert refused.headers["RateLimit"] == '"default";r=0;t=1'
    timepiece.now += 999
    is_problem(await client.get("/v1/labels"), 429, "rate_limited")
    timepiece.now += 1
    assert (await client.get("/v1/labels")).status_code == 200
    is_problem(await client.get("/v1/labels"), 429, "rate_limited")


async def test_a_slow_limit_never_asks_to_come_back_too_early(limited, timepiece):
    client = await limited(RateLimit(requests=7, seconds=100, burst=1))
    await client.get("/v1/labels")
    refused = await client.get("/v1/labels")
    assert refused.headers["Retry-After"] == "15"
    assert refused.headers["RateLimit"] == '"default";r=0;t=15'
    timepiece.now += 15_000
    assert (await client.get("/v1/labels")).status_code == 200


async def test_each_key_has_a_limit_of_its_own(clients, database, timepiece):
    app = create_app(database, clock=timepiece, options=Options(rate_limit=ONE_A_SECOND))
    first = await clients.client_of(app, keep(database))
    second = {"Authorization": f"Bearer {keep(database)}"}
    statuses = [(await first.get("/v1/labels")).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert (await first.get("/v1/labels", headers=second)).status_code == 200


async def test_an_unchanged_answer_costs_a_fifth(limited):
    client = await limited(RateLimit(requests=60, seconds=60, burst=10))
    tag = {"If-None-Match": (await client.get("/v1/labels")).headers["ETag"]}
    left = []
    for _ in range(10):
        response = await client.get("/v1/labels", headers=tag)
        assert response.status_code == 304
        left.append(response.headers["RateLimit"].partition("r=")[2].partition(";")[0])
    assert left == ["8", "8", "8", "8", "8", "7", "7", "7", "7", "7"]


async def test_an_unchanged_answer_is_refused_as_any_other_when_nothing_is_left(
    limited, is_problem
):
    client = await limited(RateLimit(requests=60, seconds=60, burst=1))
    tag = {"If-None-Match": (await client.get("/v1/labels")).headers["ETag"]}
    is_problem(await client.get("/v1/labels", headers=tag), 429, "rate_limited")


async def test_the_limit_comes_after_the_key_and_before_everything_else(
    limited, database, is_problem
):
    client = await limited(RateLimit(requests=60, seconds=60, burst=1), keep(database, scopes=()))
    is_problem(await client.get("/v1/labels"), 403, "insufficient_scope")
    is_problem(await client.get("/v1/nope"), 429, "rate_limited")
    is_problem(await client.post("/v1/labels"), 429, "rate_limited")
    other = {"Authorization": "Bearer nonsense"}
    is_problem(await client.get("/v1/labels", headers=other), 401, "invalid_key")


async def test_zero_is_no_limit(limited):
    client = await limited(RateLimit(requests=0, burst=1))
    for _ in range(5):
        response = await client.get("/v1/labels")
        assert response.status_code == 200
        assert "RateLimit" not in response.headers


async def test_an_ephemeral_key_has_no_limit(client):
    for _ in range(200):
        response = await client.get("/v1/labels")
    assert response.status_code == 200
    assert "RateLimit" not in response.headers


def test_a_clock_that_is_set_back_takes_nothing_away():
    limit = KeyLimit(ONE_A_SECOND, SharedCounters())
    limit.take("key", 10_000_000)
    allowance = limit.take("key", 5_000_000)
    assert allowance is not None
    assert allowance.remaining == 1


@given(st.lists(st.tuples(st.integers(0, 5_000), st.booleans()), max_size=60))
def test_no_pattern_of_asking_gets_more_than_the_burst_and_what_flowed_in(steps):
    counters = SharedCounters()
    limit = KeyLimit(ONE_A_SECOND, counters)
    now, granted, spent = 1_000_000, 0, 0.0
    start = now
    for pause, unchanged in steps:
        now += pause
        allowance = limit.take("key", now)
        assert allowance is not None
        if allowance.granted:
            granted += 1
            spent += WHOLE_COST
            if unchanged:
                limit.give_back("key", 0.8, now)
                spent -= 0.8
        else:
            later = limit.take("key", now + allowance.wait * 1000)
            assert later is not None
            assert later.granted
            now += allowance.wait * 1000
            spent += WHOLE_COST
        assert spent <= ONE_A_SECOND.burst + (now - start) / 1000 + 1e-3
    counters.close()


async def attempt(client: httpx.AsyncClient, key: str) -> httpx.Response:
    return await client.get("/v1/labels", headers={"Authorization": f"Bearer {key}"})


@pytest.fixture
async def stranger(clients, database, timepiece):
    return await clients.client_of(create_app(database, clock=timepiece), None)


async def test_an_address_with_too_many_bad_keys_has_to_wait(stranger, timepiece, is_problem):
    for _ in range(20):
        is_problem(await attempt(stranger, new_key()), 401, "invalid_key")
        timepiece.now += 100
    refused = await attempt(stranger, new_key())
    document = is_problem(refused, 429, "too_many_auth_failures")
    assert refused.headers["Retry-After"] == "58"
    assert document["retry_after"] == 58
    timepiece.now += 57_999
    is_problem(await attempt(stranger, "nonsense"), 429, "too_many_auth_failures")
    timepiece.now += 1
    is_problem(await attempt(stranger, new_key()), 401, "invalid_key")


async def test_while_it_waits_even_a_right_guess_is_not_looked_at(stranger, database, is_problem):
    for _ in range(20):
        await attempt(stranger, new_key())
    is_problem(await attempt(stranger, keep(database)), 429, "too_many_auth_failures")


async def test_a_key_that_was_good_lately_is_still_let_in(stranger, database):
    key = keep(database)
    assert (await attempt(stranger, key)).status_code == 200
    for _ in range(30):
        await attempt(stranger, new_key())
    assert (await attempt(stranger, key)).status_code == 200


async def test_another_secret_for_a_familiar_key_is_refused(stranger, database, is_problem):
    key = keep(database)
    await attempt(stranger, key)
    for _ in range(20):
        await attempt(stranger, new_key())
    body = key[:16] + new_key()[16:56]
    is_problem(await attempt(stranger, body + checksum(body)), 401, "invalid_key")


async def test_a_revoked_key_that_keeps_asking_counts_as_a_failure(
    stranger, database, now, is_problem
):
    key = keep(database)
    database.write(lambda connection: revoke_key(connection, key_id(key), now))
    for _ in range(20):
        is_problem(await attempt(stranger, key), 401, "key_revoked")
    is_problem(await attempt(stranger, key), 429, "too_many_auth_failures")


async def test_to_send_no_key_is_no_failure(stranger, is_problem):
    for _ in range(30):
        is_problem(await stranger.get("/v1/labels"), 401, "missing_credentials")


async def test_addresses_wait_each_for_themselves(clients, database, timepiece, is_problem):
    app = create_app(database, clock=timepiece)
    await clients.client_of(app, None)

    async def from_address(address: str | None) -> httpx.Response:
        transport = httpx.ASGITransport(app, client=address and (address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://inbox") as client:
            return await attempt(client, new_key())

    for _ in range(21):
        response = await from_address("192.0.2.1")
    is_problem(response, 429, "too_many_auth_failures")
    is_problem(await from_address("192.0.2.2"), 401, "invalid_key")
    # Whoever has no address, as behind the socket of a proxy.
    for _ in range(20):
        is_problem(await from_address(None), 401, "invalid_key")
    is_problem(await from_address(None), 429, "too_many_auth_failures")
    is_problem(await from_address("192.0.2.2"), 401, "invalid_key")


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("", "192.0.2.1", False),
    ],
)
def test_a_network_of_one_customer_counts_as_one_address(one, other, shared):
    failures = FailureLimit(SharedCounters())
    for _ in range(20):
        failures.add(one, 1_000)
    assert failures.wait(one, 1_000) == 60
    assert (failures.wait(other, 1_000) > 0) == shared


def test_a_clock_that_is_set_back_locks_nobody_out():
    failures = FailureLimit(SharedCounters())
    for _ in range(20):
        failures.add("192.0.2.1", 5_000_000)
    assert failures.wait("192.0.2.1", 1_000_000) == 0


def test_rate_counters_take_bounded_space_and_keep_the_newest():
    counters = SharedCounters()
    for number in range(ROWS * SLOTS * 2):
        counters.update(f"address {number}", lambda known, at=number: CounterValue(1, at + 1))
    kept = [number for number in range(ROWS * SLOTS * 2) if counters.get(f"address {number}")]
    assert len(kept) <= ROWS * SLOTS
    newest = range(ROWS * SLOTS * 2 - 100, ROWS * SLOTS * 2)
    assert set(newest) <= set(kept)
    counters.close()


def counted(known: CounterValue | None) -> CounterValue:
    return CounterValue(1 if known is None else known.amount + 1, 1)


def test_threads_count_together():
    counters = SharedCounters()
    threads = [
        threading.Thread(target=lambda: [counters.update("x", counted) for _ in range(500)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = counters.get("x")
    assert found is not None
    assert found.amount == 2_000
    counters.close()


PROCESSES = """
import os
import threading
from frontdesk.service.rate_limit import RateLimits
from frontdesk.service.rate_limit import RateLimit

limits = RateLimits(RateLimit(requests=1, seconds=3600, burst=10000), shared=True)

def ask():
    for _ in range(200):
        limits.keys.take("key", 1000)

def fail():
    for _ in range(200):
        limits.failures.add("192.0.2.1", 1000)

def work():
    threads = [threading.Thread(target=one) for one in (ask, ask, fail, fail)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

def die():
    limits._tables[0].update("key", lambda known: os._exit(0))

for one in (work, die, work, work):
    if not os.fork():
        one()
        os._exit(0)
for _ in range(4):
    os.wait()
print(limits.keys.take("key", 1000).remaining)
print(int(limits._tables[1].get("192.0.2.1").amount))
limits.close()
"""


def test_processes_count_together_and_one_that_dies_holds_nobody_up():
    ended = subprocess.run(
        [sys.executable, "-c", PROCESSES], capture_output=True, text=True, check=False
    )
    asked = 3 * 2 * 200
    assert (ended.stdout, ended.stderr) == (f"{10_000 - asked - 1}\n{asked}\n", "")
