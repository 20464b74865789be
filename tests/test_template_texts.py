"""Texts of message templates with values in their placeholders."""

from typing import Any

import pytest

from frontdesk.text.templates import body_text, filled_components, parameter_text


@pytest.mark.parametrize(
    ("text", "parameters", "filled"),
    [
        ("{{1}} and {{2}}", [{"text": "a"}, {"text": "b"}], "a and b"),
        ("{{ 2 }}, {{1}}", [{"text": "a"}, {"text": "b"}], "b, a"),
        (
            "for {{who}} by {{day}}",
            [{"parameter_name": "day", "text": "Friday"}, {"parameter_name": "who", "text": "Bo"}],
            "for Bo by Friday",
        ),
        ("{{1}} and {{2}}", [{"text": "{{2}}"}], "{{2}} and {{2}}"),
        ("no place", [{"text": "a"}], "no place"),
    ],
)
def test_values_stand_in_their_places(text: str, parameters: Any, filled: str) -> None:
    stored = [{"type": "BODY", "text": text}]
    parts = filled_components(stored, [{"type": "body", "parameters": parameters}])
    assert body_text(parts) == filled


def test_values_are_those_of_their_component_and_buttons_have_their_address() -> None:
    stored = [
        {"type": "HEADER", "format": "TEXT", "text": "To {{1}}", "example": {}},
        {"type": "BODY", "text": "Bill {{1}}"},
        {"type": "BUTTONS", "buttons": [{"text": "See", "url": "https://a.example/{{1}}"}, 7]},
    ]
    sent = [
        {"type": "header", "parameters": [{"type": "text", "text": "Bo"}, "odd"]},
        {"type": "body", "parameters": [{"type": "text", "text": "77"}]},
        {"type": "button", "sub_type": "url", "index": 0, "parameters": [{"text": "x"}]},
    ]
    header, body, buttons = filled_components(stored, sent)
    assert (header["text"], body["text"]) == ("To Bo", "Bill 77")
    assert "example" not in header
    assert buttons["buttons"] == [{"text": "See", "url": "https://a.example/x"}]


@pytest.mark.parametrize("stored", [[], [{"type": "BODY"}], [{"type": "BODY", "text": 7}], [{}]])
def test_a_template_without_a_body_has_no_text(stored: Any) -> None:
    assert body_text(filled_components(stored, [])) is None


@pytest.mark.parametrize(
    ("parameter", "text"),
    [
        ({"type": "text", "text": "a"}, "a"),
        ({"type": "currency", "currency": {"fallback_value": "$7"}}, "$7"),
        ({"type": "date_time", "date_time": {"fallback_value": "noon"}}, "noon"),
        ({"type": "date_time", "date_time": {"fallback_value": None}}, ""),
        ({"type": "image", "image": {"id": "9"}}, ""),
    ],
)
def test_a_parameter_is_what_the_customer_reads(parameter: Any, text: str) -> None:
    assert parameter_text(parameter) == text
