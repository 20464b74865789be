"""What messages say, by their type, in the words of the wire."""

from typing import Any

import pytest

from frontdesk.ingest.contents import Contents, contents_of
from frontdesk.ingest.shapes import Part


def read(type_: str, *, outbound: bool = False, **members: Any) -> Contents:
    return contents_of(Part({"type": type_, **members}), outbound=outbound)


def test_a_place_has_coordinates_and_may_have_a_name() -> None:
    told = {"latitude": 12.25, "longitude": "43.9", "name": "Office"}
    assert read("location", location=told) == Contents(
        "location",
        content={
            "latitude": 12.25,
            "longitude": 43.9,
            "name": "Office",
            "address": None,
            "url": None,
        },
    )


def test_contacts_are_cards_and_the_first_name_is_the_text() -> None:
    cards = [
        {
            "name": {"formatted_name": "Ada Byron", "first_name": "Ada", "last_name": "Byron"},
            "org": {"company": "Engines"},
            "phones": [{"phone": "+1 650", "wa_id": "1650", "type": "CELL"}],
            "emails": [{"email": "a@example.com", "type": "WORK"}],
            "birthday": "1815-12-10",
        },
        {"name": {"formatted_name": "Bob"}, "vcard": "BEGIN:VCARD"},
    ]
    found = read("contacts", contacts=cards)
    assert found.text == "Ada Byron"
    assert found.content is not None
    assert found.content["contacts"] == [
        {
            "name": "Ada Byron",
            "first_name": "Ada",
            "last_name": "Byron",
            "org": "Engines",
            "phones": [{"phone": "+1 650", "wa_id": "1650", "type": "CELL"}],
            "emails": [{"email": "a@example.com", "type": "WORK"}],
            "urls": [],
            "addresses": [],
            "birthday": "1815-12-10",
            "vcard": None,
        },
        {
            "name": "Bob",
            "first_name": None,
            "last_name": None,
            "org": None,
            "phones": [],
            "emails": [],
            "urls": [],
            "addresses": [],
            "birthday": None,
            "vcard": "BEGIN:VCARD",
        },
    ]


@pytest.mark.parametrize(
    ("type_", "told", "text", "answer"),
    [
        ("button", {"payload": "yes-1", "text": "Yes"}, "Yes", ("quick_reply", None, "Yes")),
        (
            "interactive",
            {"type": "button_reply", "button_reply": {"id": "b1", "title": "Red"}},
            "Red",
            ("button_reply", "b1", "Red"),
        ),
        (
            "interactive",
            {"type": "list_reply", "list_reply": {"id": "r1", "title": "L", "description": "d"}},
            "L",
            ("list_reply", "r1", "L"),
        ),
    ],
)
def test_a_choice_is_told_by_its_title(
    type_: str, told: dict[str, Any], text: str, answer: tuple[str, str | None, str]
) -> None:
    found = read(type_, **{type_: told})
    content = found.content or {}
    assert (found.type, found.text) == ("interactive", text)
    assert (content["kind"], content["id"], content["title"]) == answer
    assert content["payload"] == told.get("payload")
    assert content["description"] == ("d" if content["kind"] == "list_reply" else None)


@pytest.mark.parametrize(
    ("told", "response"),
    [
        ('{"size": 38, "gift": true}', {"size": 38, "gift": True}),
        ("not JSON", "not JSON"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=["an object", "no JSON", "no number", "half a character", "too deep"],
)
def test_a_form_brings_its_answers_as_far_as_they_can_be_kept(told: str, response: object) -> None:
    form = {"name": "flow", "body": "Sent", "response_json": told}
    found = read("interactive", interactive={"type": "nfm_reply", "nfm_reply": form})
    assert found.text == "Sent"
    assert found.content is not None
    assert (found.content["kind"], found.content["response"]) == ("flow_reply", response)


def test_a_permission_to_call_is_an_answer() -> None:
    told = {"response": "accept", "expiration_timestamp": 1_780_000_000}
    found = read(
        "interactive", interactive={"type": "call_permission_reply", "call_permission_reply": told}
    )
    assert found.content is not None
    assert found.content["kind"] == "call_permission_reply"
    assert found.content["response"] == told


def test_an_order_lists_what_is_ordered() -> None:
    item = {"product_retailer_id": "P1", "quantity": 3, "item_price": 30.5, "currency": "EUR"}
    order = {"catalog_id": "C", "text": "By Monday", "product_items": [item]}
    assert read("order", order=order) == Contents(
        "order", "By Monday", {"catalog_id": "C", "items": [item]}
    )


def test_a_medium_from_the_history_that_is_yet_to_come_says_so() -> None:
    found = read("media_placeholder")
    assert found.content == {"reason": "media_placeholder", "original_type": None, "errors": []}


@pytest.mark.parametrize(
    ("type_", "members"),
    [
        ("text", {"text": []}),
        ("text", {"text": {"body": []}}),
        ("image", {}),
        ("location", {"location": {"latitude": "north", "longitude": 1}}),
        ("location", {"location": {"latitude": True, "longitude": 1}}),
        ("contacts", {"contacts": []}),
        ("interactive", {"interactive": {"type": "tomorrow"}}),
        ("order", {"order": {}}),
        ("hologram", {"hologram": {}}),
    ],
)
def test_what_cannot_be_read_is_kept_raw_and_shown_as_unsupported(
    type_: str, members: dict[str, Any]
) -> None:
    found = read(type_, **members)
    assert found.type == "unsupported"
    assert found.raw == {"type": type_, **members}
    assert found.content == {"reason": "unknown_type", "original_type": type_, "errors": []}


@pytest.mark.parametrize(
    ("type_", "kind"),
    [("button", "buttons"), ("list", "list"), ("location_request_message", "location_request")],
)
def test_what_was_sent_to_be_tapped_says_what_it_offers(type_: str, kind: str) -> None:
    told = {
        "type": type_,
        "header": {"type": "text", "text": "Shoes"},
        "body": {"text": "Which?"},
        "footer": {"text": "Bye"},
        "action": {"buttons": [{"type": "reply"}], "sections": [{"title": "S"}]},
    }
    assert read("interactive", outbound=True, interactive=told) == Contents(
        "interactive",
        "Which?",
        {
            "kind": kind,
            "header": {"type": "text", "text": "Shoes"},
            "body": "Which?",
            "footer": "Bye",
            "buttons": [{"type": "reply"}],
            "sections": [{"title": "S"}],
        },
    )


def test_a_template_that_was_sent_names_itself() -> None:
    told = {"name": "hello", "language": {"code": "en"}, "components": [{"type": "body"}]}
    assert read("template", outbound=True, template=told).content == {
        "name": "hello",
        "language": "en",
        "category": None,
        "components": [{"type": "body"}],
    }
