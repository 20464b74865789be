"""Native lines of other systems, and records of sent messages, as events and as an inbox."""

import io
import json
from typing import Any

import pytest
from tests.stores import sqlite_store

from frontdesk.ingest.archive import native_lines, sent_messages
from frontdesk.ingest.archive.importer import ArchiveFile, Import, ImportOptions
from frontdesk.ingest.events import (
    CONTENTS,
    IMPORTED_NAME,
    PLACEHOLDER,
    Author,
    ContactUpsert,
    ConversationEvent,
    CustomFieldUpsert,
    LabelUpsert,
    MessageEdit,
    MessagePricing,
    MessageRead,
    MessageRevoke,
    MessageUpsert,
    NoteUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
    TeamUpsert,
    TemplateUpsert,
    UserUpsert,
)
from frontdesk.ingest.json_reader import Malformed
from frontdesk.store.database import Row
from frontdesk.text.limits import TEXT, cut_text

NOW = 1_800_000_000_000
MOMENT = "2026-03-14T09:26:53.000Z"
AT = 1_773_480_413_000
ANA = Person("+16505551234", "16505551234")
PLACE = {"channel": "106", "contact": {"phone": "+16505551234"}}


def line_of(kind: str, **members: Any) -> list[Any]:
    return native_lines.convert({"kind": kind, "v": 1, **members}, NOW)


def message(**members: Any) -> list[Any]:
    line = {**PLACE, "direction": "inbound", "created_at": MOMENT, "text": "Hi", **members}
    return line_of("message", **line)


def test_a_message_needs_little() -> None:
    (said,) = message()
    assert said == MessageUpsert(
        channel="106",
        person=ANA,
        wamid=None,
        at=AT,
        outbound=False,
        author=Author("contact"),
        type="text",
        source="archive",
        text="Hi",
        live=False,
    )


def test_a_message_says_what_became_of_it() -> None:
    reaction = {"emoji": "👍", "direction": "inbound", "created_at": MOMENT}
    events = message(
        wamid="w",
        direction="outbound",
        author="user",
        author_ref={"external_id": "ana@shop.example", "name": "Ana"},
        delivery_status="failed",
        delivery={"sent_at": MOMENT, "failed_at": "2026-03-14T10:26:54+01:00"},
        error={"code": 131026, "title": "Undeliverable", "details": None},
        reactions=[reaction],
        edited_at=MOMENT,
        deleted_at=MOMENT,
        reply_to={"wamid": "v"},
        content={"reason": "x"},
    )
    assert [type(event) for event in events] == [
        MessageUpsert,
        StatusUpdate,
        StatusUpdate,
        ReactionSet,
        MessageEdit,
        MessageRevoke,
    ]
    assert events[0].author == Author("user", "ana@shop.example", "Ana")
    assert (events[0].reply_wamid, events[0].status, events[0].richness) == ("v", None, CONTENTS)
    assert [(step.status, step.at - AT) for step in events[1:3]] == [("sent", 0), ("failed", 1000)]
    assert events[2].error["code"] == 131026
    assert (events[3].person, events[3].target_wamid) == ("contact", "w")


@pytest.mark.parametrize(
    ("members", "pricing"),
    [
        (
            {"pricing": {"category": "utility", "billable": True}},
            MessagePricing(AT, "utility", True),
        ),
        (
            {"pricing": {"type": "regular"}, "stored": {"priced_at": 7}},
            MessagePricing(7, type="regular"),
        ),
        ({"stored": {"category": "marketing"}}, MessagePricing(AT, "marketing")),
        ({"pricing": None}, None),
    ],
)
def test_a_sent_message_says_what_it_was_charged_as(
    members: dict[str, Any], pricing: MessagePricing | None
) -> None:
    assert message(direction="outbound", **members)[0].pricing == pricing
    assert message(direction="inbound", **members)[0].pricing is None


def test_a_message_without_an_id_carries_its_edited_and_deleted_times() -> None:
    (said,) = message(edited_at=MOMENT, deleted_at=MOMENT)
    assert (said.edited_at, said.deleted_at) == (AT, AT)


def test_a_message_without_contents_is_a_placeholder() -> None:
    (said,) = message(type="unsupported", content={"reason": "content_not_received"})
    assert said.richness == PLACEHOLDER


def test_a_status_without_a_time_of_its_own_is_kept() -> None:
    (said,) = message(wamid="w", direction="outbound", delivery_status="read")
    assert said.status == "read"


