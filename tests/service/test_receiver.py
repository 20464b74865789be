"""The webhook receiver: who is let in, what is stored before it is acknowledged."""

import asyncio
import hashlib
import hmac
import io
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from frontdesk.errors import Unreachable
from frontdesk.service import receiver as receiver_module
from frontdesk.service.access_log import AccessLog
from frontdesk.service.agreements import Agreement, Agreements
from frontdesk.service.app import create_app
from frontdesk.service.doors import Doors
from frontdesk.service.options import PROBLEM_BASE_URI
from frontdesk.service.receiver import MOST_AT_ONCE, MOST_BYTES, Receiver
from frontdesk.store import raw_events
from frontdesk.store.accounts import add_account, disable_account
from frontdesk.store.database import Connection, Database

NOW = 1_773_480_600_000
SECRET, TOKEN = "an app's secret", "a verify token"
PATH = "/webhooks/whatsapp"
BODY = b'{"object": "whatsapp_business_account", "entry": [{"text": "\\u00e9\\/\\ud83d\\ude00"}]}'

IsProblem = Callable[[httpx.Response, int, str], dict[str, object]]


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def signed(body: bytes, secret: str = SECRET, **headers: str) -> dict[str, Any]:
    """What to post for Meta to have sent it."""
    given = {"Content-Type": "application/json", "X-Hub-Signature-256": signature(body, secret)}
    return {"content": body, "headers": {**given, **headers}}


def handshake(token: str = TOKEN, mode: str = "subscribe") -> dict[str, str]:
    return {"hub.mode": mode, "hub.verify_token": token, "hub.challenge": "115&8 2é"}


class Station:
    """A receiver over a database, and how often it told that something was stored."""

    def __init__(self, database: Database, agreements: Agreements) -> None:
        self.log = io.StringIO()
        self.stored = 0
        self.receiver = Receiver(
            database,
            agreements,
            stored=self._note,
            clock=lambda: NOW,
            problem_base_uri=PROBLEM_BASE_URI,
            access_log=AccessLog(self.log),
        )
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.receiver), base_url="http://inbox"
        )

    def _note(self) -> None:
        self.stored += 1

    async def close(self) -> None:
        await self.client.aclose()
        self.receiver.close()


@pytest.fixture
async def station(database: Database) -> AsyncIterator[Station]:
    station = Station(database, Agreements(Agreement(SECRET, TOKEN)))
    yield station
    await station.close()


def kept(database: Database, account_id: int = 1) -> list[bytes]:
    rows = database.read(
        lambda connection: raw_events.waiting(connection, account_id, 100, 100_000_000)
    )
    return [bytes(row["body"]) for row in rows]


async def test_the_challenge_comes_back_verbatim_to_who_knows_the_token(station: Station):
    response = await station.client.get(PATH, params=handshake())
    assert (response.status_code, response.text) == (200, "115&8 2é")
    assert response.headers["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize(
    "query", [handshake("another"), handshake(""), handshake(mode="unsubscribe"), {}]
)
async def test_no_challenge_comes_back_to_anybody_else(
    station: Station, is_problem: IsProblem, query: dict[str, str]
):
    is_problem(await station.client.get(PATH, params=query), 403, "verify_token_mismatch")


async def test_what_is_signed_is_stored_as_it_came_and_told(station: Station, database: Database):
    response = await station.client.post(PATH, **signed(BODY))
    assert (response.status_code, response.content) == (200, b"")
    assert kept(database) == [BODY]
    assert station.stored == 1


async def test_the_same_body_again_is_acknowledged_and_not_stored(
    station: Station, database: Database
):
    for _ in range(3):
        assert (await station.client.post(PATH, **signed(BODY))).status_code == 200
    assert kept(database) == [BODY]
    assert station.stored == 1


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
async def test_what_is_not_signed_by_the_secret_is_not_stored(
    station: Station, database: Database, is_problem: IsProblem, given: str | None
):
    headers = {"Content-Type": "application/json"}
    if given is not None:
        headers["X-Hub-Signature-256"] = given
    response = await station.client.post(PATH, content=BODY, headers=headers)
    is_problem(response, 401, "invalid_signature")
    assert kept(database) == []


async def test_the_signature_is_of_the_bytes_and_not_of_what_they_say(
    station: Station, database: Database, is_problem: IsProblem
):
    rewritten = json.dumps(json.loads(BODY)).encode()
    assert rewritten != BODY
    headers = signed(BODY)["headers"]
    response = await station.client.post(PATH, content=rewritten, headers=headers)
    is_problem(response, 401, "invalid_signature")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"\xff{}", b"<html>"])
