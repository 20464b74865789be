"""Message previews are cut between graphemes."""

import json

import pytest

from frontdesk.store.conversations import preview_json, previewed_id, shortened
from frontdesk.wire.resources import MessagePreview


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("hello", 5, "hello"),
        ("hello", 4, "hell"),
        ("e\u0301e\u0301", 3, "e\u0301"),
        ("ab👩\u200d👩\u200d👧", 5, "ab"),
        ("a👍🏽", 2, "a"),
        ("a❤\ufe0f", 2, "a"),
        ("🇪🇸🇫🇷", 3, "🇪🇸"),
        ("🇪🇸🇫🇷", 2, "🇪🇸"),
        ("a\r\nb", 2, "a"),
        ("a\r\nb", 3, "a\r\n"),
        ("ab\nc", 2, "ab"),
        ("a\rb", 2, "a\r"),
    ],
    ids=[
        *("fits", "letters", "accent", "family", "skin tone", "heart", "flag", "flags"),
        *("inside a line end", "behind a line end", "before a line feed", "behind a return"),
    ],
)
def test_a_text_is_cut_between_graphemes(text: str, limit: int, kept: str) -> None:
    assert shortened(text, limit) == kept


def test_one_endless_grapheme_is_cut_all_the_same() -> None:
    assert shortened("a" + "\u0301" * 500, 200) == "a" + "\u0301" * 199


@pytest.mark.parametrize("deleted_at", [None, 1_773_480_414_007])
def test_a_preview_is_the_wires_own(deleted_at: int | None) -> None:
    message = {
        "id": 7,
        "direction": 1,
        "author": "phone",
        "type": "text",
        "text": "x" * 300,
        "delivery_status": "read",
        "created_at": 1_773_480_413_007,
    }
    preview = preview_json({**message, "deleted_at": deleted_at})
    assert previewed_id(preview) == 7
    read = MessagePreview.model_validate_json(preview)
    assert read.deleted == (deleted_at is not None)
    assert read.model_dump(mode="json", exclude_unset=True) == json.loads(preview)
    assert json.loads(preview) == {
        **message,
        "id": "7",
        "direction": "outbound",
        "text": "x" * 200,
        "created_at": "2026-03-14T09:26:53.007Z",
        **({"deleted_at": "2026-03-14T09:26:54.007Z"} if deleted_at else {}),
    }


def test_nothing_is_previewed_of_nothing() -> None:
    assert previewed_id(None) is None