def test_a_contact_is_imported_with_its_fields() -> None:
    first, last = line_of(
        "contact",
        phone="+16505551234",
        wa_user_id="US.1",
        name="Ana",
        email="ana@mail.example",
        blocked=True,
        custom_fields={"plan": "gold"},
        created_at="2026-01-01T00:00:00Z",
        updated_at=MOMENT,
    )
    assert first.at < last.at == AT
    assert last == ContactUpsert(
        Person("+16505551234", "16505551234", "US.1"),
        AT,
        name="Ana",
        name_rank=IMPORTED_NAME,
        email="ana@mail.example",
        blocked=True,
        custom_fields={"plan": "gold"},
    )


def test_where_a_conversation_stands_becomes_events() -> None:
    events = line_of(
        "conversation",
        **PLACE,
        status="snoozed",
        snoozed_until="2026-03-15T00:00:00Z",
        assignee={"email": "ana@shop.example"},
        labels=["VIP"],
        awaiting_human=True,
        read_marker=MOMENT,
        updated_at=MOMENT,
    )
    assert all(type(event) is ConversationEvent and event.at == AT for event in events)
    assert [(event.name, event.value) for event in events] == [
        ("snoozed", {"until": 1_773_532_800_000}),
        ("assigned", {"user": "ana@shop.example"}),
        ("labelled", {"title": "vip", "on": True}),
        ("awaiting_human", {"on": True}),
        ("read_marker", {"until": AT}),
    ]
    assert len({event.external_id for event in events}) == 5


def test_an_event_and_a_note_without_an_id_are_distinguished_by_what_they_say() -> None:
    event = {**PLACE, "name": "resolved", "created_at": MOMENT}
    assert line_of("conversation_event", **event) == line_of("conversation_event", **event)
    note = {**PLACE, "text": "Call back", "created_at": MOMENT, "author_ref": "ana"}
    (one,), (other,) = line_of("note", **note), line_of("note", **{**note, "text": "Called"})
    assert isinstance(one, NoteUpsert)
    assert one.author == Author("user", "ana")
    assert one.external_id != other.external_id


def test_an_id_that_is_made_up_is_the_same_in_every_release() -> None:
    """Otherwise a second import of a file would bring in its notes and events again."""
    (note,) = line_of("note", **PLACE, text="Call é", created_at=MOMENT)
    (event,) = line_of("conversation_event", **PLACE, name="opened", created_at=MOMENT)
    (state,) = line_of("conversation", **PLACE, labels=["VIP"], updated_at=MOMENT)
    assert (note.external_id, event.external_id, state.external_id) == (
        "line c01f7e9fc5ee3aacdcbfbfd3",
        "line 0c10ed8b69a3373d6bf5cf42",
        "line 106 +16505551234 labelled aeaebae78d092ef1516df920 1773480413000",
    )
    assert native_lines.digest({"a": 1, "b": 2}) == native_lines.digest({"b": 2, "a": 1})


def test_labels_users_and_teams_are_upserted() -> None:
    (label,) = line_of("label", title="VIP", color="#FF0000", updated_at=MOMENT)
    assert label == LabelUpsert("vip", AT, "#ff0000")
    (user,) = line_of("user", email="ana@shop.example", name="Ana")
    assert user == UserUpsert("ana@shop.example", "Ana", NOW, "ana@shop.example")
    (team,) = line_of(
        "team", name="Night", channels=["106"], members=["ana", {"external_id": "bo"}]
    )
    assert team == TeamUpsert("Night", NOW, None, ("106",), ("ana", "bo"))
    (field,) = line_of(
        "custom_field", key="plan", type="list", options=["a"], pattern="x", position=2
    )
    assert field == CustomFieldUpsert("plan", "plan", NOW, "list", None, ("a",), 2, "x")
    (template,) = line_of(
        "template", id="1", name="hello", language="en", components=[{"type": "B"}]
    )
    assert template == TemplateUpsert("1", "hello", "en", NOW, ({"type": "B"},))
    (channel,) = line_of("channel", id="106", phone="+15550783881", status="CONNECTED")
    assert (channel.phone, channel.details["status"]) == ("+15550783881", "CONNECTED")
    (reply,) = line_of("canned_response", short_code="hi", text="Hello!")
    assert (reply.short_code, reply.text) == ("hi", "Hello!")


