"""Inboxes, people, labels and conversations of Chatwoot as lines."""

from typing import Any

import pytest

from frontdesk.ingest.chatwoot import catalogue
from frontdesk.ingest.chatwoot.catalogue import WhatsAppInbox
from frontdesk.ingest.chatwoot.conversations import Summary, event_lines, summary
from frontdesk.ingest.chatwoot.messages import ChatContext
from frontdesk.ingest.json_reader import LAST_SECOND, JsonObject, Malformed

SECONDS, MOMENT = 1_773_480_413, "2026-03-14T09:26:53.000Z"
AT = SECONDS * 1000
WHATSAPP = {"id": 1, "name": "Support", "channel_type": "Channel::Whatsapp"}
INBOX = WhatsAppInbox("1", "Support", "101")
PLACE = ChatContext("3", "101", "+16505550001")


@pytest.mark.parametrize(
    ("value", "at"),
    [
        (SECONDS, AT),
        (str(SECONDS), AT),
        (SECONDS + 0.5, AT + 500),
        (MOMENT, AT),
        (1, 1_000),
        (LAST_SECOND - 1, (LAST_SECOND - 1) * 1000),
        (LAST_SECOND, None),
        (0, None),
        (-1, None),
        (True, None),
        (None, None),
        ("", None),
        ("soon", None),
        ("١", None),
    ],
)
def test_a_time_is_in_seconds_or_iso_8601_and_0_is_none(value: object, at: int | None) -> None:
    assert catalogue.milliseconds(value) == at
    assert (catalogue.timestamp_of(value) is None) == (at is None)


def test_only_inboxes_of_whatsapp_are_taken() -> None:
    config = {"provider_config": {"phone_number_id": "101"}}
    rows = [{**WHATSAPP, **config}, {"id": 2, "channel_type": "Channel::Email"}]
    ((inbox, row),) = catalogue.whatsapp(rows, {})
    assert (inbox, row.text("id")) == (INBOX, "1")
    ((mapped, _),) = catalogue.whatsapp(rows, {"1": "202"})
    assert mapped.channel == "202"
    ((nameless, _),) = catalogue.whatsapp([{**rows[0], "name": ""}], {})
    assert nameless.name == "1"


def test_an_inbox_without_its_number_is_refused() -> None:
    with pytest.raises(Malformed, match="use --map 1=<phone_number_id>"):
        catalogue.whatsapp([WHATSAPP], {})
    with pytest.raises(Malformed, match="phone_number_id of the inbox 'Support'"):
        catalogue.whatsapp([WHATSAPP], {"1": "sales"})


def test_a_channel_comes_with_its_templates() -> None:
    template = {"id": 5, "name": "hello", "language": "en", "components": [{"type": "BODY"}]}
    row = JsonObject(
        {
            **WHATSAPP,
            "phone_number": "+15550783881",
            "provider_config": {"business_account_id": "9"},
            "message_templates": [template, {"id": 6, "name": "x"}, {"name": "y"}],
        }
    )
    channel, found = catalogue.channel_lines(INBOX, row)
    assert channel == {
        "kind": "channel",
        "v": 1,
        "id": "101",
        "alias": "Support",
        "phone": "+15550783881",
        "waba_id": "9",
    }
    assert found == {"kind": "template", "v": 1, **template, "id": "5", "waba_id": "9"}
    assert catalogue.nameless_templates(row) == 2


@pytest.mark.parametrize(
    ("members", "line"),
    [
        ({"id": 7}, {"external_id": "chatwoot user 7", "name": "chatwoot user 7"}),
        (
            {"id": 7, "email": "a@b.example", "name": "Ana", "role": "agent"},
            {"external_id": "a@b.example", "name": "Ana", "email": "a@b.example", "role": "agent"},
        ),
        (
            {"id": 7, "name": "Ana", "available_name": "A.", "role": "boss", "thumbnail": ""},
            {"external_id": "chatwoot user 7", "name": "A."},
        ),
        (
            {"id": 7, "role": "administrator", "thumbnail": "https://x.example"},
            {
                "external_id": "chatwoot user 7",
                "name": "chatwoot user 7",
                "role": "administrator",
                "avatar_url": "https://x.example",
            },
        ),
    ],
)
def test_an_agent_is_a_user(members: dict[str, Any], line: dict[str, Any]) -> None:
    assert catalogue.user_line(JsonObject(members)) == {"kind": "user", "v": 1, **line}


