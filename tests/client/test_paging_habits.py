"""Paging of servers that deviate: repeated pages, backward order, forgotten cursors."""

from typing import Any

import pytest
from tests.client.full_read import CONVERSATION, client_of, read_from
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Question, Reply, Slice, Variant, problem, reply
from tests.client.prepared_server import ALL

from frontdesk.client.lists import OLDEST_FIRST
from frontdesk.client.paging import MOST_EMPTY_PAGES
from frontdesk.errors import BadResponse, CursorRefused


async def test_more_rows_without_a_cursor_stop_the_list_and_are_reported() -> None:
    variant = Variant(page=lambda cut: ({"data": cut.rows, "has_more": True}, {}))
    async with client_of(OtherServer((variant,))) as client:
        page = await client.conversation_page(ALL)
        assert (page.next_cursor, page.ended) == (None, False)
        assert "A list has more rows, but no cursor to get them with" in client.server.differences
        rows = client.labels()
        assert len([await anext(rows) for _ in range(3)]) == 3
        with pytest.raises(BadResponse, match="not where"):
            await anext(rows)


@pytest.mark.parametrize("cursors", [["again"], ["a", "b"]], ids=["the same", "in turns"])
async def test_cursors_that_repeat_end_the_list_with_an_error(cursors: list[str]) -> None:

    def page(cut: Slice) -> tuple[Any, dict[str, str]]:
        place = (cursors.index(cut.asked) + 1) % len(cursors) if cut.asked else 0
        return {"data": cut.rows, "next_cursor": cursors[place], "has_more": True}, {}

    def before(server: OtherServer, question: Question) -> Reply | None:
        body, headers = page(Slice("labels", [{"id": "1"}], None, question.cursor))
        return reply(body, **headers)

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        with pytest.raises(BadResponse, match="again and again"):
            [row async for row in client.labels()]
    assert len(server.asked) <= len(cursors) + 1


async def test_an_empty_page_with_a_cursor_is_not_the_end() -> None:

    def page(cut: Slice) -> tuple[Any, dict[str, str]]:
        if cut.asked is None:
            return {"data": [], "next_cursor": "at-0", "has_more": True}, {}
        return {"data": cut.rows, "next_cursor": cut.next, "has_more": bool(cut.next)}, {}

    contents = await read_from(Variant(page=page))
    assert not contents.failed
    assert len(contents.ids("conversations")) == 7


async def test_duplicates_and_rows_that_move_come_through_for_the_reader_to_merge() -> None:
    """Rows are stored by their ids."""

    def twice(name: str, rows: list[Row]) -> list[Row]:
        return [rows[0], *rows, rows[0]]

    contents = await read_from(Variant(rows=twice))
    assert not contents.failed
    assert len(set(contents.ids("conversations"))) == 7
    assert len(contents.ids("conversations")) == 9


def _oldest_first(name: str, rows: list[Row]) -> list[Row]:
    return rows[::-1] if name == "messages" else rows


async def test_a_thread_that_comes_oldest_first_is_read_to_its_end_and_turned_round() -> None:
    server = OtherServer((Variant(rows=_oldest_first),))
    async with client_of(server) as client:
        page = await client.message_page(CONVERSATION)
        assert [row.id for row in page.data] == ["5005", "5004", "5003", "5002", "5001"]
        assert page.ended
        assert OLDEST_FIRST in client.server.differences
    assert server.times_asked("messages") == 2


async def test_a_thread_without_end_is_left_after_twenty_pages() -> None:

    def before(server: OtherServer, question: Question) -> Reply:
        start = int(question.cursor or "0")
        rows = [
            {"id": str(start + n), "text": "x", "created_at": 1_773_446_400 + start + n}
            for n in range(3)
        ]
        return reply({"data": rows, "next_cursor": str(start + 3)})

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        page = await client.message_page(CONVERSATION)
        assert (len(page.data), page.data[0].id) == (60, "59")
    assert len(server.asked) == 20


@pytest.mark.parametrize(
    "answer",
    [
        problem(400, "invalid_cursor"),
        problem(400, "cursor_expired"),
        problem(410, "page_token_gone"),
        (400, {}, b'{"error": "bad request"}'),
        (422, {}, b""),
    ],
)
async def test_a_cursor_that_has_expired_is_refused_as_such(answer: Reply) -> None:

    def before(server: OtherServer, question: Question) -> Reply | None:
        return answer if question.cursor else None

    async with client_of(OtherServer((Variant(before=before),))) as client:
        page = await client.conversation_page(ALL)
        with pytest.raises(CursorRefused):
            await client.conversation_page(ALL, cursor=page.next_cursor)
        assert (await client.conversation_page(ALL)).data == page.data


async def test_empty_pages_with_new_cursors_without_end_are_given_up_after_a_few() -> None:
    def before(server: OtherServer, question: Question) -> Reply | None:
        cursor = f"at-{len(server.asked)}"
        return reply({"data": [], "next_cursor": cursor, "has_more": True})

    server = OtherServer((Variant(before=before),))
    async with client_of(server) as client:
        with pytest.raises(BadResponse, match="again and again"):
            [row async for row in client.labels()]
    assert len(server.asked) == MOST_EMPTY_PAGES
