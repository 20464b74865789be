"""Webhook bodies become events: every element, nothing silently dropped."""

import json
from dataclasses import replace
from typing import Any

import pytest

from frontdesk.ingest.events import (
    PROFILE_NAME,
    Author,
    ChannelUpsert,
    ContactUpsert,
    DomainEvent,
    MessageEdit,
    MessageRevoke,
    MessageUpsert,
    Person,
    ReactionSet,
    StatusUpdate,
)
from frontdesk.ingest.json_reader import Malformed
from frontdesk.ingest.webhooks import normalise as whatsapp
from frontdesk.ingest.webhooks.normalise import normalise

SECONDS = 1_740_000_000
AT = SECONDS * 1000
METADATA = {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}
SHEENA = Person(phone="+16505551234", wa_id="16505551234")


def body(*values: dict[str, Any], field: str = "messages") -> dict[str, Any]:
    changes = [{"field": field, "value": value} for value in values]
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": changes}],
    }


def value(**members: Any) -> dict[str, Any]:
    return {"messaging_product": "whatsapp", "metadata": METADATA, **members}


def message(type_: str = "text", **members: Any) -> dict[str, Any]:
    contents = {"text": {"body": "Hello"}} if type_ == "text" and "text" not in members else {}
    return {
        "from": "16505551234",
        "id": "wamid.in",
        "timestamp": str(SECONDS),
        "type": type_,
        **contents,
        **members,
    }


def status(name: str = "delivered", **members: Any) -> dict[str, Any]:
    return {
        "id": "wamid.out",
        "status": name,
        "timestamp": str(SECONDS),
        "recipient_id": "16505551234",
        **members,
    }


def events(*values: dict[str, Any], live: bool = True) -> tuple[DomainEvent, ...]:
    return normalise(body(*values), live=live).events


def said(**members: Any) -> MessageUpsert:
    """The event of one message."""
    (found,) = (event for event in events(value(**members)) if isinstance(event, MessageUpsert))
    return found


def test_a_text_names_its_channel_its_person_and_its_time() -> None:
    channel, text = events(value(messages=[message()]))
    assert channel == ChannelUpsert(
        phone_number_id="106540352242922",
        at=AT,
        phone="+15550783881",
        display_phone_number="15550783881",
        waba_id="102290129340398",
        listed=False,
    )
    assert text == MessageUpsert(
        channel="106540352242922",
        person=SHEENA,
        wamid="wamid.in",
        at=AT,
        outbound=False,
        author=Author("contact"),
        type="text",
        source="webhook",
        text="Hello",
    )


def test_every_entry_change_and_element_is_read() -> None:
    two = value(messages=[message(id="a"), message(id="b")])
    payload = body(two, value(messages=[message(id="c")], statuses=[status()]))
    payload["entry"].append(body(value(messages=[message(id="d")]))["entry"][0])
    found = normalise(payload, live=True).events
    assert [event.wamid for event in found if isinstance(event, MessageUpsert)] == list("abcd")
    assert len([event for event in found if isinstance(event, StatusUpdate)]) == 1


def test_back_fill_is_marked_as_such() -> None:
    found = events(value(messages=[message()], statuses=[status()]), live=False)
    assert [event.live for event in found if isinstance(event, MessageUpsert | StatusUpdate)] == [
        False,
        False,
    ]


@pytest.mark.parametrize("type_", ["image", "video", "document", "audio", "sticker"])
def test_media_are_described_in_the_words_of_the_wire(type_: str) -> None:
    payload = {
        "id": "99",
        "mime_type": "x/y",
        "sha256": "3f9d",
        "url": "https://example.com/secret",
    }
    event = said(messages=[message(type_, **{type_: payload})])
    assert (event.type, event.text) == (type_, None)
    assert event.media == {
        "id": "99",
        "mime_type": "x/y",
        "filename": None,
        "size_bytes": None,
        "sha256": "3f9d",
        "voice": None,
        "animated": None,
        "url": None,
        "url_expires_at": None,
    }


def test_a_caption_is_the_text_of_a_medium() -> None:
    payload = {"id": "99", "caption": "Does it come in red?", "filename": "shoe.pdf"}
    event = said(messages=[message("document", document=payload)])
    assert event.text == "Does it come in red?"
    assert event.media is not None
    assert event.media["filename"] == "shoe.pdf"


def test_a_voice_note_differs_from_an_audio_file() -> None:
    event = said(messages=[message("audio", audio={"id": "9", "voice": True})])
    assert event.media is not None
    assert event.media["voice"] is True


