"""Rows as values of the wire: every member is there, and what is unknown is null."""

import json
from typing import Any

import pytest

from frontdesk.service.serializers import (
    MessageFile,
    conversation_body,
    conversation_page,
    custom_fields,
    excerpt,
    message_body,
    message_match,
    person_metrics,
    report_metrics,
)
from frontdesk.text.search import Terms

AT, SHOWN = 1_773_480_413_007, "2026-03-14T09:26:53.007Z"
A_DAY_LATER = "2026-03-15T09:26:53.007Z"


def conversation_row(**members: Any) -> dict[str, Any]:
    unknown = (
        *("snoozed_until", "unread_count", "waiting_since", "first_reply_at", "last_inbound_at"),
        *("last_message_json", "contact_name", "contact_phone", "handed_over_at", "episode_at"),
        *("contact_username", "assignee"),
    )
    return {
        **dict.fromkeys(unknown),
        "id": 7,
        "status": 0,
        "awaiting_human": 0,
        "phone_number_id": "101",
        "channel_name": "Support",
        "channel_phone": "+15550001111",
        "contact_id": 9,
        "assignee_id": 0,
        "last_activity_at": AT,
        "created_at": AT,
        "updated_at": AT,
        **members,
    }


@pytest.mark.parametrize(
    ("members", "shown"),
    [
        ({"awaiting_human": 1, "handed_over_at": AT, "episode_at": AT - 1}, SHOWN),
        ({"awaiting_human": 1, "handed_over_at": AT}, SHOWN),
        ({"awaiting_human": 1, "handed_over_at": AT, "episode_at": AT + 1}, None),
        ({"awaiting_human": 0, "handed_over_at": AT}, None),
        ({"awaiting_human": 1}, None),
    ],
)
def test_a_hand_over_is_told_while_it_waits_for_a_person(
    members: dict[str, int], shown: str | None
) -> None:
    body = conversation_body(conversation_row(**members), [], with_preview=False)
    assert json.loads(body.json).get("handed_over_at") == shown


def test_a_conversation_has_every_member() -> None:
    row = conversation_row(
        status=1,
        awaiting_human=1,
        snoozed_until=AT,
        contact_name="Ana",
        contact_phone="+16505551234",
        assignee_id=3,
        assignee="Bo",
        unread_count=2,
        waiting_since=AT,
        first_reply_at=AT,
        last_inbound_at=AT,
        last_message_json='{"id":"1"}',
    )
    body = conversation_body(row, [{"title": "vip"}, {"title": "billing"}], with_preview=True)
    assert json.loads(body.json) == {
        "id": "7",
        "status": "snoozed",
        "awaiting_human": True,
        "snoozed_until": SHOWN,
        "channel": {"id": "101", "name": "Support", "phone": "+15550001111"},
        "contact": {"id": "9", "name": "Ana", "phone": "+16505551234"},
        "assignee": {"id": "3", "name": "Bo"},
        "labels": ["vip", "billing"],
        "unread_count": 2,
        "waiting_since": SHOWN,
        "first_reply_at": SHOWN,
        "last_inbound_at": SHOWN,
        "service_window_expires_at": A_DAY_LATER,
        "last_activity_at": SHOWN,
        "last_message": {"id": "1"},
        "created_at": SHOWN,
        "updated_at": SHOWN,
    }


def test_a_customer_has_a_username_if_one_is_known() -> None:
    for known, members in (("ida.w", {"username": "ida.w"}), (None, {})):
        row = conversation_row(contact_username=known)
        contact = json.loads(conversation_body(row, [], with_preview=True).json)["contact"]
        assert contact == {"id": contact["id"], "name": None, "phone": None, **members}


def test_what_is_not_known_of_a_conversation_is_null() -> None:
    members = json.loads(conversation_body(conversation_row(), [], with_preview=True).json)
    nulls = {name for name, value in members.items() if value is None}
    assert nulls == {
        *("snoozed_until", "assignee", "unread_count", "waiting_since", "first_reply_at"),
        *("last_inbound_at", "service_window_expires_at", "last_message"),
    }
    nameless = conversation_row(assignee_id=3)
    assigned = json.loads(conversation_body(nameless, [], with_preview=False).json)
    assert assigned["assignee"] == {"id": "3", "name": ""}


