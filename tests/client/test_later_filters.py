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
from frontdesk.wire import Conversation, ConversationFilter, Page
from frontdesk.wire.queries import HIDDEN, LATER

NOW = datetime(2026, 3, 14, 10, tzinfo=UTC)
MARCH = "2026-03-10T00:00:00.000Z"


@pytest.mark.parametrize(
    ("filter", "members", "matches"),
    [
        ({"statuses": "open,snoozed"}, {"status": "snoozed"}, True),
        ({"statuses": "open,snoozed"}, {"status": "resolved"}, False),
        ({"assignees": "unassigned,7"}, {"assignee": None}, True),
        ({"assignees": "unassigned,7"}, {"assignee": {"id": "8", "name": "Bo"}}, False),
        ({"channels": "1,2"}, {"channel": {"id": "3"}}, False),
        ({"labels": "vip,a%2Cb"}, {"labels": ["A,b"]}, True),
        ({"labels": "vip,a%2Cb"}, {"labels": ["a"]}, False),
        ({"without_labels": "vip"}, {"labels": ["VIP"]}, False),
        ({"created_from": MARCH}, {"created_at": "2026-03-09T23:59:59.000Z"}, False),
        ({"created_from": MARCH}, {"created_at": MARCH}, True),
        ({"created_to": MARCH}, {"created_at": MARCH}, False),
        ({"created_to": MARCH}, {"created_at": None}, False),
        ({"active_to": MARCH}, {"last_activity_at": "2026-03-01T00:00:00.000Z"}, True),
        ({"waiting_from": MARCH}, {"waiting_since": None}, False),
        ({"authors": "7"}, {}, True),
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


async def test_an_older_server_keeps_the_extensions_that_it_has() -> None:
    async with client_of(refusing(*LATER)) as client:
        filter = ConversationFilter(statuses="open,snoozed", unread=True)
        page = await client.conversation_page(filter)
        assert {row.status for row in page.data} <= {"open", "snoozed"}
        assert client.server.no_extensions >= {"statuses"}
        assert client.server.no_extensions.isdisjoint({"contact", "sort", "awaiting_human"})


@pytest.mark.parametrize("code", ["invalid_filter", "assignee_me_unavailable"])
async def test_a_refused_value_of_a_list_is_said_and_nothing_is_concluded(code: str) -> None:
    async with client_of(refusing("labels", code=code)) as client:
        with pytest.raises(Refused):
            await client.conversation_page(ConversationFilter(labels="vip,gone"))
        assert not client.server.no_extensions


@pytest.mark.parametrize("server", [OtherServer(), refusing(*LATER)], ids=["ignores", "refuses"])
async def test_what_rows_do_not_show_is_not_offered_by_other_servers(server: OtherServer) -> None:
    async with client_of(server) as client:
        for filter in (ConversationFilter(authors="7"), ConversationFilter(fields="plan")):
            with pytest.raises(NotOffered, match="This server cannot filter conversations by"):
                await client.conversation_page(filter)
        assert client.server.no_extensions & HIDDEN


async def test_empty_pages_of_a_walk_are_followed() -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        if question.query.get("authors") == "none":
            return problem(400, "invalid_filter")
        if "authors" not in question.query:
            return None
        number = int(question.cursor or 0)
        rows = [inbox_rows.conversation(number)] if number in (20, 21) else []
        cursor = str(number + 1) if number < 30 else None
        return reply({"data": rows, "next_cursor": cursor, "has_more": cursor is not None})

    async with client_of(OtherServer((Variant(before=before),))) as client:
        rows = client.conversations(authors="7", limit=1)
        pages = [len(page.data) async for page in rows.pages()]
    assert pages == [1, 1, 0]


@pytest.mark.parametrize(("full", "rows"), [(100, 1), (101, 0)])
async def test_a_hundred_empty_pages_of_a_walk_are_followed_at_once(full: int, rows: int) -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        if question.query.get("authors") == "none":
            return problem(400, "invalid_filter")
        if "authors" not in question.query:
            return None
        number = int(question.cursor or 0)
        data = [inbox_rows.conversation(number)] if number == full else []
        return reply({"data": data, "next_cursor": str(number + 1), "has_more": True})

    async with client_of(OtherServer((Variant(before=before),))) as client:
        page = await client.conversation_page(ConversationFilter(authors="7"))
    assert len(page.data) == rows
    assert page.next_cursor == "101"
