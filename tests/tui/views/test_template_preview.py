"""Previews of message templates, for any components that Meta sends."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.views.templates import bubble, parameters, plain_text
from frontdesk.tui.widgets.text_layout import width_of
from frontdesk.wire import Template


def template(*components: dict[str, Any]) -> Template:
    return Template(id="1", name="offer", language="en", components=components)


def text_of(one: Template, width: int = 60) -> str:
    return "\n".join("".join(text for _, text in line) for line in bubble(one, width))


def parts_of(one: Template, part: str) -> list[str]:
    return [text for line in bubble(one, 60) for name, text in line if name == part]


BODY = {
    "type": "BODY",
    "text": "Thank you, *{{1}}*! Your order is {{2}}.",
    "example": {"body_text": [["Pablo", "860198"]]},
}


def test_a_message_has_header_body_footer_and_buttons_in_this_order() -> None:
    shown = text_of(
        template(
            {"type": "BUTTONS", "buttons": [
                {"type": "QUICK_REPLY", "text": "Stop"},
                {"type": "URL", "text": "Track", "url": "https://example.com/t/{{1}}"},
                {"type": "PHONE_NUMBER", "text": "Call us", "phone_number": "+15550100"},
            ]},
            {"type": "FOOTER", "text": "Lucky Shrub"},
            BODY,
            {"type": "HEADER", "format": "TEXT", "text": "Our {{1}} is on!",
             "example": {"header_text": ["Summer Sale"]}},
        )
    )  # fmt: skip
    order = ["Our Summer Sale is on!", "Thank you, Pablo!", "Lucky Shrub", "Stop", "Track",
             "opens https://example.com/t/{{1}}", "Call us", "calls +15550100"]  # fmt: skip
    places = [shown.index(words) for words in order]
    assert places == sorted(places)


def test_template_examples_are_highlighted_and_listed() -> None:
    one = template(BODY)
    assert parts_of(one, "note") == ["Pablo", "860198"]
    assert parameters(one) == [("{{1}}", "Pablo"), ("{{2}}", "860198")]
    assert plain_text(one) == "Thank you, *{{1}}*! Your order is {{2}}."


def test_named_places_and_places_without_an_example() -> None:
    one = template(
        {
            "type": "body",
            "text": "Hi {{first_name}}, see {{place}}",
            "example": {"body_text_named_params": [{"param_name": "first_name", "example": "Jo"}]},
        }
    )
    assert "Hi Jo, see {{place}}" in text_of(one)
    assert parameters(one) == [("{{first_name}}", "Jo"), ("{{place}}", "")]


def test_a_header_may_be_media() -> None:
    for form in ("IMAGE", "VIDEO", "DOCUMENT", "GIF", "LOCATION", "PRODUCT"):
        shown = text_of(template({"type": "HEADER", "format": form}, BODY))
        assert f"[{form.lower()}]" in shown
    handle = {
        "type": "HEADER",
        "format": "IMAGE",
        "example": {"header_handle": ["https://a/b.jpg"]},
    }
    assert "https://a/b.jpg" in text_of(template(handle))


def test_codes_have_their_sentences() -> None:
    shown = text_of(
        template(
            {"type": "BODY", "text": "{{1}} is your code.", "add_security_recommendation": True},
            {"type": "FOOTER", "code_expiration_minutes": 10},
            {"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE"}]},
        )
    )
    shown = " ".join(shown.replace("│", " ").split())
    for words in ("do not share this code", "expires in 10 minutes", "copies the code"):
        assert words in shown


def test_limited_offers_and_codes_to_copy() -> None:
    shown = text_of(
        template(
            {"type": "LIMITED_TIME_OFFER",
             "limited_time_offer": {"text": "Expiring soon!", "has_expiration": True}},
            BODY,
            {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "example": "CARIBE25"}]},
        )
    )  # fmt: skip
    for words in ("Expiring soon! · shows when it ends", "Copy offer code", "copies CARIBE25"):
        assert words in shown


def test_every_card_of_a_carousel_is_a_message_of_its_own() -> None:
    cards = [
        {"components": [
            {"type": "HEADER", "format": "IMAGE"},
            {"type": "BODY", "text": f"Plant {{{{1}}}} of {n}", "example": {"body_text": [["A"]]}},
            {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "More"}]},
        ]}
        for n in (1, 2)
    ]  # fmt: skip
    one = template(BODY, {"type": "CAROUSEL", "cards": cards})
    shown = text_of(one)
    for words in ("card 1 of 2", "Plant A of 1", "card 2 of 2", "Plant A of 2", "[image]", "More"):
        assert words in shown
    assert shown.count("╭") == 3


def test_components_that_nobody_knows_are_named() -> None:
    shown = text_of(
        template(BODY, {"type": "HOLOGRAM"}, {"type": "BUTTONS", "buttons": [{"type": "TELEPORT"}]})
    )
    assert "[hologram]" in shown
    assert "Teleport" in shown


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["type", "text", "format", "example", "buttons", "cards", "components", "limited_time_offer"]
)
TYPES = st.sampled_from(["BODY", "HEADER", "FOOTER", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER"])
COMPONENTS = st.lists(
    st.builds(
        lambda others, kind: {**others, "type": kind},
        st.dictionaries(NAMES, JSON, max_size=4),
        TYPES | JSON,
    ),
    max_size=4,
)


@given(COMPONENTS, st.integers(1, 90))
def test_nothing_that_meta_sends_breaks_it_or_its_width(
    components: list[dict[str, Any]], width: int
) -> None:
    one = Template(id="1", name="n", language="en", components=tuple(components))
    assert {width_of(line) for line in bubble(one, width)} == {width}
    parameters(one)
    plain_text(one)
