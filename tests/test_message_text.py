"""Plain text of messages: what thread, transcript, shell, export and search say of each kind."""

from typing import Any

import pytest

from frontdesk.text.messages import (
    author_name,
    author_parts,
    event_words,
    found_pieces,
    found_pieces_of,
    head_marks,
    person_word,
    plain_preview,
    plain_text,
    play_time,
    quoted_words,
    state_marks,
)
from frontdesk.wire import Message, MessagePreview, Note, Ref, ReplyTo

AT = "2026-03-14T09:26:53.000Z"
BASE = {"id": "1", "direction": "inbound", "author": "contact", "created_at": AT}


def message(**members: Any) -> Message:
    return Message.model_validate({**BASE, **members})


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        ({"text": "two\nlines"}, ["two", "lines"]),
        ({"text": None}, ["[empty]"]),
        ({"text": "\n\u200b\u3164"}, ["[empty]"]),
        ({"type": "image", "text": "\u2800"}, ["[photo]"]),
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
                "type": "interactive",
                "content": {
                    "kind": "flow_reply",
                    "response": {
                        "flow_token": "a-token",
                        "screen_0_Pick_a_size_1": ["0_Small", "1_Tall"],
                        "screen_1_Notes_0": "2_b",
                        "address": {"city": "Lima", "at": {"floor": 3}},
                        "guests": [{"name": "Ida"}, {"name": "Bo"}],
                        "photos": [{"file_name": "a.jpg", "mime_type": "image/jpeg", "id": "9"}],
                        "deep": [[[[[[[[[["x"]]]]]]]]]],
                    },
                },
            },
            [
                "[filled in a form]",
                "  Pick a size: Small, Tall",
                "  Notes: b",
                "  address: city: Lima, at: floor: 3",
                "  guests: name: Ida; name: Bo",
                "  photos: photo a.jpg",
                "  deep: …",
            ],
        ),
        (
            {
                "type": "contacts",
                "content": {
                    "contacts": [
                        {
                            "name": "Ann",
                            "title": "Baker",
                            "addresses": [{"street": "1 Mill Lane", "city": "Hull", "zip": "HU1"}],
                            "urls": [{"url": "https://ann.example", "type": "HOME"}],
                            "birthday": "1991-05-06",
                        }
                    ]
                },
            },
            [
                "[contact · Ann · Baker]",
                "  address: 1 Mill Lane, Hull, HU1",
                "  web: https://ann.example",
                "  birthday: 1991-05-06",
            ],
        ),
        (
            {
                "type": "location",
                "content": {"latitude": 1.5, "longitude": 2, "url": "https://map.example/7"},
            },
            ["[location · 1.5, 2]", "  https://map.example/7"],
        ),
        (
            {
                "text": "In blue?",
                "content": {
                    "referred_product": {"catalog_id": "71", "product_retailer_id": "CUP-7"}
                },
            },
            ["[asks about product CUP-7]", "In blue?"],
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


def interactive(text: str | None = None, **content: Any) -> dict[str, Any]:
    return {"type": "interactive", "text": text, "content": content}


def template(*components: dict[str, Any], text: str | None = None) -> dict[str, Any]:
    return {"type": "template", "text": text, "content": {"components": [*components]}}


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        ({"type": "image", "text": "", "media": None}, ["[photo]"]),
        ({"type": "audio", "media": {"voice": False}}, ["[audio]"]),
        ({"type": "video", "media": {"voice": True}}, ["[video]"]),
        ({"type": "image", "media": {"size_bytes": 0}}, ["[photo · 0 B]"]),
        ({"type": "audio", "media": {"duration_ms": 14_200}}, ["[audio · 0:14]"]),
        ({"type": "audio", "media": {"duration_ms": 0}}, ["[audio]"]),
        (
            {"type": "sticker", "media": {"animated": True, "status": "expired"}},
            ["[sticker · animated · no longer available]"],
        ),
        ({"type": "image", "media": {"status": "failed"}}, ["[photo · not available]"]),
        ({"type": "image", "media": {"status": "refused"}}, ["[photo · not kept by the server]"]),
        ({"type": "image", "media": {"status": "removed"}}, ["[photo · deleted]"]),
        ({"type": "image", "media": {"status": "stored"}}, ["[photo]"]),
        ({"type": "location", "content": {"latitude": 0, "longitude": 0}}, ["[location · 0, 0]"]),
        (
            {"type": "location", "text": "here", "content": {"name": "Shop", "address": "Rue 1"}},
            ["[location · Shop, Rue 1]", "here"],
        ),
        ({"type": "contacts", "text": "Ann", "content": {"contacts": []}}, ["Ann"]),
        (
            {
                "type": "contacts",
                "content": {
                    "contacts": [
                        {"name": "Ann", "org": "Ltd", "emails": [{"email": "a@b.example"}]},
                        {"name": "Bo", "phones": [{"phone": None}, 7]},
                    ]
                },
            },
            ["[contact · Ann · Ltd · a@b.example]", "[contact · Bo]"],
        ),
        ({"type": "order", "content": {"items": []}}, ["[order · 0 items]"]),
        (
            {
                "type": "order",
                "content": {
                    "items": [
                        {"quantity": "3", "item_price": "dear", "currency": "EUR"},
                        {},
                        {"product_retailer_id": "B", "item_price": 10**12, "currency": "JPY"},
                        {"product_retailer_id": "C", "item_price": 10**12 + 1, "currency": "JPY"},
                    ]
                },
            },
            [
                "[order · 4 items]",
                "  3 × product  dear EUR",
                "  1 × B  1000000000000 JPY",
                "  1 × C  1000000000001 JPY",
            ],
        ),
        (
            interactive(
                "Which?",
                kind="button",
                header="Shoes",
                footer={"text": "Bye"},
                buttons=[{"title": "Red"}, {"text": "Blue"}, {"id": "x"}],
            ),
            ["Shoes", "Which?", "Bye", "[ Red ]", "[ Blue ]"],
        ),
        (
            interactive(kind="button", body="Which?", header={"type": "image"}, footer="Bye"),
            ["[photo]", "Which?", "Bye"],
        ),
        (interactive(kind="button", header={"type": "text", "text": "Hi"}), ["Hi"]),
        (interactive(kind="button", header={}), ["[interactive]"]),
        (
            interactive(
                "Menu",
                kind="list",
                sections=[
                    {"title": "Menu", "rows": [{"title": "Tea", "description": "hot"}]},
                    {"title": "Cold", "product_items": [{"product_retailer_id": "P1"}]},
                ],
            ),
            ["Menu", "  ▪ Tea — hot", "  Cold", "  ▪ P1"],
        ),
        (interactive("Yes", kind="quick_reply"), ["chose: Yes"]),
        (
            interactive(kind="list_reply", description="At noon"),
            ["[chose an option]", "  At noon"],
        ),
        (interactive("Sent", kind="flow_reply"), ["[filled in a form]", "Sent"]),
        (interactive("Thursday", kind="date_reply"), ["[date reply]", "Thursday"]),
        (
            interactive("accept", kind="call_permission_reply", response={"response": "accept"}),
            ["[allowed calls]"],
        ),
        (
            interactive("Not now", kind="call_permission_reply", response={"response": "reject"}),
            ["[declined calls]", "Not now"],
        ),
        (
            interactive("Hm", kind="call_permission_reply", response="accept"),
            ["[answered whether to be called]", "Hm"],
        ),
        (
            template(
                {"type": "HEADER", "format": "IMAGE"},
                {"type": "FOOTER", "text": "Bye"},
                {"type": "BUTTONS", "buttons": [{"text": "Track"}]},
                text="Your order",
            ),
            ["[photo]", "Your order", "Bye", "[ Track ]"],
        ),
        (
            template(
                {"type": "header", "parameters": [{"type": "text", "text": "A-7"}]},
                {"type": "body", "parameters": [{"text": "Ana"}, {"text": ""}, {"text": "9.50"}]},
                {"type": "button", "sub_type": "quick_reply"},
                {"type": "button"},
            ),
            ["A-7", "Ana", "9.50", "[ quick reply ]", "[ button ]"],
        ),
        (template({"type": "header", "parameters": [{"type": "video"}]}), ["[video]"]),
        (template({"type": "header", "format": "TEXT"}, text="Hello"), ["Hello"]),
        ({"text": "Hi", "referral": {"source_type": "ad"}}, ["[came from an ad: ad]", "Hi"]),
        ({"text": "Hi", "referral": {}}, ["Hi"]),
        ({"type": "system", "content": {}}, ["[system event]"]),
        (
            {"type": "unsupported", "content": {"original_type": "ptv_poll"}},
            ["[not shown here: ptv poll]"],
        ),
        (
            {"type": "unsupported", "content": {"reason": "content_not_received"}},
            ["[sent by another system: its contents were not delivered here]"],
        ),
        (
            {
                "type": "unsupported",
                "content": {
                    "errors": [{"title": "Lost", "details": "Lost"}, {"title": "The second"}]
                },
            },
            ["[message not shown here]", "  Lost"],
        ),
        ({"text": "hi", "delivery_status": "failed"}, ["hi", "[Not delivered]"]),
        (
            {"text": "hi", "delivery_status": "failed", "error": {"code": 7, "title": "No"}},
            ["hi", "[Not delivered: No (7)]"],
        ),
    ],
)
def test_each_kind_of_contents_is_said_with_all_its_parts(
    members: dict[str, Any], lines: list[str]
) -> None:
    assert plain_text(message(**members)).split("\n") == lines


