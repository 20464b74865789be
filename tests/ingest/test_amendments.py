"""Edits, revocations, further copies, and updates that come before their message."""

import json

import pytest
from tests.ingest.event_helpers import (
    CHANNEL,
    NOW,
    apply,
    delivery,
    inbound,
    only,
    outbound,
    rows,
)

from frontdesk.ingest.apply.batch import Tally, apply_events
from frontdesk.ingest.events import (
    HISTORY_PLACEHOLDER,
    Author,
    ChannelUpsert,
    MessageEdit,
    MessageRead,
    MessageRevoke,
    NumberUpdate,
    StatusUpdate,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.store.database import Database


def edit(at: int, text: str) -> MessageEdit:
    return MessageEdit(CHANNEL, "m", at, "text", text)


def test_an_edit_replaces_what_was_said_also_in_the_list(database: Database) -> None:
    apply(database, inbound(NOW - 9000, "m"))
    applied = apply(database, edit(NOW - 8000, "better"))
    message = only(database, "message")
    assert applied.amendments == Tally(changed=1)
    assert (message["text"], message["edited_at"]) == ("better", NOW - 8000)
    assert message["created_at"] == NOW - 9000
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert preview["text"] == "better"


def test_the_latest_edit_stands_and_no_copy_of_the_message_undoes_it(database: Database) -> None:
    apply(database, inbound(NOW - 9000, "m"), edit(NOW - 7000, "second"))
    apply(database, edit(NOW - 8000, "first"), inbound(NOW - 9000, "m", source="history"))
    assert only(database, "message")["text"] == "second"


def test_an_edit_that_comes_first_waits(database: Database) -> None:
    assert apply(database, edit(NOW - 8000, "better")).amendments == Tally(new=1)
    assert apply(database, edit(NOW - 8000, "better")).amendments == Tally(known=1)
    assert rows(database, "SELECT * FROM conversation") == []
    apply(database, inbound(NOW - 9000, "m"))
    assert only(database, "message")["text"] == "better"
    assert rows(database, "SELECT * FROM orphan") == []


@pytest.mark.parametrize("first", [True, False])
def test_a_revoked_message_says_nothing_any_more(database: Database, first: bool) -> None:
    message = inbound(NOW - 9000, "m", type="image", media={"id": "7"}, raw={"a": 1})
    events = [message, MessageRevoke(CHANNEL, "m", NOW - 8000)]
    for event in reversed(events) if first else events:
        apply(database, event)
    apply(database, message, edit(NOW - 8500, "late"))
    stored = only(database, "message")
    assert stored["deleted_at"] == NOW - 8000
    assert not any(stored[name] for name in ("text", "content_json", "media_json", "raw_json"))
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert preview["text"] is None


def test_a_step_without_a_person_waits_for_its_message(database: Database) -> None:
    apply(database, StatusUpdate(CHANNEL, None, "o", NOW - 8000, "read"))
    assert rows(database, "SELECT * FROM message") == []
    apply(database, outbound(NOW - 9000, "o", status="sent"))
    message = only(database, "message")
    assert (message["delivery_status"], message["read_at"]) == ("read", NOW - 8000)


def test_without_placeholders_steps_wait_too(database: Database) -> None:
    steps = (delivery("o", "delivered", NOW - 8000), delivery("o", "sent", NOW - 8500))
    database.write(
        lambda connection: apply_events(connection, 1, steps, now=NOW, placeholders=False)
    )
    assert rows(database, "SELECT * FROM contact") == []
    apply(database, outbound(NOW - 9000, "o"))
    message = only(database, "message")
    assert (message["sent_at"], message["delivered_at"]) == (NOW - 8500, NOW - 8000)


def test_a_placeholder_that_was_a_customer_s_message_forgets_its_steps(
    database: Database,
) -> None:
    apply(database, delivery("m", "read", NOW - 8000))
    apply(database, inbound(NOW - 9000, "m"))
    message = only(database, "message")
    assert (message["direction"], message["delivery_status"], message["author"]) == (
        0,
        None,
        "contact",
    )


def test_contents_fill_a_placeholder_of_the_history_and_are_never_emptied(
    database: Database,
) -> None:
    awaited = inbound(NOW - 9000, "m", type="unsupported", richness=HISTORY_PLACEHOLDER)
    contents = inbound(NOW - 9000, "m", type="image", media={"id": "7"})
    apply(database, awaited)
    apply(database, contents)
    apply(database, awaited)
    assert only(database, "message")["type"] == "image"


def test_a_true_author_is_believed_over_the_way_a_message_was_sent(database: Database) -> None:
    apply(database, outbound(NOW - 9000, "m", source="history"))
    apply(database, outbound(NOW - 9000, "m", author=Author("campaign"), source="archive"))
    apply(database, outbound(NOW - 9000, "m", source="echo"))
    message = only(database, "message")
    assert (message["author"], message["source"]) == ("campaign", "echo")


def test_of_messages_of_one_second_the_one_stored_last_is_the_last(database: Database) -> None:
    apply(database, inbound(NOW - 9000, "b", text="first"))
    apply(database, inbound(NOW - 9000, "a", text="second"))
    preview = json.loads(only(database, "conversation")["last_message_json"])
    assert preview["text"] == "second"


def test_in_one_batch_ids_follow_the_time_and_then_the_order_of_the_events(
    database: Database,
) -> None:
    apply(database, inbound(NOW, "c"), inbound(NOW - 9000, "b"), inbound(NOW - 9000, "a"))
    found = rows(database, "SELECT wamid FROM message ORDER BY id")
    assert [row["wamid"] for row in found] == ["b", "a", "c"]


def test_a_time_in_the_future_is_kept_and_the_earliest_receipt_counts(database: Database) -> None:
    later = NOW + 3_600_000
    apply(database, inbound(NOW - 1000, "m", stamped_at=later))
    apply(database, inbound(NOW - 2000, "m", stamped_at=later))
    message = only(database, "message")
    assert (message["created_at"], message["stamped_at"]) == (NOW - 2000, later)


def test_news_of_a_number_wait_for_the_channel_that_has_it(database: Database) -> None:
    phone = "+15550783881"
    apply(database, NumberUpdate(phone, NOW - 5, {"messaging_limit": "TIER_1K"}))
    apply(database, NumberUpdate(phone, NOW - 6, {"messaging_limit": "TIER_250"}))
    apply(database, ChannelUpsert(CHANNEL, NOW - 9, phone=phone))
    apply(database, NumberUpdate(phone, NOW - 4, {"verified_name": "Lucky Shrub"}))
    channel = only(database, "channel")
    assert (channel["messaging_limit"], channel["name"]) == ("TIER_1K", "Lucky Shrub")
    assert channel["created_at"] == NOW - 9


@pytest.mark.parametrize("first", ["message", "reading"])
def test_what_the_business_has_read_is_no_longer_unread(database: Database, first: str) -> None:
    events = [inbound(NOW - 9000, "m"), MessageRead(CHANNEL, "m", NOW - 5000)]
    for event in events if first == "message" else reversed(events):
        apply(database, event)
    apply(database, inbound(NOW - 4000, "n"))
    conversation = only(database, "conversation")
    assert (conversation["read_marker"], conversation["unread_count"]) == (NOW - 9000, 1)
    assert rows(database, "SELECT * FROM orphan") == []
    assert apply(database, events[1]).events == Tally(known=1)


def test_a_message_of_the_business_is_not_read_by_it(database: Database) -> None:
    apply(database, outbound(NOW - 9000, "m"), MessageRead(CHANNEL, "m", NOW - 5000))
    assert rows(database, "SELECT * FROM conversation_event") == []


def test_of_a_template_each_part_is_what_was_reported_last(database: Database) -> None:
    named = ("77", "order", "en")
    apply(database, TemplateUpsert(*named, NOW - 5, status="REJECTED", rejected_reason="SCAM"))
    apply(database, TemplateUpsert(*named, NOW - 3, quality_score="GREEN"))
    apply(database, TemplateUpsert(*named, NOW - 4, ({"type": "BODY"},), status="APPROVED"))
    apply(database, TemplateUpsert(*named, NOW - 4, rejected_reason=""))
    template = only(database, "template")
    assert (template["status"], template["quality_score"]) == ("APPROVED", "GREEN")
    assert (template["components_json"], template["rejected_reason"]) == (
        '[{"type": "BODY"}]',
        None,
    )


def test_a_user_s_name_is_looked_up_and_not_kept_with_what_they_wrote(database: Database) -> None:
    apply(database, outbound(NOW - 9, author=Author("user", user="ana")))
    apply(database, UserUpsert("ana", "Ana Souza", NOW - 8))
    message = only(database, "message")
    assert (message["author_name"], message["author_id"]) == (None, "1")
    assert only(database, "app_user")["name"] == "Ana Souza"
