"""Previews of message templates, for any components that Meta sends."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.tui.clock import Clock
from frontdesk.tui.dialogs.view_table import Opening
from frontdesk.tui.views.catalogue_screen import CatalogueScreen
from frontdesk.tui.views.resources import LIBRARY
from frontdesk.tui.views.template_preview import bubble, parameters, plain_text
from frontdesk.tui.widgets.text_layout import width_of
from frontdesk.wire import CannedResponse, PhoneRef, Template


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


def library(*templates: Template, contact: PhoneRef | None = None) -> CatalogueScreen:
    """The library of some templates and a quick reply, without a terminal."""
    replies = (CannedResponse(id="1", short_code="hi", text="Hello {{name}}, *welcome*"),)
    catalogues = SimpleNamespace(
        templates=lambda: templates,
        canned_responses=lambda: replies,
        channel_names=lambda: {"5": "Shop"},
    )
    mailbox: Any = SimpleNamespace(catalogues=catalogues)
    clock = Clock(UTC, lambda: datetime(2026, 3, 14, tzinfo=UTC))
    return CatalogueScreen(Opening(mailbox, clock, "sample", contact=contact), LIBRARY)


def facts_of(screen: CatalogueScreen, section: str) -> list[list[str]]:
    """The lines of the details of each entry, without blanks."""
    details = []
    for entry in screen.entries(section):
        lines = [line for block in screen.blocks(section, entry) for line in block(64)]
        texts = (" ".join("".join(text for _, text in line).split()) for line in lines)
        details.append([text for text in texts if text])
    return details


FACTS = {
    "approved": (
        {"status": "APPROVED", "category": "UTILITY", "quality_score": "GREEN"},
        "utility",
        "dim",
        ["offer", "language en", "category UTILITY", "status APPROVED", "quality GREEN"],
    ),
    "refused": (
        {"status": "REJECTED", "rejected_reason": "TAG_CONTENT_MISMATCH", "channels": ("5", "6"),
         "category": "MARKETING", "previous_category": "UTILITY",
         "updated_at": "2026-03-01T10:00:00Z"},
        "rejected",
        "error",
        ["offer", "language en", "category MARKETING (was UTILITY)", "status REJECTED",
         "quality –", "refused because TAG CONTENT MISMATCH", "numbers Shop, 6",
         "changed 1 Mar 2026"],
    ),
    "not refused": (
        {"status": "PENDING", "rejected_reason": "NONE"},
        "pending",
        "note",
        ["offer", "language en", "category –", "status PENDING", "quality –"],
    ),
    "unknown": (
        {},
        "?",
        "error",
        ["offer", "language en", "category –", "status –", "quality –"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_a_template_says_its_status_and_what_was_decided_of_it(name: str) -> None:
    members, hint, part, facts = FACTS[name]
    one = template(BODY).model_copy(update=members)
    screen = library(one)
    (entry,) = screen.entries("templates")
    assert (entry.name, entry.aside, entry.hint, entry.hint_part) == ("offer", "en", hint, part)
    assert entry.copied == plain_text(one)
    (details,) = facts_of(screen, "templates")
    assert details[: len(facts)] == facts
    assert details[len(facts)] == "AS WHATSAPP SHOWS IT"
    assert details[-3:] == ["FILLED IN BY THE SENDER", "{{1}} Pablo", "{{2}} 860198"]


def test_a_place_without_an_example_says_so_and_a_text_without_places_has_none() -> None:
    (details,) = facts_of(library(template({"type": "BODY", "text": "Hi {{x}}"})), "templates")
    assert details[-1] == "{{x}} no example"
    (details,) = facts_of(library(template({"type": "BODY", "text": "Hi"})), "templates")
    assert "FILLED IN BY THE SENDER" not in details


@pytest.mark.parametrize(
    ("contact", "words"),
    [(None, "y: copy"), (PhoneRef(id="1", name="Ana"), "y: copy with the name of Ana")],
)
def test_a_quick_reply_is_shown_whole_with_its_length(contact: PhoneRef | None, words: str) -> None:
    screen = library(contact=contact)
    (entry,) = screen.entries("canned_responses")
    assert (entry.name, entry.aside) == ("/hi", "Hello {{name}}, *welcome*")
    assert facts_of(screen, "canned_responses") == [
        ["/hi", "Hello {{name}}, welcome", f"25 characters · {words}"]
    ]


def test_the_library_reads_its_catalogues_and_the_names_of_channels() -> None:
    assert LIBRARY.reads == ("templates", "canned_responses", "channels")
