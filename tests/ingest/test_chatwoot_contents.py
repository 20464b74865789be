"""Contents of Chatwoot messages: texts, files, cards, places, forms, calls."""

from typing import Any

import pytest

from frontdesk.ingest.chatwoot.contents import contents_of, note_text
from frontdesk.ingest.json_reader import JsonObject

URL = "https://chat.example/files/An%20offer.pdf?sign=x"
IMAGE = {"file_type": "image", "data_url": "https://chat.example/a.webp", "file_size": 2_000}
CARD = {"file_type": "contact", "fallback_title": "+44 1", "meta": {"firstName": "Ana"}}


def row(**members: Any) -> JsonObject:
    """A message, of an agent unless it is said to come from a customer (0)."""
    return JsonObject({"message_type": 1, **members}, "message")


def lines(**members: Any) -> list[tuple[str, str | None]]:
    return [(line["type"], line["text"]) for line in contents_of(row(**members))]


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"content": "Hello"}, [("text", "Hello")]),
        ({"content": ""}, [("unsupported", None)]),
        ({"content": "Hello", "content_type": "article"}, [("text", "Hello")]),
        ({"content_attributes": {"deleted": True}}, [("text", None)]),
        ({"content": "x", "content_attributes": {"deleted": "yes"}}, [("text", "x")]),
        ({"content": "x", "content_attributes": {"is_unsupported": True}}, [("unsupported", "x")]),
        ({"content": "x", "content_attributes": {"is_unsupported": 1}}, [("text", "x")]),
        ({"content_type": "voice_call"}, [("system", "Voice call")]),
        (
            {"content": "Look", "attachments": [IMAGE, {"data_url": URL}]},
            [("image", "Look"), ("document", None)],
        ),
        (
            {"content": "Hear", "attachments": [{"file_type": "audio", "transcribed_text": "Hi"}]},
            [("audio", "Hear")],
        ),
        (
            {"attachments": [{"file_type": "video", "transcribed_text": "Hi"}]},
            [("video", None)],
        ),
        ({"attachments": [{"file_type": "hologram"}]}, [("document", None)]),
        ({"attachments": [CARD]}, [("contacts", "Ana")]),
        ({"content": "Ana B", "attachments": [CARD]}, [("contacts", "Ana B")]),
        (
            {"content": "Two", "attachments": [CARD, {**CARD, "meta": {}}]},
            [("contacts", "Two\nAna")],
        ),
        ({"attachments": [{**CARD, "meta": {}}]}, [("contacts", "+44 1")]),
        ({"attachments": [{"file_type": "location"}]}, [("location", None)]),
    ],
)
def test_a_message_is_a_line_for_its_text_and_first_file_and_one_for_each_other(
    members: dict[str, Any], expected: list[tuple[str, str | None]]
) -> None:
    assert lines(**members) == expected


def test_what_chatwoot_has_read_in_a_voice_message_is_no_text_of_the_customer() -> None:
    (line,) = contents_of(
        row(content="Hear", attachments=[{"file_type": "audio", "transcribed_text": "Hi"}])
    )
    assert (line["text"], line["media_text"]) == ("Hear", {"text": "Hi", "by": "chatwoot"})


@pytest.mark.parametrize(
    ("members", "kind"),
    [
        ({"message_type": 0, "attachments": [IMAGE]}, "sticker"),
        ({"message_type": 1, "attachments": [IMAGE]}, "image"),
        (
            {
                "message_type": 1,
                "content_attributes": {"external_echo": True},
                "attachments": [IMAGE],
            },
            "sticker",
        ),
        ({"message_type": 0, "attachments": [{**IMAGE, "extension": ".JPG"}]}, "image"),
        ({"message_type": 0, "attachments": [{**IMAGE, "extension": ".WEBP"}]}, "sticker"),
        ({"content_type": "sticker", "attachments": [{"file_type": "image"}]}, "sticker"),
        ({"message_type": 0, "attachments": [{**IMAGE, "file_type": "video"}]}, "video"),
    ],
)
def test_a_webp_from_a_phone_is_a_sticker(members: dict[str, Any], kind: str) -> None:
    assert lines(**members) == [(kind, None)]


@pytest.mark.parametrize("keep_urls", [True, False])
def test_a_file_has_its_name_its_size_and_its_url_where_that_is_kept(keep_urls: bool) -> None:
    file = {"data_url": URL, "file_size": 7, "fallback_title": "other"}
    (line,) = contents_of(row(attachments=[file]), keep_urls=keep_urls)
    media = {name: value for name, value in line["media"].items() if value is not None}
    named = {"filename": "An offer.pdf", "size_bytes": 7}
    assert media == (named | {"url": URL} if keep_urls else named)
    (line,) = contents_of(row(attachments=[{"fallback_title": "other"}]), keep_urls=keep_urls)
    assert [value for value in line["media"].values() if value is not None] == ["other"]