@pytest.mark.parametrize(
    ("contact", "person"),
    [
        ({"phone": "+16505551234"}, ANA),
        ({"wa_id": "16505551234"}, ANA),
        ({"wa_id": "abc"}, Person(wa_id="abc")),
        ({"wa_user_id": "US.1"}, Person(wa_user_id="US.1")),
        (
            {"phone": "+5491123456789", "wa_id": "541123456789"},
            Person("+5491123456789", "541123456789"),
        ),
    ],
)
def test_a_person_is_known_by_any_identifier(contact: dict[str, str], person: Person) -> None:
    assert message(contact=contact)[0].person == person


@pytest.mark.parametrize("channel", ["106", {"id": "106"}])
def test_a_channel_is_named_by_its_id_or_by_an_object_with_it(channel: object) -> None:
    assert message(channel=channel)[0].channel == "106"


@pytest.mark.parametrize(
    ("members", "at"),
    [
        ({"updated_at": MOMENT, "created_at": 5}, AT),
        ({"created_at": MOMENT}, AT),
        ({"updated_at": 0}, 0),
        ({"updated_at": AT}, AT),
        ({}, NOW),
    ],
)
def test_facts_hold_as_of_their_last_change(members: dict[str, Any], at: int) -> None:
    (label,) = line_of("label", title="vip", **members)
    assert label.at == at


@pytest.mark.parametrize("kind", ["channel", "contact"])
def test_what_was_made_earlier_than_it_changed_is_as_old_as_that(kind: str) -> None:
    named = {"id": "106", "phone": "+16505551234"}
    moments = {"created_at": AT - 1, "updated_at": AT}
    assert [event.at for event in line_of(kind, **named, **moments)] == [AT - 1, AT]
    assert [event.at for event in line_of(kind, **named, created_at=AT)] == [AT]


def test_a_customer_who_wants_no_marketing_is_imported_as_one() -> None:
    opted_out, contact = line_of("contact", phone="+16505551234", marketing_opt_out_at=MOMENT)
    assert (opted_out.marketing_opt_out, opted_out.at) == (True, AT)
    assert (contact.marketing_opt_out, contact.at) == (None, NOW)


def test_the_name_of_a_copy_keeps_its_rank() -> None:
    (contact,) = line_of("contact", phone="+16505551234", name="Ana", stored={"name_rank": 3})
    assert (contact.name, contact.name_rank) == ("Ana", 3)


@pytest.mark.parametrize(
    ("user", "key"),
    [
        ({"external_id": "1", "email": "a@b.example", "name": "Ana"}, "1"),
        ({"email": "a@b.example", "name": "Ana"}, "a@b.example"),
        ({"name": "Ana"}, "Ana"),
    ],
)
def test_a_user_is_known_by_id_else_address_else_name(user: dict[str, str], key: str) -> None:
    assert line_of("user", **user)[0].key == key
    (event,) = line_of("conversation", **PLACE, assignee=user)
    assert event.value == {"user": key}


def test_a_user_without_a_name_is_called_by_the_key() -> None:
    (user,) = line_of("user", external_id="ana", active=False)
    assert (user.name, user.active) == ("ana", False)


@pytest.mark.parametrize(
    ("status", "name"), [("open", "opened"), ("resolved", "resolved"), ("snoozed", "snoozed")]
)
def test_a_status_is_the_event_that_leads_to_it(status: str, name: str) -> None:
    (event,) = line_of("conversation", **PLACE, status=status)
    assert (event.name, event.at) == (name, NOW)
    assert event.value == ({"until": None} if status == "snoozed" else {})


def test_who_is_nobodys_any_more_is_taken_from_their_assignee() -> None:
    (event,) = line_of("conversation", **PLACE, assignee=None)
    assert (event.name, event.value) == ("assigned", {"user": None})
    assert line_of("conversation", **PLACE) == []


@pytest.mark.parametrize(("known", "assumed"), [(0, "open"), (1, None)])
def test_of_an_exported_conversation_only_a_status_that_was_assumed_is_told(
    known: int, assumed: str | None
) -> None:
    line = {**PLACE, "created_at": AT, "last_activity_at": AT + 5, "labels": ["vip"]}
    (event,) = line_of("conversation", **line, status="open", stored={"status_known": known})
    assert (event.at, event.active_at, event.assumed) == (AT, AT + 5, assumed)


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("labelled", {"title": "VIP"}, {"title": "vip", "on": True}),
        ("labelled", {"title": "VIP", "on": False}, {"title": "vip", "on": False}),
        ("awaiting_human", {}, {"on": True}),
        ("awaiting_human", {"on": False}, {"on": False}),
        ("assigned", {"user": "ana"}, {"user": "ana"}),
        ("assigned", {}, {"user": None}),
        ("snoozed", {"until": MOMENT}, {"until": AT}),
        ("read_marker", {"until": AT}, {"until": AT}),
        ("opened", {"until": AT}, {}),
    ],
)
def test_an_event_has_the_values_of_its_kind(
    name: str, value: dict[str, Any], read: dict[str, Any]
) -> None:
    line = {**PLACE, "name": name, "value": value, "created_at": MOMENT}
    (event,) = line_of("conversation_event", **line, external_id="e")
    assert (event.name, event.value, event.at, event.external_id) == (name, read, AT, "e")


