"""The state of the server as the mailbox shows it, and missing features."""

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.client.full_read import CONVERSATION, client_of
from tests.client.other_server import OtherServer, Reply, problem
from tests.client.test_missing_features import answering
from tests.conftest import NOW

from frontdesk.cache import Cache
from frontdesk.errors import Unauthorised
from frontdesk.mailbox import Mailbox
from frontdesk.mailbox.cached_inbox import (
    excerpts_of,
    remark_on,
    save_excerpts,
    save_total,
    total_of,
)
from frontdesk.wire import ConversationFilter, ConversationPage, Counts
from frontdesk.wire.envelopes import MessageMatch

EVERYTHING = ConversationFilter()
LACKING = problem(404, "route_not_found")
REFUSED = problem(403, "insufficient_scope", required_scope="notes:read")


class Reading:
    """A mailbox on a server with variants."""

    def __init__(self, cache: Cache) -> None:
        self.server = OtherServer()
        self.mailbox = Mailbox(lambda: client_of(self.server), cache, clock=lambda: NOW)

    def answers(self, **answers: Reply) -> None:
        self.server.variants = tuple(
            answering(name.replace("__", "/"), reply) for name, reply in answers.items()
        )


@pytest.fixture
async def reading(cache: Cache) -> AsyncIterator[Reading]:
    reading = Reading(cache)
    yield reading
    await reading.mailbox.close()


async def test_nothing_is_known_of_a_server_before_it_is_connected(reading: Reading) -> None:
    assert reading.mailbox.server is None
    assert reading.mailbox.state_of("notes") == "unknown"
    await reading.mailbox.connect()
    assert reading.mailbox.server is not None
    assert reading.mailbox.server.requests == 0


async def test_everything_is_asked_for_once_and_known_then(reading: Reading) -> None:
    reading.answers(notes=REFUSED, teams=LACKING)
    await reading.mailbox.connect()
    asked: list[str] = []
    await reading.mailbox.discover(asked.append)
    assert "contacts by phone" in asked
    server = reading.mailbox.server
    assert server is not None
    assert (server.features["notes"].words, server.features["notes"].scope) == (
        "notes",
        "notes:read",
    )
    assert [reading.mailbox.state_of(name) for name in ("notes", "teams", "users")] == [
        "forbidden",
        "absent",
        "present",
    ]


async def test_a_refused_key_ends_the_questions(reading: Reading) -> None:
    reading.answers(conversations=problem(401, "key_revoked"))
    await reading.mailbox.connect()
    with pytest.raises(Unauthorised):
        await reading.mailbox.discover(lambda words: None)
    assert len(reading.server.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        LACKING,
        problem(403, "insufficient_scope", required_scope="conversations:read"),
        (200, {}, b"<html>"),
    ],
)
async def test_counts_that_cannot_be_had_change_nothing(reading: Reading, answer: Reply) -> None:
    await reading.mailbox.connect()
    assert await reading.mailbox.refresh_counts(EVERYTHING)
    held = reading.mailbox.counts(EVERYTHING)
    assert isinstance(held, Counts)
    reading.answers(conversations__counts=answer)
    for _ in range(2):
        assert not await reading.mailbox.refresh_counts(EVERYTHING)
    assert reading.mailbox.counts(EVERYTHING) == held
    assert reading.mailbox.state_of("counts") != "present"


async def test_what_a_server_remarks_on_a_query_is_kept_with_its_number(cache: Cache) -> None:
    told = "Words are looked for in names only: the key lacks a scope."
    page = ConversationPage(data=(), next_cursor=None, total=0, remark=f"{told}\n")
    asked = ConversationFilter(query="plum")
    await save_total(cache, asked, page)
    assert (total_of(cache, asked), remark_on(cache, asked)) == (0, told)
    assert remark_on(cache, ConversationFilter(query="pear")) == ""


async def test_what_a_query_found_in_messages_is_kept_for_the_pages_of_its_list(
    cache: Cache,
) -> None:
    asked = ConversationFilter(query="plum")

    def page(*ids: str) -> ConversationPage:
        matches = [
            MessageMatch(
                conversation_id=id,
                message_id=f"m{id}",
                created_at="2026-03-01T10:00:00Z",
                direction="inbound",
                excerpt=f"a plum\nfor {id}",
            )
            for id in ids
        ]
        return ConversationPage(data=(), next_cursor=None, matches=tuple(matches))

    await save_excerpts(cache, asked, page("7", "8"), first=True)
    await save_excerpts(cache, asked, page("9"), first=False)
    kept = excerpts_of(cache, asked)
    assert kept == {id: f"a plum for {id}" for id in ("7", "8", "9")}
    await save_total(cache, asked, page("7"))
    assert excerpts_of(cache, asked) == kept
    await save_excerpts(cache, asked, page("8"), first=True)
    assert excerpts_of(cache, asked).keys() == {"8"}
    assert excerpts_of(cache, ConversationFilter(query="pear")) == {}
    assert excerpts_of(cache, ConversationFilter(status="open")) == {}


async def test_notes_that_the_key_may_not_read_do_not_stop_the_thread(reading: Reading) -> None:
    reading.answers(notes=REFUSED)
    await reading.mailbox.connect()
    await reading.mailbox.refresh_conversations(EVERYTHING)
    await reading.mailbox.refresh_thread(CONVERSATION)
    for _ in range(2):
        assert not (await reading.mailbox.refresh_notes(CONVERSATION)).changed
    assert reading.server.times_asked("notes") == 1


async def test_contacts_that_cannot_be_asked_for_are_not_forgotten(reading: Reading) -> None:
    await reading.mailbox.connect()
    await reading.mailbox.refresh_conversations(EVERYTHING)
    conversation = reading.mailbox.conversation(CONVERSATION)
    assert conversation is not None
    await reading.mailbox.refresh_contact(conversation)
    for answer in (LACKING, REFUSED):
        reading.server.variants = (
            answering("contacts/by-phone", answer),
            answering("contacts", answer),
        )
        assert not await reading.mailbox.refresh_contact(conversation)
    assert reading.mailbox.contact(conversation) is not None


async def test_usage_counts_what_is_cached(reading: Reading) -> None:
    empty = await reading.mailbox.usage()
    assert (empty.origin.conversations, empty.origin.oldest) == (0, None)
    assert empty.limit_bytes > 0
    await reading.mailbox.connect()
    await reading.mailbox.refresh_conversations(EVERYTHING)
    await reading.mailbox.refresh_thread(CONVERSATION)
    kept = await reading.mailbox.usage()
    assert kept.origin.conversations == len(reading.mailbox.conversations(EVERYTHING))
    assert kept.origin.messages == 3
    assert kept.origin.newest is not None
    assert 0 < kept.origin.size_bytes <= kept.size_bytes


async def test_a_cache_that_is_something_else_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "pages.db"
    path.write_text("the list of guests")
    cache = Cache(path, "test")
    try:
        assert (await Mailbox(lambda: client_of(OtherServer()), cache).usage()).size_bytes == 0
    finally:
        cache.close()


def test_a_start_of_the_viewer_imports_no_network_stack() -> None:
    code = (
        "import sys, frontdesk.tui.app, frontdesk.mailbox;"
        "sys.exit('httpx' in sys.modules or 'frontdesk.client' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