@pytest.mark.parametrize(
    ("count", "more"), [(10, []), (11, ["  and 1 more"]), (12, ["  and 2 more"])]
)
def test_of_many_rows_ten_are_shown_and_the_others_counted(count: int, more: list[str]) -> None:
    items = [{"product_retailer_id": str(number)} for number in range(count)]
    order = message(type="order", content={"items": items})
    shown = [f"  1 × {number}" for number in range(min(count, 10))]
    assert plain_text(order).split("\n") == [f"[order · {count} items]", *shown, *more]
    rows = [{"title": str(number)} for number in range(count)]
    offer = message(**interactive("Which?", kind="list", sections=[{"rows": rows}]))
    shown = [f"  ▪ {number}" for number in range(min(count, 10))]
    assert plain_text(offer).split("\n") == ["Which?", *shown, *more]


def test_of_a_form_ten_answers_are_shown() -> None:
    answers = {f"field_{number}": number for number in range(11)}
    form = message(**interactive(kind="flow_reply", response=answers))
    shown = [f"  field {number}: {number}" for number in range(10)]
    assert plain_text(form).split("\n") == ["[filled in a form]", *shown, "  and 1 more"]


@pytest.mark.parametrize(
    ("milliseconds", "shown"),
    [
        (400, "0:00"),
        (600, "0:01"),
        (59_499, "0:59"),
        (60_000, "1:00"),
        (3_599_000, "59:59"),
        (3_600_000, "1:00:00"),
        (3_723_000, "1:02:03"),
    ],
)
def test_a_play_time_is_in_minutes_and_seconds(milliseconds: int, shown: str) -> None:
    assert play_time(milliseconds) == shown


