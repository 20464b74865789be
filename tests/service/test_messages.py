"""One conversation's messages and notes: order, pages, and what is folded into a message."""

import pytest
from small_inbox import catalogue, conversations, thread
from tests.ingest import webhooks

from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.store.accounts import add_account


@pytest.fixture
async def path(client, add_events):
    """The path of the long conversation."""
    add_events(catalogue())
    add_events(conversations(6))
    add_events(thread())
    newest = (await client.get("/v1/conversations?limit=1")).json()["data"][0]
    return f"/v1/conversations/{newest['id']}"


@pytest.fixture
async def messages(client, rows, path):
    """The messages of the long conversation by the end of their provider id."""
    found = await rows(client, f"{path}/messages", limit=100)
    return {int(message["wamid"].rpartition(".")[2]): message for message in found}


@pytest.mark.both_engines
@pytest.mark.parametrize("limit", [1, 3, 4, 50])
async def test_messages_come_newest_first_each_once(client, rows, path, limit):
    walked = await rows(client, f"{path}/messages", limit=limit)
    keys = [
        (message["created_at"], message["direction"] == "outbound", int(message["id"]))
        for message in walked
    ]
    assert len(keys) == 67
    assert keys == sorted(set(keys), reverse=True)
    assert walked == await rows(client, f"{path}/messages", limit=100)


async def test_without_a_limit_a_page_of_messages_has_50(client, path):
    assert len((await client.get(f"{path}/messages")).json()["data"]) == 50


async def test_a_message_carries_the_pricing_that_the_provider_reported_last(client, add_events):
    pricing = {"billable": True, "pricing_model": "PMP", "category": "marketing", "type": "regular"}
    steps = [
        webhooks.status("sent", 1, "sent", pricing={**pricing, "category": "utility"}),
        webhooks.status("sent", 2, "delivered", pricing=pricing),
        webhooks.status("sent", 3, "read"),
        webhooks.status("partly", 4, "sent", pricing={"billable": False, "type": 7}),
        webhooks.status("unpriced", 5, "sent", pricing="none"),
    ]
    steps = [{**step, "recipient_id": "16505550001"} for step in steps]
    add_events(normalise(webhooks.body(webhooks.value(statuses=steps)), live=True).events)
    (conversation,) = (await client.get("/v1/conversations")).json()["data"]
    found = (await client.get(f"/v1/conversations/{conversation['id']}/messages")).json()["data"]
    assert {message["wamid"]: message.get("pricing", "absent") for message in found} == {
        "sent": {"billable": True, "model": "PMP", "category": "marketing", "type": "regular"},
        "partly": {"billable": False},
        "unpriced": "absent",
    }


async def test_a_message_says_all_that_is_known_of_it_and_nothing_once_it_is_deleted(
    client, add_events
):
    said = {"from": "16505550001", **webhooks.text("w1", 1)}
    add_events(normalise(webhooks.body(webhooks.value(messages=[said])), live=True).events)
    (conversation,) = (await client.get("/v1/conversations")).json()["data"]
    path = f"/v1/conversations/{conversation['id']}/messages"
    (message,) = (await client.get(path)).json()["data"]
    expected = {
        "id": message["id"],
        "conversation_id": conversation["id"],
        "direction": "inbound",
        "author": "contact",
        "author_ref": message["author_ref"],
        "type": "text",
        "text": "said in w1",
        "content": None,
        "media": None,
        "reply_to": None,
        "forwarded": None,
        "referral": None,
        "reactions": [],
        "delivery_status": None,
        "delivery": None,
        "error": None,
        "wamid": "w1",
        "source": "webhook",
        "edited_at": None,
        "deleted_at": None,
        "created_at": message["created_at"],
    }
    assert message == expected
    revoke = {
        **{"from": "16505550001", "id": "w2", "type": "revoke"},
        "timestamp": str(webhooks.SECONDS + 60),
        "revoke": {"original_message_id": "w1"},
    }
    add_events(normalise(webhooks.body(webhooks.value(messages=[revoke])), live=True).events)
    (message,) = (await client.get(path)).json()["data"]
    assert message["deleted_at"] is not None
    assert message == {**expected, "text": None, "deleted_at": message["deleted_at"]}


async def test_a_reply_shows_what_it_answers(messages):
    assert messages[60]["reply_to"] == {
        "message_id": messages[3]["id"],
        "wamid": "wamid.long.3",
        "direction": "inbound",
        "author": "contact",
        "type": "text",
        "text": "line 3",
    }


async def test_a_reply_to_an_unknown_message_says_only_which(messages):
    reply = messages[61]["reply_to"]
    assert reply.pop("wamid") == "wamid.unknown"
    assert set(reply.values()) == {None}


async def test_a_long_quotation_is_cut(messages):
    assert messages[63]["reply_to"]["text"] == "x" * 200


