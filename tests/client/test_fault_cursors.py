"""Cursors that lead nowhere, repeat or are out of order, over real connections."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.client.prepared_server import CONVERSATION, KEY
from tests.client.sockets import Scripted, raw, serving

from frontdesk.cache import Cache
from frontdesk.client import InboxClient
from frontdesk.errors import BadResponse
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter

ALL = ConversationFilter()
NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)

# What a mailbox may ask before it gives a list up.
MOST_REQUESTS = 30


def row(id: str, minute: int, **members: Any) -> dict[str, Any]:
    active = f"2026-03-14T09:{minute:02}:00.000Z"
    return {**CONVERSATION, "id": id, "last_activity_at": active, **members}


def page(*rows: dict[str, Any], cursor: str | None = None) -> bytes:
    body = {"data": list(rows), "next_cursor": cursor, "has_more": cursor is not None}
    return raw(json.dumps(body).encode())


def problem(code: str) -> bytes:
    body = {"type": "about:blank", "title": "No", "status": 400, "detail": "No.", "code": code}
    return raw(
        json.dumps(body).encode(), "400 Bad Request", content_type="application/problem+json"
    )


@asynccontextmanager
async def mailbox_at(server: Scripted, tmp_path: Path) -> AsyncIterator[Mailbox]:
    async with serving(server) as url, InboxClient(url, KEY) as client:
        cache = Cache(tmp_path / "pages.db", "test")
        try:
            mailbox = Mailbox(lambda: client, cache, clock=lambda: NOW)
            await mailbox.connect()
            yield mailbox
        finally:
            cache.close()


def held(mailbox: Mailbox) -> list[str]:
    return [conversation.id for conversation in mailbox.conversations(ALL)]


async def read_on(mailbox: Mailbox) -> None:
    """Ask for older rows until there are none, or the list is given up."""
    await mailbox.refresh_conversations(ALL)
    while (await mailbox.older_conversations(ALL)).changed:
        continue


@pytest.mark.parametrize(
    "answers",
    [
        [page(row("1", 30), cursor="a")],
        [page(row("1", 30), cursor="a"), page(row("2", 20), cursor="a")],
        [
            page(row("1", 30), cursor="a"),
            page(row("2", 20), cursor="b"),
            page(row("1", 30), cursor="a"),
        ],
        [page(row("1", 30), cursor="a"), page(cursor="b"), page(cursor="c"), page(cursor="d")],
    ],
    ids=["the same page", "the same cursor", "there and back", "empty pages"],
)
async def test_a_list_that_leads_nowhere_is_given_up_and_reported(
    answers: list[bytes], tmp_path: Path
) -> None:
    server = Scripted(*answers)
    async with mailbox_at(server, tmp_path) as mailbox:
        with pytest.raises(BadResponse):
            await read_on(mailbox)
        assert held(mailbox)[:1] == ["1"]
    assert len(server.requests) <= MOST_REQUESTS


async def test_a_row_that_comes_twice_stands_once_where_it_is_newest(tmp_path: Path) -> None:
    server = Scripted(
        page(row("1", 10), row("2", 30), row("3", 20), cursor="a"),
        page(row("2", 5, status="resolved"), row("4", 1), row("4", 1)),
    )
    async with mailbox_at(server, tmp_path) as mailbox:
        await mailbox.refresh_conversations(ALL)
        await mailbox.older_conversations(ALL)
        assert held(mailbox) == ["2", "3", "1", "4"]
        newest = mailbox.conversation("2")
        assert newest is not None
        assert newest.status == CONVERSATION["status"]


async def test_a_cursor_that_expired_starts_again_at_the_head_and_loses_no_row(
    tmp_path: Path,
) -> None:
    server = Scripted(
        page(row("1", 30), row("2", 20), cursor="a"),
        problem("invalid_cursor"),
        page(row("1", 30), row("2", 20), cursor="b"),
        page(row("3", 10)),
    )
    async with mailbox_at(server, tmp_path) as mailbox:
        await mailbox.refresh_conversations(ALL)
        listing = mailbox.conversations(ALL)
        await mailbox.older_conversations(ALL)
        await mailbox.older_conversations(ALL)
        assert held(mailbox) == ["1", "2", "3"]
        listing.reload()
        assert listing.find("conversation 2") == 1