@pytest.mark.parametrize(
    ("members", "head", "state"),
    [
        ({}, [], []),
        ({"forwarded": "once"}, ["forwarded"], []),
        ({"forwarded": "many", "edited_at": AT}, ["forwarded many times"], ["edited"]),
        (
            {"type": "template", "content": {"name": "order_sent"}, "forwarded": "once"},
            ["template order_sent", "forwarded"],
            [],
        ),
        ({"type": "template"}, ["template"], []),
        ({"direction": "outbound", "delivery_status": "read"}, [], ["read"]),
        ({"direction": "outbound", "delivery_status": "failed"}, [], []),
        ({"direction": "outbound", "delivery_status": None}, [], []),
        ({"direction": "inbound", "delivery_status": "read"}, [], []),
        (
            {
                "reactions": [
                    {"emoji": "👍", "direction": "inbound", "author": "contact", "created_at": AT},
                    {"emoji": "🎉", "direction": "outbound", "author": "user", "created_at": AT},
                ]
            },
            [],
            ["👍 Ana", "🎉 Agent"],
        ),
    ],
)
def test_marks_beside_a_message_say_what_it_is_and_what_became_of_it(
    members: dict[str, Any], head: list[str], state: list[str]
) -> None:
    assert head_marks(message(**members)) == head
    assert state_marks(message(**members), "Ana") == state


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"text": " Hello\nyou "}, "Hello you"),
        ({"text": "", "type": "image"}, "[photo]"),
        ({"type": None}, "a message"),
        ({"type": "audio"}, "[audio]"),
        ({"type": "audio", "voice": True}, "[voice]"),
    ],
)
def test_a_quoted_message_is_its_words_or_what_it_is(members: dict[str, Any], words: str) -> None:
    assert quoted_words(ReplyTo.model_validate({"message_id": "1", **members})) == words


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"type": "reaction", "content": {"emoji": "👍"}}, "reacted 👍"),
        ({"type": "reaction"}, "took a reaction back"),
        ({"type": "system", "text": "Moved\naway"}, "Moved away"),
        ({"type": "system", "content": {"event": "user_left"}}, "user left"),
        ({"type": "system"}, "system event"),
    ],
)
def test_an_event_is_said_in_words(members: dict[str, Any], words: str) -> None:
    assert event_words(message(**members)) == words


