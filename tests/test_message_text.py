"""Plain text of messages: what thread, transcript, shell, export and search say of each kind."""

from typing import Any

import pytest

from frontdesk.text.messages import (
    author_name,
    found_pieces,
    found_pieces_of,
    plain_preview,
    plain_text,
)
from frontdesk.wire import Message, MessagePreview, Ref

AT = "2026-03-14T09:26:53.000Z"
BASE = {"id": "1", "direction": "inbound", "author": "contact", "created_at": AT}


def message(**members: Any) -> Message:
    return Message.model_validate({**BASE, **members})


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        ({"text": "two\nlines"}, ["two", "lines"]),
        ({"text": None}, ["[empty]"]),
        (
            {
                "type": "image",
                "text": "look",
                "media": {"size_bytes": 240_000, "filename": "a.jpg"},
            },
            ["[photo · 240 KB · a.jpg]", "look"],
        ),
        ({"type": "audio", "media": {"voice": True, "size_bytes": 24_000}}, ["[voice · 24 KB]"]),
        (
            {"type": "call", "content": {"status": "missed", "video": None}},
            ["[missed voice call]"],
        ),
        (
            {"type": "call", "content": {"status": "answered", "duration_seconds": 125}},
            ["[voice call · 2 min 5 s]"],
        ),
        (
            {"type": "call", "content": {"status": "declined", "video": True}},
            ["[declined video call]"],
        ),
        ({"type": "call", "content": {"status": "held"}, "text": "On hold"}, ["On hold"]),
        ({"type": "call", "content": {"status": "held"}}, ["[call]"]),
        ({"text": None, "deleted_at": AT, "expired_at": AT}, ["[no longer kept]"]),
        (
            {"type": "location", "content": {"name": "Shop", "latitude": 1.5, "longitude": 2}},
            ["[location · Shop · 1.5, 2]"],
        ),
        (
            {
                "type": "contacts",
                "content": {"contacts": [{"name": "Ann", "phones": [{"phone": "+1 650"}]}]},
            },
            ["[contact · Ann · +1 650]"],
        ),
        (
            {
                "type": "order",
                "text": "gift wrap",
                "content": {
                    "items": [
                        {
                            "product_retailer_id": "SKU-9",
                            "quantity": 2,
                            "item_price": 9.5,
                            "currency": "EUR",
                        }
                    ]
                },
            },
            ["[order · 1 item]", "  2 × SKU-9  €9.50", "gift wrap"],
        ),
        (
            {
                "type": "interactive",
                "text": "Which?",
                "content": {"kind": "list", "sections": [{"rows": [{"title": "Tea"}]}]},
            },
            ["Which?", "  ▪ Tea"],
        ),
        (
            {"type": "interactive", "text": "Tea", "content": {"kind": "list_reply"}},
            ["chose: Tea"],
        ),
        (
            {
                "type": "interactive",
                "content": {
                    "kind": "flow_reply",
                    "response": {"boxed": True, "worn": False, "sizes": [42, "43"], "note": None},
                },
            },
            [
                "[filled in a form]",
                "  boxed: yes",
                "  worn: no",
                "  sizes: 42, 43",
                "  note: –",
            ],
        ),
        (
            {
                "text": "More info please",
                "referral": {
                    "source_type": "ad",
                    "source_url": "https://fb.me/x",
                    "headline": "Summer sale",
                    "body": "Shoes 50%",
                },
            },
            [
                "[came from an ad: Summer sale · Shoes 50% · https://fb.me/x]",
                "More info please",
            ],
        ),
        (
            {"text": "Hi", "referral": {"source_type": "post", "headline": "New shop"}},
            ["[came from a post: New shop]", "Hi"],
        ),
        ({"type": "reaction", "content": {"emoji": "👍"}}, ["[reacted 👍]"]),
        ({"type": "reaction", "content": {"emoji": None}}, ["[took a reaction back]"]),
        ({"type": "system", "text": "The number has changed"}, ["The number has changed"]),
        (
            {"type": "system", "content": {"event": "user_changed_number"}},
            ["[user changed number]"],
        ),
        (
            {
                "type": "unsupported",
                "content": {
                    "reason": "provider",
                    "original_type": "unknown",
                    "errors": [
                        {
                            "code": 131060,
                            "title": "This message is unavailable.",
                            "details": "Open the WhatsApp app to see it.",
                        }
                    ],
                },
            },
            [
                "[message not shown here]",
                "  This message is unavailable.",
                "  Open the WhatsApp app to see it.",
            ],
        ),
        (
            {
                "type": "unsupported",
                "source": "chat_export",
                "text": "our new flyer",
                "content": {"reason": "media_placeholder", "original_type": None},
            },
            ["[photo, video or other file: left out of the exported chat]", "our new flyer"],
        ),
        (
            {
                "type": "unsupported",
                "source": "history",
                "content": {"reason": "media_placeholder"},
            },
            ["[file: it was not delivered yet]"],
        ),
        ({"type": "holo_call"}, ["[holo call]"]),
        ({"text": "secret", "deleted_at": AT}, ["[deleted by the customer]"]),
        (
            {"text": "secret", "deleted_at": AT, "direction": "outbound"},
            ["[deleted by the sender]"],
        ),
        (
            {
                "direction": "outbound",
                "text": "hi",
                "delivery_status": "failed",
                "error": {"code": 131047, "title": "Re-engagement", "details": "More than 24 h"},
            },
            ["hi", "[Not delivered: Re-engagement (131047) — More than 24 h]"],
        ),
    ],
)
def test_every_message_says_in_words_what_it_is(members: dict[str, Any], lines: list[str]) -> None:
    assert plain_text(message(**members)).split("\n") == lines


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"text": "two\nlines"}, "two lines"),
        ({"type": "image", "text": None}, "[photo]"),
        ({"type": "image", "text": "look"}, "[photo] look"),
        ({"type": "unsupported", "text": None}, "[not shown here]"),
        ({"type": "image", "text": None, "deleted_at": AT}, "[deleted]"),
        ({"type": "text", "text": None}, "[deleted]"),
    ],
)
def test_the_last_message_of_a_conversation_is_one_line(
    members: dict[str, Any], words: str
) -> None:
    assert plain_preview(MessagePreview.model_validate({**BASE, **members})) == words


