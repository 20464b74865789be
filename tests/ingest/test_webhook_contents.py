"""Contents of messages by type, in the format of the wire."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontdesk.ingest.json_reader import JsonObject
from frontdesk.ingest.webhooks.contents import MessageContents, contents_of

# Characters of a text that are stored.
TEXT_LIMIT = 65_536


def read(type_: str, *, outbound: bool = False, **members: Any) -> MessageContents:
    return contents_of(JsonObject({"type": type_, **members}), outbound=outbound)


def test_a_place_has_coordinates_and_may_have_a_name() -> None:
    element = {"latitude": 12.25, "longitude": "43.9", "name": "Office"}
    assert read("location", location=element) == MessageContents(
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
            "org": {"company": "Engines", "title": "Countess"},
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
            "title": "Countess",
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
            "title": None,
            "phones": [],
            "emails": [],
            "urls": [],
            "addresses": [],
            "birthday": None,
            "vcard": "BEGIN:VCARD",
        },
    ]


@pytest.mark.parametrize(
    ("type_", "element", "text", "answer"),
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
def test_a_choice_has_the_text_of_its_title(
    type_: str, element: dict[str, Any], text: str, answer: tuple[str, str | None, str]
) -> None:
    found = read(type_, **{type_: element})
    content = found.content or {}
    assert (found.type, found.text) == ("interactive", text)
    assert (content["kind"], content["id"], content["title"]) == answer
    assert content["payload"] == element.get("payload")
    assert content["description"] == ("d" if content["kind"] == "list_reply" else None)


@pytest.mark.parametrize(
    ("element", "response"),
    [
        ('{"size": 38, "gift": true}', {"size": 38, "gift": True}),
        ("not JSON", "not JSON"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=["an object", "no JSON", "no number", "half a character", "too deep"],
)
def test_a_form_brings_its_answers_as_far_as_they_can_be_kept(
    element: str, response: object
) -> None:
    form = {"name": "flow", "body": "Sent", "response_json": element}
    found = read("interactive", interactive={"type": "nfm_reply", "nfm_reply": form})
    assert found.text == "Sent"
    assert found.content is not None
    assert (found.content["kind"], found.content["response"]) == ("flow_reply", response)


@pytest.mark.parametrize("element", [{"size": 38, "gift": True}, ["a", "b"], None])
def test_the_answers_of_a_form_need_not_be_in_a_string(element: object) -> None:
    found = read(
        "interactive", interactive={"nfm_reply": {"body": "Sent", "response_json": element}}
    )
    assert found.content is not None
    assert (found.text, found.content["response"]) == ("Sent", element)


def test_a_permission_to_call_is_an_answer() -> None:
    element = {"response": "accept", "expiration_timestamp": 1_780_000_000}
    found = read(
        "interactive",
        interactive={"type": "call_permission_reply", "call_permission_reply": element},
    )
    assert found.content is not None
    assert found.content["kind"] == "call_permission_reply"
    assert found.content["response"] == element
    assert (found.text, found.content["title"]) == ("accept", "accept")


def test_an_answer_of_a_kind_that_is_not_known_keeps_its_words() -> None:
    element = {
        "id": "7",
        "title": "Thursday",
        "description": "At noon",
        "body": {"text": "See you"},
    }
    found = read("interactive", interactive={"type": "date_reply", "date_reply": element})
    assert (found.type, found.text) == ("interactive", "Thursday\nAt noon\nSee you")
    assert found.content == {
        "kind": "date_reply",
        "id": "7",
        "title": "Thursday",
        "description": "At noon",
        "payload": None,
        "response": element,
    }
    assert found.raw == {
        "type": "interactive",
        "interactive": {"type": "date_reply", "date_reply": element},
    }


@pytest.mark.parametrize(
    "reply",
    [
        {"type": "date_reply", "date_reply": {"title": "Thursday"}},
        {"type": "date_reply", "title": "Thursday"},
        {"date_reply": {"title": "Thursday"}},
    ],
)
def test_the_kind_of_an_answer_is_its_type_or_the_name_of_what_it_has(
    reply: dict[str, Any],
) -> None:
    found = read("interactive", interactive=reply)
    assert (found.type, found.text) == ("interactive", "Thursday")
    assert found.content is not None
    assert (found.content["kind"], found.content["title"]) == ("date_reply", "Thursday")


def test_an_order_lists_what_is_ordered() -> None:
    item = {"product_retailer_id": "P1", "quantity": 3, "item_price": 30.5, "currency": "EUR"}
    order = {"catalog_id": "C", "text": "By Monday", "product_items": [item]}
    assert read("order", order=order) == MessageContents(
        "order", "By Monday", {"catalog_id": "C", "items": [item]}
    )


def test_an_order_without_prices_keeps_its_note_and_what_is_ordered() -> None:
    order = {"text": "By Monday", "product_items": [{"product_retailer_id": "P1", "quantity": "3"}]}
    found = read("order", order=order)
    item = {"product_retailer_id": "P1", "quantity": 3, "item_price": None, "currency": None}
    assert (found.type, found.text) == ("order", "By Monday")
    assert found.content == {"catalog_id": None, "items": [item]}
    alone = read("order", order={"text": "By Monday"})
    assert (alone.type, alone.text, alone.content) == (
        "order",
        "By Monday",
        {"catalog_id": None, "items": []},
    )


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ({"name": {"first_name": "Ada"}}, "Ada"),
        (
            {"name": {"first_name": "Ada", "middle_name": "K.", "last_name": "Byron"}},
            "Ada K. Byron",
        ),
        ({"name": "Ada Byron"}, "Ada Byron"),
        ({"vcard": "BEGIN:VCARD\r\nFN;CHARSET=UTF-8:Ada Byron\r\nEND:VCARD"}, "Ada Byron"),
        ({"org": {"company": "Engines"}}, "Engines"),
        ({"name": {}, "phones": [{"phone": "+1 650"}]}, "+1 650"),
    ],
)
def test_a_card_is_named_by_whatever_it_contains(card: dict[str, Any], text: str) -> None:
    found = read("contacts", contacts=[card])
    assert (found.type, found.text) == ("contacts", text)


def test_a_voice_message_of_the_older_api_is_a_voice_note() -> None:
    found = read("voice", voice={"id": "9", "mime_type": "audio/ogg", "voice": "yes"})
    assert found.type == "audio"
    assert found.media is not None
    assert (found.media["id"], found.media["voice"]) == ("9", True)


@pytest.mark.parametrize(
    ("contents", "type_"),
    [
        ({"text": {"body": "Hello"}}, "text"),
        ({"text": "Hello"}, "text"),
        ({"image": {"id": "9"}, "context": {"id": "wamid.q"}}, "image"),
        ({"voice": {"id": "9"}}, "audio"),
        ({"contacts": [{"name": {"first_name": "Ada"}}]}, "contacts"),
        ({"interactive": {"button_reply": {"title": "Yes"}}}, "interactive"),
        ({"order": {"text": "By Monday"}}, "order"),
    ],
)
def test_a_message_without_a_type_is_what_its_only_contents_are(
    contents: dict[str, Any], type_: str
) -> None:
    assert contents_of(JsonObject(contents)).type == type_


@pytest.mark.parametrize(
    ("contents", "original"),
    [
        ({"poll": {"question": "When?"}}, "poll"),
        ({"text": {"body": "When?"}, "image": {"id": "9"}}, None),
        ({"body": "When?"}, None),
    ],
)
def test_a_message_of_an_unknown_type_keeps_its_text(
    contents: dict[str, Any], original: str | None
) -> None:
    found = contents_of(JsonObject(contents))
    assert (found.type, found.text, found.raw) == ("unsupported", "When?", contents)
    assert found.content == {"reason": "unknown_type", "original_type": original, "errors": []}


ERROR = {"code": 131051, "title": "Message type unknown"}


@pytest.mark.parametrize(
    ("message", "original"),
    [
        ({"type": "unknown", "errors": [ERROR]}, None),
        ({"errors": [ERROR]}, None),
        ({"type": "poll", "errors": [ERROR]}, "poll"),
        ({"type": "interactive", "errors": [ERROR]}, "interactive"),
        ({"type": "unsupported", "unsupported": "poll", "errors": [ERROR]}, None),
    ],
)
def test_messages_the_provider_left_out_keep_its_errors(
    message: dict[str, Any], original: str | None
) -> None:
    assert contents_of(JsonObject(message)).content == {
        "reason": "provider",
        "original_type": original,
        "errors": [{**ERROR, "details": None}],
    }


WORDS = st.text("abcefghij ", min_size=1).filter(str.strip)
NESTED = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)


def words_in(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value.strip()}
    inner = value.values() if isinstance(value, dict) else value
    return {word for one in inner for word in words_in(one)}


@given(st.sampled_from(("hologram", "text", "location", "reaction", "button")), NESTED)
def test_unsupported_messages_keep_all_their_text(type_: str, said: Any) -> None:
    found = read(type_, **{type_: {"words": said, "id": "1", "url": "https://example.com/secret"}})
    if found.type == "unsupported":
        assert set((found.text or "").splitlines()) == words_in(said)


def test_of_very_much_text_only_so_much_is_kept() -> None:
    deep: Any = "a" * 2 * TEXT_LIMIT
    for _ in range(900):
        deep = [deep, "b"]
    text = read("hologram", hologram=deep).text
    assert text is not None
    # More than is kept, so that it is cut where all texts are, and says so.
    assert len(text) == 2 * TEXT_LIMIT


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
        ("interactive", {"interactive": {"type": "date_reply", "date_reply": {"day": 4}}}),
        ("interactive", {"interactive": {"a": {"title": "One"}, "b": {"title": "Two"}}}),
        ("order", {"order": {}}),
        ("hologram", {"hologram": {}}),
    ],
)
def test_unreadable_messages_are_kept_raw_and_shown_as_unsupported(
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
def test_sent_interactive_messages_list_the_options_they_offer(type_: str, kind: str) -> None:
    element = {
        "type": type_,
        "header": {"type": "text", "text": "Shoes"},
        "body": {"text": "Which?"},
        "footer": {"text": "Bye"},
        "action": {"buttons": [{"type": "reply"}], "sections": [{"title": "S"}]},
    }
    assert read("interactive", outbound=True, interactive=element) == MessageContents(
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
    element = {"name": "hello", "language": {"code": "en"}, "components": [{"type": "body"}]}
    assert read("template", outbound=True, template=element).content == {
        "name": "hello",
        "language": "en",
        "category": None,
        "components": [{"type": "body"}],
    }
