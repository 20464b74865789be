"""In-process server with prepared responses."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from frontdesk.client import InboxClient
from frontdesk.errors import InboxError
from frontdesk.wire import ConversationFilter

KEY = "fd_live_0123456789abcdef"
ALL = ConversationFilter()
EMPTY = b'{"data": [], "next_cursor": null, "has_more": false}'
CONVERSATION = {
    "id": "1",
    "status": "open",
    "channel": {"id": "1"},
    "contact": {"id": "1"},
    "last_activity_at": "2026-03-14T09:26:53.000Z",
}
Scope = dict[str, Any]


class Server:
    """An ASGI application that gives prepared answers, the last one for ever."""

    def __init__(self, *answers: tuple[int, Mapping[str, str], bytes]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []
        self.headers: list[dict[str, str]] = []

    async def __call__(
        self,
        scope: Scope,
        receive: Callable[[], Awaitable[Scope]],
        send: Callable[[Scope], Awaitable[None]],
    ) -> None:
        path = scope["raw_path"].decode()
        query = scope["query_string"].decode()
        self.asked.append(f"{path}?{query}" if query else path)
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        status, headers, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": pairs})
        await send({"type": "http.response.body", "body": body})


def answer(
    status: int = 200, body: bytes | dict[str, Any] = EMPTY, **headers: str
) -> tuple[int, Mapping[str, str], bytes]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"content-type": "application/json", **named}, text


def problem(status: int, code: str, **members: Any) -> tuple[int, Mapping[str, str], bytes]:
    document = {"type": f"tag:{code}", "title": "A title", "status": status, "code": code}
    return answer(status, {**document, **members}, content_type="application/problem+json")


class Pauses:
    """Stands for sleeping: remembers how long."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def client_of(server: Server, pauses: Pauses | None = None) -> InboxClient:
    return InboxClient(
        "http://localhost", KEY, app=server, sleep=pauses or Pauses(), chance=lambda: 0.5
    )


async def failing(server: Server) -> InboxError:
    async with client_of(server) as client:
        with pytest.raises(InboxError) as caught:
            await client.conversation_page(ALL)
    assert KEY not in str(caught.value)
    return caught.value