@pytest.mark.parametrize(
    ("name", "ref", "words"),
    [
        ("contact", Ref(name="Sam"), "Sam"),
        ("contact", None, "Sheena"),
        ("user", Ref(id="3", name="Ana"), "Ana"),
        ("user", None, "Agent"),
        ("ai_agent", Ref(name="Bot"), "AI agent Bot"),
        ("phone", None, "Business phone"),
        ("kiosk", None, "Unknown author (kiosk)"),
        ("kiosk", Ref(name="Lobby"), "Unknown author (kiosk) Lobby"),
    ],
)
def test_authors_are_named(name: str, ref: Ref | None, words: str) -> None:
    assert author_name(message(author=name, author_ref=ref), "Sheena") == words


def test_a_customer_of_whom_nothing_is_known_is_the_customer() -> None:
    assert author_name(message()) == "Customer"


def test_a_search_shows_the_words_of_a_message_before_what_only_it_finds() -> None:
    order = {
        "type": "order",
        "content": {"items": [{"product_retailer_id": "SKU-9"}], "note_inside": "leave at door"},
    }
    assert found_pieces_of(order) == (
        "[order · 1 item]",
        "  1 × SKU-9",
        "SKU-9",
        "leave at door",
    )


def test_a_search_shows_the_text_of_a_message_and_not_what_became_of_it() -> None:
    failed = {"direction": "outbound", "delivery_status": "failed", "text": "hello"}
    assert found_pieces_of(failed) == ("hello",)
    assert tuple(found_pieces(message(**failed))) == ("hello",)
    assert found_pieces_of({"text": "gone", "deleted_at": AT}) == ()


def test_a_stored_message_that_cannot_be_read_is_found_by_its_texts() -> None:
    assert found_pieces_of({"type": "order", "text": "hello", "reactions": 7}) == ("hello",)
