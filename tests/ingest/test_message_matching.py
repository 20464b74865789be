"""Copies of messages without an id match the nearest of their kind, each once."""

from typing import Any

import pytest

from frontdesk.ingest.apply.message_matching import MessageIndex, alike, was_changed

# Copies of one message are a minute apart at most.
APART = MINUTE = 60_000

NOON = 30_000_000 * MINUTE


def message(id: int, at: int, text: str = "Hello", **members: Any) -> dict[str, Any]:
    return {
        "id": id,
        "created_at": NOON + at,
        "direction": 1,
        "type": "text",
        "text": text,
        "media_json": None,
        "richness": 3,
        "edited_at": None,
        "deleted_at": None,
        **members,
    }


@pytest.mark.parametrize(
    ("moments", "at", "taken"),
    [
        ((-20_000, 30_000), 0, [30_000, -20_000]),
        # None is of its minute: the nearest.
        ((-30_000, -20_000), 0, [-20_000, -30_000]),
        ((60_000, -1_000), 0, [-1_000, 60_000]),
        ((10_000, 70_000), 30_000, [10_000, 70_000]),
        # Of one minute the first.
        ((40_000, 5_000), 30_000, [5_000, 40_000]),
        ((-APART, APART), 0, [-APART, APART]),
        ((-APART - 1, APART + 1), 0, []),
    ],
)
def test_the_nearest_is_taken_first_and_none_that_is_too_far(
    moments: tuple[int, ...], at: int, taken: list[int]
) -> None:
    rows = sorted(
        (message(number, moment) for number, moment in enumerate(moments)),
        key=lambda row: row["created_at"],
    )
    index = MessageIndex(rows)
    found = [index.take(message(9, at)) for _ in range(len(moments) + 1)]
    assert [row["created_at"] - NOON for row in found if row] == taken


@pytest.mark.parametrize(
    ("stored", "copy", "alike"),
    [
        ({}, {"text": " Hello "}, True),
        ({}, {"text": "Bye"}, False),
        ({}, {"direction": 0}, False),
        ({"type": "interactive"}, {}, True),
        ({"type": "image", "text": None}, {"type": "image", "text": None}, True),
        ({"type": "image", "text": "a"}, {"type": "image", "text": None}, True),
        ({"type": "image", "text": "a"}, {"type": "image", "text": "b"}, False),
        ({"type": "image", "text": None}, {"type": "video", "text": None}, False),
        ({"type": "image", "text": None}, {"type": "unsupported", "text": None}, True),
        ({"type": "unsupported", "text": None}, {"type": "video", "text": "a"}, True),
        ({"type": "unsupported", "text": None}, {}, False),
        ({"deleted_at": 1}, {"deleted_at": 2, "text": None}, True),
        ({"deleted_at": 1}, {}, False),
    ],
)
def test_a_copy_matches_by_side_and_by_text_or_kind(
    stored: dict[str, Any], copy: dict[str, Any], alike: bool
) -> None:
    index = MessageIndex([message(1, 0, **stored)])
    assert (index.take(message(9, 0, **copy)) is not None) == alike


def test_an_edited_or_deleted_message_is_taken_for_a_copy_of_its_minute_alone() -> None:
    for members in ({"edited_at": 1}, {"deleted_at": 1}):
        index = MessageIndex([message(1, 0, **members)])
        assert index.take_changed(message(9, MINUTE, "Before")) is None
        assert index.take_changed(message(9, -1, "Before")) is None
        assert index.take_changed(message(9, 0, "Before", type="reaction")) is None
        assert index.take_changed(message(9, MINUTE - 1, "Before")) is not None
        assert index.take_changed(message(9, 0, "Before")) is None


CARD = '{"mime_type": "text/vcard"}'
FILE = '{"mime_type": "application/pdf"}'


@pytest.mark.parametrize(
    ("stored", "copy", "found"),
    [
        # A file without a caption matches one with a caption, and the reverse.
        ({"type": "image", "text": "a"}, {"type": "image", "text": None}, True),
        ({"type": "image", "text": None}, {"type": "image", "text": "a"}, True),
        ({"type": "image", "text": "a"}, {"type": "video", "text": None}, False),
        # A card is a document or contacts.
        ({"type": "contacts"}, {"type": "document", "media_json": CARD, "text": None}, True),
        ({"type": "document", "media_json": CARD, "text": None}, {"type": "contacts"}, True),
        ({"type": "contacts"}, {"type": "document", "media_json": FILE, "text": None}, False),
        ({"type": "contacts"}, {"type": "document", "media_json": None, "text": None}, False),
        ({"type": "contacts"}, {}, False),
        # What is all text is so in any type.
        ({"type": "template"}, {"type": "interactive"}, True),
        ({"type": "template", "text": None}, {"text": None}, False),
        ({"type": "image"}, {"type": "text"}, False),
        ({"type": "system"}, {"type": "text"}, False),
        # A message that is known from its delivery alone is none of these.
        ({"type": "unsupported", "richness": 0}, {"type": "image"}, False),
        ({"type": "unsupported", "richness": 2}, {"type": "image"}, True),
        ({"deleted_at": 1, "type": "unsupported"}, {"deleted_at": 1}, True),
        ({"deleted_at": 1, "type": "unsupported"}, {"type": "image"}, False),
        ({"text": "a\u200e  b"}, {"text": "a b"}, True),
    ],
)
def test_kinds_that_an_export_shows_alike_match(
    stored: dict[str, Any], copy: dict[str, Any], found: bool
) -> None:
    row, other = message(1, 0, **stored), message(9, 0, **copy)
    assert alike(row, other) == found
    assert (MessageIndex([row]).take(other) is not None) == found


def test_a_placeholder_is_a_copy_of_anything_that_was_sent_then() -> None:
    sent, received = message(1, 0, type="image"), message(2, 0, direction=0)
    placeholder = message(9, APART, type="unsupported", richness=0, text=None)
    index = MessageIndex([sent, received])
    assert index.take(placeholder) is sent
    assert index.take(placeholder) is None
    quiet = MessageIndex([message(1, 0, type="reaction"), message(2, 0, type="system")])
    assert quiet.take_sent(NOON) is None
    assert MessageIndex([sent]).take_sent(NOON + APART + 1) is None
    assert MessageIndex([sent]).take_sent(NOON - APART) is sent


def test_a_placeholder_is_taken_as_one_alone() -> None:
    placeholder = message(1, 0, type="unsupported", richness=0, text=None)
    assert MessageIndex([message(2, 0)]).take_unknown(NOON) is None
    for apart, is_near in ((APART, True), (APART + 1, False), (-APART, True), (-APART - 1, False)):
        found = MessageIndex([placeholder]).take_unknown(NOON + apart)
        assert (found is placeholder) == is_near


@pytest.mark.parametrize(
    ("members", "changed"),
    [({}, False), ({"edited_at": 0}, True), ({"deleted_at": 0}, True)],
)
def test_a_message_was_changed_by_an_edit_or_a_deletion(
    members: dict[str, Any], changed: bool
) -> None:
    assert was_changed(message(1, 0, **members)) == changed