@pytest.mark.parametrize("with_preview", [True, False])
@pytest.mark.parametrize("cursor", ["next", None])
def test_a_page_says_whether_there_is_more(cursor: str | None, with_preview: bool) -> None:
    row = conversation_row(last_message_json='{"id":"1"}')
    body = conversation_page([row], {7: []}, cursor, {"total": 3}, with_preview=with_preview)
    page = json.loads(body.json)
    assert (page["next_cursor"], page["has_more"], page["total"]) == (cursor, cursor is not None, 3)
    assert body.next_cursor == cursor
    assert page["data"][0].get("last_message", "none") == ({"id": "1"} if with_preview else "none")


def test_a_match_names_its_message() -> None:
    contents = dict.fromkeys(("content_json", "media_json", "referral_json", "deleted_at"))
    facts = {"author": "user", "type": "audio", "source": "webhook", "text": "My words"}
    message = {"id": 5, "created_at": AT, "direction": 1, **contents, **facts}
    match = {
        "conversation_id": "7",
        "message_id": "5",
        "created_at": SHOWN,
        "direction": "outbound",
        "excerpt": "My words",
        "cursor": "c",
    }
    words, said = Terms.of("words"), ("My words",)
    assert message_match(7, {**message, "file_text": None}, said, words, "c") == match
    read = {**message, "file_text": "Other words\nof a file"}
    assert message_match(7, read, said, words, "c") == match
    in_file = {**match, "excerpt": "Other words of a file", "in_file": "audio"}
    assert message_match(7, read, said, Terms.of("other"), "c") == in_file


def test_an_excerpt_of_up_to_160_characters_is_the_whole_line() -> None:
    line = "refund " + "x" * 153
    assert len(line) == 160
    assert excerpt([line], Terms.of("refund")) == line
    longer = excerpt([line + "x"], Terms.of("refund"))
    assert (len(longer), longer[-1]) == (160, "…")


def test_an_excerpt_is_of_the_piece_with_the_most_words() -> None:
    pieces = ["a refund", "the refund\n of today", "today"]
    assert excerpt(pieces, Terms.of("refund today")) == "the refund of today"


@pytest.mark.parametrize("before", [0, 3, 10, 30, 60])
@pytest.mark.parametrize("after", [0, 30])
def test_a_long_line_is_cut_around_the_first_word(before: int, after: int) -> None:
    line = "Straße, " * before + "the refund was late" + " and so on" * after
    found = excerpt([line], Terms.of("refund"))
    assert len(found) <= 160
    assert "the refund was" in found
    assert (found == line) == (len(line) <= 160)
    inner = found.removeprefix("…").removesuffix("…")
    assert inner in line
    assert line.startswith(inner) == (found[0] != "…")
    assert line.endswith(inner) == (found[-1] != "…")
    assert found[0] != "…" or line[line.index(inner) - 1] == " "
    # The word begins in the first two of the parts that a line is looked through by.
    assert found == line or inner.index("refund") <= 64


def message_row(**members: Any) -> dict[str, Any]:
    unknown = (
        *("text", "content_json", "media_json", "reply_wamid", "forwarded", "referral_json"),
        *("delivery_status", "sent_at", "delivered_at", "read_at", "played_at", "failed_at"),
        *("error_json", "wamid", "edited_at", "deleted_at", "expired_at", "billable"),
        *("pricing_model", "category", "pricing_type"),
    )
    return {
        **dict.fromkeys(unknown),
        "id": 5,
        "conversation_id": 7,
        "direction": 0,
        "author": "contact",
        "type": "text",
        "source": "webhook",
        "created_at": AT,
        **members,
    }


def message(file: MessageFile | None = None, **members: Any) -> dict[str, Any]:
    body = message_body(message_row(**members), None, None, [], file)
    return body.model_dump(mode="json", exclude_unset=True)


def test_a_message_has_every_member_but_those_that_are_absent_where_unknown() -> None:
    nulls = (
        *("author_ref", "text", "content", "media", "reply_to", "forwarded", "referral"),
        *("delivery_status", "delivery", "error", "wamid", "edited_at", "deleted_at"),
    )
    assert message() == {
        **dict.fromkeys(nulls),
        "id": "5",
        "conversation_id": "7",
        "direction": "inbound",
        "author": "contact",
        "type": "text",
        "source": "webhook",
        "reactions": [],
        "created_at": SHOWN,
    }
    assert message(expired_at=AT)["expired_at"] == SHOWN


def test_only_what_was_sent_has_its_delivery() -> None:
    steps = {"delivery_status": "read", "sent_at": AT, "read_at": AT}
    assert message(**steps)["delivery"] is None
    sent = message(direction=1, **steps)
    assert sent["delivery_status"] == "read"
    known = {name: value for name, value in sent["delivery"].items() if value is not None}
    assert known == {"sent_at": SHOWN, "read_at": SHOWN}
    assert message(**steps)["delivery_status"] is None


