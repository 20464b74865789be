"""The service over a small database, called as it is over TCP but without a socket."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from tests.service.webhook_receivers import NOW, SECRET, TOKEN, ReceiverHarness

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import DomainEvent
from frontdesk.service.api_keys import SCOPES, EphemeralKey, KeyGrant, key_hash, key_id, new_key
from frontdesk.service.app import Application, create_app
from frontdesk.service.webhooks.receiver import WebhookSecret, WebhookSecrets
from frontdesk.store.database import Database
from frontdesk.store.media_files import MediaFiles


@pytest.fixture
def now() -> int:
    return NOW


class ServiceClients:
    """Opens clients of one database, each with a key of its own."""

    def __init__(self, database: Database, stack: AsyncExitStack) -> None:
        self._database = database
        self._stack = stack

    async def client(
        self,
        scopes: tuple[str, ...] = SCOPES,
        *,
        account_id: int = 1,
        user_id: int | None = None,
        media_files: MediaFiles | None = None,
    ) -> httpx.AsyncClient:
        """A client with a guest's key for these scopes."""
        key = new_key()
        grant = KeyGrant(key_id(key), account_id, frozenset(scopes), user_id)
        guest = EphemeralKey(key_hash(key), grant)
        return await self.client_with(key, guest, media_files=media_files)

    async def client_with(
        self, key: str | None, *guests: EphemeralKey, media_files: MediaFiles | None = None
    ) -> httpx.AsyncClient:
        """A client that sends `key`, or none."""
        app = create_app(
            self._database, ephemeral_keys=guests, media_files=media_files, clock=lambda: NOW
        )
        return await self.client_of(app, key)

    async def client_of(self, app: Application, key: str | None) -> httpx.AsyncClient:
        """A client of an application that ends with the test."""
        self._stack.callback(app.close)
        return await self._stack.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url="http://inbox",
                headers={} if key is None else {"Authorization": f"Bearer {key}"},
            )
        )


@pytest.fixture
async def clients(database: Database) -> AsyncIterator[ServiceClients]:
    async with AsyncExitStack() as stack:
        yield ServiceClients(database, stack)


@pytest.fixture
async def client(clients: ServiceClients) -> httpx.AsyncClient:
    return await clients.client()


@pytest.fixture
def is_problem() -> Callable[[httpx.Response, int, str], dict[str, object]]:
    """Checks the one shape of every error, and gives the document."""

    def check(response: httpx.Response, status: int, code: str) -> dict[str, object]:
        assert response.headers["Content-Type"] == "application/problem+json", response.url
        assert response.headers["Cache-Control"] == "no-store"
        document: dict[str, object] = response.json()
        assert (response.status_code, document["code"]) == (status, code), response.url
        assert document["status"] == status
        assert document["type"] == f"tag:inbox.invalid,2026:problem/{code}"
        assert document["title"]
        assert document["detail"]
        assert document["request_id"] == response.headers["X-Request-Id"]
        assert document["instance"] == f"urn:uuid:{document['request_id']}"
        assert None not in document.values()
        return document

    return check


@pytest.fixture
def add_events(database: Database) -> Callable[..., None]:
    """Applies events to an account of the store."""

    def add(events: Sequence[DomainEvent], account_id: int = 1) -> None:
        database.write(lambda connection: apply_events(connection, account_id, events, now=NOW))

    return add


@pytest.fixture
async def rows() -> Callable[..., Awaitable[list[dict[str, Any]]]]:
    """Walks a list from its start to its end, page by page."""

    async def walk(client: httpx.AsyncClient, path: str, **query: object) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            asked = query if cursor is None else {**query, "cursor": cursor}
            response = await client.get(path, params=asked)
            assert response.status_code == 200, response.text
            page = response.json()
            assert list(page)[:3] == ["data", "next_cursor", "has_more"]
            assert page["has_more"] == (page["next_cursor"] is not None)
            found += page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return found
            assert len(page["data"]) == query.get("limit", len(page["data"]))

    return walk


@pytest.fixture
async def harness(database: Database) -> AsyncIterator[ReceiverHarness]:
    harness = ReceiverHarness(database, WebhookSecrets(WebhookSecret(SECRET, TOKEN)))
    yield harness
    await harness.close()