@pytest.mark.parametrize("type_", ["location", "reaction", "order", "not_yet_invented"])
def test_other_types_are_kept_raw_and_shown_as_unsupported(type_: str) -> None:
    element = message(type_, **{type_: {"any": "thing"}})
    event = said(messages=[element])
    assert event.type == "unsupported"
    assert event.content == {"reason": "unknown_type", "original_type": type_, "errors": []}
    assert event.raw == element


def test_messages_unsupported_by_meta_keep_the_reason() -> None:
    error = {"code": 131051, "title": "Unknown", "error_data": {"details": "Not supported."}}
    event = said(messages=[message("unsupported", errors=[error], unsupported={"type": "poll"})])
    assert event.content == {
        "reason": "provider",
        "original_type": "poll",
        "errors": [{"code": 131051, "title": "Unknown", "details": "Not supported."}],
    }


def test_an_error_beside_a_message_without_contents_is_kept_with_it() -> None:
    event = said(
        messages=[message("interactive")], errors=[{"code": 131000, "title": "Went wrong"}]
    )
    assert event.content == {
        "reason": "provider",
        "original_type": "interactive",
        "errors": [{"code": 131000, "title": "Went wrong", "details": None}],
    }


def test_an_echo_was_sent_from_the_phone() -> None:
    echo = {**message(), "from": "15550783881", "to": "16505551234"}
    event = said(message_echoes=[echo])
    assert (event.outbound, event.author, event.person) == (True, Author("phone"), SHEENA)
    assert (event.source, event.status) == ("echo", "sent")


@pytest.mark.parametrize(
    ("context", "reply", "forwarded"),
    [
        ({"from": "15550783881", "id": "wamid.q"}, "wamid.q", None),
        ({"forwarded": True}, None, "once"),
        ({"forwarded": True, "frequently_forwarded": True}, None, "many"),
    ],
)
def test_replies_and_forwards_are_recognised_by_the_context(
    context: dict[str, Any], reply: str | None, forwarded: str | None
) -> None:
    event = said(messages=[message(context=context)])
    assert (event.reply_wamid, event.forwarded) == (reply, forwarded)


def test_an_enquiry_about_a_product_keeps_the_product() -> None:
    product = {"catalog_id": "71", "product_retailer_id": "CUP-7"}
    for type_, member in (("text", {"body": "In blue?"}), ("image", {"id": "9"})):
        context = {"from": "15550783881", "id": "w7", "referred_product": product}
        event = said(messages=[message(type_, context=context, **{type_: member})])
        assert event.content == {"referred_product": product}
    odd = said(messages=[message(context={"referred_product": "CUP-7"})])
    assert odd.content is None


def test_the_advertisement_that_led_here_is_kept() -> None:
    referral = {"source_type": "ad", "source_id": "7", "headline": "Shoes", "ctwa_clid": "x"}
    picture = {"media_type": "image", "image_url": "https://x.example/i.jpg"}
    welcome = {"welcome_message": {"text": "How can we help?"}}
    assert said(messages=[message(referral={**referral, **picture, **welcome})]).referral == {
        **referral,
        **picture,
        "source_url": None,
        "body": None,
        "video_url": None,
        "thumbnail_url": None,
        "welcome_message": "How can we help?",
    }


def test_contacts_are_matched_by_id_and_never_by_position() -> None:
    contacts = [
        {"profile": {"name": "Bruno"}, "wa_id": "34600000001"},
        {
            "profile": {"name": "Sheena", "username": "she"},
            "wa_id": "16505551234",
            "user_id": "US.1",
        },
    ]
    found = events(value(contacts=contacts, messages=[message()]))
    person = replace(SHEENA, wa_user_id="US.1")
    assert [event for event in found if isinstance(event, ContactUpsert)] == [
        ContactUpsert(
            person=person,
            at=AT,
            name="Sheena",
            name_rank=PROFILE_NAME,
            profile_name="Sheena",
            username="she",
            channel="106540352242922",
        )
    ]


def test_who_hides_the_number_is_known_by_user_id() -> None:
    hidden = message(from_user_id="US.1")
    del hidden["from"]
    contacts = [{"profile": {"name": "Sheena"}, "user_id": "US.1"}]
    _, contact, text = events(value(contacts=contacts, messages=[hidden]))
    assert isinstance(contact, ContactUpsert)
    assert isinstance(text, MessageUpsert)
    assert contact.person == text.person == Person(wa_user_id="US.1")


