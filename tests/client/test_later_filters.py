"""Filters that came later: what a server refuses, ignores or answers with short pages."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.client import inbox_rows
from tests.client.full_read import client_of
from tests.client.other_server import OtherServer, Question, Reply, Variant, problem, reply

from frontdesk.client.lists import FilterCheck
from frontdesk.client.server_info import ServerState
from frontdesk.errors import NotOffered, Refused
from frontdesk.wire import Conversation, ConversationFilter, ConversationPage, Page

NOW = datetime(2026, 3, 14, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("filter", "members", "matches"),
    [
        ({"unread": True}, {"unread_count": 2}, True),
        ({"unread": True}, {"unread_count": 0}, False),
        ({"contact": "5"}, {"contact": {"id": "6"}}, False),
        ({"query": "by:id:7 is:open,snoozed"}, {"status": "resolved"}, True),
    ],
)
def test_rows_that_a_server_should_have_left_out_are_left_out_here(
    filter: dict[str, str], members: dict[str, Any], matches: bool
) -> None:
    row = Conversation.model_validate({**inbox_rows.conversation(1), **members})
    state = ServerState("https://inbox.example", lambda: NOW)
    page = Page[Conversation](data=(row,))
    found = FilterCheck(state).conversations(page, ConversationFilter(**filter))
    assert bool(found.data) == matches
    assert state.server().no_extensions == (frozenset() if matches else {*filter})


def refusing(*names: str, code: str = "invalid_parameter") -> OtherServer:
    """A server that refuses requests with one of these parameters."""

    def before(server: OtherServer, question: Question) -> Reply | None:
        return problem(400, code) if {*names} & question.query.keys() else None

    return OtherServer((Variant(before=before),))


@pytest.mark.parametrize("server", [OtherServer(), refusing("query")], ids=["ignores", "refuses"])
async def test_what_rows_do_not_show_is_not_offered_by_other_servers(server: OtherServer) -> None:
    async with client_of(server) as client:
        with pytest.raises(NotOffered, match="This server does not take a query"):
            await client.conversation_page(ConversationFilter(query="by:id:7"))
        assert "query" in client.server.no_extensions


async def test_a_server_that_refuses_a_query_keeps_the_other_filters() -> None:
    async with client_of(refusing("query")) as client:
        with pytest.raises(NotOffered, match="This server does not take a query"):
            await client.conversation_page(ConversationFilter(query="by:id:7", unread=True))
        assert client.server.no_extensions == {"query"}


@pytest.mark.parametrize("code", ["invalid_filter", "assignee_me_unavailable"])
async def test_a_mistake_in_a_query_is_said_and_nothing_is_concluded(code: str) -> None:
    async with client_of(refusing("query", code=code)) as client:
        filter = ConversationFilter(query="@me,id:9")
        for _ in range(2):
            with pytest.raises(Refused):
                await client.conversation_page(filter)
            with pytest.raises(Refused):
                await client.counts(filter)
        assert not client.server.no_extensions


async def test_empty_pages_of_a_walk_are_followed() -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        if "query" not in question.query:
            return None
        number = int(question.cursor or 0)
        rows = [inbox_rows.conversation(number)] if number in (20, 21) else []
        cursor = str(number + 1) if number < 30 else None
        answer = {"data": rows, "next_cursor": cursor, "has_more": cursor is not None}
        return reply({**answer, "total": None})

    async with client_of(OtherServer((Variant(before=before),))) as client:
        rows = client.conversations(query="by:id:7", limit=1)
        pages = [len(page.data) async for page in rows.pages()]
    assert pages == [1, 1, 0]


@pytest.mark.parametrize(("full", "rows"), [(100, 1), (101, 0)])
async def test_a_hundred_empty_pages_of_a_walk_are_followed_at_once(full: int, rows: int) -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        if "query" not in question.query:
            return None
        number = int(question.cursor or 0)
        data = [inbox_rows.conversation(number)] if number == full else []
        answer = {"data": data, "next_cursor": str(number + 1), "has_more": True}
        return reply({**answer, "total": 7 if number == 0 else None})

    async with client_of(OtherServer((Variant(before=before),))) as client:
        page = await client.conversation_page(ConversationFilter(query="by:id:7"))
    assert len(page.data) == rows
    assert page.next_cursor == "101"
    assert isinstance(page, ConversationPage)
    assert page.total == 7
