"""The webhook receiver: who is let in, what is stored before it is acknowledged."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from types import SimpleNamespace
from typing import Any, TypeVar

import httpx
import pytest
from tests.patience import HANG_SECONDS
from tests.service.webhook_receivers import (
    BODY,
    PATH,
    SECRET,
    TOKEN,
    IsProblem,
    ReceiverHarness,
    handshake,
    kept,
    signature,
    signed,
)

from frontdesk.errors import Unreachable
from frontdesk.service.request_bodies import BodyLimits
from frontdesk.service.webhooks import receiver as receiver_module
from frontdesk.service.webhooks.receiver import WebhookSecret, WebhookSecrets
from frontdesk.store.database import Connection, Database

T = TypeVar("T")

# Of a body, of all bodies that are being received, and of those that are being stored.
MOST_BYTES, MOST_BYTES_AT_ONCE, MOST_AT_ONCE = 4 * 2**20, 64 * 2**20, 32


async def test_the_challenge_comes_back_verbatim_to_who_knows_the_token(harness: ReceiverHarness):
    response = await harness.client.get(PATH, params=handshake())
    assert (response.status_code, response.text) == (200, "115&8 2é")
    assert response.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    "query", [handshake("another"), handshake(""), handshake(mode="unsubscribe"), {}]
)
async def test_no_challenge_comes_back_to_anybody_else(
    harness: ReceiverHarness, is_problem: IsProblem, query: dict[str, str]
):
    is_problem(await harness.client.get(PATH, params=query), 403, "verify_token_mismatch")


async def test_a_signed_body_is_stored_as_received_and_acknowledged(
    harness: ReceiverHarness, database: Database
):
    response = await harness.client.post(PATH, **signed(BODY))
    assert (response.status_code, response.content) == (200, b"")
    assert kept(database) == [BODY]
    assert harness.stored == 1


async def test_the_same_body_again_is_acknowledged_and_not_stored(
    harness: ReceiverHarness, database: Database
):
    for _ in range(3):
        assert (await harness.client.post(PATH, **signed(BODY))).status_code == 200
    assert kept(database) == [BODY]
    assert harness.stored == 1


async def test_bodies_that_cannot_be_stored_are_counted_and_said_once(
    harness: ReceiverHarness,
    database: Database,
    is_problem: IsProblem,
    caplog: pytest.LogCaptureFixture,
):
    def limit(pages: int) -> None:
        database.write(lambda connection: connection.run(f"PRAGMA max_page_count = {pages}"))

    def counted(outcome: str) -> float | None:
        name = "frontdesk_webhooks_total"
        return harness.metrics.registry.get_sample_value(name, {"outcome": outcome})

    def writable() -> float | None:
        return harness.metrics.registry.get_sample_value("frontdesk_database_writable")

    large = json.dumps({"object": "x" * 500_000}).encode()
    limit(1)
    for _ in range(3):
        response = await harness.client.post(PATH, **signed(large))
        is_problem(response, 503, "service_unavailable")
    assert (counted("service_unavailable"), writable()) == (3, 0)
    limit(1_000_000)
    assert (await harness.client.post(PATH, **signed(large))).status_code == 200
    assert (counted("stored"), writable()) == (1, 1)
    first, last = caplog.messages
    assert first.startswith("Webhooks are refused, for they cannot be stored: The database cannot")
    assert last == "Webhooks are stored again"


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "sha256=",
        "sha256=" + 64 * "0",
        signature(BODY, "another secret"),
        signature(BODY + b" "),
        signature(BODY).removeprefix("sha256="),
        signature(BODY) + "0",
        "sha1=" + signature(BODY),
    ],
)
async def test_webhooks_without_a_valid_signature_are_not_stored(
    harness: ReceiverHarness, database: Database, is_problem: IsProblem, given: str | None
):
    headers = {"Content-Type": "application/json"}
    if given is not None:
        headers["X-Hub-Signature-256"] = given
    response = await harness.client.post(PATH, content=BODY, headers=headers)
    is_problem(response, 401, "invalid_signature")
    assert kept(database) == []


async def test_the_signature_is_of_the_bytes_and_not_of_what_they_say(
    harness: ReceiverHarness, database: Database, is_problem: IsProblem
):
    rewritten = json.dumps(json.loads(BODY)).encode()
    assert rewritten != BODY
    headers = signed(BODY)["headers"]
    response = await harness.client.post(PATH, content=rewritten, headers=headers)
    is_problem(response, 401, "invalid_signature")


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"text"', b"\xff{}", b"<html>", "{}".encode("utf-16")]
)
async def test_a_signed_body_that_is_no_json_object_is_refused(
    harness: ReceiverHarness, database: Database, is_problem: IsProblem, body: bytes
):
    is_problem(await harness.client.post(PATH, **signed(body)), 400, "invalid_json")
    assert kept(database) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"a":' * 50_000 + b"1" + b"}" * 50_000, id="deep"),
        pytest.param(b'{"n":' + b"9" * 5_000 + b"}", id="long number"),
        pytest.param(b'{"t":"\\u0000\\ud800"}', id="odd characters"),
        b"{}",
    ],
)
async def test_a_signed_body_that_is_hard_to_read_is_kept_to_be_looked_at(
    harness: ReceiverHarness, database: Database, body: bytes
):
    assert (await harness.client.post(PATH, **signed(body))).status_code == 200
    assert kept(database) == [body]


async def test_only_json_is_taken(harness: ReceiverHarness, is_problem: IsProblem):
    posted = signed(BODY, **{"Content-Type": "text/plain"})
    is_problem(await harness.client.post(PATH, **posted), 415, "unsupported_media_type")
    posted = signed(BODY, **{"Content-Type": "Application/JSON; charset=utf-8"})
    assert (await harness.client.post(PATH, **posted)).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "PATCH"])
async def test_other_methods_are_refused(harness: ReceiverHarness, method: str):
    response = await harness.client.request(method, PATH)
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, POST")


async def in_parts(size: int) -> AsyncIterator[bytes]:
    for _ in range(0, size, 65_536):
        yield b" " * 65_536


async def test_a_body_in_chunks_is_taken_up_to_the_limit(
    harness: ReceiverHarness, database: Database, is_problem: IsProblem
):
    padding = MOST_BYTES - len(BODY)
    headers = signed(b" " * padding + BODY)["headers"]

    async def largest() -> AsyncIterator[bytes]:
        yield b" " * padding
        yield BODY

    response = await harness.client.post(PATH, content=largest(), headers=headers)
    assert response.status_code == 200
    assert len(kept(database)[0]) == MOST_BYTES
    response = await harness.client.post(PATH, content=in_parts(MOST_BYTES + 1), headers=headers)
    is_problem(response, 413, "payload_too_large")


async def test_a_body_that_does_not_end_in_time_is_given_up(
    harness: ReceiverHarness,
    database: Database,
    is_problem: IsProblem,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(receiver_module, "LIMITS", BodyLimits(receiver_module.MOST_BYTES, 0.01))

    async def endless() -> AsyncIterator[bytes]:
        yield BODY
        await asyncio.Event().wait()

    headers = signed(BODY)["headers"]
    response = await harness.client.post(PATH, content=endless(), headers=headers)
    is_problem(response, 408, "request_timeout")
    assert kept(database) == []


async def test_of_a_body_that_does_not_come_whole_nothing_is_stored(
    harness: ReceiverHarness, database: Database
):
    sent: list[Any] = []
    parts: list[dict[str, Any]] = [
        {"type": "http.request", "body": BODY, "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return parts.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (name.lower().encode(), value.encode())
        for name, value in {"Host": "inbox", **signed(BODY)["headers"]}.items()
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": PATH,
        "query_string": b"",
    }
    await harness.receiver({**scope, "headers": headers}, receive, send)  # type: ignore[arg-type]
    assert sent[0]["status"] == 400
    assert json.loads(sent[1]["body"])["code"] == "malformed_request"
    assert kept(database) == []


async def unsent(begun: asyncio.Semaphore, *sent: bytes) -> AsyncIterator[bytes]:
    """A body that begins and does not end."""
    for part in sent:
        yield part
    begun.release()
    await asyncio.Event().wait()


@asynccontextmanager
async def posting(clients: Sequence[httpx.AsyncClient], *sent: bytes) -> AsyncIterator[None]:
    """Meanwhile each of these has begun to send a body."""
    begun = asyncio.Semaphore(0)
    headers = signed(BODY)["headers"]
    tasks = [
        asyncio.create_task(client.post(PATH, content=unsent(begun, *sent), headers=headers))
        for client in clients
    ]
    async with asyncio.timeout(HANG_SECONDS):
        for _ in tasks:
            await begun.acquire()
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_bodies_that_are_promised_and_not_sent_keep_no_delivery_out(harness: ReceiverHarness):
    async with posting([harness.client] * 3 * MOST_AT_ONCE):
        assert (await harness.client.post(PATH, **signed(BODY))).status_code == 200
        assert (await harness.client.get(PATH, params=handshake())).status_code == 200


@pytest.mark.parametrize("same", ["192.0.2.1", "::ffff:192.0.2.1"])
async def test_one_client_cannot_take_the_memory_for_the_bodies_of_all(
    harness: ReceiverHarness, is_problem: IsProblem, same: str
):
    one, again, other = map(harness.client_from, ("192.0.2.1", same, "192.0.2.2"))
    half = MOST_BYTES_AT_ONCE // MOST_BYTES // 2
    large = b" " * (MOST_BYTES - len(BODY)) + BODY
    async with posting([one] * half, b" " * MOST_BYTES):
        refused = await again.post(PATH, **signed(large))
        is_problem(refused, 503, "service_unavailable")
        assert refused.headers["Retry-After"] == "5"
        assert (await again.post(PATH, **signed(BODY))).status_code == 200
        assert (await other.post(PATH, **signed(BODY))).status_code == 200
        assert (await again.get(PATH, params=handshake())).status_code == 200
    assert (await again.post(PATH, **signed(BODY))).status_code == 200


@pytest.mark.parametrize("signature", [None, "", "sha256=", "sha1=" + "0" * 40])
async def test_a_body_without_the_form_of_a_signature_is_refused_before_it_comes(
    harness: ReceiverHarness, is_problem: IsProblem, signature: str | None
):
    sent: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        sent.append(b" ")
        yield b" "

    headers = dict(signed(BODY)["headers"])
    headers.pop("X-Hub-Signature-256", None)
    if signature is not None:
        headers["X-Hub-Signature-256"] = signature
    response = await harness.client.post(PATH, content=body(), headers=headers)
    is_problem(response, 401, "invalid_signature")
    assert sent == []


async def test_a_delivery_waits_for_a_turn_to_be_stored(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(receiver_module, "STORING_SECONDS", HANG_SECONDS)
    gated = Gated(database)
    harness = ReceiverHarness(gated, WebhookSecrets(WebhookSecret(SECRET, TOKEN)))
    one = harness.client_from("192.0.2.1")
    half = MOST_AT_ONCE // 2
    posts = [asyncio.create_task(one.post(PATH, **signed(BODY))) for _ in range(half + 3)]
    for _ in range(100):
        await asyncio.sleep(0)
    gated.gate.set()
    statuses = [response.status_code for response in await asyncio.gather(*posts)]
    assert statuses == [200] * (half + 3)
    await harness.close()


async def test_many_clients_together_are_bound_by_the_memory_for_all(
    harness: ReceiverHarness, is_problem: IsProblem
):
    everyone = [harness.client_from(f"192.0.2.{number}") for number in range(17)]
    async with posting(everyone[:-1], b" " * MOST_BYTES):
        refused = await everyone[-1].post(PATH, **signed(BODY))
        is_problem(refused, 503, "service_unavailable")
        assert (await everyone[-1].get(PATH, params=handshake())).status_code == 200


async def test_a_body_that_is_too_large_takes_no_memory_while_it_is_discarded(
    harness: ReceiverHarness,
):
    async with posting([harness.client] * 20, b" " * MOST_BYTES, b" "):
        assert (await harness.client.post(PATH, **signed(BODY))).status_code == 200


async def test_one_client_cannot_take_all_turns_to_store(
    database: Database, is_problem: IsProblem, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(receiver_module, "STORING_SECONDS", 0.0)
    gated = Gated(database)
    harness = ReceiverHarness(gated, WebhookSecrets(WebhookSecret(SECRET, TOKEN)))
    one, other = map(harness.client_from, ("192.0.2.1", "192.0.2.2"))
    posts = [asyncio.create_task(one.post(PATH, **signed(BODY))) for _ in range(MOST_AT_ONCE)]
    half = MOST_AT_ONCE // 2
    for refused in islice(asyncio.as_completed(posts, timeout=HANG_SECONDS), half):
        is_problem(await refused, 503, "service_unavailable")
    posts.append(asyncio.create_task(other.post(PATH, **signed(BODY))))
    gated.gate.set()
    statuses = [response.status_code for response in await asyncio.gather(*posts)]
    assert (statuses.count(200), statuses[-1]) == (half + 1, 200)
    await harness.close()


class Gated:
    """A database that takes writes only once its gate is open."""

    def __init__(self, database: Database) -> None:
        self.gate = threading.Event()
        self.database = database

    def write(self, work: Callable[[Connection], T]) -> T:
        assert self.gate.wait(HANG_SECONDS)
        return self.database.write(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.database, name)


class Unwritable:
    """A database that is read but takes no writes."""

    def __init__(self, database: Database) -> None:
        self.read = self.read_latest = database.read
        self.is_engine_fault = database.is_engine_fault

    def write(self, work: object) -> Any:
        raise Unreachable("The disk is full", retry_after=7)

    def close(self) -> None:
        pass


async def test_a_webhook_that_cannot_be_stored_is_not_acknowledged(
    database: Database, is_problem: IsProblem
):
    harness = ReceiverHarness(Unwritable(database), WebhookSecrets(WebhookSecret(SECRET, TOKEN)))
    response = await harness.client.post(PATH, **signed(BODY))
    is_problem(response, 503, "service_unavailable")
    assert response.headers["Retry-After"] == "7"
    assert harness.stored == 0
    await harness.close()


class WatchedLock:
    """A lock that says when somebody waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_awaited = False

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.is_awaited = True
            self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()


