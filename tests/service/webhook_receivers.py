"""A webhook receiver over a store, and what is sent to it."""

import hashlib
import hmac
import io
from collections.abc import Callable
from typing import Any

import httpx

from frontdesk.service.access_log import AccessLog
from frontdesk.service.problems import PROBLEM_BASE_URI
from frontdesk.service.prometheus_metrics import ServiceMetrics
from frontdesk.service.webhooks.receiver import Receiver, WebhookSecrets
from frontdesk.store import raw_events
from frontdesk.store.database import Database

# 14 March 2026, 09:30 UTC.
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


class ReceiverHarness:
    """A receiver over a database; `stored` counts its notifications."""

    def __init__(self, database: Database, agreements: WebhookSecrets) -> None:
        self.log = io.StringIO()
        self.stored = 0
        self.metrics = ServiceMetrics()
        self.receiver = Receiver(
            database,
            agreements,
            stored=self._note,
            clock=lambda: NOW,
            problem_base_uri=PROBLEM_BASE_URI,
            access_log=AccessLog(self.log),
            telemetry=self.metrics,
        )
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(self.receiver), base_url="http://inbox"
        )

    def client_from(self, address: str) -> httpx.AsyncClient:
        """A client with an address."""
        transport = httpx.ASGITransport(self.receiver, client=(address, 1))
        return httpx.AsyncClient(transport=transport, base_url="http://inbox")

    def _note(self) -> None:
        self.stored += 1

    async def close(self) -> None:
        await self.client.aclose()
        self.receiver.close()


def kept(database: Database, account_id: int = 1) -> list[bytes]:
    rows = database.read(
        lambda connection: raw_events.waiting(connection, account_id, 100, 100_000_000)
    )
    return [bytes(row["body"]) for row in rows]