def test_a_user_id_in_the_place_of_a_number_is_that_user() -> None:
    hidden = {**message(), "from": "US.ENT.1a"}
    contacts = [{"profile": {"name": "Sheena"}, "wa_id": "US.ENT.1a"}]
    _, contact, text = events(value(contacts=contacts, messages=[hidden]))
    assert isinstance(contact, ContactUpsert)
    assert isinstance(text, MessageUpsert)
    assert contact.person == text.person == Person(wa_user_id="US.ENT.1a")
    assert contact.name == "Sheena"


@pytest.mark.parametrize(
    ("named", "contact", "person"),
    [
        ({}, {"user_id": "US.1"}, Person(wa_user_id="US.1")),
        ({}, {"wa_id": "16505551234", "user_id": "US.1"}, replace(SHEENA, wa_user_id="US.1")),
        ({"number": "16505551234"}, {"user_id": "US.1"}, replace(SHEENA, wa_user_id="US.1")),
        ({"number": "16505551234"}, {"user_id": "US.1", "wa_id": "34600000001"}, SHEENA),
        ({"user": "US.2"}, {"user_id": "US.1"}, Person(wa_user_id="US.2")),
        (
            {"user": "US.1"},
            {"wa_id": "16505551234", "user_id": "US.1"},
            replace(SHEENA, wa_user_id="US.1"),
        ),
    ],
)
@pytest.mark.parametrize("array", ["messages", "message_echoes", "statuses"])
def test_the_only_contact_is_the_person_of_all_elements(
    array: str, named: dict[str, str], contact: dict[str, str], person: Person
) -> None:
    number, user = whatsapp.PERSONS[array]
    names = {"number": number, "user": user}
    element = status() if array == "statuses" else message()
    for name in ("from", "to", "recipient_id"):
        element.pop(name, None)
    element |= {names[kind]: payload for kind, payload in named.items()}
    contacts = [{"profile": {"name": "Sheena"}, **contact}]
    found = events(value(contacts=contacts, **{array: [element]}))
    assert [one.person for one in found if isinstance(one, MessageUpsert | StatusUpdate)] == [
        person
    ]


@pytest.mark.parametrize(
    ("array", "is_stated"), [("messages", True), ("message_echoes", False), ("statuses", False)]
)
def test_of_a_number_in_two_forms_the_sender_s_is_the_one_that_whatsapp_has(
    array: str, is_stated: bool
) -> None:
    mexican = "5215512345678"
    element = status() if array == "statuses" else message()
    for name in ("from", "to", "recipient_id"):
        element.pop(name, None)
    found = events(
        value(contacts=[], **{array: [{**element, whatsapp.PERSONS[array][0]: mexican}]})
    )
    persons = [one.person for one in found if isinstance(one, MessageUpsert | StatusUpdate)]
    assert persons == [Person(f"+{mexican}", mexican if is_stated else None)]


def test_one_contact_is_nobody_where_elements_are_with_several() -> None:
    contacts = [{"profile": {"name": "Sheena"}, "user_id": "US.1"}]
    two = [message(), message(id="b", **{"from": "34600000001"})]
    found = events(value(contacts=contacts, messages=two))
    assert not [one for one in found if isinstance(one, ContactUpsert)]
    assert {one.person.wa_user_id for one in found if isinstance(one, MessageUpsert)} == {None}


def test_a_change_of_number_without_the_new_one_keeps_its_sentence() -> None:
    system = {"type": "user_changed_number", "body": "Ana changed to a new number"}
    event = said(messages=[message("system", system=system)])
    assert (event.type, event.text) == ("system", "Ana changed to a new number")
    assert event.content == {
        "event": "user_changed_number",
        "old_phone": SHEENA.phone,
        "new_phone": None,
    }


@pytest.mark.parametrize("array", ["messages", "message_echoes"])
def test_amendments_without_a_type_are_known_by_their_contents(array: str) -> None:
    after = {"text": {"body": "Better"}}
    payload: list[dict[str, Any]] = [
        message(edit={"original_message_id": "wamid.in", "message": after}),
        message(reaction={"message_id": "wamid.in", "emoji": "👍"}),
        message(revoke={"original_message_id": "wamid.in"}),
    ]
    for one in payload:
        del one["type"], one["text"]
        one["to"] = one["from"]
    _, edit, reaction, fold, revoke = events(value(**{array: payload}))
    assert isinstance(edit, MessageEdit)
    assert edit.text == "Better"
    assert isinstance(reaction, MessageUpsert)
    assert reaction.type == "reaction"
    assert isinstance(fold, ReactionSet)
    assert isinstance(revoke, MessageRevoke)


