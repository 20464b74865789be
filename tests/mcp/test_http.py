"""`/mcp` of the service: who may ask, and that nothing is kept between requests."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from frontdesk.mcp.http import McpApplication
from frontdesk.service import model_context
from frontdesk.service.api_keys import MASKED_SCOPE, SCOPES, key_id
from frontdesk.service.app import Application, Options, create_app
from frontdesk.service.model_context import (
    LIMITS,
    LOOPBACK_NAMES,
    MOST_AT_ONCE,
    ModelContextSettings,
)
from frontdesk.service.rate_limit import RateLimit
from frontdesk.store.accounts import add_account, revoke_key
from frontdesk.store.sqlite import SQLiteDatabase
from tests.mcp.sessions import cursor_in
from tests.service.stored_keys import keep

SETTINGS = ModelContextSettings(McpApplication, (*LOOPBACK_NAMES, "inbox.example.com"))
OPEN = "#(\\d+) · "


@asynccontextmanager
async def application(
    database: SQLiteDatabase,
    settings: ModelContextSettings = SETTINGS,
    limit: RateLimit | None = None,
) -> AsyncIterator[Application]:
    """A worker's application, as it runs between the start and the end of the process."""
    options = Options(rate_limit=limit or RateLimit(requests=0))
    app = create_app(database, model_context=settings, options=options)
    started, ended = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        async with app.running():
            started.set()
            await ended.wait()

    # In a task of its own, as in a worker: fixtures are begun and ended in different ones.
    life = asyncio.create_task(live())
    await started.wait()
    yield app
    ended.set()
    await life
    app.close()


@pytest.fixture
async def app(sample_database: SQLiteDatabase) -> AsyncIterator[Application]:
    async with application(sample_database) as app:
        yield app


@pytest.fixture
def key(sample_database: SQLiteDatabase) -> str:
    return keep(sample_database)


async def post(
    app: Application, key: str, body: Any, path: str = "/mcp", **headers: str
) -> httpx.Response:
    """Post a body as a client does."""
    sent = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        **headers,
    }
    content = body if isinstance(body, (bytes, str)) else json.dumps(body)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost:8080"
    ) as client:
        return await client.post(path, content=content, headers=sent)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    parameters = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


async def text_of(response: httpx.Response) -> str:
    assert response.status_code == 200, response.text
    (content,) = response.json()["result"]["content"]
    return str(content["text"])


async def asked(app: Application, key: str, tool: str, path: str = "/mcp", **arguments: Any) -> str:
    return await text_of(await post(app, key, call(tool, **arguments), path))


# Who may ask


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:9", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("inbox.example.com", 200),
        ("inbox.example.com.evil.example", 421),
        ("evil.example", 421),
        ("127.0.0.1.nip.io:8080", 421),
        ("[::1", 421),
        ("user@localhost", 200),
    ],
)
async def test_a_service_is_asked_by_the_names_that_it_has(
    app: Application, key: str, host: str, status: int
) -> None:
    response = await post(app, key, call("overview"), Host=host)
    assert response.status_code == status
    if status != 200:
        assert response.json()["code"] == "host_not_allowed"
        assert "frontdesk serve --mcp-host names" in response.json()["detail"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:6274", 200),
        ("https://inbox.example.com", 200),
        ("https://evil.example", 403),
        ("null", 403),
        ("", 403),
        ("http://localhost.evil.example", 403),
    ],
)
async def test_pages_of_other_hosts_are_refused(
    app: Application, key: str, origin: str, status: int
) -> None:
    response = await post(app, key, call("overview"), Origin=origin)
    assert response.status_code == status
    if status != 200:
        assert response.json()["code"] == "origin_not_allowed"


@pytest.mark.parametrize(
    ("key", "code"),
    [(None, "missing_credentials"), ("fd_live_x", "invalid_key"), ("é", "invalid_key")],
)
async def test_without_a_key_nothing_is_answered(
    app: Application, key: str | None, code: str
) -> None:
    sent = {} if key is None else {"Authorization": f"Bearer {key}".encode()}
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost"
    ) as client:
        response = await client.post("/mcp", json=call("overview"), headers=sent)  # type: ignore[arg-type]
    assert (response.status_code, response.json()["code"]) == (401, code)
    assert response.headers["WWW-Authenticate"].startswith("Bearer ")


async def test_a_key_that_is_revoked_is_refused_at_the_next_call(
    app: Application, sample_database: SQLiteDatabase, key: str
) -> None:
    assert "labels: " in await asked(app, key, "overview")
    sample_database.write(lambda connection: revoke_key(connection, key_id(key), 1))
    response = await post(app, key, call("overview"))
    assert (response.status_code, response.json()["code"]) == (401, "key_revoked")


