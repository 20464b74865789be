"""Rows as lines of an export, and tallies of an import."""

from typing import Any

from frontdesk.ingest.apply.context import ApplyResult, BatchCounts, Tally
from frontdesk.ingest.archive.row_codec import line_of
from frontdesk.store.dump import columns

AT, SHOWN = 1_773_480_413_007, "2026-03-14T09:26:53.007Z"
MESSAGE: dict[str, Any] = {
    **dict.fromkeys(columns("message")),
    "account_id": 1,
    "conversation_id": 7,
    "id": 5,
    "created_at": AT,
    "direction": 1,
    "author": "user",
    "type": "text",
    "channel_id": 2,
    "source": "archive",
    "richness": 2,
    "live": 0,
}
LABEL: dict[str, Any] = {
    **dict.fromkeys(columns("label")),
    "account_id": 1,
    "id": 3,
    "title": "vip",
    "title_key": "vip",
    "color": "#ff0000",
    "created_at": AT,
    "updated_at": AT,
}


def test_a_row_is_a_line_with_the_members_of_the_interface() -> None:
    assert line_of("label", LABEL) == {
        "kind": "label",
        "v": 1,
        "id": "3",
        "title": "vip",
        "description": None,
        "color": "#ff0000",
        "created_at": SHOWN,
        "updated_at": SHOWN,
        "stored": {"title_key": "vip", "times_json": None},
    }


def test_an_object_of_nulls_is_null() -> None:
    line = line_of("message", {**MESSAGE, "billable": 0, "read_at": AT}, more=1)
    assert (line["pricing"]["billable"], line["delivery"]["read_at"]) == (False, SHOWN)
    assert line["delivery"]["sent_at"] is None
    assert (line["author_ref"], line["reply_to"], line["more"]) == (None, None, 1)


def test_tallies_are_added_up() -> None:
    first = ApplyResult(messages=Tally(1, 2, 3), ignored=1)
    second = ApplyResult(messages=Tally(10, 20, 30), notes=Tally(known=1), ignored=2)
    assert first + second == ApplyResult(
        messages=Tally(11, 22, 33), notes=Tally(known=1), ignored=3
    )


def test_what_is_known_already_is_no_change() -> None:
    counts = BatchCounts()
    counts.add("messages", "known")
    counts.ignore()
    assert not counts.changed
    counts.add("contacts", "new")
    counts.discount("contacts")
    counts.add("messages", "changed")
    assert counts.changed
    counts.add("messages", "known")
    assert counts.changed
    assert counts.result() == ApplyResult(messages=Tally(0, 1, 2), ignored=1)