@pytest.mark.parametrize(
    ("members", "author"),
    [
        ({}, Author("contact")),
        ({"direction": "outbound"}, Author("phone")),
        ({"author": "campaign", "author_ref": {"name": "May"}}, Author("campaign", name="May")),
        ({"author_ref": {"name": "Ana"}}, Author("contact")),
        ({"author": "user"}, Author("user")),
        ({"author": "user", "author_ref": "ana"}, Author("user", "ana")),
        ({"author": "user", "author_ref": {"name": "Ana"}}, Author("user", "Ana", "Ana")),
        ({"author": "user", "author_ref": {"email": "a@b.example"}}, Author("user", "a@b.example")),
    ],
)
def test_an_author_is_of_a_side_unless_it_is_said(members: dict[str, Any], author: Author) -> None:
    assert message(**members)[0].author == author


def test_a_note_has_the_same_key_before_and_after_it_is_cut() -> None:
    long = "x" * (TEXT + 1)
    keys = {
        line_of("note", **PLACE, text=text, created_at=MOMENT)[0].external_id
        for text in (long, cut_text(long))
    }
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("kind", "members"),
    [
        ("conversation", {"labels": ["x" * 513]}),
        ("conversation_event", {"name": "labelled", "value": {"title": "x" * 513}}),
        ("contact", {"phone": "+16505551234", "custom_fields": {"x" * 513: 1}}),
    ],
)
def test_labels_and_keys_are_refused_and_never_cut(kind: str, members: dict[str, Any]) -> None:
    with pytest.raises(Malformed, match="is too long: it may have 512 bytes"):
        line_of(kind, **PLACE, created_at=MOMENT, **members)


def test_a_message_that_was_live_in_its_copy_is_live() -> None:
    for stored, live in (({"live": 1}, True), ({"live": 0}, False), ({}, False)):
        assert message(wamid="w", stored=stored)[0].live == live
    steps = message(
        wamid="w", direction="outbound", stored={"live": 1}, delivery={"read_at": MOMENT}
    )
    assert [(step.status, step.live, step.error) for step in steps[1:]] == [("read", True, None)]


def test_only_what_was_sent_has_deliveries_and_errors() -> None:
    delivery = {"delivery": {"sent_at": MOMENT}, "error": {"code": 1}}
    assert len(message(wamid="w", **delivery)) == 1
    assert message(**delivery)[0].error is None
    (sent,) = message(direction="outbound", **delivery)
    assert sent.error == {"code": 1}
    named = message(wamid="w", direction="outbound", **delivery)
    assert [getattr(event, "error", None) for event in named] == [None, None]


@pytest.mark.parametrize(
    ("members", "person", "author"),
    [
        ({"direction": "inbound"}, "contact", "contact"),
        ({"direction": "outbound"}, "business", "phone"),
        ({"direction": "outbound", "person": "p", "author": "user"}, "p", "user"),
    ],
)
def test_a_reaction_is_of_its_side(members: dict[str, str], person: str, author: str) -> None:
    line = {"channel": "106", "wamid": "w", "emoji": "", "created_at": MOMENT, **members}
    (reaction,) = line_of("reaction", **line)
    assert (reaction.person, reaction.author, reaction.emoji) == (person, author, None)
    assert (reaction.outbound, reaction.at) == (members["direction"] == "outbound", AT)


def test_a_note_that_was_changed_later_has_both_times() -> None:
    note = {**PLACE, "text": "Call", "created_at": AT, "external_id": "n"}
    for updated_at in (AT, AT + 1):
        (event,) = line_of("note", **note, updated_at=updated_at)
        assert (event.created_at, event.at) == (AT, updated_at)


