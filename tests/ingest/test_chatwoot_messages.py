"""Lines of Chatwoot messages: their times, authors, delivery, and what they refer to."""

from typing import Any

import pytest

from frontdesk.ingest.chatwoot.messages import ChatContext, message_lines, with_own_moments
from frontdesk.ingest.json_reader import JsonObject, Malformed

PLACE = ChatContext("7", "101", "+16505551234")
USERS, WAMIDS = {"3": "ana@example.com"}, {"40": "wamid.40"}
AT = 1_773_480_413


def lines(**members: Any) -> list[dict[str, Any]]:
    """Lines of a message of an agent, unless it is said to be another."""
    row = {"id": 41, "message_type": 1, "created_at": AT, "content": "Hello", **members}
    return [{**line} for line in message_lines(JsonObject(row), PLACE, USERS, WAMIDS)]


def test_a_message_is_a_line_with_its_channel_contact_and_source() -> None:
    (line,) = lines(source_id="wamid.41", message_type=0)
    assert {name: value for name, value in line.items() if value is not None} == {
        "kind": "message",
        "v": 1,
        "channel": "101",
        "contact": {"phone": "+16505551234"},
        "created_at": "2026-03-14T09:26:53.000Z",
        "source": "chatwoot",
        "direction": "inbound",
        "author": "contact",
        "wamid": "wamid.41",
        "type": "text",
        "text": "Hello",
    }


@pytest.mark.parametrize(
    ("members", "moment"),
    [
        ({"source_id": "wamid.41"}, "2026-03-14T09:26:53.000Z"),
        ({"id": 41}, "2026-03-14T09:26:53.041Z"),
        ({"id": 12_345}, "2026-03-14T09:26:53.345Z"),
        ({"id": 2_000}, "2026-03-14T09:26:53.000Z"),
        ({"created_at": str(AT)}, "2026-03-14T09:26:53.041Z"),
        ({"created_at": "2026-03-14T09:26:53Z"}, "2026-03-14T09:26:53.041Z"),
        ({"id": 41, "message_type": 2}, "2026-03-14T09:26:53.041Z"),
    ],
)
def test_a_message_without_an_id_of_whatsapp_has_the_milliseconds_of_its_own(
    members: dict[str, Any], moment: str
) -> None:
    assert [line["created_at"] for line in lines(**members)] == [moment]


def test_a_further_file_follows_its_message_by_a_millisecond() -> None:
    files = [{"file_type": "image"}, {"file_type": "audio"}, {"file_type": "video"}]
    found = lines(source_id="wamid.41", attachments=files)
    assert [(line["type"], line["wamid"], line["created_at"][-5:]) for line in found] == [
        ("image", "wamid.41", ".000Z"),
        ("audio", None, ".001Z"),
        ("video", None, ".002Z"),
    ]


BOT = {"direction": "outbound", "author": "ai_agent", "author_ref": {"name": "Bot"}}
AUTOMATION = {"direction": "outbound", "author": "automation"}