def test_numbers_of_one_card_are_together_and_another_card_is_its_own() -> None:
    cards = [
        CARD,
        {**CARD, "fallback_title": "+44 2"},
        {**CARD, "fallback_title": "no number"},
        {**CARD, "meta": {"firstName": "Bo", "lastName": "Li"}},
        {**CARD, "meta": {}, "fallback_title": "+44 3"},
        {**CARD, "meta": {}, "fallback_title": "+44 4"},
    ]
    (line,) = contents_of(row(attachments=cards))
    assert [
        (
            card["name"],
            card["first_name"],
            card["last_name"],
            [each["phone"] for each in card["phones"]],
        )
        for card in line["content"]["contacts"]
    ] == [
        ("Ana", "Ana", None, ["+44 1", "+44 2"]),
        ("Bo Li", "Bo", "Li", ["+44 1"]),
        ("+44 3", None, None, ["+44 3"]),
        ("+44 4", None, None, ["+44 4"]),
    ]


def test_a_place_has_its_coordinates_and_name() -> None:
    place = {"coordinates_lat": 1.5, "coordinates_long": 0, "fallback_title": "", "data_url": "u"}
    (line,) = contents_of(row(attachments=[{"file_type": "location", **place}]))
    assert line["content"] == {"latitude": 1.5, "longitude": 0, "name": None, "url": "u"}


def test_a_call_has_its_plain_facts() -> None:
    call = {"status": "ended", "seconds": 7, "legs": [1], "event": "x"}
    (line,) = contents_of(row(content_type="voice_call", call=call))
    assert line["content"] == {"status": "ended", "seconds": 7, "event": "call"}


@pytest.mark.parametrize(
    ("kind", "attributes", "text", "content"),
    [
        ("input_csat", {}, None, {"kind": "csat", "sections": None, "response": None}),
        (
            "input_csat",
            {"submitted_values": {"csat_survey_response": {"rating": 4, "feedback_message": "Ok"}}},
            "Rating: 4 of 5\nOk",
            {"kind": "csat", "response": {"rating": 4, "feedback_message": "Ok"}},
        ),
        (
            "input_csat",
            {"submitted_values": {"csat_survey_response": {"feedback_message": "Ok"}}},
            "Rating: ? of 5\nOk",
            {"kind": "csat"},
        ),
        (
            "input_select",
            {"items": [{"title": "A", "description": "d"}, {"value": 7, "link": "l"}, {}, "x"]},
            None,
            {
                "kind": "list",
                "sections": [
                    {
                        "title": None,
                        "rows": [
                            {"title": "A", "description": "d"},
                            {"title": "7", "description": "l"},
                        ],
                    }
                ],
            },
        ),
        (
            "form",
            {
                "submitted_values": [
                    {"label": "Size", "name": "size", "value": "M"},
                    {"name": "n", "value": 2},
                    {"title": "T", "value": "v"},
                    {"value": "v"},
                ]
            },
            "Size: M\nn: 2\nT\nv",
            {"kind": "form", "sections": None},
        ),
        ("input_email", {"submitted_email": "a@b.example"}, "a@b.example", {"kind": "input_email"}),
    ],
)
def test_a_form_has_its_choices_and_answers(
    kind: str, attributes: dict[str, Any], text: str | None, content: dict[str, Any]
) -> None:
    (line,) = contents_of(row(content_type=kind, content_attributes=attributes))
    assert (line["type"], line["text"]) == ("interactive", text)
    assert {name: line["content"][name] for name in content} == content


@pytest.mark.parametrize(
    ("members", "text"),
    [
        ({}, None),
        ({"content": "Hello"}, "Hello"),
        ({"content": "See", "attachments": [IMAGE]}, "See\nAttached: image a.webp, 2 KB"),
        ({"attachments": [{"file_type": "audio"}]}, "Attached: audio"),
        ({"attachments": [CARD]}, "Attached: contact Ana, +44 1"),
        ({"attachments": [{**CARD, "meta": {}}]}, "Attached: contact +44 1"),
        (
            {
                "attachments": [
                    {"file_type": "location", "coordinates_lat": 1.5, "coordinates_long": 2}
                ]
            },
            "Attached: location 1.5, 2",
        ),
    ],
)
def test_a_private_note_says_what_is_attached(members: dict[str, Any], text: str | None) -> None:
    assert note_text(row(**members)) == text
