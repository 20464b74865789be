"""What changed since a position: pages, what is gone, names, and positions of another database."""

from dataclasses import replace

import httpx
import pytest
from small_inbox import CHANNELS, LABELS, START, catalogue, conversations, person

from frontdesk.ingest.erase import erase
from frontdesk.ingest.events import Author, ConversationEvent, LabelUpsert, MessageUpsert
from frontdesk.service.api_keys import SCOPES
from frontdesk.service.routes.changes import decode, encode
from frontdesk.store.accounts import add_account
from frontdesk.store.changes import ChangePosition, renew_mark
from frontdesk.store.writes import bump_revision

pytestmark = pytest.mark.both_engines

NOTHING = {"data": [], "gone": [], "names": False, "reset": False, "has_more": False}


@pytest.fixture
def inbox(add_events):
    add_events(catalogue())
    add_events(conversations(12))


@pytest.fixture
async def reader(clients, inbox) -> httpx.AsyncClient:
    return await clients.client()


async def changes(client: httpx.AsyncClient, after: str | None = None, **query: object):
    asked = {**query, **({} if after is None else {"after": after})}
    response = await client.get("/v1/changes", params=asked)
    assert response.status_code == 200, response.text
    return response.json()


async def position(client: httpx.AsyncClient) -> str:
    return (await changes(client))["next"]


def says(number: int, text: str) -> MessageUpsert:
    """A message in the conversation of `small_inbox` with this number."""
    at = START + 5_000_000_000 + number
    return MessageUpsert(
        CHANNELS[number % 3], person(number // 2), f"new-{text}", at, False, Author("contact"),
        "text", "webhook", text=text,
    )  # fmt: skip


def test_a_position_is_one_of_a_database_and_not_of_its_future():
    whole, within = ChangePosition(40), ChangePosition(40, 1042)
    assert encode(whole, "9f3c12ab") == "9f3c12ab-40"
    assert encode(within, "9f3c12ab") == "9f3c12ab-40-1042"
    assert decode("9f3c12ab-40", "9f3c12ab", 40) == whole
    assert decode("9f3c12ab-40-1042", "9f3c12ab", 41) == within
    for text in ("9f3c12ab-41", "00000000-40", "40", "", "9f3c12ab-4O", "9f3c12ab-40-", "é"):
        assert decode(text, "9f3c12ab", 40) is None, text


async def test_without_a_position_only_that_of_now_is_said(reader):
    page = await changes(reader)
    assert page == {**NOTHING, "next": page["next"]}


async def test_nothing_new_is_the_same_position(reader):
    now = await position(reader)
    assert await changes(reader, now) == {**NOTHING, "next": now}


async def test_a_conversation_is_said_as_the_list_has_it(reader, add_events):
    before = await position(reader)
    add_events([says(4, "ping")])
    page = await changes(reader, before)
    newest = (await reader.get("/v1/conversations?limit=1")).json()["data"][0]
    assert newest["last_message"]["text"] == "ping"
    assert page == {**NOTHING, "data": [newest], "next": await position(reader)}


async def test_one_commit_is_read_in_pages_and_what_changes_on_the_way_comes_again(
    reader, add_events
):
    before = await position(reader)
    add_events([says(number, f"at {number}") for number in range(7)])
    ids, pages, after, has_more = [], 0, before, True
    while has_more:
        page = await changes(reader, after, limit=3)
        ids += [row["id"] for row in page["data"]]
        after, has_more, pages = page["next"], page["has_more"], pages + 1
        if pages == 1:
            add_events([says(0, "once more")])
    assert pages == 3
    first = ids[0]
    assert ids == [*dict.fromkeys(ids[:-1]), first]
    assert len(set(ids)) == 7


async def test_a_status_or_reaction_of_an_old_message_is_a_change(reader, add_events):
    before = await position(reader)
    event = ConversationEvent(CHANNELS[0], person(0), "done", START + 9**11, "resolved")
    add_events([event])
    (row,) = (await changes(reader, before))["data"]
    assert row["status"] == "resolved"


async def test_a_label_that_changes_is_said_as_names(reader, add_events):
    before = await position(reader)
    add_events([LabelUpsert(LABELS[0], START + 1, color="#123456")])
    assert await changes(reader, before) == {
        **NOTHING, "names": True, "next": await position(reader),
    }  # fmt: skip


async def test_merged_and_erased_conversations_are_gone(reader, database):
    before = await position(reader)
    listed = (await reader.get("/v1/conversations?limit=100")).json()["data"]
    phone = person(0).phone
    ids = {row["id"] for row in listed if row["contact"]["phone"] == phone}
    erase(database, 1, phone, lambda count: None)
    page = await changes(reader, before)
    assert {*page["gone"]} == ids
    assert ids
    assert (page["data"], page["names"]) == ([], True)


async def test_a_position_ahead_of_the_database_is_reset(reader):
    mark, _, revision = (await position(reader)).partition("-")
    page = await changes(reader, f"{mark}-{int(revision) + 1}")
    assert page == {**NOTHING, "reset": True, "next": f"{mark}-{revision}"}


@pytest.mark.parametrize("after", ["", "x", "00000000-1"])
async def test_a_position_of_another_database_is_reset(reader, after):
    assert await changes(reader, after) == {
        **NOTHING, "reset": True, "next": await position(reader),
    }  # fmt: skip


async def test_a_database_that_was_put_back_has_other_positions_and_tags(reader, database):
    before = await position(reader)
    answer = await reader.get("/v1/labels")
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert (await reader.get("/v1/labels", headers=tag)).status_code == 304
    database.write(renew_mark)
    assert (await reader.get("/v1/labels", headers=tag)).status_code == 200
    assert (await changes(reader, before))["reset"]


async def test_a_key_without_messages_gets_no_last_message(clients, inbox, add_events):
    blind = await clients.client(tuple(scope for scope in SCOPES if scope != "messages:read"))
    before = await position(blind)
    add_events([says(2, "hidden")])
    (row,) = (await changes(blind, before))["data"]
    assert "last_message" not in row


async def test_a_key_without_conversations_is_refused(clients, is_problem):
    client = await clients.client(("labels:read",))
    document = is_problem(await client.get("/v1/changes"), 403, "insufficient_scope")
    assert document["required_scope"] == "conversations:read"


async def test_another_account_has_changes_of_its_own(clients, inbox, database, add_events):
    other = database.write(lambda c: add_account(c, "second", "Second", 1))
    client = await clients.client(account_id=other)
    before = await position(client)
    add_events([says(1, "not yours")])
    assert await changes(client, before) == {**NOTHING, "next": before}
    add_events([replace(says(1, "yours"), channel="106540352249999")], other)
    assert len((await changes(client, before))["data"]) == 1


async def test_twenty_thousand_changes_are_pages_of_a_hundred(reader, database):
    before = await position(reader)
    database.write(lambda c: bump_revision(c, 1, range(1, 20_001)))
    page = await changes(reader, before)
    assert page["has_more"]
    assert len(page["data"]) + len(page["gone"]) == 100