@pytest.mark.parametrize(
    ("members", "author"),
    [
        ({"message_type": 0}, {"direction": "inbound", "author": "contact"}),
        ({"message_type": 2}, {"direction": "inbound", "author": "system"}),
        ({"message_type": 3}, AUTOMATION),
        ({}, AUTOMATION),
        ({"content_attributes": {"automation_rule_id": 5}}, AUTOMATION),
        (
            {"content_attributes": {"external_echo": True}},
            {"direction": "outbound", "author": "phone"},
        ),
        ({"sender": {"type": "agent_bot", "name": "Bot"}}, BOT),
        ({"sender": {"type": "Captain::Assistant", "name": "Bot"}}, BOT),
        (
            {"sender": {"type": "user", "id": 3, "name": "Ana"}},
            {
                "direction": "outbound",
                "author": "user",
                "author_ref": {"external_id": "ana@example.com", "name": "Ana"},
            },
        ),
        (
            {"sender": {"type": "user", "id": 4, "name": ""}},
            {
                "direction": "outbound",
                "author": "user",
                "author_ref": {"external_id": "chatwoot user 4", "name": None},
            },
        ),
    ],
)
def test_a_message_is_of_whoever_wrote_it(members: dict[str, Any], author: Any) -> None:
    (line,) = lines(**members)
    names = ("direction", "author", "author_ref")
    assert {name: line[name] for name in names if name in line} == author


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"status": "read"}, {"delivery_status": "read"}),
        ({"status": "progress"}, {"delivery_status": "pending"}),
        ({"status": "odd"}, {"delivery_status": None}),
        ({"status": "read", "message_type": 3}, {"delivery_status": "read"}),
        ({"status": "read", "message_type": 0}, {}),
        ({"status": "failed"}, {"delivery_status": "failed"}),
        (
            {"status": "failed", "content_attributes": {"external_error": "131047"}},
            {
                "delivery_status": "failed",
                "delivery": {"failed_at": "2026-03-14T09:26:53.041Z"},
                "error": {"code": 0, "title": "131047", "details": None},
            },
        ),
        (
            {"status": "sent", "content_attributes": {"external_error": "131047"}},
            {"delivery_status": "sent"},
        ),
    ],
)
def test_what_was_sent_has_its_delivery(members: dict[str, Any], expected: Any) -> None:
    (line,) = lines(**members)
    names = ("delivery_status", "delivery", "error")
    assert {name: line[name] for name in names if name in line} == expected


@pytest.mark.parametrize(
    ("attributes", "wamid", "deleted"),
    [
        ({}, None, False),
        ({"in_reply_to": 40}, "wamid.40", False),
        ({"in_reply_to": 39}, None, False),
        ({"in_reply_to": 40, "in_reply_to_external_id": "wamid.9"}, "wamid.9", False),
        ({"deleted": True}, None, True),
    ],
)
def test_a_message_names_what_it_answers_and_whether_it_was_deleted(
    attributes: dict[str, Any], wamid: str | None, deleted: bool
) -> None:
    (line,) = lines(content_attributes=attributes)
    assert line["reply_to"] == (None if wamid is None else {"wamid": wamid})
    assert line["deleted_at"] == (line["created_at"] if deleted else None)


def test_a_reaction_is_one_to_the_message_that_it_answers() -> None:
    (line,) = lines(content="👍", content_attributes={"is_reaction": True, "in_reply_to": 40})
    assert (line["kind"], line["wamid"], line["emoji"]) == ("reaction", "wamid.40", "👍")
    assert (line["channel"], line["direction"], line["author"]) == ("101", "outbound", "automation")
    (text,) = lines(content="👍", content_attributes={"is_reaction": True})
    assert (text["kind"], text["text"]) == ("message", "👍")


def test_a_private_message_is_a_note() -> None:
    (note,) = lines(private=True, content="Call back", message_type=0)
    assert {name: note[name] for name in ("kind", "text", "external_id", "created_at")} == {
        "kind": "note",
        "text": "Call back",
        "external_id": "chatwoot 7 message 41",
        "created_at": "2026-03-14T09:26:53.000Z",
    }
    assert note["author"] == "automation"


@pytest.mark.parametrize(
    ("members", "mistake"),
    [
        ({"created_at": None}, "created_at is missing"),
        ({"created_at": 0}, "created_at is missing"),
        ({"message_type": 4}, "its message_type 4 is none of 0 to 3"),
        ({"message_type": -1}, "its message_type -1 is none of 0 to 3"),
        ({"private": True, "content": ""}, "private note with neither a text nor a file"),
    ],
)
def test_a_message_that_cannot_be_placed_is_refused(members: dict[str, Any], mistake: str) -> None:
    with pytest.raises(Malformed, match=mistake):
        lines(**members)


def test_equal_messages_of_one_time_are_moved_apart() -> None:
    same = lines(id=1)[0]
    other = {**same, "text": "Bye"}
    known = {**same, "wamid": "wamid.1"}
    moved = with_own_moments([same, same, other, same, known])
    assert [line["created_at"][-5:] for line in moved] == [
        *(".001Z", ".002Z", ".001Z", ".003Z", ".001Z"),
    ]
