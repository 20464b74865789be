"""How each kind of message is drawn: by type, deleted, edited, forwarded, failed."""

from typing import Any

import pytest

from tests.tui.drawn_messages import AT, TYPES, drawn, message, sent

# What was said


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        ({"text": "two\nlines"}, ["two", "lines"]),
        ({"text": ""}, ["[empty]"]),
        ({"text": None}, ["[empty]"]),
        ({"type": "image", "media": {"mime_type": "image/jpeg"}}, [" 📷 photo"]),
        (
            {
                "type": "image",
                "text": "Is it this one?",
                "media": {"mime_type": "image/jpeg", "size_bytes": 240_000},
            },
            [" 📷 photo · 240 KB", "Is it this one?"],
        ),
        ({"type": "video", "media": {"size_bytes": 3_400_000}}, [" 🎬 video · 3.4 MB"]),
        (
            {"type": "audio", "media": {"voice": True, "mime_type": "audio/ogg"}},
            [" 🎤 voice"],
        ),
        ({"type": "audio", "media": {"mime_type": "audio/mpeg"}}, [" 🎵 audio"]),
        ({"type": "call", "content": {"status": "missed"}}, [" 📞 missed voice call"]),
        (
            {"type": "call", "content": {"status": "answered", "duration_seconds": 65}},
            [" 📞 voice call · 1 min 5 s"],
        ),
        (
            {"type": "document", "media": {"filename": "invoice\n7.pdf"}},
            [" 📄 document · invoice 7.pdf"],
        ),
        ({"type": "sticker", "media": {"animated": True}}, [" 🙂 sticker · animated"]),
        ({"type": "image"}, [" 📷 photo"]),
        (
            {
                "type": "location",
                "content": {
                    "latitude": 41.4,
                    "longitude": 2.2,
                    "name": "Shop",
                    "address": "Calle 1",
                },
            },
            [" 📍 location · Shop, Calle 1 · 41.4, 2.2"],
        ),
        (
            {"type": "location", "content": {"latitude": 41.4, "longitude": 2.2}},
            [" 📍 location · 41.4, 2.2"],
        ),
        (
            {
                "type": "contacts",
                "text": "Ann",
                "content": {
                    "contacts": [
                        {"name": "Ann", "phones": [{"phone": "+1 650"}, {"phone": None}]},
                        {"name": None},
                    ]
                },
            },
            [" 👤 contact · Ann · +1 650", " 👤 contact"],
        ),
        (
            {
                "type": "interactive",
                "text": "Track my order",
                "content": {"kind": "button_reply", "title": "Track my order"},
            },
            ["chose: Track my order"],
        ),
        (
            {
                "type": "interactive",
                "text": "Friday 12:30",
                "content": {"kind": "list_reply", "description": "with Marta"},
            },
            ["chose: Friday 12:30", "  with Marta"],
        ),
        ({"type": "interactive", "content": {"kind": "quick_reply"}}, ["chose an option"]),
        (
            {
                "type": "interactive",
                "text": "accept",
                "content": {"kind": "call_permission_reply", "response": {"response": "accept"}},
            },
            ["allowed calls"],
        ),
        (
            {
                "type": "interactive",
                "text": "Not now",
                "content": {"kind": "call_permission_reply", "response": {"response": "reject"}},
            },
            ["declined calls", "Not now"],
        ),
        (
            {
                "type": "interactive",
                "text": "maybe",
                "content": {"kind": "call_permission_reply", "response": "odd"},
            },
            ["answered whether to be called", "maybe"],
        ),
        (
            {"type": "interactive", "text": "7", "content": {"kind": "poll_reply"}},
            ["[poll reply]", "7"],
        ),
        (
            {
                "type": "interactive",
                "text": "What shall it be?",
                "content": {"kind": "buttons", "buttons": [{"title": "Tea"}, {"text": "Coffee"}]},
            },
            ["What shall it be?", "[ Tea ]  [ Coffee ]"],
        ),
        (
            {"type": "interactive", "text": "+34 600", "content": {"kind": "flow_reply"}},
            ["filled in a form", "+34 600"],
        ),
        (
            {"type": "template", "text": "Your order is ready", "content": {"name": "ready"}},
            ["Your order is ready"],
        ),
        ({"type": "template", "content": {"name": "ready"}}, ["[template]"]),
        (
            {"type": "order", "text": "please wrap", "content": {"items": [{}, {}]}},
            [" 🛒 order · 2 items", "please wrap"],
        ),
        (
            {
                "type": "order",
                "content": {
                    "items": [
                        {
                            "product_retailer_id": "VD-7",
                            "quantity": 2,
                            "item_price": 9.9,
                            "currency": "EUR",
                        }
                    ]
                },
            },
            [" 🛒 order · 1 item", "  2 × VD-7  €9.90"],
        ),
        (
            {"type": "order", "content": {"items": [{"item_price": "9.9", "currency": "EUR"}]}},
            [" 🛒 order · 1 item", "  1 × product  9.9 EUR"],
        ),
        (
            {"type": "order", "content": {"items": [{"item_price": 10**16}]}},
            [" 🛒 order · 1 item", "  1 × product  10000000000000000"],
        ),
        (
            {
                "type": "template",
                "text": "Your order is ready",
                "content": {
                    "name": "ready",
                    "components": [
                        {"type": "HEADER", "parameters": [{"type": "image", "image": {"id": "1"}}]},
                        {"type": "body", "parameters": [{"type": "text", "text": "8841"}]},
                        {"type": "footer", "text": "Thank you"},
                        {"type": "button", "sub_type": "quick_reply", "index": "0"},
                    ],
                },
            },
            ["[photo]", "Your order is ready", "Thank you", "[ quick reply ]"],
        ),
        (
            {
                "type": "template",
                "content": {
                    "name": "ready",
                    "components": [{"type": "body", "parameters": [{"type": "text", "text": "8"}]}],
                },
            },
            ["8"],
        ),
        (
            {
                "type": "interactive",
                "text": "Choose",
                "content": {
                    "kind": "list",
                    "header": {"type": "text", "text": "Menu"},
                    "footer": "Veldrano",
                    "sections": [
                        {
                            "title": "Drinks",
                            "rows": [{"title": "Tea", "description": "green"}, {"title": "Milk"}],
                        }
                    ],
                },
            },
            ["Menu", "Choose", "  Drinks", "  ▪ Tea — green", "  ▪ Milk", "Veldrano"],
        ),
        (
            {
                "type": "interactive",
                "text": "sent",
                "content": {"kind": "flow_reply", "response": {"shoe_size": 42}},
            },
            ["filled in a form", "sent", "  shoe size: 42"],
        ),
        (
            {
                "type": "unsupported",
                "content": {"reason": "unknown_type", "original_type": "poll_creation"},
            },
            ["[not shown here: poll creation]"],
        ),
        ({"type": "unsupported"}, ["[message not shown here]"]),
        ({"type": "product", "text": "Oak table"}, [" 🛒 product", "Oak table"]),
        ({"type": "holo_call"}, ["[holo call]"]),
        ({"type": "holo_call", "text": "with words"}, ["with words"]),
    ],
)
def test_every_type_says_what_was_sent(members: dict[str, Any], lines: list[str]) -> None:
    first, *others = drawn(message(**members), head=False)
    assert first.removesuffix("09:26").rstrip() == f"│ {lines[0]}"
    assert others == [f"│ {line}" for line in lines[1:]]


