"""Webhooks other than new messages: edits, identities, history, numbers, templates."""

from typing import Any

import pytest
from tests.ingest.webhooks import SECONDS, body, history, status, text, value

from frontdesk.ingest.events import (
    ADDRESS_BOOK_NAME,
    HISTORY_PLACEHOLDER,
    Author,
    ContactRemove,
    ContactUpsert,
    ConversationEvent,
    DomainEvent,
    IdentityChange,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    NumberUpdate,
    Person,
    ReactionSet,
    StatusUpdate,
    TemplateUpsert,
)
from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.webhooks.normalise import normalise

ANA = "16505550001"
PERSON = Person(f"+{ANA}", ANA)
AT = SECONDS * 1000
FROM_ANA = {"from": ANA}


def events(payload: dict[str, Any], received_at: int | None = None) -> list[DomainEvent]:
    """Events of a body, without that of the channel."""
    return [*normalise(payload, live=True, received_at=received_at).events][1:]


def one(*messages: dict[str, Any]) -> list[DomainEvent]:
    return events(body(value(messages=list(messages))))


def system(type_: str | None, **members: Any) -> dict[str, Any]:
    return text("s", 0, type="system", system={"type": type_, **members}, **FROM_ANA)


@pytest.mark.parametrize("payload", ["👍", "", None])
def test_a_reaction_is_a_row_and_is_folded_into_its_message(payload: str | None) -> None:
    reaction = {"message_id": "m"} | ({} if payload is None else {"emoji": payload})
    row, folded = one(text("r", 5, type="reaction", reaction=reaction, **FROM_ANA))
    assert isinstance(row, MessageUpsert)
    assert (row.type, row.content) == (
        "reaction",
        {
            "emoji": payload or None,
            "removed": not payload,
            "target_message_id": None,
            "target_wamid": "m",
        },
    )
    assert folded == ReactionSet(
        "101", "m", "contact", payload or None, AT + 5000, False, "contact"
    )


def test_a_reaction_from_the_phone_is_the_business_s() -> None:
    echo = text("r", 0, type="reaction", reaction={"message_id": "m", "emoji": "👍"}, to=ANA)
    _, folded = events(body(value(message_echoes=[echo]), "smb_message_echoes"))
    assert folded == ReactionSet("101", "m", "business", "👍", AT, True, "phone")


def test_an_edit_says_what_a_message_says_now() -> None:
    after = {"type": "image", "image": {"id": "7", "caption": "Blue"}}
    payload = {"original_message_id": "m", "message": after}
    (edit,) = one(text("e", 9, type="edit", edit=payload, **FROM_ANA))
    assert isinstance(edit, MessageEdit)
    assert (edit.target_wamid, edit.at, edit.type, edit.text) == ("m", AT + 9000, "image", "Blue")
    assert edit.media is not None


def test_a_revocation_names_its_message() -> None:
    payload = {"original_message_id": "m"}
    assert one(text("e", 9, type="revoke", revoke=payload, **FROM_ANA)) == [
        MessageRevoke("101", "m", AT + 9000)
    ]


@pytest.mark.parametrize(
    ("type_", "members"),
    [
        ("user_changed_number", {"wa_id": "34600000002"}),
        ("user_changed_number", {"new_wa_id": "34600000002"}),
        ("customer_changed_number", {"wa_id": "34600000002"}),
    ],
)
def test_a_changed_number_is_reported_and_shown(type_: str, members: dict[str, str]) -> None:
    move, row = one(system(type_, body="Ana changed", **members))
    assert move == IdentityChange(PERSON, Person("+34600000002", "34600000002"), AT, "101")
    assert isinstance(row, MessageUpsert)
    assert (row.type, row.text, row.author) == ("system", "Ana changed", Author("system"))
    assert row.content == {
        "event": "user_changed_number",
        "old_phone": f"+{ANA}",
        "new_phone": "+34600000002",
    }


@pytest.mark.parametrize(
    "members",
    [{"previous_user_id": "US.1"}, {"body": "User Ana changed from US.1 to US.2"}],
)
def test_a_changed_user_id_may_have_the_old_one_only_inside(members: dict[str, str]) -> None:
    payload = {"type": "user_changed_user_id", "user_id": "US.2", **members}
    move, row = one(text("s", 0, type="system", system=payload))
    assert move == IdentityChange(Person(wa_user_id="US.1"), Person(wa_user_id="US.2"), AT, "101")
    assert isinstance(row, MessageUpsert)
    assert row.content == {"event": "user_changed_user_id"}


def test_a_notice_of_a_change_may_be_from_the_new_id_or_number_already() -> None:
    said = "User Ida to Bo changed from US.1 to US.2"
    payload = {"type": "user_changed_user_id", "user_id": "US.2", "body": said}
    move, _ = one(text("s", 0, type="system", system=payload, from_user_id="US.2"))
    assert move == IdentityChange(Person(wa_user_id="US.1"), Person(wa_user_id="US.2"), AT, "101")
    number = system("user_changed_number", body=f"Ida changed from 34600000009 to {ANA}", wa_id=ANA)
    move, _ = one(number)
    assert isinstance(move, IdentityChange)
    assert (move.old.phone, move.new.phone) == ("+34600000009", f"+{ANA}")