@pytest.mark.parametrize(
    "line",
    [
        {"old": "+34600000051", "new": "ES.51", "at": MOMENT},
        # As 0.2.0 wrote it.
        {"stored": {"old": "+34600000051", "new": "ES.51", "at": AT}},
    ],
)
def test_a_change_of_identity_is_from_one_name_to_another(line: dict[str, Any]) -> None:
    (event,) = line_of("identity_change", **line)
    assert (event.old.phone, event.new.wa_user_id, event.at) == ("+34600000051", "ES.51", AT)


@pytest.mark.parametrize("kind", ["alias", "part"])
def test_rows_of_merged_contacts_of_earlier_exports_say_nothing(kind: str) -> None:
    assert line_of(kind) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"kind": "label", "title": "x", "updated_at": True}, "updated_at is not a time"),
        ({"kind": "label", "title": "x", "color": "#1f93fff"}, "color is not a colour"),
        ({"kind": "team", "name": "x", "channels": "1"}, "channels is not an array"),
        ({"kind": "team", "name": "x", "channels": ["1", ""]}, r"channels\[1\] is not a text"),
        ({"kind": "team", "name": "x", "channels": [1]}, r"channels\[0\] is not a text"),
        ({"kind": "team", "name": "x", "distribution": "no"}, "distribution is not one of"),
        ({"kind": "reaction", "channel": "106", "wamid": "w"}, "direction is missing"),
        ({"kind": "note", **PLACE, "text": "x"}, "created_at is missing"),
        ({"kind": "conversation", **PLACE, "status": "closed"}, "status is not one of open"),
        ({"kind": "conversation", **PLACE, "assignee": {}}, "assignee has no external_id"),
        ({"kind": "user"}, "user has no external_id, no email and no name"),
    ],
)
def test_members_of_a_wrong_kind_are_named(line: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        native_lines.convert(line, NOW)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"kind": "postcard"}, "kind is not one of alias, canned_response, channel, contact, "),
        ({"kind": "label", "v": 2}, "v is not 1"),
        ({"kind": "label"}, "title is missing"),
        ({"kind": "label", "title": "x", "color": "red"}, "color is not a colour such as #1f93ff"),
        ({"kind": "team", "name": "x", "members": "ana"}, "members is not an array"),
        ({"kind": "team", "name": "x", "members": [{}]}, r"members\[0\] has no external_id"),
        ({"kind": "contact"}, "the contact has no phone, no wa_id and no wa_user_id"),
        ({"kind": "contact", "phone": "16505551234"}, "a phone that is not E.164"),
        ({"kind": "message", **PLACE, "created_at": MOMENT}, "direction is missing"),
        (
            {"kind": "message", **PLACE, "direction": "in", "created_at": MOMENT},
            "direction is not one of inbound, outbound",
        ),
        (
            {"kind": "message", **PLACE, "direction": "inbound", "created_at": "2026-03-14T09:26"},
            "created_at is not a time such as 2026-03-14T09:26:53.000Z",
        ),
        (
            {"kind": "conversation_event", **PLACE, "name": "sang", "created_at": MOMENT},
            "name is not one of opened, resolved, snoozed",
        ),
    ],
)
def test_invalid_lines_are_refused_with_a_reason(line: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        native_lines.convert(line, NOW)


SEND = {
    "kind": "cloud_api_send",
    "at": MOMENT,
    "phone_number_id": "106",
    "request": {
        "messaging_product": "whatsapp",
        "to": "16505551234",
        "type": "text",
        "context": {"message_id": "wamid.asked"},
        "text": {"body": "Your order is on its way"},
    },
    "response": {"messages": [{"id": "wamid.sent"}], "contacts": [{"wa_id": "16505551234"}]},
    "author": {"type": "ai_agent", "name": "Otto"},
}


def test_a_sent_message_has_its_contents_and_its_true_author() -> None:
    (said,) = sent_messages.convert(SEND, None)
    assert isinstance(said, MessageUpsert)
    assert (said.text, said.wamid, said.reply_wamid) == (
        "Your order is on its way",
        "wamid.sent",
        "wamid.asked",
    )
    assert (said.author, said.status, said.at) == (Author("ai_agent", name="Otto"), "pending", AT)
    assert (said.outbound, said.live, said.person) == (True, False, ANA)


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ({"type": "user"}, Author("user")),
        ({"type": "user", "name": "Ana"}, Author("user", "Ana", "Ana")),
        ({"type": "user", "email": "a@example.com", "name": "Ana"},
         Author("user", "a@example.com", "Ana")),
    ],
)  # fmt: skip
def test_a_person_who_sent_a_message_may_be_known_or_not(
    author: dict[str, str], expected: Author
) -> None:
    (sent,) = sent_messages.convert({**SEND, "author": author}, None)
    assert isinstance(sent, MessageUpsert)
    assert sent.author == expected