def test_an_ad_is_a_line_of_the_system_above_the_customers_words() -> None:
    referral = {"headline": "Spring sale", "source_url": "https://fb.example/1"}
    told, head, words = drawn(message(text="Hi", referral=referral), head=True)
    line = "came from an ad: Spring sale · https://fb.example/1"
    assert told == " " * ((70 - len(line)) // 2) + line
    assert (head[0], words.rstrip()) == ("│", "│ Hi")


def words_at(time: str, words: str, width: int = 70) -> str:
    """An event as it is drawn: centred, after its time."""
    line = f"{time}  {words}"
    return " " * ((width - len(line)) // 2) + line


@pytest.mark.parametrize("type_", [*TYPES, "holo_call", ""])
@pytest.mark.parametrize(
    "content",
    [
        {},
        {"contacts": "none", "items": 7, "buttons": {"title": "x"}, "emoji": ["👍"]},
        {"contacts": [1, None, {"phones": "x"}], "buttons": [1, None, {}], "name": ["a"]},
        {"latitude": {}, "name": {"a": 1}, "kind": 5, "original_type": 7, "event": []},
    ],
)
def test_contents_of_another_shape_than_promised_are_still_lines(
    type_: str, content: dict[str, Any]
) -> None:
    assert drawn(message(type=type_, content=content))


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"text": "The number has changed"}, "The number has changed"),
        ({"content": {"event": "user_changed_number"}}, "user changed number"),
        ({"content": {}}, "system event"),
        ({}, "system event"),
    ],
)
def test_a_system_event_is_one_line(members: dict[str, Any], words: str) -> None:
    assert drawn(message(type="system", author="system", **members)) == [words_at("09:26", words)]


def test_a_deleted_message_says_so_and_nothing_else() -> None:
    entry = message(deleted_at=AT, type="image", media={"mime_type": "image/png"}, text="gone")
    (line,) = drawn(entry, head=False)
    assert line.split("  ")[0] == "│ ⊘ deleted by the customer"


def test_a_template_names_itself_in_its_head() -> None:
    entry = sent(type="template", author="campaign", content={"name": "spring\nsale"}, text="Hi")
    assert drawn(entry)[0].startswith("    ┇ Campaign · template spring sale")


@pytest.mark.parametrize(
    ("forwarded", "words"), [("once", " · forwarded "), ("many", " · forwarded many times ")]
)
def test_a_forwarded_message_says_so(forwarded: str, words: str) -> None:
    assert words in drawn(message(text="hi", forwarded=forwarded))[0]


def test_an_edited_message_says_so() -> None:
    assert drawn(message(text="hi", edited_at=AT))[0].endswith(" edited 09:26")


@pytest.mark.parametrize(
    ("reply", "quote"),
    [
        ({"text": "Hi", "type": "text", "author": "ai_agent"}, "> AI agent: Hi"),
        ({"text": "Hi", "author": "contact", "direction": "inbound"}, "> Sheena Nelson: Hi"),
        ({"text": "Here is\nthe catalogue", "type": "text"}, "> Here is the catalogue"),
        ({"text": None, "type": "image"}, "> 📷 photo"),
        ({"wamid": "wamid.x"}, "> a message"),
    ],
)
def test_a_reply_quotes_what_it_answers(reply: dict[str, Any], quote: str) -> None:
    first, *others = drawn(message(text="yes", reply_to=reply), head=False)
    assert first.removesuffix("09:26").rstrip() == f"│ {quote}"
    assert others == ["│ yes"]


def test_reactions_stand_under_their_message() -> None:
    reactions = [
        {"emoji": emoji, "direction": "outbound", "author": "phone", "created_at": AT}
        for emoji in ("👍", "❤\ufe0f")
    ]
    assert drawn(message(text="hi", reactions=reactions))[1:] == [
        "│ hi",
        "│ ↳ 👍 Business phone  ❤ Business phone",
    ]