def user_id_update(**members: Any) -> dict[str, Any]:
    update = {
        "user_id": {"previous": "US.1", "current": "US.2"},
        "timestamp": str(SECONDS),
        **members,
    }
    return body(value(user_id_update=[update]), "user_id_update")


def test_an_update_of_a_user_id_is_a_change_of_identity() -> None:
    old, new = Person(wa_user_id="US.1"), Person(wa_user_id="US.2")
    assert events(user_id_update()) == [IdentityChange(old, new, AT, "101")]
    upsert, move = events(user_id_update(wa_id=ANA))
    assert upsert == ContactUpsert(Person(f"+{ANA}", ANA, "US.1"), AT - 1, channel="101")
    assert move == IdentityChange(old, new, AT, "101")


@pytest.mark.parametrize(
    ("message", "event", "raw"),
    [
        (system("customer_identity_changed"), "identity_changed", False),
        (text("s", 0, type="request_welcome", **FROM_ANA), "request_welcome", False),
        (system("user_joined_a_moon"), "user_joined_a_moon", True),
    ],
)
def test_whatsapp_system_notices_become_system_rows(
    message: dict[str, Any], event: str, raw: bool
) -> None:
    (row,) = one(message)
    assert isinstance(row, MessageUpsert)
    assert (row.type, row.content, row.raw is not None) == ("system", {"event": event}, raw)


@pytest.mark.parametrize(("origin", "payload"), [("contact_request", True), ("other", False)])
def test_a_card_gives_the_senders_number_only_after_a_request_for_it(
    origin: str, payload: bool
) -> None:
    card = {"origin": origin, "phones": [{"phone": "+1 650 555 0001", "wa_id": ANA}]}
    found = one(text("c", 0, type="contacts", contacts=[card], from_user_id="US.1"))
    own = [event for event in found if isinstance(event, ContactUpsert)]
    person = Person(f"+{ANA}", ANA, "US.1")
    assert own == ([ContactUpsert(person, AT, channel="101")] if payload else [])


def test_a_time_in_the_future_counts_as_the_time_of_receipt() -> None:
    payload = body(
        value(messages=[text("m", 3600, **FROM_ANA)], statuses=[status("o", 3600, "sent")])
    )
    message, step = events(payload, received_at=AT)
    assert isinstance(message, MessageUpsert)
    assert (message.at, message.stamped_at) == (AT, AT + 3_600_000)
    assert isinstance(step, StatusUpdate)
    assert step.at == AT


def test_clocks_may_differ_by_five_minutes() -> None:
    (message,) = events(body(value(messages=[text("m", 300, **FROM_ANA)])), received_at=AT)
    assert isinstance(message, MessageUpsert)
    assert (message.at, message.stamped_at) == (AT + 300_000, None)


def test_one_element_that_cannot_be_read_costs_none_of_its_siblings() -> None:
    bad = text("m", 0, **FROM_ANA) | {"timestamp": "soon"}
    payload = body(value(messages=[bad, 7, text("n", 0, **FROM_ANA)]))
    found = normalise(payload, live=True)
    assert [event.wamid for event in found.events if isinstance(event, MessageUpsert)] == ["n"]
    assert found.refused == (
        "entry[0].changes[0].value.messages[0].timestamp is not a time in Unix seconds",
        "entry[0].changes[0].value.messages[1] is not an object",
    )
    assert found.ignored["element that cannot be read"] == 2


def past(second: int, wamid: str, step: str | None, **members: Any) -> dict[str, Any]:
    context = {} if step is None else {"history_context": {"status": step}}
    return text(wamid, second, **context, **members)


def test_the_history_has_both_directions_and_is_not_live() -> None:
    ours = past(1, "a", "DELIVERED", **{"from": "15550783881"})
    theirs = past(2, "b", None, **FROM_ANA)
    also_ours = text("c", 3, history_context={"from_me": True, "status": "error"})
    found = events(history("101", ANA, ours, theirs, also_ours))
    said = [event for event in found if isinstance(event, MessageUpsert)]
    assert [(one.wamid, one.outbound, one.status, one.author.kind) for one in said] == [
        ("a", True, "delivered", "phone"),
        ("b", False, None, "contact"),
        ("c", True, "failed", "phone"),
    ]
    assert {(one.person, one.source, one.live) for one in said} == {(PERSON, "history", False)}


@pytest.mark.parametrize("step", ["READ", "read", "PLAYED"])
def test_a_read_message_in_the_history_becomes_a_read_marker(step: str) -> None:
    _, marker = events(history("101", ANA, past(2, "b", step, **FROM_ANA)))
    assert marker == ConversationEvent(
        "101", PERSON, "read:b", AT + 2000, "read_marker", {"until": AT + 2000}
    )