async def test_a_signed_body_that_is_no_json_object_is_refused(
    station: Station, database: Database, is_problem: IsProblem, body: bytes
):
    is_problem(await station.client.post(PATH, **signed(body)), 400, "invalid_json")
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
    station: Station, database: Database, body: bytes
):
    assert (await station.client.post(PATH, **signed(body))).status_code == 200
    assert kept(database) == [body]


async def test_only_json_is_taken(station: Station, is_problem: IsProblem):
    posted = signed(BODY, **{"Content-Type": "text/plain"})
    is_problem(await station.client.post(PATH, **posted), 415, "unsupported_media_type")
    posted = signed(BODY, **{"Content-Type": "Application/JSON; charset=utf-8"})
    assert (await station.client.post(PATH, **posted)).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD", "PATCH"])
async def test_other_methods_are_refused(station: Station, method: str):
    response = await station.client.request(method, PATH)
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, POST")


async def in_parts(size: int) -> AsyncIterator[bytes]:
    for _ in range(0, size, 65_536):
        yield b" " * 65_536


async def test_a_body_in_chunks_is_taken_up_to_the_limit(
    station: Station, database: Database, is_problem: IsProblem
):
    padding = MOST_BYTES - len(BODY)
    headers = signed(b" " * padding + BODY)["headers"]

    async def largest() -> AsyncIterator[bytes]:
        yield b" " * padding
        yield BODY

    response = await station.client.post(PATH, content=largest(), headers=headers)
    assert response.status_code == 200
    assert len(kept(database)[0]) == MOST_BYTES
    response = await station.client.post(PATH, content=in_parts(MOST_BYTES + 1), headers=headers)
    is_problem(response, 413, "payload_too_large")