async def test_a_key_reads_with_its_scopes_alone(
    app: Application, sample_database: SQLiteDatabase
) -> None:
    key = keep(sample_database, scopes=("conversations:read",))
    listed = await asked(app, key, "list_conversations", limit=1)
    (id,) = re.findall(OPEN, listed)
    response = await post(app, key, call("read_threads", conversations=[id]))
    assert response.json()["result"]["isError"]
    assert "messages:read" in response.text


async def test_an_account_has_nothing_of_another(
    app: Application, sample_database: SQLiteDatabase, key: str
) -> None:
    other = sample_database.write(lambda connection: add_account(connection, "other", "Other", 1))
    stranger = keep(sample_database, account_id=other)
    ids = re.findall(OPEN, await asked(app, key, "list_conversations", limit=20))
    assert re.findall(OPEN, await asked(app, stranger, "list_conversations")) == []
    response = await post(app, stranger, call("read_threads", conversations=ids))
    assert response.json()["result"]["isError"]
    assert response.text.count("There is no conversation") == len(ids)


async def test_a_key_has_one_rate_limit_for_calls_and_what_they_read(
    sample_database: SQLiteDatabase, key: str
) -> None:
    async with application(sample_database, limit=RateLimit(60, 60_000, 4)) as app:
        assert (
            (await post(app, key, call("overview", x=1)))
            .headers["RateLimit"]
            .startswith('"default";r=3')
        )
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        ) as client:
            for _ in range(3):
                await client.get("/v1/labels", headers={"Authorization": f"Bearer {key}"})
        response = await post(app, key, call("overview"))
    assert (response.status_code, response.json()["code"]) == (429, "rate_limited")
    assert int(response.headers["Retry-After"]) > 0


# Requests


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_are_no_sessions_to_open_or_to_end(
    app: Application, key: str, method: str
) -> None:
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app), base_url="http://localhost"
    ) as client:
        response = await client.request(method, "/mcp", headers={"Authorization": f"Bearer {key}"})
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


async def test_times_are_in_the_zone_of_the_address_or_of_the_account(
    app: Application, key: str
) -> None:
    for path, zone in (("/mcp", "UTC"), ("/mcp?zone=Asia/Tokyo", "Asia/Tokyo")):
        heading = (await asked(app, key, "overview", path)).split("\n")[0]
        assert heading.endswith(f" {zone}")
    for path, words in (("/mcp?zone=Mars", "no zone 'Mars'"), ("/mcp?mask=1", "mask")):
        response = await post(app, key, call("overview"), path)
        assert (response.status_code, response.json()["code"]) == (400, "invalid_parameter")
        assert words in response.json()["detail"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ("{}", {"Content-Type": "text/plain"}, 415),
        (b" " * (LIMITS.most_bytes + 1), {}, 413),
        ("{", {}, 400),
        ("[]", {}, 400),
        ("null", {}, 400),
        ("[" * 50_000, {}, 400),
        ({"jsonrpc": "2.0", "id": 1}, {}, 400),
        ("{}", {"Accept": "text/html"}, 406),
        ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}, 202),
        (call("overview"), {"MCP-Protocol-Version": "1999-01-01"}, 400),
    ],
)
async def test_a_body_that_is_no_call_is_refused(
    app: Application, key: str, body: Any, headers: dict[str, str], status: int
) -> None:
    assert (await post(app, key, body, **headers)).status_code == status
    assert "labels: " in await asked(app, key, "overview")


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("read_threads", {"conversations": [str(at) for at in range(1_000)]}, "at most 20"),
        ("list_conversations", {"query": "word " * 20_000}, "at most 4,000 characters"),
        ("list_conversations", {"query": "a\0b #no\0pe"}, "No label fits"),
        ("read_threads", {"conversations": ["\0"]}, "There is no"),
        ("search_messages", {"words": "\0"}, "Nothing was found."),
        ("report", {"channel": "\0"}, "There is no channel"),
        ("list_conversations", {"cursor": "\0" * 9}, "is no cursor"),
        ("list_conversations", {"surprise": 1}, "no argument surprise"),
        ("nothing", {}, "Unknown tool"),
    ],
)
async def test_what_cannot_be_answered_is_said_in_a_line(
    app: Application, key: str, tool: str, arguments: dict[str, Any], words: str
) -> None:
    response = await post(app, key, call(tool, **arguments))
    assert response.status_code in (200, 400)
    assert words in response.text
    assert "Traceback" not in response.text


