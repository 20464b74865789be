"""The mailbox over servers that deviate."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.client.full_read import CONVERSATION, client_of
from tests.client.inbox_rows import Row
from tests.client.other_server import OtherServer, Variant, problem
from tests.client.test_missing_features import Unfiltered, answering, by_id
from tests.client.variants import ENVELOPES, ROWS

from frontdesk.cache import Cache
from frontdesk.errors import NotFound
from frontdesk.mailbox import Mailbox
from frontdesk.wire import ConversationFilter

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
OPEN = ConversationFilter(status="open")


def oldest_first(name: str, rows: list[Row]) -> list[Row]:
    return rows[::-1] if name == "messages" else rows


def twice(name: str, rows: list[Row]) -> list[Row]:
    return [rows[0], *rows, rows[-1]] if name in ("conversations", "messages") else rows


SERVERS = {
    "the contract": OtherServer,
    "bare lists and links": lambda: OtherServer((ENVELOPES["V11"],)),
    "JSON:API": lambda: OtherServer((ENVELOPES["V40"],)),
    "camel case and tokens": lambda: OtherServer((ROWS["V39"], ENVELOPES["V16"])),
    "numbers as ids": lambda: OtherServer((ROWS["V24 numbers"],)),
    "seconds as times": lambda: OtherServer((ROWS["V25 seconds"], ENVELOPES["V06"])),
    "ids of channels": lambda: OtherServer((ROWS["V27 inbox_id"],)),
    "ids of people": lambda: OtherServer((ROWS["V28 number"], ROWS["V29"])),
    "another platform": lambda: OtherServer((ROWS["the names of another platform"],)),
    "oldest first": lambda: OtherServer((Variant(rows=oldest_first),)),
    "everything twice": lambda: OtherServer((Variant(rows=twice),)),
    "no filters": Unfiltered,
    "no notes": lambda: OtherServer((answering("notes", problem(404, "route_not_found")),)),
}


@pytest.mark.parametrize("name", SERVERS)
async def test_an_inbox_is_the_same_inbox(name: str, tmp_path: Path) -> None:
    server = SERVERS[name]()
    cache = Cache(tmp_path / "pages.db", "test")
    try:
        mailbox = Mailbox(lambda: client_of(server), cache, clock=lambda: NOW)
        await mailbox.connect()
        await mailbox.refresh_conversations(OPEN)
        await mailbox.older_conversations(OPEN)
        assert [row.id for row in mailbox.conversations(OPEN)] == ["1006", "1003"]
        await mailbox.refresh_thread(CONVERSATION)
        while (await mailbox.older_messages(CONVERSATION)).changed:
            continue
        await mailbox.refresh_notes(CONVERSATION)
        ids = [row.id for row in mailbox.thread(CONVERSATION)]
        assert [id for id in ids if id.startswith("50")] == ["5001", "5002", "5003", "5004", "5005"]
        assert len(ids) == (5 if name == "no notes" else 9)
        await mailbox.refresh_catalogues()
        assert [row.title for row in mailbox.catalogues.labels()] == [
            "billing",
            "vip",
            "later",
            "spam",
        ]
        await mailbox.close()
    finally:
        cache.close()


async def test_a_conversation_that_is_gone_is_taken_out_whatever_the_server_calls_it(
    tmp_path: Path,
) -> None:
    server = OtherServer()
    cache = Cache(tmp_path / "pages.db", "test")
    try:
        mailbox = Mailbox(lambda: client_of(server), cache, clock=lambda: NOW)
        await mailbox.connect()
        await mailbox.refresh_conversations(OPEN)
        server.variants = (answering("messages", (404, {}, b"<html>")),)
        with pytest.raises(NotFound):
            await mailbox.refresh_thread(CONVERSATION)
        assert CONVERSATION not in [row.id for row in mailbox.conversations(OPEN)]
        await mailbox.close()
    finally:
        cache.close()


@pytest.mark.parametrize("has_it", [True, False])
async def test_one_conversation_is_asked_for_by_its_id_where_the_server_has_that(
    has_it: bool, tmp_path: Path
) -> None:
    server = OtherServer((by_id(lambda row: row),) if has_it else ())
    cache = Cache(tmp_path / "pages.db", "test")
    try:
        mailbox = Mailbox(lambda: client_of(server), cache, clock=lambda: NOW)
        await mailbox.connect()
        await mailbox.refresh_conversations(OPEN)
        row = mailbox.conversation(CONVERSATION)
        assert row is not None
        server.asked.clear()
        for _ in range(2):
            await mailbox.refresh_conversation(row)
        names = [question.name for question in server.asked]
        if has_it:
            assert names == ["conversation"] * 2
        else:
            assert names[:2] == ["conversation", "conversations"]
            assert names.count("conversation") == 1
        await mailbox.close()
    finally:
        cache.close()
