"""Copies of messages without an id match the nearest of their kind, each once."""

from typing import Any

import pytest

from frontdesk.ingest.apply.message_matching import APART, MINUTE, MessageIndex

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