async def test_what_is_counted_last_is_what_was_so_last(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    """A body is stored while it is counted that the one before was not."""

    class FailingOnce(Gated):
        def write(self, work: Callable[[Connection], T]) -> T:
            if self.gate.is_set():
                return self.database.write(work)
            self.gate.set()
            raise Unreachable("The disk is full")

    lock, counted = WatchedLock(), [True]
    counting, goes_on = threading.Event(), threading.Event()

    def count(writable: bool) -> None:
        if not writable:
            counting.set()
            assert goes_on.wait(HANG_SECONDS)
        counted.append(writable)

    monkeypatch.setattr(receiver_module, "threading", SimpleNamespace(Lock=lambda: lock))
    secrets = WebhookSecrets(WebhookSecret(SECRET, TOKEN))
    harness = ReceiverHarness(FailingOnce(database), secrets)
    monkeypatch.setattr(harness.metrics, "writable", count)
    refused = asyncio.create_task(harness.client.post(PATH, **signed(BODY)))
    while not counting.is_set():  # noqa: ASYNC110
        await asyncio.sleep(0)
    stored = asyncio.create_task(harness.client.post(PATH, **signed(BODY)))
    while not (stored.done() or lock.is_awaited):  # noqa: ASYNC110
        await asyncio.sleep(0)
    goes_on.set()
    assert [(await one).status_code for one in (refused, stored)] == [503, 200]
    assert counted == [True, False, True]
    await harness.close()


@pytest.mark.parametrize("path", ["/webhooks", "/webhooks/other", f"{PATH}/a/b", "/v1/labels", "/"])
async def test_other_paths_are_404(harness: ReceiverHarness, is_problem: IsProblem, path: str):
    is_problem(await harness.client.post(path, **signed(BODY)), 404, "route_not_found")


async def test_the_log_records_it_without_what_was_sent(harness: ReceiverHarness):
    await harness.client.post(PATH, **signed(BODY))
    await harness.client.get(f"{PATH}/default", params=handshake("guessed"))
    posted, shaken = map(json.loads, harness.log.getvalue().splitlines())
    assert (posted["route"], posted["status"], posted["code"]) == (PATH, 200, None)
    assert (shaken["route"], shaken["code"]) == (f"{PATH}/{{account}}", "verify_token_mismatch")
    assert "guessed" not in harness.log.getvalue()


async def test_of_the_headers_only_those_that_say_who_sent_it_are_stored(
    harness: ReceiverHarness, database: Database
):
    posted = signed(BODY, **{"User-Agent": "m" * 513, "X-Other": "secret"})
    await harness.client.post(PATH, **posted)
    (row,) = database.read(lambda c: c.rows("SELECT headers_json FROM raw_event"))
    assert json.loads(row["headers_json"]) == {
        "content-type": "application/json",
        "user-agent": "m" * 512,
        "x-hub-signature-256": posted["headers"]["X-Hub-Signature-256"],
    }


async def test_answers_are_not_kept_by_caches(harness: ReceiverHarness):
    shaken = await harness.client.get(PATH, params=handshake())
    posted = await harness.client.post(PATH, **signed(BODY))
    for response in (shaken, posted):
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(("size", "closes"), [(MOST_BYTES + 65_536, False), (2**24 + 1, True)])
async def test_of_a_body_that_is_too_large_so_much_is_read_that_the_sender_learns_it(
    harness: ReceiverHarness, is_problem: IsProblem, size: int, closes: bool
):
    headers = signed(BODY)["headers"]
    response = await harness.client.post(PATH, content=in_parts(size), headers=headers)
    document = is_problem(response, 413, "payload_too_large")
    assert document["detail"] == "A body may have 4194304 bytes."
    assert (response.headers.get("Connection") == "close") == closes


async def test_a_body_may_be_discarded_up_to_16_mebibytes(harness: ReceiverHarness):
    headers = signed(BODY)["headers"]
    response = await harness.client.post(PATH, content=in_parts(2**24), headers=headers)
    assert (response.status_code, response.headers.get("Connection")) == (413, None)


async def test_a_sender_that_is_too_slow_is_told_the_time(
    harness: ReceiverHarness, is_problem: IsProblem, monkeypatch: pytest.MonkeyPatch
):
    async def endless() -> AsyncIterator[bytes]:
        yield BODY
        await asyncio.Event().wait()

    monkeypatch.setattr(receiver_module, "LIMITS", BodyLimits(receiver_module.MOST_BYTES, 0.01))
    response = await harness.client.post(PATH, content=endless(), headers=signed(BODY)["headers"])
    document = is_problem(response, 408, "request_timeout")
    assert document["detail"] == "A body has to come within 0.01 seconds."
    assert response.headers["Connection"] == "close"


@pytest.mark.parametrize(
    ("secret", "given", "fits"),
    [
        (SECRET, signature(BODY), True),
        (SECRET, signature(BODY).upper().replace("SHA", "sha"), True),
        (SECRET, signature(BODY, "x"), False),
        (SECRET, "", False),
        ("", signature(BODY, ""), False),
        (None, "", True),
    ],
)
def test_a_signature_is_that_of_the_body_by_the_secret(secret: str | None, given: str, fits: bool):
    assert WebhookSecret(secret).verify_signature(BODY, given.encode()) is fits


def test_an_account_has_its_own_secrets_else_the_common_ones_else_none():
    own, common = WebhookSecret("a", "b"), WebhookSecret("c", "d")
    agreed = WebhookSecrets(common, {"shop": own})
    assert (agreed.for_account("shop"), agreed.for_account("other")) == (own, common)
    nothing = WebhookSecrets().for_account("other")
    assert not nothing.matches_token("")
    assert not nothing.verify_signature(BODY, b"")
    assert nothing != WebhookSecrets().for_account("other")
