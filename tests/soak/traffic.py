"""Generates webhooks of customers' messages, and changes by colleagues, from a seed."""

import asyncio
import json
from random import Random
from typing import Any

import httpx

from frontdesk.ingest.apply.batch import apply_events
from frontdesk.ingest.events import ConversationEvent, Person
from frontdesk.service.webhooks.receiver import Receiver, WebhookSecret, WebhookSecrets
from frontdesk.service.webhooks.worker import BackgroundWorker, WorkerSettings
from frontdesk.store.database import Database
from tests.soak.virtual_loop import VirtualLoop
from tests.tui.hostile import HOSTILE

_ACCOUNT = 1
_CHANNELS = "SELECT phone_number_id FROM channel ORDER BY id"
_PEOPLE = "SELECT phone FROM contact WHERE phone IS NOT NULL ORDER BY id"


class TrafficGenerator:
    """Writes to an inbox what customers and colleagues would; `changes` counts it."""

    def __init__(self, database: Database, loop: VirtualLoop, chance: Random) -> None:
        self._database = database
        self._loop = loop
        self._chance = chance
        self._said = 0
        self.changes = 0
        self._worker = BackgroundWorker(database, loop.milliseconds, WorkerSettings())
        self._receiver = Receiver(
            database,
            WebhookSecrets(WebhookSecret(None)),
            stored=lambda: None,
            clock=loop.milliseconds,
            problem_base_uri="tag:soak:",
        )
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(self._receiver), base_url="http://inbox"
        )
        self._channels, self._phones = database.read(
            lambda connection: (
                [row["phone_number_id"] for row in connection.rows(_CHANNELS)],
                [row["phone"] for row in connection.rows(_PEOPLE)],
            )
        )

    async def close(self) -> None:
        await self._http.aclose()
        self._receiver.close()

    async def generate(self) -> None:
        """Write one to four messages or changes."""
        for _ in range(self._chance.randint(1, 4)):
            if self._chance.random() < 0.7:
                await self._write()
            else:
                await asyncio.to_thread(self._work)
        await asyncio.to_thread(self._worker.run_once)

    async def _write(self) -> None:
        """A webhook: a message of a customer, and what became of one of ours."""
        self._said += 1
        phone = self._chance.choice([*self._phones[:40], f"+1650555{self._said % 50:04}"])
        now = str(self._loop.milliseconds() // 1000)
        message = {
            "from": phone.lstrip("+"),
            "id": f"wamid.soak{self._said}",
            "timestamp": now,
            "type": "text",
            "text": {"body": f"{self._said} {self._chance.choice(HOSTILE)[:500]}"},
        }
        person = {"profile": {"name": self._chance.choice(HOSTILE)[:60]}, "wa_id": message["from"]}
        value: dict[str, Any] = {
            "messaging_product": "whatsapp",
            "metadata": {"phone_number_id": self._chance.choice(self._channels)},
            "contacts": [person],
            "messages": [message],
        }
        body = {"entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}]}
        response = await self._http.post(
            "/webhooks/whatsapp",
            content=json.dumps(body),
            headers={"content-type": "application/json"},
        )
        assert response.status_code == 200, response.text
        self.changes += 1

    def _work(self) -> None:
        """A colleague resolves, opens or labels something."""
        now = self._loop.milliseconds()
        self._said += 1
        name, value = self._chance.choice(
            (
                ("resolved", {}),
                ("opened", {}),
                ("snoozed", {"until": now + 600_000}),
                ("labelled", {"title": "soak", "on": self._chance.random() < 0.5}),
                ("assigned", {"user": None}),
                ("bot_handoff", {}),
            )
        )
        phone = self._chance.choice(self._phones[:40])
        event = ConversationEvent(
            self._chance.choice(self._channels),
            Person(phone=phone, wa_id=phone.lstrip("+")),
            f"soak {self._said}",
            now,
            name,
            value,
        )
        self._database.write(
            lambda connection: apply_events(connection, _ACCOUNT, [event], now=now, live=True)
        )
        self.changes += 1