def test_a_deleted_message_says_nothing() -> None:
    contents = {"text": "x", "content_json": '{"a":1}', "media_json": '{"id":"1"}'}
    deleted = message(deleted_at=AT, **contents)
    assert [deleted[name] for name in ("text", "content", "media")] == [None] * 3
    assert deleted["deleted_at"] == SHOWN
    kept = message(**contents)
    assert (kept["text"], kept["content"]["a"], kept["media"]["id"]) == ("x", 1, "1")


@pytest.mark.parametrize(
    ("members", "pricing"),
    [
        ({"billable": 0}, {"billable": False}),
        ({"billable": 1, "category": "utility"}, {"billable": True, "category": "utility"}),
        ({"pricing_model": "PMP"}, {"model": "PMP"}),
        ({"pricing_type": "regular"}, {"type": "regular"}),
        ({}, None),
    ],
)
def test_a_price_has_the_members_that_were_reported(
    members: dict[str, Any], pricing: dict[str, Any] | None
) -> None:
    assert message(**members).get("pricing") == pricing
    assert ("pricing" in message(**members)) == (pricing is not None)


@pytest.mark.parametrize(
    ("type_", "direction", "content"),
    [
        ("location", 0, dict.fromkeys(("latitude", "longitude", "name", "address", "url"))),
        ("contacts", 0, {"contacts": []}),
        ("call", 0, dict.fromkeys(("status", "duration_seconds", "video"))),
        (
            "interactive",
            0,
            dict.fromkeys(("kind", "id", "title", "description", "payload", "response")),
        ),
        (
            "interactive",
            1,
            dict.fromkeys(("kind", "header", "body", "footer", "buttons", "sections")),
        ),
        ("template", 1, {"name": None, "language": None, "category": None, "components": []}),
        ("order", 0, {"catalog_id": None, "items": []}),
        (
            "reaction",
            0,
            {"emoji": None, "removed": False, "target_message_id": None, "target_wamid": None},
        ),
        (
            "unsupported",
            0,
            {"reason": "unknown_type", "original_type": None, "errors": []},
        ),
        ("text", 0, {}),
    ],
)
def test_contents_have_every_member_of_their_type(
    type_: str, direction: int, content: dict[str, Any]
) -> None:
    found = message(type=type_, direction=direction, content_json='{"more":1}')["content"]
    assert found == {**content, "more": 1}
    assert message(type=type_, direction=direction)["content"] is None


def quoted(**members: Any) -> Any:
    row = {"id": 4, "direction": 1, "author": "user", "type": "text", "text": "x" * 300}
    known = {**row, "deleted_at": None, "media_json": None, **members}
    reply = message_body(message_row(reply_wamid="w"), None, known, [])
    return reply.model_dump(mode="json", exclude_unset=True)["reply_to"]


def test_a_product_that_is_asked_about_is_no_reply_to_an_unknown_message() -> None:
    content = '{"referred_product": {"catalog_id": "71", "product_retailer_id": "CUP-7"}}'
    row = message_row(type="text", reply_wamid="w", content_json=content)
    assert message_body(row, None, None, []).reply_to is None
    known = message_row(id=3, type="image")
    reply = message_body(row, None, known, []).reply_to
    assert reply is not None
    assert reply.message_id == "3"


def test_a_quoted_message_is_short_and_says_nothing_if_it_is_deleted() -> None:
    assert quoted() == {
        "message_id": "4",
        "wamid": "w",
        "direction": "outbound",
        "author": "user",
        "type": "text",
        "text": "x" * 200,
    }
    assert quoted(deleted_at=AT)["text"] is None
    assert quoted(type="audio", media_json='{"voice": true}')["voice"] is True
    assert "voice" not in quoted(type="audio", media_json='{"voice": null}')
    unknown = message(reply_wamid="w")["reply_to"]
    names = ("message_id", "direction", "author", "type", "text")
    assert unknown == {"wamid": "w", **dict.fromkeys(names)}


FILE = {
    "state": "stored",
    "size": 5,
    "mime": "image/png",
    "key": "k",
    "width": 4,
    "height": 3,
    "duration_ms": None,
    "text_state": None,
}