@pytest.mark.parametrize(
    ("author", "ref", "contact", "parts"),
    [
        ("contact", Ref(name="Sam"), "Sheena", ("Sam", "")),
        ("contact", None, "Sheena", ("Sheena", "")),
        ("contact", None, "", ("Customer", "")),
        ("user", Ref(name="Ana"), "Sheena", ("Ana", "")),
        ("user", None, "Sheena", ("Agent", "")),
        ("ai_agent", Ref(name="Ada"), "", ("Ada", "AI agent")),
        ("phone", Ref(name="Front"), "", ("Front", "phone app")),
        ("phone", None, "", ("Business phone", "")),
        ("campaign", Ref(name="Spring"), "", ("Campaign", "Spring")),
        ("kiosk", Ref(name="Lobby"), "", ("Unknown author (kiosk)", "Lobby")),
    ],
)
def test_an_author_is_a_name_and_what_they_are(
    author: str, ref: Ref | None, contact: str, parts: tuple[str, str]
) -> None:
    assert author_parts(message(author=author, author_ref=ref), contact) == parts


def test_of_whom_only_the_kind_is_known_the_customer_has_a_name() -> None:
    assert person_word("contact", "Ana") == "Ana"
    assert person_word("contact") == "Customer"
    assert person_word("user", "Ana") == "Agent"
    assert person_word("unknown") == "Unknown author"


def test_the_words_of_a_note_are_its_text() -> None:
    note = Note.model_validate({**BASE, "author": "user", "text": "Call\nback"})
    assert plain_text(note) == "Call\nback"
    assert plain_text(note, str.upper) == "CALL\nBACK"
    photo = message(type="image", text="look")
    assert plain_text(photo, str.upper) == "[PHOTO]\nLOOK"


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"text": "two\nlines"}, "two lines"),
        ({"type": "image", "text": None}, "[photo]"),
        ({"type": "image", "text": "look"}, "[photo] look"),
        ({"type": "unsupported", "text": None}, "[not shown here]"),
        ({"type": "image", "text": None, "deleted_at": AT}, "[deleted]"),
        ({"type": "text", "text": None}, "[deleted]"),
        ({"type": "text", "text": ""}, "[empty]"),
        ({"type": "text", "text": "\u3164"}, "[empty]"),
        ({"type": "text", "text": "\t\n"}, "[empty]"),
        ({"type": "image", "text": "\u200b"}, "[photo]"),
        ({"type": "template", "text": "Hi"}, "Hi"),
        ({"type": "call", "text": "Missed call"}, "Missed call"),
        ({"type": "interactive", "text": "Which?"}, "Which?"),
        ({"type": "interactive", "text": None}, "[interactive]"),
        ({"type": "holo_call", "text": "Hi"}, "[holo call] Hi"),
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