def test_a_failed_delivery_carries_its_first_error() -> None:
    errors = [{"code": 131026, "title": "Undeliverable"}, {"code": 1, "title": "Other"}]
    payload = status("failed", errors=errors, pricing={"category": "marketing"})
    _, failed = events(value(statuses=[payload]))
    assert failed == StatusUpdate(
        channel="106540352242922",
        person=SHEENA,
        wamid="wamid.out",
        at=AT,
        status="failed",
        error={"code": 131026, "title": "Undeliverable", "details": None},
        category="marketing",
    )


@pytest.mark.parametrize("step", ["failed", "captured"])
def test_the_status_of_a_payment_is_a_row_of_the_thread_and_no_delivery_step(step: str) -> None:
    amount = {"value": 2150, "offset": 100}
    payment = {"reference_id": "A-7", "amount": amount, "currency": "INR"}
    payload = status(step, type="payment", payment=payment)
    _, row = events(value(statuses=[payload]))
    assert isinstance(row, MessageUpsert)
    assert (row.type, row.author, row.person) == ("system", Author("system"), SHEENA)
    assert not row.outbound
    assert row.text == f"Payment {step}: 21.50 INR, A-7"
    assert (row.reply_wamid, row.wamid, row.raw) == ("wamid.out", None, payload)
    assert row.content == {
        "event": "payment",
        "status": step,
        "target_wamid": "wamid.out",
        "reference_id": "A-7",
        "amount": "21.50",
        "currency": "INR",
    }


@pytest.mark.parametrize(
    "payment",
    [
        None,
        "nothing",
        {"amount": 7},
        {"amount": {"value": "much"}},
        {"amount": {"value": 1, "offset": 7}},
    ],
)
def test_a_payment_that_has_no_amount_is_shown_without_one(payment: object) -> None:
    _, row = events(value(statuses=[status("failed", type="payment", payment=payment)]))
    assert isinstance(row, MessageUpsert)
    assert row.text == "Payment failed"


def test_a_status_that_says_it_is_of_a_message_is_a_delivery_step() -> None:
    _, step = events(value(statuses=[status("read", type="message")]))
    assert isinstance(step, StatusUpdate)
    assert step.status == "read"


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (value(messages=[message(group_id="g")]), "group message"),
        (value(statuses=[status("failed", type="call")]), "call status failed"),
        (value(statuses=[status(recipient_type="group")]), "status of a group message"),
        (value(statuses=[status("warning")]), "status warning"),
        (
            value(statuses=[status("failed", type="payment", recipient_id=None)]),
            "payment status failed without a recipient",
        ),
        (value(errors=[{"code": 1}]), "account error 1"),
        ({"anything": "else"}, "field messages"),
    ],
)
def test_unsupported_elements_are_counted_by_kind(payload: dict[str, Any], kind: str) -> None:
    found = normalise(body(payload), live=True)
    assert (found.events, dict(found.ignored)) == ((), {kind: 1})


def test_a_field_that_is_not_mapped_is_counted_by_its_name() -> None:
    found = normalise(body({"event": "x"}, field="account_update"), live=True)
    assert dict(found.ignored) == {"field account_update": 1}


def test_a_bare_value_and_a_partners_envelope_are_read_too() -> None:
    payload = value(messages=[message()])
    expected = normalise(body(payload), live=True).events[1:]
    assert normalise(payload, live=True).events[1:] == expected
    envelope = {"id": "1", "event": "messages", "data": payload}
    assert normalise(envelope, live=True).events[1:] == expected


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({}, "it is not a WhatsApp webhook body"),
        ({"object": "page", "entry": []}, "it is about a page, not a WhatsApp account"),
        ({"entry": {}}, "entry is not an array"),
        ({"entry": [7]}, "entry[0] is not an object"),
        (body({"messages": [message()]}), "value.metadata is missing"),
        (body(value(messages="x")), "value.messages is not an array"),
        (body(value(messages=[None])), "value.messages[0] is not an object"),
        (body(value(messages=[message(id=None)])), "value.messages[0].id is missing"),
        (
            body(value(messages=[message(id="é" * 257)])),
            "value.messages[0].id is too long: it may have 512 bytes",
        ),
        (
            body(value(messages=[message(timestamp="yesterday")])),
            "value.messages[0].timestamp is not a time in Unix seconds",
        ),
        (
            body(value(messages=[{**message(), "from": "Bob"}])),
            "value.messages[0].from is not a phone number",
        ),
        (
            body(value(statuses=[status(errors=[{"code": "x"}])])),
            "value.statuses[0].errors[0].code is not a whole number",
        ),
    ],
)
def test_a_wrong_shape_is_refused_with_its_place(payload: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed) as refusal:
        normalise(payload, live=True)
    assert str(refusal.value).endswith(reason)