def test_a_request_that_marks_a_message_as_read_is_read() -> None:
    request = {"status": "read", "message_id": "w7", "typing_indicator": {"type": "text"}}
    record = {
        "at": "2026-03-01T10:00:00Z",
        "phone_number_id": "106",
        "request": request,
        "response": {"success": True},
    }
    (event,) = sent_messages.convert(record, None)
    assert isinstance(event, MessageRead)
    assert (event.channel, event.target_wamid) == ("106", "w7")


def test_a_sent_template_is_shown_as_one() -> None:
    template = {"name": "shipped", "language": {"code": "en"}, "components": [{"type": "body"}]}
    request = {"to": "+1 650 555 1234", "type": "template", "template": template}
    (said,) = sent_messages.convert({**SEND, "request": request}, None)
    assert isinstance(said, MessageUpsert)
    assert said.type == "template"
    assert said.content is not None
    assert (said.content["name"], said.content["language"]) == ("shipped", "en")


def test_a_sent_reaction_is_of_the_business() -> None:
    reaction = {"message_id": "wamid.asked", "emoji": "👍"}
    request = {"to": "16505551234", "type": "reaction", "reaction": reaction}
    said, folded = sent_messages.convert({**SEND, "request": request}, None)
    assert isinstance(said, MessageUpsert)
    assert isinstance(folded, ReactionSet)
    assert (folded.author, folded.person, folded.emoji) == ("ai_agent", "business", "👍")


def test_a_record_without_its_number_takes_that_of_the_file() -> None:
    unplaced = {name: value for name, value in SEND.items() if name != "phone_number_id"}
    (said,) = sent_messages.convert(unplaced, "107")
    assert isinstance(said, MessageUpsert)
    assert said.channel == "107"
    with pytest.raises(Malformed, match="--channel"):
        sent_messages.convert(unplaced, None)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"response": {"error": {}}}, "response.messages is empty"),
        (
            {
                "request": {"to": "somebody", "type": "text"},
                "response": {"messages": [{"id": "w"}]},
            },
            "request.to",
        ),
        ({"at": None}, "at is missing"),
    ],
)
def test_a_record_of_nothing_is_refused(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        sent_messages.convert({**SEND, **changed}, None)


def inbox(*lines: dict[str, Any]) -> list[Row]:
    """The conversations that some lines make, with their newest message."""
    body = "\n".join(map(json.dumps, lines)).encode()
    with sqlite_store() as database:
        imported = Import(database, ImportOptions(lambda: NOW))
        source = ArchiveFile(io.BufferedReader(io.BytesIO(body)), None, _fail, lambda: None)
        imported.read(source)
        return database.read(
            lambda connection: [
                dict(row)
                for row in connection.rows(
                    """
                    SELECT c.*, m.text, m.author, m.delivery_status FROM conversation c
                    LEFT JOIN message m ON m.conversation_id = c.id ORDER BY m.created_at
                    """
                )
            ]
        )


def _fail(rejected: Any) -> None:
    raise AssertionError(rejected)


def test_a_sent_message_fills_in_what_only_its_delivery_reported() -> None:
    status = {"id": "wamid.sent", "status": "read", "timestamp": "1773480500"}
    value = {
        "metadata": {"phone_number_id": "106", "display_phone_number": "15550783881"},
        "statuses": [{**status, "recipient_id": "16505551234"}],
    }
    (row,) = inbox({"messaging_product": "whatsapp", **value}, SEND)
    assert (row["text"], row["author"]) == ("Your order is on its way", "ai_agent")
    assert row["delivery_status"] == "read"


def test_a_conversation_has_the_state_that_was_reported() -> None:
    said = {"kind": "message", **PLACE, "direction": "inbound", "created_at": MOMENT, "text": "Hi"}
    status_event = {
        "kind": "conversation",
        **PLACE,
        "status": "open",
        "awaiting_human": True,
        "assignee": "ana@shop.example",
        "updated_at": "2026-03-14T10:00:00Z",
    }
    (row,) = inbox(said, status_event)
    assert (row["status"], row["awaiting_human"], row["assignee_id"]) == (0, 1, 1)
    (row,) = inbox(said, {**status_event, "status": "resolved"})
    assert (row["status"], row["awaiting_human"]) == (2, 0)