@pytest.mark.parametrize(
    ("auto", "distribution"), [(True, "round_robin"), (False, "off"), (None, None)]
)
def test_a_team_distributes_as_it_says(auto: bool | None, distribution: str | None) -> None:
    row = JsonObject({"name": "Night", "allow_auto_assign": auto, "description": ""})
    line = catalogue.team_line(row, ["b", "a"], {})
    assert line.get("distribution") == distribution
    assert (line["members"], line["channels"], "description" in line) == (["a", "b"], [], False)


def test_a_team_has_the_channels_of_which_all_its_members_are() -> None:
    channels = {"102": ["a", "b", "c"], "101": ["b", "a"], "103": ["a"]}
    row = JsonObject({"name": "Night"})
    assert catalogue.team_line(row, ["a", "b"], channels)["channels"] == ["101", "102"]
    assert catalogue.team_line(row, [], channels)["channels"] == []


@pytest.mark.parametrize(
    ("color", "taken"),
    [("#FF0000", True), ("#FF000", False), ("#FF00000", False), ("", False), (None, False)],
)
def test_a_label_has_a_colour_of_seven_characters(color: str | None, taken: bool) -> None:
    line = catalogue.label_line(JsonObject({"title": "vip", "color": color, "description": ""}))
    assert line.get("color") == (color if taken else None)
    assert "description" not in line


def test_a_custom_field_of_another_type_is_text() -> None:
    row = {
        "attribute_key": "plan",
        "attribute_display_name": "Plan",
        "attribute_display_type": "list",
        "attribute_values": ["free", 5, ""],
    }
    line = catalogue.custom_field_line(JsonObject(row))
    assert (line["key"], line["name"], line["type"]) == ("plan", "Plan", "list")
    assert line["options"] == ["free", "5"]
    other = {**row, "attribute_display_type": "hologram", "attribute_values": None}
    line = catalogue.custom_field_line(JsonObject(other))
    assert (line["type"], line["options"]) == ("text", [])


def contact(**members: Any) -> dict[str, Any] | None:
    return catalogue.contact_line(JsonObject({"phone_number": "+16505550001", **members}))


def test_a_contact_has_what_is_known() -> None:
    custom = {"plan": "gold", "empty": "", "none": None, "zero": 0}
    assert contact(
        name="Kim",
        email="",
        blocked=True,
        custom_attributes=custom,
        created_at=SECONDS,
        last_activity_at=0,
    ) == {
        "kind": "contact",
        "v": 1,
        "phone": "+16505550001",
        "name": "Kim",
        "blocked": True,
        "custom_fields": {"plan": "gold", "zero": 0},
        "created_at": MOMENT,
        "updated_at": MOMENT,
    }


@pytest.mark.parametrize("name", ["+1 650 555 0001", "16505550001", "", None])
def test_a_number_is_no_name(name: str | None) -> None:
    line = contact(name=name)
    assert line is not None
    assert "name" not in line
    assert contact(phone_number=None) is None


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("Porto", True),
        (0, True),
        ("", False),
        (None, False),
        ([], False),
        ({}, False),
        ({"a": ""}, False),
        ({"a": "", "b": "x"}, True),
    ],
)
def test_what_is_left_out_of_a_contact_is_told_if_it_says_something(
    value: object, told: bool
) -> None:
    row = JsonObject({"additional_attributes": {"city": value}})
    words = ["attribute city of a contact"] if told else []
    assert list(catalogue.left_out_of_contact(row)) == words
    assert list(catalogue.left_out_of_contact(JsonObject({"additional_attributes": 7}))) == []


@pytest.mark.parametrize(
    "answer",
    [[1], {"payload": [1]}, {"data": [1]}, {"data": {"payload": [1]}}, {"payload": {"data": [1]}}],
)
def test_rows_are_a_list_or_inside_of_an_answer(answer: object) -> None:
    assert catalogue.rows_in(answer) == [1]


@pytest.mark.parametrize("answer", [None, 7, {}, {"rows": [1]}, {"data": {"data": {"data": [1]}}}])
def test_what_is_no_list_is_refused(answer: object) -> None:
    with pytest.raises(Malformed, match="something that is not a list"):
        catalogue.rows_in(answer)


def chat(**members: Any) -> Summary:
    usual = {"id": 9, "status": "open", "created_at": SECONDS}
    return summary(JsonObject({**usual, **members}), INBOX)