def test_unreadable_elements_are_refused_without_losing_their_neighbours() -> None:
    good = body(
        value(messages=[message(id="a")], contacts=[None]), value(messages=[message(id="b")])
    )
    payload = [7, *good["entry"], {"id": "1", "changes": "x"}]
    payload[1]["changes"].append("y")
    thread = {"id": "16505551234", "messages": [message(id="c"), None, message(id="d")]}
    past = body(value(history=[{"threads": [None, thread]}]), field="history")
    found = normalise({"entry": payload + past["entry"]}, live=True)
    assert [event.wamid for event in found.events if isinstance(event, MessageUpsert)] == list(
        "abcd"
    )
    assert [reason.rpartition(".")[2] for reason in found.refused] == [
        "entry[0] is not an object",
        "contacts[0] is not an object",
        "changes[2] is not an object",
        "changes is not an array",
        "threads[0] is not an object",
        "messages[1] is not an object",
    ]


def wrapped(times: int, **members: Any) -> bytes:
    """A body that was wrapped so many times, the last time with these members."""
    value: Any = body(value_of_a_message())
    for number in range(times):
        value = {"body": value, **(members if number == times - 1 else {})}
    return json.dumps(value).encode()


def value_of_a_message() -> dict[str, Any]:
    return value(messages=[message()])


@pytest.mark.parametrize(("times", "is_found"), [(0, True), (1, True), (3, True), (4, False)])
def test_a_body_is_found_in_up_to_three_wrappings(times: int, is_found: bool) -> None:
    assert ("entry" in whatsapp.body_of(wrapped(times))) == is_found


@pytest.mark.parametrize(
    ("members", "received_at"),
    [
        ({"received_at": "2026-03-14T09:26:53Z"}, 1_773_480_413_000),
        ({"received_at": "soon"}, None),
        ({}, None),
    ],
)
def test_a_wrapping_may_say_when_it_was_received(
    members: dict[str, Any], received_at: int | None
) -> None:
    for times in (1, 2):
        assert whatsapp.unwrap(wrapped(times, **members))[1] == received_at
    assert whatsapp.unwrap(wrapped(0))[1] is None


def test_elements_that_cannot_be_read_are_counted_and_told_with_the_first() -> None:
    broken = [message(id="a", timestamp="soon"), message(id="b"), message(id="c", timestamp="x")]
    found = normalise(body(value(messages=broken)), live=True)
    assert found.ignored == {"element that cannot be read": 2}
    assert found.refusal is not None
    assert found.refusal.startswith("2 of its elements: ")
    assert "messages[0].timestamp" in found.refusal
    assert normalise(body(value(messages=[message()])), live=True).refusal is None


def test_an_entry_without_changes_is_counted() -> None:
    found = normalise({"entry": [{"id": "1"}, {"id": "2", "changes": []}]}, live=True)
    assert (found.events, found.ignored) == ((), {"entry without changes": 2})
    found = normalise({"entry": [{"changes": [{"value": 7}, {"field": "x"}]}]}, live=True)
    assert found.ignored == {"field unknown": 1, "field x": 1}


def test_several_account_errors_are_counted_by_their_codes() -> None:
    errors = [{"code": 1}, {"code": "2"}, {"code": 1}]
    found = normalise(body({"errors": errors}), live=True)
    assert found.ignored == {"account error 1": 2, "account error 2": 1}


@pytest.mark.parametrize(
    ("stored", "sound"),
    [
        (
            r'{"a\u0000": ["\u0000", {"b": "\ud83d"}], "c": 1}',
            {"a\ufffd": ["\ufffd", {"b": "\ufffd"}], "c": 1},
        ),
        (r'{"a": "\ud83d\ude00"}', {"a": "\U0001f600"}),
        (r'{"a": "\u00e9"}', {"a": "\u00e9"}),
    ],
)
def test_what_a_database_cannot_store_is_replaced(stored: str, sound: dict[str, Any]) -> None:
    assert whatsapp.body_of(stored.encode()) == sound