async def test_reactions_are_folded_into_their_message_and_taken_away_with_it(messages):
    assert messages[60]["reactions"] == [
        {
            "emoji": "👍",
            "direction": "inbound",
            "author": "contact",
            "created_at": messages[60]["reactions"][0]["created_at"],
        }
    ]
    assert messages[3]["reactions"] == []


async def test_a_message_has_its_author_as_far_as_known(messages, client):
    contact = (await client.get("/v1/contacts/by-phone/+5511987654321")).json()
    assert messages[0]["author_ref"] == {"id": contact["id"], "name": "Zoë Araújo"}
    assert messages[60]["author_ref"] == {"id": "1", "name": "Ana Souza"}
    assert messages[61]["author_ref"] is None
    assert messages[62]["author_ref"] == {"id": None, "name": "Delphi"}


async def test_an_author_that_no_list_knows_is_kept(messages):
    assert messages[62]["author"] == "oracle"


async def test_only_an_outbound_message_has_a_delivery(messages):
    assert messages[0]["delivery"] is None
    assert messages[0]["delivery_status"] is None
    assert messages[60]["delivery_status"] == "read"
    assert messages[60]["delivery"]["read_at"] == "2026-04-19T12:01:30.000Z"
    assert messages[61]["delivery_status"] == "failed"
    assert messages[61]["error"] == {
        "code": 131026,
        "title": "Message undeliverable",
        "details": None,
    }


async def test_media_and_contents_have_every_member(messages):
    assert messages[64]["media"] == {
        "id": "24230790383178626",
        "mime_type": "image/jpeg",
        "filename": None,
        "size_bytes": None,
        "sha256": None,
        "voice": None,
        "animated": None,
        "url": None,
        "url_expires_at": None,
        "status": None,
        "width": None,
        "height": None,
        "duration_ms": None,
    }
    place = {"latitude": 52.5, "longitude": 13.4}
    assert messages[65]["content"] == {**place, "name": None, "address": None, "url": None}


@pytest.mark.parametrize("limit", [1, 3, 100])
async def test_notes_come_newest_first_each_once(client, rows, path, limit):
    notes = await rows(client, f"{path}/notes", limit=limit)
    assert [note["text"] for note in notes] == [
        *(f"note {number}" for number in range(8, 1, -1)),
        "Promised a call back.",
    ]
    assert notes[0]["author_ref"] == {"id": "1", "name": "Ana Souza"}


async def test_notes_and_messages_do_not_share_cursors(client, path, is_problem):
    cursor = (await client.get(f"{path}/messages?limit=1")).json()["next_cursor"]
    response = await client.get(f"{path}/notes", params={"cursor": cursor})
    is_problem(response, 400, "cursor_mismatch")


async def test_two_conversations_do_not_share_cursors(client, path, is_problem):
    cursor = (await client.get(f"{path}/messages?limit=1")).json()["next_cursor"]
    response = await client.get("/v1/conversations/1/messages", params={"cursor": cursor})
    is_problem(response, 400, "cursor_mismatch")


NOWHERE = ["999", "0", "-1", "01", "1.0", "abc", "%20", "9" * 30, "1%00", "%ff", "٣"]


async def test_an_id_that_leads_nowhere_is_not_found(client, path, is_problem):
    for wrong in NOWHERE:
        for list_name in ["messages", "notes"]:
            response = await client.get(f"/v1/conversations/{wrong}/{list_name}")
            assert is_problem(response, 404, "conversation_not_found")["resource"] == "conversation"


async def test_parameters_are_checked_before_the_id(client, path, is_problem):
    response = await client.get("/v1/conversations/999/messages?limit=0")
    is_problem(response, 400, "invalid_limit")


async def test_another_account_has_none_of_it(
    client, clients, database, path, add_events, is_problem
):
    other = database.write(lambda connection: add_account(connection, "other", "Other", 0))
    stranger = await clients.client(account_id=other)
    is_problem(await stranger.get(f"{path}/messages"), 404, "conversation_not_found")
    is_problem(await stranger.get(f"{path}/notes"), 404, "conversation_not_found")
    is_problem(await stranger.get("/v1/contacts/by-phone/+5511987654321"), 404, "contact_not_found")
    for listed in ("conversations", "contacts", "labels", "users", "teams", "channels"):
        assert (await stranger.get(f"/v1/{listed}")).json()["data"] == []
    for query in ("assignee=1", "channel=106540352242922", "label=billing"):
        is_problem(await stranger.get(f"/v1/conversations?{query}"), 400, "invalid_filter")
    assert (await stranger.get("/v1/conversations/counts")).json()["all"] == 0
    cursor = (await client.get("/v1/conversations?limit=1")).json()["next_cursor"]
    response = await stranger.get("/v1/conversations", params={"cursor": cursor})
    is_problem(response, 400, "cursor_mismatch")
