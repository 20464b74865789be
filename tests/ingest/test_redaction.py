"""Redaction of stored webhook bodies."""

import json
from typing import Any

import pytest

from frontdesk.ingest.webhooks import redaction
from frontdesk.ingest.webhooks.normalise import normalise
from frontdesk.ingest.webhooks.redaction import Mention

CONTENTS: dict[str, dict[str, Any]] = {
    "text": {"body": "SECRET"},
    "image": {"id": "SECRET", "mime_type": "image/jpeg", "sha256": "x", "caption": "SECRET"},
    "document": {"id": "1", "filename": "SECRET.pdf", "url": "https://example.com/SECRET"},
    "location": {"latitude": 41.5, "longitude": 2.25, "name": "SECRET", "address": "SECRET"},
    "button": {"payload": "SECRET", "text": "SECRET"},
    "interactive": {"type": "button_reply", "button_reply": {"id": "SECRET", "title": "SECRET"}},
    "order": {
        "catalog_id": "1",
        "text": "SECRET",
        "product_items": [{"product_retailer_id": "SECRET", "quantity": 2, "item_price": 5}],
    },
    "unheard_of": {"anything": ["SECRET", {"a": ["SECRET"]}]},
}


def message(kind: str, contents: Any, **members: Any) -> dict[str, Any]:
    return {
        "from": "16505551234",
        "id": "w/1",
        "timestamp": "1773480000",
        "type": kind,
        kind: contents,
        **members,
    }


def body(**members: Any) -> dict[str, Any]:
    value = {"metadata": {"display_phone_number": "15550001111", "phone_number_id": "1"}, **members}
    changes = [{"field": "messages", "value": value}]
    return {"object": "whatsapp_business_account", "entry": [{"id": "9", "changes": changes}]}


def packed(value: object) -> bytes:
    return json.dumps(value).encode()


def events(value: dict[str, Any]) -> list[type]:
    return [type(event) for event in normalise(value, live=True).events]


@pytest.mark.parametrize("kind", CONTENTS)
@pytest.mark.parametrize("member", ["messages", "message_echoes"])
def test_nothing_is_left_of_what_was_said_but_that_something_was(kind: str, member: str):
    said = message(kind, CONTENTS[kind], to="16505551234", referral={"headline": "SECRET"})
    edit = message("edit", {"original_message_id": "w/1", "message": said}, id="w2")
    other = message("text", {"body": "other words"}, id="w3", context={"id": "w/1"})
    before = body(**{member: [said, edit, other]})
    after = redaction.blanked(packed(before), {"w/1"})
    assert after is not None
    assert b"SECRET" not in after
    assert b"41.5" not in after
    assert b"other words" in after
    assert events(json.loads(after)) == events(before)
    assert redaction.blanked(after, {"w/1"}) is None


def test_a_body_without_such_a_message_is_left_as_it_came():
    raw = packed(body(messages=[message("text", {"body": "w/1"}, id="w2")]))
    assert redaction.blanked(raw, {"w/1"}) is None
    assert redaction.blanked(b"no JSON", {"w/1"}) is None


def test_a_status_of_a_message_is_none_of_its_contents():
    status = {"id": "w/1", "status": "read", "timestamp": "1", "recipient_id": "16505551234"}
    paid = {**status, "status": "failed", "type": "payment", "payment": {"reference_id": "A-7"}}
    assert redaction.blanked(packed(body(statuses=[status, paid])), {"w/1"}) is None


def test_a_message_without_a_type_is_blanked_too():
    said = message("text", {"body": "SECRET"})
    del said["type"]
    after = redaction.blanked(packed(body(messages=[said])), {"w/1"})
    assert after is not None
    assert b"SECRET" not in after


def test_a_message_without_a_time_is_blanked_too():
    said = message("text", {"body": "SECRET"})
    del said["timestamp"]
    after = redaction.blanked(packed(body(messages=[said])), {"w/1"})
    assert after is not None
    assert b"SECRET" not in after


def test_revocations_are_found_in_messages_and_history():
    taken_back = message("revoke", {"original_message_id": "w9"})
    threads = [{"id": "1", "messages": [taken_back]}]
    for batch in (body(messages=[taken_back]), body(history=[{"threads": threads}])):
        assert redaction.revoked(batch) == {"w9": 1_773_480_000_000}
    odd = {**taken_back, "timestamp": "soon"}
    assert redaction.revoked(body(messages=[odd])) == {"w9": 0}


MENTION = Mention(frozenset({"16505551234"}), frozenset({"w/1", "US.13491"}))


@pytest.mark.parametrize(
    "said",
    [
        "call +1 (650) 555-1234",
        "16505551234",
        {"wa_id": 16505551234},
        [{"a": ["w/1"]}],
        {"US.13491": 1},
    ],
)
def test_somebody_is_found_however_they_are_written(said: object):
    assert MENTION.is_in(body(messages=[{"x": said}]))


@pytest.mark.parametrize("said", ["call +1 (650) 555-1235", "w/12", 165, None, True, {"a": []}])
def test_nobody_else_is_taken_for_them(said: object):
    assert not MENTION.is_in(body(messages=[{"x": said}]))


def test_only_their_elements_go_and_the_rest_can_be_applied():
    theirs = message("text", {"body": "SECRET"})
    other = message("text", {"body": "hi"}, **{"from": "16505555678", "id": "w2"})
    people = [{"wa_id": "16505551234"}, {"wa_id": "16505555678"}]
    raw = packed(body(contacts=people, messages=[theirs, other]))
    after = redaction.pruned(raw, MENTION)
    assert after
    assert json.loads(after) == body(contacts=people[1:], messages=[other])