async def test_a_cursor_is_of_its_tool(app: Application, key: str) -> None:
    listed = await asked(app, key, "list_conversations", limit=1)
    (id,) = re.findall(OPEN, listed)
    cursor = cursor_in(listed)
    for tool, arguments in (
        ("read_threads", {"conversations": [id]}),
        ("search_messages", {"words": "a"}),
        ("report", {}),
        ("list_conversations", {"query": "is:resolved"}),
    ):
        said = await text_of(await post(app, key, call(tool, cursor=cursor, **arguments)))
        assert "The cursor is of another call" in said


async def test_any_worker_goes_on_from_a_cursor(sample_database: SQLiteDatabase, key: str) -> None:
    async with application(sample_database) as one, application(sample_database) as two:
        whole = re.findall(OPEN, await asked(one, key, "list_conversations", limit=50))
        found: list[str] = []
        more: dict[str, str] = {}
        for app in (one, two) * len(whole):
            text = await asked(app, key, "list_conversations", limit=4, **more)
            found += re.findall(OPEN, text)
            cursor = cursor_in(text)
            if cursor is None or len(found) >= len(whole):
                break
            more = {"cursor": cursor}
    assert found[: len(whole)] == whole


async def test_calls_of_different_keys_at_once_have_their_own_answers(
    app: Application, sample_database: SQLiteDatabase, key: str
) -> None:
    other = sample_database.write(lambda connection: add_account(connection, "other", "Other", 1))
    keys = [key, keep(sample_database, account_id=other)] * 25
    texts = await asyncio.gather(*(asked(app, one, "overview") for one in keys))
    assert {text.split("\n", 1)[1] for text in texts[::2]} != {
        text.split("\n", 1)[1] for text in texts[1::2]
    }
    assert all("open 0," not in text for text in texts[::2])
    assert all("open 0," in text for text in texts[1::2])


class Counting:
    """The interface, with the most requests that it had at once."""

    def __init__(self, interface: Callable[..., Awaitable[None]]) -> None:
        self._interface = interface
        self._now = self.most = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            # All that may come at once have come.
            await asyncio.sleep(0)
            await self._interface(scope, receive, send)
        finally:
            self._now -= 1


async def test_a_worker_answers_eight_calls_at_once_and_more_than_it_can_keep_are_refused(
    sample_database: SQLiteDatabase, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting: list[Counting] = []

    def make(interface: Callable[..., Awaitable[None]]) -> McpApplication:
        counting.append(Counting(interface))
        return McpApplication(counting[0])

    async with application(sample_database, ModelContextSettings(make)) as app:
        await asyncio.gather(*(asked(app, key, "overview") for _ in range(3 * MOST_AT_ONCE)))
        assert 1 < counting[0].most <= MOST_AT_ONCE
        monkeypatch.setattr(model_context, "MOST_WAITING", 2)
        calls = (post(app, key, call("overview")) for _ in range(3 * MOST_AT_ONCE))
        statuses = Counter(response.status_code for response in await asyncio.gather(*calls))
    assert statuses[200] >= MOST_AT_ONCE
    assert statuses == {200: statuses[200], 503: 3 * MOST_AT_ONCE - statuses[200]}
    assert statuses[503] > 0


class Held:
    """The interface, whose answers are held until the request is given up."""

    def __init__(self, interface: Callable[..., Awaitable[None]]) -> None:
        self._interface = interface
        self.began, self.given_up = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up.set()


@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_a_call_whose_client_goes_away_is_given_up(
    sample_database: SQLiteDatabase, key: str, version: str
) -> None:
    held: list[Held] = []

    def make(interface: Callable[..., Awaitable[None]]) -> McpApplication:
        held.append(Held(interface))
        return McpApplication(held[0])

    body = call("overview")
    if version > "2026":
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        body["params"]["_meta"] = meta
    sent: list[Any] = []
    async with application(sample_database, ModelContextSettings(make)) as app:
        messages = [{"type": "http.request", "body": json.dumps(body).encode()}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await held[0].began.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = {
            "host": "localhost",
            "authorization": f"Bearer {key}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": version,
            "mcp-method": "tools/call",
            "mcp-name": "overview",
        }
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "query_string": b"",
            "http_version": "1.1",
            "scheme": "http",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
        }
        await app(scope, receive, send)
        await held[0].given_up.wait()
        assert sent == []


async def test_a_key_with_masked_contacts_is_answered_with_stand_ins(
    sample_database: SQLiteDatabase, app: Application
) -> None:
    plain, masked = keep(sample_database), keep(sample_database, scopes=(*SCOPES, MASKED_SCOPE))
    shown = await asked(app, plain, "list_conversations", limit=5)
    told = await asked(app, masked, "list_conversations", limit=5)
    assert re.findall(OPEN, told) == re.findall(OPEN, shown)
    assert "customers are masked, files left out" in told
    assert len(re.findall(r"#\d+ · customer [0-9a-f]{4} · ", told)) == 5
    assert '"' not in told.partition("\n\n")[2]
