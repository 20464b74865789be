"""Faulty servers, and a client of them with a clock that tests advance."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.client.prepared_server import CONVERSATION, KEY
from tests.client.sockets import Scripted, raw

from frontdesk.client import InboxClient

ROWS = json.dumps({"data": [CONVERSATION], "next_cursor": None, "has_more": False}).encode()
WHOLE = raw(ROWS)
HANG_UP, ABORT = Scripted.HANG_UP, Scripted.ABORT
NOW = datetime(2026, 3, 14, 9, 30, tzinfo=UTC)


class Clock:
    """Seconds that pass when the test says so, or when somebody sleeps."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds


def client_at(url: str, clock: Clock | None = None, **options: Any) -> InboxClient:
    clock = clock or Clock()
    return InboxClient(
        url, KEY, sleep=clock.sleep, clock=clock, chance=lambda: 0.5, now=lambda: NOW, **options
    )