def test_a_thread_of_theirs_in_a_history_goes_as_a_whole():
    other = message("text", {"body": "hi"}, **{"from": "16505555678", "id": "w"})
    threads = [
        {"id": "16505551234", "messages": [message("text", {"body": "SECRET"})]},
        {"id": "16505555678", "messages": [other]},
    ]
    history = [{"metadata": {"phase": 0}, "threads": threads}]
    after = redaction.pruned(packed(body(history=history)), MENTION)
    assert after
    assert json.loads(after) == body(history=[{"metadata": {"phase": 0}, "threads": threads[1:]}])


def test_nothing_is_left_of_a_body_that_is_all_theirs():
    theirs = message("text", {"body": "SECRET"})
    raw = packed(body(contacts=[{"wa_id": "16505551234"}], messages=[theirs]))
    assert redaction.pruned(raw, MENTION) == b""
    assert redaction.pruned(packed({"metadata": {}, "messages": [theirs]}), MENTION) == b""
    assert redaction.pruned(b"{ broken 16505551234", MENTION) == b""


def test_a_body_without_them_is_left_as_it_came():
    raw = packed(body(messages=[message("text", {"body": "hi"}, **{"from": "1", "id": "w2"})]))
    assert redaction.pruned(raw, MENTION) is None
    assert redaction.pruned(b"{ broken", MENTION) is None


@pytest.mark.parametrize(
    ("kept", "value"),
    [
        ("from_user_id", "US.1"),
        ("to", "1"),
        ("to_user_id", "US.1"),
        ("group_id", "g"),
        ("context", {"id": "w0"}),
        ("history_context", {"status": "read"}),
    ],
)
def test_who_wrote_when_and_to_what_stays(kept: str, value: object):
    said = message("text", {"body": "SECRET"}, **{kept: value})
    after = redaction.blanked(packed(body(messages=[said])), {"w/1"})
    assert after is not None
    (element,) = json.loads(after)["entry"][0]["changes"][0]["value"]["messages"]
    names = ("id", "type", "timestamp", "from")
    assert {name: element[name] for name in (*names, kept)} == {
        **{name: said[name] for name in names},
        kept: value,
    }


def test_blanked_values_keep_their_types():
    contents = {"a": "x", "b": 7, "c": 1.5, "d": True, "e": None, "f": [1], "g": {"type": "t"}}
    after = redaction.blanked(packed(body(messages=[message("odd", contents)])), {"w/1"})
    assert after is not None
    (element,) = json.loads(after)["entry"][0]["changes"][0]["value"]["messages"]
    blank = {"a": "", "b": 0, "c": 0, "d": True, "e": None, "f": [], "g": {"type": "t"}}
    assert element["odd"] == blank
    assert b'": ' not in after


def test_only_the_messages_that_are_named_are_blanked():
    both = [message("text", {"body": "SECRET"}), message("text", {"body": "kept"}, id="w2")]
    after = redaction.blanked(packed(body(messages=both)), {"w/1", "w3"})
    assert after is not None
    first, second = json.loads(after)["entry"][0]["changes"][0]["value"]["messages"]
    assert (first["text"], second["text"]) == ({"body": ""}, {"body": "kept"})


def test_a_deletion_of_an_unreadable_time_is_one_at_an_unknown_time():
    taken_back = message("revoke", {"original_message_id": "w9"})
    for stamp, at in (
        ("99999999999", 99_999_999_999_000),
        ("999999999999", 0),
        ("\u0661", 0),
        ("", 0),
        (1_773_480_000, 1_773_480_000_000),
    ):
        odd = {**taken_back, "timestamp": stamp}
        assert redaction.revoked(body(messages=[odd])) == {"w9": at}


@pytest.mark.parametrize("revoked", [None, "w9", {}, {"original_message_id": ""}])
def test_a_deletion_of_nothing_is_none(revoked: object):
    assert redaction.revoked(body(messages=[message("revoke", revoked)])) == {}


def test_a_body_that_names_a_message_is_found_by_its_bytes():
    needles = redaction.needles({"w/1", 'a"é'})
    assert needles == sorted([b"w/1", rb"w\/1", rb"a\"\u00e9"], key=bytes)
    for raw in (b'{"id":"w/1"}', rb'{"id":"w\/1"}'):
        assert any(needle in raw for needle in needles)


def test_what_was_said_to_or_about_somebody_is_found():
    theirs = message("text", {"body": "hi"})
    edit = message("edit", {"original_message_id": "w5"}, id="w4")
    taken_back = message("revoke", {"original_message_id": "w6"}, id=7)
    other = message("text", {"body": "hi"}, **{"from": "1", "id": "w2"})
    raw = packed({"messages": [theirs, edit, taken_back, other]})
    assert redaction.targets(raw, MENTION) == {"w/1", "w4", "w5", "w6"}
    assert redaction.targets(b"{ broken", MENTION) == set()


def test_a_list_of_contacts_alone_says_nothing():
    contacts = [{"wa_id": "16505551234"}, {"wa_id": "1"}]
    assert redaction.pruned(packed(body(contacts=contacts, messages=[])), MENTION) == b""
    kept = redaction.pruned(packed(body(contacts=contacts, errors=[{"code": 1}])), MENTION)
    assert kept
    assert json.loads(kept) == body(contacts=contacts[1:], errors=[{"code": 1}])


def test_a_mention_outside_of_all_lists_takes_the_body_with_it():
    other = message("text", {"body": "hi"}, **{"from": "1", "id": "w2"})
    raw = packed({"to": "16505551234", "messages": [other]})
    assert redaction.pruned(raw, MENTION) == b""
