"""ETag cache: conditional requests, 304 responses, and their expiry."""

import pytest
from tests.client.full_read import client_of
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Question, Reply, Variant, reply
from tests.client.prepared_server import ALL

from frontdesk.client import InboxClient
from frontdesk.client.etag_cache import MOST_ANSWERS, TRUSTED, CacheKey, EtagCache
from frontdesk.errors import BadResponse
from frontdesk.system.request_priority import in_background
from frontdesk.wire import Label, Page, Team, User

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


def key(number: int) -> CacheKey:
    return "/v1/labels", (("after", str(number)),)


def label_page(*ids: str) -> Page[Label]:
    return Page[Label].of([Label(id=id, title=id) for id in ids], None)


def test_the_64_answers_that_were_used_last_are_kept() -> None:
    cache = EtagCache()
    for number in range(64):
        cache.put(key(number), '"1"', label_page(), 0)
    first = cache.get(key(0))
    assert first is not None
    assert cache.touch(key(0), first) is first.value
    cache.put(key(64), '"1"', label_page(), 0)
    assert [number for number in range(65) if cache.get(key(number)) is None] == [1]


def test_what_is_unlikely_to_be_asked_for_again_goes_first() -> None:
    cache = EtagCache()
    for number in range(64):
        cache.put(key(number), '"1"', label_page(), 0, once=number == 30)
    cache.put(key(64), '"1"', label_page(), 0)
    assert [number for number in range(65) if cache.get(key(number)) is None] == [30]


@pytest.mark.parametrize(
    ("tag", "length", "kept"),
    [
        ('"1"', 0, True),
        ('"1"', 524_288, True),
        ('"1"', 524_289, False),
        ("x" * 512, 0, True),
        ("x" * 513, 0, False),
        ("", 0, False),
        ("x\n", 0, False),
    ],
)
def test_answers_of_half_a_mebibyte_and_tags_of_512_characters_are_kept(
    tag: str, length: int, kept: bool
) -> None:
    cache = EtagCache()
    assert cache.put(key(1), tag, label_page("1"), length)
    assert (cache.get(key(1)) is not None) is kept


def test_an_answer_that_is_not_kept_takes_the_place_of_one_that_was() -> None:
    cache = EtagCache()
    cache.put(key(1), '"1"', label_page("1"), 0)
    cache.put(key(1), "", label_page("2"), 0)
    assert cache.get(key(1)) is None


def test_after_20_answers_without_a_change_one_is_asked_for_whole() -> None:
    cache = EtagCache()
    cache.put(key(1), '"1"', label_page("1"), 0)
    for _ in range(20):
        cached = cache.get(key(1))
        assert cached is not None
        cache.touch(key(1), cached)
    assert cache.get(key(1)) is None
    assert cache.put(key(1), '"1"', label_page("1"), 0)
    assert cache.get(key(1)) is not None


def test_the_same_tag_with_other_rows_ends_the_trust_in_all_tags() -> None:
    cache = EtagCache()
    cache.put(key(1), '"1"', label_page("1"), 0)
    cache.put(key(2), '"1"', label_page("2"), 0)
    assert cache.put(key(1), '"2"', label_page("3"), 0)
    assert cache.get(key(2)) is not None
    assert not cache.put(key(1), '"2"', label_page("4"), 0)
    assert cache.get(key(1)) is cache.get(key(2)) is None
    assert not cache.put(key(3), '"3"', label_page("1"), 0)
    assert cache.get(key(3)) is None