def test_a_stored_file_adds_what_the_provider_did_not_say() -> None:
    media = message(MessageFile(FILE, True), type="image", media_json="{}")["media"]
    known = {name: value for name, value in media.items() if value is not None}
    assert known == {
        "status": "available",
        "size_bytes": 5,
        "mime_type": "image/png",
        "url": "/v1/media/k",
        "width": 4,
        "height": 3,
    }
    said = '{"size_bytes":6,"mime_type":"image/jpeg"}'
    media = message(MessageFile(FILE, True), type="image", media_json=said)["media"]
    assert (media["size_bytes"], media["mime_type"]) == (5, "image/jpeg")
    media = message(MessageFile({**FILE, "state": "pending"}, True), media_json=said)["media"]
    assert media["size_bytes"] == 6


def test_a_file_has_its_words_for_keys_that_may_read_it() -> None:
    read = {
        **FILE,
        "text": "Total 4",
        "text_state": "due",
        "text_by": "bills@1f",
        "text_at": AT,
        "text_language": None,
    }
    media = message(MessageFile(read, True), type="image", media_json="{}")["media"]
    assert media["text"] == {
        "status": "due",
        "text": "Total 4",
        "language": None,
        "by": "bills@1f",
        "at": SHOWN,
    }
    refused = message(MessageFile(read, False), type="image", media_json="{}")["media"]
    assert "text" not in refused


@pytest.mark.parametrize(
    ("file", "status", "url"),
    [
        (MessageFile(FILE, False), "available", None),
        (MessageFile({**FILE, "state": "pending"}, True), "pending", "/v1/media/k"),
        (MessageFile(None, True), "absent", None),
    ],
)
def test_a_file_has_an_address_for_keys_that_may_read_it(
    file: MessageFile, status: str, url: str | None
) -> None:
    media = message(file, type="image", media_json="{}")["media"]
    assert (media["status"], media["url"]) == (status, url)


def test_an_error_has_every_member() -> None:
    error = {"code": 1, "title": "x"}
    assert message(error_json=json.dumps(error))["error"] == {**error, "details": None}


def test_custom_fields_have_plain_values() -> None:
    stored = '{"a":1,"b":null,"c":[1,"é"],"d":{"x":1},"e":false,"f":""}'
    assert custom_fields(stored) == {
        "a": 1,
        "c": '[1, "é"]',
        "d": '{"x": 1}',
        "e": False,
        "f": "",
    }


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        (r'{"a":"\ud83d"}', "\ufffd"),
        (r'{"a":"\uD83D\uDE00"}', "\U0001f600"),
        ('{"a":NaN}', None),
        ('{"a":-Infinity}', None),
    ],
)
def test_what_json_cannot_say_is_replaced(stored: str, value: str | None) -> None:
    assert message(content_json=stored)["content"] == {"a": value}


def figure(name: str, n: int, samples: int = 0, total: int = 0) -> dict[str, Any]:
    return {"name": name, "n": n, "samples": samples, "total": total}


FIGURES = [
    figure("started", 1),
    figure("episode_opened", 2),
    figure("incoming", 3),
    figure("outgoing", 4),
    figure("resolved", 5, 2, 3_000),
    figure("first_response", 6, 4, 1_000),
    figure("first_response", 1, 0, 0),
    figure("first_response", 1, 4, 2_240),
    figure("reply", 7, 3, 100),
    figure("bot_handoff", 8),
    figure("bot_resolved", 9),
]


def test_figures_of_a_report_are_sums_and_means_in_tenths_of_seconds() -> None:
    metrics = report_metrics(FIGURES).model_dump(exclude_unset=True)
    assert metrics == {
        "conversations_count": 1,
        "reopened_count": 2,
        "incoming_messages_count": 3,
        "outgoing_messages_count": 4,
        "resolutions_count": 5,
        "avg_first_response_time": 0.4,
        "avg_resolution_time": 1.5,
        "avg_reply_time": 0.0,
        "bot_handoffs_count": 8,
        "bot_resolutions_count": 9,
        "samples": {"avg_first_response_time": 8, "avg_resolution_time": 2, "avg_reply_time": 3},
    }
    assert report_metrics([]).avg_reply_time is None
    assert report_metrics([]).conversations_count == 0


def test_what_persons_do_not_do_is_null_for_them() -> None:
    metrics = person_metrics(FIGURES).model_dump(exclude_unset=True)
    assert {name for name, value in metrics.items() if value is None} == {
        *("conversations_count", "reopened_count", "incoming_messages_count"),
        *("bot_handoffs_count", "bot_resolutions_count"),
    }