async def test_a_body_that_does_not_end_in_time_is_given_up(
    station: Station, database: Database, is_problem: IsProblem, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(receiver_module, "BODY_SECONDS", 0.01)

    async def endless() -> AsyncIterator[bytes]:
        yield BODY
        await asyncio.Event().wait()

    headers = signed(BODY)["headers"]
    response = await station.client.post(PATH, content=endless(), headers=headers)
    is_problem(response, 408, "request_timeout")
    assert kept(database) == []


async def test_a_sender_who_leaves_half_way_leaves_nothing(station: Station, database: Database):
    sent: list[object] = []
    parts: list[dict[str, Any]] = [
        {"type": "http.request", "body": BODY, "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return parts.pop(0)

    async def send(message: object) -> None:
        sent.append(message)

    headers = [
        (name.lower().encode(), value.encode()) for name, value in signed(BODY)["headers"].items()
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "query_string": b"",
        "headers": headers,
    }
    await station.receiver({**scope, "headers": headers}, receive, send)  # type: ignore[arg-type]
    assert sent == []
    assert kept(database) == []


async def test_more_bodies_than_are_held_at_once_are_told_to_come_again(
    station: Station, is_problem: IsProblem
):
    may_end, inside = asyncio.Event(), asyncio.Semaphore(0)

    async def held() -> AsyncIterator[bytes]:
        inside.release()
        await may_end.wait()
        yield BODY

    headers = signed(BODY)["headers"]
    posting = [
        asyncio.create_task(station.client.post(PATH, content=held(), headers=headers))
        for _ in range(MOST_AT_ONCE)
    ]
    async with asyncio.timeout(20):
        for _ in posting:
            await inside.acquire()
    refused = await station.client.post(PATH, **signed(BODY))
    is_problem(refused, 503, "service_unavailable")
    assert int(refused.headers["Retry-After"]) > 0
    may_end.set()
    assert {response.status_code for response in await asyncio.gather(*posting)} == {200}
    assert (await station.client.post(PATH, **signed(BODY))).status_code == 200


class Unwritable:
    """A database that is read but takes no writes."""

    def __init__(self, database: Database) -> None:
        self.read = self.read_latest = database.read

    def write(self, work: object) -> Any:
        raise Unreachable("The disk is full", retry_after=7)

    def close(self) -> None:
        pass


async def test_what_cannot_be_stored_is_not_acknowledged(database: Database, is_problem: IsProblem):
    station = Station(Unwritable(database), Agreements(Agreement(SECRET, TOKEN)))
    response = await station.client.post(PATH, **signed(BODY))
    is_problem(response, 503, "service_unavailable")
    assert response.headers["Retry-After"] == "7"
    assert station.stored == 0
    await station.close()


def add(database: Database, *slugs: str) -> list[int]:
    def write(connection: Connection) -> list[int]:
        return [add_account(connection, slug, slug, NOW) for slug in slugs]

    return database.write(write)


async def test_an_account_has_its_own_address(station: Station, database: Database):
    (shop,) = add(database, "shop")
    assert (await station.client.post(f"{PATH}/shop", **signed(BODY))).status_code == 200
    assert (kept(database, 1), kept(database, shop)) == ([], [BODY])
    assert (await station.client.get(f"{PATH}/shop", params=handshake())).status_code == 200


async def test_which_accounts_there_are_is_told_to_nobody_who_cannot_sign(
    database: Database, is_problem: IsProblem
):
    closed = add(database, "shop", "closed")[1]
    database.write(lambda connection: disable_account(connection, closed))
    station = Station(database, Agreements(Agreement(SECRET, TOKEN)))
    for slug in ("shop", "none", "closed", "sh%6Fp", "%00", ""):
        path = f"{PATH}/{slug}"
        is_problem(await station.client.post(path, **signed(BODY, "x")), 401, "invalid_signature")
        refused = await station.client.get(path, params=handshake("x"))
        is_problem(refused, 403, "verify_token_mismatch")
    for slug in ("none", "closed", "%00"):
        path = f"{PATH}/{slug}"
        is_problem(await station.client.post(path, **signed(BODY)), 404, "route_not_found")
        is_problem(await station.client.get(path, params=handshake()), 404, "route_not_found")
    await station.close()


async def test_an_account_may_have_secrets_of_its_own(database: Database, is_problem: IsProblem):
    add(database, "shop")
    station = Station(database, Agreements(None, {"shop": Agreement("its secret", "its token")}))
    path = f"{PATH}/shop"
    assert (await station.client.post(path, **signed(BODY, "its secret"))).status_code == 200
    assert (await station.client.get(path, params=handshake("its token"))).status_code == 200
    for other in (PATH, f"{PATH}/default", f"{PATH}/none"):
        refused = await station.client.post(other, **signed(BODY, "its secret"))
        is_problem(refused, 401, "invalid_signature")
        refused = await station.client.get(other, params=handshake("its token"))
        is_problem(refused, 403, "verify_token_mismatch")
    await station.close()


async def test_empty_secrets_fit_nothing(database: Database, is_problem: IsProblem):
    station = Station(database, Agreements(Agreement("", "")))
    is_problem(await station.client.post(PATH, **signed(BODY, "")), 401, "invalid_signature")
    refused = await station.client.get(PATH, params=handshake(""))
    is_problem(refused, 403, "verify_token_mismatch")
    await station.close()


async def test_without_a_secret_anything_is_taken(database: Database):
    station = Station(database, Agreements(Agreement(None)))
    headers = {"Content-Type": "application/json"}
    response = await station.client.post(PATH, content=BODY, headers=headers)
    assert response.status_code == 200
    assert kept(database) == [BODY]
    await station.close()


@pytest.mark.parametrize("path", ["/webhooks", "/webhooks/other", f"{PATH}/a/b", "/v1/labels", "/"])
async def test_there_is_nothing_else(station: Station, is_problem: IsProblem, path: str):
    is_problem(await station.client.post(path, **signed(BODY)), 404, "route_not_found")


async def test_the_log_tells_of_it_without_what_was_sent(station: Station):
    await station.client.post(PATH, **signed(BODY))
    await station.client.get(f"{PATH}/default", params=handshake("guessed"))
    posted, shaken = map(json.loads, station.log.getvalue().splitlines())
    assert (posted["route"], posted["status"], posted["code"]) == (PATH, 200, None)
    assert (shaken["route"], shaken["code"]) == (f"{PATH}/{{account}}", "verify_token_mismatch")
    assert "guessed" not in station.log.getvalue()


def test_secrets_are_shown_nowhere():
    agreements = Agreements(Agreement(SECRET, TOKEN), {"shop": Agreement(SECRET, TOKEN)})
    assert SECRET not in repr(agreements)
    assert TOKEN not in repr(agreements)


@pytest.mark.parametrize(
    ("own_port", "at_the_receiver", "at_the_interface"),
    [
        (None, [PATH, "/webhooks"], ["/v1/labels", "/healthz", "/webhooksx"]),
        (8080, [PATH, "/v1/labels", "/healthz"], []),
        (8081, [], [PATH, "/v1/labels", "/healthz"]),
    ],
)
async def test_webhooks_come_to_an_address_of_their_own_or_to_a_path(
    station: Station,
    database: Database,
    own_port: int | None,
    at_the_receiver: list[str],
    at_the_interface: list[str],
):
    interface = create_app(database)
    doors = Doors(interface, station.receiver, own_port)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(doors), base_url="http://inbox:8080"
    ) as client:
        for path in at_the_receiver:
            before = station.log.tell()
            await client.get(path)
            assert station.log.tell() > before
        for path in at_the_interface:
            before = station.log.tell()
            response = await client.get(path)
            assert station.log.tell() == before
            assert response.status_code in (200, 401, 404)
    interface.close()