def test_a_past_that_comes_newest_first_is_turned_round() -> None:
    messages = [
        past(second, wamid, None, **FROM_ANA)
        for wamid, second in zip("abcd", (2, 1, 1, 0), strict=True)
    ]
    found = events(history("101", ANA, *messages))
    assert [one.wamid for one in found if isinstance(one, MessageUpsert)] == ["d", "c", "b", "a"]


def test_a_medium_of_the_past_comes_later_under_the_same_field() -> None:
    (awaited,) = events(history("101", ANA, past(1, "a", None, type="media_placeholder")))
    assert isinstance(awaited, MessageUpsert)
    assert awaited.richness == HISTORY_PLACEHOLDER
    medium = text("a", 1, type="image", image={"id": "7"}, **FROM_ANA)
    (contents,) = events(body(value(messages=[medium]), "history"))
    assert isinstance(contents, MessageUpsert)
    assert (contents.type, contents.source, contents.live) == ("image", "history", False)


def test_a_declined_past_is_counted() -> None:
    payload = value(history=[{"errors": [{"code": 2593109, "title": "Declined"}]}])
    found = normalise(payload, live=True)
    assert (found.events, dict(found.ignored)) == ((), {"history error 2593109": 1})


def synced(action: str, second: str = str(SECONDS), **contact: Any) -> dict[str, Any]:
    payload = {"full_name": "Ana Souza", "first_name": "Ana", "phone_number": ANA, **contact}
    entry = {
        "type": "contact",
        "contact": payload,
        "action": action,
        "metadata": {"timestamp": second},
    }
    return body(value(state_sync=[entry]), "smb_app_state_sync")


def test_the_address_book_gives_and_takes_names() -> None:
    assert events(synced("add")) == [
        ContactUpsert(PERSON, AT, "Ana Souza", ADDRESS_BOOK_NAME, channel="101")
    ]
    assert events(synced("add", str(AT), full_name=None)) == [
        ContactUpsert(PERSON, AT, "Ana", ADDRESS_BOOK_NAME, channel="101")
    ]
    assert events(synced("remove")) == [ContactRemove(PERSON, AT, "101")]


@pytest.mark.parametrize(
    ("members", "details"),
    [
        ({"event": "UPGRADE", "current_limit": "TIER_10K"}, {"messaging_limit": "TIER_10K"}),
        (
            {
                "event": "THROUGHPUT_UPGRADE",
                "current_limit": "TIER_1K",
                "max_daily_conversations_per_business": "TIER_UNLIMITED",
            },
            {"messaging_limit": "TIER_UNLIMITED", "throughput": "HIGH"},
        ),
        (
            {"decision": "APPROVED", "requested_verified_name": "Shrub"},
            {"name_status": "APPROVED", "verified_name": "Shrub"},
        ),
        (
            {"decision": "REJECTED", "requested_verified_name": "Shrub"},
            {"name_status": "REJECTED"},
        ),
    ],
)
def test_updates_of_a_number_are_found_by_the_number(
    members: dict[str, str], details: dict[str, str]
) -> None:
    payload = body({"display_phone_number": "+1 555-078-3881", **members}, "any", SECONDS)
    assert normalise(payload, live=True).events == (NumberUpdate("+15550783881", AT, details),)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        (
            {"event": "REJECTED", "reason": "SCAM"},
            {"status": "REJECTED", "rejected_reason": "SCAM"},
        ),
        ({"event": "APPROVED", "reason": "NONE"}, {"status": "APPROVED", "rejected_reason": ""}),
        ({"new_quality_score": "RED"}, {"quality_score": "RED"}),
        (
            {"new_category": "UTILITY", "previous_category": "MARKETING"},
            {"category": "UTILITY", "previous_category": "MARKETING"},
        ),
        (
            {
                "message_template_title": "Hi",
                "message_template_element": "Your {{1}}",
                "message_template_footer": "Bye",
                "message_template_buttons": [
                    {"message_template_button_type": "URL", "message_template_button_text": "Go"}
                ],
            },
            {
                "components": (
                    {"type": "HEADER", "format": "TEXT", "text": "Hi"},
                    {"type": "BODY", "text": "Your {{1}}"},
                    {"type": "FOOTER", "text": "Bye"},
                    {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "Go"}]},
                )
            },
        ),
    ],
    ids=["rejected", "approved", "quality", "category", "components"],
)
def test_updates_of_a_template_are_recognised_by_their_members_and_not_by_their_field(
    members: dict[str, Any], expected: dict[str, Any]
) -> None:
    named = {
        "message_template_id": 77,
        "message_template_name": "order",
        "message_template_language": "en",
    }
    payload = body({**named, **members}, "message_template_status_update", SECONDS)
    assert normalise(payload, live=True).events == (
        TemplateUpsert("77", "order", "en", AT, waba_id="waba", **expected),
    )


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(Malformed):
        normalise(body({"display_phone_number": "us", "decision": "APPROVED"}), live=True)