def test_a_conversation_has_its_people_and_times() -> None:
    found = chat(
        meta={"sender": {"phone_number": "+16505550001"}, "assignee": {"id": 7}},
        last_activity_at=SECONDS + 5,
        agent_last_seen_at=SECONDS + 4,
        snoozed_until=SECONDS + 9,
        labels=["vip", 7],
    )
    assert found == Summary(
        "9", INBOX, "+16505550001", "open", AT, AT + 5_000, AT + 4_000, AT + 9_000,
        "chatwoot user 7", ("vip",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("members", "created", "active"),
    [
        ({}, AT, AT),
        ({"timestamp": SECONDS + 1}, AT, AT + 1_000),
        ({"last_activity_at": SECONDS + 2, "timestamp": SECONDS + 1}, AT, AT + 2_000),
        ({"created_at": None, "timestamp": SECONDS + 1}, AT + 1_000, AT + 1_000),
        ({"created_at": None}, 0, 0),
    ],
)
def test_a_conversation_without_one_time_has_the_other(
    members: dict[str, Any], created: int, active: int
) -> None:
    found = chat(**members)
    assert (found.created_at, found.active_at) == (created, active)
    assert (found.phone, found.seen_at, found.assignee, found.labels) == (None, None, None, ())


def test_what_is_left_out_of_a_conversation_is_told() -> None:
    found = chat(
        priority="high",
        meta={"team": {"id": 1}},
        custom_attributes={"a": "x", "b": "", "c": None, "d": 0},
    )
    assert found.left_out == (
        "priority of a conversation",
        "team of a conversation",
        "attribute a of a conversation",
        "attribute d of a conversation",
    )
    assert chat().left_out == ()


def told(chat: Summary, *events: dict[str, Any], followed_at: int | None = None) -> list[Any]:
    rows = [JsonObject(event) for event in events]
    return list(event_lines(chat, rows, PLACE, followed_at))


def test_the_last_conversation_of_a_customer_has_its_events_and_its_state() -> None:
    resolved = {"id": 1, "name": "conversation_resolved", "event_end_time": SECONDS + 5}
    opened = {"id": 2, "name": "conversation_opened", "created_at": SECONDS + 6}
    other = {"id": 3, "name": "first_response", "created_at": SECONDS + 9}
    untimed = {"id": 4, "name": "conversation_resolved"}
    last = chat(agent_last_seen_at=SECONDS + 1, labels=["vip"], status="pending")
    *events, state = told(last, resolved, opened, other, untimed)
    assert [(line["name"], line["created_at"][17:19]) for line in events] == [
        ("opened", "53"),
        ("resolved", "58"),
        ("opened", "59"),
        ("read_marker", "54"),
    ]
    assert events[-1]["value"] == {"until": "2026-03-14T09:26:54.000Z"}
    assert events[1]["external_id"] == "chatwoot 3 conversation 9 event 1"
    assert state == {
        "kind": "conversation",
        "v": 1,
        "channel": "101",
        "contact": {"phone": "+16505550001"},
        "status": "open",
        "awaiting_human": True,
        "snoozed_until": None,
        "assignee": None,
        "labels": ["vip"],
        "updated_at": "2026-03-14T09:26:59.000Z",
    }


@pytest.mark.parametrize("status", ["open", "resolved", "snoozed"])
def test_a_status_is_the_same_in_both(status: str) -> None:
    *_, state = told(chat(status=status, snoozed_until=SECONDS))
    assert (state["status"], state["awaiting_human"]) == (status, None)
    assert state["snoozed_until"] == MOMENT


@pytest.mark.parametrize(
    ("members", "followed_at", "over"),
    [
        ({}, AT + 9_000, "2026-03-14T09:26:53.000Z"),
        ({"last_activity_at": SECONDS + 5}, AT + 9_000, "2026-03-14T09:26:58.000Z"),
        ({"last_activity_at": SECONDS + 50}, AT + 9_000, "2026-03-14T09:27:01.999Z"),
    ],
)
def test_an_earlier_conversation_was_over_before_the_next_began(
    members: dict[str, Any], followed_at: int, over: str
) -> None:
    opened, resolved = told(chat(**members), followed_at=followed_at)
    assert (opened["name"], resolved["name"], resolved["created_at"]) == (
        "opened",
        "resolved",
        over,
    )
    assert resolved["external_id"] == "chatwoot 3 conversation 9 over"


def test_an_earlier_conversation_that_was_resolved_needs_no_other_end() -> None:
    resolved = {"id": 1, "name": "conversation_resolved", "event_end_time": SECONDS + 5}
    lines = told(chat(), resolved, followed_at=AT + 9_000)
    assert [line["name"] for line in lines] == ["opened", "resolved"]
