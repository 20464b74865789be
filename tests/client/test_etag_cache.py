"""ETag cache: conditional requests, 304 responses, and their expiry."""

import pytest
from tests.client.full_read import client_of
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Question, Reply, Variant, reply
from tests.client.prepared_server import ALL

from frontdesk.client import InboxClient
from frontdesk.client.etag_cache import MOST_ANSWERS, TRUSTED
from frontdesk.errors import BadResponse
from frontdesk.system.request_priority import in_background
from frontdesk.wire import Label, Team, User

EMPTY: list[Row] = []


class Tagged(OtherServer):
    """A server whose answers carry a tag, and that says when it still holds."""

    tag = 'W/"1"'
    honest = True
    rows = EMPTY
    unchanged = 0

    def _reply(self, question: Question) -> Reply:
        held = question.headers.get("if-none-match")
        if held == self.tag if self.honest else held:
            self.unchanged += 1
            return 304, {"etag": self.tag}, b""
        return reply({"data": self.rows, "next_cursor": None, "has_more": False}, etag=self.tag)


def rows(*ids: str) -> list[Row]:
    return [{"id": id, "title": id} for id in ids]


async def test_unchanged_pages_are_not_sent_again() -> None:
    server = Tagged()
    server.rows = rows("1", "2")
    async with client_of(server) as client:
        pages = [await client.catalogue_page(Label) for _ in range(3)]
        assert pages[0] is pages[1] is pages[2]
        assert server.unchanged == client.server.unchanged == 2
        server.rows, server.tag = rows("3"), 'W/"2"'
        assert [row.id for row in (await client.catalogue_page(Label)).data] == ["3"]
        assert client.server.features["unchanged"].state == "present"


async def test_each_question_has_a_tag_of_its_own() -> None:
    server = Tagged()
    async with client_of(server) as client:
        await client.catalogue_page(Label)
        await client.catalogue_page(Label, limit=7)
        await client.catalogue_page(Team)
        assert server.unchanged == 0


async def test_the_service_itself_answers_unchanged(client: InboxClient) -> None:
    first = await client.conversation_page(ALL)
    assert await client.conversation_page(ALL) is first
    await client.counts()
    await client.counts()
    assert client.server.unchanged == 2
    assert client.server.differences == ()


async def test_a_server_that_always_says_unchanged_is_found_out() -> None:
    server = Tagged()
    server.honest, server.rows = False, rows("1")
    async with client_of(server) as client:
        await client.catalogue_page(Label)
        server.rows = rows("2")
        seen = [(await client.catalogue_page(Label)).data[0].id for _ in range(TRUSTED + 1)]
        assert seen == ["1"] * TRUSTED + ["2"]
        assert client.server.features["unchanged"].state == "ignored"
        server.rows = rows("3")
        assert (await client.catalogue_page(Label)).data[0].id == "3"


async def test_unchanged_without_having_asked_is_no_answer() -> None:
    server = OtherServer((Variant(before=lambda server, question: (304, {}, b"")),))
    async with client_of(server) as client:
        with pytest.raises(BadResponse, match="nothing changed"):
            await client.catalogue_page(Label)


@pytest.mark.parametrize("tag", ["", "x" * 600, "umläut"])
async def test_a_tag_that_cannot_be_shown_again_is_not(tag: str) -> None:
    server = Tagged()
    server.tag = tag
    async with client_of(server) as client:
        await client.catalogue_page(Label)
        await client.catalogue_page(Label)
    assert all("if-none-match" not in question.headers for question in server.asked)


async def test_the_answers_that_are_kept_are_bounded() -> None:
    server = Tagged()
    async with client_of(server) as client:
        for limit in range(1, 101):
            await client.catalogue_page(Label, limit=limit)
        await client.catalogue_page(Label, limit=1)
        assert server.unchanged == 0
        await client.catalogue_page(Label, limit=100)
        assert server.unchanged == 1


async def test_answers_to_the_background_do_not_push_out_those_to_the_foreground() -> None:
    server = Tagged()

    async def at_once() -> None:
        pass

    async with client_of(server) as client:
        await client.catalogue_page(Label)
        with in_background(at_once):
            for limit in range(1, MOST_ANSWERS + 10):
                await client.catalogue_page(User, limit=limit)
        await client.catalogue_page(Label)
    assert server.unchanged == 1
